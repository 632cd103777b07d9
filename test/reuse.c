/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory taken right after MPI_Win_free is the caller's own: nobody who is
 * still on the way out of the window writes into it, though it may be where
 * the window's own memory was.
 *
 * Signals stop ranks at any point of MPI_Win_free, for longer than the
 * others need to come out of it and to fill their memory.
 */
/* ranks: 2 5; paths: default */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#define PIECES	4
#define BYTES	1600
#define SECONDS 3

static timer_t timer;

static void stop(int sig)
{
	int saved = errno;

	poll(NULL, 0, 1);
	errno = saved;
}

static void make_timer(void)
{
	struct sigaction action = { .sa_handler = stop,
				    .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR2 };

	sigaction(SIGUSR2, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
}

static void stop_soon(int round)
{
	struct itimerspec when = {
		.it_value.tv_nsec =
			1 + (round * 7919 + test_rank * 104729) % 20000
	};

	timer_settime(timer, 0, &when, NULL);
}

static void make_and_free(int round)
{
	static char memory[64];
	MPI_Win win;

	MPI_Win_create(memory, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	stop_soon(round);
	MPI_Win_free(&win);
}

static void look(int round)
{
	char *own[PIECES];
	int i;

	for (i = 0; i < PIECES; i++) {
		MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &own[i]);
		test_fill(own[i], BYTES, test_rank, round);
	}
	/* Whoever was stopped is on its way again after this. */
	usleep(2000);
	for (i = 0; i < PIECES; i++) {
		size_t bad = test_differs(own[i], BYTES, test_rank, round);

		check(bad == BYTES, "byte %zu of piece %d, round %d", bad, i,
		      round);
		MPI_Free_mem(own[i]);
	}
}

static bool time_is_left(double begin)
{
	int left = MPI_Wtime() - begin < SECONDS;

	MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return left;
}

int main(int argc, char **argv)
{
	double begin;
	int i;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts do not stand so many signals");
	make_timer();
	begin = MPI_Wtime();
	for (i = 0; i % 32 || time_is_left(begin); i++) {
		make_and_free(i);
		look(i);
	}
	timer_delete(timer);
	return test_finish();
}
