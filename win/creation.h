/* SPDX-License-Identifier: BSD-3-Clause */
/* creation.h - a window's creation under way: what create.c's files share. */
#ifndef ORL_CREATION_H
#define ORL_CREATION_H

#include "win.h"

#include <stdio.h>

/* What every rank tells every other first.  Addresses are the owner's. */
struct orl_part {
	struct orl_card card;
	uint64_t ctl;
	uint64_t base;
	uint64_t size;
	uint64_t room;	   /* what this process may count on, orl_node_room */
	uint64_t cores[2]; /* orl_progress_cores */
	uint32_t disp_unit;
	int32_t error; /* an MPI error class, or 0 */
	uint32_t notice_tags;
	uint8_t paths;	   /* ORL_PATH_..., as this rank's options say */
	uint8_t mapped;	   /* base lies in the owner's arena */
	uint8_t fences;	   /* orl_fence_is_able */
	uint8_t noncontig; /* alloc_shared_noncontig was given */
	uint8_t crowded;   /* orl_wait_is_crowded, by earlier windows */
	uint8_t stats;	   /* of rank 0: which it wants, orl_stats_wanted */
	uint8_t check;	   /* ORIEL_CHECK */
	uint8_t threads;   /* orl_threaded */
	uint32_t ordinal;  /* of rank 0: the window's */
};
_Static_assert(sizeof(struct orl_part) == 120, "exchanged between processes");

/* And those of windows that span nodes, next. */
struct orl_introduction {
	struct orl_am_card card;
	uint64_t cookie;
	uint64_t key, base; /* of the memory, if it is registered */
	int32_t error;
	uint16_t nic[ORL_KIND_COUNT]; /* orl_nic_offer */
	uint8_t registered;
};
_Static_assert(sizeof(struct orl_introduction) == 240,
	       "exchanged between processes");

/* And at the end. */
struct orl_verdict {
	uint64_t base; /* of memory of a shared window, allocated since */
	uint64_t log;  /* orl_check_address */
	int32_t error;
	uint32_t paths;
};
_Static_assert(sizeof(struct orl_verdict) == 24, "exchanged between processes");

struct orl_creation {
	const struct orl_win_args *args;
	struct orl_win *win;
	/* Of all ranks.  Made before anything is exchanged: who finds later
	 * that it has no memory for them would leave the others waiting. */
	struct orl_part *parts;
	struct orl_introduction *introductions;
	struct orl_verdict *verdicts;
	bool near_threads; /* some process of this node has them */
	char why[256];	   /* text of the error, empty if nobody has said */
};

#define ORL_EXPLAIN(creation, ...)                                             \
	snprintf((creation)->why, sizeof((creation)->why), __VA_ARGS__)

/*
 * Collective, after an exchange that has told all ranks of this one's error:
 * it tells them why, and that is the error of every rank that has none of its
 * own (mine).  All say it, since only one of them may get to print it.
 */
int orl_creation_hear(struct orl_creation *creation, uint32_t rank, int theirs,
		      int mine);
/* Is the rank on this node, by what the parts say? */
bool orl_creation_is_near(const struct orl_creation *creation, uint32_t rank);

/* What all ranks decide alike from the same parts; agree.c. */
int orl_creation_decide(struct orl_creation *creation);
/* Every rank's verdict: the error class of one that failed, or 0. */
int orl_creation_agree(struct orl_creation *creation, int rc);

/* Around the first exchange: it is told if the others do not come; absent.c. */
bool orl_absent_expect(const struct orl_creation *creation);
void orl_absent_met(bool expected);

/* The table of targets, from the parts; target.c.  An error class. */
int orl_creation_targets(struct orl_creation *creation);
/* What only the verdicts tell: shared memory, paths of dynamic windows.  An
 * error class. */
int orl_creation_finish(struct orl_creation *creation);

#endif
