/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lost.c - what lost.sh runs: lost DIR END CASE...  The last rank ends in the
 * way of END, kill or stop (by SIGKILL or SIGSTOP), while the others are in
 * the calls of the first case; they come to the other cases after that.  Each
 * must give an error that tells of a loss, within LIMIT seconds, but for those
 * that wait for what the lost one holds of ranks that live on: it is given
 * back, and they may have it.  What the others have between them goes on.
 *
 * What a rank found is the file DIR/found.RANK.  All end by _exit: the host's
 * MPI_Finalize would wait for the lost one.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#define LIMIT 15
#define LARGE (1 << 20)
#define MOST  32

static const char *dir;
static char buf[LARGE];
static int victim, word, old;
static const char *current = "the beginning";

/* -- what is found --------------------------------------------------------- */

static void write_file(const char *name, const char *text)
{
	char path[4000], made[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.%d", dir, name, test_rank);
	snprintf(made, sizeof(made), "%s.new", path);
	f = fopen(made, "w");
	if (!f)
		_exit(2);
	fprintf(f, "%s\n", text);
	fclose(f);
	/* Others see it when it is whole. */
	rename(made, path);
}

/* Stays, as far as the others are concerned, until all have found something. */
static void __attribute__((noreturn)) found(const char *what)
{
	char text[256], end[4096];

	snprintf(text, sizeof(text), "%s: %s", current, what);
	write_file("found", text);
	snprintf(end, sizeof(end), "%s/end", dir);
	while (access(end, F_OK))
		usleep(10000);
	_exit(0);
}

/* Wherever the alarm has come: nothing else of this thread runs any more. */
static void hang(int number)
{
	found("hangs");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* -- calls of an epoch of lock_all, made until one fails ------------------- */

/* The call itself may know already, but what completes it must fail as well:
 * programs look there. */
static int both(int rc, int completed)
{
	if (rc && !completed)
		found("a call fails, what completes it does not");
	return completed;
}

static int flushed(int rc, MPI_Win win)
{
	return both(rc, MPI_Win_flush(victim, win));
}

static int put(MPI_Win win)
{
	return flushed(MPI_Put(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win),
		       win);
}

static int put_large(MPI_Win win)
{
	int rc = MPI_Put(buf, LARGE, MPI_BYTE, victim, 0, LARGE, MPI_BYTE, win);

	return both(rc, MPI_Win_flush_all(win));
}

static int get(MPI_Win win)
{
	int rc = MPI_Get(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win);

	return both(rc, MPI_Win_flush_local(victim, win));
}

static int get_large(MPI_Win win)
{
	return flushed(
		MPI_Get(buf, LARGE, MPI_BYTE, victim, 0, LARGE, MPI_BYTE, win),
		win);
}

static int acc(MPI_Win win)
{
	return flushed(MPI_Accumulate(buf, LARGE, MPI_BYTE, victim, 0, LARGE,
				      MPI_BYTE, MPI_BXOR, win),
		       win);
}

static int fop(MPI_Win win)
{
	return flushed(
		MPI_Fetch_and_op(&word, &old, MPI_INT, victim, 0, MPI_SUM, win),
		win);
}

static int cas(MPI_Win win)
{
	return flushed(MPI_Compare_and_swap(&word, &word, &old, MPI_INT, victim,
					    0, win),
		       win);
}

static int rget(MPI_Win win)
{
	MPI_Request request;
	int rc =
		MPI_Rget(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win, &request);

	rc = rc ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
	return both(rc, MPI_Win_flush(victim, win));
}

/* Is complete at its origin whatever becomes of the target. */
static int rput(MPI_Win win)
{
	MPI_Request request;
	int rc =
		MPI_Rput(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win, &request);

	rc = rc ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
	return both(rc, MPI_Win_flush(victim, win));
}

static int rows(MPI_Win win)
{
	MPI_Datatype type;
	int rc;

	MPI_Type_vector(100, 3, 5, MPI_INT, &type);
	MPI_Type_commit(&type);
	rc = flushed(MPI_Put(buf, 1, type, victim, 0, 1, type, win), win);
	rc = both(rc,
		  flushed(MPI_Get(buf, 1, type, victim, 0, 1, type, win), win));
	MPI_Type_free(&type);
	return rc;
}

static void open_all(MPI_Win win)
{
	MPI_Win_lock_all(0, win);
}

/* What waits in a message when the victim ends. */
static void open_put(MPI_Win win)
{
	open_all(win);
	if (test_rank != victim)
		MPI_Put(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win);
}

/* Of what was put before: the put itself may know already. */
static int rflush(MPI_Win win)
{
	MPI_Request request;
	int rc = Oriel_Rflush(victim, win, &request);

	rc = rc ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
	return rc ? rc : MPI_Put(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win);
}

/* Of those who are there: no word of the loss, and the bytes arrive. */
static void go_on(MPI_Win win)
{
	int t = (test_rank + 1) % victim, sent = 4711, got = 0;
	MPI_Aint at = LARGE - 4 * (1 + test_rank);

	MPI_Put(&sent, 1, MPI_INT, t, at, 1, MPI_INT, win);
	if (MPI_Win_flush(t, win))
		found("a flush of another rank fails");
	MPI_Get(&got, 1, MPI_INT, t, at, 1, MPI_INT, win);
	if (MPI_Win_flush(t, win) || got != sent)
		found("a get of another rank fails");
}

/* -- locks ----------------------------------------------------------------- */

static int lock_put(int t, MPI_Win win)
{
	int rc = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win);

	if (rc)
		return rc;
	rc = MPI_Put(&word, 1, MPI_INT, t, 0, 1, MPI_INT, win);
	return both(rc, MPI_Win_unlock(t, win));
}

static int lock(MPI_Win win)
{
	return lock_put(victim, win);
}

/* What the victim holds, it holds for ever. */
static int lock_first(MPI_Win win)
{
	return lock_put(0, win);
}

static void hold(int t, MPI_Win win)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win);
	MPI_Put(&word, 1, MPI_INT, t, 0, 1, MPI_INT, win);
	MPI_Win_flush(t, win);
}

static void victim_holds_first(MPI_Win win)
{
	if (test_rank == victim)
		hold(0, win);
}

static void victim_holds_own(MPI_Win win)
{
	if (test_rank == victim)
		hold(victim, win);
}

static void victim_holds_all(MPI_Win win)
{
	if (test_rank == victim)
		MPI_Win_lock_all(0, win);
}

static int lock_all(MPI_Win win)
{
	int rc = MPI_Win_lock_all(0, win);

	return rc ? rc : put(win);
}

/* A lock that nobody has asked for yet must be asked for by the next. */
static MPI_Win own;

static void lock_lazily(MPI_Win win)
{
	void *base;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &own);
	MPI_Win_set_errhandler(own, MPI_ERRORS_RETURN);
	if (test_rank != victim)
		MPI_Win_lock(MPI_LOCK_SHARED, victim, 0, win);
}

static int lock_all_own(MPI_Win win)
{
	int rc;

	usleep(600000);
	rc = MPI_Win_lock_all(0, own);
	if (!rc)
		MPI_Win_unlock_all(own);
	return rc;
}

/* What lock_all could not do has left nothing behind. */
static void lock_own(MPI_Win win)
{
	alarm(LIMIT);
	MPI_Win_unlock(victim, win);
	if (MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, own) ||
	    MPI_Win_unlock(0, own))
		found("the process cannot lock its own window");
	alarm(0);
}

/* Their epochs were all granted: the end of one tells. */
static int unlock_all(MPI_Win win)
{
	int rc = MPI_Put(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win);

	return both(rc, MPI_Win_unlock_all(win));
}

/* -- fence, and post, start, complete, wait -------------------------------- */

static void open_fence(MPI_Win win)
{
	MPI_Win_fence(0, win);
}

static int fence(MPI_Win win)
{
	return MPI_Win_fence(0, win);
}

static MPI_Group victims(void)
{
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &victim, &group);
	MPI_Group_free(&world);
	return group;
}

static int wait(MPI_Win win)
{
	int rc = MPI_Win_post(victims(), 0, win);

	return rc ? rc : MPI_Win_wait(win);
}

static int complete(MPI_Win win)
{
	int rc = MPI_Win_start(victims(), 0, win);

	if (rc)
		return rc;
	rc = MPI_Put(buf, 4, MPI_INT, victim, 0, 4, MPI_INT, win);
	return both(rc, MPI_Win_complete(win));
}

/* -- cases ----------------------------------------------------------------- */

static const struct loss {
	const char *name;
	void (*open)(MPI_Win win); /* while all are there */
	int (*fail)(MPI_Win win);
	bool again; /* until it fails */
	void (*after)(MPI_Win win);
} losses[] = {
	{ "put", open_all, put, true, go_on },
	{ "put_large", open_all, put_large, true, go_on },
	{ "get", open_all, get, true, go_on },
	{ "get_large", open_all, get_large, true, go_on },
	{ "acc", open_all, acc, true, go_on },
	{ "fop", open_all, fop, true, go_on },
	{ "cas", open_all, cas, true, go_on },
	{ "rget", open_all, rget, true, go_on },
	{ "rput", open_all, rput, true, go_on },
	{ "rows", open_all, rows, true, go_on },
	{ "rflush", open_put, rflush, true, NULL },
	{ "unlock_all", open_all, unlock_all, false, NULL },
	{ "lock", NULL, lock, true, NULL },
	{ "lock_own", victim_holds_own, lock, false, NULL },
	{ "lock_held", victim_holds_first, lock_first, false, NULL },
	{ "lock_in_all", victim_holds_all, lock_first, false, NULL },
	{ "lock_all", victim_holds_own, lock_all, false, NULL },
	{ "lock_all_own", lock_lazily, lock_all_own, false, lock_own },
	{ "fence", open_fence, fence, false, NULL },
	{ "wait", NULL, wait, false, NULL },
	{ "complete", NULL, complete, false, NULL },
};

static const struct loss *find_loss(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (!strcmp(losses[i].name, name))
			return &losses[i];
	current = name;
	found("no such case");
}

/* That of a process that is killed may be this or that. */
static const char *cause = "";

static bool known; /* an error has told of the loss */

static void check_error(int rc)
{
	char text[MPI_MAX_ERROR_STRING] = "", want[160], host[28] = "";
	int len;

	if (rc == MPI_SUCCESS)
		found("no error");
	MPI_Error_string(rc, text, &len);
	gethostname(host, sizeof(host) - 1);
	snprintf(want, sizeof(want),
		 "rank %d of MPI_COMM_WORLD, on host %s, is lost: %s", victim,
		 host, cause);
	if (!strstr(text, want))
		found(text);
	known = true;
}

/* Nothing that is completed at it after that may be said to have arrived. */
static bool has_ended(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/ended", dir);
	return known || !access(path, F_OK);
}

static void suffer(const struct loss *loss, MPI_Win win)
{
	double end = seconds() + LIMIT;
	bool ended;
	int rc;

	current = loss->name;
	alarm(LIMIT);
	do {
		ended = has_ended();
		rc = loss->fail(win);
	} while (!rc && loss->again && !ended && seconds() < end);
	alarm(0);
	if (rc || (loss->fail != lock_first && loss->fail != lock_all))
		check_error(rc);
	if (loss->after)
		loss->after(win);
}

/* Late enough for the others to be in their calls, as a rule. */
static void end_victim(bool stop)
{
	const struct timespec a_while = { .tv_nsec = 300000000 };

	nanosleep(&a_while, NULL);
	raise(stop ? SIGSTOP : SIGKILL);
	_exit(3);
}

static void start(int argc, char **argv)
{
	char pid[32];

	/* Some launchers tell of the loss by it. */
	signal(SIGUSR1, SIG_IGN);
	test_start(argc, argv);
	dir = argv[1];
	victim = test_size - 1;
	if (!strcmp(argv[2], "stop"))
		cause = "silent for 3 s";
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	write_file("pid", pid);
	signal(SIGALRM, hang);
}

int main(int argc, char **argv)
{
	const struct loss *todo[MOST];
	MPI_Win wins[MOST];
	int i, n = argc - 3;
	char *base;

	start(argc, argv);
	for (i = 0; i < n && i < MOST; i++) {
		todo[i] = find_loss(argv[i + 3]);
		MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				 &wins[i]);
		MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN);
		if (todo[i]->open)
			todo[i]->open(wins[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == victim)
		end_victim(!strcmp(argv[2], "stop"));
	for (i = 0; i < n && i < MOST; i++)
		suffer(todo[i], wins[i]);
	current = "all";
	found("well");
}
