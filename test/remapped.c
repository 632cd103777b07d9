/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Origin buffers whose memory changes behind their addresses between two
 * operations: unmapped and mapped anew, given back by madvise, freed and
 * allocated again, copied by a fork.  What moves is what the program sees at
 * the time of the call, whatever has been registered there before.
 */
/* ranks: 2; paths: default direct cma */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define BYTES  ((size_t)256 << 10)
#define ROUNDS 8

static MPI_Win win;
static char *memory; /* the window's */

static char *map(char *at)
{
	char *got =
		mmap(at, BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	check(got != MAP_FAILED && (!at || got == at), "mmap");
	return got;
}

/* There and back, so that the buffer is read and written. */
static void move(char *buf, int seed)
{
	size_t bad;

	test_fill(buf, BYTES, test_rank, seed);
	ok(MPI_Put(buf, (int)BYTES, MPI_BYTE, test_next(), 0, (int)BYTES,
		   MPI_BYTE, win));
	ok(MPI_Win_flush(test_next(), win));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	bad = test_differs(memory, BYTES, test_prev(), seed);
	check(bad == BYTES, "byte %zu was put wrong, seed %d", bad, seed);
	memset(buf, 0, BYTES);
	ok(MPI_Get(buf, (int)BYTES, MPI_BYTE, test_next(), 0, (int)BYTES,
		   MPI_BYTE, win));
	ok(MPI_Win_flush(test_next(), win));
	bad = test_differs(buf, BYTES, test_rank, seed);
	check(bad == BYTES, "byte %zu was got wrong, seed %d", bad, seed);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void mapped_anew(void)
{
	char *buf = map(NULL);

	for (int i = 0; i < ROUNDS; i++) {
		move(buf, i);
		if (i % 2) {
			munmap(buf, BYTES);
			buf = map(buf);
		} else {
			madvise(buf, BYTES, MADV_DONTNEED);
		}
	}
	munmap(buf, BYTES);
}

static void allocated_again(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		char *buf = malloc(BYTES);

		move(buf, ROUNDS + i);
		free(buf);
	}
}

/* The child holds the pages until we have written to our copies. */
static void forked(void)
{
	char *buf = map(NULL), byte = 0;
	int ends[2], status = -1;
	pid_t child;

	move(buf, 100);
	check(!pipe(ends), "pipe");
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
	}
	close(ends[0]);
	move(buf, 101);
	check(write(ends[1], &byte, 1) == 1, "write");
	close(ends[1]);
	check(waitpid(child, &status, 0) == child && !status,
	      "the child ended by %d", status);
	move(buf, 102);
	munmap(buf, BYTES);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	ok(MPI_Win_allocate((MPI_Aint)BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			    &memory, &win));
	MPI_Win_lock_all(0, win);
	mapped_anew();
	allocated_again();
	forked();
	MPI_Win_unlock_all(win);
	ok(MPI_Win_free(&win));
	return test_finish();
}
