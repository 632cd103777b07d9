/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue.h - transfers to one target that wait to be carried out by one
 * system call.  A queue exists while something is in it; orl_target.queue
 * and what it points to are under the caller's lock.
 */
#ifndef ORL_QUEUE_H
#define ORL_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* From 64 pieces a call on, its fixed cost no longer shows. */
#define ORL_BATCH_PIECES 256

/* process_vm_readv or process_vm_writev. */
typedef ssize_t (*orl_vm_fn)(pid_t pid, const struct iovec *local,
			     unsigned long nlocal, const struct iovec *remote,
			     unsigned long nremote, unsigned long flags);

/*
 * The local bytes, one after the other, go to or come from the remote ones;
 * pieces need not match.  The kernel works in their order.
 */
struct orl_batch {
	uint32_t nlocal, nremote;
	size_t bytes;
	struct iovec local[ORL_BATCH_PIECES];
	struct iovec remote[ORL_BATCH_PIECES];
};

static inline void orl_batch_clear(struct orl_batch *batch)
{
	batch->nlocal = 0;
	batch->nremote = 0;
	batch->bytes = 0;
}

/* May one more transfer not fit? */
static inline bool orl_batch_is_full(const struct orl_batch *batch)
{
	return batch->nlocal == ORL_BATCH_PIECES ||
	       batch->nremote == ORL_BATCH_PIECES;
}

/* Adds a piece, or makes the last one longer where this continues it. */
static inline void orl_piece_add(struct iovec *pieces, uint32_t *n, void *addr,
				 size_t len)
{
	if (*n) {
		struct iovec *last = &pieces[*n - 1];

		if ((char *)last->iov_base + last->iov_len == addr) {
			last->iov_len += len;
			return;
		}
	}
	pieces[*n] = (struct iovec){ .iov_base = addr, .iov_len = len };
	++*n;
}

/* The batch must not be full. */
static inline void orl_batch_add(struct orl_batch *batch, uint64_t addr,
				 const void *buf, size_t len)
{
	orl_piece_add(batch->local, &batch->nlocal, (void *)(uintptr_t)buf,
		      len);
	orl_piece_add(batch->remote, &batch->nremote, (void *)(uintptr_t)addr,
		      len);
	batch->bytes += len;
}

/*
 * Transfers everything and clears the batch: 0 or -errno.  On an error what
 * follows the bad piece is dropped.
 */
int orl_batch_run(struct orl_batch *batch, orl_vm_fn fn, pid_t pid);

struct orl_target;

/* Add a transfer; some may run.  0 or -errno. */
int orl_queue_put(struct orl_target *target, uint64_t addr, const void *src,
		  size_t len);
int orl_queue_get(struct orl_target *target, uint64_t addr, void *dst,
		  size_t len);
/* Runs what refers to the user's memory. */
int orl_queue_finish(struct orl_target *target);
/* Runs everything. */
int orl_queue_flush(struct orl_target *target);
/* Drops what is left. */
void orl_queue_drop(struct orl_target *target);

#endif
