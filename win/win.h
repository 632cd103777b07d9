/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * win.h - the window object and its control block: what the files of win/
 * share.  Functions here return 0, an MPI error class or -errno, and have
 * raised nothing; orl_win_fail raises.
 */
#ifndef ORL_WIN_PRIVATE_H
#define ORL_WIN_PRIVATE_H

#include "orl_win.h"

#include <errno.h>
#include <stdatomic.h>

#include "orl_acc.h"
#include "orl_host.h"
#include "orl_path.h"
#include "orl_progress.h"
#include "orl_shm.h"
#include "orl_type.h"

#include "rwlock.h"

/* -- the control block ----------------------------------------------------- */

#define ORL_BARRIER_ROUNDS 13

/* Attached memory of a dynamic window, in the owner's arena; dynamic.c. */
struct orl_region {
	uint64_t addr, len;
	uint64_t mapped; /* lies in the owner's arena */
};

/*
 * One per rank and window, in the rank's arena, zero at first.  The comment
 * of each member says who writes it.
 */
struct orl_ctl {
	struct orl_gate gate;	  /* accumulates on this rank's memory: all */
	struct orl_rwlock lock;	  /* MPI_Win_lock on this rank: all */
	struct orl_rwlock master; /* in rank 0's block: lock_all against
				   * exclusive locks: all */
	int64_t arrival; /* bytes from here to the bell on which the owner
			  * waits in barriers: by the owner, constant */
	_Atomic(uint32_t) arrive[ORL_BARRIER_ROUNDS]; /* by the partner of
						       * the round */
	uint8_t pad[4];
	_Atomic(uint32_t) regions_seq; /* odd while the owner changes */
	uint32_t nregions;	       /* by the owner */
	uint64_t regions; /* the owner's address of the sorted table */
	uint8_t pad2[48];
	_Atomic(uint32_t) completes; /* MPI_Win_complete calls: by origins */
	struct orl_bell exposure;    /* the owner waits for posts, completes */
	_Atomic(uint8_t) posted[];   /* [rank] this target's post has not yet
				      * met our start: set by it, cleared
				      * by us */
};
_Static_assert(offsetof(struct orl_ctl, regions_seq) % 64 == 0, "own line");
_Static_assert(offsetof(struct orl_ctl, completes) % 64 == 0, "own line");

static inline struct orl_ctl *orl_target_ctl(const struct orl_target *target)
{
	return (struct orl_ctl *)target->gate;
}

/* -- the window ------------------------------------------------------------ */

/* orl_win.epoch: the access epoch that is open, the origin's side. */
enum orl_epoch {
	ORL_EPOCH_NONE,
	ORL_EPOCH_FENCE,      /* after a fence, nothing accessed yet */
	ORL_EPOCH_FENCE_USED, /* and something was */
	ORL_EPOCH_START,
	ORL_EPOCH_LOCK,
	ORL_EPOCH_LOCK_ALL
};

/* orl_target.held: what gives access to this target. */
enum orl_held {
	ORL_HELD_NOTHING,
	ORL_HELD_SHARED,
	ORL_HELD_EXCLUSIVE,
	ORL_HELD_NOCHECK, /* a lock of which nothing was acquired */
	ORL_HELD_START	  /* membership in the group of MPI_Win_start */
};

struct orl_win {
	/* Read by every operation. */
	struct orl_target *targets; /* [size] */
	uint32_t size;
	uint32_t rank;
	uint8_t access_all; /* the epoch gives access to every target */
	bool dynamic;
	bool queues;   /* some path may hold transfers back */
	uint8_t epoch; /* enum orl_epoch */
	uint8_t paths; /* ORL_PATH_... that all ranks may use */

	/*
	 * Epochs.  With threads, changes of these, of epoch and of what a
	 * target holds are made under the mutex; nobody waits under it.
	 */
	pthread_mutex_t mutex;
	int *started; /* ranks of the start group, and those of the post */
	int *exposed;
	int nstarted, nexposed;
	bool start_nocheck;
	bool exposing; /* between post and wait */
	bool lock_all_nocheck;
	uint32_t nlocks;
	uint32_t completes;	      /* of earlier exposure epochs */
	pthread_mutex_t master_mutex; /* held while the master is entered for
				       * the first of our exclusive locks */
	uint32_t nexclusive; /* exclusive locks that this process holds */

	struct orl_ctl *ctl;
	uint32_t barrier_seq;

	/* The object. */
	MPI_Win handle;
	struct orl_comm comm; /* handle must not be used after creation */
	int flavor;
	MPI_Aint bytes;
	int disp_unit;
	void *base;
	void *memory;	 /* what to give back to the arena */
	bool is_leaving; /* MPI_Win_free has passed its barrier */
	uint32_t info;	 /* flags of info.c */
	uint32_t ordering;
	struct orl_regions *attached; /* dynamic.c */
};

/* -- errors, error.c ------------------------------------------------------- */

/*
 * Raises class (or, if negative, what stands for -errno) with the window,
 * the call and the formatted reason as text.  Returns the code.
 */
int orl_win_fail(struct orl_win *win, const char *call, int class,
		 const char *fmt, ...) ORL_COLD
	__attribute__((format(printf, 4, 5)));

/* -- epochs, epoch.c ------------------------------------------------------- */

enum orl_call {
	ORL_CALL_FENCE,
	ORL_CALL_START,
	ORL_CALL_COMPLETE,
	ORL_CALL_POST,
	ORL_CALL_WAIT,
	ORL_CALL_TEST,
	ORL_CALL_LOCK,
	ORL_CALL_UNLOCK,
	ORL_CALL_LOCK_ALL,
	ORL_CALL_UNLOCK_ALL,
	ORL_CALL_FLUSH,
	ORL_CALL_RMA,
	ORL_CALL_RRMA,
	ORL_CALL_FREE
};

/* Is the call legal now?  NULL, or why it is not. */
const char *orl_epoch_objection(const struct orl_win *win, enum orl_call call);

/*
 * The slow half of orl_epoch_admit: opens the fence epoch, or meets the
 * post of a started target.
 */
int orl_epoch_first_access(struct orl_win *win, struct orl_target *target);

/* 0 if an access epoch to the target is open, else MPI_ERR_RMA_SYNC. */
static inline int orl_epoch_admit(struct orl_win *win,
				  struct orl_target *target)
{
	/* Acquire: what the post that another thread met lets us see. */
	if (orl_likely(win->access_all |
		       __atomic_load_n(&target->access, __ATOMIC_ACQUIRE)))
		return 0;
	return orl_epoch_first_access(win, target);
}

/* -- synchronisation ------------------------------------------------------- */

/* All ranks of the window; O(log ranks). */
void orl_win_barrier(struct orl_win *win);

/* Waits until the target has posted to us, and consumes the post. */
void orl_pscw_meet(struct orl_win *win, struct orl_target *target);

/* Completes everything at all targets; a full memory fence. */
int orl_win_drain(struct orl_win *win);

/* -- memory and ranges ----------------------------------------------------- */

struct orl_creation;

/*
 * Sets base and memory by flavor, of a shared window after the first
 * exchange.  0, or MPI_ERR_NO_MEM.  memory.c
 */
int orl_win_memory(struct orl_creation *creation);

/* The path to memory of a target, as all of its origins choose it. */
const struct orl_path *orl_win_path(const struct orl_win *win, uint32_t rank,
				    bool mapped);

/* dynamic.c */
int orl_regions_make(struct orl_win *win);
void orl_regions_free(struct orl_win *win);
/*
 * Is [addr, addr + len) attached at the place's target?  Sets the path; 0,
 * or MPI_ERR_RMA_RANGE.
 */
int orl_regions_find(struct orl_win *win, struct orl_place *place,
		     uint64_t addr, uint64_t len);

/* info.c */
void orl_info_read(struct orl_win *win, MPI_Info info, bool creation);
bool orl_info_no_locks(const struct orl_win *win);
bool orl_info_is_noncontig(const struct orl_win *win);

#endif
