/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An accumulate may send fewer elements than its target has places, as a
 * message may be shorter than what it is received into: the first places are
 * combined with what was sent, and the others, and what lies behind the
 * operands and the result, are left alone.
 */
/* ranks: 1 2; paths: default cma direct */
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

#define ITEMS 3
#define MOST  300 /* elements of all items */
#define WORDS (4 * MOST)

static size_t page;

/* len bytes, and no more, may be touched. */
static char *at_end(char *pages, size_t len)
{
	return pages + page - len;
}

static char *make_pages(void)
{
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(pages != MAP_FAILED, "no memory");
	mprotect(pages + page, page, PROT_NONE);
	return pages;
}

/* Element i of blocks of len, each stride from the one before. */
static int place_of(int i, int len, int stride)
{
	return i / len * stride + i % len;
}

#define CASE(name, type, handle)                                               \
	static void name(struct test_win *w, int blocks, int len, int stride,  \
			 int sent, bool fetch)                                 \
	{                                                                      \
		static char *from, *to;                                        \
		const int t = test_next();                                     \
		type *base = (type *)(void *)w->base, *out, *in;               \
		MPI_Datatype layout, item;                                     \
		MPI_Aint extent = (MPI_Aint)(blocks * stride * sizeof(type));  \
		int i;                                                         \
                                                                               \
		from = from ? from : make_pages();                             \
		to = to ? to : make_pages();                                   \
		out = (type *)(void *)at_end(from, sent * sizeof(type));       \
		in = (type *)(void *)at_end(to, sent * sizeof(type));          \
		MPI_Type_vector(blocks, len, stride, handle, &layout);         \
		MPI_Type_create_resized(layout, 0, extent, &item);             \
		MPI_Type_commit(&item);                                        \
		for (i = 0; i < WORDS; i++)                                    \
			base[i] = (type)(i % 50);                              \
		for (i = 0; i < sent; i++)                                     \
			out[i] = (type)(1 + i % 40);                           \
		MPI_Win_fence(0, w->win);                                      \
		if (fetch)                                                     \
			MPI_Get_accumulate(out, sent, handle, in, sent,        \
					   handle, t, test_at(w, t, 0), ITEMS, \
					   item, MPI_SUM, w->win);             \
		else                                                           \
			MPI_Accumulate(out, sent, handle, t, test_at(w, t, 0), \
				       ITEMS, item, MPI_SUM, w->win);          \
		MPI_Win_fence(0, w->win);                                      \
		for (i = 0; i < sent; i++) {                                   \
			int at = place_of(i, len, stride);                     \
                                                                               \
			check(base[at] == (type)(at % 50 + 1 + i % 40),        \
			      #type " %d of %d", i, sent);                     \
			check(!fetch || in[i] == (type)(at % 50),              \
			      #type " %d of %d fetched", i, sent);             \
			base[at] = (type)(at % 50);                            \
		}                                                              \
		for (i = 0; i < WORDS; i++)                                    \
			check(base[i] == (type)(i % 50),                       \
			      #type " %d: place %d beside", sent, i);          \
		MPI_Type_free(&layout);                                        \
		MPI_Type_free(&item);                                          \
		MPI_Barrier(MPI_COMM_WORLD);                                   \
	}

CASE(bytes, int8_t, MPI_INT8_T)
CASE(shorts, int16_t, MPI_INT16_T)
CASE(ints, int32_t, MPI_INT32_T)
CASE(doubles, double, MPI_DOUBLE)

static void all(struct test_win *w, int blocks, int len, int stride)
{
	const int places = ITEMS * blocks * len;
	int sent;

	for (sent = 1; sent < places; sent += 1 + sent / 3) {
		bytes(w, blocks, len, stride, sent, sent % 2);
		shorts(w, blocks, len, stride, sent, false);
		ints(w, blocks, len, stride, sent, sent % 2);
		doubles(w, blocks, len, stride, sent, sent % 3);
	}
}

int main(int argc, char **argv)
{
	static const enum test_kind kinds[] = { KIND_CREATE, KIND_ALLOCATE };
	struct test_win w;
	int k;

	test_start(argc, argv);
	page = (size_t)sysconf(_SC_PAGESIZE);
	for (k = 0; k < 2; k++) {
		if (!test_kind_is_usable(kinds[k]))
			continue;
		test_win_open(&w, kinds[k], WORDS * (MPI_Aint)sizeof(double),
			      1);
		all(&w, 1, 2, 3);
		all(&w, 2, 1, 2);
		all(&w, 100, 1, 2);
		all(&w, 33, 3, 4);
		all(&w, 12, 8, 12);
		all(&w, 5, 1, 60);
		test_win_close(&w);
	}
	return test_finish();
}
