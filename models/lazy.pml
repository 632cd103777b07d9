/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lazy.pml - locks of ranks of other nodes, which travel with the operations
 * and are taken by the owner.  Stands for
 *
 *	lock_rank(), settle(), flush(), unlock_rank()
 *			orl_path_lock, orl_path_settle (orl_lazy_settle,
 *			orl_lazy_ask), the path's flush, orl_path_unlock
 *			(forget_lock, send_unlock) of src/path/lazy.c; acquire
 *			and release of win/lock.c
 *	owner()		serve_lock, serve_unlock of win/serve.c, of which what
 *			follows a lock that waits is parked (src/am/parked.c);
 *			orl_petition_begin, _poll and _leave of win/petition.c
 *	neighbour()	MPI_Win_lock by a rank of the owner's node
 *
 * Two origins each lock the ranks A and B, in this order and each exclusively
 * or not (the second B so).  The first does an operation on either or not,
 * which is flushed or not, and unlocks in either order; the second does both,
 * flushes none, and unlocks B first.  A neighbour of the owners locks A or B
 * exclusively.  Messages of a link keep their order.  A try of a lock is one
 * step (rwlock.pml looks into it), and polls of petitions that get nowhere are
 * left out.
 *
 * Checked: an operation is executed with its lock held, and with that of A if
 * that was locked before and is not unlocked; exclusion; an unlock or flush
 * returns when the operations before it have been executed; everybody comes
 * to an end, and no lock is left.
 *
 *	safe
 *	assertion -DNO_SETTLE	the next lock does not wait for the first
 *	assertion -DNO_PARK	what follows a lock that waits goes on
 *	assertion -DNO_ASK	an unlock asks for no answer
 *	deadlock -DNO_POLL	petitions are not asked again
 *	deadlock -DFORGET_ASKED	an empty epoch sends no unlock, though its
 *				lock was asked for
 */
#define RANKS	2
#define ORIGINS 2
#define LINKS	(ORIGINS * RANKS)
#define TICKETS 8

mtype = { IN_LINE, HURRIED, INSIDE, LOCK, PUT, FLUSH, UNLOCK };

typedef rwlock {
	byte first, second; /* inside */
	byte next, serving, hurried;
};

/* ALONE is 2, as ORL_MODE_ALONE with ORL_MODE_SECOND 1. */
typedef visit {
	byte lock, mode, ticket;
	bool hurry;
	mtype stage;
};

rwlock L[RANKS];
visit VISIT[LINKS + 1]; /* by link: petitions; the last is the neighbour's */

/* Records, with a mode, whether in a hurry, whether there is a slot. */
chan wire[LINKS] = [6] of { mtype, byte, bool, bool };
bool held[LINKS], waits[LINKS]; /* the owners' */
byte answers[LINKS];		/* that have come */
bool granted[LINKS];

/* The origins' links: of the lock, and of the message under construction. */
#define NONE  0
#define NEW   1
#define ASKED 2
byte lazy[LINKS], mode[LINKS];
bool hurry[LINKS], has_put[LINKS];
bool unasked[LINKS];	/* puts that no answer has been asked for */
byte put[LINKS], done[LINKS]; /* called, executed */
bool locked[LINKS];	/* as the program sees it */
byte shared[RANKS], exclusive[RANKS], ended;

#define LINK(o, r) (o * RANKS + r)

#define THE_LOCK(v) L[VISIT[v].lock]
#define IS_FREE(v) \
	((VISIT[v].hurry || THE_LOCK(v).hurried == 0) && \
	 ((VISIT[v].mode == 0 && THE_LOCK(v).second == 0) || \
	  (VISIT[v].mode == 1 && THE_LOCK(v).first == 0) || \
	  (THE_LOCK(v).first == 0 && THE_LOCK(v).second == 0)))
#define CAN_ENTER(v) \
	(IS_FREE(v) && (VISIT[v].stage != IN_LINE || \
			THE_LOCK(v).serving == VISIT[v].ticket))

inline count(v)
{
	if
	:: VISIT[v].mode == 0 -> THE_LOCK(v).first++
	:: else -> THE_LOCK(v).second++
	fi;
	VISIT[v].stage = INSIDE
}

/* orl_rwlock_begin and the first orl_rwlock_try */
inline begin(v, which, how, in_hurry)
{
	d_step {
		VISIT[v].lock = which;
		VISIT[v].mode = how;
		VISIT[v].hurry = in_hurry;
		if
		:: (in_hurry || THE_LOCK(v).next == THE_LOCK(v).serving) &&
		   IS_FREE(v) ->
			count(v)
		:: else ->
			if
			:: in_hurry ->
				THE_LOCK(v).hurried++;
				VISIT[v].stage = HURRIED
			:: else ->
				VISIT[v].ticket = THE_LOCK(v).next;
				THE_LOCK(v).next = (THE_LOCK(v).next + 1) % TICKETS;
				VISIT[v].stage = IN_LINE
			fi
		fi
	}
}

/* The orl_rwlock_try that succeeds. */
inline again(v)
{
	d_step {
		if
		:: VISIT[v].stage == HURRIED -> THE_LOCK(v).hurried--
		:: else -> THE_LOCK(v).serving = (VISIT[v].ticket + 1) % TICKETS
		fi;
		VISIT[v].ticket = 0;
		count(v)
	}
}

inline enter(v, which, how, in_hurry)
{
	begin(v, which, how, in_hurry);
	if
	:: VISIT[v].stage == INSIDE
	:: atomic { VISIT[v].stage != INSIDE && CAN_ENTER(v) -> again(v) }
	fi
}

inline leave(which, how)
{
	d_step {
		if
		:: how == 0 -> L[which].first--
		:: else -> L[which].second--
		fi
	}
}

inline come(r, m)
{
	d_step {
		if
		:: m -> exclusive[r]++
		:: else -> shared[r]++
		fi;
		assert(exclusive[r] == 0 ||
		       (exclusive[r] == 1 && shared[r] == 0))
	}
}

inline go(r, m)
{
	d_step {
		if
		:: m -> exclusive[r]--
		:: else -> shared[r]--
		fi
	}
}

/* -- the owner, of one link ------------------------------------------------ */

inline grant()
{
	m = VISIT[x].mode;
	come(rank, m);
	held[x] = true;
	waits[x] = false;
	if
	:: has_slot -> granted[x] = true
	:: else
	fi
}

#ifdef NO_PARK
#define GOES_ON true
#else
#define GOES_ON !waits[x]
#endif

proctype owner(byte origin; byte rank)
{
	byte x, m;
	bool h, slot, has_slot; /* the last: of its latest lock */

	x = LINK(origin, rank);
end:	do
	:: atomic {
		GOES_ON && nempty(wire[x]) ->
		if
		:: wire[x]?LOCK(m, h, slot) ->
			has_slot = slot;
			begin(x, rank, m, h);
			if
			:: VISIT[x].stage == INSIDE -> grant()
			:: else -> waits[x] = true
			fi
		:: wire[x]?PUT(m, h, slot) ->
			assert(held[x]);
			assert(rank == 0 || !locked[LINK(origin, 0)] ||
			       held[LINK(origin, 0)]);
			done[x]++
		:: wire[x]?FLUSH(m, h, slot) -> answers[x]++
		:: wire[x]?UNLOCK(m, h, slot) ->
			assert(held[x]);
			held[x] = false;
			m = VISIT[x].mode;
			go(rank, m);
			leave(rank, m);
			answers[x] = answers[x] + slot
		fi;
		m = 0; h = false; slot = false
	   }
#ifndef NO_POLL
	:: atomic { waits[x] && CAN_ENTER(x) -> again(x); grant(); m = 0 }
#endif
	od
}

/* -- origins --------------------------------------------------------------- */

/* The message; has_slot: of the lock. */
inline send(has_slot)
{
	if
	:: lazy[x] == NEW ->
		wire[x]!LOCK(mode[x], hurry[x], has_slot);
		lazy[x] = ASKED
	:: else
	fi;
	if
	:: has_put[x] -> wire[x]!PUT(0, false, false); has_put[x] = false
	:: else
	fi
}

inline settle()
{
	atomic { send(true) };
	granted[x]
}

inline do_put()
{
	atomic {
		put[x]++;
		has_put[x] = true;
		unasked[x] = true;
		/* What outgrows the lock's message waits for it; else the put
		 * may be sent, or stay. */
		if
		:: lazy[x] == ASKED -> send(false)
		:: true
		fi
	}
}

inline flush()
{
	if
	:: unasked[x] ->
		atomic {
			send(true);
			wire[x]!FLUSH(0, false, true);
			unasked[x] = false;
			was = answers[x]
		};
		answers[x] > was;
		assert(done[x] == put[x]);
		was = 0
	:: else
	fi
}

inline lock_rank(r)
{
#ifndef NO_SETTLE
	if
	:: r == 1 -> x = LINK(me, 0); settle()
	:: else
	fi;
#endif
	d_step {
		x = LINK(me, r);
		lazy[x] = NEW;
		locked[x] = true;
		hurry[x] = r == 1
	}
}

#ifdef FORGET_ASKED
#define IS_FORGOTTEN (!unasked[x])
#else
#define IS_FORGOTTEN (lazy[x] == NEW && !unasked[x])
#endif

inline unlock_rank(r)
{
	x = LINK(me, r);
	atomic {
		locked[x] = false;
		asks = unasked[x];
#ifdef NO_ASK
		asks = false;
#endif
		was = answers[x];
		if
		:: IS_FORGOTTEN
		:: else -> send(false); wire[x]!UNLOCK(0, false, asks)
		fi;
		unasked[x] = false;
		lazy[x] = NONE
	};
	if
	:: asks -> answers[x] > was
	:: else
	fi;
	assert(done[x] == put[x]);
	was = 0;
	asks = false
}

inline use(r)
{
	x = LINK(me, r);
	if
	:: me == 0
	:: do_put();
	   if
	   :: true
	   :: me == 0 -> flush()
	   fi
	fi
}

proctype origin(byte me)
{
	byte x, was;
	bool asks;

	atomic {
		if
		:: mode[LINK(me, 0)] = 0
		:: mode[LINK(me, 0)] = 2
		fi;
		if
		:: me == 0 -> mode[LINK(me, 1)] = 0
		:: mode[LINK(me, 1)] = 2
		fi
	}
	lock_rank(0);
	use(0);
	lock_rank(1);
	use(1);
	if
	:: me == 0 -> unlock_rank(0); unlock_rank(1)
	:: unlock_rank(1); unlock_rank(0)
	fi;
	ended++
}

proctype neighbour()
{
	byte m, r;

	atomic {
		m = 2;
		if
		:: r = 0
		:: r = 1
		fi
	}
	enter(LINKS, r, m, false);
	come(r, m);
	atomic { go(r, m); leave(r, m) };
	ended++
}

#define IS_EMPTY(l) \
	(L[l].first == 0 && L[l].second == 0 && L[l].hurried == 0 && \
	 L[l].next == L[l].serving)

init
{
	atomic {
		run owner(0, 0);
		run owner(0, 1);
		run owner(1, 0);
		run owner(1, 1);
		run origin(0);
		run origin(1);
		run neighbour()
	}
	ended == 3;
	empty(wire[0]) && empty(wire[1]) && empty(wire[2]) && empty(wire[3]);
	IS_EMPTY(0) && IS_EMPTY(1)
}
