/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * raw.h - rawfabric, what the network gives without MPI's one-sided functions:
 * the floor that they are measured against.
 *
 * Two ranks; MPI starts them and exchanges their addresses, nothing more.  Rank
 * 0, the origin, measures, rank 1, the target, serves; both poll all the time.
 * A transport (tcp.c, fabric.c) opens, then runs its tests or serves.
 */
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <stddef.h>

enum { ORIGIN = 0, TARGET = 1 };

/* The same as rmabench's: a run whose data was wrong. */
enum { WRONG_DATA = 3 };

/* Bytes of a burst, at most. */
#define RAW_SPAN ((size_t)16 << 20)

struct raw_test {
	const char *name;
	const char *help;
	const size_t *sizes; /* bytes of one operation; ends with 0 */
	int burst;	     /* operations between two completions; fewer where
			      * they would exceed RAW_SPAN */
	/* Does n bursts, returns when the last operation is complete. */
	void (*run)(size_t size, int n, int burst);
	/* Did the data arrive?  NULL: nothing to look at. */
	bool (*check)(size_t size, int burst);
};

struct raw_transport {
	/* Collective; name is what to use, NULL: the default.  Returns what was
	 * opened, in words. */
	const char *(*open)(int rank, const char *name);
	const struct raw_test *tests; /* ends with a test without name */
	void (*serve)(void);	      /* target: until the origin stops it */
	void (*stop)(void);	      /* origin */
	void (*close)(void);
};

extern const struct raw_transport raw_tcp, raw_fabric;

/* Swaps len bytes with the other rank. */
void raw_exchange(const void *mine, void *other, size_t len);

/* A zeroed buffer at a page boundary. */
void *raw_buffer(size_t bytes);

/* End the run, on both ranks, with a message. */
_Noreturn void raw_die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
