/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.h - windows that are watched (ORIEL_STATS, ORIEL_TRACE): what is
 * counted of them, and who writes it down.  Others have no orl_watch, and
 * their calls come by none of this.
 */
#ifndef ORL_WATCH_H
#define ORL_WATCH_H

#include "creation.h"

#include <stdio.h>

/* Calls that move data come first. */
enum orl_watched {
	ORL_WATCH_PUT,
	ORL_WATCH_GET,
	ORL_WATCH_ACC,
	ORL_WATCH_GET_ACC,
	ORL_WATCH_FOP,
	ORL_WATCH_CAS,
	ORL_WATCH_MOVES,
	ORL_WATCH_FENCE = ORL_WATCH_MOVES,
	ORL_WATCH_POST,
	ORL_WATCH_START,
	ORL_WATCH_COMPLETE,
	ORL_WATCH_WAIT,
	ORL_WATCH_TEST,
	ORL_WATCH_LOCK,
	ORL_WATCH_UNLOCK,
	ORL_WATCH_LOCK_ALL,
	ORL_WATCH_UNLOCK_ALL,
	ORL_WATCH_FLUSH,
	ORL_WATCH_FLUSH_ALL,
	ORL_WATCH_FLUSH_LOCAL,
	ORL_WATCH_FLUSH_LOCAL_ALL,
	ORL_WATCH_SYNC,
	ORL_WATCH_RFLUSH,
	ORL_WATCH_NOTIFY_WAIT,
	ORL_WATCH_NOTIFY_TEST,
	ORL_WATCH_CALLS
};

/* "MPI_Put" and so on. */
extern const char *const orl_watch_names[ORL_WATCH_CALLS];

/* Every path that data take, and what the sums call it. */
#define ORL_WATCH_PATHS 5
extern const struct orl_path *const orl_watch_paths[ORL_WATCH_PATHS];

/* One call, as it ended. */
struct orl_event {
	enum orl_watched call;
	const char *name; /* "MPI_Rput" where call says ORL_WATCH_PUT */
	int target;	  /* -1: none, or all */
	const struct orl_path *path; /* NULL: no data were moved */
	uint64_t bytes;
	uint64_t begin, end; /* orl_now_ns */
	uint64_t messages;   /* sent meanwhile by this process */
	uint64_t trips;	     /* that were waited for */
	bool vain;	     /* a test that found nothing: not for the trace */
};

/* -- sums, stats.c --------------------------------------------------------- */

struct orl_sum {
	uint64_t calls, bytes;
};

/* Sums of one rank, as rank 0 gathers them; its targets follow. */
struct orl_stats {
	char host[64];
	uint64_t memory; /* bytes of the rank's part of the window */
	uint64_t lived;	 /* nanoseconds */
	struct {
		uint64_t calls, ns, longest;
	} calls[ORL_WATCH_CALLS];
	struct orl_sum moved[ORL_WATCH_MOVES][ORL_WATCH_PATHS];
	uint64_t messages, trips;
	uint64_t agents[ORL_AGENT_COUNT]; /* struct orl_acc_domain */
	struct orl_sum targets[];	  /* [size] */
};

static inline size_t orl_stats_bytes(uint32_t size)
{
	return sizeof(struct orl_stats) + size * sizeof(struct orl_sum);
}

/* What a watched window has beside. */
struct orl_watch {
	pthread_mutex_t lock; /* over the sums */
	unsigned number;      /* of the windows of this process, from 1 */
	bool is_traced;
	const char *call; /* that made it */
	uint64_t born;
	MPI_Comm comm; /* a copy: the program may have freed its own */
	struct orl_stats *stats; /* NULL: only traced */
	int *ranks;		 /* of MPI_COMM_WORLD, if heat.c wants them */
	struct orl_watch *next;	 /* of those that have stats, see stats.c */
	const struct orl_win *win;
};

/* Does this process, as rank 0, want sums of one more window? */
bool orl_stats_are_wanted(void);
/* watch->comm is there.  0 or an error class. */
int orl_stats_open(struct orl_win *win);
void orl_stats_add(struct orl_win *win, const struct orl_event *event);
/* Collective, nothing is under way: rank 0 writes down all ranks' sums. */
void orl_stats_report(struct orl_win *win);
void orl_stats_close(struct orl_win *win);
/* At the end: windows that were not freed, each rank 0 its own part. */
void orl_stats_leave(void);

/* -- writing sums down, report.c and json.c -------------------------------- */

struct orl_report {
	unsigned number;
	const char *name, *call;
	uint32_t size; /* of the window */
	uint32_t rows; /* ranks that are told of: size, or rank 0 alone */
	const char *stats;
	/* For heat.c; ranks is NULL if it wants nothing. */
	const int *ranks; /* [size] of MPI_COMM_WORLD; not of it: < 0 */
	uint32_t world;	  /* ranks of it */
	int writer;	  /* the one that is rank 0 of the window */
};

static inline const struct orl_stats *orl_report_row(
	const struct orl_report *report, uint32_t rank)
{
	const char *row = report->stats + rank * orl_stats_bytes(report->size);

	return (const struct orl_stats *)row;
}

/* To standard error or a file, as ORIEL_STATS says. */
void orl_report_write(const struct orl_report *report);
/* At the first window that will be written down: can its file be written? */
void orl_report_try(void);
/* It cannot, which is said once. */
void orl_report_fail(const char *path, int error);
void orl_report_json(FILE *out, const struct orl_report *report);

/* -- heat.c: a picture, at the end ----------------------------------------- */

bool orl_heat_is_wanted(void);
/* Each process that is rank 0 of some window has a file of its own, by its
 * rank of MPI_COMM_WORLD. */
void orl_heat_name(char *path, size_t size, int writer);
void orl_heat_add(const struct orl_report *report);
void orl_heat_write(void);

/* -- trace.c --------------------------------------------------------------- */

/* At each window: does this process write a trace?  What hinders it is said
 * once. */
bool orl_trace_begin(void);
void orl_trace_add(const struct orl_win *win, const struct orl_event *event);
void orl_trace_close(void);

/* -- announce.c ------------------------------------------------------------ */

/* To the log. */
void orl_win_announce(const struct orl_win *win, const char *call);

/* -- watch.c --------------------------------------------------------------- */

extern const struct orl_calls orl_calls_plain;
extern const struct orl_calls orl_calls_watched;

/* Collective, by what the parts say: chooses the window's calls.  0 or an
 * error class. */
int orl_watch_open(struct orl_creation *creation);
void orl_watch_close(struct orl_win *win);
/* Bytes that the window keeps for it. */
uint64_t orl_watch_held(const struct orl_win *win);

#endif
