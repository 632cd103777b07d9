/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delegate.pml - an element that is handed to its owner is worked on once,
 * by the owner or, taken back, by its origin, and each origin gets its own
 * result.  Stands for
 *
 *	origin()	orl_delegate of atomics/delegate.c, and what its caller
 *			does if it returns false
 *	owner()		answer() there, in any thread of the owner's
 *
 * Two origins hand over ROUNDS elements each, in a box for one, and lose
 * patience at any time; two threads of the owner answer, as often as they like.
 *
 * Checked: so many elements are worked on as were meant to be, and the value
 * that an origin finds is its own.
 *
 *	safe
 *	assertion -DBLIND	taken back without a look whether it is taken
 *	assertion -DHASTY	answered without taking it first
 *	assertion -DEARLY	the box is free before the result is read
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define ORIGINS 2

mtype = { FREE, CALLED, FILLING, TAKEN, DONE };
mtype state = FREE;
byte box;		/* whose element it holds, then the result */
byte worked[ORIGINS];	/* elements of each origin that were worked on */
byte ended;

proctype origin(byte me)
{
	byte i;
	bool mine;

	do
	:: i == ROUNDS -> break
	:: i < ROUNDS ->
		atomic {
			mine = (state == FREE);
			if
			:: mine -> state = FILLING
			:: else
			fi
		}
		if
		:: mine ->
			box = me;
			state = CALLED;
			if
			:: state == DONE
			:: true ->
#ifdef BLIND
				if
				:: state == CALLED -> state = FREE; mine = false
				:: state != CALLED -> state == DONE
				fi
#else
				atomic {
					if
					:: state == CALLED ->
						state = FREE;
						mine = false
					:: else
					fi
				};
				!mine || state == DONE
#endif
			fi
		:: else
		fi;
		if
		:: mine ->
#ifdef EARLY
			state = FREE;
			assert(box == me)
#else
			assert(box == me);
			state = FREE
#endif
		:: else -> worked[me]++
		fi;
		i++
	od;
	atomic {
		ended++;
		assert(worked[me] == ROUNDS)
	}
}

proctype owner()
{
	byte whose;

	do
	:: ended == ORIGINS -> break
#ifdef HASTY
	:: state == CALLED -> state = TAKEN;
#else
	:: atomic { state == CALLED -> state = TAKEN };
#endif
		whose = box;
		worked[whose]++;
		box = whose;
		state = DONE
	od
}

init {
	atomic {
		run origin(0);
		run origin(1);
		run owner();
		run owner()
	}
}
