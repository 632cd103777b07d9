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

static inline void orl_sum_add(struct orl_sum *sum, const struct orl_sum *more)
{
	sum->calls += more->calls;
	sum->bytes += more->bytes;
}

/* Of one rank; its targets follow. */
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

/* What ORIEL_STATS asks for. */
enum orl_stats_form {
	ORL_STATS_NONE,
	ORL_STATS_WORDS, /* of all ranks together: report.c */
	ORL_STATS_JSON,	 /* of each: json.c */
	ORL_STATS_HEAT,	 /* who accessed whom: heat.c */
	ORL_STATS_FORMS
};

/* What a watched window has beside. */
struct orl_watch {
	pthread_mutex_t lock; /* over the sums */
	bool is_traced;
	const char *call; /* that made it */
	uint64_t born;
	MPI_Comm comm; /* a copy: the program may have freed its own */
	enum orl_stats_form form;
	struct orl_stats *stats; /* NULL: only traced */
	struct orl_heat *heat;	 /* NULL unless form says so */
	struct orl_watch *next;	 /* of those that have stats, see stats.c */
	const struct orl_win *win;
};

/* Which sums of one more window this process wants, as rank 0. */
enum orl_stats_form orl_stats_wanted(void);
/* Collective; watch->comm and form are there.  0 or an error class. */
int orl_stats_open(struct orl_win *win);
void orl_stats_add(struct orl_win *win, const struct orl_event *event);
/* Collective, nothing is under way: rank 0 writes down all ranks' sums. */
void orl_stats_report(struct orl_win *win);
void orl_stats_close(struct orl_win *win);
/* Bytes that the window keeps for being watched. */
uint64_t orl_watch_held(const struct orl_win *win);
/* At the end: windows that were not freed, each rank 0 its own part. */
void orl_stats_leave(void);

/* -- sums of several ranks, totals.c --------------------------------------- */

#define ORL_PAIRS 5 /* that are named, of those with most bytes */

struct orl_totals {
	struct {
		uint64_t calls, ns, longest;
		uint64_t rank; /* that had the longest */
	} calls[ORL_WATCH_CALLS];
	struct orl_sum moved[ORL_WATCH_MOVES][ORL_WATCH_PATHS];
	uint64_t messages, trips;
	uint64_t agents[ORL_AGENT_COUNT];
	struct orl_pair {
		uint32_t from, to;
		struct orl_sum sum;
	} pairs[ORL_PAIRS]; /* most bytes first */
};

void orl_totals_of(const struct orl_win *win, struct orl_totals *totals);
/* An orl_host_merge_fn. */
void orl_totals_merge(void *into, const void *from, size_t bytes);

/* -- writing them down ----------------------------------------------------- */

struct orl_report {
	const struct orl_win *win;
	const char *name; /* rank 0's: the window's */
	bool is_alone;	  /* rank 0 writes of itself; else collective */
};

/* One for each form; memory and messages of a rank: as many as it had targets,
 * at most; of rank 0, as a rule, one message of each rank or of log(ranks). */
void orl_report_words(const struct orl_report *report);
void orl_report_json(const struct orl_report *report);
void orl_report_heat(const struct orl_report *report);

/* To standard error or a file, as ORIEL_STATS says; report.c, as the next. */
void orl_report_put(const char *text, size_t len);
/* Before a window that will be written down: can its file be written? */
bool orl_report_try(enum orl_stats_form form);
/* It cannot, which is said once, with what becomes of the sums. */
void orl_report_fail(const char *path, int error, const char *then);
/* "window 2", or "window 2 "name"": in sums, errors and checks alike; error.c
 * has it as a string. */
#define ORL_TITLE 256
void orl_win_title(const struct orl_win *win, char text[ORL_TITLE]) ORL_COLD;
void orl_report_title(FILE *out, const struct orl_win *win, const char *name);
/* In quotes, printable, as JSON has it; json.c. */
void orl_report_string(FILE *out, const char *text);

/* -- heat.c: a picture, at the end ----------------------------------------- */

/* Of one window. */
struct orl_heat {
	struct orl_sum *cells; /* of it, by origin, then target, */
	struct orl_sum *other; /* and room for those of other ranks */
	uint32_t world;	       /* ranks of rank 0's MPI_COMM_WORLD, */
	int32_t writer;	       /* which of these it is, */
	int32_t ranks[];       /* [size] and who; not of it: < 0 */
};

/* Collective.  0 or an error class. */
int orl_heat_open(struct orl_win *win);
void orl_heat_close(struct orl_win *win);
uint64_t orl_heat_held(const struct orl_heat *heat);
/* A row of the window's ranks is added to its cells. */
void orl_heat_row(struct orl_heat *heat, const struct orl_sum targets[],
		  uint32_t rank, uint32_t size);
/* Its cells are added to the picture. */
void orl_heat_add(const struct orl_heat *heat);
/* Each process that is rank 0 of some window has a file of its own, by its
 * rank of MPI_COMM_WORLD. */
void orl_heat_name(char *path, size_t size, int writer);
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

#endif
