/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_parts.h - what the check_*.c files share.  A call that has moved data
 * is noted twice: its target ranges in the node's log, for all origins of the
 * node (check_log.c), and its local buffers in this process (check_buffer.c).
 */
#ifndef ORL_CHECK_PARTS_H
#define ORL_CHECK_PARTS_H

#include "check.h"
#include "stripe.h"

/* By which epoch an access was made, and so what ends it. */
enum orl_check_mode {
	ORL_CHECK_FENCE,
	ORL_CHECK_START,
	ORL_CHECK_PASSIVE,
	ORL_CHECK_MODES
};

enum orl_check_what { ORL_CHECK_PUT, ORL_CHECK_GET, ORL_CHECK_ACC };

/* One stripe of one call's target ranges; in the log, which is shared. */
struct orl_access {
	struct orl_stripe where; /* from the target's base; in dynamic windows
				  * the target's addresses */
	uint32_t target, origin; /* ranks of the window */
	uint32_t epoch;		 /* of fences: how many there had been */
	uint8_t mode, what;
	uint8_t op; /* of ORL_CHECK_ACC: enum orl_op, or ORL_OP_CAS */
	uint8_t kind;
	char call[24];
	char place[96]; /* in the program, orl_check_place */
};
_Static_assert(sizeof(struct orl_access) == 168, "shared layout");

/* Accesses that do not change the target. */
static inline bool orl_access_is_read(const struct orl_access *access)
{
	return access->what == ORL_CHECK_GET ||
	       (access->what == ORL_CHECK_ACC && access->op == ORL_NO_OP);
}

/* Local buffers; one that is not a result is only read. */
enum orl_check_part { ORL_CHECK_ORIGIN, ORL_CHECK_RESULT, ORL_CHECK_COMPARE };

struct orl_buffer {
	struct orl_stripe where; /* addresses */
	uint64_t sum;
	uint64_t stored; /* where a put's data are at the target, as mapped
			  * here; 0: not, or not in one block */
	const char *call, *place;
	uint32_t target;
	uint8_t mode, part;
	bool summed; /* it must not change */
};

/* What a call that synchronises completes. */
struct orl_settled {
	const char *call;
	enum orl_check_mode mode;
	int target; /* -1: all */
	bool local; /* at the origin alone */
};

struct orl_check {
	const struct orl_calls *inner; /* what would be called otherwise */
	struct orl_access_log *log;
	void *memory; /* the log's, if it is in our arena */
	uint32_t fences;
	pthread_mutex_t lock; /* over the buffers */
	struct orl_buffer *buffers;
	uint32_t nbuffers, room;
};

/* -- check.c --------------------------------------------------------------- */

extern const struct orl_calls orl_calls_checked;
/* The transfer that this thread is in, or NULL. */
extern ORL_THREAD_LOCAL const struct orl_xfer *orl_check_current;

/* -- check_move.c ---------------------------------------------------------- */

/* A call that moved data, in the terms of all of them. */
struct orl_move {
	const struct orl_xfer *x;
	enum orl_check_what what;
	uint8_t op;
	bool fetches; /* to the result */
	void *result;
	int64_t rcount;
	MPI_Datatype rtype;
	const void *compare;
};
void orl_check_move(struct orl_win *win, const struct orl_move *move);

/* -- check_log.c ----------------------------------------------------------- */

size_t orl_access_log_bytes(uint32_t size);
void orl_access_log_init(struct orl_access_log *log, uint32_t size);
/*
 * n stripes of one call: reports what they are in conflict with, and puts
 * them down if keep.
 */
void orl_access_note(struct orl_win *win, const struct orl_access *accesses,
		     unsigned n, bool keep);
/* This rank's accesses that are complete. */
void orl_access_settle(struct orl_win *win, const struct orl_settled *settled);
/* This rank's to that one, of any epoch. */
void orl_access_release(struct orl_win *win, int target);
/* This rank's of earlier fence epochs: once all are past the fence. */
void orl_access_fenced(struct orl_win *win);
/* Those to this rank in the exposure epoch that has ended. */
void orl_access_exposed(struct orl_win *win);
/* Of this rank and fence epoch, how many; sets one of them. */
unsigned orl_access_count(struct orl_win *win, struct orl_access *one);
/* This rank has promised that nobody updates its memory (MPI_MODE_NOPUT): in
 * the fence epoch of this number; in the exposure epoch to come. */
void orl_access_forbid_epoch(struct orl_win *win, uint32_t epoch);
void orl_access_forbid_exposure(struct orl_win *win, bool forbid);

/* -- check_buffer.c -------------------------------------------------------- */

void orl_buffer_note(struct orl_win *win, const struct orl_buffer *buffer,
		     bool keep);
void orl_buffer_settle(struct orl_win *win, const struct orl_settled *settled);

/* What is stored at the target is no longer looked at; nor are the buffers, if
 * all. */
void orl_buffer_release(struct orl_win *win, int target, bool all);

/* -- check_report.c -------------------------------------------------------- */

/* Where the program called MPI: "program+0x1234 (function)". */
const char *orl_check_place(void);
/* On standard error, unless there have been too many or this was said. */
void orl_check_report(const struct orl_win *win, const char *call,
		      const char *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* What there was no room for. */
void orl_check_lost(void);
/* One more window is checked. */
void orl_check_count_window(void);

#endif
