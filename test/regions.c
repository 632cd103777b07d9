/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic windows, large transfers: what an origin knows of the target's
 * regions never outlives them.  Regions of one place come and go with other
 * bounds, and with other memory behind the same addresses; transfers go
 * across regions that touch, and over what lies between them; there are more
 * regions than anybody keeps; memory that has been detached is not touched by
 * who comes too late.
 */
/* ranks: 2 3; paths: default direct cma */
#include "test.h"

#define PIECE  ((size_t)64 << 10)
#define PIECES 6
#define AREA   (PIECES * PIECE)
#define ROUNDS 12
#define MANY   400
#define SMALL  ((size_t)8 << 10)

static MPI_Win win;
static char *area, *buf;
static MPI_Aint theirs; /* the next rank's area */

static void tell_address(char *mine)
{
	MPI_Aint at;

	MPI_Get_address(mine, &at);
	MPI_Sendrecv(&at, 1, MPI_AINT, test_prev(), 0, &theirs, 1, MPI_AINT,
		     test_next(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Others have done what they do; it can be seen. */
static void meet(void)
{
	ok(MPI_Win_flush_all(win));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
}

static void put(size_t off, size_t len, int seed)
{
	test_fill(buf, len, test_rank, seed);
	ok(MPI_Put(buf, (int)len, MPI_BYTE, test_next(),
		   MPI_Aint_add(theirs, (MPI_Aint)off), (int)len, MPI_BYTE,
		   win));
	meet();
}

static void check_put(size_t off, size_t len, int seed)
{
	size_t bad = test_differs(area + off, len, test_prev(), seed);

	check(bad == len, "byte %zu of %zu at %zu, seed %d", bad, len, off,
	      seed);
	/* Before the next one comes. */
	MPI_Barrier(MPI_COMM_WORLD);
}

static void get(size_t off, size_t len, int seed)
{
	size_t bad;

	test_fill(area + off, len, test_rank, seed);
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	memset(buf, 0, len);
	ok(MPI_Get(buf, (int)len, MPI_BYTE, test_next(),
		   MPI_Aint_add(theirs, (MPI_Aint)off), (int)len, MPI_BYTE,
		   win));
	meet();
	bad = test_differs(buf, len, test_next(), seed);
	check(bad == len, "got byte %zu of %zu at %zu", bad, len, off);
}

/* The whole area, in regions of so many pieces, that touch. */
static void attach_all(int step, int round)
{
	for (int i = 0; i < PIECES; i += step) {
		int at = round % 2 ? i : PIECES - step - i;

		ok(MPI_Win_attach(win, area + at * PIECE,
				  (MPI_Aint)(step * PIECE)));
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void detach_all(int step)
{
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < PIECES; i += step)
		ok(MPI_Win_detach(win, area + i * PIECE));
}

static void other_bounds(void)
{
	static const int steps[] = { 6, 1, 3, 2 };

	for (int i = 0; i < ROUNDS; i++) {
		int step = steps[i % 4];

		attach_all(step, i);
		put(0, AREA, i);
		check_put(0, AREA, i);
		put(PIECE / 2 + 8, PIECE, i + 1);
		check_put(PIECE / 2 + 8, PIECE, i + 1);
		get(PIECE - 16, 2 * PIECE, i + 2);
		detach_all(step);
	}
}

/* One call, small blocks, and nothing attached between them. */
static void holes(void)
{
	const size_t len = 64, n = PIECES / 2;
	const int words = (int)(n * len / sizeof(int));
	static int one[PIECES * 16], was[PIECES * 16];
	MPI_Datatype type;
	size_t i, bad;

	MPI_Type_vector((int)n, (int)(len / sizeof(int)),
			(int)(2 * PIECE / sizeof(int)), MPI_INT, &type);
	MPI_Type_commit(&type);
	memset(area, 9, AREA);
	for (i = 0; i < n; i++)
		ok(MPI_Win_attach(win, area + 2 * i * PIECE, (MPI_Aint)len));
	MPI_Barrier(MPI_COMM_WORLD);
	test_fill(buf, n * len, test_rank, 3);
	ok(MPI_Put(buf, words, MPI_INT, test_next(), theirs, 1, type, win));
	ok(MPI_Win_flush(test_next(), win));
	/* There and back, so that what was put stands. */
	for (i = 0; i < (size_t)words; i++)
		one[i] = 1;
	ok(MPI_Accumulate(one, words, MPI_INT, test_next(), theirs, 1, type,
			  MPI_BXOR, win));
	ok(MPI_Get_accumulate(one, words, MPI_INT, was, words, MPI_INT,
			      test_next(), theirs, 1, type, MPI_BXOR, win));
	ok(MPI_Win_flush(test_next(), win));
	for (i = 0; i < (size_t)words; i++)
		was[i] ^= 1;
	bad = test_differs(was, n * len, test_rank, 3);
	check(bad == n * len, "byte %zu was otherwise", bad);
	memset(buf, 0, n * len);
	ok(MPI_Get(buf, words, MPI_INT, test_next(), theirs, 1, type, win));
	meet();
	bad = test_differs(buf, n * len, test_rank, 3);
	check(bad == n * len, "byte %zu came back wrong", bad);
	for (i = 0; i < n; i++) {
		memcpy(buf + i * len, area + 2 * i * PIECE, len);
		memset(area + 2 * i * PIECE, 9, len);
		ok(MPI_Win_detach(win, area + 2 * i * PIECE));
	}
	bad = test_differs(buf, n * len, test_prev(), 3);
	check(bad == n * len, "byte %zu of the blocks", bad);
	bad = test_differs_from(area, AREA, 9);
	check(bad == AREA, "byte %zu between them was written", bad);
	MPI_Type_free(&type);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Pairs of blocks of which each lies across the hole between two regions, no
 * pair as far apart as the one before. */
static void pairs(void)
{
	enum { PAIRS = 6, BLOCK = 3, WORDS = 2 * PAIRS * BLOCK };
	const int far = (int)(2 * PIECE / sizeof(int));
	static int mine[WORDS], was[WORDS], at[2 * PAIRS];
	const int *there = (const int *)area;
	MPI_Datatype type;
	size_t i;

	for (i = 0; i < PAIRS; i++) {
		at[2 * i] = (int)i * 4;
		at[2 * i + 1] = far + (int)(i * i) * 4;
	}
	for (i = 0; i < WORDS; i++)
		mine[i] = test_rank * 1000 + (int)i;
	MPI_Type_create_indexed_block(2 * PAIRS, BLOCK, at, MPI_INT, &type);
	MPI_Type_commit(&type);
	memset(area, 0, AREA);
	ok(MPI_Win_attach(win, area, PIECE));
	ok(MPI_Win_attach(win, area + 2 * PIECE, PIECE));
	MPI_Barrier(MPI_COMM_WORLD);
	ok(MPI_Accumulate(mine, WORDS, MPI_INT, test_next(), theirs, 1, type,
			  MPI_SUM, win));
	ok(MPI_Get_accumulate(mine, WORDS, MPI_INT, was, WORDS, MPI_INT,
			      test_next(), theirs, 1, type, MPI_SUM, win));
	meet();
	for (i = 0; i < WORDS; i++) {
		int found = there[at[i / BLOCK] + i % BLOCK];

		check(was[i] == mine[i], "element %zu was %d", i, was[i]);
		check(found == 2 * (test_prev() * 1000 + (int)i),
		      "element %zu is %d", i, found);
	}
	MPI_Type_free(&type);
	MPI_Barrier(MPI_COMM_WORLD);
	ok(MPI_Win_detach(win, area));
	ok(MPI_Win_detach(win, area + 2 * PIECE));
}

/* A sum large enough that the owner may fetch the operands. */
static void sum(void)
{
	int *mine = (int *)buf, *there = (int *)area;
	const int n = 2 * PIECE / sizeof(int);

	for (int i = 0; i < n; i++) {
		mine[i] = i;
		there[i] = test_rank;
	}
	attach_all(1, 0);
	ok(MPI_Accumulate(buf, n, MPI_INT, test_next(), theirs, n, MPI_INT,
			  MPI_SUM, win));
	meet();
	for (int i = 0; i < n; i++)
		if (there[i] != test_rank + i) {
			check(false, "element %d is %d", i, there[i]);
			break;
		}
	detach_all(1);
}

/* Only the middle is attached now; the rest was before, and was accessed. */
static void too_late(void)
{
	int rc, class;

	attach_all(6, 0);
	put(0, AREA, 1);
	detach_all(6);
	memset(area, 7, AREA);
	ok(MPI_Win_attach(win, area + PIECE, PIECE));
	MPI_Barrier(MPI_COMM_WORLD);
	put(PIECE, PIECE, 2);
	check_put(PIECE, PIECE, 2);
	if (test_on_host)
		goto detach;
	rc = MPI_Put(buf, (int)PIECE, MPI_BYTE, test_next(),
		     MPI_Aint_add(theirs, (MPI_Aint)(3 * PIECE)), (int)PIECE,
		     MPI_BYTE, win);
	rc = rc ? rc : MPI_Win_flush(test_next(), win);
	MPI_Error_class(rc, &class);
	check(class == MPI_ERR_RMA_RANGE, "class %d", class);
	meet();
	for (size_t i = 0; i < AREA; i++)
		if (area[i] != 7 && (i < PIECE || i >= 2 * PIECE)) {
			check(false, "byte %zu was written", i);
			break;
		}
detach:
	MPI_Barrier(MPI_COMM_WORLD);
	ok(MPI_Win_detach(win, area + PIECE));
}

static void check_refused(int rc)
{
	int class;

	MPI_Error_class(rc, &class);
	check(class == MPI_ERR_RMA_RANGE, "class %d", class);
}

/* Of a row's blocks the last is not attached: nothing comes. */
static void row_too_late(void)
{
	const int len = 64, step = (int)(2 * PIECE), n = PIECES / 2;
	MPI_Request request = MPI_REQUEST_NULL;
	int t = test_next(), rc, i;
	MPI_Datatype type;
	size_t bad;

	if (test_on_host)
		return;
	MPI_Type_vector(n, len, step, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	for (i = 0; i < n - 1; i++)
		ok(MPI_Win_attach(win, area + (size_t)i * step, len));
	memset(buf, 5, (size_t)n * len);
	MPI_Barrier(MPI_COMM_WORLD);
	rc = MPI_Get(buf, n * len, MPI_BYTE, t, theirs, 1, type, win);
	check_refused(rc ? rc : MPI_Win_flush(t, win));
	rc = MPI_Rget(buf, n * len, MPI_BYTE, t, theirs, 1, type, win,
		      &request);
	check_refused(rc ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE));
	/* It may tell of it once more. */
	MPI_Win_flush(t, win);
	bad = test_differs_from(buf, (size_t)n * len, 5);
	check(bad == (size_t)n * len, "byte %zu came", bad);
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < n - 1; i++)
		ok(MPI_Win_detach(win, area + (size_t)i * step));
	MPI_Type_free(&type);
}

/* Every second one goes and comes back meanwhile. */
static void many(void)
{
	const size_t bytes = MANY * SMALL;
	char *memory = test_memory(!test_path_is("direct"), bytes);
	size_t bad;

	tell_address(memory);
	for (int i = 0; i < MANY; i++) {
		int at = i * 7 % MANY;

		ok(MPI_Win_attach(win, memory + at * SMALL, SMALL));
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int round = 0; round < 2; round++) {
		test_fill(buf, bytes, test_rank, round);
		for (int i = 0; i < MANY; i++)
			ok(MPI_Put(buf + i * SMALL, SMALL, MPI_BYTE,
				   test_next(),
				   MPI_Aint_add(theirs, (MPI_Aint)(i * SMALL)),
				   SMALL, MPI_BYTE, win));
		meet();
		bad = test_differs(memory, bytes, test_prev(), round);
		check(bad == bytes, "byte %zu of many regions", bad);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = round; i < MANY; i += 2)
			ok(MPI_Win_detach(win, memory + i * SMALL));
		for (int i = 0; !round && i < MANY; i += 2)
			ok(MPI_Win_attach(win, memory + i * SMALL, SMALL));
		MPI_Barrier(MPI_COMM_WORLD);
	}
	for (int i = 0; i < MANY; i += 2)
		ok(MPI_Win_detach(win, memory + i * SMALL));
	MPI_Barrier(MPI_COMM_WORLD);
	test_memory_free(!test_path_is("direct"), memory);
}

int main(int argc, char **argv)
{
	bool heap;

	test_start(argc, argv);
	heap = !test_path_is("direct");
	buf = malloc(MANY * SMALL > AREA ? MANY * SMALL : AREA);
	ok(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_lock_all(0, win);
	area = test_memory(heap, AREA);
	tell_address(area);
	other_bounds();
	holes();
	pairs();
	sum();
	too_late();
	row_too_late();
	MPI_Barrier(MPI_COMM_WORLD);
	test_memory_free(heap, area);
	many();
	/* What is still attached goes with the window. */
	area = test_memory(heap, AREA);
	tell_address(area);
	attach_all(6, 0);
	put(0, AREA, 5);
	check_put(0, AREA, 5);
	MPI_Win_unlock_all(win);
	ok(MPI_Win_free(&win));
	test_memory_free(heap, area);
	free(buf);
	return test_finish();
}
