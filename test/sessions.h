/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sessions.h - for tests of windows on communicators of sessions (MPI-4.0,
 * section 11.3): a communicator of a session, and windows of all kinds on it,
 * used.  Includes nothing where the host has no sessions: SESSIONS is unset.
 * On one node: between hosts MPICH hangs at the end of a session, now and then,
 * without Oriel too.
 */
#ifndef SESSIONS_H
#define SESSIONS_H

#include "test.h"

#ifndef MPI_SESSION_NULL

static int sessions_missing(void)
{
	puts("# skip: the host MPI has no sessions");
	return 77;
}

#else
#define SESSIONS 1

#define WORDS 64

static MPI_Session sessions_open(void)
{
	MPI_Session session;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	return session;
}

/* Of a process set; its errors return. */
static MPI_Comm sessions_comm(MPI_Session session, const char *set,
			      const char *tag)
{
	MPI_Group group;
	MPI_Comm comm;

	MPI_Group_from_session_pset(session, set, &group);
	MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN,
				   &comm);
	MPI_Group_free(&group);
	return comm;
}

struct sessions_win {
	MPI_Comm comm;
	int rank, size;
	enum test_kind kind;
	MPI_Win win;
	int64_t *memory;
	MPI_Aint first; /* displacement of the next rank's memory */
};

static void sessions_attach(struct sessions_win *w)
{
	MPI_Aint at[1];
	int next = (w->rank + 1) % w->size;
	int prev = (w->rank + w->size - 1) % w->size;

	ok(MPI_Win_create_dynamic(MPI_INFO_NULL, w->comm, &w->win));
	ok(MPI_Win_attach(w->win, w->memory, WORDS * 8));
	MPI_Get_address(w->memory, &at[0]);
	MPI_Sendrecv(&at[0], 1, MPI_AINT, prev, 1, &w->first, 1, MPI_AINT, next,
		     1, w->comm, MPI_STATUS_IGNORE);
}

static struct sessions_win sessions_win_open(MPI_Comm comm, enum test_kind kind)
{
	struct sessions_win w = { .comm = comm, .kind = kind };

	MPI_Comm_rank(comm, &w.rank);
	MPI_Comm_size(comm, &w.size);
	if (kind == KIND_ALLOCATE) {
		ok(MPI_Win_allocate(WORDS * 8, 8, MPI_INFO_NULL, comm,
				    &w.memory, &w.win));
	} else {
		w.memory = test_memory(test_kind_is_heap(kind), WORDS * 8);
		if (test_kind_is_dynamic(kind))
			sessions_attach(&w);
		else
			ok(MPI_Win_create(w.memory, WORDS * 8, 8, MPI_INFO_NULL,
					  comm, &w.win));
	}
	memset(w.memory, 0, WORDS * 8);
	MPI_Barrier(comm);
	return w;
}

static void sessions_win_close(struct sessions_win *w)
{
	bool dynamic = test_kind_is_dynamic(w->kind);

	MPI_Barrier(w->comm);
	if (dynamic)
		ok(MPI_Win_detach(w->win, w->memory));
	ok(MPI_Win_free(&w->win));
	if (w->kind != KIND_ALLOCATE)
		test_memory_free(test_kind_is_heap(w->kind), w->memory);
}

/* Not the host's: Oriel counts accumulates. */
static void sessions_check_owner(MPI_Win win)
{
	char value[MPI_MAX_INFO_VAL];
	int found = 0;
	MPI_Info info;

	if (getenv("ORIEL_TEST_HOST"))
		return;
	ok(MPI_Win_get_info(win, &info));
	MPI_Info_get(info, "oriel_accumulates", MPI_MAX_INFO_VAL - 1, value,
		     &found);
	MPI_Info_free(&info);
	check(found, "the window is not Oriel's");
}

/* Without derived datatypes. */
static bool sessions_plain;

/* Every rank writes to, adds to and reads from the next. */
static void sessions_win_use(struct sessions_win *w)
{
	int next = (w->rank + 1) % w->size, unit = w->first ? 8 : 1;
	int prev = (w->rank + w->size - 1) % w->size;
	int64_t put[8] = { 1, 0, 2, 0, 3, 0, 4 }, one = 1000 + w->rank;
	int64_t got[8] = { 0 }, old = 0;
	int count = sessions_plain ? 7 : 1;
	MPI_Datatype every = MPI_INT64_T;
	MPI_Request request;

	if (!sessions_plain) {
		MPI_Type_vector(4, 1, 2, MPI_INT64_T, &every);
		MPI_Type_commit(&every);
	}
	MPI_Win_fence(0, w->win);
	MPI_Put(put, count, every, next, w->first, count, every, w->win);
	MPI_Win_fence(0, w->win);
	MPI_Win_lock_all(0, w->win);
	MPI_Fetch_and_op(&one, &old, MPI_INT64_T, next, w->first + 2 * unit,
			 MPI_SUM, w->win);
	MPI_Win_flush(next, w->win);
	MPI_Rget(got, count, every, next, w->first, count, every, w->win,
		 &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(w->win);
	if (!sessions_plain)
		MPI_Type_free(&every);
	check(old == 2, "fetched %ld", (long)old);
	check(got[0] == 1 && got[2] == 2 + one && got[6] == 4,
	      "got %ld %ld %ld", (long)got[0], (long)got[2], (long)got[6]);
	MPI_Barrier(w->comm);
	check(w->memory[2] == 2 + 1000 + prev && !w->memory[1],
	      "%s: memory has %ld", test_kind_name(w->kind),
	      (long)w->memory[2]);
}

static void sessions_use(MPI_Comm comm)
{
	static const enum test_kind kinds[] = { KIND_ALLOCATE, KIND_CREATE_MEM,
						KIND_CREATE, KIND_DYNAMIC };
	struct sessions_win w;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!test_kind_is_usable(kinds[i]))
			continue;
		w = sessions_win_open(comm, kinds[i]);
		sessions_check_owner(w.win);
		sessions_win_use(&w);
		sessions_win_close(&w);
	}
}

/* Collective: the exit status, the same on all ranks. */
static inline int sessions_verdict(MPI_Comm comm)
{
	int all;

	MPI_Allreduce(&test_failures, &all, 1, MPI_INT, MPI_SUM, comm);
	return all ? 1 : 0;
}

/* Is the host's version so, "Open MPI v5.0" or "MPICH Version: 4.0"? */
static inline bool sessions_host_is(const char *name, const char *version)
{
	char text[8192];
	const char *at;
	int len;

	MPI_Get_library_version(text, &len);
	at = strncmp(text, name, strlen(name)) ? NULL : strstr(text, version);
	return at != NULL;
}

#endif
#endif
