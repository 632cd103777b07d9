/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and Get of contiguous elements of each predefined datatype, of 1 to 72
 * bytes and of a mebibyte, at any displacement, move these elements and no
 * byte beside them, in windows of every kind.
 */
/* ranks: 1 2 3; paths: default direct cma */
#include "elements.h"

#define GUARD 0xA5
#define BIG   ((1 << 20) + 3)
#define ITEMS 1024

struct item {
	const struct element *e;
	size_t count;
	MPI_Aint off;
};

static const struct element *byte_element;
static struct item items[ITEMS];
static size_t nitems;
static MPI_Aint total;

static size_t item_bytes(const struct item *item)
{
	return item->e->size * item->count;
}

/* One byte between neighbours: displacements take every alignment. */
static void add(const struct element *e, size_t count)
{
	struct item *item = &items[nitems++];

	*item = (struct item){ .e = e, .count = count, .off = total + 1 };
	total = item->off + (MPI_Aint)item_bytes(item) + 1;
}

static void plan(void)
{
	static const size_t counts[] = { 1, 2, 3, 8, 17, 72 };
	size_t i, k;

	for (i = 0; i < ELEMENT_COUNT; i++) {
		if (!element_exists(&elements[i]))
			continue;
		if (elements[i].type == MPI_BYTE)
			byte_element = &elements[i];
		for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
			add(&elements[i], counts[k]);
	}
	for (i = 1; i <= 72; i++)
		add(byte_element, i);
	add(byte_element, BIG);
}

/* What rank holds for an item, in memory fit for any type. */
static void *make(const struct item *item, int rank)
{
	void *buf = malloc(item_bytes(item));

	element_fill(item->e, buf, item->count, rank * 5 + (int)(item - items));
	return buf;
}

static void compare(const char *call, const char *kind, const struct item *item,
		    const char *at, int rank)
{
	void *want = make(item, rank), *got = malloc(item_bytes(item));
	size_t differs;

	memcpy(got, at, item_bytes(item));
	differs = element_differs(item->e, got, want, item->count);
	check(differs == item->count, "%s, %s window: element %zu of %zu %s",
	      call, kind, differs, item->count, item->e->name);
	check((at[-1] & 0xff) == GUARD &&
		      (at[item_bytes(item)] & 0xff) == GUARD,
	      "%s, %s window: byte beside %zu %s written", call, kind,
	      item->count, item->e->name);
	free(want);
	free(got);
}

static void put_all(struct test_win *w)
{
	void **origins = malloc(nitems * sizeof(*origins));
	size_t i;

	memset(w->base, GUARD, total);
	MPI_Win_fence(0, w->win);
	for (i = 0; i < nitems; i++) {
		int count = (int)items[i].count;

		origins[i] = make(&items[i], test_rank);
		MPI_Put(origins[i], count, items[i].e->type, test_next(),
			test_at(w, test_next(), items[i].off), count,
			items[i].e->type, w->win);
	}
	MPI_Win_fence(0, w->win);
	for (i = 0; i < nitems; i++) {
		compare("Put", test_kind_name(w->kind), &items[i],
			w->base + items[i].off, test_prev());
		free(origins[i]);
	}
	free(origins);
}

static void get_all(struct test_win *w)
{
	char *results = malloc(total);
	size_t i;

	memset(results, GUARD, total);
	for (i = 0; i < nitems; i++) {
		void *own = make(&items[i], test_rank);

		memcpy(w->base + items[i].off, own, item_bytes(&items[i]));
		free(own);
	}
	MPI_Win_fence(0, w->win);
	for (i = 0; i < nitems; i++) {
		int count = (int)items[i].count;

		MPI_Get(results + items[i].off, count, items[i].e->type,
			test_next(), test_at(w, test_next(), items[i].off),
			count, items[i].e->type, w->win);
	}
	MPI_Win_fence(0, w->win);
	for (i = 0; i < nitems; i++)
		compare("Get", test_kind_name(w->kind), &items[i],
			results + items[i].off, test_next());
	free(results);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	plan();
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, total, 1);
		put_all(&w);
		get_all(&w);
		test_win_close(&w);
	}
	return test_finish();
}
