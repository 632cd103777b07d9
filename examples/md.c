/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * md.c - the neighbour update of molecular dynamics: particles move on a ring
 * that the ranks share out, and those that leave a rank's stretch are put into
 * the neighbour's memory.
 *
 * How many come is known to the sender alone.  It puts the particles, then how
 * many they are, and one notification says that all is there.  The buffer that
 * they were put from is needed again two steps later: Oriel_Rflush gives a
 * request for that, so the step between is not waited for.  Meanwhile all add
 * their energy to rank 0 by another window on the same memory, Oriel_Win_dup,
 * whose accumulates need no order, and whose locks are in nobody's way.
 *
 *	md [STEPS [mpi]]	mpi: a flush and a message for each neighbour
 */
/* ranks: 1 2 4; paths: default cma */
#include <mpi.h>
#include <oriel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EACH	   100 /* particles of a rank, at first */
#define MOST	   800 /* at most: of all, with 8 ranks */
#define MOST_STEPS 10000

struct particle {
	long id, place, speed; /* places 0 to ranks * LENGTH - 1 */
};
#define LENGTH 1000

/* From one side, of steps of one parity. */
struct inbox {
	long count;
	struct particle particles[MOST];
};

struct memory {
	struct inbox inboxes[2][2]; /* [parity][side] */
	long energy[MOST_STEPS];    /* rank 0's */
};

#define LOWER 0
#define UPPER 1

static int rank, size, steps = 100;
static bool mpi;
static struct particle mine[MOST];
static int count;

static int tag_of(int parity, int side)
{
	return 2 * parity + side;
}

/* Which neighbour's it is now, or -1: still ours.  None moves further. */
static int side_of(const struct particle *p)
{
	long at = p->place - (long)rank * LENGTH;

	if (at >= 0 && at < LENGTH)
		return -1;
	return at < 0 ? LOWER : UPPER;
}

/* Moves all; those that leave go to out[side]. */
static void move(struct inbox out[2])
{
	int i, side, kept = 0;

	out[LOWER].count = out[UPPER].count = 0;
	for (i = 0; i < count; i++) {
		struct particle *p = &mine[i];

		p->place += p->speed;
		side = side_of(p);
		/* Round the ring. */
		p->place = (p->place + (long)size * LENGTH) %
			   ((long)size * LENGTH);
		if (side < 0)
			mine[kept++] = *p;
		else
			out[side].particles[out[side].count++] = *p;
	}
	count = kept;
}

static int neighbour(int side)
{
	return (side == UPPER ? rank + 1 : rank + size - 1) % size;
}

/* To the neighbour's inbox of the other side. */
static void send(const struct inbox *out, int parity, int side, MPI_Win win,
		 MPI_Request *sent)
{
	MPI_Aint at = (MPI_Aint)sizeof(struct inbox) * (2 * parity + !side);
	int bytes = (int)(out->count * (long)sizeof(struct particle));
	int to = neighbour(side), tag = tag_of(parity, !side);

	MPI_Put(out->particles, bytes, MPI_BYTE, to,
		at + (MPI_Aint)offsetof(struct inbox, particles), bytes,
		MPI_BYTE, win);
	if (!mpi) {
		Oriel_Put_notify(&out->count, 1, MPI_LONG, to, at, 1, MPI_LONG,
				 tag, win);
		Oriel_Rflush(to, win, sent);
		return;
	}
	MPI_Put(&out->count, 1, MPI_LONG, to, at, 1, MPI_LONG, win);
	MPI_Win_flush(to, win);
	MPI_Isend(NULL, 0, MPI_BYTE, to, tag, MPI_COMM_WORLD, sent);
}

static void receive(const struct inbox *in, int parity, int side, MPI_Win win)
{
	int tag = tag_of(parity, side);

	if (!mpi) {
		Oriel_Notify_wait(win, tag, 1);
	} else {
		MPI_Recv(NULL, 0, MPI_BYTE, neighbour(side), tag,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_sync(win);
	}
	memcpy(mine + count, in->particles,
	       (size_t)in->count * sizeof(struct particle));
	count += (int)in->count;
}

static void add_energy(int step, MPI_Win win)
{
	long energy = 0;
	int i;

	for (i = 0; i < count; i++)
		energy += mine[i].speed * mine[i].speed;
	MPI_Accumulate(&energy, 1, MPI_LONG, 0,
		       (MPI_Aint)(offsetof(struct memory, energy) +
				  (size_t)step * sizeof(long)),
		       1, MPI_LONG, MPI_SUM, win);
	MPI_Win_flush_local(0, win);
}

static void wait_for(MPI_Request sent[2])
{
	MPI_Wait(&sent[LOWER], MPI_STATUS_IGNORE);
	MPI_Wait(&sent[UPPER], MPI_STATUS_IGNORE);
}

static void run(struct memory *memory, MPI_Win win, MPI_Win sums)
{
	static struct inbox out[2][2];
	MPI_Request sent[2][2] = { { MPI_REQUEST_NULL, MPI_REQUEST_NULL },
				   { MPI_REQUEST_NULL, MPI_REQUEST_NULL } };
	int step, side, parity;

	for (step = 0; step < steps; step++) {
		parity = step % 2;
		wait_for(sent[parity]);
		move(out[parity]);
		for (side = LOWER; side <= UPPER; side++)
			send(&out[parity][side], parity, side, win,
			     &sent[parity][side]);
		for (side = LOWER; side <= UPPER; side++)
			receive(&memory->inboxes[parity][side], parity, side,
				win);
		add_energy(step, sums);
	}
	for (parity = 0; parity < 2; parity++)
		wait_for(sent[parity]);
}

static void begin(void)
{
	int i;

	for (i = 0; i < EACH; i++) {
		mine[i].id = rank * EACH + i;
		mine[i].place = (long)rank * LENGTH + i * 7 % LENGTH;
		mine[i].speed = (mine[i].id * 37) % 301 - 150;
	}
	count = EACH;
}

/* Nobody is lost, and nobody is where he should not be. */
static int count_wrong(const struct memory *memory)
{
	long total[3] = { count, 0, 0 };
	int i, wrong = 0;

	for (i = 0; i < count; i++) {
		long first = rank * LENGTH + 0L, id = mine[i].id, want;

		want = id / EACH * LENGTH + id % EACH * 7 % LENGTH +
		       steps * mine[i].speed;
		want %= (long)size * LENGTH;
		want += want < 0 ? (long)size * LENGTH : 0;
		wrong += mine[i].place != want || want < first ||
			 want >= first + LENGTH;
		total[1] += id;
		total[2] += mine[i].speed * mine[i].speed;
	}
	MPI_Allreduce(MPI_IN_PLACE, total, 3, MPI_LONG, MPI_SUM,
		      MPI_COMM_WORLD);
	wrong += total[0] != (long)size * EACH;
	wrong += total[1] != (long)size * EACH * (size * EACH - 1) / 2;
	for (i = 0; i < steps && !rank; i++)
		wrong += memory->energy[i] != total[2];
	return wrong;
}

/* Microseconds of a step.  By MPI alone the sums go by the same window. */
static double run_all(struct memory *memory, MPI_Win win, MPI_Win sums)
{
	double begin;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, sums);
	run(memory, win, mpi ? win : sums);
	MPI_Win_unlock_all(sums);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	return 1e6 * (MPI_Wtime() - begin) / steps;
}

static MPI_Win duplicate(MPI_Win win)
{
	MPI_Info info;
	MPI_Win sums;

	MPI_Info_create(&info);
	MPI_Info_set(info, "accumulate_ordering", "none");
	Oriel_Win_dup(win, info, &sums);
	MPI_Info_free(&info);
	return sums;
}

int main(int argc, char **argv)
{
	struct memory *memory;
	MPI_Win win, sums;
	double us;
	int wrong;

	mpi = argc > 2;
	if (argc > 1)
		steps = atoi(argv[1]);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (steps < 1 || steps > MOST_STEPS || size * EACH > MOST) {
		if (!rank)
			fprintf(stderr,
				"usage: md [STEPS [mpi]], of %d steps and %d "
				"ranks at most\n",
				MOST_STEPS, MOST / EACH);
		MPI_Finalize();
		return 2;
	}
	MPI_Win_allocate(sizeof(*memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			 &memory, &win);
	memset(memory, 0, sizeof(*memory));
	sums = duplicate(win);
	begin();
	us = run_all(memory, win, sums);
	wrong = count_wrong(memory);
	MPI_Win_free(&sums);
	MPI_Win_free(&win);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM,
		      MPI_COMM_WORLD);
	if (!rank)
		printf("%d ranks, %d steps of %.2f us: %d mistakes\n", size,
		       steps, us, wrong);
	MPI_Finalize();
	return wrong ? 1 : 0;
}
