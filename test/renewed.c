/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Window memory that is given back and had anew at the same address, between
 * two windows: freed and allocated, detached and attached, unmapped and mapped,
 * moved away and replaced, and after a fork.  Who writes to the new window
 * writes to the new memory, whatever has been registered there before.
 */
/* ranks: 2; paths: default direct cma */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* Little may stay in what Oriel keeps of freed memory; much does not. */
#define LITTLE ((size_t)200 << 10)
#define MUCH   ((size_t)9 << 20)
#define ROUNDS 4

static int seed;

/* The origin's buffer outlives the windows. */
static char *buffer(void)
{
	static char *buf;

	if (!buf)
		buf = malloc(MUCH);
	check(buf != NULL, "malloc");
	return buf;
}

/* Puts and gets, at a displacement of the target's. */
static void move(MPI_Win win, char *memory, size_t bytes, MPI_Aint at)
{
	char *buf = buffer();
	size_t bad;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, win);
	memset(memory, 0, bytes);
	MPI_Win_unlock(test_rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
	test_fill(buf, bytes, test_rank, ++seed);
	MPI_Win_lock(MPI_LOCK_SHARED, test_next(), 0, win);
	ok(MPI_Put(buf, (int)bytes, MPI_BYTE, test_next(), at, (int)bytes,
		   MPI_BYTE, win));
	ok(MPI_Win_flush(test_next(), win));
	memset(buf, 0, bytes);
	ok(MPI_Get(buf, (int)bytes, MPI_BYTE, test_next(), at, (int)bytes,
		   MPI_BYTE, win));
	ok(MPI_Win_unlock(test_next(), win));
	bad = test_differs(buf, bytes, test_rank, seed);
	check(bad == bytes, "byte %zu was got wrong, seed %d", bad, seed);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, win);
	bad = test_differs(memory, bytes, test_prev(), seed);
	check(bad == bytes, "byte %zu was put wrong, seed %d", bad, seed);
	MPI_Win_unlock(test_rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* -- the memory is the window's -------------------------------------------- */

static void allocated(size_t bytes)
{
	char *memory;
	MPI_Win win;

	ok(MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			    &memory, &win));
	move(win, memory, bytes, 0);
	ok(MPI_Win_free(&win));
}

/* -- it is the program's --------------------------------------------------- */

static void created(char *memory, size_t bytes)
{
	MPI_Win win;

	ok(MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL,
			  MPI_COMM_WORLD, &win));
	move(win, memory, bytes, 0);
	ok(MPI_Win_free(&win));
}

static void attached(MPI_Win win, char *memory, size_t bytes)
{
	MPI_Aint at[2], mine;

	ok(MPI_Win_attach(win, memory, (MPI_Aint)bytes));
	MPI_Get_address(memory, &mine);
	MPI_Allgather(&mine, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD);
	move(win, memory, bytes, at[test_next()]);
	ok(MPI_Win_detach(win, memory));
}

/* The first half of the rounds by MPI_Win_create. */
static void expose(MPI_Win dynamic, int round, char *memory, size_t bytes)
{
	if (round < ROUNDS / 2)
		created(memory, bytes);
	else
		attached(dynamic, memory, bytes);
}

static void alloc_mem(MPI_Win dynamic, int round, size_t bytes)
{
	char *memory;

	ok(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory));
	expose(dynamic, round, memory, bytes);
	ok(MPI_Free_mem(memory));
}

static void heap(MPI_Win dynamic, int round, size_t bytes)
{
	char *memory = malloc(bytes);

	check(memory != NULL, "malloc");
	expose(dynamic, round, memory, bytes);
	free(memory);
}

static char *map(char *at, size_t bytes)
{
	char *got =
		mmap(at, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	check(got != MAP_FAILED && (!at || got == at), "mmap");
	return got;
}

/* UCX's stand-in for mremap has no fifth argument. */
static void move_there(char *from, char *to, size_t bytes)
{
	long got = syscall(SYS_mremap, from, bytes, bytes,
			   MREMAP_MAYMOVE | MREMAP_FIXED, to);

	check(got == (long)(intptr_t)to, "mremap");
}

/* New pages for old at one address, in one way after the other. */
static void renew(char *memory, size_t bytes, int round)
{
	switch (round % 4) {
	case 0:
		munmap(memory, bytes);
		map(memory, bytes);
		break;
	case 1:
		madvise(memory, bytes, MADV_DONTNEED);
		break;
	case 2:
		move_there(map(NULL, bytes), memory, bytes);
		break;
	default:
		map(memory, bytes);
	}
}

static void mapped(MPI_Win dynamic, size_t bytes)
{
	char *memory = map(NULL, bytes);

	for (int i = 0; i < 2 * ROUNDS; i++) {
		expose(dynamic, i % ROUNDS, memory, bytes);
		renew(memory, bytes, i);
	}
	munmap(memory, bytes);
}

/* What a child holds, its parent copies when it writes. */
static void forked(MPI_Win dynamic, size_t bytes)
{
	char *memory = map(NULL, bytes), byte = 0;
	int ends[2], status = -1;
	pid_t child;

	expose(dynamic, 0, memory, bytes);
	check(!pipe(ends), "pipe");
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
	}
	close(ends[0]);
	expose(dynamic, 0, memory, bytes);
	expose(dynamic, ROUNDS, memory, bytes);
	check(write(ends[1], &byte, 1) == 1, "write");
	close(ends[1]);
	check(waitpid(child, &status, 0) == child && !status,
	      "the child ended by %d", status);
	expose(dynamic, ROUNDS, memory, bytes);
	munmap(memory, bytes);
}

static void of_mpi(MPI_Win dynamic, size_t bytes)
{
	for (int i = 0; i < ROUNDS; i++)
		allocated(bytes);
	for (int i = 0; i < ROUNDS; i++)
		alloc_mem(dynamic, i, bytes);
}

static void of_program(MPI_Win dynamic, size_t bytes)
{
	for (int i = 0; i < ROUNDS; i++)
		heap(dynamic, i, bytes);
	mapped(dynamic, bytes);
	forked(dynamic, bytes);
}

int main(int argc, char **argv)
{
	MPI_Win dynamic;

	test_start(argc, argv);
	ok(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
	of_mpi(dynamic, LITTLE);
	of_mpi(dynamic, MUCH);
	if (!test_path_is("direct"))
		of_program(dynamic, LITTLE);
	ok(MPI_Win_free(&dynamic));
	return test_finish();
}
