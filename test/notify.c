/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notifications (oriel.h): when a wait has taken one, all that its origin put,
 * accumulated or got before is done, of every size and layout, in every kind
 * of window and epoch, though the origin does nothing more; counts are taken
 * once; after a flush they are counted; tags and counts that are wrong are
 * errors and notify nothing.
 */
/* ranks: 1 2 4; paths: default direct cma nic */
#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#define BYTES (1 << 20)

/* A tag each, so that nothing is told by another's. */
enum { DATA, REPLY, MANY, SUM, READ, DOWN, ZERO, LAST };

static const int sizes[] = { 1, 8, 4096, 5000, 70000, BYTES };
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void tell(const struct test_win *w, int rank, int tag)
{
	ok(Oriel_Put_notify(NULL, 0, MPI_BYTE, rank, test_at(w, rank, 0), 0,
			    MPI_BYTE, tag, w->win));
}

static void await(const struct test_win *w, int tag, int count)
{
	ok(Oriel_Notify_wait(w->win, tag, count));
}

static int have(const struct test_win *w, int tag, int count)
{
	int flag = -1;

	ok(Oriel_Notify_test(w->win, tag, count, &flag));
	return flag;
}

/* Who has read what came says so; then the next may come. */
static void next_round(const struct test_win *w)
{
	tell(w, test_prev(), REPLY);
	await(w, REPLY, 1);
}

static void put_sizes(const struct test_win *w, char *buf)
{
	int t = test_next(), round = 0;
	size_t i, bad;

	for (i = 0; i < 2 * SIZES; i++) {
		int len = sizes[i % SIZES];

		test_fill(buf, len, test_rank, ++round);
		ok(Oriel_Put_notify(buf, len, MPI_BYTE, t, test_at(w, t, 0),
				    len, MPI_BYTE, DATA, w->win));
		await(w, DATA, 1);
		bad = test_differs(w->base, len, test_prev(), round);
		check(bad == (size_t)len, "%s, %d bytes: byte %zu is old",
		      test_kind_name(w->kind), len, bad);
		next_round(w);
		/* The buffer is ours again. */
		MPI_Win_flush_local(t, w->win);
	}
}

/* One notification behind puts of all sizes, each in a place of its own. */
static void put_many(const struct test_win *w, char *buf)
{
	int t = test_next(), at = 0, all = 0;
	size_t i, bad;

	for (i = 0; i + 1 < SIZES; i++)
		all += sizes[i];
	test_fill(buf, all, test_rank, 99);
	for (i = 0; i + 1 < SIZES; i++) {
		MPI_Put(buf + at, sizes[SIZES - 2 - i], MPI_BYTE, t,
			test_at(w, t, at), sizes[SIZES - 2 - i], MPI_BYTE,
			w->win);
		at += sizes[SIZES - 2 - i];
	}
	tell(w, t, MANY);
	await(w, MANY, 1);
	bad = test_differs(w->base, all, test_prev(), 99);
	check(bad == (size_t)all, "%s: byte %zu of many puts is old",
	      test_kind_name(w->kind), bad);
	next_round(w);
	MPI_Win_flush_local(t, w->win);
}

/* Every other int of the target's. */
static void put_vector(const struct test_win *w)
{
	int data[64], t = test_next(), i, *here = (void *)w->base;
	MPI_Datatype vector;

	MPI_Type_vector(64, 1, 2, MPI_INT, &vector);
	MPI_Type_commit(&vector);
	for (i = 0; i < 64; i++)
		data[i] = test_rank * 100 + i;
	ok(Oriel_Put_notify(data, 64, MPI_INT, t, test_at(w, t, 0), 1, vector,
			    DATA, w->win));
	MPI_Type_free(&vector);
	await(w, DATA, 1);
	for (i = 0; i < 64; i++)
		check(here[2 * i] == test_prev() * 100 + i, "int %d is %d", i,
		      here[2 * i]);
	next_round(w);
	MPI_Win_flush_local(t, w->win);
}

/* Told by the call itself, or by a call behind it. */
static void sum(const struct test_win *w, const long *ones, int count,
		bool behind)
{
	MPI_Aint at = test_at(w, 0, 0);

	if (!behind) {
		ok(Oriel_Accumulate_notify(ones, count, MPI_LONG, 0, at, count,
					   MPI_LONG, MPI_SUM, SUM, w->win));
		return;
	}
	ok(MPI_Accumulate(ones, count, MPI_LONG, 0, at, count, MPI_LONG,
			  MPI_SUM, w->win));
	tell(w, 0, SUM);
}

/* All ranks add into rank 0's memory: what its wait for all of them sees. */
static void accumulate(const struct test_win *w, long *ones)
{
	static const int counts[] = { 1, 100, 9000 };
	long *here = (void *)w->base;
	int i, k;

	for (i = 0; i < BYTES / 16; i++)
		ones[i] = 1;
	for (k = 0; k < 6; k++) {
		memset(w->base, 0, 9000 * sizeof(long));
		MPI_Win_sync(w->win);
		MPI_Barrier(MPI_COMM_WORLD);
		sum(w, ones, counts[k % 3], k > 2);
		if (!test_rank) {
			await(w, SUM, test_size);
			for (i = 0; i < counts[k % 3]; i++)
				if (!check(here[i] == test_size,
					   "%s: sum %d of %d is %ld",
					   test_kind_name(w->kind), i,
					   counts[k % 3], here[i]))
					break;
		}
		MPI_Win_flush_local(0, w->win);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* What was read may be changed: the reader has what was there before. */
static void get(const struct test_win *w, char *buf)
{
	int t = test_next(), k;
	size_t bad;

	for (k = 0; k < (int)SIZES; k++) {
		int len = sizes[k];

		test_fill(w->base, len, test_rank, k);
		MPI_Win_sync(w->win);
		MPI_Barrier(MPI_COMM_WORLD);
		memset(buf, 0, len);
		ok(Oriel_Get_notify(buf, len, MPI_BYTE, t, test_at(w, t, 0),
				    len, MPI_BYTE, READ, w->win));
		await(w, READ, 1);
		memset(w->base, 0, len);
		MPI_Win_flush(t, w->win);
		bad = test_differs(buf, len, t, k);
		check(bad == (size_t)len, "%s, %d bytes: byte %zu is late",
		      test_kind_name(w->kind), len, bad);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void counts(const struct test_win *w)
{
	int i, t = test_next();

	check(!have(w, DOWN, 1), "a count of nobody's");
	check(have(w, DOWN, 0), "none are there at once");
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 5; i++)
		tell(w, t, DOWN);
	/* After a flush they have been counted. */
	MPI_Win_flush(t, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	check(!have(w, DOWN, 6), "five make six");
	check(have(w, DOWN, 2), "of five not two");
	await(w, DOWN, 2);
	check(!have(w, DOWN, 2), "one makes two");
	check(have(w, DOWN, 1), "the last is lost");
	check(!have(w, DOWN, 1), "a sixth");
	MPI_Barrier(MPI_COMM_WORLD);
}

static void passive(const struct test_win *w, char *buf)
{
	MPI_Win_lock_all(0, w->win);
	put_sizes(w, buf);
	put_many(w, buf);
	put_vector(w);
	accumulate(w, (long *)(void *)buf);
	get(w, buf);
	counts(w);
	MPI_Win_unlock_all(w->win);
}

/* The target hears of it while the origin's epoch goes on. */
static void lock(const struct test_win *w)
{
	int one = 1000 + test_rank, t = test_next();

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
	ok(Oriel_Put_notify(&one, 1, MPI_INT, t, test_at(w, t, 0), 1, MPI_INT,
			    ZERO, w->win));
	await(w, ZERO, 1);
	check(*(int *)(void *)w->base == 1000 + test_prev(), "got %d",
	      *(int *)(void *)w->base);
	MPI_Win_unlock(t, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void active(const struct test_win *w)
{
	int one = 2000 + test_rank, t = test_next(), s = test_prev();
	MPI_Group world, to, from;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &t, &to);
	MPI_Group_incl(world, 1, &s, &from);
	MPI_Win_post(from, 0, w->win);
	MPI_Win_start(to, 0, w->win);
	ok(Oriel_Put_notify(&one, 1, MPI_INT, t, test_at(w, t, 0), 1, MPI_INT,
			    LAST, w->win));
	await(w, LAST, 1);
	check(*(int *)(void *)w->base == 2000 + s, "got %d",
	      *(int *)(void *)w->base);
	MPI_Win_complete(w->win);
	MPI_Win_wait(w->win);
	MPI_Group_free(&world);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Win_fence(0, w->win);
	tell(w, t, LAST);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
	check(have(w, LAST, 1), "not counted after the fence");
}

static void errors(const struct test_win *w)
{
	int one = 1, flag, t = test_next();
	MPI_Aint end = test_kind_is_dynamic(w->kind) ? 1 : w->size;

	MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
	expect(Oriel_Notify_wait(w->win, 64, 1), MPI_ERR_TAG,
	       "Oriel_Notify_wait 64");
	expect(Oriel_Notify_wait(w->win, -1, 1), MPI_ERR_TAG, "tag -1");
	expect(Oriel_Notify_test(w->win, 0, -1, &flag), MPI_ERR_COUNT,
	       "Oriel_Notify_test -1");
	expect(Oriel_Put_notify(&one, 1, MPI_INT, t, test_at(w, t, 0), 1,
				MPI_INT, 0, w->win),
	       MPI_ERR_RMA_SYNC, "Oriel_Put_notify");
	MPI_Win_lock_all(0, w->win);
	expect(Oriel_Put_notify(&one, 1, MPI_INT, t, test_at(w, t, 0), 1,
				MPI_INT, 64, w->win),
	       MPI_ERR_TAG, "Oriel_Put_notify 64 oriel_notify_tags");
	if (!test_kind_is_dynamic(w->kind))
		expect(Oriel_Get_notify(&one, 1, MPI_INT, t, end, 1, MPI_INT, 0,
					w->win),
		       MPI_ERR_RMA_RANGE, "Oriel_Get_notify");
	expect(Oriel_Accumulate_notify(&one, 1, MPI_INT, test_size,
				       test_at(w, t, 0), 1, MPI_INT, MPI_SUM, 0,
				       w->win),
	       MPI_ERR_RANK, "Oriel_Accumulate_notify");
	ok(Oriel_Put_notify(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, 0,
			    w->win));
	MPI_Win_flush_all(w->win);
	MPI_Win_unlock_all(w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	check(!have(w, 0, 1), "an error notified");
	expect(Oriel_Notify_wait(MPI_WIN_NULL, 0, 1), MPI_ERR_WIN,
	       "Oriel_Notify_wait");
}

/* A window whose last tag is the count that is wished for, less one. */
static void check_tags(const char *wish, int count)
{
	char words[32], told[16] = "";
	int flag = 0, one = 1;
	MPI_Info info;
	MPI_Win win;
	int *base;

	MPI_Info_create(&info);
	MPI_Info_set(info, "oriel_notify_tags", wish);
	MPI_Win_allocate(4, 1, info, MPI_COMM_WORLD, &base, &win);
	MPI_Info_free(&info);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_get_info(win, &info);
	MPI_Info_get(info, "oriel_notify_tags", 15, told, &flag);
	MPI_Info_free(&info);
	check(flag && atoi(told) == count, "tags: %s of %s", told, wish);
	snprintf(words, sizeof(words), "tag %d has %d", count, count);
	MPI_Win_fence(0, win);
	expect(Oriel_Put_notify(&one, 1, MPI_INT, test_next(), 0, 1, MPI_INT,
				count, win),
	       MPI_ERR_TAG, words);
	if (count)
		ok(Oriel_Put_notify(&one, 1, MPI_INT, test_next(), 0, 1,
				    MPI_INT, count - 1, win));
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	expect(Oriel_Notify_test(win, count, 0, &flag), MPI_ERR_TAG, words);
	if (count)
		ok(Oriel_Notify_wait(win, count - 1, 1));
	MPI_Win_free(&win);
}

/* What one rank wishes less than the others; the bounds; and no numbers. */
static void tags(void)
{
	check_tags(test_rank == test_size - 1 ? "3" : "5", 3);
	check_tags("0", 0);
	check_tags("1", 1);
	check_tags("1048576", 1048576);
	check_tags("1048577", 64);
	check_tags("-1", 64);
	check_tags("7 tags", 64);
}

int main(int argc, char **argv)
{
	char *buf = malloc(BYTES);
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	if (!Oriel_Put_notify)
		return test_skip("notifications are Oriel's");
	test_errors_return();
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, BYTES, 1);
		passive(&w, buf);
		lock(&w);
		active(&w);
		errors(&w);
		test_win_close(&w);
	}
	tags();
	free(buf);
	return test_finish();
}
