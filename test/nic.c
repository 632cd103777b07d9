/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With oriel_atomics=nic the accumulates of a kind that the network has all
 * atomics for are executed by it, whoever the target is, this rank included,
 * and however many elements they have; kinds and elements that it cannot do,
 * and windows that say they need more at once than it can give, stay with the
 * owner.  Either way they are atomic, keep their order, and are complete when
 * the epoch or the flush says so.
 */
/* ranks: 2 3 4 8; paths: fabric-nic shm-nic sockets-nic nic */
#include "agents.h"

#include <stdint.h>

#define N 5000 /* elements: more than one atomic takes */

/* Does the network do it, where it is asked to? */
static bool is_wanted(void)
{
	const char *atomics = getenv("ORIEL_ATOMICS");

	return atomics && !strcmp(atomics, "nic") &&
	       (test_apart || test_path_is("fabric"));
}

static void open_with(struct test_win *w, enum test_kind kind, const char *key,
		      const char *value)
{
	MPI_Info info;

	MPI_Info_create(&info);
	if (key)
		MPI_Info_set(info, key, value);
	test_win_open_info(w, kind, N * sizeof(int64_t) + 8, 1, info);
	MPI_Info_free(&info);
}

/* All calls until now were the network's, at least one of them; or none. */
static void executed(const struct test_win *w, bool by_nic, const char *what)
{
	long nic = executed_by(w->win, "nic");

	if (test_on_host)
		return;
	by_nic &= is_wanted();
	check(by_nic ? nic > 0 : nic == 0, "%s: %ld calls by the network", what,
	      nic);
	if (by_nic)
		check(!executed_by(w->win, "owner") &&
			      !executed_by(w->win, "locked") &&
			      !executed_by(w->win, "atomic"),
		      "%s: some by others", what);
}

/* -- totals ---------------------------------------------------------------- */

/* Each rank adds to element i of every rank, in several ways. */
static long add_all(const struct test_win *w, int target)
{
	static int64_t ones[N], old[N];
	const int64_t zero = 0;
	int i;

	for (i = 0; i < N; i++)
		ones[i] = 1;
	MPI_Accumulate(ones, N, MPI_INT64_T, target, 0, N, MPI_INT64_T, MPI_SUM,
		       w->win);
	MPI_Get_accumulate(ones, N, MPI_INT64_T, old, N, MPI_INT64_T, target, 0,
			   N, MPI_INT64_T, MPI_SUM, w->win);
	for (i = 0; i < 20; i++) {
		MPI_Accumulate(ones, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T,
			       MPI_SUM, w->win);
		MPI_Fetch_and_op(ones, old, MPI_INT64_T, target, 0, MPI_SUM,
				 w->win);
		MPI_Compare_and_swap(&zero, &zero, old, MPI_INT64_T, target, 0,
				     w->win);
	}
	MPI_Win_flush(target, w->win);
	return 2;
}

static void totals(enum test_kind kind)
{
	struct test_win w;
	const int64_t *mine;
	int64_t each = 0;
	int t, i;

	open_with(&w, kind, NULL, NULL);
	MPI_Win_lock_all(0, w.win);
	for (t = 0; t < test_size; t++)
		each = add_all(&w, (test_rank + t) % test_size);
	MPI_Win_unlock_all(w.win);
	executed(&w, true, "totals");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w.win);
	mine = (const int64_t *)(void *)w.base;
	check(mine[0] == test_size * (each + 40), "%lld", (long long)mine[0]);
	for (i = 1; i < N; i++)
		check(mine[i] == test_size * each, "element %d: %lld", i,
		      (long long)mine[i]);
	MPI_Win_unlock(test_rank, w.win);
	test_win_close(&w);
}

/* -- tickets: no value is given twice -------------------------------------- */

#define TICKETS 60

static void tickets(void)
{
	int32_t mine[TICKETS], *all, one = 1, *seen;
	struct test_win w;
	int i, n = TICKETS * test_size;

	all = malloc(n * sizeof(*all));
	seen = calloc(n, sizeof(*seen));
	open_with(&w, KIND_ALLOCATE, NULL, NULL);
	MPI_Win_lock_all(0, w.win);
	for (i = 0; i < TICKETS; i++)
		MPI_Fetch_and_op(&one, &mine[i], MPI_INT32_T, 0, 0, MPI_SUM,
				 w.win);
	MPI_Win_unlock_all(w.win);
	executed(&w, true, "tickets");
	for (i = 1; i < TICKETS; i++)
		check(mine[i] > mine[i - 1], "%d after %d", mine[i],
		      mine[i - 1]);
	MPI_Allgather(mine, TICKETS, MPI_INT32_T, all, TICKETS, MPI_INT32_T,
		      MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		check(all[i] >= 0 && all[i] < n && !seen[all[i]]++, "ticket %d",
		      all[i]);
	test_win_close(&w);
	free(all);
	free(seen);
}

/* -- order: of one origin on one element, without a flush ------------------ */

#define STEPS 40

static void order(void)
{
	double set[STEPS], old[STEPS], half = 0.5;
	struct test_win w;
	int i, t;

	open_with(&w, KIND_CREATE, NULL, NULL);
	MPI_Win_lock_all(0, w.win);
	for (t = 0; t < test_size; t++) {
		MPI_Aint at = 8 * test_rank;

		for (i = 0; i < STEPS; i++) {
			set[i] = i + 1;
			MPI_Accumulate(&set[i], 1, MPI_DOUBLE, t, at, 1,
				       MPI_DOUBLE, MPI_REPLACE, w.win);
			MPI_Accumulate(&half, 1, MPI_DOUBLE, t, at, 1,
				       MPI_DOUBLE, MPI_SUM, w.win);
			MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, &old[i], 1,
					   MPI_DOUBLE, t, at, 1, MPI_DOUBLE,
					   MPI_NO_OP, w.win);
		}
		MPI_Win_flush_local(t, w.win);
		for (i = 0; i < STEPS; i++)
			check(old[i] == i + 1.5, "step %d: %g", i, old[i]);
	}
	MPI_Win_unlock_all(w.win);
	executed(&w, true, "order");
	test_win_close(&w);
}

/* -- epochs: what is done when they end ------------------------------------ */

static void everyone(MPI_Group *group)
{
	MPI_Comm_group(MPI_COMM_WORLD, group);
}

static void add(const struct test_win *w, int target, uint32_t n)
{
	MPI_Accumulate(&n, 1, MPI_UINT32_T, target, 0, 1, MPI_UINT32_T, MPI_SUM,
		       w->win);
}

/* The window's owner looks as soon as the epoch has ended. */
static void holds(const struct test_win *w, uint32_t want, const char *what)
{
	uint32_t got = *(volatile uint32_t *)(void *)w->base;

	check(got == want, "%s: %u, not %u", what, got, want);
}

static void epochs(enum test_kind kind)
{
	struct test_win w;
	MPI_Group group;
	uint32_t sum = 0, got = 0;
	int t;

	open_with(&w, kind, NULL, NULL);
	MPI_Win_fence(0, w.win);
	for (t = 0; t < test_size; t++)
		add(&w, t, 1);
	MPI_Win_fence(0, w.win);
	holds(&w, sum += test_size, "fence");
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
	everyone(&group);
	MPI_Win_post(group, 0, w.win);
	MPI_Win_start(group, 0, w.win);
	for (t = 0; t < test_size; t++)
		add(&w, t, 2);
	MPI_Win_complete(w.win);
	MPI_Win_wait(w.win);
	holds(&w, sum += 2 * test_size, "complete");
	MPI_Group_free(&group);
	MPI_Barrier(MPI_COMM_WORLD);
	for (t = 0; t < test_size; t++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w.win);
		add(&w, t, 3);
		MPI_Win_unlock(t, w.win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_prev(), 0, w.win);
	MPI_Get(&got, 4, MPI_BYTE, test_prev(), 0, 4, MPI_BYTE, w.win);
	MPI_Win_unlock(test_prev(), w.win);
	check(got == sum + 3 * test_size, "unlock: %u", got);
	executed(&w, true, "epochs");
	test_win_close(&w);
}

/* -- what is not the network's --------------------------------------------- */

static void others(void)
{
	struct test_win w;
	long double one = 1;
	int64_t step = 1;
	int t;

	open_with(&w, KIND_ALLOCATE, NULL, NULL);
	MPI_Win_lock_all(0, w.win);
	for (t = 0; t < test_size; t++) {
		MPI_Accumulate(&one, 1, MPI_LONG_DOUBLE, t, 0, 1,
			       MPI_LONG_DOUBLE, MPI_SUM, w.win);
		/* On no boundary: bytes 33 to 40. */
		MPI_Accumulate(&step, 1, MPI_INT64_T, t, 33, 1, MPI_INT64_T,
			       MPI_SUM, w.win);
	}
	MPI_Win_unlock_all(w.win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, w.win);
	memcpy(&one, w.base, sizeof(one));
	memcpy(&step, w.base + 33, sizeof(step));
	check(one == test_size, "%Lg", one);
	check(step == test_size, "%lld", (long long)step);
	MPI_Win_unlock(test_rank, w.win);
	test_win_close(&w);
}

/* Blocks on no boundary among others, in one call. */
static void mixed_layout(void)
{
	const int lens[] = { 3, 2, 1 };
	const MPI_Aint offs[] = { 0, 41, 64 };
	const int64_t ones[6] = { 1, 1, 1, 1, 1, 1 };
	struct test_win w;
	MPI_Datatype type;
	int64_t got;
	int b, i, t;

	MPI_Type_create_hindexed(3, (int *)lens, (MPI_Aint *)offs, MPI_INT64_T,
				 &type);
	MPI_Type_commit(&type);
	open_with(&w, KIND_ALLOCATE, NULL, NULL);
	MPI_Win_fence(0, w.win);
	for (t = 0; t < test_size; t++)
		MPI_Accumulate(ones, 6, MPI_INT64_T, t, 0, 1, type, MPI_SUM,
			       w.win);
	MPI_Win_fence(0, w.win);
	for (b = 0; b < 3; b++)
		for (i = 0; i < lens[b]; i++) {
			memcpy(&got, w.base + offs[b] + 8 * i, 8);
			check(got == test_size, "block %d: %lld", b,
			      (long long)got);
		}
	MPI_Type_free(&type);
	test_win_close(&w);
}

/* Of the network too, as it was asked for. */
static void told(const struct test_win *w, bool by_nic, const char *what)
{
	if (!test_on_host && (test_apart || test_path_is("fabric")))
		check(info_is(w->win, "oriel_atomics",
			      by_nic && is_wanted() ? "nic" : "owner"),
		      "%s", what);
}

static void one_each(const char *key, const char *value, bool by_nic)
{
	struct test_win w;
	int t;

	open_with(&w, KIND_ALLOCATE, key, value);
	MPI_Win_fence(0, w.win);
	for (t = 0; t < test_size; t++)
		add(&w, t, 1);
	MPI_Win_fence(0, w.win);
	holds(&w, test_size, key);
	executed(&w, by_nic, key);
	told(&w, by_nic, key);
	test_win_close(&w);
}

/*
 * More at once than the network can give: of all operations it has that for
 * compare-and-swap alone, of which there is never more than one.  So a
 * further key decides; NULL: none.
 */
static void one_swap(const char *key, const char *value, bool by_nic)
{
	const int64_t zero = 0, one = 1;
	struct test_win w;
	MPI_Info info;
	int64_t old;
	int t;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_accumulate_granularity", "1048576");
	if (key)
		MPI_Info_set(info, key, value);
	test_win_open_info(&w, KIND_ALLOCATE, 8, 1, info);
	MPI_Info_free(&info);
	MPI_Win_lock_all(0, w.win);
	for (t = 0; t < test_size; t++)
		MPI_Compare_and_swap(&one, &zero, &old, MPI_INT64_T, t, 0,
				     w.win);
	MPI_Win_unlock_all(w.win);
	executed(&w, by_nic, key ? key : "swap");
	test_win_close(&w);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	totals(KIND_CREATE);
	totals(KIND_ALLOCATE);
	tickets();
	order();
	epochs(KIND_CREATE);
	epochs(KIND_ALLOCATE);
	others();
	mixed_layout();
	one_each("oriel_atomics", "owner", false);
	one_each("mpi_accumulate_granularity", "2048", true);
	one_each("mpi_accumulate_granularity", "1048576", false);
	one_swap(NULL, NULL, false);
	one_swap("acc_single_intrinsic", "true", true);
	one_swap("which_accumulate_ops", "cswap", true);
	one_swap("which_accumulate_ops", "sum,cswap", false);
	one_swap("accumulate_ops", "same_op", true);
	return test_finish();
}
