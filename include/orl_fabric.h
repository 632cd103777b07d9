/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_fabric.h - other nodes, by libfabric: one reliable datagram endpoint a
 * process, reads, writes and messages.  libfabric is loaded when it is first
 * needed.
 *
 * Every function is called with the progress lock held (orl_progress.h), but
 * where it says otherwise, and
 * completions and messages are delivered by orl_fabric_poll, which holds it
 * too.  None of them blocks, and none needs to be called again: what the
 * provider has no room for (-FI_EAGAIN) is kept, in the order of its peer,
 * and posted by a later orl_fabric_poll.  Functions return 0 or -errno.
 */
#ifndef ORL_FABRIC_H
#define ORL_FABRIC_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orl_type.h"

#define ORL_FABRIC_NAME 88 /* most bytes of an endpoint's name */

/* What was opened.  Constant after orl_fabric_open. */
struct orl_fabric {
	bool open;
	char provider[48]; /* "tcp;ofi_rxm" */
	char domain[48];   /* "eth0": the interface or device */
	/*
	 * Reads and writes are done by the device: the target's CPU is not
	 * needed.  False where the target must poll.
	 */
	bool passive;
	bool by_address; /* remote ranges are named by virtual addresses, not
			  * by offsets into the registered memory */
	bool any_memory; /* one registration may cover all of memory, and
			  * touches no pages */
	size_t buffer_bytes;  /* of the provider: must be the peers' too */
	size_t message_most;  /* bytes of a message that stays in order, and
			      * takes one trip */
	size_t inject_most;   /* bytes of a message that orl_fabric_inject
			       * takes */
	size_t transfer_most; /* bytes of one read or write */
	bool in_order; /* messages arrive behind the writes before them: these
			* need not have ended, and orl_fabric_write_ahead may be
			* called */
	bool atomics;  /* orl_fabric_atomic may be called */
	/* Orders that atomics on the same bytes keep by themselves, in the
	 * order in which they were posted: ORL_ORDER_... */
	unsigned atomic_order;
	uint8_t name[ORL_FABRIC_NAME]; /* of this process's endpoint */
	size_t name_len;
};

extern struct orl_fabric orl_fabric;

/*
 * A message has come, at a multiple of 8; it is the callee's until it
 * returns.
 */
typedef void (*orl_fabric_message_fn)(const void *message, size_t len);

/*
 * Opens the best provider that works, or the one that ORIEL_PROVIDER names,
 * unless one is open.  ranks is the size of the job.  On failure *what says
 * in words what failed and what may be done.
 */
int orl_fabric_open(int ranks, orl_fabric_message_fn message,
		    const char **what);
/*
 * Waits up to 2 s until all that was posted is done; messages that come
 * meanwhile are dropped.  What is not done by then never will be.  Registered
 * memory is to be closed before.
 */
void orl_fabric_close(void);

/*
 * The address of a peer by its endpoint's name; valid until orl_fabric_close.
 * -EPROTONOSUPPORT: it has opened another provider than this process.
 */
int orl_fabric_peer(const void *name, size_t len, uint64_t *addr);
/*
 * The peer is dead: its operations are done with -EHOSTDOWN by the next
 * polls, and so are all that follow.  Errors of its operations have the same
 * effect by themselves; this is for who knows better.  Providers other than
 * ofi_rxm may not let go of operations that they have begun: those are never
 * done, and their memory has to stay.
 */
void orl_fabric_lose(uint64_t addr);

/* What an error of an operation is called, -errno or -FI_*. */
const char *orl_fabric_reason(int error);

/* A way to other nodes that libfabric offers. */
struct orl_fabric_way {
	char provider[48]; /* "tcp;ofi_rxm" */
	char domain[64];   /* "eth0", "mlx5_0" */
	char iface[16];	   /* by its address, or "" */
	char why[64];	   /* it has this rank */
	int rank;	   /* the smaller the better */
};

/*
 * All of them, by rank, the first most into ways: what orl_fabric_open would
 * try in this order.  How many there are, and in text libfabric's version; or
 * -errno, and what is wrong.
 */
int orl_fabric_survey(struct orl_fabric_way *ways, int most, char *text,
		      size_t len);

/* Of two accesses that follow one another: "raw" is a read after a write. */
enum {
	ORL_ORDER_RAR = 1,
	ORL_ORDER_RAW = 2,
	ORL_ORDER_WAR = 4,
	ORL_ORDER_WAW = 8,
	ORL_ORDER_ALL = 15
};

/* -- memory that peers may read and write ---------------------------------- */

struct orl_mr {
	void *handle;
	uint64_t key;
	uint64_t base; /* what peers name the first byte by */
};

/* The key is random where the provider lets us choose it.  Neither of the two
 * needs the progress lock: a device may take long. */
int orl_mr_open(void *addr, size_t len, struct orl_mr *mr);
void orl_mr_close(struct orl_mr *mr);

/* -- posting --------------------------------------------------------------- */

/*
 * One read, write or send.  Whoever posts it provides it, sets done, and
 * leaves it alone until done has been called, once, by orl_fabric_poll (never
 * by the posting function): error is 0 or -errno.  done may free it and post
 * others.  An error means that the peer is lost, unless it is of the operation:
 * this could not be posted.  The other members belong to src/fabric.
 */
struct orl_fabric_op {
	void (*done)(struct orl_fabric_op *op, int error);
	struct orl_fabric_op *next;
	void *context[8]; /* libfabric's */
	/* Where local memory must be registered: what stands for buf, which
	 * the device is to see; */
	void *piece;
	void *mr;   /* or buf's registration, */
	void *copy; /* and what buf then is, if the program's is read-only */
	uint64_t peer;
	const void *buf;
	size_t len;
	uint64_t addr, key;
	int kind, error;
};

/* Says the error something of the operation, rather than of the peer? */
static inline bool orl_fabric_is_of_operation(int error)
{
	return error == -EFAULT || error == -ENOMEM || error == -EINVAL ||
	       error == -EACCES || error == -EMSGSIZE;
}

/*
 * Between local memory and a peer's registered memory, len > 0 and at most
 * transfer_most.  A write is done when the data are visible at the target, a
 * read when they are here.
 */
void orl_fabric_write(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		      uint64_t key, const void *src, size_t len);
void orl_fabric_read(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		     uint64_t key, void *dst, size_t len);

/*
 * A write that is done when src may be reused: a message that is sent after it
 * arrives when the data are visible, or never.  Any error loses the peer.
 */
void orl_fabric_write_ahead(struct orl_fabric_op *op, uint64_t peer,
			    uint64_t addr, uint64_t key, const void *src,
			    size_t len);

/*
 * A message of at most message_most bytes; those to one peer arrive in order.
 * Done when the buffer may be reused.
 */
void orl_fabric_send(struct orl_fabric_op *op, uint64_t peer,
		     const void *message, size_t len);

/*
 * The same for a message of at most inject_most bytes whose end nobody needs
 * to hear of: sent, or copied, at return.  False: it has to go by
 * orl_fabric_send, which finds out what is wrong, if anything.  That the peer
 * is lost may remain unnoticed.
 */
bool orl_fabric_inject(uint64_t peer, const void *message, size_t len);

/* -- atomics --------------------------------------------------------------- */

/* What is done to an element at the target. */
enum orl_fabric_verb {
	ORL_VERB_SUM,
	ORL_VERB_PROD,
	ORL_VERB_MAX,
	ORL_VERB_MIN,
	ORL_VERB_LAND,
	ORL_VERB_LOR,
	ORL_VERB_LXOR,
	ORL_VERB_BAND,
	ORL_VERB_BOR,
	ORL_VERB_BXOR,
	ORL_VERB_WRITE,
	ORL_VERB_READ, /* with a result alone */
	ORL_VERB_CSWAP,
	ORL_VERB_COUNT
};

/* Atomics are asked for when the fabric is opened: to be called before. */
void orl_fabric_want_atomics(void);

/* Elements that one atomic may have, with a result or without; 0: the provider
 * has no such atomic. */
size_t orl_fabric_atomic_most(enum orl_kind kind, enum orl_fabric_verb verb);

/*
 * One atomic on count elements in a row, as struct orl_fabric_op: done when
 * the target has been updated and the result is here.  All but op's members
 * is set by who posts it.
 */
struct orl_fabric_atomic {
	struct orl_fabric_op op; /* first */
	enum orl_fabric_verb verb;
	enum orl_kind kind;
	size_t count;	     /* at most orl_fabric_atomic_most */
	const void *operand; /* NULL for a READ */
	const void *compare; /* NULL but for a CSWAP */
	void *result;	     /* the values before, or NULL: not wanted */
};

void orl_fabric_atomic(struct orl_fabric_atomic *atomic, uint64_t peer,
		       uint64_t addr, uint64_t key);

/* -- progress -------------------------------------------------------------- */

/* Completions, messages, what was kept.  True if anything was done. */
bool orl_fabric_poll(void);

/*
 * What a thread may sleep on until one of them is ready, as their events say:
 * their number, at most ORL_FABRIC_FDS and most, or 0 where nothing tells for
 * now (then it has to poll now and then).  The list may lack a connection that
 * has just been made: no sleep may be longer than a second.
 */
#define ORL_FABRIC_FDS 160
int orl_fabric_fds(struct pollfd *fds, int most);
/* May it sleep now?  False: something is there, or kept; poll instead. */
bool orl_fabric_may_sleep(void);

/*
 * A descriptor for the same thread while it is to sleep through messages, since
 * others poll: ready when a peer has waited for an answer.  -1: there is none.
 * Without the lock, as is taking what has come.
 */
int orl_fabric_nudge_fd(void);
void orl_fabric_nudge_take(void);
/* Has the peer's be ready, if it has one. */
void orl_fabric_nudge(uint64_t peer);

#endif
