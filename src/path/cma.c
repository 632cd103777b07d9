/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cma.c - the target is a process of the node whose memory is not mapped
 * here: process_vm_readv and process_vm_writev, without the target's help.
 * One of a few locks, chosen by the target, guards its queue where there are
 * threads; it is held during the system calls that empty the queue.
 */
#include "orl_path.h"

#include "orl_util.h"
#include "queue.h"

static pthread_mutex_t locks[16] = {
	[0 ... 15] = PTHREAD_MUTEX_INITIALIZER,
};

static pthread_mutex_t *lock_of(const struct orl_target *target)
{
	return &locks[(uintptr_t)target / sizeof(*target) % 16];
}

static int cma_put(struct orl_target *target, uint64_t addr, const void *src,
		   size_t len)
{
	int rc;

	orl_lock(lock_of(target));
	rc = orl_queue_put(target, addr, src, len);
	orl_unlock(lock_of(target));
	return rc;
}

static int cma_get(struct orl_target *target, uint64_t addr, void *dst,
		   size_t len)
{
	int rc;

	orl_lock(lock_of(target));
	rc = orl_queue_get(target, addr, dst, len);
	orl_unlock(lock_of(target));
	return rc;
}

static int cma_finish(struct orl_target *target)
{
	int rc;

	orl_lock(lock_of(target));
	rc = orl_queue_finish(target);
	orl_unlock(lock_of(target));
	return rc;
}

static int cma_flush(struct orl_target *target)
{
	int rc;

	orl_lock(lock_of(target));
	rc = orl_queue_flush(target);
	orl_unlock(lock_of(target));
	return rc;
}

/* All blocks, in order, against one local buffer. */
static int move_blocks(const struct orl_target *target,
		       const struct orl_block *blocks, size_t n,
		       const void *buf, orl_vm_fn fn)
{
	struct orl_batch batch;
	const char *local = buf;

	orl_batch_clear(&batch);
	for (size_t i = 0; i < n; i++) {
		if (orl_unlikely(orl_batch_is_full(&batch))) {
			int rc = orl_batch_run(&batch, fn, target->pid);

			if (rc)
				return rc;
		}
		orl_batch_add(&batch, blocks[i].addr, local, blocks[i].len);
		local += blocks[i].len;
	}
	return orl_batch_run(&batch, fn, target->pid);
}

static int cma_load(struct orl_target *target, const struct orl_block *blocks,
		    size_t n, void *buf)
{
	return move_blocks(target, blocks, n, buf, process_vm_readv);
}

static int cma_store(struct orl_target *target, const struct orl_block *blocks,
		     size_t n, const void *buf)
{
	return move_blocks(target, blocks, n, buf, process_vm_writev);
}

const struct orl_path orl_path_cma = {
	.name = "cma",
	.mapped = false,
	.native = false,
	.put = cma_put,
	.get = cma_get,
	.finish = cma_finish,
	.flush = cma_flush,
	.load = cma_load,
	.store = cma_store,
};

void orl_path_release(struct orl_target *target)
{
	orl_lock(lock_of(target));
	orl_queue_drop(target);
	orl_unlock(lock_of(target));
}
