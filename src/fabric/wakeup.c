/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wakeup.c - wake-ups that nobody waits for.
 *
 * libfabric 1.17's tcp tells a completion to who may sleep on its queue: it
 * writes a byte to a pair of sockets, unless one is in it, and takes the byte
 * out when a poll shows it.  It does so for a queue that nobody can sleep on,
 * too, and each message costs both sides a write and a read.  So we take the
 * pair's reading end out of the poll: its descriptor becomes one of something
 * that is never readable, and the first byte stays where it is for good.
 *
 * The pair is the first that fi_enable makes, of two; their reading ends do
 * not block, and their writing ends do.  The other one is the poll's, of which
 * nobody waits.  Where it has made anything else meanwhile, or somebody has,
 * nothing is done; nor may it be where an epoll set is polled, which would keep
 * the old end: then there is one pair.
 */
#include "fabric.h"

#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FDS_MOST 4096
#define MADE	 4

static bool was_open[FDS_MOST], has_looked;
static int reading_end = -1; /* which must stay open for the writing end */

static bool makes_them(void)
{
	return FI_MAJOR(orl_libfabric.version()) == 1 &&
	       FI_MINOR(orl_libfabric.version()) == 17;
}

static void note(int fd, void *arg)
{
	(void)arg;
	if (fd < FDS_MOST)
		was_open[fd] = true;
}

void orl_wakeup_before(void)
{
	memset(was_open, 0, sizeof(was_open));
	has_looked = makes_them() && orl_fds_visit(note, NULL);
}

struct made {
	int fds[MADE];
	int n; /* more than MADE: too many */
};

static bool is_local_socket(int fd)
{
	int domain = 0;
	socklen_t len = sizeof(domain);

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) &&
	       domain == AF_UNIX;
}

/* In the order of their descriptors, as they were made. */
static void add(int fd, void *arg)
{
	struct made *made = arg;
	int i;

	if (fd >= FDS_MOST || was_open[fd] || !is_local_socket(fd))
		return;
	if (made->n < MADE) {
		for (i = made->n; i > 0 && made->fds[i - 1] > fd; i--)
			made->fds[i] = made->fds[i - 1];
		made->fds[i] = fd;
	}
	made->n++;
}

static bool blocks(int fd)
{
	return !(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

static bool are_two_pairs(const struct made *made)
{
	int i;

	if (made->n != MADE)
		return false;
	for (i = 0; i < MADE; i++)
		if (blocks(made->fds[i]) != i % 2)
			return false;
	return true;
}

void orl_wakeup_after(void)
{
	struct made made = { .n = 0 };
	int silent;

	if (has_looked)
		orl_fds_visit(add, &made);
	if (!are_two_pairs(&made))
		return;
	silent = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reading_end = fcntl(made.fds[0], F_DUPFD_CLOEXEC, 0);
	if (silent >= 0 && reading_end >= 0)
		dup3(silent, made.fds[0], O_CLOEXEC);
	if (silent >= 0)
		close(silent);
}

void orl_wakeup_forget(void)
{
	if (reading_end >= 0)
		close(reading_end);
	reading_end = -1;
}
