/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stats.c - what a watched window did, summed by call, by path and by target
 * (ORIEL_STATS).  Each rank adds up its own calls; when the window is freed
 * rank 0 gathers them and writes them down.  Messages and trips are the
 * process's while it was in a call of the window.
 */
#include "watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each has a communicator of the host's, of which MPICH has 2047. */
#define WINDOWS_MOST 256

/* Windows that have sums, the latest first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct orl_watch *windows;
static unsigned nwindows;
/* Of MPI_COMM_WORLD, which is not there any more at the end. */
static uint32_t world;
static int writer;

bool orl_stats_are_wanted(void)
{
	const char *wish = (const char *)orl_options.stats;
	bool room;

	if (orl_likely(!wish || !*wish || !strcmp(wish, "0")))
		return false;
	pthread_mutex_lock(&lock);
	room = nwindows < WINDOWS_MOST;
	pthread_mutex_unlock(&lock);
	return room;
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

/* Rank 0 has the picture drawn. */
static int know_ranks(const struct orl_win *win)
{
	struct orl_watch *watch = win->watch;

	if (win->rank || !orl_heat_is_wanted())
		return 0;
	world = (uint32_t)orl_host_world_size();
	writer = orl_host_world_rank();
	watch->ranks = calloc(win->size, sizeof(*watch->ranks));
	return watch->ranks ? orl_host_world_ranks(&win->comm, watch->ranks)
			    : MPI_ERR_NO_MEM;
}

int orl_stats_open(struct orl_win *win)
{
	struct orl_watch *watch = win->watch;

	watch->stats = calloc(1, orl_stats_bytes(win->size));
	if (!watch->stats || know_ranks(win)) {
		free(watch->stats);
		watch->stats = NULL;
		return MPI_ERR_NO_MEM;
	}
	gethostname(watch->stats->host, sizeof(watch->stats->host) - 1);
	if (!win->rank)
		orl_report_try();
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
	free(win->watch->ranks);
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
		       const void *stats, uint32_t rows)
{
	const struct orl_report report = {
		.number = win->watch->number,
		.name = name,
		.call = win->watch->call,
		.size = win->size,
		.rows = rows,
		.stats = stats,
		.ranks = win->watch->ranks,
		.world = world,
		.writer = writer,
	};

	orl_report_write(&report);
}

static void report(const struct orl_win *win, const void *stats, uint32_t rows)
{
	char name[MPI_MAX_OBJECT_NAME];

	if (win->rank)
		return;
	orl_host_win_name(win->handle, name);
	write_down(win, name, stats, rows);
}

/* Rank 0 has room for all ranks' sums no longer than this takes; if it has
 * not, it tells its own. */
void orl_stats_report(struct orl_win *win)
{
	const struct orl_watch *watch = win->watch;
	size_t bytes = orl_stats_bytes(win->size);
	bool has_room;
	char *all;

	if (!watch->stats)
		return;
	finish(win);
	all = win->rank ? NULL : calloc(win->size, bytes);
	has_room = all;
	if (orl_host_tell(watch->comm, 0, &has_room, sizeof(has_room)))
		has_room = false;
	if (!has_room)
		report(win, watch->stats, 1);
	else if (!orl_host_gather(watch->comm, watch->stats, all, bytes))
		report(win, all, win->size);
	free(all);
}

void orl_stats_leave(void)
{
	struct orl_watch *watch;

	for (watch = windows; watch; watch = watch->next) {
		if (watch->win->rank)
			continue;
		finish(watch->win);
		write_down(watch->win, "", watch->stats, 1);
	}
	orl_heat_write();
}
