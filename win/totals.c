/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totals.c - sums of several ranks of a window, of one size however many there
 * are.  Ranks are merged in any order, to the same.
 */
#include "watch.h"

#include <string.h>

/* -- the busiest pairs ----------------------------------------------------- */

static bool comes_first(const struct orl_pair *a, const struct orl_pair *b)
{
	if (a->sum.bytes != b->sum.bytes)
		return a->sum.bytes > b->sum.bytes;
	return a->from != b->from ? a->from < b->from : a->to < b->to;
}

/* Keeps the list's order, drops the last. */
static void insert(struct orl_pair pairs[ORL_PAIRS],
		   const struct orl_pair *pair)
{
	int i = ORL_PAIRS - 1;

	if (!pair->sum.bytes || !comes_first(pair, &pairs[i]))
		return;
	for (; i > 0 && comes_first(pair, &pairs[i - 1]); i--)
		pairs[i] = pairs[i - 1];
	pairs[i] = *pair;
}

/* -- one rank -------------------------------------------------------------- */

void orl_totals_of(const struct orl_win *win, struct orl_totals *totals)
{
	const struct orl_stats *stats = win->watch->stats;

	*totals = (struct orl_totals){
		.messages = stats->messages,
		.trips = stats->trips,
	};
	memcpy(totals->moved, stats->moved, sizeof(totals->moved));
	memcpy(totals->agents, stats->agents, sizeof(totals->agents));
	for (unsigned i = 0; i < ORL_WATCH_CALLS; i++) {
		totals->calls[i].calls = stats->calls[i].calls;
		totals->calls[i].ns = stats->calls[i].ns;
		totals->calls[i].longest = stats->calls[i].longest;
		totals->calls[i].rank = win->rank;
	}
	for (uint32_t i = 0; i < win->size; i++)
		insert(totals->pairs, &(struct orl_pair){
					      .from = win->rank,
					      .to = i,
					      .sum = stats->targets[i],
				      });
}

/* -- several --------------------------------------------------------------- */

static void merge_calls(struct orl_totals *sum, const struct orl_totals *more)
{
	for (unsigned i = 0; i < ORL_WATCH_CALLS; i++) {
		sum->calls[i].calls += more->calls[i].calls;
		sum->calls[i].ns += more->calls[i].ns;
		if (more->calls[i].longest < sum->calls[i].longest ||
		    (more->calls[i].longest == sum->calls[i].longest &&
		     more->calls[i].rank > sum->calls[i].rank))
			continue;
		sum->calls[i].longest = more->calls[i].longest;
		sum->calls[i].rank = more->calls[i].rank;
	}
}

void orl_totals_merge(void *into, const void *from, size_t bytes)
{
	struct orl_totals *sum = into;
	const struct orl_totals *more = from;

	merge_calls(sum, more);
	for (unsigned i = 0; i < ORL_WATCH_MOVES; i++)
		for (unsigned k = 0; k < ORL_WATCH_PATHS; k++)
			orl_sum_add(&sum->moved[i][k], &more->moved[i][k]);
	sum->messages += more->messages;
	sum->trips += more->trips;
	for (unsigned i = 0; i < ORL_AGENT_COUNT; i++)
		sum->agents[i] += more->agents[i];
	for (unsigned i = 0; i < ORL_PAIRS; i++)
		insert(sum->pairs, &more->pairs[i]);
}
