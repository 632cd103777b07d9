/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads.c - rmathreads, the throughput of threads of one process: a plain
 * MPI program for two ranks that prints how many million operations a second
 * the first rank's threads do together, each in a window of its own or all in
 * one window, and how that grows with the threads.  The second rank sleeps,
 * outside MPI, so that the threads have all cores.
 *
 *	rmathreads [most threads]
 *
 * Each figure is the median of ROUNDS, each of a tenth of a second at least.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS	     5
#define LONG	     0.1 /* seconds of a round */
#define THREADS_MOST 64
#define LINE	     64 /* bytes that a thread has for itself */
#define NAP_US	     10000

static int rank;
static MPI_Win wins[THREADS_MOST];
static MPI_Comm comms[THREADS_MOST];

/* -- operations ------------------------------------------------------------*/

static void put(MPI_Win win, MPI_Aint at)
{
	static const double value = 1;

	MPI_Put(&value, 1, MPI_DOUBLE, 1, at, 1, MPI_DOUBLE, win);
	MPI_Win_flush(1, win);
}

static void fetch_and_op(MPI_Win win, MPI_Aint at)
{
	const long one = 1;
	long before;

	MPI_Fetch_and_op(&one, &before, MPI_LONG, 1, at, MPI_SUM, win);
	MPI_Win_flush(1, win);
}

static void lock(MPI_Win win, MPI_Aint at)
{
	static const double value = 1;

	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	MPI_Put(&value, 1, MPI_DOUBLE, 1, at, 1, MPI_DOUBLE, win);
	MPI_Win_unlock(1, win);
}

struct bench {
	const char *name;
	void (*fn)(MPI_Win, MPI_Aint);
	int locks; /* an epoch of its own each time */
	int shares;
};

static const struct bench benches[] = {
	{ "put + flush, own windows", put, 0, 0 },
	{ "put + flush, one window", put, 0, 1 },
	{ "fetch_and_op, own windows", fetch_and_op, 0, 0 },
	{ "fetch_and_op, one window", fetch_and_op, 0, 1 },
	{ "lock/put/unlock, own windows", lock, 1, 0 },
};

/* -- threads ---------------------------------------------------------------*/

struct worker {
	pthread_t id;
	const struct bench *bench;
	int number;
	long n;
	pthread_barrier_t *start;
};

static void *work(void *arg)
{
	const struct worker *me = arg;
	MPI_Win win = wins[me->bench->shares ? 0 : me->number];

	pthread_barrier_wait(me->start);
	for (long i = 0; i < me->n; i++)
		me->bench->fn(win, (MPI_Aint)me->number * LINE);
	return NULL;
}

/* Seconds until the last of the threads has done n. */
static double run(const struct bench *bench, int threads, long n)
{
	struct worker workers[THREADS_MOST];
	pthread_barrier_t start;
	double began;

	pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++) {
		workers[i] = (struct worker){ 0, bench, i, n, &start };
		pthread_create(&workers[i].id, NULL, work, &workers[i]);
	}
	pthread_barrier_wait(&start);
	began = MPI_Wtime();
	for (int i = 0; i < threads; i++)
		pthread_join(workers[i].id, NULL);
	pthread_barrier_destroy(&start);
	return MPI_Wtime() - began;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Million operations a second, of all threads together. */
static double measure(const struct bench *bench, int threads)
{
	double rates[ROUNDS];
	long n = 16;

	while (run(bench, threads, n) < LONG)
		n *= 2;
	for (int i = 0; i < ROUNDS; i++)
		rates[i] = 1e-6 * threads * (double)n / run(bench, threads, n);
	qsort(rates, ROUNDS, sizeof(*rates), ascending);
	return rates[ROUNDS / 2];
}

static void report(const struct bench *bench, int threads, double *alone)
{
	double rate = measure(bench, threads);

	if (threads == 1)
		*alone = rate;
	printf("%-30s %7d %10.3f %8.2f\n", bench->name, threads, rate,
	       rate / *alone);
	fflush(stdout);
}

static void run_bench(const struct bench *bench, int most)
{
	double alone = 0;
	int t;

	for (t = 0; t < most && !bench->locks; t++)
		MPI_Win_lock_all(MPI_MODE_NOCHECK, wins[t]);
	for (t = 1; t <= most; t *= 2)
		report(bench, t, &alone);
	for (t = 0; t < most && !bench->locks; t++)
		MPI_Win_unlock_all(wins[t]);
}

/* -- the ranks -------------------------------------------------------------*/

/* Rank 1 looks seldom, by a call that takes no time. */
static void sleep_until_told(void)
{
	int told = 0;

	while (!told) {
		usleep(NAP_US);
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &told, MPI_STATUS_IGNORE);
	}
	MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void run_all(int most)
{
	printf("%-30s %7s %10s %8s\n", "# test", "threads", "million/s",
	       "growth");
	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches); i++)
		run_bench(&benches[i], most);
	MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

static int count_threads(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > THREADS_MOST ? THREADS_MOST : (int)n;
}

int main(int argc, char **argv)
{
	int level, size, t, most = count_threads(argc, argv);
	void *base;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (level < MPI_THREAD_MULTIPLE || size != 2) {
		fprintf(stderr, "rmathreads: two ranks and "
				"MPI_THREAD_MULTIPLE are needed\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (t = 0; t < most; t++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
		MPI_Win_allocate((MPI_Aint)most * LINE, 1, MPI_INFO_NULL,
				 comms[t], &base, &wins[t]);
	}
	if (rank)
		sleep_until_told();
	else
		run_all(most);
	for (t = 0; t < most; t++) {
		MPI_Win_free(&wins[t]);
		MPI_Comm_free(&comms[t]);
	}
	MPI_Finalize();
	return 0;
}
