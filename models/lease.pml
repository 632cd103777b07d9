/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lease.pml - leases of a window that spans nodes: nobody is in lock_all
 * while another holds an exclusive lock.  Stands for win/lease.c:
 *
 *	take()		orl_lease_take, is_ours, obtain, wait_for_other
 *	give()		orl_lease_give, give_back
 *	handler()	serve_lease (with may_ask), hasten, returned,
 *			serve_call, lease_came
 *	serve_queue()	serve_queue, call_all, grant
 *
 * and, as far as hurry goes, for acquire and release of win/lock.c.
 *
 * Rank 0 gives out the leases and is in lock_all ROUNDS times.  Rank 1 takes
 * the exclusive lock of a rank T.  Rank 2 has two threads: one takes an
 * exclusive lock that nobody else wants, the other shares T's lock (for which
 * it needs no lease), and meanwhile takes an exclusive lock beside.  Whatever
 * is under the progress lock is one step.  Two processes' messages keep their
 * order.  T's lock has no line here.
 *
 * Checked: the two modes exclude each other, also from one process's epoch to
 * the next; everybody comes to an end; what is refused (may_ask, serve_call)
 * never is asked for.  LIVE: rank 1 and rank 0 without end; rank 0 gets its
 * turns.  (Not if another process always has one exclusive lock or another:
 * a lease in use serves further ones.)
 *
 *	safe
 *	live
 *	assertion -DNO_USERS	a lease that is called goes at once
 *	assertion -DNO_CALL	a lease is granted before the others are back
 *	deadlock -DNO_WANTED	who is called while it uses it forgets that
 *	deadlock -DNO_HURRY	who holds a lock stands in line
 *	deadlock -DNO_HASTEN	who holds a lock waits for an answer that
 *				another thread asked for in no hurry
 *	cycle -DNOT_USED	who has asked does not use what has come until
 *				it runs again
 */
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define RANKS	3
#define NONE	0
#define ALONE	1
#define ALL	2

mtype = { LEASE, GRANT, CALL, BACK };

/* To rank 0 and from it, with what else a record says. */
chan up[RANKS] = [4] of { mtype, byte, bool, bool };
chan down[RANKS] = [4] of { mtype };

/* Each rank's lease. */
typedef lease {
	byte mode, asked, users;
	bool asking, hurried, wanted;
};
lease LEASE_OF[RANKS];

/* Rank 0's: of all leases; the queue, in its order. */
byte mode, nleases;
bool has_lease[RANKS], called[RANKS];
typedef request {
	byte rank, mode;
	bool hurry;
};
request queue[RANKS + 1];
byte nqueue;

byte alone, all, sharing_t, exclusive_t; /* inside */
byte nlocks[RANKS], ended;

/* -- rank 0; each is part of a step, r, i, k the step's own ----------------- */

inline drop(at)
{
	k = at;
	do
	:: k + 1 < nqueue ->
		queue[k].rank = queue[k + 1].rank;
		queue[k].mode = queue[k + 1].mode;
		queue[k].hurry = queue[k + 1].hurry;
		k++
	:: else -> break
	od;
	nqueue--;
	queue[nqueue].rank = 0;
	queue[nqueue].mode = NONE;
	queue[nqueue].hurry = false;
	k = 0
}

inline enqueue(who, which, in_hurry)
{
	k = nqueue;
	do
	:: in_hurry && k > 0 ->
		queue[k].rank = queue[k - 1].rank;
		queue[k].mode = queue[k - 1].mode;
		queue[k].hurry = queue[k - 1].hurry;
		k--
	:: else -> break
	od;
	queue[k].rank = who;
	queue[k].mode = which;
	queue[k].hurry = in_hurry;
	nqueue++;
	k = 0
}

inline got_own(who)
{
#ifndef NOT_USED
	LEASE_OF[who].users = 1;
#endif
	LEASE_OF[who].mode = LEASE_OF[who].asked;
	LEASE_OF[who].asking = false
}

inline grant(who)
{
	has_lease[who] = true;
	called[who] = false;
	mode = queue[0].mode;
	nleases++;
	if
	:: who == 0 -> got_own(0)
	:: else -> down[who]!GRANT
	fi
}

inline call_own()
{
	LEASE_OF[0].wanted = true;
	if
	:: LEASE_OF[0].users == 0 -> give_back(0)
	:: else
	fi
}

inline call_all()
{
	i = 0;
	do
	:: i < RANKS ->
		if
		:: has_lease[i] && !called[i] ->
			called[i] = true;
			if
			:: i == 0 -> call_own()
			:: else -> down[i]!CALL
			fi
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

#ifdef NO_CALL
#define HAS_TO_WAIT false
#else
#define HAS_TO_WAIT (nleases > 0 && mode != queue[0].mode)
#endif

inline serve_queue()
{
	do
	:: nqueue == 0 -> break
	:: else ->
		if
		:: HAS_TO_WAIT -> call_all()
		:: else
		fi;
		if
		:: HAS_TO_WAIT -> break
		:: else -> grant(queue[0].rank); drop(0)
		fi
	od
}

inline hasten(who)
{
	r = 0;
	do
	:: r < nqueue && queue[r].rank != who -> r++
	:: else -> break
	od;
	if
	:: r < nqueue && !queue[r].hurry ->
		which = queue[r].mode;
		drop(r);
		enqueue(who, which, true);
		serve_queue()
	:: else
	fi;
	r = 0;
	which = NONE
}

/* -- every rank ------------------------------------------------------------ */

inline give_back(who)
{
	LEASE_OF[who].mode = NONE;
	LEASE_OF[who].wanted = false;
	if
	:: who == 0 -> has_lease[0] = false; nleases--
	:: else -> up[who]!BACK(NONE, false, false)
	fi
}

#define IS_OURS(who, m) \
	(LEASE_OF[who].mode == m && \
	 (!LEASE_OF[who].wanted || LEASE_OF[who].users > 0))

inline ask(who, m, in_hurry, has_slot)
{
	if
	:: who == 0 && has_slot ->
		enqueue(0, m, in_hurry);
		serve_queue()
	:: who == 0 && !has_slot -> hasten(0)
	:: who != 0 -> up[who]!LEASE(m, in_hurry, has_slot)
	fi
}

inline obtain(m, in_hurry)
{
	LEASE_OF[me].asking = true;
	LEASE_OF[me].asked = m;
	LEASE_OF[me].hurried = in_hurry;
	ask(me, m, in_hurry, true)
}

inline take(m, in_hurry)
{
	counted = false;
	do
	:: atomic {
		IS_OURS(me, m) ->
		if
#ifndef NOT_USED
		:: counted
#endif
		:: else -> LEASE_OF[me].users++
		fi;
		break
	   }
	:: atomic {
		!IS_OURS(me, m) && !LEASE_OF[me].asking ->
		counted = true;
		obtain(m, in_hurry)
	   };
	   !LEASE_OF[me].asking
	:: atomic {
		!IS_OURS(me, m) && LEASE_OF[me].asking ->
		counted = false;
#ifndef NO_HASTEN
		if
		:: in_hurry && !LEASE_OF[me].hurried ->
			LEASE_OF[me].hurried = true;
			ask(me, m, true, false)
		:: else
		fi
#endif
	   };
	   !LEASE_OF[me].asking
	od;
	counted = false
}

inline give()
{
	atomic {
		LEASE_OF[me].users--;
		if
		:: LEASE_OF[me].users == 0 && LEASE_OF[me].wanted ->
			give_back(me);
			if
			:: me == 0 -> serve_queue()
			:: else
			fi
		:: else
		fi
	}
}

inline serve_call(who)
{
	assert(LEASE_OF[who].mode != NONE && !LEASE_OF[who].wanted);
	LEASE_OF[who].wanted = true;
	if
#ifdef NO_USERS
	:: true -> give_back(who)
#else
	:: LEASE_OF[who].users == 0 -> give_back(who)
#endif
#ifdef NO_WANTED
	:: else -> LEASE_OF[who].wanted = false
#else
	:: else
#endif
	fi
}

inline serve_lease(who)
{
	if
	:: !has_slot -> hasten(who)
	:: else ->
		/* may_ask */
		assert(!has_lease[who] || mode != m);
		r = 0;
		do
		:: r < nqueue -> assert(queue[r].rank != who); r++
		:: else -> break
		od;
		r = 0;
		enqueue(who, m, in_hurry);
		serve_queue()
	fi
}

/* Makes progress at rank 0 for what comes from rank who, and there. */
proctype handler(byte who)
{
	byte r, i, k, which, m;
	bool in_hurry, has_slot;

end:	do
	:: atomic {
		up[who]?LEASE(m, in_hurry, has_slot) -> serve_lease(who);
		m = NONE; in_hurry = false; has_slot = false
	   }
	:: atomic {
		up[who]?BACK(m, in_hurry, has_slot) ->
		has_lease[who] = false;
		nleases--;
		serve_queue()
	   }
	:: atomic { down[who]?GRANT -> got_own(who) }
	:: atomic { down[who]?CALL -> serve_call(who) }
	od
}

/* -- programs -------------------------------------------------------------- */

#define IS_SAFE (alone == 0 || all == 0)
#ifdef NO_HURRY
#define HURRY false
#else
#define HURRY (nlocks[me] > 0)
#endif

inline lock_alone()
{
	atomic { hurry = HURRY; nlocks[me]++ };
	take(ALONE, hurry);
	atomic { alone++; assert(IS_SAFE); hurry = false }
}

inline unlock_alone()
{
	alone--;
	give();
	nlocks[me]--
}

proctype everybody(byte me)
{
	byte r, i, k, which, round;
	bool counted;

	do
	:: round < ROUNDS ->
#ifndef LIVE
		round++;
#endif
		take(ALL, false);
		atomic { all++; assert(IS_SAFE) };
		all--;
		give()
	:: else -> break
	od;
	ended++
}

proctype one_lock(byte me)
{
	byte r, i, k, which, round;
	bool counted, hurry;

	do
	:: round < ROUNDS ->
#ifndef LIVE
		round++;
#endif
		lock_alone();
		atomic { sharing_t + exclusive_t == 0 -> exclusive_t++ };
		exclusive_t--;
		unlock_alone()
	:: else -> break
	od;
	ended++
}

proctype first_thread(byte me)
{
	byte r, i, k, which;
	bool counted, hurry;

	lock_alone();
	unlock_alone();
	ended++
}

proctype second_thread(byte me)
{
	byte r, i, k, which;
	bool counted, hurry;

	nlocks[me]++;
	atomic { exclusive_t == 0 -> sharing_t++ };
	lock_alone();
	unlock_alone();
	sharing_t--;
	nlocks[me]--;
	ended++
}

#ifdef LIVE
ltl turns { [] (LEASE_OF[0].asking -> <> (all > 0)) }
#endif

init
{
	atomic {
		run handler(1);
		run handler(2);
		run everybody(0);
		run one_lock(1);
#ifndef LIVE
		run first_thread(2);
		run second_thread(2)
#endif
	}
#ifndef LIVE
	ended == 4;
	assert(alone == 0 && all == 0 && nqueue == 0)
#endif
}
