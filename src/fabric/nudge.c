/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nudge.c - a datagram that has a peer poll.  A process whose own threads poll
 * keeps its progress thread from the connections, where each message would
 * wake it; when they stop, nothing tells the thread.  But who waits for an
 * answer notices, and sends a byte to a socket that is used for nothing else,
 * at the endpoint's address, by UDP: so the peer needs no other name, and a
 * nudge that is lost or comes from a stranger does no harm.
 */
#include "fabric.h"

#include "orl_util.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int fd = -1;

int orl_fabric_nudge_fd(void)
{
	return fd;
}

void orl_nudge_open(void)
{
	struct sockaddr_storage own;
	socklen_t len = orl_peer_own_address(&own);

	if (!len)
		return;
	fd = socket(own.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		    0);
	if (fd >= 0 && !bind(fd, (struct sockaddr *)&own, len))
		return;
	orl_log(ORL_LOG_DEBUG, "a socket for nudges: %s", strerror(errno));
	orl_nudge_close();
}

void orl_nudge_close(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

void orl_fabric_nudge(uint64_t addr)
{
	const struct orl_fabric_peer *peer = orl_peer_of(addr);

	if (fd < 0 || !peer->address_len)
		return;
	/* What cannot be sent now would come too late. */
	(void)!sendto(fd, "", 1, MSG_DONTWAIT,
		      (const struct sockaddr *)&peer->address,
		      peer->address_len);
}

void orl_fabric_nudge_take(void)
{
	char byte;

	while (recv(fd, &byte, 1, MSG_DONTWAIT) >= 0)
		;
}
