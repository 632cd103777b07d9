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
#include "orl_am.h"
#include "orl_host.h"
#include "orl_path.h"
#include "orl_progress.h"
#include "orl_shm.h"
#include "orl_type.h"

#include "rwlock.h"

/* -- the control block ----------------------------------------------------- */

#define ORL_BARRIER_ROUNDS 29

/* Attached memory of a dynamic window, in the owner's arena; regions.h. */
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
	_Atomic(uint32_t) come; /* to barriers where ranks are crowded; in the
				 * first rank's block: by all */
	_Atomic(uint32_t) regions_seq; /* odd while the owner changes */
	uint32_t nregions;	       /* by the owner */
	uint64_t regions; /* the owner's address of the sorted table */
	uint8_t pad2[48];
	/* Origins of other nodes have this rank write their parts. */
	_Atomic(uint32_t) completes; /* MPI_Win_complete calls: by origins */
	struct orl_bell exposure;    /* the owner waits for posts, completes */
	_Atomic(uint8_t) posted[];   /* [rank] this target's post has not yet
				      * met our start: set by it, cleared
				      * by us */
};
_Static_assert(offsetof(struct orl_ctl, regions_seq) % 64 == 0, "own line");
_Static_assert(offsetof(struct orl_ctl, completes) % 64 == 0, "own line");

/* Behind it: what has come, by tag, and was not waited for; notify.c. */
struct orl_notices {
	struct orl_bell bell;	    /* the owner waits */
	_Atomic(uint64_t) counts[]; /* [notice_tags] origins add, the owner
				     * takes; 64 bits never overflow */
};

static inline size_t orl_ctl_bytes(uint32_t ranks, uint32_t tags)
{
	return ORL_ALIGN_UP(sizeof(struct orl_ctl) + ranks,
			    (size_t)ORL_CACHELINE) +
	       sizeof(struct orl_notices) + tags * sizeof(uint64_t);
}

static inline struct orl_notices *orl_ctl_notices(struct orl_ctl *ctl,
						  uint32_t ranks)
{
	return (struct orl_notices *)((char *)ctl +
				      ORL_ALIGN_UP(sizeof(struct orl_ctl) +
							   ranks,
						   (size_t)ORL_CACHELINE));
}

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

/* What links to a rank of another node need, see remote.c. */
struct orl_contact {
	struct orl_am_peer *peer; /* NULL: of this node, but for rank 0 */
	uint64_t cookie, key, base;
};

/* What keeps lock_all and exclusive locks apart between nodes, see lease.c. */
enum {
	ORL_LEASE_NONE,
	ORL_LEASE_ALONE, /* exclusive locks */
	ORL_LEASE_ALL	 /* lock_all */
};
struct orl_lease {
	uint8_t mode;
	uint8_t asked;	/* the mode that is asked for */
	bool asking;	/* by some thread, */
	bool hurried;	/* past the others */
	bool wanted;	/* called back: goes when the last user has ended */
	uint32_t users; /* exclusive locks, or epochs of lock_all */
	uint32_t call_slot;
	/* To rank 0, of which nothing else is needed: it may be near. */
	struct orl_link link;
};

struct orl_win {
	struct orl_win_head head; /* first */
	/* Read by every operation. */
	struct orl_target *targets; /* [size] */
	uint32_t size;
	uint32_t rank;
	uint8_t access_all; /* the epoch gives access to every target; not in
			     * windows that span nodes: by target there */
	bool dynamic;
	bool spans;	       /* some targets are remote */
	bool queues;	       /* some path may hold transfers back */
	bool is_late;	       /* operations may outlast their calls */
	bool always_fences;    /* each flush is a fence; see flush.c */
	bool has_stored;       /* since then, not by CPU atomics alone */
	uint8_t epoch;	       /* enum orl_epoch */
	uint8_t paths;	       /* ORL_PATH_... that all ranks may use */
	struct orl_link **nic; /* [size] to near ranks, for accumulates by the
				* network; NULL: there are none, see nic.c */

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
	uint32_t completes;  /* of earlier exposure epochs */
	uint32_t nexclusive; /* exclusive locks for which the master has been
			      * entered */

	struct orl_ctl *ctl;
	struct orl_rwlock *master; /* rank 0's; not used if the window spans
				    * nodes: lease.c */
	uint32_t barrier_seq;
	bool crowded;	/* more ranks than cores, all of one node: all ranks say
		       * alike */
	uint32_t *near; /* ranks of this node, in order, this one included */
	uint32_t nnear;

	/* Other nodes, remote.c; unused unless spans.  Links are added, and
	 * holders and served used, under the progress lock. */
	struct orl_contact *contacts; /* [size] */
	struct orl_link *links;	      /* to targets that were accessed */
	struct orl_target served;     /* this rank as its handlers see it */
	uint8_t *holders;     /* [size] what remote origins hold of our lock */
	struct orl_win *next; /* of all that span nodes */
	uint64_t cookie;      /* by which messages name this window */
	struct orl_lease lease;
	struct orl_leases *leases; /* rank 0's */
	struct orl_mr mr;

	/* The object. */
	MPI_Win handle;
	struct orl_comm comm; /* handle must not be used after creation */
	int flavor;
	MPI_Aint bytes;
	int disp_unit;
	uint32_t ordinal; /* of the windows of rank 0's process, from 1 */
	void *base;
	void *memory;	       /* what to give back to the arena; */
	struct orl_win *alike; /* the last one of a ring of windows on the
				* same memory does it, see dup.c */
	int progress;	       /* as orl_win_progress has told last */
	bool contiguous;       /* a shared window with its parts end to end */
	bool is_leaving;       /* MPI_Win_free has passed its barrier */
	uint32_t info;	       /* flags of info.c */
	uint32_t notice_tags;  /* on all ranks: the least that one asked for */
	uint32_t ctl_bytes;
	uint32_t number; /* the same on all ranks, of no other window: from the
			  * address of rank 0's control block */
	struct orl_acc_domain domain;
	struct orl_regions *attached; /* dynamic.c */
	struct orl_asker *askers;     /* asker.c */
	struct orl_watch *watch;      /* watch.h; NULL: nobody watches */
	struct orl_check *check;      /* check.h; NULL: not checked */
};
_Static_assert(offsetof(struct orl_win, head) == 0,
	       "as orl_win_calls reads it");

struct orl_creation;

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

/* Changes are made under the mutex; of threads that only look, none waits. */
static inline uint8_t orl_epoch_of(const struct orl_win *win)
{
	return __atomic_load_n(&win->epoch, __ATOMIC_RELAXED);
}

static inline bool orl_epoch_is_passive(const struct orl_win *win)
{
	uint8_t epoch = orl_epoch_of(win);

	return epoch == ORL_EPOCH_LOCK_ALL || epoch == ORL_EPOCH_LOCK;
}

static inline void orl_epoch_set(struct orl_win *win, enum orl_epoch epoch)
{
	__atomic_store_n(&win->epoch, (uint8_t)epoch, __ATOMIC_RELAXED);
}

static inline void orl_epoch_set_all(struct orl_win *win, bool access)
{
	__atomic_store_n(&win->access_all, access, __ATOMIC_RELAXED);
}

/* Is the call legal now?  NULL, or why it is not.  Takes the mutex. */
const char *orl_epoch_objection(struct orl_win *win, enum orl_call call);
/* The same, mutex held; and for a lock of that rank. */
const char *orl_epoch_objection_now(const struct orl_win *win,
				    enum orl_call call);
const char *orl_epoch_objection_to_lock(const struct orl_win *win,
					uint32_t rank);

/*
 * The slow half of orl_epoch_admit: opens the fence epoch, or meets the
 * post of a started target.
 */
int orl_epoch_first_access(struct orl_win *win, struct orl_target *target);

/* Is an access epoch to the target open? */
static inline bool orl_epoch_is_open(const struct orl_win *win,
				     const struct orl_target *target)
{
	/* Acquire: what the post that another thread met lets us see. */
	return __atomic_load_n(&win->access_all, __ATOMIC_RELAXED) |
	       __atomic_load_n(&target->access, __ATOMIC_ACQUIRE);
}

/* The same: 0, or MPI_ERR_RMA_SYNC. */
static inline int orl_epoch_admit(struct orl_win *win,
				  struct orl_target *target)
{
	return orl_likely(orl_epoch_is_open(win, target))
		       ? 0
		       : orl_epoch_first_access(win, target);
}

/* The epoch that gave access is over. */
void orl_epoch_close(struct orl_win *win);

/* -- synchronisation ------------------------------------------------------- */

/* An operation has written by plain stores: the next flush is a fence.  Where
 * all are, it stays so, and threads do not take the line from each other. */
static inline void orl_win_note_store(struct orl_win *win)
{
	if (!__atomic_load_n(&win->has_stored, __ATOMIC_RELAXED))
		__atomic_store_n(&win->has_stored, true, __ATOMIC_RELAXED);
}

/*
 * orl_wait, but for a window that spans nodes it ends too when a process of
 * the window is lost: -EHOSTDOWN.
 */
int orl_win_wait_for(struct orl_win *win, struct orl_bell *bell,
		     orl_ready_fn ready, void *arg);

/* All ranks of the window; O(log ranks), or a word where they are crowded.
 * 0 or -EHOSTDOWN. */
int orl_win_barrier(struct orl_win *win);
/* On behalf of a remote rank, which says how many barriers it has begun: 0 or
 * an error class. */
int orl_barrier_arrived(struct orl_win *win, uint32_t rank, uint32_t seq);

/* Waits until the target has posted to us, and consumes the post. */
int orl_pscw_meet(struct orl_win *win, struct orl_target *target);
/* On behalf of a remote rank: its post, its complete. */
void orl_pscw_posted(struct orl_win *win, uint32_t rank);
void orl_pscw_completed(struct orl_ctl *ctl);

/* Completes everything at all targets; a full memory fence. */
int orl_win_drain(struct orl_win *win);
/* Does the epoch let it be flushed? */
bool orl_flush_may(const struct orl_win *win, int rank);
/* MPI_Win_flush by another name: an error has been raised. */
int orl_flush_one(struct orl_win *win, const char *call, int rank);
/* At those of this node. */
int orl_win_drain_near(struct orl_win *win);

/* -- other nodes: remote.c, loss.c and serve.c ----------------------------- */

/* ORL_AM_POST, ORL_AM_COMPLETE, ORL_AM_ARRIVE. */
struct orl_record_word {
	struct orl_record head;
	uint32_t value;
	uint32_t pad;
};

/* ORL_AM_LEASE, a is the mode, b hurry; slot 0: what was asked for already is
 * in a hurry by now.  ORL_AM_CALL. */
struct orl_record_lease {
	struct orl_record head;
	uint32_t slot;
	uint32_t pad;
};

/* lease.c: memory; 0 or -ENOMEM. */
int orl_lease_open(struct orl_win *win);
/* Under the progress lock. */
void orl_lease_close(struct orl_win *win);
void orl_lease_serve(void);
/* May wait for the end of epochs of the other mode.  0 or an error. */
int orl_lease_take(struct orl_win *win, uint8_t mode);
void orl_lease_give(struct orl_win *win);
/* Bytes that the window keeps for its leases. */
uint64_t orl_lease_held(const struct orl_win *win);

/* After the first exchange, if ranks are of several nodes: opens the network
 * and exchanges contacts.  error: the class of what has gone wrong on this
 * rank already, or 0.  An error class. */
int orl_remote_meet(struct orl_creation *creation, int error);
void orl_remote_free(struct orl_win *win);
/* The link of a remote target, made if need be; NULL: no memory. */
struct orl_link *orl_remote_link(struct orl_win *win,
				 struct orl_target *target);
/* Whom a link is to, and from; the rest of it is 0. */
void orl_remote_aim(struct orl_link *link, const struct orl_win *win,
		    uint32_t rank);
/* The links made so far: they stay, the list grows at its head. */
static inline struct orl_link *orl_remote_links(const struct orl_win *win)
{
	/* Acquire: pairs with the release in make_link, remote.c. */
	return __atomic_load_n(&win->links, __ATOMIC_ACQUIRE);
}
/* Any target: a remote one is accessed through its link.  0 or -ENOMEM. */
int orl_remote_connect(struct orl_win *win, struct orl_target *target);
/* Tells the target's process a word (ORL_AM_POST, COMPLETE, ARRIVE); what was
 * written into the link before goes with it.  Does not wait for an answer. */
int orl_remote_tell(struct orl_win *win, struct orl_target *target,
		    enum orl_am_type type, uint32_t value);
/* Flushes all links, all at once. */
int orl_remote_flush(struct orl_win *win);
int orl_remote_finish(struct orl_win *win);
/* Before a barrier, what it does not do by itself: it tells some targets behind
 * the operations, in the same message if it can.  orl_remote_finish follows. */
int orl_remote_flush_for_barrier(struct orl_win *win);
/* Every window of this process that spans nodes.  Progress lock held. */
void orl_remote_for_all(void (*fn)(struct orl_win *win));
/* Is the origin of a record the rank that it says it is? */
bool orl_remote_is_origin(const struct orl_win *win,
			  const struct orl_am_source *source);
/* Is a process of the window's lost?  O(ranks) after any process was. */
bool orl_remote_is_broken(const struct orl_win *win);
/* Which, of this window if it has one, and why; false if no process is lost. */
bool orl_remote_loss(const struct orl_win *win, char *text, size_t len);
/* For who has waited long. */
void orl_remote_watch(struct orl_win *win);
/* Installs the handlers of win. */
void orl_win_serve(void);

/* -- notifications, notify.c ----------------------------------------------- */

/* oriel_notify_tags, as the info key asks for them. */
uint32_t orl_notify_tags(MPI_Info info);
/* Under the progress lock: another node's rank tells.  An error class. */
int orl_notify_told(struct orl_win *win, uint32_t tag);

/* -- accumulates ----------------------------------------------------------- */

/* orl_win_fetch_and_op and _compare_and_swap, with a request too; element.c */
int orl_fetch_any(struct orl_win *win, const struct orl_xacc *x);
int orl_swap_any(struct orl_win *win, const struct orl_xacc *x,
		 const void *compare);

/* -- accumulates by the network, nic.c; only where win->nic is set --------- */

struct orl_introduction;
void orl_nic_offer(struct orl_win *win, struct orl_introduction *mine);
/* Decides, and sets win->nic if any kind is the network's: an error class. */
int orl_nic_agree(struct orl_creation *creation,
		  const struct orl_introduction *all);
/* Progress lock held. */
void orl_nic_free(struct orl_win *win);
/* By the network, or as all others: 0, an error class or -errno. */
int orl_nic_accumulate(struct orl_win *win, const struct orl_place *place,
		       const struct orl_acc *acc);
int orl_nic_compare(struct orl_win *win, const struct orl_place *place,
		    const struct orl_acc *acc, const void *compare);
/* Of near targets, of which path->flush does not know; also of results. */
int orl_nic_flush(struct orl_win *win, const struct orl_target *target);
/* Of any target: what is sent there after this follows the network's
 * atomics. */
int orl_nic_settle(struct orl_win *win, const struct orl_target *target);
int orl_nic_flush_near(struct orl_win *win);

/* -- memory and ranges ----------------------------------------------------- */

/*
 * Sets base and memory by flavor, of a shared window after the first
 * exchange.  0, or MPI_ERR_NO_MEM.  memory.c
 */
int orl_win_memory(struct orl_creation *creation);

/* -- windows on the same memory, dup.c ------------------------------------- */

/*
 * It is one more on the memory of another, when it is all there; attached
 * memory is copied: 0 or -ENOMEM.
 */
int orl_win_join(struct orl_win *win, struct orl_win *of);
/* There it is no more; what is left in win->memory is for nobody else. */
void orl_win_part(struct orl_win *win);
/* Over which windows these are, and over their attached memory. */
void orl_alike_lock(void);
void orl_alike_unlock(void);

/* The one after it in the ring of these: itself if there is no other. */
static inline struct orl_win *orl_alike_next(struct orl_win *win)
{
	return win->alike ? win->alike : win;
}

/* The path to memory of a near target, as all of its near origins choose it. */
const struct orl_path *orl_win_path(const struct orl_win *win, uint32_t rank,
				    bool mapped);

/* info.c */
void orl_info_read(struct orl_win *win, MPI_Info info, bool creation);
/* Tells who asks for warnings of a value that a key of ours does not have. */
void orl_info_strange(const char *key, const char *value);
bool orl_info_no_locks(const struct orl_win *win);
/* If the window wants it; once the network is open. */
void orl_info_start_thread(const struct orl_win *win);
bool orl_info_is_noncontig(const struct orl_win *win);
bool orl_info_wants_nic(const struct orl_win *win);

/* hints.c: the keys about accumulates.  fill: an error class. */
void orl_hints_read(struct orl_win *win, MPI_Info info, bool creation);
int orl_hints_fill(const struct orl_win *win, MPI_Info info);

#endif
