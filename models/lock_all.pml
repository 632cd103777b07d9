/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock_all.pml - MPI_Win_lock and MPI_Win_lock_all of one node.  Stands for
 * win/lock.c:
 *
 *	thread()	orl_win_lock, orl_win_unlock: acquire, release,
 *			enter_master, enter_near, leave_master, count_exclusive
 *	everybody()	orl_win_lock_all, orl_win_unlock_all
 *
 * Process 0 has two threads, process 1 has one, a third is in lock_all.  A
 * thread locks one rank, or one of process 0 two in their order, and chooses
 * for each, but for the last rank's, whether it is exclusive.  A try of a lock
 * is one step (rwlock.pml looks into it).
 *
 * Checked: exclusive access to a rank is beside no other and no lock_all's;
 * everybody comes to an end and leaves the locks as they were.
 *
 *	safe
 *	assertion -DNO_MASTER	exclusive locks leave the master out
 *	deadlock -DNO_HURRY	who holds a lock stands in line
 *	assertion -DEARLY_LEAVE	the master is left once the rank's lock is held
 *	assertion -DCOUNT_FIRST	is counted before the master is entered
 *	deadlock -DMUTEX	enters the master with others of its process
 *				kept out until it has
 */
#define RANKS	3
#define MASTER	3 /* the locks: of each rank, the master */
#define THREADS 4
#define TICKETS 8

mtype = { IN_LINE, HURRIED, INSIDE };

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

rwlock L[RANKS + 1];
visit VISIT[THREADS]; /* each has one visit at a time */

byte shared[RANKS], exclusive[RANKS], all, ended;
byte nlocks[2], nexclusive[2]; /* by process */
bool mutex[2];

#define LOCK(v) L[VISIT[v].lock]
#define IS_FREE(v) \
	((VISIT[v].hurry || LOCK(v).hurried == 0) && \
	 ((VISIT[v].mode == 0 && LOCK(v).second == 0) || \
	  (VISIT[v].mode == 1 && LOCK(v).first == 0) || \
	  (LOCK(v).first == 0 && LOCK(v).second == 0)))
#define CAN_ENTER(v) \
	(IS_FREE(v) && (VISIT[v].stage != IN_LINE || \
			LOCK(v).serving == VISIT[v].ticket))

inline count(v)
{
	if
	:: VISIT[v].mode == 0 -> LOCK(v).first++
	:: else -> LOCK(v).second++
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
		:: (in_hurry || LOCK(v).next == LOCK(v).serving) &&
		   IS_FREE(v) ->
			count(v)
		:: else ->
			if
			:: in_hurry ->
				LOCK(v).hurried++;
				VISIT[v].stage = HURRIED
			:: else ->
				VISIT[v].ticket = LOCK(v).next;
				LOCK(v).next = (LOCK(v).next + 1) % TICKETS;
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
		:: VISIT[v].stage == HURRIED -> LOCK(v).hurried--
		:: else -> LOCK(v).serving = (VISIT[v].ticket + 1) % TICKETS
		fi;
		VISIT[v].ticket = 0;
		count(v)
	}
}

/* orl_rwlock_enter_at_once */
inline enter_at_once(v, which, how)
{
	d_step {
		VISIT[v].lock = which;
		VISIT[v].mode = how;
		VISIT[v].hurry = false;
		if
		:: LOCK(v).next == LOCK(v).serving && IS_FREE(v) -> count(v)
		:: else -> VISIT[v].stage = IN_LINE
		fi
	}
}

/* Whether it is in a hurry is asked only by who cannot enter at once. */
inline enter(v, which, how, in_hurry)
{
	enter_at_once(v, which, how);
	if
	:: VISIT[v].stage == INSIDE
	:: else ->
		begin(v, which, how, in_hurry);
		if
		:: VISIT[v].stage == INSIDE
		:: atomic {
			VISIT[v].stage != INSIDE && CAN_ENTER(v) -> again(v)
		   }
		fi
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

#define IS_SAFE(r) \
	(exclusive[r] == 0 || \
	 (exclusive[r] == 1 && shared[r] == 0 && all == 0))

inline come(rank)
{
	d_step {
		if
		:: mode[rank] -> exclusive[rank]++
		:: else -> shared[rank]++
		fi;
		assert(IS_SAFE(rank))
	}
}

inline go(rank)
{
	d_step {
		if
		:: mode[rank] -> exclusive[rank]--
		:: else -> shared[rank]--
		fi
	}
}

#ifdef NO_HURRY
#define HURRY false
#else
#define HURRY (nlocks[process] > 1)
#endif

inline count_exclusive()
{
	d_step { n = nexclusive[process]; nexclusive[process] = n + 1 }
}

inline enter_master()
{
#ifdef NO_MASTER
	skip
#else
#ifdef MUTEX
	atomic { !mutex[process] -> mutex[process] = true };
#endif
#ifdef COUNT_FIRST
	count_exclusive();
	if
	:: n == 0 -> enter(me, MASTER, 1, HURRY)
	:: else
	fi;
#else
	d_step {
		n = nexclusive[process];
		if
		:: n > 0 -> nexclusive[process] = n + 1
		:: else
		fi
	};
	if
	:: n == 0 ->
		enter(me, MASTER, 1, HURRY);
		count_exclusive();
		if
		:: n > 0 -> leave(MASTER, 1)
		:: else
		fi
	:: else
	fi;
#endif
	n = 0;
	mutex[process] = false
#endif
}

inline leave_master()
{
#ifdef NO_MASTER
	skip
#else
	d_step { nexclusive[process]--; n = nexclusive[process] };
	if
	:: n == 0 -> leave(MASTER, 1)
	:: else
	fi;
	n = 0
#endif
}

inline acquire()
{
	nlocks[process]++;
	if
	:: mode[rank] -> enter_master()
	:: else
	fi;
	enter(me, rank, mode[rank], HURRY);
#ifdef EARLY_LEAVE
	if
	:: mode[rank] -> leave_master()
	:: else
	fi;
#endif
	skip
}

inline release()
{
	leave(rank, mode[rank]);
#ifndef EARLY_LEAVE
	if
	:: mode[rank] -> leave_master()
	:: else
	fi;
#endif
	nlocks[process]--
}

/* Locks first, and the one behind it if that is not beyond most. */
proctype thread(byte me; byte process; byte first; byte most)
{
	byte rank, last, n, mode[RANKS];

	atomic {
		if
		:: last = first
		:: first < most -> last = most
		fi;
		rank = first;
		do
		:: rank <= last && rank != 2 -> mode[rank] = 0; rank++
		:: rank <= last -> mode[rank] = 2; rank++
		:: rank > last -> break
		od;
		rank = first
	}
	do
	:: rank <= last -> acquire(); come(rank); rank++
	:: else -> break
	od;
	do
	:: rank > first -> rank--; go(rank); release()
	:: else -> break
	od;
	ended++
}

proctype everybody(byte me)
{
	enter(me, MASTER, 0, false);
	d_step { all++; assert(IS_SAFE(0) && IS_SAFE(1) && IS_SAFE(2)) }
	all--;
	leave(MASTER, 0);
	ended++
}

#define IS_EMPTY(l) \
	(L[l].first == 0 && L[l].second == 0 && L[l].hurried == 0 && \
	 L[l].next == L[l].serving)

init
{
	atomic {
		run everybody(0);
		run thread(1, 0, 0, 1);
		run thread(2, 0, 2, 2);
		run thread(3, 1, 0, 0)
	}
	ended == THREADS;
	assert(IS_EMPTY(0) && IS_EMPTY(1) && IS_EMPTY(2) && IS_EMPTY(MASTER))
}
