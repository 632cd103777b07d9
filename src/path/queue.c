/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue.c - the queues of src/path/cma.c.  Small puts are copied, so that
 * their sources are free at once and neighbours become one piece; all else
 * refers to the user's memory.  Puts keep their order among each other, gets
 * too; MPI asks for no order between them.  Queues that are empty go back to
 * a pool that all targets share, which has its own lock.
 */
#include "queue.h"

#include "orl_path.h"
#include "orl_type.h"
#include "orl_util.h"

#include <errno.h>
#include <stdlib.h>

#define STAGED_MOST 512 /* a longer put is not worth a copy */
#define STAGING	    ((size_t)64 << 10)
/* No call saves anything by growing beyond this. */
#define BYTES_MOST ((size_t)256 << 10)
#define POOL_MOST  16

struct orl_queue {
	struct orl_queue *next; /* in the pool */
	size_t staged;
	bool borrows; /* writes refer to the user's memory */
	struct orl_batch writes, reads;
	char staging[STAGING];
};

/* -- batches ---------------------------------------------------------------*/

struct pieces {
	struct iovec *first;
	unsigned long n;
};

static void advance(struct pieces *pieces, size_t done)
{
	while (pieces->n && done >= pieces->first->iov_len) {
		done -= pieces->first->iov_len;
		pieces->first++;
		pieces->n--;
	}
	if (done) {
		pieces->first->iov_base =
			(char *)pieces->first->iov_base + done;
		pieces->first->iov_len -= done;
	}
}

/*
 * A call moves 2 GiB at most and stops early at a bad page; asked for the
 * rest, it tells the error.
 */
int orl_batch_run(struct orl_batch *batch, orl_vm_fn fn, pid_t pid)
{
	struct pieces local = { batch->local, batch->nlocal };
	struct pieces remote = { batch->remote, batch->nremote };
	size_t left = batch->bytes;
	int rc = 0;

	while (left) {
		ssize_t n = fn(pid, local.first, local.n, remote.first,
			       remote.n, 0);

		if (orl_unlikely(n <= 0)) {
			rc = n ? -errno : -EFAULT;
			break;
		}
		left -= (size_t)n;
		if (orl_likely(!left))
			break;
		advance(&local, (size_t)n);
		advance(&remote, (size_t)n);
	}
	orl_batch_clear(batch);
	return rc;
}

/* -- the pool --------------------------------------------------------------*/

static struct {
	pthread_mutex_t lock;
	struct orl_queue *first;
	unsigned n;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static ORL_COLD struct orl_queue *make_queue(void)
{
	struct orl_queue *queue = malloc(sizeof(*queue));

	if (!queue)
		return NULL;
	queue->staged = 0;
	queue->borrows = false;
	orl_batch_clear(&queue->writes);
	orl_batch_clear(&queue->reads);
	return queue;
}

static struct orl_queue *pool_take(void)
{
	struct orl_queue *queue;

	orl_lock(&pool.lock);
	queue = pool.first;
	if (queue) {
		pool.first = queue->next;
		pool.n--;
	}
	orl_unlock(&pool.lock);
	return orl_likely(queue != NULL) ? queue : make_queue();
}

static void pool_give(struct orl_queue *queue)
{
	bool kept;

	orl_lock(&pool.lock);
	kept = pool.n < POOL_MOST;
	if (kept) {
		queue->next = pool.first;
		pool.first = queue;
		pool.n++;
	}
	orl_unlock(&pool.lock);
	if (!kept)
		free(queue);
}

/* -- one target's queue ----------------------------------------------------*/

static int run_writes(struct orl_queue *queue, pid_t pid)
{
	queue->staged = 0;
	queue->borrows = false;
	return orl_batch_run(&queue->writes, process_vm_writev, pid);
}

static int run_reads(struct orl_queue *queue, pid_t pid)
{
	return orl_batch_run(&queue->reads, process_vm_readv, pid);
}

static struct orl_queue *queue_of(struct orl_target *target)
{
	struct orl_queue *queue = target->queue;

	if (queue)
		return queue;
	queue = pool_take();
	/* Whether it is there is asked without the lock, too. */
	__atomic_store_n(&target->queue, queue, __ATOMIC_RELAXED);
	return queue;
}

static void put_back(struct orl_target *target)
{
	pool_give(target->queue);
	__atomic_store_n(&target->queue, NULL, __ATOMIC_RELAXED);
}

static bool has_room(const struct orl_queue *queue, size_t len)
{
	return !orl_batch_is_full(&queue->writes) &&
	       (len > STAGED_MOST || queue->staged + len <= STAGING);
}

static const void *stage(struct orl_queue *queue, const void *src, size_t len)
{
	char *copy = queue->staging + queue->staged;

	orl_copy(copy, src, len);
	queue->staged += len;
	return copy;
}

int orl_queue_put(struct orl_target *target, uint64_t addr, const void *src,
		  size_t len)
{
	struct orl_queue *queue = queue_of(target);
	int rc = 0;

	if (orl_unlikely(!queue))
		return -ENOMEM;
	if (orl_unlikely(!has_room(queue, len)))
		rc = run_writes(queue, target->pid);
	if (orl_unlikely(rc))
		return rc;
	if (len <= STAGED_MOST)
		src = stage(queue, src, len);
	else
		queue->borrows = true;
	orl_batch_add(&queue->writes, addr, src, len);
	if (queue->writes.bytes >= BYTES_MOST)
		return run_writes(queue, target->pid);
	return 0;
}

int orl_queue_get(struct orl_target *target, uint64_t addr, void *dst,
		  size_t len)
{
	struct orl_queue *queue = queue_of(target);
	int rc = 0;

	if (orl_unlikely(!queue))
		return -ENOMEM;
	if (orl_unlikely(orl_batch_is_full(&queue->reads)))
		rc = run_reads(queue, target->pid);
	if (orl_unlikely(rc))
		return rc;
	orl_batch_add(&queue->reads, addr, dst, len);
	if (queue->reads.bytes >= BYTES_MOST)
		return run_reads(queue, target->pid);
	return 0;
}

int orl_queue_finish(struct orl_target *target)
{
	struct orl_queue *queue = target->queue;
	int rc = 0, err;

	if (!queue)
		return 0;
	if (queue->borrows)
		rc = run_writes(queue, target->pid);
	err = run_reads(queue, target->pid);
	if (!queue->writes.bytes)
		put_back(target);
	return rc ? rc : err;
}

int orl_queue_flush(struct orl_target *target)
{
	struct orl_queue *queue = target->queue;
	int rc, err;

	if (!queue)
		return 0;
	rc = run_writes(queue, target->pid);
	err = run_reads(queue, target->pid);
	put_back(target);
	return rc ? rc : err;
}

void orl_queue_drop(struct orl_target *target)
{
	struct orl_queue *queue = target->queue;

	if (!queue)
		return;
	queue->staged = 0;
	queue->borrows = false;
	orl_batch_clear(&queue->writes);
	orl_batch_clear(&queue->reads);
	put_back(target);
}
