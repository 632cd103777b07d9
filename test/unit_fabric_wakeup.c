/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: completions that somebody polls for are not told to sleepers that
 * there are none of, by a byte in a pair of sockets each; and pairs that others
 * make meanwhile are left alone.
 */
#include "fabric_pair.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>

#define READS 1000

/* -- what libfabric calls -------------------------------------------------- */

#define PAIRS_MOST 32

static int bytes_written;
static bool others_come;
static int others[PAIRS_MOST][2], pairs;

#pragma GCC visibility push(default)
/* In place of libc's. */
ssize_t write(int fd, const void *buf, size_t n)
{
	bytes_written += n == 1;
	return syscall(SYS_write, fd, buf, n);
}

/* Somebody makes one of the same kind just before. */
int socketpair(int domain, int type, int protocol, int fds[2])
{
	if (others_come) {
		check(pairs < PAIRS_MOST);
		check(!syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0,
			       others[pairs]));
		check(!fcntl(others[pairs++][0], F_SETFL, O_NONBLOCK));
	}
	return (int)syscall(SYS_socketpair, domain, type, protocol, fds);
}
#pragma GCC visibility pop

/* -- cases ----------------------------------------------------------------- */

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	check(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void read_often(uint64_t peer, const struct card *card)
{
	uint64_t word;
	int i;

	for (i = 0; i < READS; i++) {
		shared->area[0] = (unsigned char)i;
		check(!read_from(peer, card, 0, &word, sizeof(word)));
		check((unsigned char)word == (unsigned char)i);
	}
}

static void silent(void)
{
	int fds = count_fds(), before;
	struct card card;
	uint64_t peer;
	struct partner partner = start_server(&card, &peer);

	read_often(peer, &card);
	before = bytes_written;
	read_often(peer, &card);
	printf("# %d bytes for %d reads\n", bytes_written - before, READS);
	check(bytes_written - before < READS / 10);
	end_server(&partner);
	check(count_fds() == fds);
}

static void pair_of_others(void)
{
	struct card card;
	uint64_t peer;
	struct partner partner;
	char byte;
	int i;

	others_come = true;
	partner = start_server(&card, &peer);
	others_come = false;
	check(pairs > 0);
	read_often(peer, &card);
	for (i = 0; i < pairs; i++) {
		check(write(others[i][1], "x", 1) == 1);
		check(read(others[i][0], &byte, 1) == 1 && byte == 'x');
	}
	end_server(&partner);
}

static const struct process_case cases[] = {
	{ "completions without wake-ups", silent },
	{ "a pair of somebody else's", pair_of_others },
	{ NULL, NULL },
};

int main(void)
{
	return run_on_tcp(cases);
}
