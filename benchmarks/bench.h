/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench.h - rmabench, a benchmark of MPI's one-sided functions.
 *
 * A plain MPI program of two ranks: rank 0, the origin, works on the window of
 * rank 1, the target.  A test combines an operation (op.c), the calls that
 * complete it (sync.c) and a way to measure (measure.c) on one kind of window
 * (window.c); the table of tests is in test.c.
 */
#ifndef BENCH_H
#define BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORIGIN = 0, TARGET = 1 };

/* In a burst of requests. */
enum { MOST_REQUESTS = 64 };

/* Exit status of a run whose data was wrong. */
enum { WRONG_DATA = 3 };

struct bench;

/* One communication call, and how to tell that it did what it should. */
struct op {
	MPI_Datatype type;
	size_t width; /* bytes of one element */
	/* Both ranks: set src, dst and the own window memory. */
	void (*fill)(struct bench *b);
	/* Origin: the j-th call of an epoch. */
	void (*issue)(struct bench *b, int j);
	/* Both ranks: is what lies on this rank right? */
	bool (*check)(const struct bench *b);
	bool whole; /* one call does all of an epoch */
};

/* Calls around the operations; any may be NULL. */
struct sync {
	const char *name;
	bool both; /* the target calls too */
	void (*open)(struct bench *b);
	void (*begin)(struct bench *b);
	void (*end)(struct bench *b);
	void (*close)(struct bench *b);
};

/* A kind of window: its memory, and the window on it. */
struct kind {
	const char *name;
	void (*memory)(struct bench *b); /* NULL: comes with the window */
	void (*open)(struct bench *b);
	void (*close)(struct bench *b);
	void (*release)(struct bench *b);
};

/* Microseconds of one operation, over the batches. */
struct result {
	double median;
	double p10;
	double p90;
};

struct test {
	const char *name;
	const char *help;
	const struct op *op;	 /* NULL: the synchronisation alone */
	const struct sync *sync; /* NULL: what -s says */
	size_t min, max;	 /* bytes of one operation; equal: fixed */
	int burst;   /* operations between two completions, at most, */
	size_t span; /* of so many bytes together */
	/* Where the j-th operation of a burst goes, from the window's base. */
	size_t (*place)(size_t size, int j);
	/* Collective; does n times what is measured, returns its seconds. */
	double (*run)(struct bench *b, int n);
	/* Collective; the result counts on the origin. */
	void (*measure)(struct bench *b, struct result *result);
};

struct options {
	size_t min, max; /* 0: the test's own */
	size_t factor;
	const struct sync *sync;
	int epochs; /* 0: as many as fill a batch's time */
	int batches;
	double sleep; /* seconds */
	bool compute;
	bool csv;
};

/* One test on one kind of window with one size, on one rank. */
struct bench {
	const struct options *opt;
	const struct test *test;
	const struct sync *sync;
	const struct kind *kind;
	int rank;
	MPI_Group peer; /* the other rank alone */
	size_t size;	/* bytes of one operation */
	int count;	/* elements of one operation */
	int burst;	/* operations between two completions */
	int64_t done;	/* operations issued so far; current on the origin */
	MPI_Win win;
	MPI_Datatype layout; /* of operations that are whole epochs */
	char *base;	     /* own window memory */
	size_t bytes;
	MPI_Aint *slot; /* displacement of the j-th operation of a burst */
	char *src;	/* what puts and accumulates send */
	char *dst;	/* where results arrive */
	MPI_Request
		request[MOST_REQUESTS]; /* of a burst, in tests of requests */
};

/* Offset of the j-th operation of a burst in the local buffers. */
static inline size_t bench_offset(const struct bench *b, int j)
{
	return (size_t)j * b->size;
}

/* What src and dst hold. */
static inline size_t bench_local_bytes(const struct bench *b)
{
	return b->size * (size_t)b->burst;
}

enum { MANY_TESTS = 64, MANY_KINDS = 8 };

/* What the user wants run; both lists end with NULL. */
struct selection {
	const struct test *tests[MANY_TESTS + 1];
	const struct kind *kinds[MANY_KINDS + 1];
};

/* options.c.  Collective; does not return from --help or from an error. */
void bench_read_options(int argc, char **argv, struct options *opt,
			struct selection *sel);

/* End the run, on all ranks, with a message. */
_Noreturn void bench_die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* measure.c */
double bench_now(void);
void bench_run_epoch(struct bench *b);
double bench_run_epochs(struct bench *b, int n);
double bench_run_create(struct bench *b, int n);
double bench_run_free(struct bench *b, int n);
void bench_measure_batches(struct bench *b, struct result *result);

/* Sorts n times, in seconds. */
void bench_sum_up(double *times, int n, struct result *result);

/* counter.c */
double bench_run_together(struct bench *b, int n);
double bench_run_atomic(struct bench *b, int n);

/* asleep.c */
void bench_measure_asleep(struct bench *b, struct result *result);

/* window.c: memory and window of b->bytes.  Collective. */
extern const struct kind *const bench_kinds[];
void bench_window_open(struct bench *b);
void bench_window_close(struct bench *b);

/* op.c */
extern const struct op bench_put, bench_put_many, bench_get, bench_acc,
	bench_acc_int, bench_acc_spread, bench_get_acc, bench_fop, bench_cas,
	bench_count, bench_put_vector, bench_get_vector, bench_rget, bench_rput,
	bench_isend;

/* sync.c */
extern const struct sync bench_lock_all, bench_lock, bench_lock_shared,
	bench_fence, bench_pscw, bench_each_lock_all, bench_waitall, bench_wait;
extern const struct sync *const bench_syncs[]; /* those -s can name */

/* test.c: ends with a test without name. */
extern const struct test bench_tests[];

#endif
