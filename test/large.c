/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers of more bytes than an int or 32 bits count, in one call: put, get
 * and accumulates of contiguous and of strided data, between memory of which
 * little has been touched.  What was set arrives, also on both sides of 2 and
 * 4 GiB and at the very end; what lies behind it stays.
 *
 * Takes minutes and 7 GiB of memory: make check-large.  ORIEL_TEST_MOVES names
 * some of the moves, "put,get_c".
 */
/* ranks: 2; paths: default direct cma fabric software; hosts: 2x1 */
#include "test.h"

#include <sys/mman.h>

#define MIB    ((size_t)1 << 20)
#define GIB    ((size_t)1 << 30)
#define ROOM   (4 * GIB + 2 * MIB) /* of the window and of buffers */
#define LEN    (3 * GIB + 24)	   /* of most transfers */
#define MOST   (4 * GIB + MIB + 8)
#define BLOCK  (8 * MIB) /* of strided data, and what lies between two */
#define STRIDE (10 * MIB)
#define NEEDED (10 * GIB) /* of this machine's memory, to be polite */

/* Rank 0 moves data to and from rank 1, whose memory this is. */
static MPI_Win win;
static char *memory;
static const char *kind;

/*
 * All zero, and no memory until it is written to.  By large pages where they
 * can be had: a million faults take longer than the transfer.
 */
static char *sparse(void)
{
	void *p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED) {
		madvise(p, ROOM, MADV_HUGEPAGE);
		return p;
	}
	perror("mmap");
	MPI_Abort(MPI_COMM_WORLD, 1);
	return NULL;
}

static void open_window(bool heap)
{
	MPI_Aint size = test_rank == 1 ? (MPI_Aint)ROOM : 0;

	kind = heap ? "create" : "allocate";
	memory = heap ? sparse() : NULL;
	if (heap)
		MPI_Win_create(memory, size, 8, MPI_INFO_NULL, MPI_COMM_WORLD,
			       &win);
	else
		MPI_Win_allocate(size, 8, MPI_INFO_NULL, MPI_COMM_WORLD,
				 &memory, &win);
}

static void close_window(bool heap)
{
	MPI_Win_free(&win);
	if (heap)
		munmap(memory, ROOM);
}

/* -- marks: eight bytes here and there ---- */

#define MARKS 10

/* Of len bytes the first, those on both sides of each GiB, and the last. */
static size_t mark(size_t i, size_t len)
{
	size_t at = (i + 1) / 2 * GIB - (i % 2 ? 8 : 0);

	return at < len ? at : len - 8;
}

/* Where that is in memory, of strided data. */
static size_t place(size_t at, bool strided)
{
	return strided ? at / BLOCK * STRIDE + at % BLOCK : at;
}

static int64_t *find_mark(char *p, size_t i, size_t len, bool strided)
{
	return (int64_t *)(void *)(p + place(mark(i, len), strided));
}

static void set_marks(char *p, size_t len, bool strided, int64_t value)
{
	size_t i;

	for (i = 0; i < MARKS; i++)
		*find_mark(p, i, len, strided) = value + (int64_t)mark(i, len);
}

/* -- types of many bytes, in elements of 8 ---- */

static MPI_Datatype contiguous(size_t len)
{
	int lengths[2] = { (int)(len / MIB), (int)(len % MIB / 8) };
	MPI_Aint at[2] = { 0, (MPI_Aint)(len / MIB * MIB) };
	MPI_Datatype types[2] = { MPI_DATATYPE_NULL, MPI_INT64_T }, made;

	MPI_Type_contiguous(MIB / 8, MPI_INT64_T, &types[0]);
	MPI_Type_create_struct(2, lengths, at, types, &made);
	MPI_Type_commit(&made);
	MPI_Type_free(&types[0]);
	return made;
}

static MPI_Datatype blocks(size_t len)
{
	MPI_Datatype made;

	MPI_Type_create_hvector((int)(len / BLOCK), BLOCK / 8, STRIDE,
				MPI_INT64_T, &made);
	MPI_Type_commit(&made);
	return made;
}

/* -- one call ---- */

enum what { PUT, GET, ACCUMULATE, GET_ACCUMULATE };

struct move {
	enum what what;
	size_t len;
	bool strided; /* at the target */
	bool large;   /* by the form with large counts, of elements */
	const char *name;
};

#if MPI_VERSION >= 4
static void call_large(const struct move *m, char *buf)
{
	MPI_Count n = (MPI_Count)(m->len / 8);

	if (m->what == PUT)
		MPI_Put_c(buf, n, MPI_INT64_T, 1, 0, n, MPI_INT64_T, win);
	else if (m->what == GET)
		MPI_Get_c(buf, n * 8, MPI_BYTE, 1, 0, n * 8, MPI_BYTE, win);
	else
		MPI_Accumulate_c(buf, n, MPI_INT64_T, 1, 0, n, MPI_INT64_T,
				 MPI_SUM, win);
}
#else
static void call_large(const struct move *m, char *buf)
{
}
#endif

static void call(const struct move *m, char *buf, char *result)
{
	MPI_Datatype here = contiguous(m->len);
	MPI_Datatype there = m->strided ? blocks(m->len) : contiguous(m->len);

	if (m->what == PUT)
		MPI_Put(buf, 1, here, 1, 0, 1, there, win);
	else if (m->what == GET)
		MPI_Get(buf, 1, here, 1, 0, 1, there, win);
	else if (m->what == ACCUMULATE)
		MPI_Accumulate(buf, 1, here, 1, 0, 1, there, MPI_SUM, win);
	else
		MPI_Get_accumulate(buf, 1, here, result, 1, here, 1, 0, 1,
				   there, MPI_SUM, win);
	MPI_Type_free(&here);
	MPI_Type_free(&there);
}

/* -- what is checked ---- */

/* At each mark is value and so many times its offset. */
static void check_marks(char *p, const struct move *m, int64_t value, int times)
{
	bool strided = m->strided && p == memory;
	size_t i, end = place(m->len - 8, strided) + 8;

	for (i = 0; i < MARKS; i++) {
		size_t at = mark(i, m->len);
		int64_t got =
			*find_mark(p, i, m->len, strided) - times * (int64_t)at;

		check(got == value, "%s, %s: %ld, not %ld, at %zu", kind,
		      m->name, (long)got, (long)value, at);
	}
	check(!*(int64_t *)(void *)(p + end), "%s, %s: something behind", kind,
	      m->name);
}

#define MINE   5
#define THEIRS 1000

static void origin(const struct move *m)
{
	char *buf = sparse(), *result = sparse();

	if (m->what != GET)
		set_marks(buf, m->len, false, MINE);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	if (m->large)
		call_large(m, buf);
	else
		call(m, buf, result);
	MPI_Win_unlock(1, win);
	if (m->what == GET)
		check_marks(buf, m, THEIRS, 1);
	if (m->what == GET_ACCUMULATE)
		check_marks(result, m, THEIRS, 1);
	munmap(buf, ROOM);
	munmap(result, ROOM);
}

static void target(const struct move *m)
{
	bool sums = m->what == ACCUMULATE || m->what == GET_ACCUMULATE;

	if (m->what == GET)
		check_marks(memory, m, THEIRS, 1);
	else
		check_marks(memory, m, MINE + (sums ? THEIRS : 0), 1 + sums);
}

static void move(const struct move *m, bool heap)
{
	double start = MPI_Wtime();

	open_window(heap);
	if (test_rank == 1)
		set_marks(memory, m->len, m->strided, THEIRS);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 0)
		origin(m);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 1)
		target(m);
	close_window(heap);
	if (!test_rank)
		printf("# note: %s, %s: %.1f s\n", kind, m->name,
		       MPI_Wtime() - start);
}

/* Of this machine, in bytes; 0 if it cannot be told. */
static size_t available(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	size_t kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib << 10;
}

/* Is it one of the words, which have commas between them? */
static bool is_named(const char *words, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = words; (at = strstr(at, name)); at += len)
		if ((at == words || at[-1] == ',') &&
		    (!at[len] || at[len] == ','))
			return true;
	return false;
}

static bool is_chosen(const struct move *m)
{
	const char *chosen = getenv("ORIEL_TEST_MOVES");

	if (m->large && MPI_VERSION < 4)
		return false;
	return !chosen || is_named(chosen, m->name);
}

/* Memory of the program's is reached in another way on one node alone. */
static bool is_apt(bool heap)
{
	bool set = getenv("ORIEL_PATH");

	if (test_apart || (set && !test_path_is("cma")))
		return !heap;
	return heap || !set;
}

int main(int argc, char **argv)
{
	static const struct move moves[] = {
		{ PUT, MOST, false, false, "put" },
		{ GET, LEN, false, false, "get" },
		{ ACCUMULATE, LEN, false, false, "accumulate" },
		{ GET_ACCUMULATE, LEN, false, false, "get_accumulate" },
		{ PUT, 3 * GIB, true, false, "put_blocks" },
		{ GET, 3 * GIB, true, false, "get_blocks" },
		{ ACCUMULATE, 3 * GIB, true, false, "accumulate_blocks" },
		{ PUT, LEN, false, true, "put_c" },
		{ GET, LEN, false, true, "get_c" },
		{ ACCUMULATE, LEN, false, true, "accumulate_c" },
	};
	size_t i;
	int heap, room, moved = 0;

	test_start(argc, argv);
	room = available() > NEEDED;
	MPI_Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!room)
		return test_skip("less than 10 GiB of memory are free");
	for (i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (is_chosen(&moves[i]))
			for (heap = 0; heap < 2; heap++)
				if (is_apt(heap)) {
					move(&moves[i], heap);
					moved++;
				}
	check(moved > 0, "ORIEL_TEST_MOVES names none of the moves");
	return test_finish();
}
