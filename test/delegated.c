/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single elements in memory that the program has brought are worked on by
 * their owner while it waits in MPI, in the host's calls or Oriel's, and by
 * their origin while it does not; exactly once and with the same results,
 * whoever it is, for elements of all sizes, at any address, and with many
 * threads that ask and answer at once.
 */
/* ranks: 2 4; paths: default cma */
#include "agents.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS	3000
#define LIMIT_S 30

enum {
	COUNTER, /* words of the window */
	SWAPS,
	SIGN, /* the target's: whether it is outside MPI */
	ODD,  /* elements of any kind, and one byte behind */
	WORDS = ODD + 8
};

static struct test_win w;

static MPI_Aint at(int t, int word)
{
	return test_at(&w, t, word * (MPI_Aint)sizeof(int64_t));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Does Oriel tell who it was, and are ranks not in each other's way? */
static bool can_tell(void)
{
	return !test_on_host && !test_apart &&
	       (!getenv("ORIEL_PATH") || test_path_is("cma")) &&
	       sysconf(_SC_NPROCESSORS_ONLN) >= test_size;
}

static int64_t add(int t, int64_t n)
{
	int64_t old = -1;

	MPI_Fetch_and_op(&n, &old, MPI_INT64_T, t, at(t, COUNTER), MPI_SUM,
			 w.win);
	MPI_Win_flush(t, w.win);
	return old;
}

/* Until the owner has worked on some, or has had time enough. */
static void add_until_taken(const char *where, int64_t *expected)
{
	const long before = executed_by(w.win, "owner");
	const double end = now() + LIMIT_S;
	int64_t old;
	int i;

	do {
		for (i = 0; i < ROUNDS; i++) {
			old = add(1, 1);
			check(old == *expected, "%s: %lld for %lld", where,
			      (long long)old, (long long)*expected);
			*expected = old + 1;
		}
	} while (can_tell() && executed_by(w.win, "owner") == before &&
		 now() < end);
	check(!can_tell() || executed_by(w.win, "owner") > before,
	      "%s: the owner took none", where);
}

/* -- where the owner is ---------------------------------------------------- */

static void host_waits(int64_t *expected)
{
	if (!test_rank)
		add_until_taken("the host's barrier", expected);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void window_waits(int64_t *expected)
{
	struct test_win other;
	MPI_Group world, one;
	int peer = !test_rank;

	test_win_open(&other, KIND_ALLOCATE, 8, 1);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &peer, &one);
	if (test_rank == 1) {
		MPI_Win_post(one, 0, other.win);
		MPI_Win_wait(other.win);
	}
	if (!test_rank) {
		add_until_taken("MPI_Win_wait", expected);
		MPI_Win_start(one, 0, other.win);
		MPI_Win_complete(other.win);
	}
	MPI_Group_free(&one);
	MPI_Group_free(&world);
	test_win_close(&other);
}

static void await_sign(int64_t value)
{
	int64_t sign = !value;

	while (sign != value) {
		MPI_Get(&sign, 1, MPI_INT64_T, 1, at(1, SIGN), 1, MPI_INT64_T,
			w.win);
		MPI_Win_flush(1, w.win);
	}
}

/* The target is outside MPI between its signs. */
static void nobody_waits(int64_t *expected)
{
	volatile int64_t *sign = (int64_t *)(void *)w.base + SIGN;
	const int64_t end = 2;
	long before;
	int i;

	if (test_rank == 1) {
		*sign = 1;
		while (*sign != end)
			;
	}
	if (!test_rank) {
		await_sign(1);
		before = executed_by(w.win, "owner");
		for (i = 0; i < ROUNDS; i++)
			check(add(1, 1) == (*expected)++, "round %d", i);
		check(!can_tell() || executed_by(w.win, "owner") == before,
		      "who is outside MPI took some");
		MPI_Put(&end, 1, MPI_INT64_T, 1, at(1, SIGN), 1, MPI_INT64_T,
			w.win);
		MPI_Win_flush(1, w.win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* -- what is delegated ----------------------------------------------------- */

/* At byte off: NO_OP and CAS find, SUM and REPLACE leave, what C says. */
#define KIND(name, type, handle, has_cas)                                      \
	static void name(MPI_Aint off)                                         \
	{                                                                      \
		type one = 1, three = 3, nine = 9, old = 0;                    \
                                                                               \
		MPI_Put(&three, 1, handle, 1, off, 1, handle, w.win);          \
		MPI_Win_flush(1, w.win);                                       \
		MPI_Fetch_and_op(&one, &old, handle, 1, off, MPI_SUM, w.win);  \
		MPI_Win_flush(1, w.win);                                       \
		check(old == 3, #type " at %ld", (long)off);                   \
		MPI_Fetch_and_op(NULL, &old, handle, 1, off, MPI_NO_OP,        \
				 w.win);                                       \
		MPI_Win_flush(1, w.win);                                       \
		check(old == 4, #type " at %ld", (long)off);                   \
		MPI_Accumulate(&nine, 1, handle, 1, off, 1, handle,            \
			       MPI_REPLACE, w.win);                            \
		MPI_Win_flush(1, w.win);                                       \
		MPI_Get_accumulate(&one, 1, handle, &old, 1, handle, 1, off,   \
				   1, handle, MPI_SUM, w.win);                 \
		MPI_Win_flush(1, w.win);                                       \
		check(old == 9, #type " at %ld", (long)off);                   \
		if (!(has_cas))                                                \
			return;                                                \
		nine = 10;                                                     \
		MPI_Compare_and_swap(&three, &one, &old, handle, 1, off,       \
				     w.win);                                   \
		MPI_Win_flush(1, w.win);                                       \
		check(old == nine, #type " at %ld", (long)off);                \
		MPI_Compare_and_swap(&three, &nine, &old, handle, 1, off,      \
				     w.win);                                   \
		MPI_Win_flush(1, w.win);                                       \
		check(old == nine, #type " at %ld", (long)off);                \
		MPI_Fetch_and_op(NULL, &old, handle, 1, off, MPI_NO_OP,        \
				 w.win);                                       \
		MPI_Win_flush(1, w.win);                                       \
		check(old == 3, #type " at %ld", (long)off);                   \
	}

KIND(bytes_1, int8_t, MPI_INT8_T, true)
KIND(bytes_2, int16_t, MPI_INT16_T, true)
KIND(bytes_4, int32_t, MPI_INT32_T, true)
KIND(bytes_8, int64_t, MPI_INT64_T, true)
KIND(single, float, MPI_FLOAT, false)
KIND(twice, double, MPI_DOUBLE, false)
KIND(long_one, long double, MPI_LONG_DOUBLE, false)
KIND(complex_16, double _Complex, MPI_C_DOUBLE_COMPLEX, false)
KIND(complex_32, long double _Complex, MPI_C_LONG_DOUBLE_COMPLEX, false)

/* Nothing beyond the element changes. */
static void any_kind(void)
{
	static void (*const kinds[])(
		MPI_Aint) = { bytes_1, bytes_2,	 bytes_4,    bytes_8,	single,
			      twice,   long_one, complex_16, complex_32 };
	const MPI_Aint from = at(1, ODD), to = at(1, WORDS);
	static const MPI_Aint sizes[] = { 1, 2, 4, 8, 4, 8, 16, 16, 32 };
	unsigned char all[8 * 8], fresh[sizeof(all)];
	size_t k;
	MPI_Aint off;

	memset(fresh, 0x5a, sizeof(fresh));
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (off = from; off + sizes[k] <= to; off += 3) {
			MPI_Put(fresh, sizeof(fresh), MPI_BYTE, 1, from,
				sizeof(fresh), MPI_BYTE, w.win);
			MPI_Win_flush(1, w.win);
			kinds[k](off);
			MPI_Get(all, sizeof(all), MPI_BYTE, 1, from,
				sizeof(all), MPI_BYTE, w.win);
			MPI_Win_flush(1, w.win);
			memset(all + (off - from), 0x5a, (size_t)sizes[k]);
			check(!memcmp(all, fresh, sizeof(all)),
			      "bytes beside kind %zu at %ld", k, (long)off);
		}
	}
}

/* -- the owner's floats are not the origin's ------------------------------- */

#ifdef __SSE2__
#include <xmmintrin.h>

/* Upwards, and with a trap of overflows. */
static void set_odd_floats(void)
{
	_mm_setcsr((0x1f80 & ~0x400) | 0x4000);
}

static void set_floats(void)
{
	_mm_setcsr(0x1f80);
}
#else
static void set_odd_floats(void)
{
}

static void set_floats(void)
{
}
#endif

static void add_floats(void)
{
	const double big = 1.7e308, tiny = 1e-20, one = 1;
	double old;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		MPI_Accumulate(i % 2 ? &big : &one, 1, MPI_DOUBLE, 1,
			       at(1, ODD), 1, MPI_DOUBLE, MPI_REPLACE, w.win);
		MPI_Fetch_and_op(i % 2 ? &big : &tiny, &old, MPI_DOUBLE, 1,
				 at(1, ODD), MPI_SUM, w.win);
		MPI_Fetch_and_op(NULL, &old, MPI_DOUBLE, 1, at(1, ODD),
				 MPI_NO_OP, w.win);
		MPI_Win_flush(1, w.win);
		check(i % 2 ? old > big : old == one, "round %d: %g", i, old);
	}
}

static void other_floats(void)
{
	if (test_rank == 1)
		set_odd_floats();
	if (!test_rank)
		add_floats();
	MPI_Barrier(MPI_COMM_WORLD);
	set_floats();
}

/* -- many at once ---------------------------------------------------------- */

static void swap_up(int t)
{
	int64_t found = 0, seen, next;

	for (;;) {
		next = found + 1;
		seen = found;
		MPI_Compare_and_swap(&next, &seen, &found, MPI_INT64_T, t,
				     at(t, SWAPS), w.win);
		MPI_Win_flush(t, w.win);
		if (found == seen)
			return;
	}
}

/* A returned value is never less than the one before. */
static void *hammer(void *arg)
{
	int *failed = arg, i, t;
	int64_t old, last[2] = { -1, -1 };

	for (i = 0; i < ROUNDS; i++) {
		t = i % 2;
		old = add(t, 1);
		*failed += old <= last[t];
		last[t] = old;
		if (i % 16 < 2)
			swap_up(t);
	}
	return NULL;
}

/* Polls, in the host, for all who call this rank. */
static void *wait_aside(void *arg)
{
	MPI_Comm *aside = arg;

	MPI_Recv(NULL, 0, MPI_BYTE, test_rank, 0, *aside, MPI_STATUS_IGNORE);
	return NULL;
}

static int64_t word_of(int t, int word)
{
	int64_t value = -1;

	MPI_Fetch_and_op(NULL, &value, MPI_INT64_T, t, at(t, word), MPI_NO_OP,
			 w.win);
	MPI_Win_flush(t, w.win);
	return value;
}

static void all_at_once(int nthreads)
{
	const int64_t sum = (int64_t)test_size * nthreads * ROUNDS / 2;
	const int64_t swaps = (int64_t)test_size * nthreads * (ROUNDS / 16) +
			      (ROUNDS % 16 ? test_size * nthreads : 0);
	pthread_t threads[THREADS], waiter;
	int failed[THREADS] = { 0 }, i;
	MPI_Comm aside;

	MPI_Comm_dup(MPI_COMM_WORLD, &aside);
	if (nthreads > 1)
		pthread_create(&waiter, NULL, wait_aside, &aside);
	for (i = 1; i < nthreads; i++)
		pthread_create(&threads[i], NULL, hammer, &failed[i]);
	hammer(&failed[0]);
	for (i = 1; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	if (nthreads > 1) {
		MPI_Send(NULL, 0, MPI_BYTE, test_rank, 0, aside);
		pthread_join(waiter, NULL);
	}
	MPI_Comm_free(&aside);
	for (i = 0; i < nthreads; i++)
		check(!failed[i], "%d values of thread %d", failed[i], i);
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 2; i++) {
		check(word_of(i, COUNTER) == sum, "sum %lld, not %lld",
		      (long long)word_of(i, COUNTER), (long long)sum);
		check(word_of(i, SWAPS) == swaps, "%lld swaps, not %lld",
		      (long long)word_of(i, SWAPS), (long long)swaps);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int64_t expected = 0;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	test_learn();
	test_win_open(&w, KIND_CREATE, WORDS * (MPI_Aint)sizeof(int64_t), 1);
	MPI_Win_lock_all(0, w.win);
	host_waits(&expected);
	window_waits(&expected);
	nobody_waits(&expected);
	if (!test_rank)
		any_kind();
	MPI_Barrier(MPI_COMM_WORLD);
	if (can_tell())
		other_floats();
	if (!test_rank)
		add(1, -expected);
	MPI_Barrier(MPI_COMM_WORLD);
	all_at_once(level == MPI_THREAD_MULTIPLE ? THREADS : 1);
	MPI_Win_unlock_all(w.win);
	test_win_close(&w);
	return test_finish();
}
