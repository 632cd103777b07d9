/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.h - for unit tests of what several processes do together, without
 * MPI: cases that run in processes of their own, partners over a socket, and
 * checks that say where they fail.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends the process, with where and what, unless cond is true. */
#define check(cond) process_check(cond, __FILE__, __LINE__, #cond)

static inline void process_check(bool cond, const char *file, int line,
				 const char *what)
{
	if (cond)
		return;
	fprintf(stderr, "%s:%d: expected %s\n", file, line, what);
	exit(1);
}

/* The other process, seen from either side. */
struct partner {
	pid_t pid;
	int socket;
};

static inline void tell(const struct partner *partner, const void *data,
			size_t len)
{
	check(send(partner->socket, data, len, MSG_NOSIGNAL) == (ssize_t)len);
}

static inline void hear(const struct partner *partner, void *data, size_t len)
{
	check(recv(partner->socket, data, len, MSG_WAITALL) == (ssize_t)len);
}

/* Both get here before one goes on. */
static inline void meet(const struct partner *partner)
{
	char c = 0;

	tell(partner, &c, 1);
	hear(partner, &c, 1);
}

/* Runs fn in a child, to which *partner is the parent. */
static inline struct partner partner_start(void (*fn)(struct partner *partner))
{
	struct partner partner;
	int sockets[2];

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	fflush(NULL);
	partner.pid = fork();
	check(partner.pid >= 0);
	if (!partner.pid) {
		/* Not to go on when the parent's check has failed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(sockets[0]);
		partner.pid = getppid();
		partner.socket = sockets[1];
		fn(&partner);
		exit(0);
	}
	close(sockets[1]);
	partner.socket = sockets[0];
	return partner;
}

/* Waits until it has ended, well. */
static inline void partner_end(struct partner *partner)
{
	int status;

	check(waitpid(partner->pid, &status, 0) == partner->pid);
	check(WIFEXITED(status) && !WEXITSTATUS(status));
	close(partner->socket);
}

struct process_case {
	const char *name;
	void (*fn)(void);
};

/* Runs each case in a process of its own; the status for exit. */
static inline int run_cases(const struct process_case *cases)
{
	int failures = 0;

	for (; cases->name; cases++) {
		pid_t pid;
		int status = 1;

		fflush(NULL);
		pid = fork();
		if (!pid) {
			cases->fn();
			exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
			fprintf(stderr, "%s: failed, status %#x\n", cases->name,
				(unsigned)status);
			failures++;
		}
	}
	return failures ? 1 : 0;
}

/* A sequence of numbers that is the same in each run. */
static inline uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Random bytes, but for up to seven at the end. */
static inline void fill(unsigned char *bytes, size_t len, uint64_t seed)
{
	for (size_t i = 0; i + 8 <= len; i += 8) {
		uint64_t word = next_random(&seed);

		memcpy(bytes + i, &word, 8);
	}
}

#endif
