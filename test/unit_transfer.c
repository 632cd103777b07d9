/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_transfer.c - the network's reads and writes, whose ends come in any
 * order: what is to follow them comes when those before it have ended, and
 * nothing that was written before it is left to go by a way that it does not
 * wait for.  One that this process could not post is an error of the next
 * flush, and of nobody else; after a loss nothing is left behind, and a flush
 * tells of it.
 */
#include "orl_path.h"

#include "nowhere.h"
#include "process.h"

#define LARGE 100000

static struct orl_link way;
static struct orl_target target;
static char buf[LARGE];

static void start(void)
{
	check(!nowhere_link(&way));
	target.path = &orl_path_fabric;
	target.link = &way;
}

static void put(size_t len)
{
	check(!target.path->put(&target, 0, buf, len));
}

/* -- what follows ---------------------------------------------------------- */

static int ran;

static void run(struct orl_link *of, struct orl_after *after)
{
	check(of == target.link && orl_progress_has_lock());
	ran++;
}

static void follow(struct orl_after *after)
{
	after->run = run;
	orl_progress_lock();
	orl_path_after(&way, after);
	orl_progress_unlock();
}

static void end(int i, int error)
{
	orl_progress_lock();
	end_transfer(i, error);
	orl_progress_unlock();
}

/* What begins later is not waited for, what ends first is no matter. */
static void order(void)
{
	struct orl_after first, second, third;

	start();
	follow(&first);
	check(ran == 1);
	put(LARGE);
	put(LARGE);
	follow(&first);
	put(LARGE);
	follow(&second);
	put(LARGE);
	follow(&third);
	check(ntransfers == 4 && ran == 1);
	end(2, 0);
	end(0, 0);
	check(ran == 1);
	end(0, 0);
	check(ran == 3);
	end(0, 0);
	check(ran == 4 && !way.transfers);
}

/* A small put between large ones stays in its message, which a record of what
 * follows comes behind. */
static void lone(void)
{
	struct orl_after after;

	start();
	put(LARGE);
	put(8);
	put(LARGE);
	follow(&after);
	orl_progress_lock();
	orl_path_flush_begin(&way);
	orl_progress_unlock();
	check(ntransfers == 2 && way.answers == 1);
	end(0, 0);
	end(0, 0);
	check(ran == 1);
}

/* Where messages stay behind writes, they may only overtake reads. */
static void behind(void)
{
	start();
	put(LARGE);
	check(orl_am_has_overtakable(&way));
	end(0, 0);
	check(!orl_am_has_overtakable(&way));
	orl_fabric.in_order = true;
	put(LARGE);
	put(LARGE);
	check(way.transfers == 2 && !orl_am_has_overtakable(&way));
	check(!target.path->get(&target, 0, buf, LARGE));
	check(orl_am_has_overtakable(&way));
	end(0, 0);
	check(orl_am_has_overtakable(&way));
	end(1, 0);
	check(!orl_am_has_overtakable(&way) && way.transfers == 1);
	end(0, -ENOMEM);
	check(!way.transfers && orl_link_error(&way) == -ENOMEM);
}

/* -- what fails ------------------------------------------------------------ */

static struct orl_am_tally tally;
static int over;

static void end_tally(struct orl_am_tally *which)
{
	check(which == &tally);
	over++;
}

static struct orl_am_tally *make(void)
{
	tally.over = end_tally;
	return &tally;
}

/* A flush that is counted, as Oriel_Rflush; what it returns. */
static int flush_counted(void)
{
	struct orl_am_scope scope = { .link = &way, .make = make };
	int rc;

	orl_am_scope_begin(&scope);
	orl_progress_lock();
	rc = orl_path_flush_counted(&way);
	orl_am_tally_drop(orl_am_scope_end(), 0);
	orl_progress_unlock();
	return rc;
}

static void lose(void)
{
	orl_progress_lock();
	orl_am_lose(way.peer, -ECONNRESET);
	orl_progress_unlock();
}

static void local_error(void)
{
	struct orl_after after;

	start();
	put(LARGE);
	put(LARGE);
	follow(&after);
	check(!flush_counted() && !over);
	end(0, -ENOMEM);
	check(!ran);
	end(0, 0);
	check(ran == 1 && over == 1 && tally.error == -ENOMEM);
	check(!way.peer->error && !orl_am_losses && !way.transfers);
	check(target.path->flush(&target) == -ENOMEM);
	check(!target.path->flush(&target));
	put(LARGE);
	end(0, 0);
	check(!target.path->flush(&target));
}

static void lost_under_way(void)
{
	struct orl_after after;

	start();
	put(LARGE);
	follow(&after);
	check(!flush_counted() && !over);
	end(0, -ECONNRESET);
	check(ran == 1 && over == 1 && tally.error == -EHOSTDOWN);
	check(way.peer->error == -EHOSTDOWN && orl_am_losses == 1);
	check(target.path->flush(&target) == -EHOSTDOWN);
}

/* Nothing of it was under way: it was never asked for, or never sent. */
static void lost_before_flush(void)
{
	start();
	put(8);
	lose();
	check(flush_counted() == -EHOSTDOWN);
	check(flush_counted() == -EHOSTDOWN && !over);
}

/* A put that finds the loss leaves no flush that succeeds. */
static void lost_before_put(void)
{
	start();
	lose();
	check(target.path->put(&target, 0, buf, LARGE) == -EHOSTDOWN);
	check(target.path->finish(&target) == -EHOSTDOWN);
	check(target.path->flush(&target) == -EHOSTDOWN);
	check(target.path->flush(&target) == -EHOSTDOWN);
}

/* The window is freed while the provider has not let go of a write. */
static void freed(void)
{
	struct orl_link *link = malloc(sizeof(*link));
	struct orl_after after;

	start();
	*link = way;
	target.link = link;
	put(LARGE);
	after.run = run;
	orl_progress_lock();
	orl_path_after(link, &after);
	orl_progress_unlock();
	check(!ran);
	lose();
	orl_progress_lock();
	orl_path_forget(link);
	check(ran == 1);
	orl_am_link_free(link);
	end_transfer(0, -ECONNRESET);
	orl_progress_unlock();
	check(ran == 1);
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "order", order },
		{ "lone", lone },
		{ "behind", behind },
		{ "local error", local_error },
		{ "lost under way", lost_under_way },
		{ "lost before a flush", lost_before_flush },
		{ "lost before a put", lost_before_put },
		{ "freed", freed },
		{ NULL, NULL },
	};

	return run_cases(cases);
}
