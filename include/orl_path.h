/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_path.h - how bytes reach a target.  Addresses are the owner's virtual
 * addresses, in every window flavor.  Ranges and epochs have been checked;
 * functions return 0 or -errno.
 */
#ifndef ORL_PATH_H
#define ORL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orl_am.h"

struct orl_gate;
struct orl_path;
struct orl_queue;

/*
 * What one origin knows of one target of one window: private to the origin,
 * one cache line.  path to pid are constant after creation; queue belongs
 * to src/path, link, access and held to win.
 */
struct orl_target {
	const struct orl_path *path; /* of the window's memory; dynamic
				      * windows choose by region */
	struct orl_gate *gate;	     /* in the target's control block; NULL
				      * where that is not mapped here */
	uint64_t base;		     /* of the window; 0 if dynamic */
	uint64_t size;		     /* bytes */
	ptrdiff_t delta;	     /* our address minus the owner's */
	union {
		struct orl_queue *queue; /* transfers not yet issued, or NULL */
		struct orl_link *link;	 /* of a remote target: from its first
					* access on, else NULL */
	};
	uint32_t disp_unit;
	int32_t pid;
	uint16_t slot;	/* of this origin in the gate */
	uint8_t access; /* an access epoch to this target is open */
	uint8_t held;	/* enum orl_held of win/win.h */
	uint32_t rank;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct orl_target) == 64, "one cache line a target");

/* Where the target's elements are: checked, and inside the window. */
struct orl_place {
	struct orl_target *target;
	const struct orl_path *path;
	uint64_t addr; /* the owner's address of the target buffer */
};

/* A range of the owner's memory. */
struct orl_block {
	uint64_t addr;
	size_t len;
};

/* n blocks of len bytes, n and len > 0: each stride from the one before at
 * the owner, buf_stride in the local buffer. */
struct orl_vector {
	uint64_t addr;
	ptrdiff_t stride;
	char *buf; /* of a put, only read */
	ptrdiff_t buf_stride;
	size_t len, n;
};

struct orl_path {
	const char *name;
	bool mapped; /* addr + delta can be dereferenced */
	bool native; /* and every origin does so: CPU atomics are atomic */
	bool remote; /* the owner executes what is more than moving bytes;
		      * load and store are not to be called */
	/*
	 * Start one contiguous transfer, len > 0.  The local buffer must
	 * stay as it is until finish or flush.
	 */
	int (*put)(struct orl_target *target, uint64_t addr, const void *src,
		   size_t len);
	int (*get)(struct orl_target *target, uint64_t addr, void *dst,
		   size_t len);
	/* The same for many blocks at once; NULL where nothing is gained. */
	int (*put_vector)(struct orl_target *target,
			  const struct orl_vector *vector);
	int (*get_vector)(struct orl_target *target,
			  const struct orl_vector *vector);
	/* On return local buffers of all transfers may be reused. */
	int (*finish)(struct orl_target *target);
	/* On return all transfers are complete at both ends. */
	int (*flush)(struct orl_target *target);
	/* At once, from or to one buffer that holds the blocks in order. */
	int (*load)(struct orl_target *target, const struct orl_block *blocks,
		    size_t n, void *buf);
	int (*store)(struct orl_target *target, const struct orl_block *blocks,
		     size_t n, const void *buf);
};

/* Block by block, by a path's put or get. */
static inline int orl_path_put_each(int (*put)(struct orl_target *target,
					       uint64_t addr, const void *src,
					       size_t len),
				    struct orl_target *target,
				    const struct orl_vector *v)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < v->n && !rc; i++)
		rc = put(target, v->addr + i * (uint64_t)v->stride,
			 v->buf + (ptrdiff_t)i * v->buf_stride, v->len);
	return rc;
}

static inline int orl_path_get_each(int (*get)(struct orl_target *target,
					       uint64_t addr, void *dst,
					       size_t len),
				    struct orl_target *target,
				    const struct orl_vector *v)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < v->n && !rc; i++)
		rc = get(target, v->addr + i * (uint64_t)v->stride,
			 v->buf + (ptrdiff_t)i * v->buf_stride, v->len);
	return rc;
}

extern const struct orl_path orl_path_direct; /* mapped memory: load, store */
extern const struct orl_path orl_path_self;   /* our own, others use cma */
extern const struct orl_path orl_path_cma;    /* process_vm_readv, writev */

/* Another node: large transfers by the network's reads and writes, others,
 * or all, as records that the owner executes. */
extern const struct orl_path orl_path_fabric;
extern const struct orl_path orl_path_software;

/* Frees what src/path keeps for the target; nothing may be outstanding. */
void orl_path_release(struct orl_target *target);

/* -- remote targets: what the modules below need beside ------------------- */

/*
 * Where a range of the receiving rank's window is, for a record that came
 * from elsewhere: off counts from the window's base, or from address 0 if the
 * window is dynamic.  The place's path is mapped.  0, or an MPI error class.
 * len may be 0.
 */
typedef int (*orl_path_find_fn)(const struct orl_am_source *source,
				uint64_t off, uint64_t len,
				struct orl_place *place);

/* Installs the handlers by which this rank serves others, and what they ask
 * for places.  Once, before the first message. */
void orl_path_serve(orl_path_find_fn find);
int orl_path_find(const struct orl_am_source *source, uint64_t off,
		  uint64_t len, struct orl_place *place);

/* -- dynamic windows: keys of their regions, keys.c ------------------------ */

/* A region of the owner's, as it tells an origin; off as in records. */
struct orl_key {
	uint64_t off, len; /* len 0: nothing is attached there */
	uint64_t key;	   /* ORL_NO_KEY: it is not registered */
	uint64_t base;	   /* what the network names its first byte by */
};

/* Is a region of this length worth a registration? */
bool orl_path_wants_key(uint64_t len);
/* The region that holds off, for the source, which is noted as one that knows
 * it: 0 or an MPI error class.  Run by a handler. */
typedef int (*orl_path_key_fn)(const struct orl_am_source *source, uint64_t off,
			       struct orl_key *key);
/* This process's link to the rank that a record is from, or NULL. */
typedef struct orl_link *(*orl_path_link_fn)(
	const struct orl_am_source *source);
/* Once, before the first message. */
void orl_path_serve_keys(orl_path_key_fn key, orl_path_link_fn link);
/* Has the other end forget the region that begins at off; orl_am_flush waits
 * until it has.  The link is for nothing else: here none waits behind a lock.
 * 0 or -errno.  Progress lock held, may be released meanwhile. */
int orl_path_forget_key(struct orl_link *link, uint64_t off);

/* -- after reads and writes, after.c --------------------------------------- */

/* The caller's, until it runs. */
struct orl_after {
	/* Progress lock held, must not wait; may free it. */
	void (*run)(struct orl_link *link, struct orl_after *after);
	struct orl_after *next;
	uint32_t begun; /* those before this one are waited for: */
	uint32_t left;	/* so many are still under way */
};

/*
 * Has after->run called when the reads and writes that are under way now have
 * ended, well or not: at once if there are none.  In the order of these calls.
 * It may find the peer lost.  Progress lock held.
 */
void orl_path_after(struct orl_link *link, struct orl_after *after);
/* The number-th has ended.  Progress lock held. */
void orl_path_ended(struct orl_link *link, uint32_t number);
/* Has all run that still wait: of a lost peer, not all may ever end.  Progress
 * lock held. */
void orl_path_drop_afters(struct orl_link *link);
/* Waits until nothing waits. */
void orl_path_settle_afters(struct orl_link *link);

/* -- records and locks ----------------------------------------------------- */

/*
 * orl_am_record, for records that need access to the target: what is sent
 * to make room does not run ahead of the lock.  NULL if the peer is lost.
 * Progress lock held, may be released meanwhile.
 */
void *orl_path_record(struct orl_link *link, int type, size_t bytes);
/* What is to be returned after that: -errno or an MPI error class. */
int orl_path_lost(const struct orl_link *link);
/* The same as path->finish if so many answers are awaited that no more should
 * be asked for.  Progress lock held, may be released meanwhile. */
int orl_path_bound_answers(struct orl_link *link);
/* The same at once. */
int orl_path_await_answers(struct orl_link *link);

/* The owner's offset of an address in the target's window. */
static inline uint64_t orl_path_off(const struct orl_target *target,
				    uint64_t addr)
{
	return addr - target->base;
}

/* ORL_AM_LOCK; head.a is the mode.  slot 0: nobody waits for the grant. */
struct orl_record_lock {
	struct orl_record head;
	uint32_t slot;
	uint32_t idle; /* us since the origin gave the lock back, modulo 2^32 */
};
/* ORL_AM_UNLOCK; slot 0: nobody waits for the end. */
struct orl_record_unlock {
	struct orl_record head;
	uint32_t slot;
	uint32_t pad;
};

/*
 * The target's lock, taken lazily: the request is the first record of the
 * link's message, and travels with the operations that follow it, and with
 * the unlock, in one.  mode is win's.  All three take the progress lock.
 */
int orl_path_lock(struct orl_link *link, uint8_t mode);
/*
 * Asks for the locks that the calling thread has taken lazily and nothing has
 * asked for yet, and waits for them: before a thread takes another lock, or
 * it would take them in another order than the program says, which others may
 * rely on.  0 or an error.  A load if there are none.
 */
int orl_path_settle(void);
/* Before a transfer that does not keep its order with messages: locks are
 * waited for, and what was only told.  0 or an error.  Progress lock held, may
 * be released meanwhile. */
int orl_path_order(struct orl_link *link);
/* Before the link is closed.  Progress lock held. */
void orl_path_forget(struct orl_link *link);

/* -- how what was written into a link leaves ------------------------------- */

/*
 * Of src/am's functions these also see to the lazy lock that is in the message
 * and, but for the first, to the put or get that is alone there:
 *
 *	orl_path_send		orl_am_send: waits for credit
 *	orl_path_push		orl_am_push: does not
 *	orl_path_hurry		the same, unless an answer is to come
 *	orl_path_flush_begin	orl_am_flush_begin: asks for the end of all
 *	path->flush		orl_am_flush: and waits, until all is complete
 *	path->finish		orl_am_finish: sends, waits for answers and ends
 *				of transfers, until it is so here
 */
/* orl_am_send; a lock that goes with it is asked for.  Progress lock held. */
void orl_path_send(struct orl_link *link);
/* The same without waiting, not even for credit.  Progress lock held. */
void orl_path_push(struct orl_link *link);
/*
 * For who wants an answer soon, but may have more to send: orl_path_push,
 * unless an earlier answer is awaited, at which the caller asks again, or
 * the message is to take a lock with it.  Progress lock held.
 */
void orl_path_hurry(struct orl_link *link);
/* What path->flush does before it waits: for many links at once.  Progress
 * lock held. */
void orl_path_flush_begin(struct orl_link *link);
/*
 * The same; what of the link is under way counts in the tally of the scope
 * that the calling thread has open: 0, or the link's error, cleared.  Progress
 * lock held.
 */
int orl_path_flush_counted(struct orl_link *link);
/* Writes and sends the unlock; path->flush waits for it and all before it. */
int orl_path_unlock(struct orl_link *link, uint8_t mode);

#endif
