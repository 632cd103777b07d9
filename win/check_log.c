/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_log.c - the accesses that are not complete, of all of a node's ranks,
 * in memory that they share; each is compared with those before it.
 *
 * Two that are there at once are not ordered by anything, whatever the program
 * uses to order them: an origin takes its accesses out before it enters the
 * call that completes them, so who acts on that does not find them.  In an
 * epoch whose end all ranks share they stay until that end:
 *
 *	fence		until the origin is past the fence; compared with
 *			those of the same epoch alone
 *	post		until the target's MPI_Win_wait has returned
 *	lock		until the origin enters flush or unlock
 */
#include "check_parts.h"

#include <string.h>

#define MOST 4096

/* In the arena of the node's first rank; all of it under the lock, which
 * survives the death of who holds it. */
struct orl_access_log {
	pthread_mutex_t lock;
	uint32_t n;
	uint32_t pad;
	struct orl_access list[MOST];
	/* By rank, where nobody may update its memory: written by itself,
	 * which may be one fence ahead of others. */
	struct forbidden {
		uint32_t epochs[2]; /* of fences, odd and even */
		uint32_t exposure;  /* is that of its latest post? */
	} forbidden[];
};

size_t orl_access_log_bytes(uint32_t size)
{
	return sizeof(struct orl_access_log) + size * sizeof(struct forbidden);
}

void orl_access_log_init(struct orl_access_log *log, uint32_t size)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&log->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	log->n = 0;
	memset(log->forbidden, 0, size * sizeof(*log->forbidden));
}

static struct orl_access_log *enter(struct orl_win *win)
{
	struct orl_access_log *log = win->check->log;

	if (pthread_mutex_lock(&log->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&log->lock);
	return log;
}

static void leave(struct orl_access_log *log)
{
	pthread_mutex_unlock(&log->lock);
}

/* -- conflicts, MPI-3.1 sections 11.3, 11.7 -------------------------------- */

/* Not complete at the same time, on bytes of the same target. */
static bool is_together(const struct orl_access *a, const struct orl_access *b)
{
	if (a->target != b->target || a->mode != b->mode)
		return false;
	if (a->mode == ORL_CHECK_FENCE && a->epoch != b->epoch)
		return false;
	return orl_stripe_meets(&a->where, &b->where);
}

/* Elements of one kind, of which none lies across two of the other's. */
static bool is_alike(const struct orl_access *a, const struct orl_access *b)
{
	const struct orl_kind_info *kind = &orl_kinds[a->kind];
	uint64_t apart = 0;

	if (a->kind != b->kind)
		return false;
	orl_stripe_meets_at(&a->where, &b->where, &apart);
	return kind->size != kind->extent || apart % kind->extent == 0;
}

/* What a compare-and-swap stores, it stores as MPI_REPLACE does. */
static unsigned op_of(const struct orl_access *access)
{
	return access->op == ORL_OP_CAS ? ORL_REPLACE : access->op;
}

/* Accumulates of one origin are ordered; of several they may be mixed if
 * they are of one kind and one operation, or MPI_NO_OP (accumulate_ops). */
static const char *accumulates(const struct orl_access *a,
			       const struct orl_access *b)
{
	if (a->origin == b->origin)
		return NULL;
	if (!is_alike(a, b))
		return "has other elements than";
	if (op_of(a) == op_of(b) || a->op == ORL_NO_OP || b->op == ORL_NO_OP)
		return NULL;
	return "has another operation than";
}

/* NULL, or how the first one conflicts with the second. */
static const char *conflict(const struct orl_access *a,
			    const struct orl_access *b)
{
	if (orl_access_is_read(a) && orl_access_is_read(b))
		return NULL;
	if (!is_together(a, b))
		return NULL;
	if (a->what == ORL_CHECK_ACC && b->what == ORL_CHECK_ACC)
		return accumulates(a, b);
	return "conflicts with";
}

static const char *find_conflict(const struct orl_access_log *log,
				 const struct orl_access *mine,
				 struct orl_access *other)
{
	for (uint32_t i = 0; i < log->n; i++) {
		const char *how = conflict(mine, &log->list[i]);

		if (!how)
			continue;
		*other = log->list[i];
		return how;
	}
	return NULL;
}

static bool is_forbidden(const struct orl_access_log *log,
			 const struct orl_access *access)
{
	const struct forbidden *f = &log->forbidden[access->target];

	if (orl_access_is_read(access))
		return false;
	if (access->mode == ORL_CHECK_START)
		return f->exposure;
	return access->mode == ORL_CHECK_FENCE &&
	       f->epochs[access->epoch % 2] == access->epoch;
}

static void report_conflict(const struct orl_win *win, const char *how,
			    const struct orl_access *mine,
			    const struct orl_access *other)
{
	static const char *const when[ORL_CHECK_MODES] = {
		[ORL_CHECK_FENCE] = "in the same fence epoch",
		[ORL_CHECK_START] = "in the same exposure epoch",
		[ORL_CHECK_PASSIVE] = "which is not complete",
	};

	orl_check_report(win, mine->call, mine->place,
			 "target %u, bytes %llu to %llu: %s %s of rank %u on "
			 "bytes %llu to %llu, %s, called at %s",
			 mine->target, (unsigned long long)mine->where.at,
			 (unsigned long long)orl_stripe_last(&mine->where), how,
			 other->call, other->origin,
			 (unsigned long long)other->where.at,
			 (unsigned long long)orl_stripe_last(&other->where),
			 when[other->mode], other->place);
}

/* -- noting ---------------------------------------------------------------- */

/* Side by side with the one before, by the same call of the program. */
static bool extends(struct orl_access *last, const struct orl_access *access)
{
	if (last->origin != access->origin || last->target != access->target ||
	    last->epoch != access->epoch || last->mode != access->mode ||
	    last->what != access->what || last->op != access->op ||
	    last->kind != access->kind ||
	    !orl_stripe_continues(&last->where, &access->where) ||
	    strcmp(last->place, access->place) != 0)
		return false;
	last->where.len += access->where.len;
	return true;
}

static void append(struct orl_access_log *log, const struct orl_access *access)
{
	if (log->n && extends(&log->list[log->n - 1], access))
		return;
	if (log->n == MOST)
		orl_check_lost();
	else
		log->list[log->n++] = *access;
}

void orl_access_note(struct orl_win *win, const struct orl_access *accesses,
		     unsigned n, bool keep)
{
	struct orl_access_log *log = enter(win);
	bool forbidden = n && is_forbidden(log, accesses);
	struct orl_access other;
	const char *how = NULL;
	unsigned i, found = 0;

	for (i = 0; i < n && !how; i++) {
		how = find_conflict(log, &accesses[i], &other);
		found = i;
	}
	for (i = 0; i < n && keep; i++)
		append(log, &accesses[i]);
	leave(log);
	if (how)
		report_conflict(win, how, &accesses[found], &other);
	if (forbidden)
		orl_check_report(win, accesses->call, accesses->place,
				 "target %u has asserted MPI_MODE_NOPUT",
				 accesses->target);
}

/* -- what is over ---------------------------------------------------------- */

typedef bool (*over_fn)(const struct orl_win *win,
			const struct orl_access *access, const void *arg);

/* The order of the rest does not count. */
static void drop(struct orl_win *win, over_fn is_over, const void *arg)
{
	struct orl_access_log *log = enter(win);
	uint32_t i = 0;

	while (i < log->n) {
		if (is_over(win, &log->list[i], arg))
			log->list[i] = log->list[--log->n];
		else
			i++;
	}
	leave(log);
}

/* A get that is complete at the origin is complete. */
static bool is_settled(const struct orl_win *win,
		       const struct orl_access *access, const void *arg)
{
	const struct orl_settled *settled = arg;

	if (access->origin != win->rank || access->mode != settled->mode)
		return false;
	if (settled->target >= 0 && (uint32_t)settled->target != access->target)
		return false;
	/* The target itself does so, if it can. */
	if (access->mode == ORL_CHECK_START)
		return win->targets[access->target].path->remote;
	return !settled->local || orl_access_is_read(access);
}

void orl_access_settle(struct orl_win *win, const struct orl_settled *settled)
{
	if (settled->mode != ORL_CHECK_FENCE)
		drop(win, is_settled, settled);
}

static bool is_released(const struct orl_win *win,
			const struct orl_access *access, const void *arg)
{
	const int *target = arg;

	return access->origin == win->rank &&
	       access->target == (uint32_t)*target;
}

void orl_access_release(struct orl_win *win, int target)
{
	drop(win, is_released, &target);
}

static bool is_fenced(const struct orl_win *win,
		      const struct orl_access *access, const void *arg)
{
	(void)arg;
	return access->origin == win->rank && access->mode == ORL_CHECK_FENCE &&
	       access->epoch != win->check->fences;
}

void orl_access_fenced(struct orl_win *win)
{
	drop(win, is_fenced, NULL);
}

static bool was_exposed(const struct orl_win *win,
			const struct orl_access *access, const void *arg)
{
	(void)arg;
	return access->target == win->rank && access->mode == ORL_CHECK_START;
}

void orl_access_exposed(struct orl_win *win)
{
	drop(win, was_exposed, NULL);
}

unsigned orl_access_count(struct orl_win *win, struct orl_access *one)
{
	struct orl_access_log *log = enter(win);
	unsigned n = 0;

	for (uint32_t i = 0; i < log->n; i++) {
		const struct orl_access *access = &log->list[i];

		if (access->origin != win->rank ||
		    access->mode != ORL_CHECK_FENCE ||
		    access->epoch != win->check->fences)
			continue;
		*one = *access;
		n++;
	}
	leave(log);
	return n;
}

void orl_access_forbid_epoch(struct orl_win *win, uint32_t epoch)
{
	struct orl_access_log *log = enter(win);

	log->forbidden[win->rank].epochs[epoch % 2] = epoch;
	leave(log);
}

void orl_access_forbid_exposure(struct orl_win *win, bool forbid)
{
	struct orl_access_log *log = enter(win);

	log->forbidden[win->rank].exposure = forbid;
	leave(log);
}
