/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * op.c - the communication calls, and how each one's work is checked.
 *
 * Both ranks fill src alike, so either knows what must have moved.  Sums add
 * ones to zeros: after `done` operations every element is `done`, and the last
 * result fetched is one less; a lost or doubled update shows.  Values stay far
 * below 2^31, so double, int and int64_t all hold them exactly.
 */
#include "bench.h"

#include <string.h>

/* A put of this size or more carries its number. */
#define STAMP sizeof(int64_t)

/* -- filling and checking ---------------------------------------------- */

static char *own_slot(const struct bench *b, int j)
{
	return b->base + b->test->place(b->size, j);
}

static void fill_pattern(struct bench *b)
{
	for (size_t i = 0; i < bench_local_bytes(b); i++)
		b->src[i] = (char)(i * 31 + i / 251 + b->size);
}

static void fill_put(struct bench *b)
{
	fill_pattern(b);
	memset(b->base, 0, b->bytes);
}

static void fill_get(struct bench *b)
{
	fill_pattern(b);
	for (int j = 0; j < b->burst; j++)
		memcpy(own_slot(b, j), b->src + bench_offset(b, j), b->size);
	memset(b->dst, 0, bench_local_bytes(b));
}

static bool check_put_many(const struct bench *b)
{
	if (b->rank != TARGET)
		return true;
	for (int j = 0; j < b->burst; j++)
		if (memcmp(own_slot(b, j), b->src + bench_offset(b, j),
			   b->size))
			return false;
	return true;
}

/* The last put's number must have arrived with it. */
static bool check_put(const struct bench *b)
{
	int64_t last = b->done - 1;

	if (b->size >= STAMP)
		memcpy(b->src, &last, STAMP);
	return check_put_many(b);
}

/* Of no one else's memory. */
static bool check_nothing(const struct bench *b)
{
	return b->request[0] == MPI_REQUEST_NULL || b->rank != ORIGIN;
}

static bool check_get(const struct bench *b)
{
	return b->rank != ORIGIN ||
	       !memcmp(b->dst, b->src, bench_local_bytes(b));
}

/* Every second block of the window, one after the other in src and dst. */
static void make_layout(struct bench *b)
{
	MPI_Type_vector(b->burst, b->count, 2 * b->count, MPI_BYTE, &b->layout);
	MPI_Type_commit(&b->layout);
}

static void fill_put_vector(struct bench *b)
{
	make_layout(b);
	fill_put(b);
}

static void fill_get_vector(struct bench *b)
{
	make_layout(b);
	fill_get(b);
}

static int64_t load_double(const char *at)
{
	double value;

	memcpy(&value, at, sizeof(value));
	return (int64_t)value;
}

static int64_t load_int(const char *at)
{
	int value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static int64_t load_int64(const char *at)
{
	int64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Is every element at the address `value`? */
static bool elements_are(const struct bench *b, const char *at, int64_t value)
{
	MPI_Datatype type = b->test->op->type;
	int64_t (*load)(const char *) = type == MPI_DOUBLE ? load_double
					: type == MPI_INT  ? load_int
							   : load_int64;

	for (int i = 0; i < b->count; i++)
		if (load(at + (size_t)i * b->test->op->width) != value)
			return false;
	return true;
}

static void fill_ones(struct bench *b)
{
	const double one_double = 1;
	const int64_t one_int64 = 1;
	const int one_int = 1;
	MPI_Datatype type = b->test->op->type;
	size_t width = b->test->op->width;
	const void *one = type == MPI_DOUBLE ? (const void *)&one_double
			  : type == MPI_INT  ? (const void *)&one_int
					     : (const void *)&one_int64;

	for (int i = 0; i < b->count; i++)
		memcpy(b->src + (size_t)i * width, one, width);
	memset(b->dst, 0, b->size);
	memset(b->base, 0, b->bytes);
}

static bool check_sum(const struct bench *b)
{
	return b->rank != TARGET || elements_are(b, b->base, b->done);
}

/* One element in two belongs to the target's type. */
static MPI_Datatype spread;

static void fill_spread(struct bench *b)
{
	fill_ones(b);
	MPI_Type_vector(b->count, 1, 2, MPI_DOUBLE, &spread);
	MPI_Type_commit(&spread);
}

static bool check_spread(const struct bench *b)
{
	MPI_Type_free(&spread);
	for (int i = 0; i < b->count && b->rank == TARGET; i++)
		if (load_double(b->base + (size_t)i * 2 * sizeof(double)) !=
			    b->done ||
		    load_double(b->base + (size_t)(i * 2 + 1) * sizeof(double)))
			return false;
	return true;
}

/* Both ranks have counted alike, but for the origin's last one alone. */
static bool check_count(const struct bench *b)
{
	return b->rank != TARGET || load_int64(b->base) == 2 * b->done - 1;
}

static bool check_fetched(const struct bench *b)
{
	if (b->rank == ORIGIN)
		return elements_are(b, b->dst, b->done - 1);
	return check_sum(b);
}

/* -- calls ------------------------------------------------------------- */

static void issue_put_many(struct bench *b, int j)
{
	MPI_Put(b->src + bench_offset(b, j), b->count, MPI_BYTE, TARGET,
		b->slot[j], b->count, MPI_BYTE, b->win);
}

/* Only where one put is under way at a time: it writes to src. */
static void issue_put(struct bench *b, int j)
{
	if (b->size >= STAMP)
		memcpy(b->src, &b->done, STAMP);
	MPI_Put(b->src, b->count, MPI_BYTE, TARGET, b->slot[0], b->count,
		MPI_BYTE, b->win);
}

static void issue_get(struct bench *b, int j)
{
	MPI_Get(b->dst + bench_offset(b, j), b->count, MPI_BYTE, TARGET,
		b->slot[j], b->count, MPI_BYTE, b->win);
}

static void issue_rget(struct bench *b, int j)
{
	MPI_Rget(b->dst + bench_offset(b, j), b->count, MPI_BYTE, TARGET,
		 b->slot[j], b->count, MPI_BYTE, b->win, &b->request[j]);
}

/* Like issue_put. */
static void issue_rput(struct bench *b, int j)
{
	if (b->size >= STAMP)
		memcpy(b->src, &b->done, STAMP);
	MPI_Rput(b->src, b->count, MPI_BYTE, TARGET, b->slot[0], b->count,
		 MPI_BYTE, b->win, &b->request[0]);
}

/* A request of the host's that costs nothing but itself. */
static void issue_isend(struct bench *b, int j)
{
	MPI_Isend(b->src, b->count, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
		  &b->request[0]);
}

static void issue_put_vector(struct bench *b, int j)
{
	MPI_Put(b->src, b->burst * b->count, MPI_BYTE, TARGET, b->slot[0], 1,
		b->layout, b->win);
}

static void issue_get_vector(struct bench *b, int j)
{
	MPI_Get(b->dst, b->burst * b->count, MPI_BYTE, TARGET, b->slot[0], 1,
		b->layout, b->win);
}

static void issue_acc(struct bench *b, int j)
{
	MPI_Accumulate(b->src, b->count, MPI_DOUBLE, TARGET, b->slot[0],
		       b->count, MPI_DOUBLE, MPI_SUM, b->win);
}

static void issue_acc_int(struct bench *b, int j)
{
	MPI_Accumulate(b->src, b->count, MPI_INT, TARGET, b->slot[0], b->count,
		       MPI_INT, MPI_SUM, b->win);
}

static void issue_acc_spread(struct bench *b, int j)
{
	MPI_Accumulate(b->src, b->count, MPI_DOUBLE, TARGET, 0, 1, spread,
		       MPI_SUM, b->win);
}

static void issue_get_acc(struct bench *b, int j)
{
	MPI_Get_accumulate(b->src, b->count, MPI_DOUBLE, b->dst, b->count,
			   MPI_DOUBLE, TARGET, b->slot[0], b->count, MPI_DOUBLE,
			   MPI_SUM, b->win);
}

static void issue_fop(struct bench *b, int j)
{
	MPI_Fetch_and_op(b->src, b->dst, MPI_INT64_T, TARGET, b->slot[0],
			 MPI_SUM, b->win);
}

/* Each one swaps: it expects what the one before has left. */
static void issue_cas(struct bench *b, int j)
{
	static int64_t expected, desired;

	expected = b->done;
	desired = expected + 1;
	MPI_Compare_and_swap(&desired, &expected, b->dst, MPI_INT64_T, TARGET,
			     b->slot[0], b->win);
}

const struct op bench_put = {
	MPI_BYTE, 1, fill_put, issue_put, check_put, false,
};
const struct op bench_put_many = {
	MPI_BYTE, 1, fill_put, issue_put_many, check_put_many, false,
};
const struct op bench_get = {
	MPI_BYTE, 1, fill_get, issue_get, check_get, false,
};
const struct op bench_rget = {
	MPI_BYTE, 1, fill_get, issue_rget, check_get, false,
};
const struct op bench_rput = {
	MPI_BYTE, 1, fill_put, issue_rput, check_put, false,
};
const struct op bench_isend = {
	MPI_BYTE, 1, fill_pattern, issue_isend, check_nothing, false,
};
const struct op bench_acc = {
	MPI_DOUBLE, sizeof(double), fill_ones, issue_acc, check_sum, false,
};
const struct op bench_acc_int = {
	MPI_INT, sizeof(int), fill_ones, issue_acc_int, check_sum, false,
};
const struct op bench_acc_spread = {
	MPI_DOUBLE,	  sizeof(double), fill_spread,
	issue_acc_spread, check_spread,	  false,
};
const struct op bench_count = {
	MPI_INT64_T, sizeof(int64_t), fill_ones, issue_fop, check_count, false,
};
const struct op bench_get_acc = {
	MPI_DOUBLE,    sizeof(double), fill_ones,
	issue_get_acc, check_fetched,  false,
};
const struct op bench_fop = {
	MPI_INT64_T, sizeof(int64_t), fill_ones,
	issue_fop,   check_fetched,   false,
};
const struct op bench_cas = {
	MPI_INT64_T, sizeof(int64_t), fill_ones,
	issue_cas,   check_fetched,   false,
};
const struct op bench_put_vector = {
	MPI_BYTE, 1, fill_put_vector, issue_put_vector, check_put_many, true,
};
const struct op bench_get_vector = {
	MPI_BYTE, 1, fill_get_vector, issue_get_vector, check_get, true,
};
