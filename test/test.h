/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test.h - what the behaviour tests share: checks that say where and what,
 * a verdict of all ranks, windows of each kind.  Knows nothing of Oriel but
 * that ORIEL_PATH=direct leaves memory out that MPI has not allocated.
 */
#ifndef TEST_H
#define TEST_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts.h"

/* gcc takes MPICH's MPI_STATUSES_IGNORE, which is 1, for an array too short. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* Of the calling process in MPI_COMM_WORLD. */
static int test_rank, test_size;
static int test_failures;
/* Without Oriel: the texts of errors are the host's own. */
static bool test_on_host;
/* The ranks are of more than one node. */
static bool test_apart;

/* A failure is shown with the rank, where, and what was expected. */
#define check(cond, ...)                                                       \
	test_check(cond, __FILE__, __LINE__, #cond, __VA_ARGS__)
/* The call returns MPI_SUCCESS. */
#define ok(call)                                                               \
	test_expect(call, MPI_SUCCESS, MPI_SUCCESS, "", __FILE__, __LINE__,    \
		    #call)
/* The call returns this class, and its text holds each of the words. */
#define expect(call, class, words)                                             \
	test_expect(call, class, class, words, __FILE__, __LINE__, #call)
/* The standard leaves open which of the two. */
#define expect_or(call, class, other, words)                                   \
	test_expect(call, class, other, words, __FILE__, __LINE__, #call)

/* Few failures tell as much as thousands. */
static inline bool test_is_loud(void)
{
	return ++test_failures <= 10;
}

/* One write a failure, so that ranks do not mix their lines. */
static inline void test_tell(const char *file, int line, const char *fmt,
			     va_list args)
{
	const char *name = strrchr(file, '/');
	char text[2048];
	int n = snprintf(text, sizeof(text), "rank %d: %s:%d: ", test_rank,
			 name ? name + 1 : file, line);

	n += vsnprintf(text + n, sizeof(text) - n, fmt, args);
	if (n > (int)sizeof(text) - 2)
		n = sizeof(text) - 2;
	strcpy(text + n, "\n");
	fputs(text, stderr);
}

static inline void __attribute__((format(printf, 3, 4)))
test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	test_tell(file, line, fmt, args);
	va_end(args);
}

static inline bool __attribute__((format(printf, 5, 6)))
test_check(bool cond, const char *file, int line, const char *what,
	   const char *fmt, ...)
{
	char text[1024];
	va_list args;

	if (cond || !test_is_loud())
		return cond;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	test_fail(file, line, "expected %s: %s", what, text);
	return false;
}

/* What a file of /proc says of name in kB, in bytes; 0 if it does not. */
static inline size_t test_proc_bytes(const char *file, const char *name)
{
	size_t kib = 0, len = strlen(name);
	char text[256];
	FILE *from;

	snprintf(text, sizeof(text), "/proc/%s", file);
	from = fopen(text, "r");
	while (from && fgets(text, sizeof(text), from))
		if (!strncmp(text, name, len) &&
		    sscanf(text + len, ": %zu kB", &kib) == 1)
			break;
	if (from)
		fclose(from);
	return kib << 10;
}

/* Is each of the words, between blanks, in the text? */
static inline bool test_says(const char *text, const char *words)
{
	char copy[256], *save, *word;

	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		if (!strstr(text, word))
			return false;
	return true;
}

static inline bool test_expect(int rc, int class, int other, const char *words,
			       const char *file, int line, const char *what)
{
	char text[MPI_MAX_ERROR_STRING] = "", name[MPI_MAX_ERROR_STRING] = "";
	int got = rc, len;

	if (rc != MPI_SUCCESS) {
		MPI_Error_class(rc, &got);
		MPI_Error_string(rc, text, &len);
	}
	if ((got == class || got == other) &&
	    (test_on_host || test_says(text, words)))
		return true;
	if (!test_is_loud())
		return false;
	MPI_Error_string(class, name, &len);
	test_fail(file, line,
		  "%s:\n\texpected class %d (%s) and the words \"%s\",\n"
		  "\tgot class %d: %s",
		  what, class, name, words, got, text);
	return false;
}

static inline void test_learn(void)
{
	leave_watched();
	MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &test_size);
	test_on_host = getenv("ORIEL_TEST_HOST") != NULL;
	test_apart = hosts_are_apart();
}

static inline void test_start(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	test_learn();
}

/* The same with threads; false: the host has no MPI_THREAD_MULTIPLE. */
static inline bool test_start_threads(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	test_learn();
	return level == MPI_THREAD_MULTIPLE;
}

/* Collective: the exit status, the same on all ranks. */
static inline int test_finish(void)
{
	int all;

	MPI_Allreduce(&test_failures, &all, 1, MPI_INT, MPI_SUM,
		      MPI_COMM_WORLD);
	if (all && !test_rank)
		fprintf(stderr, "%d checks failed on %d ranks\n", all,
			test_size);
	leave_with(all ? 1 : 0);
	MPI_Finalize();
	return all ? 1 : 0;
}

/* Collective: what to return from main instead of test_finish(). */
static inline int test_skip(const char *reason)
{
	if (!test_rank) {
		printf("# skip: %s\n", reason);
		fflush(stdout);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	leave_with(77);
	MPI_Finalize();
	return 77;
}

/* Is this the only path that may be used? */
static inline bool test_path_is(const char *path)
{
	const char *set = getenv("ORIEL_PATH");

	return set && !strcmp(set, path);
}

/* Errors come back as codes, of creation and of Alloc_mem too. */
static inline void test_errors_return(void)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/* -- windows ---------------------------------------------------------------*/

enum test_kind {
	KIND_CREATE,	 /* Win_create on heap memory */
	KIND_CREATE_MEM, /* Win_create on Alloc_mem memory */
	KIND_ALLOCATE,
	KIND_SHARED,
	KIND_DYNAMIC, /* one region of heap memory attached */
	KIND_DYNAMIC_MEM,
	KIND_COUNT
};

static inline const char *test_kind_name(enum test_kind kind)
{
	static const char *const names[KIND_COUNT] = {
		"create",  "create on alloc_mem",   "allocate", "shared",
		"dynamic", "dynamic with alloc_mem"
	};

	return names[kind];
}

static inline bool test_kind_is_heap(enum test_kind kind)
{
	return kind == KIND_CREATE || kind == KIND_DYNAMIC;
}

static inline bool test_kind_is_dynamic(enum test_kind kind)
{
	return kind == KIND_DYNAMIC || kind == KIND_DYNAMIC_MEM;
}

/* Can peers reach a window of this kind, where they are and by the paths
 * allowed? */
static inline bool test_kind_is_usable(enum test_kind kind)
{
	if (kind == KIND_SHARED && test_apart)
		return false;
	return !(test_kind_is_heap(kind) && test_path_is("direct"));
}

struct test_win {
	MPI_Win win;
	enum test_kind kind;
	char *base; /* of the own memory */
	MPI_Aint size;
	int unit;
	MPI_Aint *first; /* of each rank: the displacement of its first byte */
};

static inline void *test_memory(bool heap, MPI_Aint size)
{
	void *base;

	if (!heap)
		MPI_Alloc_mem(size, MPI_INFO_NULL, &base);
	else
		base = malloc(size ? size : 1);
	return base;
}

static inline void test_memory_free(bool heap, void *base)
{
	if (heap)
		free(base);
	else
		MPI_Free_mem(base);
}

static inline void test_win_attach(struct test_win *w, MPI_Info info)
{
	MPI_Aint first;

	w->unit = 1;
	w->base = test_memory(test_kind_is_heap(w->kind), w->size);
	MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &w->win);
	MPI_Win_attach(w->win, w->base, w->size);
	MPI_Get_address(w->base, &first);
	MPI_Allgather(&first, 1, MPI_AINT, w->first, 1, MPI_AINT,
		      MPI_COMM_WORLD);
}

/* Collective over MPI_COMM_WORLD; errors are fatal, memory is zero. */
static inline void test_win_open_info(struct test_win *w, enum test_kind kind,
				      MPI_Aint size, int unit, MPI_Info info)
{
	*w = (struct test_win){ .kind = kind, .size = size, .unit = unit };
	w->first = calloc(test_size, sizeof(*w->first));
	switch (kind) {
	case KIND_CREATE:
	case KIND_CREATE_MEM:
		w->base = test_memory(test_kind_is_heap(kind), size);
		MPI_Win_create(w->base, size, unit, info, MPI_COMM_WORLD,
			       &w->win);
		break;
	case KIND_ALLOCATE:
		MPI_Win_allocate(size, unit, info, MPI_COMM_WORLD, &w->base,
				 &w->win);
		break;
	case KIND_SHARED:
		MPI_Win_allocate_shared(size, unit, info, MPI_COMM_WORLD,
					&w->base, &w->win);
		break;
	default:
		test_win_attach(w, info);
	}
	memset(w->base, 0, size);
	MPI_Barrier(MPI_COMM_WORLD);
}

static inline void test_win_open(struct test_win *w, enum test_kind kind,
				 MPI_Aint size, int unit)
{
	test_win_open_info(w, kind, size, unit, MPI_INFO_NULL);
}

/* Collective. */
static inline void test_win_close(struct test_win *w)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_kind_is_dynamic(w->kind))
		MPI_Win_detach(w->win, w->base);
	MPI_Win_free(&w->win);
	if (w->kind != KIND_ALLOCATE && w->kind != KIND_SHARED)
		test_memory_free(test_kind_is_heap(w->kind), w->base);
	free(w->first);
}

/* The displacement of a byte of the target's memory: a multiple of unit. */
static inline MPI_Aint test_at(const struct test_win *w, int target,
			       MPI_Aint byte)
{
	return w->first[target] + byte / w->unit;
}

/* The next rank, and the one before. */
static inline int test_next(void)
{
	return (test_rank + 1) % test_size;
}

static inline int test_prev(void)
{
	return (test_rank + test_size - 1) % test_size;
}

/* Collective: a window of every rank, of which each puts to the next. */
static inline void test_win_works(void)
{
	struct test_win w;
	int value = test_rank + 1, t = test_next();

	test_win_open(&w, KIND_ALLOCATE, 64, 1);
	MPI_Win_fence(0, w.win);
	MPI_Put(&value, 1, MPI_INT, t, test_at(&w, t, 60), 1, MPI_INT, w.win);
	MPI_Win_fence(0, w.win);
	check(*(int *)(void *)(w.base + 60) == test_prev() + 1, "got %d",
	      *(int *)(void *)(w.base + 60));
	test_win_close(&w);
}

/* A byte that differs between ranks, places and rounds. */
static inline unsigned char test_byte(int rank, size_t i, int round)
{
	return (unsigned char)(rank * 59 + i * 7 + (i >> 8) * 3 + round * 31 +
			       1);
}

static inline void test_fill(void *buf, size_t len, int rank, int round)
{
	unsigned char *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = test_byte(rank, i, round);
}

/* The first byte that is not test_fill()'s, or len. */
static inline size_t test_differs(const void *buf, size_t len, int rank,
				  int round)
{
	const unsigned char *p = buf;
	size_t i;

	for (i = 0; i < len && p[i] == test_byte(rank, i, round); i++)
		;
	return i;
}

/* The first byte that is not value, or len. */
static inline size_t test_differs_from(const void *buf, size_t len, int value)
{
	const unsigned char *p = buf;
	size_t i;

	for (i = 0; i < len && p[i] == (unsigned char)value; i++)
		;
	return i;
}

#endif
