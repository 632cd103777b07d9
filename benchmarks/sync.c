/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c - the calls that open epochs and complete operations. */
#include "bench.h"

/* gcc takes MPICH's MPI_STATUSES_IGNORE, which is 1, for an array too short. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

static void lock_all(struct bench *b)
{
	MPI_Win_lock_all(0, b->win);
}

static void flush(struct bench *b)
{
	MPI_Win_flush(TARGET, b->win);
}

static void wait_one(struct bench *b)
{
	MPI_Wait(&b->request[0], MPI_STATUS_IGNORE);
}

static void waitall(struct bench *b)
{
	MPI_Waitall(b->burst, b->request, MPI_STATUSES_IGNORE);
}

static void unlock_all(struct bench *b)
{
	MPI_Win_unlock_all(b->win);
}

static void lock_exclusive(struct bench *b)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, b->win);
}

static void lock_shared(struct bench *b)
{
	MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, b->win);
}

static void unlock(struct bench *b)
{
	MPI_Win_unlock(TARGET, b->win);
}

static void fence(struct bench *b)
{
	MPI_Win_fence(0, b->win);
}

static void fence_last(struct bench *b)
{
	MPI_Win_fence(MPI_MODE_NOSUCCEED, b->win);
}

static void post_or_start(struct bench *b)
{
	if (b->rank == TARGET)
		MPI_Win_post(b->peer, 0, b->win);
	else
		MPI_Win_start(b->peer, 0, b->win);
}

static void wait_or_complete(struct bench *b)
{
	if (b->rank == TARGET)
		MPI_Win_wait(b->win);
	else
		MPI_Win_complete(b->win);
}

const struct sync bench_lock_all = {
	"lock_all", false, lock_all, NULL, flush, unlock_all,
};
const struct sync bench_lock = {
	"lock", false, NULL, lock_exclusive, unlock, NULL,
};
const struct sync bench_lock_shared = {
	"lock_shared", false, NULL, lock_shared, unlock, NULL,
};
const struct sync bench_fence = {
	"fence", true, fence, NULL, fence, fence_last,
};
const struct sync bench_pscw = {
	"pscw", true, NULL, post_or_start, wait_or_complete, NULL,
};
const struct sync bench_each_lock_all = {
	"lock_all", false, NULL, lock_all, unlock_all, NULL,
};

const struct sync bench_waitall = {
	"waitall", false, lock_all, NULL, waitall, unlock_all,
};
const struct sync bench_wait = {
	"wait", false, lock_all, NULL, wait_one, unlock_all,
};

const struct sync *const bench_syncs[] = {
	&bench_lock_all, &bench_lock, &bench_lock_shared,
	&bench_fence,	 &bench_pscw, NULL,
};
