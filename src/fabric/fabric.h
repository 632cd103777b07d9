/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fabric.h - what the files of src/fabric share: libfabric's functions, the
 * one endpoint, the peers.  All of it under the progress lock.
 */
#ifndef ORL_FABRIC_PRIVATE_H
#define ORL_FABRIC_PRIVATE_H

#include "orl_fabric.h"

#include <net/if.h>
#include <poll.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/socket.h>

#define ORL_FI_VERSION FI_VERSION(1, 17)

/* -- library.c: libfabric.so.1 --------------------------------------------- */

/* What its headers do not define inline.  Constant after loading. */
struct orl_libfabric {
	int (*getinfo)(uint32_t version, const char *node, const char *service,
		       uint64_t flags, const struct fi_info *hints,
		       struct fi_info **info);
	void (*freeinfo)(struct fi_info *info);
	struct fi_info *(*dupinfo)(const struct fi_info *info);
	int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
		      void *context);
	const char *(*strerror)(int errnum);
	uint32_t (*version)(void);
};

extern struct orl_libfabric orl_libfabric;

int orl_libfabric_load(int ranks, const char **what);
/* For *what of orl_fabric_open: the text, kept in a place of its own. */
const char *orl_fabric_text(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* -- candidate.c: what may be opened --------------------------------------- */

/* A provider on an interface. */
struct orl_candidate {
	struct fi_info *info;	 /* of orl_candidates.all */
	char iface[IF_NAMESIZE]; /* by its address; "" if that tells none */
	int rank;		 /* the smaller the better */
};

struct orl_candidates {
	struct fi_info *all;
	struct orl_candidate *list; /* by rank */
	int n;
};

int orl_candidates_find(struct orl_candidates *found, const char **what);
/* In words, what its rank is for. */
const char *orl_candidate_why(const struct orl_candidate *candidate);
void orl_candidates_free(struct orl_candidates *found);

/* -- endpoint.c ------------------------------------------------------------ */

#define ORL_RECV_BUFFERS 4

/* Where messages are received, many in one. */
struct orl_recv_buffer {
	struct fi_context2 context;
	char *bytes;
	struct fid_mr *mr;
	bool posted;
};

struct orl_fabric_peer;

struct orl_endpoint {
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	int mr_mode;
	uint64_t mr_flags; /* of every registration */
	size_t key_size;
	size_t message_most, buffer_bytes;
	/* Writes up to this many bytes are copied by the provider, which
	 * saves it a registration; 0 where there is none to be saved. */
	size_t inject;
	size_t inject_most; /* of a message */
	bool in_order;	    /* messages stay behind writes */
	bool has_sockets;   /* to sleep on, see sockets.c; else */
	int fd;		    /* the completion queue's, or -1: none */
	size_t recv_bytes;  /* of each receive buffer */
	int unposted;	    /* buffers that are to be posted again */
	struct orl_recv_buffer buffers[ORL_RECV_BUFFERS];
};

extern struct orl_endpoint orl_endpoint;

/* On failure nothing stays, and *step tells what it was that failed. */
int orl_endpoint_open(struct orl_endpoint *endpoint, struct fi_info *info,
		      int ranks, const char **step);
void orl_endpoint_close(struct orl_endpoint *endpoint);
/* Gives an unposted buffer, or one that has come back. */
int orl_recv_post(struct orl_endpoint *endpoint,
		  struct orl_recv_buffer *buffer);
/* Local memory where the provider wants it registered; else *mr is NULL. */
int orl_local_open(struct orl_endpoint *endpoint, const void *buf, size_t len,
		   uint64_t access, struct fid_mr **mr);
/* -FI_EOPNOTSUPP if registrations are kept in a cache all the same: two of one
 * byte then are one, with one key. */
int orl_local_refuse_cache(struct orl_endpoint *endpoint, const void *byte);

/* -- stage.c --------------------------------------------------------------- */

/* Nothing where local memory need not be registered. */
int orl_stage_open(struct orl_endpoint *endpoint);
void orl_stage_close(void);
/* Registered memory, or NULL: too much of it, or none to be had now. */
void *orl_stage_take(size_t len);
/* Will there be such a piece, when others have come back? */
bool orl_stage_fits(size_t len);
void orl_stage_give(void *piece);
void *orl_stage_desc(void);

/* -- sockets.c ------------------------------------------------------------- */

/* Shall the completion queue be opened without a descriptor of its own? */
bool orl_sockets_are_wanted(const struct fi_info *info, int ranks);
/* Connections are being made: not to be relied upon for a while. */
void orl_sockets_expect(void);
/* Has none that was full got room since this was last asked?  If one has, the
 * provider is to be polled before a sleep. */
bool orl_sockets_are_quiet(void);
/* As orl_fabric_fds. */
int orl_sockets_list(struct pollfd *fds, int most);
/* They are closed, or about to be. */
void orl_sockets_forget(void);
/* Calls visit with each descriptor that is open: false, they cannot be told. */
bool orl_fds_visit(void (*visit)(int fd, void *arg), void *arg);
/* Shuts those with the peer, which ends what is under way on them. */
void orl_sockets_shut(const struct orl_fabric_peer *peer);

/* -- wakeup.c -------------------------------------------------------------- */

/* Around fi_enable, if nobody is going to sleep on the completion queue. */
void orl_wakeup_before(void);
void orl_wakeup_after(void);
/* The endpoint is closed. */
void orl_wakeup_forget(void);

/* -- nudge.c --------------------------------------------------------------- */

/* Nothing where peers have no Internet addresses, or the port is taken. */
void orl_nudge_open(void);
void orl_nudge_close(void);

/* -- atomic.c -------------------------------------------------------------- */

/* Do we ask for atomics?  Some providers then give up orders. */
bool orl_atomics_are_wanted(void);
/* After the endpoint is open: what it can do. */
void orl_atomics_query(const struct fi_info *info);
/* Gives it to the provider: 0 or -errno. */
int orl_atomic_post(struct orl_fabric_op *op);

/* -- peer.c ---------------------------------------------------------------- */

/* Operations in order, by next. */
struct orl_fabric_list {
	struct orl_fabric_op *first, **last;
};

struct orl_fabric_peer {
	fi_addr_t addr;
	int error; /* -errno once it is lost */
	bool contacted;
	struct orl_fabric_peer *next;
	/* What the provider had no room for, and its place among the peers
	 * that have such. */
	struct orl_fabric_list kept;
	struct orl_fabric_peer *next_waiting;
	/* Milliseconds: since when nothing has left, and when to see whether
	 * anybody listens there; the period between such looks. */
	uint64_t look_at;
	unsigned look_after;
	int look_fd; /* of a look under way, or -1 */
	socklen_t address_len;
	struct sockaddr_storage address; /* length 0: no Internet address */
};

/* Peers with something kept, in the order in which they are served. */
struct orl_waiting {
	struct orl_fabric_peer *first, **last;
};

extern struct orl_waiting orl_waiting;
/* Operations that have failed, whose done is still to be called. */
extern struct orl_fabric_list orl_failed;

void orl_list_append(struct orl_fabric_list *list, struct orl_fabric_op *op);
struct orl_fabric_op *orl_list_take(struct orl_fabric_list *list);

/* The name of this process's endpoint, as orl_fabric.name. */
int orl_name_make(const struct fi_info *info);
void orl_peers_close(void);
/* Where it listens; its length, 0 if that is no Internet address, or a device
 * listens there. */
socklen_t orl_peer_own_address(struct sockaddr_storage *address);
/* Does a socket with these addresses belong to the endpoint? */
bool orl_peer_is_of_us(const struct sockaddr_storage *here,
		       const struct sockaddr_storage *there);
/* Is it the peer at the other end of such a socket?  A connection that the peer
 * has made tells its host alone: not if several are there. */
bool orl_peer_is_at(const struct orl_fabric_peer *peer,
		    const struct sockaddr_storage *there);
void orl_peer_keep(struct orl_fabric_peer *peer, struct orl_fabric_op *op);
/* All of its operations that the provider has not been given fail. */
void orl_peer_lose(struct orl_fabric_peer *peer, int error);
/* Nothing has left for long: is anybody listening there? */
void orl_peer_look(struct orl_fabric_peer *peer);
/* Something has left. */
void orl_peer_moves(struct orl_fabric_peer *peer);

/* -- post.c ---------------------------------------------------------------- */

/* Operations that the provider has been given and not told the end of. */
extern size_t orl_posted;

/* Posts what was kept.  True if anything was posted or has failed. */
bool orl_post_kept(void);
/* Gives back what posting took; what was read goes where it belongs. */
void orl_post_release(struct orl_fabric_op *op, int error);

/* -- poll.c ---------------------------------------------------------------- */

extern orl_fabric_message_fn orl_fabric_message;

static inline struct orl_fabric_peer *orl_peer_of(uint64_t peer)
{
	return (struct orl_fabric_peer *)(uintptr_t)peer;
}

#endif
