/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock_all.pml - MPI_Win_lock of two ranks of a node and MPI_Win_lock_all,
 * by processes of the node and by origins of another node.  Stands for
 *
 *	neighbour()		win/lock.c: acquire, release, enter_master,
 *			leave_master
 *	origin()	win/petition.c: orl_petition_begin, advance (of
 *			orl_petition_poll), orl_petition_leave
 *	everybody()	win/lock.c: orl_win_lock_all, orl_win_unlock_all
 *
 * Each may take both ranks' locks, in the order of ranks, and chooses for
 * each whether it is exclusive.  A try of a lock is one step (rwlock.pml
 * looks into it).  Queued petitions get on in any order that their tickets
 * permit, between any steps of others: more than the queue and the polls of
 * petition.c do.  A poll that gets nowhere changes nothing, so it is left
 * out, and a deadlock is an invalid end state.
 *
 * Checked: exclusive access to a rank is beside no other and no lock_all's;
 * everybody comes to an end and leaves the locks as they were.  Mutations:
 *	NO_MASTER	exclusive petitions leave the master out
 *	NO_HURRY	petitions of who holds a lock stand in line
 *	EARLY_LEAVE	the master is left once the rank's lock is held
 *	JOIN_COUNT	petitions count with the neighbour's locks
 */
#ifndef ORIGINS
#define ORIGINS 1
#endif
#ifndef NEIGHBOURS
#define NEIGHBOURS 1
#endif
#define RANKS	2
#define MASTER	2 /* the locks: of rank 0, of rank 1, the master */
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

rwlock L[3];
visit V[2 + ORIGINS]; /* each process has one visit at a time */

byte shared[RANKS], exclusive[RANKS], all, ended;
byte nexclusive; /* the neighbour's */

#define LOCK(v) L[V[v].lock]
#define IS_FREE(v) \
	((V[v].hurry || LOCK(v).hurried == 0) && \
	 ((V[v].mode == 0 && LOCK(v).second == 0) || \
	  (V[v].mode == 1 && LOCK(v).first == 0) || \
	  (LOCK(v).first == 0 && LOCK(v).second == 0)))
#define CAN_ENTER(v) \
	(IS_FREE(v) && (V[v].stage != IN_LINE || \
			LOCK(v).serving == V[v].ticket))

inline count(v)
{
	if
	:: V[v].mode == 0 -> LOCK(v).first++
	:: else -> LOCK(v).second++
	fi;
	V[v].stage = INSIDE
}

/* orl_rwlock_begin and the first orl_rwlock_try */
inline begin(v, which, how, in_hurry)
{
	d_step {
		V[v].lock = which;
		V[v].mode = how;
		V[v].hurry = in_hurry;
		if
		:: (in_hurry || LOCK(v).next == LOCK(v).serving) &&
		   IS_FREE(v) ->
			count(v)
		:: else ->
			if
			:: in_hurry ->
				LOCK(v).hurried++;
				V[v].stage = HURRIED
			:: else ->
				V[v].ticket = LOCK(v).next;
				LOCK(v).next = (LOCK(v).next + 1) % TICKETS;
				V[v].stage = IN_LINE
			fi
		fi
	}
}

/* The orl_rwlock_try that succeeds. */
inline again(v)
{
	d_step {
		if
		:: V[v].stage == HURRIED -> LOCK(v).hurried--
		:: else -> LOCK(v).serving = (V[v].ticket + 1) % TICKETS
		fi;
		V[v].ticket = 0;
		count(v)
	}
}

inline enter(v, which, how, in_hurry)
{
	begin(v, which, how, in_hurry);
	if
	:: V[v].stage == INSIDE
	:: atomic { V[v].stage != INSIDE && CAN_ENTER(v) -> again(v) }
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

/* Which ranks, from which to which, and how: 0 or 2, alone. */
inline plan()
{
	if
	:: rank = 0; last = 0
	:: rank = 0; last = 1
	:: rank = 1; last = 1
	fi;
	from = rank;
	if
	:: mode[0] = 0
	:: mode[0] = 2
	fi;
	if
	:: mode[1] = 0
	:: mode[1] = 2
	fi
}

proctype neighbour(byte me)
{
	byte rank, from, last, mode[RANKS];
	bool joins;

	atomic { plan() }
	do
	:: rank <= last ->
		if
		:: mode[rank] ->
			atomic { nexclusive++; joins = nexclusive > 1 };
			if
			:: !joins -> enter(me, MASTER, 1, (rank > from))
			:: else
			fi
		:: else
		fi;
		enter(me, rank, mode[rank], (rank > from));
		come(rank);
		rank++
	:: else -> break
	od;
	do
	:: rank > from ->
		rank--;
		go(rank);
		leave(rank, mode[rank]);
		if
		:: mode[rank] ->
			atomic {
				nexclusive--;
				if
				:: nexclusive == 0 -> leave(MASTER, 1)
				:: else
				fi
			}
		:: else
		fi
	:: else -> break
	od;
	ended++
}

#ifdef NO_HURRY
#define IN_HURRY false
#else
#define IN_HURRY (rank > from)
#endif

proctype origin(byte me)
{
	byte rank, from, last, mode[RANKS];
	bool joins;

	atomic { plan() }
	do
	:: rank <= last ->
#ifndef NO_MASTER
		if
#ifdef JOIN_COUNT
		:: mode[rank] ->
			atomic { nexclusive++; joins = nexclusive > 1 };
			if
			:: !joins -> enter(me, MASTER, 1, IN_HURRY)
			:: else
			fi
#else
		:: mode[rank] -> enter(me, MASTER, 1, IN_HURRY)
#endif
		:: else
		fi;
#endif
		enter(me, rank, mode[rank], IN_HURRY);
#ifdef EARLY_LEAVE
		if
		:: mode[rank] -> leave(MASTER, 1)
		:: else
		fi;
#endif
		come(rank);
		rank++
	:: else -> break
	od;
	do
	:: rank > from ->
		rank--;
		go(rank);
		leave(rank, mode[rank]);
#if !defined(NO_MASTER) && !defined(EARLY_LEAVE)
		if
#ifdef JOIN_COUNT
		:: mode[rank] ->
			atomic {
				nexclusive--;
				if
				:: nexclusive == 0 -> leave(MASTER, 1)
				:: else
				fi
			}
#else
		:: mode[rank] -> leave(MASTER, 1)
#endif
		:: else
		fi
#endif
	:: else -> break
	od;
	ended++
}

proctype everybody(byte me)
{
	enter(me, MASTER, 0, false);
	d_step { all++; assert(IS_SAFE(0) && IS_SAFE(1)) }
	all--;
	leave(MASTER, 0);
	ended++
}

#define IS_EMPTY(l) \
	(L[l].first == 0 && L[l].second == 0 && L[l].hurried == 0 && \
	 L[l].next == L[l].serving)

init
{
	byte i;

	atomic {
		run everybody(0);
#if NEIGHBOURS
		run neighbour(1);
#endif
		do
		:: i < ORIGINS -> run origin(2 + i); i++
		:: else -> break
		od
	}
	ended == 1 + NEIGHBOURS + ORIGINS;
	assert(IS_EMPTY(0) && IS_EMPTY(1) && IS_EMPTY(MASTER))
}
