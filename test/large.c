/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers of more bytes than an int or 32 bits count, in one call: put, get
 * and accumulates, the R-forms and those with large counts, of contiguous and
 * of strided data on either side, in windows of each kind.  Marks arrive, what
 * lies beside the data stays.
 *
 * Takes minutes and 5 GiB of memory: make check-large.  ORIEL_TEST_MOVES names
 * some of the moves, "put,get_c".
 */
/* ranks: 2; paths: default fabric software; hosts: 2x1 */
#include "large.h"

#define LEN    (3 * GIB + 24) /* of most transfers: bytes that no int counts */
#define MOST   (4 * GIB + 24)
#define SLICES (3 * GIB) /* of strided data */
#define NEEDED (6 * GIB) /* of this machine's memory, to be polite */

enum what { PUT, GET, ACCUMULATE, GET_ACCUMULATE };
/* Blocks at the origin, at the target; an R-form; a form with large counts. */
enum how { PLAIN = 0, HERE = 1, THERE = 2, REQUEST = 4, LARGE = 8 };

struct move {
	const char *name;
	enum what what;
	MPI_Op op; /* that what it does amounts to */
	MPI_Datatype element;
	size_t len;
	int how;
};

#define WORD MPI_INT64_T

/* The first BASIC are made in windows of every kind. */
#define BASIC 3
static const struct move moves[] = {
	{ "put", PUT, MPI_REPLACE, WORD, MOST, PLAIN },
	{ "get", GET, MPI_NO_OP, WORD, LEN, PLAIN },
	{ "accumulate", ACCUMULATE, MPI_SUM, WORD, LEN, PLAIN },
	{ "get_accumulate", GET_ACCUMULATE, MPI_SUM, WORD, LEN, PLAIN },
	{ "fetch", GET_ACCUMULATE, MPI_NO_OP, WORD, LEN, PLAIN },
	{ "accumulate_bytes", ACCUMULATE, MPI_BXOR, MPI_INT8_T, LEN, PLAIN },
	{ "put_blocks", PUT, MPI_REPLACE, WORD, SLICES, THERE },
	{ "get_blocks", GET, MPI_NO_OP, WORD, SLICES, THERE },
	{ "accumulate_blocks", ACCUMULATE, MPI_SUM, WORD, SLICES, THERE },
	{ "put_from_blocks", PUT, MPI_REPLACE, WORD, SLICES, HERE },
	{ "get_into_blocks", GET, MPI_NO_OP, WORD, SLICES, HERE },
	{ "accumulate_from_blocks", ACCUMULATE, MPI_SUM, WORD, SLICES, HERE },
	{ "get_accumulate_of_blocks", GET_ACCUMULATE, MPI_SUM, WORD, SLICES,
	  HERE | THERE },
	{ "rput", PUT, MPI_REPLACE, WORD, LEN, REQUEST },
	{ "rget", GET, MPI_NO_OP, WORD, LEN, REQUEST },
	{ "raccumulate", ACCUMULATE, MPI_SUM, WORD, LEN, REQUEST },
	{ "rget_accumulate", GET_ACCUMULATE, MPI_SUM, WORD, LEN, REQUEST },
	{ "put_c", PUT, MPI_REPLACE, WORD, LEN, LARGE },
	{ "get_c", GET, MPI_NO_OP, MPI_INT8_T, LEN, LARGE },
	{ "accumulate_c", ACCUMULATE, MPI_SUM, WORD, LEN, LARGE },
	{ "get_accumulate_c", GET_ACCUMULATE, MPI_BXOR, MPI_INT8_T, LEN,
	  LARGE },
};

/* Rank 0 moves data to and from rank 1, whose memory this is. */
static MPI_Win win;
static enum test_kind kind;
static char *memory;
static MPI_Aint first; /* its displacement */
static char *origin_data, *result_data;

/* -- windows ---- */

static void open_window(void)
{
	MPI_Aint size = test_rank == 1 ? (MPI_Aint)ROOM : 0;

	memory = NULL;
	first = 0;
	if (test_kind_is_heap(kind) && size)
		memory = large_folded();
	if (kind == KIND_ALLOCATE) {
		MPI_Win_allocate(size, 8, MPI_INFO_NULL, MPI_COMM_WORLD,
				 &memory, &win);
	} else if (kind == KIND_SHARED) {
		MPI_Win_allocate_shared(size, 8, MPI_INFO_NULL, MPI_COMM_WORLD,
					&memory, &win);
	} else if (kind == KIND_CREATE) {
		MPI_Win_create(memory, size, 8, MPI_INFO_NULL, MPI_COMM_WORLD,
			       &win);
	} else {
		MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		if (size)
			MPI_Win_attach(win, memory, size);
		MPI_Get_address(memory, &first);
		MPI_Bcast(&first, 1, MPI_AINT, 1, MPI_COMM_WORLD);
	}
}

static void close_window(void)
{
	bool is_ours = test_kind_is_heap(kind) && memory;

	if (kind == KIND_DYNAMIC && is_ours)
		MPI_Win_detach(win, memory);
	MPI_Win_free(&win);
	if (is_ours)
		munmap(memory, ROOM);
}

/* -- types of many bytes ---- */

static MPI_Datatype contiguous(MPI_Datatype element, size_t len)
{
	MPI_Datatype types[2] = { MPI_DATATYPE_NULL, element }, made;
	MPI_Aint at[2] = { 0, (MPI_Aint)(len / MIB * MIB) };
	int size, lengths[2];

	MPI_Type_size(element, &size);
	lengths[0] = (int)(len / MIB);
	lengths[1] = (int)(len % MIB) / size;
	MPI_Type_contiguous((int)MIB / size, element, &types[0]);
	MPI_Type_create_struct(2, lengths, at, types, &made);
	MPI_Type_commit(&made);
	MPI_Type_free(&types[0]);
	return made;
}

static MPI_Datatype blocks(size_t len)
{
	MPI_Datatype made;

	MPI_Type_create_hvector((int)(len / BLOCK), BLOCK / 8, STRIDE, WORD,
				&made);
	MPI_Type_commit(&made);
	return made;
}

/* -- one call ---- */

/* Of one element of each type; a request if there is room for it. */
static void call(const struct move *m, MPI_Datatype here, MPI_Datatype there)
{
	char *buf = origin_data, *result = result_data;

	if (m->what == PUT)
		MPI_Put(buf, 1, here, 1, first, 1, there, win);
	else if (m->what == GET)
		MPI_Get(result, 1, here, 1, first, 1, there, win);
	else if (m->what == ACCUMULATE)
		MPI_Accumulate(buf, 1, here, 1, first, 1, there, m->op, win);
	else
		MPI_Get_accumulate(buf, 1, here, result, 1, here, 1, first, 1,
				   there, m->op, win);
}

static void call_request(const struct move *m, MPI_Datatype here,
			 MPI_Datatype there)
{
	char *buf = origin_data, *result = result_data;
	MPI_Request req;

	if (m->what == PUT)
		MPI_Rput(buf, 1, here, 1, first, 1, there, win, &req);
	else if (m->what == GET)
		MPI_Rget(result, 1, here, 1, first, 1, there, win, &req);
	else if (m->what == ACCUMULATE)
		MPI_Raccumulate(buf, 1, here, 1, first, 1, there, m->op, win,
				&req);
	else
		MPI_Rget_accumulate(buf, 1, here, result, 1, here, 1, first, 1,
				    there, m->op, win, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
static void call_large(const struct move *m)
{
	char *buf = origin_data, *result = result_data;
	MPI_Datatype type = m->element;
	MPI_Count size, n;

	MPI_Type_size_c(type, &size);
	n = (MPI_Count)m->len / size;
	if (m->what == PUT)
		MPI_Put_c(buf, n, type, 1, first, n, type, win);
	else if (m->what == GET)
		MPI_Get_c(result, n, type, 1, first, n, type, win);
	else if (m->what == ACCUMULATE)
		MPI_Accumulate_c(buf, n, type, 1, first, n, type, m->op, win);
	else
		MPI_Get_accumulate_c(buf, n, type, result, n, type, 1, first, n,
				     type, m->op, win);
}
#else
static void call_large(const struct move *m)
{
}
#endif

static void call_typed(const struct move *m)
{
	MPI_Datatype here =
		m->how & HERE ? blocks(m->len) : contiguous(m->element, m->len);
	MPI_Datatype there = m->how & THERE ? blocks(m->len)
					    : contiguous(m->element, m->len);

	if (m->how == REQUEST)
		call_request(m, here, there);
	else
		call(m, here, there);
	MPI_Type_free(&here);
	MPI_Type_free(&there);
}

/* -- what is where, before and after ---- */

/* At a mark of the origin's data, and of the target's. */
static int64_t mine(const struct move *m, size_t at)
{
	return 5 + (int64_t)at;
}

static int64_t theirs(const struct move *m, size_t at)
{
	return 1000 + 3 * (int64_t)at;
}

static int64_t combined(const struct move *m, size_t at)
{
	if (m->op == MPI_SUM)
		return mine(m, at) + theirs(m, at);
	if (m->op == MPI_BXOR)
		return mine(m, at) ^ theirs(m, at);
	return m->op == MPI_REPLACE ? mine(m, at) : theirs(m, at);
}

typedef int64_t content_fn(const struct move *m, size_t at);

static void set(const struct move *m, const struct area *a, content_fn *content)
{
	size_t i;

	for (i = 0; i < area_guards(a); i++)
		*area_guard(a, i) = GUARD;
	for (i = 0; i < area_marks(a); i++)
		*area_marked(a, i) = content(m, area_mark(a, i));
}

static void look(const struct move *m, const struct area *a,
		 content_fn *content)
{
	size_t i;

	for (i = 0; i < area_marks(a); i++) {
		size_t at = area_mark(a, i);
		int64_t got = *area_marked(a, i), due = content(m, at);

		check(got == due, "%s, %s: %#lx, not %#lx, at %zu",
		      test_kind_name(kind), m->name, (long)got, (long)due, at);
	}
	for (i = 0; i < area_guards(a); i++)
		check(*area_guard(a, i) == GUARD, "%s, %s: guard %zu is %#lx",
		      test_kind_name(kind), m->name, i,
		      (long)*area_guard(a, i));
}

/* -- the moves ---- */

static int64_t nothing(const struct move *m, size_t at)
{
	return 0;
}

static void origin(const struct move *m)
{
	struct area buf = { origin_data, m->len, m->how & HERE };
	struct area result = { result_data, m->len, m->how & HERE };
	bool fetches = m->what == GET || m->what == GET_ACCUMULATE;

	set(m, &buf, mine);
	set(m, &result, nothing);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	if (m->how == LARGE)
		call_large(m);
	else
		call_typed(m);
	/* Section 11.3.5: it has come when the request is complete. */
	if (m->how == REQUEST)
		look(m, &result, fetches ? theirs : nothing);
	MPI_Win_unlock(1, win);
	look(m, &buf, mine);
	look(m, &result, fetches ? theirs : nothing);
	area_clear(&buf);
	area_clear(&result);
}

static void move(const struct move *m)
{
	struct area target = { memory, m->len, m->how & THERE };
	double start = MPI_Wtime();

	if (test_rank == 1)
		set(m, &target, theirs);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 0)
		origin(m);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 1) {
		look(m, &target, combined);
		area_clear(&target);
	} else {
		printf("# note: %s, %s: %.1f s\n", test_kind_name(kind),
		       m->name, MPI_Wtime() - start);
		fflush(stdout);
	}
}

/* -- which of them ---- */

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

	if (m->how == LARGE && MPI_VERSION < 4)
		return false;
	return !chosen || is_named(chosen, m->name);
}

/* MPI's memory takes gigabytes, and the network reaches it as any other. */
static bool is_apt(void)
{
	if (!test_kind_is_usable(kind))
		return false;
	return test_kind_is_heap(kind) || !getenv("ORIEL_PATH") ||
	       test_path_is("direct");
}

/* How many were made. */
static int move_all(void)
{
	bool all = kind == KIND_ALLOCATE || kind == KIND_CREATE;
	size_t i, n = all ? sizeof(moves) / sizeof(moves[0]) : BASIC;
	int moved = 0;

	open_window();
	for (i = 0; i < n; i++)
		if (is_chosen(&moves[i])) {
			move(&moves[i]);
			moved++;
		}
	close_window();
	return moved;
}

int main(int argc, char **argv)
{
	static const enum test_kind kinds[] = { KIND_CREATE, KIND_DYNAMIC,
						KIND_ALLOCATE, KIND_SHARED };
	int room, moved = 0;
	size_t i;

	test_start(argc, argv);
	room = test_proc_bytes("meminfo", "MemAvailable") > NEEDED;
	MPI_Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!room)
		return test_skip("less than 6 GiB of memory are free");
	if (!test_rank) {
		origin_data = large_folded();
		result_data = large_folded();
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kind = kinds[i];
		if (is_apt())
			moved += move_all();
	}
	check(moved > 0, "ORIEL_TEST_MOVES names none of the moves");
	return test_finish();
}
