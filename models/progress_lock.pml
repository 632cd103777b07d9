/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress_lock.pml - the progress lock.  Stands for src/progress/lock.c, by
 * the names of its functions, with one spin.  LOCKERS threads take it by
 * orl_progress_lock, one polls: it takes it by orl_progress_trylock, all
 * without end.
 *
 * Checked: one at a time has it; nobody sleeps for ever.  LIVE: of one locker
 * beside one that polls, the locker gets it.  (Lockers among each other have
 * no such promise.)
 *
 *	safe
 *	live -DLOCKERS=1
 *	assertion -DNO_COMPARE	it is taken by a store
 *	deadlock -DWAKE_NONE	who lets it go wakes nobody
 *	deadlock -DAS_HELD	who has slept takes it as if nobody else did
 *	cycle -DLOCKERS=1 -DPUSHY	who polls does not stand back
 */
#ifndef LOCKERS
#define LOCKERS 3
#endif
#define FREE	  0
#define HELD	  1
#define CONTENDED 2

byte state, waiting;
bool asleep[LOCKERS];
byte inside;
bool wants, has; /* the first locker */

inline take()
{
	is_mine = false;
	if
	:: state == FREE ->
#ifdef NO_COMPARE
		state = HELD;
		is_mine = true
#else
		atomic {
			if
			:: state == FREE -> state = HELD; is_mine = true
			:: else
			fi
		}
#endif
	:: else
	fi
}

#ifdef AS_HELD
#define TAKEN HELD
#else
#define TAKEN CONTENDED
#endif

inline sleep_for_lock()
{
	do
	:: atomic {
		state == FREE -> state = TAKEN; is_mine = true; break
	   }
	:: atomic { state != FREE -> state = CONTENDED };
	   /* The futex. */
	   atomic {
		if
		:: state == CONTENDED -> asleep[me] = true
		:: else
		fi
	   };
	   !asleep[me]
	od
}

inline wait_for_lock()
{
	waiting++;
	take();
	if
	:: !is_mine -> sleep_for_lock()
	:: else
	fi;
	waiting--
}

inline unlock()
{
	atomic {
		is_mine = false;
		wakes = state == CONTENDED;
		state = FREE
	};
	if
#ifndef WAKE_NONE
	:: wakes ->
		/* One of them, whichever. */
		atomic {
			if
			:: asleep[0] -> asleep[0] = false
#if LOCKERS > 1
			:: asleep[1] -> asleep[1] = false
#endif
#if LOCKERS > 2
			:: asleep[2] -> asleep[2] = false
#endif
			:: else
			fi
		}
#endif
	:: else
	fi;
	wakes = false
}

inline use()
{
	atomic { inside++; assert(inside == 1) };
	inside--
}

proctype locker(byte me)
{
	bool is_mine, wakes;

	do
	:: true ->
		wants = wants || me == 0;
		take();
		if
		:: !is_mine -> wait_for_lock()
		:: else
		fi;
		atomic { has = has || me == 0; wants = wants && me != 0 };
		use();
		has = has && me != 0;
		unlock()
#ifndef LIVE
	:: break
#endif
	od
}

proctype poller()
{
	bool is_mine, wakes;

	do
	:: true ->
		is_mine = false;
		if
#ifdef PUSHY
		:: true -> take()
#else
		:: waiting == 0 -> take()
#endif
		:: else
		fi;
		if
		:: is_mine -> use(); unlock()
		:: else
		fi
#ifndef LIVE
	:: break
#endif
	od
}

#ifdef LIVE
ltl turn { [] (wants -> <> has) }
#endif

init
{
	byte i;

	atomic {
		run poller();
		do
		:: i < LOCKERS -> run locker(i); i++
		:: else -> break
		od
	}
}
