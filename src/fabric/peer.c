/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer.c - peers, what is kept for them while the provider has no room, and
 * how a dead one is told from one that is busy.  ofi_rxm tries to connect to
 * a process that is gone for ever, and says "no room" each time; so when
 * nothing has left for a second, we knock ourselves at the port where it
 * listens: a refusal is certain.
 */
#include "fabric.h"

#include "orl_util.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_AFTER	1000
#define LOOK_AFTER_MOST 16000

/* A name, as others are told it: TCP and verbs have addresses of one kind. */
struct name {
	uint32_t provider; /* hash of its name */
	uint32_t format;
	uint8_t address[ORL_FABRIC_NAME - 8];
};

_Static_assert(sizeof(struct name) == ORL_FABRIC_NAME, "as it travels");

struct orl_waiting orl_waiting = { NULL, &orl_waiting.first };
struct orl_fabric_list orl_failed = { NULL, &orl_failed.first };

static struct orl_fabric_peer *peers;

/* -- lists ----------------------------------------------------------------- */

void orl_list_append(struct orl_fabric_list *list, struct orl_fabric_op *op)
{
	op->next = NULL;
	*list->last = op;
	list->last = &op->next;
}

struct orl_fabric_op *orl_list_take(struct orl_fabric_list *list)
{
	struct orl_fabric_op *op = list->first;

	if (!op)
		return NULL;
	list->first = op->next;
	if (!op->next)
		list->last = &list->first;
	return op;
}

/* -- names ----------------------------------------------------------------- */

static uint32_t hash(const char *text)
{
	uint32_t sum = 0x811c9dc5;

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 0x01000193;
	return sum;
}

int orl_name_make(const struct fi_info *info)
{
	struct name name = { .provider = hash(info->fabric_attr->prov_name),
			     .format = info->addr_format };
	size_t len = sizeof(name.address);
	int rc = fi_getname(&orl_endpoint.ep->fid, name.address, &len);

	if (rc)
		return rc;
	memcpy(orl_fabric.name, &name, sizeof(name));
	orl_fabric.name_len = offsetof(struct name, address) + len;
	return 0;
}

static bool is_internet(uint32_t format)
{
	return format == FI_SOCKADDR || format == FI_SOCKADDR_IN ||
	       format == FI_SOCKADDR_IN6;
}

/* Its length, or 0.  What listens there is the device, with verbs. */
static socklen_t address_of(const struct name *name, size_t len,
			    struct sockaddr_storage *address)
{
	if (!is_internet(name->format) || orl_fabric.passive ||
	    len > sizeof(*address))
		return 0;
	memcpy(address, name->address, len);
	return (socklen_t)len;
}

socklen_t orl_peer_own_address(struct sockaddr_storage *address)
{
	struct name name;

	memcpy(&name, orl_fabric.name, sizeof(name));
	return address_of(&name,
			  orl_fabric.name_len - offsetof(struct name, address),
			  address);
}

static struct orl_fabric_peer *make_peer(const struct name *name, size_t len)
{
	struct orl_fabric_peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return NULL;
	peer->kept.last = &peer->kept.first;
	peer->look_fd = -1;
	peer->address_len = address_of(name, len, &peer->address);
	return peer;
}

/* As ours, if addresses have a length: texts end with a zero. */
static bool is_as_long(const struct name *name, size_t len)
{
	if (name->format != FI_ADDR_STR)
		return len == orl_fabric.name_len;
	return memchr(name->address, 0, sizeof(name->address));
}

int orl_fabric_peer(const void *bytes, size_t len, uint64_t *addr)
{
	struct name name = { 0 }, ours;
	struct orl_fabric_peer *peer;

	if (len <= offsetof(struct name, address) || len > sizeof(name))
		return -EINVAL;
	memcpy(&name, bytes, len);
	memcpy(&ours, orl_fabric.name, sizeof(ours));
	if (name.provider != ours.provider || name.format != ours.format ||
	    !is_as_long(&name, len))
		return -EPROTONOSUPPORT;
	peer = make_peer(&name, len - offsetof(struct name, address));
	if (!peer)
		return -ENOMEM;
	if (fi_av_insert(orl_endpoint.av, name.address, 1, &peer->addr, 0,
			 NULL) != 1) {
		free(peer);
		return -EADDRNOTAVAIL;
	}
	peer->next = peers;
	peers = peer;
	*addr = (uintptr_t)peer;
	return 0;
}

static bool is_same_port(const struct sockaddr_storage *a,
			 const struct sockaddr_storage *b)
{
	/* It lies at the same place in both kinds of addresses. */
	return a->ss_family == b->ss_family &&
	       ((const struct sockaddr_in *)a)->sin_port ==
		       ((const struct sockaddr_in *)b)->sin_port;
}

static bool is_same_host(const struct sockaddr_storage *a,
			 const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET6)
		return !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
			       &((const struct sockaddr_in6 *)b)->sin6_addr,
			       sizeof(struct in6_addr));
	return a->ss_family == AF_INET &&
	       ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}

static bool is_same_address(const struct sockaddr_storage *a,
			    const struct sockaddr_storage *b)
{
	return is_same_port(a, b) && is_same_host(a, b);
}

static bool has_neighbour(const struct orl_fabric_peer *peer)
{
	const struct orl_fabric_peer *other;

	for (other = peers; other; other = other->next)
		if (other != peer &&
		    is_same_host(&other->address, &peer->address))
			return true;
	return false;
}

bool orl_peer_is_at(const struct orl_fabric_peer *peer,
		    const struct sockaddr_storage *there)
{
	return is_same_address(there, &peer->address) ||
	       (is_same_host(there, &peer->address) && !has_neighbour(peer));
}

bool orl_peer_is_of_us(const struct sockaddr_storage *here,
		       const struct sockaddr_storage *there)
{
	struct orl_fabric_peer *peer;
	struct sockaddr_storage own;

	if (orl_peer_own_address(&own) && is_same_port(here, &own))
		return true;
	for (peer = peers; peer; peer = peer->next)
		if (is_same_address(there, &peer->address))
			return true;
	return false;
}

static void stop_looking(struct orl_fabric_peer *peer)
{
	if (peer->look_fd >= 0)
		close(peer->look_fd);
	peer->look_fd = -1;
}

void orl_peers_close(void)
{
	while (peers) {
		struct orl_fabric_peer *peer = peers;

		peers = peer->next;
		stop_looking(peer);
		free(peer);
	}
	orl_waiting.first = NULL;
	orl_waiting.last = &orl_waiting.first;
}

/* -- is anybody there? ----------------------------------------------------- */

static uint64_t now_ms(void)
{
	return orl_now_coarse() / 1000000;
}

/* To be called when something is first kept, and when something leaves. */
static void look_later(struct orl_fabric_peer *peer, unsigned after)
{
	stop_looking(peer);
	peer->look_after = after;
	peer->look_at = now_ms() + after;
}

void orl_peer_moves(struct orl_fabric_peer *peer)
{
	look_later(peer, LOOK_AFTER);
}

static void start_look(struct orl_fabric_peer *peer)
{
	int fd = socket(peer->address.ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return;
	error = connect(fd, (struct sockaddr *)&peer->address,
			peer->address_len)
			? errno
			: 0;
	if (error == EINPROGRESS) {
		peer->look_fd = fd;
		return;
	}
	close(fd);
	if (error == ECONNREFUSED)
		orl_peer_lose(peer, -error);
}

static void end_look(struct orl_fabric_peer *peer)
{
	struct pollfd item = { .fd = peer->look_fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int error = 0;

	if (poll(&item, 1, 0) != 1)
		return;
	getsockopt(peer->look_fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error == ECONNREFUSED)
		orl_peer_lose(peer, -error);
	stop_looking(peer);
}

void orl_peer_look(struct orl_fabric_peer *peer)
{
	unsigned after = 2 * peer->look_after;

	if (peer->look_fd >= 0) {
		end_look(peer);
	} else if (peer->address_len && now_ms() >= peer->look_at) {
		look_later(peer,
			   after < LOOK_AFTER_MOST ? after : LOOK_AFTER_MOST);
		start_look(peer);
	}
}

/* -- keeping and losing ---------------------------------------------------- */

void orl_peer_keep(struct orl_fabric_peer *peer, struct orl_fabric_op *op)
{
	bool first = !peer->kept.first;

	orl_list_append(&peer->kept, op);
	if (!first)
		return;
	look_later(peer, LOOK_AFTER);
	peer->next_waiting = NULL;
	*orl_waiting.last = peer;
	orl_waiting.last = &peer->next_waiting;
}

/* It stays among those that wait until their turn comes in orl_post_kept. */
void orl_peer_lose(struct orl_fabric_peer *peer, int error)
{
	struct orl_fabric_op *op;

	if (!peer->error) {
		peer->error = error;
		orl_log(ORL_LOG_DEBUG, "a peer is lost: %s",
			orl_libfabric.strerror(-error));
	}
	stop_looking(peer);
	while ((op = orl_list_take(&peer->kept)))
		orl_list_append(&orl_failed, op);
}

/* Polls that take in what had come, and the end behind it. */
#define LAST_POLLS 64

/*
 * A read that has half come is reported twice by libfabric 1.17 if its address
 * is removed, the second time out of freed memory.  It is so once if the
 * connection has ended before.  Where nothing is under way, as at the end of
 * all, there is none.
 */
static void end_connection(const struct orl_fabric_peer *peer)
{
	if (!peer->contacted || !orl_posted)
		return;
	orl_sockets_shut(peer);
	for (int i = 0; i < LAST_POLLS; i++)
		fi_cq_read(orl_endpoint.cq, NULL, 0);
}

/*
 * Closes the connection, too, so that the provider ends what it has been
 * given, and nothing is written to buffers of ours any more.
 */
void orl_fabric_lose(uint64_t addr)
{
	struct orl_fabric_peer *peer = orl_peer_of(addr);

	if (!orl_fabric.open || peer->error == -EHOSTDOWN)
		return;
	orl_peer_lose(peer, -EHOSTDOWN);
	peer->error = -EHOSTDOWN;
	end_connection(peer);
	fi_av_remove(orl_endpoint.av, &peer->addr, 1, 0);
}
