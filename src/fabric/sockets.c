/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sockets.c - the sockets of a provider over TCP, for a thread to sleep on.
 *
 * A completion queue that can be slept on makes every message dearer: the
 * kernel keeps its epoll sets up to date though nobody sleeps.  Where there
 * can be but few connections the queue is opened without, and the sockets are
 * found by themselves: they are bound to our endpoint's port, or connected to
 * a peer's.  Nothing tells when there are new ones, so they are looked for
 * again when it seems so, and now and then.  Under the progress lock.
 *
 * What the provider could not write, as a socket was full, waits in it until
 * it is polled.  By the time that we look the socket may have room again, and
 * nobody could tell from it that something waits.  So the kernel notes each
 * time that a full one gets room, in an epoll set, edge triggered.  It is
 * emptied before a poll, never after it:
 *
 *	provider			kernel
 *	writes, the socket is full
 *					sends; room: noted
 *	orl_sockets_are_quiet: no, forgets it
 *	is polled, writes more, all of it
 *	orl_sockets_are_quiet: yes
 */
#include "fabric.h"

#include "orl_util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* More connections than that are for the kernel to look after. */
#define RANKS_MOST 64
/* What a connection takes to be made; until then there may be another. */
#define SETTLE_NS 100000000u
#define LOOK_NS	  200000000u

static struct {
	struct pollfd fds[ORL_FABRIC_FDS]; /* the first: of the epoll set */
	int n;
	int room; /* the epoll set, or -1 */
	int listener;
	int lowest; /* descriptor that was free */
	uint64_t looked, unsettled;
} sockets = { .room = -1 };

bool orl_sockets_are_wanted(const struct fi_info *info, int ranks)
{
	const char *name = info->fabric_attr->prov_name;

	/* ofi_rxm executes atomics without a word to us, some tens of them a
	 * poll, and has then read more from its sockets. */
	return ranks <= RANKS_MOST && !(info->caps & FI_ATOMIC) &&
	       (!strcmp(name, "tcp") || !strncmp(name, "tcp;", 4)) &&
	       (info->addr_format == FI_SOCKADDR_IN ||
		info->addr_format == FI_SOCKADDR_IN6 ||
		info->addr_format == FI_SOCKADDR);
}

void orl_sockets_expect(void)
{
	sockets.unsettled = orl_now_coarse();
}

void orl_sockets_forget(void)
{
	if (sockets.room >= 0)
		close(sockets.room);
	sockets.room = -1;
	sockets.n = 0;
	sockets.looked = 0;
}

/* -- all descriptors ------------------------------------------------------- */

bool orl_fds_visit(void (*visit)(int fd, void *arg), void *arg)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd;

	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		if (entry->d_name[0] != '.' && fd != dirfd(dir))
			visit(fd, arg);
	}
	closedir(dir);
	return true;
}

/* -- which are they? ------------------------------------------------------- */

static bool is_ours(int fd)
{
	struct sockaddr_storage here = { .ss_family = AF_UNSPEC }, there = here;
	socklen_t len = sizeof(here);

	if (fd == orl_fabric_nudge_fd() ||
	    getsockname(fd, (struct sockaddr *)&here, &len))
		return false;
	len = sizeof(there);
	getpeername(fd, (struct sockaddr *)&there, &len);
	return orl_peer_is_of_us(&here, &there);
}

static bool is_listener(int fd)
{
	int yes = 0;
	socklen_t len = sizeof(yes);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &len) && yes;
}

/* It leaves the set when it is closed. */
static int watch_room(int fd)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };

	if (!epoll_ctl(sockets.room, EPOLL_CTL_ADD, fd, &event))
		return 0;
	return errno == EEXIST ? 0 : -errno;
}

static void add(int fd, void *arg)
{
	int *rc = arg;

	if (*rc || !is_ours(fd))
		return;
	if (sockets.n == ORL_FABRIC_FDS)
		*rc = -1;
	else if (is_listener(fd))
		sockets.listener = fd;
	else
		*rc = watch_room(fd);
	if (!*rc)
		sockets.fds[sockets.n++] = (struct pollfd){ fd, POLLIN, 0 };
}

static bool has_set(void)
{
	if (sockets.room < 0)
		sockets.room = epoll_create1(EPOLL_CLOEXEC);
	return sockets.room >= 0;
}

/* None, if there are too many, or they cannot be watched. */
static void look(void)
{
	int rc = 0;

	sockets.n = 0;
	sockets.listener = -1;
	sockets.looked = orl_now_coarse();
	if (!has_set())
		return;
	sockets.fds[sockets.n++] = (struct pollfd){ sockets.room, POLLIN, 0 };
	if (!orl_fds_visit(add, &rc) || rc)
		sockets.n = 0;
}

/* Of any kind: it changes with most that are opened or closed. */
static int lowest_free(void)
{
	int fd = fcntl(0, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd;
}

static bool have_changed(void)
{
	int lowest = lowest_free(), before = sockets.lowest;

	sockets.lowest = lowest;
	return lowest != before || orl_now_coarse() - sockets.looked > LOOK_NS;
}

/* -- the end of one ------------------------------------------------------- */

static bool is_with(const struct orl_fabric_peer *peer, int fd)
{
	struct sockaddr_storage there = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(there);

	return is_ours(fd) &&
	       !getpeername(fd, (struct sockaddr *)&there, &len) &&
	       orl_peer_is_at(peer, &there);
}

static void shut_with(int fd, void *arg)
{
	if (is_with(arg, fd))
		shutdown(fd, SHUT_RDWR);
}

void orl_sockets_shut(const struct orl_fabric_peer *peer)
{
	orl_fds_visit(shut_with, (void *)(uintptr_t)peer);
}

/* -- to sleep on ----------------------------------------------------------- */

bool orl_sockets_are_quiet(void)
{
	struct epoll_event noted[RANKS_MOST];

	return sockets.room < 0 ||
	       epoll_wait(sockets.room, noted, RANKS_MOST, 0) <= 0;
}

/* Or is it gone, or asks for a connection? */
static bool is_settled(const struct pollfd *item)
{
	if (item->fd == sockets.listener)
		return !item->revents;
	return !(item->revents & (POLLERR | POLLHUP | POLLNVAL));
}

static bool are_settled(void)
{
	bool settled = true;
	int i;

	poll(sockets.fds, (nfds_t)sockets.n, 0);
	for (i = 0; i < sockets.n; i++)
		settled &= is_settled(&sockets.fds[i]);
	return settled;
}

int orl_sockets_list(struct pollfd *fds, int most)
{
	if (orl_now_coarse() - sockets.unsettled < SETTLE_NS)
		return 0;
	if (have_changed())
		look();
	if (!are_settled()) {
		orl_sockets_expect();
		return 0;
	}
	if (sockets.n > most)
		return 0;
	memcpy(fds, sockets.fds, sizeof(*fds) * (size_t)sockets.n);
	return sockets.n;
}
