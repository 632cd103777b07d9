/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lease.c - exclusive locks against lock_all, in windows that span nodes.
 *
 * An epoch of lock_all excludes exclusive locks of every rank, and must be
 * granted as a whole: if it took ranks one by one it could wait for one lock
 * of a process that waits for another one.  So both need a lease of the window,
 * of one mode or the other, which rank 0 grants: any number of processes have
 * leases of one mode, nobody then has one of the other.
 *
 * A lease is kept when the epoch ends, until a process asks for the other
 * mode and rank 0 calls the leases back.  So programs that use one kind of
 * epoch, as nearly all do, pay for it once, and from then on nothing.
 *
 * Requests are granted in the order of their arrival.  But a process that
 * holds a lock already goes past the others, who may be waiting for what it
 * holds; and a lease that is in use serves further locks even when it has been
 * called back.
 *
 * Everything here is under the progress lock; handlers run in any thread that
 * makes progress.  models/lease.pml is this file.
 */
#include "hurry.h"
#include "win.h"

#include <malloc.h>
#include <stdlib.h>

/* -- rank 0: who has a lease, who waits ------------------------------------ */

/* One per rank that ever had a lease. */
struct holder {
	struct orl_win *win;
	struct orl_link link; /* by which it is called back; not rank 0's */
	bool has_lease;
	bool called;
};

struct request {
	struct request *next;
	struct orl_am_peer *peer; /* NULL: rank 0 itself */
	uint32_t rank, slot;
	uint8_t mode;
	bool hurry;
};

struct orl_leases {
	uint8_t mode;		 /* of all leases */
	uint32_t nleases;	 /* granted, and not back */
	struct holder **holders; /* [size] */
	bool closing;
	struct request *first, **last;
};

static void serve_queue(struct orl_win *win);

static void take_back(struct orl_win *win, struct holder *holder)
{
	holder->has_lease = false;
	win->leases->nleases--;
}

/* The answer to a call: the lease is back, or lost with its holder. */
static void returned(struct orl_link *link, void *dst, const void *data,
		     size_t len)
{
	struct holder *holder = dst;

	if (holder->win->leases->closing)
		return;
	take_back(holder->win, holder);
	serve_queue(holder->win);
}

static void give_back(struct orl_win *win);

/* Rank 0's own. */
static void call_own(struct orl_win *win)
{
	win->lease.wanted = true;
	if (!win->lease.users)
		give_back(win);
}

static void call_other(struct holder *holder)
{
	struct orl_record_lease *record =
		orl_am_record(&holder->link, ORL_AM_CALL, sizeof(*record));

	/* A lost holder's lease has ended; without memory it is called again
	 * when something else moves the queue. */
	if (!record) {
		holder->called = false;
		if (holder->link.peer->error)
			take_back(holder->win, holder);
		return;
	}
	record->pad = 0;
	record->slot = orl_am_slot(&holder->link, returned, holder, 0);
	if (!record->slot) {
		holder->called = false;
		orl_am_discard(&holder->link);
		return;
	}
	orl_am_flush_begin(&holder->link);
}

static void call_all(struct orl_win *win)
{
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		struct holder *holder = win->leases->holders[i];

		if (!holder || !holder->has_lease || holder->called)
			continue;
		holder->called = true;
		if (i == win->rank)
			call_own(win);
		else
			call_other(holder);
	}
}

static struct holder *find_holder(struct orl_win *win, uint32_t rank)
{
	struct holder **at = &win->leases->holders[rank];

	if (*at)
		return *at;
	*at = calloc(1, sizeof(**at));
	if (!*at)
		return NULL;
	(*at)->win = win;
	orl_remote_aim(&(*at)->link, win, rank);
	return *at;
}

static void got_own(struct orl_win *win, uint8_t mode);

static void grant(struct orl_win *win, const struct request *request)
{
	struct holder *holder = win->leases->holders[request->rank];

	holder->has_lease = true;
	holder->called = false;
	win->leases->mode = request->mode;
	win->leases->nleases++;
	if (request->peer) {
		orl_am_answer(request->peer, request->slot, 0);
		orl_am_answers_send(request->peer);
	} else {
		got_own(win, request->mode);
	}
}

static void serve_queue(struct orl_win *win)
{
	struct orl_leases *leases = win->leases;
	struct request *request;

	while ((request = leases->first)) {
		if (leases->nleases && leases->mode != request->mode)
			call_all(win);
		if (leases->nleases && leases->mode != request->mode)
			return;
		leases->first = request->next;
		if (!leases->first)
			leases->last = &leases->first;
		grant(win, request);
		free(request);
	}
}

static void enqueue(struct orl_leases *leases, struct request *request)
{
	struct request **at = request->hurry ? &leases->first : leases->last;

	request->next = *at;
	*at = request;
	if (!request->next)
		leases->last = &request->next;
}

static int ask(struct orl_win *win, const struct request *wish)
{
	struct request *request = malloc(sizeof(*request));

	if (!request || !find_holder(win, wish->rank)) {
		free(request);
		return MPI_ERR_NO_MEM;
	}
	*request = *wish;
	enqueue(win->leases, request);
	serve_queue(win);
	return 0;
}

/* The rank waits, and by now holds what those before it may wait for. */
static void hasten(struct orl_win *win, uint32_t rank)
{
	struct orl_leases *leases = win->leases;
	struct request **at = &leases->first, *request;

	while ((request = *at) && request->rank != rank)
		at = &request->next;
	if (!request || request->hurry)
		return;
	*at = request->next;
	if (!*at)
		leases->last = at;
	request->hurry = true;
	enqueue(leases, request);
	serve_queue(win);
}

/* A rank asks for what it has not, once at a time. */
static bool may_ask(const struct orl_win *win, const struct request *wish)
{
	const struct holder *holder = win->leases->holders[wish->rank];
	const struct request *request;

	if (holder && holder->has_lease && win->leases->mode == wish->mode)
		return false;
	for (request = win->leases->first; request; request = request->next)
		if (request->rank == wish->rank)
			return false;
	return true;
}

static int serve_lease(const struct orl_am_source *source,
		       const struct orl_record *head)
{
	const struct orl_record_lease *record =
		(const struct orl_record_lease *)head;
	struct orl_win *win = source->object;
	const struct request wish = {
		.peer = source->peer,
		.rank = source->rank,
		.slot = head->bytes < sizeof(*record) ? 0 : record->slot,
		.mode = head->a,
		.hurry = head->b,
	};

	if (head->bytes < sizeof(*record) || !win->leases ||
	    (wish.mode != ORL_LEASE_ALONE && wish.mode != ORL_LEASE_ALL))
		return MPI_ERR_INTERN;
	if (!orl_remote_is_origin(win, source))
		return MPI_ERR_RANK;
	if (!wish.slot) {
		hasten(win, wish.rank);
		return 0;
	}
	return may_ask(win, &wish) ? ask(win, &wish) : MPI_ERR_INTERN;
}

/* -- every rank: its own lease --------------------------------------------- */

static void give_back(struct orl_win *win)
{
	struct orl_lease *lease = &win->lease;

	lease->mode = ORL_LEASE_NONE;
	lease->wanted = false;
	if (!win->rank) {
		take_back(win, win->leases->holders[0]);
		return;
	}
	orl_am_answer(win->contacts[0].peer, lease->call_slot, 0);
	orl_am_answers_send(win->contacts[0].peer);
}

static int serve_call(const struct orl_am_source *source,
		      const struct orl_record *head)
{
	const struct orl_record_lease *record =
		(const struct orl_record_lease *)head;
	struct orl_win *win = source->object;

	if (head->bytes < sizeof(*record) || source->rank ||
	    win->lease.mode == ORL_LEASE_NONE || win->lease.wanted)
		return MPI_ERR_INTERN;
	if (!orl_remote_is_origin(win, source))
		return MPI_ERR_RANK;
	win->lease.call_slot = record->slot;
	win->lease.wanted = true;
	if (!win->lease.users)
		give_back(win);
	return 0;
}

static void got_own(struct orl_win *win, uint8_t mode)
{
	/* Who has asked uses it from now on, lest it be called back first. */
	win->lease.users = mode != ORL_LEASE_NONE;
	win->lease.mode = mode;
	/* Release: pairs with the acquire in has_answer. */
	__atomic_store_n(&win->lease.asking, false, __ATOMIC_RELEASE);
	orl_bell_ring(&orl_am_bell, ORL_BELL_ALL);
}

static void lease_came(struct orl_link *link, void *dst, const void *data,
		       size_t len)
{
	struct orl_win *win = dst;

	got_own(win, data ? win->lease.asked : ORL_LEASE_NONE);
}

/* What is asked for; without a slot it has been, but in no hurry. */
static int ask_other(struct orl_win *win, bool has_slot)
{
	struct orl_link *link = &win->lease.link;
	struct orl_record_lease *record;
	uint32_t slot = 0;

	record = orl_am_record(link, ORL_AM_LEASE, sizeof(*record));
	if (!record)
		return orl_path_lost(link);
	if (has_slot)
		slot = orl_am_slot(link, lease_came, win, 0);
	record->head.a = win->lease.asked;
	record->head.b = win->lease.hurried;
	record->pad = 0;
	record->slot = slot;
	orl_am_send(link);
	return slot || !has_slot ? 0 : -ENOMEM;
}

static bool has_answer(void *arg)
{
	const struct orl_win *win = arg;

	return !__atomic_load_n(&win->lease.asking, __ATOMIC_ACQUIRE);
}

static int wait_for_answer(struct orl_win *win)
{
	int rc;

	orl_progress_unlock();
	rc = orl_win_wait_for(win, &orl_am_bell, has_answer, win);
	orl_progress_lock();
	return rc;
}

/* Asks and waits, without the lock: 0 or an error. */
static int obtain(struct orl_win *win, uint8_t mode, bool hurry)
{
	const struct request own = { .mode = mode, .hurry = hurry };
	int rc;

	if (win->rank && !win->lease.link.peer)
		orl_remote_aim(&win->lease.link, win, 0);
	win->lease.asking = true;
	win->lease.asked = mode;
	win->lease.hurried = hurry;
	rc = win->rank ? ask_other(win, true) : ask(win, &own);
	if (rc) {
		win->lease.asking = false;
		return rc;
	}
	rc = wait_for_answer(win);
	if (!rc && win->lease.mode == ORL_LEASE_NONE)
		rc = -EHOSTDOWN;
	return rc;
}

/* Another thread asks already: its answer serves us too, as long as that does
 * not wait behind those who wait for what we hold. */
static int wait_for_other(struct orl_win *win, bool hurry)
{
	int rc = 0;

	if (hurry && !win->lease.hurried) {
		win->lease.hurried = true;
		if (win->rank)
			rc = ask_other(win, false);
		else
			hasten(win, 0);
	}
	return rc ? rc : wait_for_answer(win);
}

/* Is it ours, and not to be given back first? */
static bool is_ours(const struct orl_lease *lease, uint8_t mode)
{
	return lease->mode == mode && (!lease->wanted || lease->users);
}

int orl_lease_take(struct orl_win *win, uint8_t mode)
{
	struct orl_lease *lease = &win->lease;
	int rc = 0, counted = false, hurry;

	orl_progress_lock();
	while (orl_unlikely(!is_ours(lease, mode)) && !rc) {
		/* What is exclusive counts itself already. */
		hurry = orl_hurry_has(mode == ORL_LEASE_ALONE);
		counted = !lease->asking;
		rc = counted ? obtain(win, mode, hurry)
			     : wait_for_other(win, hurry);
	}
	if (orl_likely(!rc && !counted))
		lease->users++;
	orl_progress_unlock();
	return rc;
}

void orl_lease_give(struct orl_win *win)
{
	struct orl_lease *lease = &win->lease;

	orl_progress_lock();
	if (--lease->users == 0 && lease->wanted) {
		give_back(win);
		if (!win->rank)
			serve_queue(win);
	}
	orl_progress_unlock();
}

/* -- the window's life ----------------------------------------------------- */

int orl_lease_open(struct orl_win *win)
{
	struct orl_leases *leases;

	if (win->rank)
		return 0;
	leases = calloc(1, sizeof(*leases));
	if (!leases)
		return -ENOMEM;
	leases->holders = calloc(win->size, sizeof(struct holder *));
	if (!leases->holders) {
		free(leases);
		return -ENOMEM;
	}
	leases->last = &leases->first;
	win->leases = leases;
	return 0;
}

static void free_holder(struct holder *holder)
{
	if (!holder)
		return;
	if (holder->link.peer)
		orl_am_link_close(&holder->link);
	free(holder);
}

void orl_lease_close(struct orl_win *win)
{
	struct orl_leases *leases = win->leases;
	struct request *request;
	uint32_t i;

	if (win->lease.link.peer)
		orl_am_link_close(&win->lease.link);
	if (!leases)
		return;
	leases->closing = true;
	for (i = 0; i < win->size; i++)
		free_holder(leases->holders[i]);
	while ((request = leases->first)) {
		leases->first = request->next;
		free(request);
	}
	free(leases->holders);
	free(leases);
}

uint64_t orl_lease_held(const struct orl_win *win)
{
	const struct orl_leases *leases = win->leases;
	uint64_t sum;

	if (!leases)
		return 0;
	sum = malloc_usable_size((void *)leases) +
	      malloc_usable_size(leases->holders);
	for (uint32_t i = 0; i < win->size; i++)
		sum += malloc_usable_size(leases->holders[i]);
	return sum;
}

void orl_lease_serve(void)
{
	orl_am_handle(ORL_AM_LEASE, serve_lease);
	orl_am_handle(ORL_AM_CALL, serve_call);
}
