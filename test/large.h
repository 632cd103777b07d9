/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * large.h - gigabytes of which little is memory, for test/large.
 *
 * They are of pieces.  Both ends of a piece are its own, what lies between is
 * the same memory in all of them: 4 GiB take 132 MiB, and time to move, not to
 * be cleared first.  Words are looked at on both sides of where pieces meet.
 */
#ifndef LARGE_H
#define LARGE_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

#define MIB   ((size_t)1 << 20)
#define GIB   ((size_t)1 << 30)
#define PIECE (4 * MIB)
#define EDGE  ((size_t)64 << 10) /* of a piece's own; whole pages anywhere */
#define ROOM  (4 * GIB + 2 * PIECE)

/* Strided data: blocks, and from each to the next; whole pieces. */
#define BLOCK  (3 * PIECE)
#define STRIDE (4 * PIECE)

static inline void *large_map(void *at, size_t len, int flags, int fd)
{
	void *p = mmap(at, len, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return p;
}

/* ROOM bytes, all zero. */
static inline char *large_folded(void)
{
	char *p = large_map(NULL, ROOM,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	int fd = memfd_create("folded", MFD_CLOEXEC);
	size_t at;

	if (fd < 0 || ftruncate(fd, PIECE)) {
		perror("memfd_create");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (at = 0; at < ROOM; at += PIECE)
		large_map(p + at + EDGE, PIECE - 2 * EDGE,
			  MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd);
	close(fd);
	return p;
}

/* Data in memory: len bytes from base on, or blocks of them. */
struct area {
	char *base;
	size_t len;
	bool strided;
};

static inline int64_t *area_word(const struct area *a, size_t at)
{
	return (int64_t *)(void *)(a->base + at);
}

/* -- marks: words of the data ---- */

static inline size_t area_marks(const struct area *a)
{
	return 2 * ((a->len + PIECE - 1) / PIECE);
}

/* Where in the data: before and behind where pieces meet, and the last. */
static inline size_t area_mark(const struct area *a, size_t i)
{
	size_t at = (i + 1) / 2 * PIECE - (i % 2 ? 8 : 0);

	return at < a->len ? at : a->len - 8;
}

/* What is there. */
static inline int64_t *area_marked(const struct area *a, size_t i)
{
	size_t at = area_mark(a, i);

	if (a->strided)
		at = at / BLOCK * STRIDE + at % BLOCK;
	return area_word(a, at);
}

/* -- guards: words beside the data ---- */

static inline size_t area_guards(const struct area *a)
{
	return a->strided ? 2 * (a->len / BLOCK) : 1;
}

/* The first and the last of each gap; the one behind the data. */
static inline int64_t *area_guard(const struct area *a, size_t i)
{
	if (!a->strided)
		return area_word(a, a->len);
	return area_word(a, i / 2 * STRIDE + (i % 2 ? STRIDE - 8 : BLOCK));
}

#define GUARD ((int64_t)0x5555555555555555)

/* Between moves all is zero again. */
static inline void area_clear(const struct area *a)
{
	size_t i;

	for (i = 0; i < area_marks(a); i++)
		*area_marked(a, i) = 0;
	for (i = 0; i < area_guards(a); i++)
		*area_guard(a, i) = 0;
}

#endif
