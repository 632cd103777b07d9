/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stats.c - what a watched window did, summed by call, by path and by target
 * (ORIEL_STATS).  Each rank adds up its own calls; when the window is freed
 * they are put together and rank 0 writes them down, in the form that its
 * option asks for.  Messages and trips are the process's while it was in a
 * call of the window.
 */
#include "watch.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each has a communicator of the host's, of which MPICH has 2047. */
#define WINDOWS_MOST 256

/* Windows that have sums, the latest first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct orl_watch *windows;
static unsigned nwindows;

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && !strcmp(text + len - n, end);
}

static enum orl_stats_form form_of(const char *wish)
{
	if (!wish || !*wish || !strcmp(wish, "0"))
		return ORL_STATS_NONE;
	if (!strcmp(wish, "json") || ends_in(wish, ".json"))
		return ORL_STATS_JSON;
	return ends_in(wish, ".svg") ? ORL_STATS_HEAT : ORL_STATS_WORDS;
}

enum orl_stats_form orl_stats_wanted(void)
{
	enum orl_stats_form form = form_of((const char *)orl_options.stats);
	bool room;

	if (orl_likely(form == ORL_STATS_NONE))
		return form;
	/* No picture on standard error. */
	if (!orl_report_try(form) && form == ORL_STATS_HEAT)
		form = ORL_STATS_WORDS;
	pthread_mutex_lock(&lock);
	room = nwindows < WINDOWS_MOST;
	pthread_mutex_unlock(&lock);
	return room ? form : ORL_STATS_NONE;
}

static void enlist(struct orl_watch *watch)
{
	pthread_mutex_lock(&lock);
	watch->next = windows;
	windows = watch;
	nwindows++;
	pthread_mutex_unlock(&lock);
}

static void unlist(struct orl_watch *watch)
{
	struct orl_watch **at = &windows;

	pthread_mutex_lock(&lock);
	while (*at != watch)
		at = &(*at)->next;
	*at = watch->next;
	nwindows--;
	pthread_mutex_unlock(&lock);
}

int orl_stats_open(struct orl_win *win)
{
	struct orl_watch *watch = win->watch;
	int rc = watch->form == ORL_STATS_HEAT ? orl_heat_open(win) : 0;

	if (rc)
		return rc;
	watch->stats = calloc(1, orl_stats_bytes(win->size));
	if (!watch->stats)
		return MPI_ERR_NO_MEM;
	gethostname(watch->stats->host, sizeof(watch->stats->host) - 1);
	enlist(watch);
	return 0;
}

void orl_stats_close(struct orl_win *win)
{
	if (win->watch->stats)
		unlist(win->watch);
	if (win->watch->comm != MPI_COMM_NULL)
		orl_host_comm_drop(&win->watch->comm);
	free(win->watch->stats);
	orl_heat_close(win);
}

uint64_t orl_watch_held(const struct orl_win *win)
{
	const struct orl_watch *watch = win->watch;

	if (!watch)
		return 0;
	return malloc_usable_size((void *)watch) +
	       malloc_usable_size(watch->stats) + orl_heat_held(watch->heat);
}

/* -- adding up ------------------------------------------------------------- */

static unsigned index_of(const struct orl_path *path)
{
	unsigned i;

	for (i = 0; i < ORL_WATCH_PATHS - 1; i++)
		if (orl_watch_paths[i] == path)
			break;
	return i;
}

static void add(struct orl_sum *sum, uint64_t bytes)
{
	sum->calls++;
	sum->bytes += bytes;
}

void orl_stats_add(struct orl_win *win, const struct orl_event *event)
{
	struct orl_stats *stats = win->watch->stats;
	uint64_t ns = event->end - event->begin;

	pthread_mutex_lock(&win->watch->lock);
	stats->calls[event->call].calls++;
	stats->calls[event->call].ns += ns;
	if (ns > stats->calls[event->call].longest)
		stats->calls[event->call].longest = ns;
	stats->messages += event->messages;
	stats->trips += event->trips;
	if (event->path) {
		add(&stats->moved[event->call][index_of(event->path)],
		    event->bytes);
		add(&stats->targets[event->target], event->bytes);
	}
	pthread_mutex_unlock(&win->watch->lock);
}

/* -- reporting ------------------------------------------------------------- */

static void finish(const struct orl_win *win)
{
	struct orl_stats *stats = win->watch->stats;

	stats->memory = (uint64_t)win->bytes;
	stats->lived = orl_now_ns() - win->watch->born;
	memcpy(stats->agents, win->domain.counts, sizeof(stats->agents));
}

static void write_down(const struct orl_win *win, const char *name,
		       bool is_alone)
{
	static void (*const forms[ORL_STATS_FORMS])(
		const struct orl_report *) = {
		[ORL_STATS_WORDS] = orl_report_words,
		[ORL_STATS_JSON] = orl_report_json,
		[ORL_STATS_HEAT] = orl_report_heat
	};
	const struct orl_report report = {
		.win = win,
		.name = name,
		.is_alone = is_alone,
	};

	finish(win);
	forms[win->watch->form](&report);
}

void orl_stats_report(struct orl_win *win)
{
	char name[MPI_MAX_OBJECT_NAME] = "";

	if (!win->watch->stats)
		return;
	if (!win->rank)
		orl_host_win_name(win->handle, name);
	write_down(win, name, false);
}

void orl_stats_leave(void)
{
	struct orl_watch *watch;

	for (watch = windows; watch; watch = watch->next)
		if (!watch->win->rank)
			write_down(watch->win, "", true);
	orl_heat_write();
}
