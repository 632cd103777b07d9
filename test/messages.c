/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many messages a rank sends for each call is what doc/memory.md says, and
 * no more, as a function of the ranks and of those of other nodes; on one node
 * there are none.
 */
/* ranks: 4 2 3; paths: default software fabric; hosts: 2x1 2x2 3x1 4x1 */
#include "stats.h"
#include "test.h"

#define RANKS 64

static int times; /* a call is counted, between barriers */
static struct test_win w;
static MPI_Group all, next, prev;
static int nodes[RANKS]; /* by rank: the first rank of its node */
static long values[2] = { 1, 2 };

/* -- who is where ----------------------------------------------------------*/

static bool is_far(int rank)
{
	if (test_path_is("software") || test_path_is("fabric"))
		return rank != test_rank;
	return nodes[rank] != nodes[test_rank];
}

static int count_far(void)
{
	int i, n = 0;

	for (i = 0; i < test_size; i++)
		n += is_far(i);
	return n;
}

static bool spans(void)
{
	return test_apart || test_path_is("software") || test_path_is("fabric");
}

static void learn_nodes(void)
{
	int first = test_rank;
	MPI_Comm near;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &near);
	MPI_Bcast(&first, 1, MPI_INT, 0, near);
	MPI_Comm_free(&near);
	MPI_Allgather(&first, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD);
}

/* -- the calls -------------------------------------------------------------*/

/* Two, since one alone may be left to the network's own writes. */
static void put_two(int target)
{
	int i;

	for (i = 0; i < 2; i++)
		MPI_Put(&values[i], 1, MPI_LONG, target,
			test_at(&w, target, 16 * test_rank + 8 * i), 1,
			MPI_LONG, w.win);
}

static void put_all(void)
{
	int t;

	for (t = 0; t < test_size; t++)
		put_two(t);
}

static void fence(void)
{
	MPI_Win_fence(0, w.win);
}

static void fence_put(void)
{
	put_two(test_next());
	MPI_Win_fence(0, w.win);
}

static void post_all(void)
{
	MPI_Win_post(all, 0, w.win);
}

static void start_put(void)
{
	MPI_Win_start(all, 0, w.win);
	put_all();
}

static void complete(void)
{
	MPI_Win_complete(w.win);
}

static void wait(void)
{
	int flag;

	MPI_Win_test(w.win, &flag);
	if (!flag)
		MPI_Win_wait(w.win);
}

static void post_prev(void)
{
	MPI_Win_post(prev, 0, w.win);
}

static void start_next(void)
{
	MPI_Win_start(next, 0, w.win);
	put_two(test_next());
}

static void lock_put(void)
{
	MPI_Win_lock(MPI_LOCK_SHARED, test_next(), 0, w.win);
	put_two(test_next());
	MPI_Win_unlock(test_next(), w.win);
}

/* Its own lock needs none, but the lease. */
static void lock_self(void)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, w.win);
	put_two(test_rank);
	MPI_Win_unlock(test_rank, w.win);
}

static void lock_all(void)
{
	MPI_Win_lock_all(0, w.win);
	MPI_Win_unlock_all(w.win);
}

static void lock_all_put(void)
{
	MPI_Win_lock_all(0, w.win);
	put_all();
	MPI_Win_unlock_all(w.win);
}

static void flush_all(void)
{
	put_all();
	MPI_Win_flush_all(w.win);
}

static void make_window(void)
{
	test_win_open(&w, KIND_ALLOCATE, 16 * test_size, 1);
}

static void free_window(void)
{
	test_win_close(&w);
}

/* -- what they send --------------------------------------------------------*/

/* Rounds of a barrier in which it tells a rank of another node. */
static int rounds(void)
{
	int far, n = 0;

	for (far = 1; far < test_size; far *= 2)
		n += is_far((test_rank + far) % test_size);
	return n;
}

/* A request to the next, and the answer to the one before. */
static int asked(void)
{
	return is_far(test_next()) + is_far(test_prev());
}

/* What was put before a fence of two ranks travels with it. */
static int fence_asked(void)
{
	return test_size == 2 ? 0 : asked();
}

/* By rank 0 one to each, by each one to rank 0. */
static int lease(void)
{
	if (!spans())
		return 0;
	return test_rank ? 1 : test_size - 1;
}

static long long mine;

static void begin(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	mine -= stat_of("messages_sent");
	MPI_Barrier(MPI_COMM_WORLD);
}

static void end(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	mine += stat_of("messages_sent");
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Of a hundred, six tell how many have come; and there are signs of life. */
static void check_sent(const char *what, int want)
{
	check(mine >= want && mine <= want + want / 8 + 2,
	      "%lld messages, not %d: %s", mine, want, what);
	mine = 0;
}

static void count(const char *what, void (*call)(void), int want)
{
	int i;

	begin();
	for (i = 0; i < times; i++)
		call();
	end();
	check_sent(what, times * want);
}

/* Of two calls in turns, the second's. */
static void count_second(const char *what, void (*first)(void),
			 void (*call)(void), int want)
{
	int i;

	for (i = 0; i < times; i++) {
		first();
		begin();
		call();
		end();
	}
	check_sent(what, times * want);
}

static void check_fences(void)
{
	count("fence", fence, rounds());
	count("fence with a rank's puts", fence_put, rounds() + fence_asked());
}

static void check_pscw(void (*post)(void), void (*start)(void), int posts,
		       int completes)
{
	static const char *const names[] = { "post", "start, put", "complete",
					     "wait" };
	void (*const calls[])(void) = { post, start, complete, wait };
	const int want[] = { posts, 0, completes, 0 };
	int i, k, call;

	for (call = 0; call < 4; call++) {
		for (i = 0; i < times; i++) {
			for (k = 0; k < 4; k++) {
				if (k == call)
					begin();
				calls[k]();
				if (k == call)
					end();
			}
		}
		check_sent(names[call], times * want[call]);
	}
}

/* A change of mode: the leases are called back, and granted anew. */
static void check_leases(void)
{
	lock_self();
	count("exclusive locks", lock_self, 0);
	count_second("lock_all after exclusive locks", lock_self, lock_all,
		     2 * lease());
	lock_all();
	count("lock_all", lock_all, 0);
	count_second("exclusive locks after lock_all", lock_all, lock_self,
		     2 * lease());
}

/* Each rank asks the others, and answers them. */
static void check_flushes(void)
{
	lock_all();
	count("lock_all, put, unlock_all", lock_all_put, 2 * count_far());
	MPI_Win_lock_all(0, w.win);
	count("flush_all", flush_all, 2 * count_far());
	MPI_Win_unlock_all(w.win);
}

/* A new window, of which nobody has a lease. */
static void check_first(void)
{
	int i;

	for (i = 0; i < times; i++) {
		make_window();
		begin();
		lock_all();
		end();
		free_window();
	}
	check_sent("the first lock_all", times * lease());
	for (i = 0; i < times; i++) {
		begin();
		make_window();
		end();
		free_window();
	}
	check_sent("creation", 0);
	count_second("free", make_window, free_window, rounds());
}

static void make_groups(void)
{
	int rank = test_next();

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &rank, &next);
	rank = test_prev();
	MPI_Group_incl(all, 1, &rank, &prev);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	if (test_on_host)
		return test_skip("the host does not count");
	if (test_size > RANKS)
		return test_skip("more ranks than are counted");
	learn_nodes();
	times = spans() ? 4 : 1;
	make_groups();
	make_window();
	check_fences();
	check_pscw(post_all, start_put, count_far(), count_far());
	check_pscw(post_prev, start_next, is_far(test_prev()),
		   is_far(test_next()));
	count("lock, put, unlock", lock_put, asked());
	check_leases();
	check_flushes();
	free_window();
	check_first();
	return test_finish();
}
