/* SPDX-License-Identifier: BSD-3-Clause */
/* test.c - the table of tests. */
#include "bench.h"

#define WINDOW	  MOST_REQUESTS /* messages under way in a bandwidth test */
#define RATE	  1000 /* messages between two flushes in a rate test */
#define SCATTER	  8200 /* two pages and eight bytes: no two in one cache set */
#define BIGGEST	  ((size_t)4 << 20)
#define LARGE	  ((size_t)64 << 10)
#define NEW_BYTES 4096
#define SPAN	  ((size_t)16 << 20) /* bytes of an epoch, at most */

static size_t at_base(size_t size, int j)
{
	return 0;
}

/* Behind as many bytes again: the holes. */
static size_t spread_out(size_t size, int j)
{
	return size;
}

static size_t neighbouring(size_t size, int j)
{
	return (size_t)j * size;
}

/* As many bytes between two as in each. */
static size_t strided(size_t size, int j)
{
	return 2 * (size_t)j * size;
}

/* In an order that no prefetcher follows; 617 and 1000 have no divisor. */
static size_t scattered(size_t size, int j)
{
	return (size_t)(j * 617 % RATE) * SCATTER;
}

#define ONE 8, 8, 1, SPAN, at_base, bench_run_epochs, bench_measure_batches
#define RANGE                                                                  \
	8, LARGE, 1, SPAN, at_base, bench_run_epochs, bench_measure_batches
#define TOGETHER(run) 8, 8, 1, SPAN, at_base, run, bench_measure_batches
#define STREAM                                                                 \
	8, BIGGEST, WINDOW, SPAN, neighbouring, bench_run_epochs,              \
		bench_measure_batches
#define MESSAGES(place)                                                        \
	8, 8, RATE, SPAN, place, bench_run_epochs, bench_measure_batches
#define STRIDED                                                                \
	8, LARGE / 8, LARGE / 8, LARGE, strided, bench_run_epochs,             \
		bench_measure_batches
#define ASLEEP 8, 8, 1, SPAN, at_base, bench_run_epochs, bench_measure_asleep
#define NEW(run)                                                               \
	NEW_BYTES, NEW_BYTES, 1, SPAN, at_base, run, bench_measure_batches

const struct test bench_tests[] = {
	{ "put", "a put and its completion", &bench_put, NULL, RANGE },
	{ "get", "a get and its completion", &bench_get, NULL, RANGE },
	{ "acc", "accumulate, sum of doubles", &bench_acc, NULL, RANGE },
	{ "acc_int", "accumulate, sum of ints", &bench_acc_int, NULL, RANGE },
	{ "acc_spread", "accumulate to every other double", &bench_acc_spread,
	  NULL, 8, LARGE, 1, SPAN, spread_out, bench_run_epochs,
	  bench_measure_batches },
	{ "get_acc", "get_accumulate, sum of doubles", &bench_get_acc, NULL,
	  RANGE },
	{ "fop", "fetch_and_op, sum of int64", &bench_fop, NULL, ONE },
	{ "cas", "compare_and_swap of int64, each succeeds", &bench_cas, NULL,
	  ONE },

	{ "counter", "fetch_and_op of both ranks on one word, with a flush",
	  &bench_count, &bench_lock_all, TOGETHER(bench_run_together) },
	{ "counter_cpu", "the CPU's atomic of both ranks, without MPI", NULL,
	  &bench_lock_all, TOGETHER(bench_run_atomic) },

	{ "put_bw", "64 puts and one completion, for one", &bench_put_many,
	  NULL, STREAM },
	{ "get_bw", "64 gets and one completion, for one", &bench_get, NULL,
	  STREAM },
	{ "rget", "64 Rgets and one Waitall, for one", &bench_rget,
	  &bench_waitall, STREAM },
	{ "rput", "a Rput and its Wait", &bench_rput, &bench_wait, ONE },
	{ "isend", "an Isend to MPI_PROC_NULL and its Wait", &bench_isend,
	  &bench_wait, ONE },
	{ "rate_near", "1000 neighbouring puts and one completion, for one",
	  &bench_put_many, NULL, MESSAGES(neighbouring) },
	{ "rate_far", "1000 puts scattered over 8 MB, for one", &bench_put_many,
	  NULL, MESSAGES(scattered) },
	{ "acc_rate", "1000 sums of a double at one place, for one", &bench_acc,
	  NULL, MESSAGES(at_base) },

	{ "put_vector", "a put of 64 KiB to a vector of blocks, for one block",
	  &bench_put_vector, NULL, STRIDED },
	{ "get_vector", "the same of a get", &bench_get_vector, NULL, STRIDED },

	{ "fence", "a fence without operations", NULL, &bench_fence, ONE },
	{ "fence_put", "a put and a fence", &bench_put, &bench_fence, ONE },
	{ "pscw", "start, put, complete against post, wait", &bench_put,
	  &bench_pscw, ONE },
	{ "lock_excl", "lock exclusively, put, unlock", &bench_put, &bench_lock,
	  ONE },
	{ "lock_shared", "lock shared, put, unlock", &bench_put,
	  &bench_lock_shared, ONE },
	{ "lock", "lock exclusively and unlock, without operations", NULL,
	  &bench_lock, ONE },
	{ "lock_all", "lock_all and unlock_all without operations", NULL,
	  &bench_each_lock_all, ONE },
	{ "lock_all_put", "lock_all, put, unlock_all", &bench_put,
	  &bench_each_lock_all, ONE },
	{ "flush", "a flush with nothing to complete", NULL, &bench_lock_all,
	  ONE },
	{ "put_flush", "a put and a flush", &bench_put, &bench_lock_all, ONE },

	{ "new", "creating a window, without its memory if that is apart",
	  &bench_put, &bench_lock, NEW(bench_run_create) },
	{ "free", "freeing a window", &bench_put, &bench_lock,
	  NEW(bench_run_free) },

	{ "asleep_put", "lock, put, unlock while the target sleeps", &bench_put,
	  &bench_lock, ASLEEP },
	{ "asleep_get", "lock, get, unlock while the target sleeps", &bench_get,
	  &bench_lock, ASLEEP },
	{ "asleep_acc", "lock, accumulate, unlock while the target sleeps",
	  &bench_acc, &bench_lock, ASLEEP },
	{ "asleep_fop", "lock, fetch_and_op, unlock while the target sleeps",
	  &bench_fop, &bench_lock, ASLEEP },

	{ .name = NULL },
};
