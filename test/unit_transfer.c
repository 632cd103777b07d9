/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_transfer.c - the network's reads and writes, whose ends come in any
 * order: what is to follow them comes when those before it have ended, and
 * nothing that was written before it is left to go by a way that it does not
 * wait for.
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
	struct orl_am_card card = { .token = 4711, .name_len = 1 };
	const char *what;

	orl_options_load();
	orl_options.log = ORL_LOG_NONE;
	orl_options.progress = ORL_PROGRESS_POLL;
	check(!orl_am_open(2, &what));
	orl_progress_lock();
	check(!orl_am_peer_find(&card, &way.peer));
	orl_progress_unlock();
	way.cookie = 1;
	way.key = 1;
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
	check(of == &way && orl_progress_has_lock());
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

int main(void)
{
	static const struct process_case cases[] = {
		{ "order", order },
		{ "lone", lone },
		{ NULL, NULL },
	};

	return run_cases(cases);
}
