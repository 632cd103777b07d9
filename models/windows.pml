/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * windows.pml - locks of two windows that are taken crosswise.  Stands for
 * orl_win_lock and orl_win_lock_all of win/lock.c, as far as hurry (win/hurry.c)
 * goes; a rank's lock in each window, and each window's master.
 *
 * Process 0 shares the lock of one window and then that of the other, process
 * 1 does so in either order; processes 2 and 3 want the lock of one window
 * each, shared or exclusive, or are in lock_all there.  All that conflicts with a
 * lock is over when it is given back, for which nobody needs another's lock,
 * but for those that both may share: so all can come to an end, if none
 * stands behind one that waits for what it holds itself.
 *
 * Checked: exclusion; everybody comes to an end.
 *
 *	safe
 *	deadlock -DONE_WINDOW	only locks of the same window count as held
 */
#define WINDOWS 2
#define MASTER	2 /* the locks: of the rank in each window, then masters */
#define PROCESSES 4
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

rwlock L[2 * WINDOWS];
visit VISIT[PROCESSES];

byte shared[WINDOWS], exclusive[WINDOWS], all[WINDOWS], ended;

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

#define IS_SAFE(w) \
	(exclusive[w] == 0 || \
	 (exclusive[w] == 1 && shared[w] == 0 && all[w] == 0))

#ifdef ONE_WINDOW
#define HURRY false
#else
#define HURRY (nlocks > 0)
#endif

inline lock_window(win)
{
	enter(me, win, 0, HURRY);
	d_step { nlocks++; shared[win]++; assert(IS_SAFE(win)) }
}

inline unlock_window(win)
{
	d_step { nlocks--; shared[win]-- };
	leave(win, 0)
}

proctype crosswise(byte me; bool either)
{
	byte nlocks, w, second;

	atomic {
		if
		:: w = 0
		:: either -> w = 1
		fi;
		second = 1 - w
	}
	lock_window(w);
	lock_window(second);
	if
	:: unlock_window(w); unlock_window(second)
	:: unlock_window(second); unlock_window(w)
	fi;
	w = 0;
	second = 0;
	ended++
}

proctype other(byte me; byte w)
{
	if
	:: enter(me, w, 0, false);
	   d_step { shared[w]++; assert(IS_SAFE(w)) };
	   shared[w]--;
	   leave(w, 0)
	:: enter(me, MASTER + w, 1, false);
	   enter(me, w, 2, false);
	   d_step { exclusive[w]++; assert(IS_SAFE(w)) };
	   exclusive[w]--;
	   leave(w, 2);
	   leave(MASTER + w, 1)
	:: enter(me, MASTER + w, 0, false);
	   d_step { all[w]++; assert(IS_SAFE(w)) };
	   all[w]--;
	   leave(MASTER + w, 0)
	fi;
	ended++
}

init
{
	atomic {
		run crosswise(0, false);
		run crosswise(1, true);
		run other(2, 0);
		run other(3, 1)
	}
	ended == PROCESSES
}
