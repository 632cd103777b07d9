/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rwlock.pml - one lock and VISITORS who visit it ROUNDS times, of either
 * side, in a hurry or not, and who may visit the first side again, in a
 * hurry, while they are inside.  Stands for win/rwlock.c, by the names of its
 * functions; one step here is one atomic access there.
 *
 * Checked: mutual exclusion; nobody enters past the line but in a hurry;
 * everybody comes to an end, and leaves the lock as it was.  Waiting is a
 * guard that is true when another try would enter: a try that fails changes
 * nothing once the visit has its place, so that a deadlock is an invalid end
 * state.  Turns (enter_in_turn) are left out: they enter as a new visit does
 * that sees no line, and end by the clock.  Bells are left out: orl_wait looks
 * again by itself.
 *
 * With ALONE the second side is exclusive (a rank's lock), else it shares
 * (the master).  LIVE: visits without end, in no hurry but within another;
 * who stands in line enters at some time.
 *
 *	safe
 *	safe -DALONE
 *	live -DALONE
 *	assertion -DALONE -DPAST_LINE	a new visit does not look for a line
 *	assertion -DALONE -DNOT_FIRST	whoever stands in line tries to enter
 *	assertion -DALONE -DNO_RELOAD	the exchange does not compare
 *	deadlock -DALONE -DNO_NEXT	the first in line does not pass it on
 *	deadlock -DNO_UNCOUNT	who entered in a hurry still counts as hurried
 *	cycle -DALONE -DPAST_LINE	as above
 */
#ifndef VISITORS
#define VISITORS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define LOCKS  1
#define VISITS (2 * VISITORS) /* 8 at most */
#define TICKETS 8 /* more than there can be in line; wraps, as in C */

mtype = { NEW, IN_LINE, HURRIED, INSIDE };

typedef rwlock {
	byte first, second; /* inside */
	byte next, serving, hurried;
	/* For the assertions alone. */
	byte line;	    /* visits in line, a bit each */
	byte in_first, in_second, in_alone;
};

typedef visit {
	byte lock, ticket;
	bool second, alone, hurry;
	mtype stage;
	byte ahead; /* for the assertions: who was in line before */
};

rwlock L[LOCKS];
visit VISIT[VISITS];

#define LOCK(v)	      L[VISIT[v].lock]
#define HELD_BACK(v)  (!VISIT[v].hurry && LOCK(v).hurried > 0)
#define IS_FREE(v, f, s) \
	((VISIT[v].alone && f == 0 && s == 0) || \
	 (!VISIT[v].alone && VISIT[v].second && f == 0) || \
	 (!VISIT[v].alone && !VISIT[v].second && s == 0))
#ifdef NOT_FIRST
#define IS_FIRST(v)   true
#else
#define IS_FIRST(v)   (LOCK(v).serving == VISIT[v].ticket)
#endif
/* Would orl_rwlock_try enter? */
#define CAN_ENTER(v) \
	(!HELD_BACK(v) && IS_FREE(v, LOCK(v).first, LOCK(v).second) && \
	 (VISIT[v].stage != IN_LINE || IS_FIRST(v)))

/* Within the step that enters. */
inline assert_entered(v)
{
	LOCK(v).line = LOCK(v).line & ~(1 << v);
	/* If it comes back it stands behind those who are here now. */
	f = 0;
	do
	:: f < VISITS -> VISIT[f].ahead = VISIT[f].ahead & ~(1 << v); f++
	:: else -> break
	od;
	if
	:: VISIT[v].alone -> LOCK(v).in_alone++
	:: !VISIT[v].alone && VISIT[v].second -> LOCK(v).in_second++
	:: else -> LOCK(v).in_first++
	fi;
	/* Mutual exclusion. */
	assert(LOCK(v).in_alone == 0 ||
	       LOCK(v).in_alone + LOCK(v).in_first + LOCK(v).in_second == 1);
	assert(LOCK(v).in_first == 0 || LOCK(v).in_second == 0);
	/* Nobody enters past the line, but in a hurry. */
	assert(VISIT[v].hurry || (VISIT[v].ahead & LOCK(v).line) == 0);
	/* Forgotten: fewer states. */
	f = 0;
	s = 0;
	VISIT[v].ahead = 0
}

/* enter_inside; f and s are the snapshot of inside, ok the result. */
inline enter_inside(v)
{
	d_step { f = LOCK(v).first; s = LOCK(v).second; }
	do
	:: HELD_BACK(v) -> ok = false; break
	:: !HELD_BACK(v) ->
		if
		:: !IS_FREE(v, f, s) -> ok = false; break
		:: else ->
			atomic {
				if
#ifndef NO_RELOAD
				:: LOCK(v).first != f || LOCK(v).second != s ->
					f = LOCK(v).first;
					s = LOCK(v).second
#endif
				:: else ->
					LOCK(v).first = f + (1 - VISIT[v].second);
					LOCK(v).second = s + VISIT[v].second;
					assert_entered(v);
					VISIT[v].stage = INSIDE;
					ok = true;
					break
				fi
			}
		fi
	od
}

/* orl_rwlock_begin */
inline begin(v, which, is_second, is_alone, in_hurry)
{
	d_step {
		VISIT[v].lock = which;
		VISIT[v].second = is_second;
		VISIT[v].alone = is_alone;
		VISIT[v].hurry = in_hurry;
		VISIT[v].stage = NEW;
		VISIT[v].ahead = LOCK(v).line;
	}
}

/* enter_new: has_line is two loads */
inline enter_new(v)
{
	ok = false;
	if
	:: VISIT[v].hurry -> enter_inside(v)
	:: else ->
#ifdef PAST_LINE
		enter_inside(v)
#else
		f = LOCK(v).next;
		if
		:: LOCK(v).serving == f -> enter_inside(v)
		:: else
		fi
#endif
	fi
}

inline take_place(v)
{
	atomic {
		if
		:: VISIT[v].hurry ->
			LOCK(v).hurried++;
			VISIT[v].stage = HURRIED
		:: else ->
			VISIT[v].ticket = LOCK(v).next;
			LOCK(v).next = (LOCK(v).next + 1) % TICKETS;
			VISIT[v].stage = IN_LINE;
			VISIT[v].ahead = LOCK(v).line;
			LOCK(v).line = LOCK(v).line | (1 << v)
		fi
	}
}

/* enter_first, enter_hurried */
inline enter_placed(v)
{
	ok = false;
	if
	:: VISIT[v].stage == HURRIED ->
		enter_inside(v);
		if
#ifndef NO_UNCOUNT
		:: ok -> LOCK(v).hurried--
#endif
		:: else
		fi
	:: VISIT[v].stage == IN_LINE && IS_FIRST(v) ->
		enter_inside(v);
		if
		:: ok -> d_step {
#ifndef NO_NEXT
			LOCK(v).serving = (VISIT[v].ticket + 1) % TICKETS;
#endif
			VISIT[v].ticket = 0
		}
		:: else
		fi
	:: else
	fi
}

/* orl_rwlock_try */
inline try(v)
{
	ok = false;
	if
	:: VISIT[v].stage == NEW ->
		enter_new(v);
		if
		:: !ok -> take_place(v); enter_placed(v)
		:: else
		fi
	:: else -> enter_placed(v)
	fi
}

/* orl_rwlock_enter, after begin */
inline enter(v)
{
	try(v);
	do
	:: ok -> break
	:: !ok && CAN_ENTER(v) -> enter_placed(v)
	od
}

/* orl_rwlock_leave */
inline leave(of_lock, of_second, of_alone)
{
	atomic {
		if
		:: of_alone ->
			L[of_lock].in_alone--;
			L[of_lock].first = 0;
			L[of_lock].second = 0
		:: !of_alone && of_second ->
			L[of_lock].in_second--;
			L[of_lock].second--
		:: else ->
			L[of_lock].in_first--;
			L[of_lock].first--
		fi
	}
}

#define IS_EMPTY(l) \
	(L[l].first == 0 && L[l].second == 0 && L[l].hurried == 0 && \
	 L[l].next == L[l].serving && L[l].line == 0)

#ifdef ALONE
#define SECOND_ALONE true
#else
#define SECOND_ALONE false
#endif

byte ended;

#ifdef LIVE
ltl enters { [] (VISIT[0].stage == IN_LINE -> <> (VISIT[0].stage == INSIDE)) }
#endif

proctype visitor(byte me)
{
	byte f, s, round;
	bool ok;

	do
	:: round < ROUNDS ->
#ifndef LIVE
		round++;
#endif
		if
		:: begin(me, 0, false, false, false)
		:: begin(me, 0, true, SECOND_ALONE, false)
#ifndef LIVE
		:: begin(me, 0, false, false, true)
		:: begin(me, 0, true, SECOND_ALONE, true)
#endif
		fi;
		enter(me);
		if
		:: true
		:: !VISIT[me].second ->
			begin(VISITORS + me, 0, false, false, true);
			enter(VISITORS + me);
			leave(0, false, false)
		fi;
		leave(0, VISIT[me].second, VISIT[me].alone)
	:: else -> break
	od;
	ended++
}

init
{
	byte i;

	atomic {
		do
		:: i < VISITORS -> run visitor(i); i++
		:: else -> break
		od
	}
	ended == VISITORS;
	assert(IS_EMPTY(0))
}
