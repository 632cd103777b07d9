/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that have windows run commands by system(), and fork: the children
 * start and end as they should, see the memory of the window, leave what is
 * their parent's alone, and one-sided calls go on as before.
 */
/* ranks: 1 2; paths: default cma */
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

#define LEN 100000

/* The windows that a round of each goes through. */
static struct test_win w;

static void exchange(int round)
{
	static char buf[LEN];
	size_t bad;

	test_fill(buf, LEN, test_rank, round);
	MPI_Win_fence(0, w.win);
	MPI_Put(buf, LEN, MPI_BYTE, test_next(), test_at(&w, test_next(), 0),
		LEN, MPI_BYTE, w.win);
	MPI_Win_fence(0, w.win);
	bad = test_differs(w.base, LEN, test_prev(), round);
	check(bad == LEN, "%s, round %d: byte %zu", test_kind_name(w.kind),
	      round, bad);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void ends_with(int status, int code, const char *what)
{
	check(WIFEXITED(status) && WEXITSTATUS(status) == code,
	      "%s, %s: status %d", test_kind_name(w.kind), what, status);
}

/* The child looks, writes to what is its own, and goes without a word. */
static void forked(int round)
{
	static int copied = 1;
	int status;
	pid_t pid = fork();

	if (!pid) {
		copied = 2;
		_exit(test_differs(w.base, LEN, test_prev(), round) == LEN ? 7
									   : 8);
	}
	waitpid(pid, &status, 0);
	ends_with(status, 7, "fork");
	check(copied == 1, "the child's store is seen");
}

/* While the child lives, pages of both are copied when they are written. */
static void beside(int round)
{
	int fds[2], status;
	char byte;
	pid_t pid;

	if (pipe(fds))
		return;
	pid = fork();
	if (!pid) {
		close(fds[1]);
		_exit(read(fds[0], &byte, 1) ? 8 : 7); /* 0: it is closed */
	}
	close(fds[0]);
	exchange(round);
	close(fds[1]);
	waitpid(pid, &status, 0);
	ends_with(status, 7, "a child beside");
}

int main(int argc, char **argv)
{
	enum test_kind kind;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, LEN, 1);
		exchange(0);
		ends_with(system("exit 5"), 5, "system");
		exchange(1);
		forked(1);
		exchange(2);
		beside(3);
		exchange(4);
		test_win_close(&w);
	}
	return test_finish();
}
