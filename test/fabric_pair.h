/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fabric_pair.h - for tests of src/fabric: a process, its partner, and what
 * they do to each other's memory, over the loopback.
 */
#ifndef FABRIC_PAIR_H
#define FABRIC_PAIR_H

#include "orl_fabric.h"
#include "orl_util.h"
#include "process.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#define AREA ((size_t)8 << 20)

/* Of all processes of a case; the area is what peers read and write. */
struct shared {
	_Atomic(int) stop;
	unsigned char area[AREA];
};

/* What a process tells another of itself. */
struct card {
	uint8_t name[ORL_FABRIC_NAME];
	size_t name_len;
	uint64_t key, base;
};

static const char *provider;
static struct shared *shared;
static struct orl_mr mr;
static int received;

/* -- operations ------------------------------------------------------------ */

struct request {
	struct orl_fabric_op op;
	bool done;
	int error;
};

static inline void note_done(struct orl_fabric_op *op, int error)
{
	struct request *request = (struct request *)op;

	check(!request->done);
	request->done = true;
	request->error = error;
}

static inline void prepare(struct request *request)
{
	memset(request, 0xee, sizeof(*request));
	request->op.done = note_done;
	request->done = false;
}

static inline void make_progress(void)
{
	if (!orl_fabric_poll())
		sched_yield();
}

static inline int wait_for(struct request *request)
{
	while (!request->done)
		make_progress();
	return request->error;
}

static inline int send_to(uint64_t peer, const void *message, size_t len)
{
	struct request request;

	prepare(&request);
	orl_fabric_send(&request.op, peer, message, len);
	return wait_for(&request);
}

static inline int write_to(uint64_t peer, const struct card *card, size_t to,
			   const void *src, size_t len)
{
	struct request request;

	prepare(&request);
	orl_fabric_write(&request.op, peer, card->base + to, card->key, src,
			 len);
	return wait_for(&request);
}

static inline int read_from(uint64_t peer, const struct card *card, size_t from,
			    void *dst, size_t len)
{
	struct request request;

	prepare(&request);
	orl_fabric_read(&request.op, peer, card->base + from, card->key, dst,
			len);
	return wait_for(&request);
}

/* -- opening --------------------------------------------------------------- */

static inline void count_message(const void *message, size_t len)
{
	check(!((uintptr_t)message % 8));
	received++;
}

static inline int try_open(orl_fabric_message_fn fn, const char **what)
{
	orl_options.provider = (long)provider;
	/* The loopback is everywhere; what has other devices chooses. */
	orl_options.iface =
		(long)(strstr(provider, "shm") || strstr(provider, "verbs")
			       ? ""
			       : "lo");
	return orl_fabric_open(3, fn, what);
}

static inline void open_fabric(orl_fabric_message_fn fn)
{
	const char *what = "?";

	check(!try_open(fn, &what));
	check(orl_fabric.open && orl_fabric.message_most >= 4096);
	check(!orl_mr_open(shared->area, AREA, &mr));
}

static inline void close_fabric(void)
{
	orl_mr_close(&mr);
	orl_fabric_close();
	check(!orl_fabric.open);
}

static inline uint64_t meet_by_card(struct partner *partner,
				    struct card *theirs)
{
	struct card ours = { .name_len = orl_fabric.name_len,
			     .key = mr.key,
			     .base = mr.base };
	uint64_t peer;

	memcpy(ours.name, orl_fabric.name, sizeof(ours.name));
	tell(partner, &ours, sizeof(ours));
	hear(partner, theirs, sizeof(*theirs));
	check(!orl_fabric_peer(theirs->name, theirs->name_len, &peer));
	return peer;
}

/* Like meet(), for who the other may need until it is there, too. */
static inline void meet_at_work(struct partner *partner)
{
	char byte = 0;
	ssize_t n;

	tell(partner, &byte, 1);
	while ((n = recv(partner->socket, &byte, 1, MSG_DONTWAIT)) < 0)
		make_progress();
	check(n == 1);
}

static inline void make_shared(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(shared != MAP_FAILED);
}

/* A partner that makes progress until it is told to stop. */
static inline void serve(struct partner *partner)
{
	struct card card;

	open_fabric(count_message);
	meet_by_card(partner, &card);
	while (!shared->stop)
		make_progress();
	close_fabric();
}

static inline struct partner start_server(struct card *card, uint64_t *peer)
{
	struct partner partner;

	make_shared();
	partner = partner_start(serve);
	open_fabric(count_message);
	*peer = meet_by_card(&partner, card);
	return partner;
}

static inline void end_server(struct partner *partner)
{
	shared->stop = 1;
	partner_end(partner);
	close_fabric();
}

/* Ends a partner that would not end by itself. */
static inline void reap(struct partner *partner)
{
	char path[64];

	check(!kill(partner->pid, SIGKILL));
	check(waitpid(partner->pid, NULL, 0) == partner->pid);
	close(partner->socket);
	/* What shm leaves of it. */
	snprintf(path, sizeof(path), "/dev/shm/%d:%d:0", (int)partner->pid,
		 (int)getuid());
	remove(path);
}

/* In a process of its own, since libfabric stays loaded. */
static inline bool is_there(const char *name)
{
	int status = 1;
	pid_t pid;

	provider = name;
	pid = fork();
	if (!pid) {
		const char *what = "?";
		int rc = try_open(count_message, &what);

		if (rc)
			printf("# %s: %s\n", name, what);
		else
			orl_fabric_close();
		exit(rc ? 1 : 0);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid);
	check(WIFEXITED(status));
	return !status;
}

/* Runs the cases on the provider, if it is there. */
static inline int run_on(const char *name, const struct process_case *cases)
{
	return is_there(name) ? run_cases(cases) : 0;
}

/* The same of the first one, at the start; 77 if it is not there. */
static inline int run_first_on(const char *name,
			       const struct process_case *cases)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	orl_options_load();
	if (is_there(name))
		return run_cases(cases);
	printf("# skip: libfabric's provider %s is not here\n", name);
	return 77;
}

static inline int run_on_tcp(const struct process_case *cases)
{
	return run_first_on("tcp;ofi_rxm", cases);
}

#endif
