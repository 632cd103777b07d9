/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_am.h - active messages between processes of different nodes.
 *
 * A link is this process's way to one rank of one window.  What the rank is
 * to do is written as records into the link's message under construction,
 * which is sent when it is full or when orl_am_send says so.  Records of a
 * link are executed in their order, by the owner's handlers, one for each
 * type, in whatever thread makes progress there.  Handlers never wait; they
 * may answer a record that carries the number of a slot: a place of the
 * origin's where the answer goes.
 *
 * Everything here, links and peers included, is under the progress lock
 * (orl_progress.h), unless said otherwise.  Functions that must wait for room
 * release and retake it.
 *
 * A message carries the secret token of the process that it is for; one that
 * does not is dropped.  Whatever a record says is checked before it is used.
 */
#ifndef ORL_AM_H
#define ORL_AM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orl_fabric.h"
#include "orl_progress.h"

/* -- peers: processes that have exchanged cards ---------------------------- */

#define ORL_AM_HOST 28 /* a host's name, cut */

struct orl_am_card {
	uint64_t token; /* secret: what messages to it must carry */
	uint16_t name_len;
	uint8_t lively;	       /* it has a thread that answers at any time */
	uint8_t nudged;	       /* it has a descriptor for orl_fabric_nudge */
	uint32_t buffer_bytes; /* orl_fabric's; of all peers the same */
	int32_t rank;	       /* of MPI_COMM_WORLD, or -1; set by win */
	char host[ORL_AM_HOST];
	uint8_t name[ORL_FABRIC_NAME];
};

/*
 * All but token and addr is written by src/am alone.  error, sent, credited
 * and waiting are also read without the lock, by who waits for credit.
 */
struct orl_am_peer {
	uint64_t token;	   /* from its card */
	uint64_t addr;	   /* by orl_fabric_peer */
	int error;	   /* -EHOSTDOWN once it is lost, */
	int cause;	   /* and what showed it */
	uint32_t sent;	   /* messages that need credit, ever */
	uint32_t credited; /* of these, received by the peer */
	uint32_t received; /* of the peer's, by us */
	uint32_t told;	   /* of these, that the peer knows of */
	uint32_t awaited;  /* slots that await its answer */
	size_t bytes;	 /* to or by it, but answers, since none was awaited */
	uint64_t nudged; /* when it was, last */
	struct orl_loan *loan; /* of its memory, for operands; atomics', or
				* NULL */
	struct orl_am_message *answers; /* under construction, or NULL */
	struct orl_am_message *waiting; /* for credit, in their order */
	struct orl_am_message **last_waiting;
	struct orl_am_parked *parked; /* of its messages */
	struct orl_am_peer *next;     /* of all */
	struct orl_am_peer *next_due; /* of those to be answered */
	bool due;		      /* it is in that list */
	bool must_tell;	   /* credit, or that we live, without more ado */
	bool spoken;	   /* something was sent or received, ever */
	bool is_lively;	   /* it has a thread that answers at any time */
	bool is_nudged;	   /* it can be */
	bool has_left;	   /* it has said that it will send nothing more, */
	bool said_bye;	   /* we have, */
	bool knows_bye;	   /* and it has received that */
	uint64_t asked;	   /* since when we watch it, and it says nothing;
			    * 0: it has, or we do not */
	uint64_t ask_next; /* when to ask whether it lives */
	uint64_t watched;  /* when that was looked at last */
	uint64_t hinted;   /* coarse time of the latest hint, */
	size_t unhinted;   /* and the weight of transfers since */
	int32_t rank;	   /* from its card, */
	char host[ORL_AM_HOST]; /* and this; 0 at the end */
};

/*
 * Opens the fabric and gives this process its token; any number of calls.
 * Takes the lock itself.  0 or -errno with *what.
 */
int orl_am_open(int ranks, const char **what);
bool orl_am_is_open(void);
/* Last words to all peers, then the fabric is closed.  Takes the lock. */
void orl_am_close(void);
void orl_am_card_fill(struct orl_am_card *card);
/*
 * After a read or write of len bytes was posted: the peer executes it in some
 * poll, without ever hearing of it.  Tells it now and then, so that it knows
 * that polling is worth while.  Lock held.
 */
void orl_am_hint(struct orl_am_peer *peer, size_t len);
/* The peer will read so many bytes before it answers.  Lock held. */
void orl_am_expect(struct orl_am_peer *peer, size_t len);
/* The peer of a card; made at first sight; lives until exit. */
int orl_am_peer_find(const struct orl_am_card *card, struct orl_am_peer **peer);

/* Peers lost so far: who waits for one looks whether this has changed.  Read
 * without the lock. */
extern _Atomic(uint32_t) orl_am_losses;
/*
 * For who waits for the peer, some times a second: asks it for a sign of life
 * if it says nothing, and declares it lost when that cannot be sent, or it
 * has given none for ORIEL_TIMEOUT seconds though it has a thread that
 * would.  Who waits for answers need not call it.
 */
void orl_am_watch(struct orl_am_peer *peer);
/*
 * Declares it lost at once: for who sees a read or write of its fail.  The
 * slots of all its links are answered with NULL, waits for it end.
 */
void orl_am_lose(struct orl_am_peer *peer, int error);
/* The latest that was lost, or NULL.  Any thread. */
const struct orl_am_peer *orl_am_lost_latest(void);
/* Of one that is lost: who it was, where, and what showed it.  Any thread. */
void orl_am_tell_loss(const struct orl_am_peer *peer, char *text, size_t len);

/*
 * Has fn run at every poll, with the lock held; it returns whether it wants
 * to be run again soon, though no message may come.  0 or -ENOSPC.
 */
typedef bool (*orl_am_poll_fn)(void);
int orl_am_poll_register(orl_am_poll_fn fn);

/* What has been counted since the start. */
struct orl_am_counts {
	uint64_t sent;	   /* messages */
	uint64_t received; /* as they came */
	uint64_t trips;	   /* waits for answers, or for transfers' ends */
	uint64_t dropped;  /* of these, or of answers in them: not for us, or
			    * not well formed */
};
extern struct orl_am_counts orl_am_counts;

/* Rung whenever messages, answers or completions have come; a process's. */
extern struct orl_bell orl_am_bell;

/* -- windows that messages name -------------------------------------------- */

/* A random name for an object that handlers are to be given, and back. */
int orl_am_name_make(void *object, uint64_t *cookie);
void orl_am_name_drop(uint64_t cookie);

/* -- links ----------------------------------------------------------------- */

/* The key of memory that is not registered. */
#define ORL_NO_KEY UINT64_MAX

struct orl_link {
	/* Constant. */
	struct orl_am_peer *peer;
	uint64_t cookie;  /* the window at the target, its name there */
	uint64_t key;	  /* of its memory, for reads and writes, */
	uint64_t base;	  /* and what its first byte is named by */
	uint32_t rank;	  /* this origin's in the window */
	uint32_t target;  /* and the target's */
	bool has_regions; /* of a dynamic window each region has a key of its
			   * own, see keys, and there is none for all */

	/* src/am's: records. */
	struct orl_am_message *out; /* under construction, or NULL */
	uint32_t answers;	    /* slots that await one */
	/* By which the target names the link in errors; 0 at first. */
	uint32_t id;
	/* The first that was reported: an MPI error class or -errno; see
	 * orl_link_error. */
	int error;
	/* Some were written after the latest one that will be answered: nobody
	 * will tell when they are done. */
	bool unasked;
	bool is_closed; /* by orl_am_link_free */

	/* Reads, writes and atomics, by orl_am_transfer_begin and _end. */
	uint32_t transfers;	  /* under way */
	uint32_t overtakable;	  /* of these, by messages */
	uint32_t begun, ended;	  /* reads and writes, ever; src/path's */
	struct orl_after *afters; /* what waits for these; src/path's */
	struct orl_amo *amos;	  /* the atomics under way; atomics' */

	/* src/path's. */
	uint8_t lock; /* the target's, taken lazily: ORL_LAZY_... */
	bool listed;  /* with next_lazy, among links with such a lock */
	/* What was sent before may not have been executed yet, though nobody
	 * asks: what does not keep its order must wait for it. */
	bool unsettled;
	/* Records of the message under construction, cleared when it goes:
	 * the request for that lock; and the only one, if it is a put or get,
	 * and where the latter goes. */
	struct orl_record_lock *lock_record;
	struct orl_record *lone;
	void *lone_dst;
	struct orl_link *next_lazy;
	uint64_t thread;       /* that asks for the lock */
	struct orl_keys *keys; /* of regions, those that are known */

	/* win's. */
	struct orl_link *next; /* of the window's */
	uint32_t unlocked;     /* us, when the lock had been given back */
};

/*
 * What is still to come on a link, by five questions:
 *
 *	orl_am_is_awaiting	an answer?
 *	orl_am_has_overtakable	the end of what a message might overtake?
 *	orl_am_is_under_way	the end or answer of what was sent or posted?
 *	orl_am_is_idle		neither answers nor ends of transfers?
 *	orl_link_is_quiet	and nothing that a flush would ask for, nor an
 *				error (src/path/remote.h)?
 */

/*
 * What whoever completes the link's operations must return: an error that was
 * reported and not taken yet, or that the peer is lost, which stays so.  Read
 * without the lock.
 */
static inline int orl_link_error(const struct orl_link *link)
{
	int error = __atomic_load_n(&link->error, __ATOMIC_ACQUIRE);

	return error ? error
		     : __atomic_load_n(&link->peer->error, __ATOMIC_RELAXED);
}
/* The same, and it has been told: for who returns it.  Lock held. */
int orl_am_link_take_error(struct orl_link *link);

/*
 * Before the link's memory is freed: what it still awaits is forgotten, its
 * slots are answered with NULL.
 */
void orl_am_link_close(struct orl_link *link);
/* Closes it and frees it, when the last transfer has ended: of a lost peer,
 * some may still be under way. */
void orl_am_link_free(struct orl_link *link);

#define ORL_RECORD_ALIGN 8

/* What each record begins with.  Types are numbered in orl_am_type. */
struct orl_record {
	uint8_t type;
	uint8_t a, b, c; /* of the type's own */
	uint32_t bytes;	 /* of the record, this head included, without the
			  * padding to 8 that follows it */
};

enum orl_am_type {
	ORL_AM_ANSWER = 1, /* src/am's own */
	ORL_AM_ERROR,
	ORL_AM_PING,
	ORL_AM_FLUSH,
	ORL_AM_PUT, /* src/path */
	ORL_AM_GET,
	ORL_AM_PUT_VECTOR,
	ORL_AM_GET_VECTOR,
	ORL_AM_KEY,
	ORL_AM_FORGET,
	ORL_AM_ACC, /* atomics */
	ORL_AM_FOP,
	ORL_AM_CAS,
	ORL_AM_PULL,
	ORL_AM_PUSH,
	ORL_AM_LOCK, /* win */
	ORL_AM_UNLOCK,
	ORL_AM_LEASE,
	ORL_AM_CALL,
	ORL_AM_POST,
	ORL_AM_COMPLETE,
	ORL_AM_ARRIVE,
	ORL_AM_NOTIFY,
	ORL_AM_TYPES
};

/*
 * A record of bytes (head included) at the end of the link's message; type
 * and bytes are set, the rest is for the caller to fill, all of it, before
 * the lock is released.  If the message has no room it is sent first, for
 * which the call may have to wait for credit, without the lock.  NULL if the
 * peer is lost or there is no memory; link->error says which.  bytes is at
 * most orl_am_most().
 */
void *orl_am_record(struct orl_link *link, enum orl_am_type type, size_t bytes);
/* The largest record. */
size_t orl_am_most(void);
/* Bytes that a record may have and still go into the same message; 0: none
 * is under construction. */
size_t orl_am_room(const struct orl_link *link);
/* Is it the only record of the message? */
bool orl_am_is_only(const struct orl_link *link,
		    const struct orl_record *latest);
/*
 * The latest record, whose slot this is, has none, but would be answered with
 * nothing if it had: then a flush behind it needs no record.
 */
void orl_am_may_end(struct orl_link *link, uint32_t *slot);
/* Sends what is under construction, if anything.  May wait for credit. */
void orl_am_send(struct orl_link *link);
/* The same without waiting: what has no credit is kept, and sent when there is
 * some. */
void orl_am_push(struct orl_link *link);
/* Has been sent or posted anything whose answer or end is still to come? */
bool orl_am_is_under_way(const struct orl_link *link);
/*
 * A read, write or atomic of the link's memory begins, which link->transfers
 * counts; it has failed; it has ended, and with that a link that waits for it
 * to be freed.  An error of the operation is the link's; any other loses the
 * peer, which answers what is wrong by closing the connection.  Messages
 * may overtake all but writes where orl_fabric.in_order.
 */
void orl_am_transfer_begin(struct orl_link *link, bool is_overtakable);
void orl_am_transfer_fail(struct orl_link *link, int error);
void orl_am_transfer_end(struct orl_link *link, bool was_overtakable);
/* Must what a message is to tell of wait for transfers to end? */
static inline bool orl_am_has_overtakable(const struct orl_link *link)
{
	/* Acquire: pairs with the release in orl_am_transfer_end. */
	return __atomic_load_n(&link->overtakable, __ATOMIC_ACQUIRE);
}
/* Is anything not answered?  A message under construction counts. */
static inline bool orl_am_is_awaiting(const struct orl_link *link)
{
	/* Acquire: pairs with the release in count(), slot.c. */
	return __atomic_load_n(&link->answers, __ATOMIC_ACQUIRE);
}
/* Forgets what is under construction; its slots are answered with NULL. */
void orl_am_discard(struct orl_link *link);

/* -- slots: where answers go ----------------------------------------------- */

/*
 * An answer of exactly len bytes has come (or, with data NULL, will never
 * come: link->error is set).  Runs with the lock held, must not wait.  dst
 * and len are the slot's.
 */
typedef void (*orl_am_answer_fn)(struct orl_link *link, void *dst,
				 const void *data, size_t len);

/* Copies the answer to dst. */
void orl_am_copy_answer(struct orl_link *link, void *dst, const void *data,
			size_t len);

/*
 * A slot for one answer of len bytes; counted in link->answers until it has
 * come.  0 if there is no memory (slot numbers are never 0).  To be called
 * after orl_am_record has given the record that will carry it.
 */
uint32_t orl_am_slot(struct orl_link *link, orl_am_answer_fn fn, void *dst,
		     size_t len);
/* The same for a record of the message that is not the latest. */
uint32_t orl_am_slot_of(struct orl_link *link, const void *record,
			orl_am_answer_fn fn, void *dst, size_t len);

/*
 * Nobody will answer it after all: it is so with NULL.  What it counted in
 * is the caller's to drop.
 */
struct orl_am_tally *orl_am_slot_drop(struct orl_link *link, uint32_t slot);

/* -- tallies: the answers and transfers that one call awaits --------------- */

/* Changed under the lock; left is also read without. */
struct orl_am_tally {
	struct orl_link *link;	  /* need not exist when it is over */
	struct orl_am_peer *peer; /* the link's */
	uint32_t left;		  /* to come */
	int error;		  /* the first, as link->error; 0: none */
	/* left has become 0.  Must not wait; may free it. */
	void (*over)(struct orl_am_tally *tally);
};

/* Of one thread, on its stack. */
struct orl_am_scope {
	struct orl_link *link;
	/* A tally with over set; NULL: no memory.  Lock held. */
	struct orl_am_tally *(*make)(void);
	struct orl_am_tally *tally; /* NULL until something is counted */
};

/*
 * Until orl_am_scope_end, the slots and transfers that this thread takes on
 * the scope's link count in its tally, and the scope itself counts for one.
 * No lock needed.
 */
void orl_am_scope_begin(struct orl_am_scope *scope);
/* The tally so far, or NULL. */
struct orl_am_tally *orl_am_scope_tally(void);
/* That tally, whose count of the scope is now the caller's to drop. */
struct orl_am_tally *orl_am_scope_end(void);
/* Counts one for what begins on the link; NULL in *tally if nobody does.  0 or
 * -ENOMEM. */
int orl_am_tally_take(struct orl_link *link, struct orl_am_tally **tally);
/* It has ended, with that error if not 0.  tally may be NULL. */
void orl_am_tally_drop(struct orl_am_tally *tally, int error);
/* Is all here, or will never be, the peer being lost?  Read without the lock,
 * acquires. */
bool orl_am_tally_is_over(const struct orl_am_tally *tally);

/* -- waiting; these take the lock themselves ------------------------------- */

/*
 * Sends what is under construction and waits until every record of the link
 * has been executed and every transfer is complete at both ends: one round
 * trip, none if nothing is outstanding.  0, or the link's error, taken.
 */
int orl_am_flush(struct orl_link *link);
/* The same for what refers to local memory: answers and transfers only. */
int orl_am_finish(struct orl_link *link);
/*
 * The first half of orl_am_flush: sends, does not wait, not even for credit:
 * what has none is kept and sent when there is some.  Lock held.
 */
void orl_am_flush_begin(struct orl_link *link);
/* Has it come to its end?  Read without the lock, acquires.  An answer's
 * function may start a transfer, but a transfer's end asks for no answer. */
bool orl_am_is_idle(const struct orl_link *link);

/* -- handlers -------------------------------------------------------------- */

/* The message that a record came in. */
struct orl_am_source {
	struct orl_am_peer *peer;
	void *object;  /* what orl_am_name_make was given */
	uint32_t rank; /* the origin says that it is this one of the window:
			 * to be checked against the peer */
};

/*
 * Executes one record of at least sizeof(struct orl_record) bytes: 0, or an
 * MPI error class, which the origin will report; if the record has a slot
 * that was not answered, it is so with NULL.  ORL_AM_PARK: not now; this
 * record was taken note of and will be answered for, the rest of its message
 * is kept and goes on by orl_am_resume.  So do the messages of the same link
 * that come meanwhile, behind it.
 */
#define ORL_AM_PARK INT_MIN /* is no -errno */
typedef int (*orl_am_handler_fn)(const struct orl_am_source *source,
				 const struct orl_record *record);
void orl_am_handle(enum orl_am_type type, orl_am_handler_fn fn);

/* For a handler that is about to return ORL_AM_PARK: the rest of the message.
 * NULL if there is no memory. */
struct orl_am_parked *orl_am_park(void);
/*
 * The record that was parked has failed: its origin is told as if the handler
 * had returned the error, which may be -errno as well, and its slot is
 * answered with NULL there.  For orl_am_resume to follow.
 */
void orl_am_park_fail(struct orl_am_parked *parked, int error);
/*
 * The rest goes on, not now, but soon: after the record or the registered
 * function that is being executed, or else at the next poll.  The window is
 * looked up again by its name; if that has been dropped, the rest is too.
 */
void orl_am_resume(struct orl_am_parked *parked);

/*
 * Room for an answer of len bytes to a slot of the peer's; the caller fills
 * it before anything else.  Answers are sent when the message that is being
 * worked on ends, or by orl_am_answers_send.  NULL if the peer is lost, or
 * there is no memory.  len is at most orl_am_most() - 16.
 */
void *orl_am_answer(struct orl_am_peer *peer, uint32_t slot, size_t len);
void orl_am_answers_send(struct orl_am_peer *peer);

#endif
