/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comeback.pml - the place in a lock's line that is kept for an origin of another
 * node that has just given the lock back.  Stands for
 *
 *	origin()	orl_petition_begin, _poll and _leave of win/petition.c,
 *			with orl_comeback_take and orl_comeback_end (keep) of win/comeback.c
 *	late()		orl_comeback_poll, at any time: the clock may say anything
 *	near()		MPI_Win_lock, exclusive, by a rank of the node
 *
 * What is under the progress lock is one step.  Two ranks of the node lock
 * ROUNDS times each, the origin ROUNDS times or less often, and a place is
 * kept for it or not.
 *
 * Checked: exclusion; no rank of the node that came after the place was drawn
 * enters before it is taken or passed over; everybody comes to an end, whether
 * the origin comes again or not, and leaves no line.
 *
 *	safe
 *	assertion -DAT_ONCE	a rank of the node does not look for a line
 *	deadlock -DEARLY	a place is passed over that is not the first
 *	deadlock -DNO_PASS	it is not passed over
 *	deadlock -DTAKE_PASSED	it is taken though it was passed over
 */
#define ROUNDS 2
#define NEAR   2
#define TICKETS 16 /* more than are drawn */

byte inside;
byte next, serving;
bool kept;
byte place;
byte ended;

#define IS_FREE	      (inside == 0)
#define IS_FIRST(t)   (serving == t)

inline enter()
{
	inside++;
	assert(inside == 1)
}

inline leave()
{
	inside--
}

proctype near()
{
	byte round, ticket;

	do
	:: round < ROUNDS ->
		round++;
		if
#ifdef AT_ONCE
		:: atomic { IS_FREE -> assert(!kept); enter() }
#else
		:: atomic { next == serving && IS_FREE ->
			assert(!kept);
			enter()
		   }
#endif
		:: atomic { ticket = next; next++ };
		   atomic { IS_FIRST(ticket) && IS_FREE ->
			assert(!kept || ticket < place);
			enter();
			serving = ticket + 1
		   }
		fi;
		leave()
	:: else -> break
	od;
	ended++
}

proctype origin()
{
	byte round, ticket;
	bool has_place;

	do
	:: round < ROUNDS ->
		round++;
		atomic {
			if
#ifdef TAKE_PASSED
			:: has_place ->
#else
			:: kept ->
#endif
				ticket = place;
				kept = false
			:: else -> ticket = next; next++
			fi
		};
		atomic { IS_FIRST(ticket) && IS_FREE ->
			enter();
			serving = ticket + 1
		};
		atomic {
			if
			:: place = next; next++; kept = true; has_place = true
			:: has_place = false
			fi;
			leave()
		}
	:: true -> break
	od;
	ended++
}

active proctype late()
{
	do
#ifndef NO_PASS
#ifdef EARLY
	:: atomic { kept -> serving = place + 1; kept = false }
#else
	:: atomic { kept && IS_FIRST(place) -> serving = place + 1; kept = false }
#endif
#endif
	:: atomic { ended == NEAR + 1 && !kept -> break }
	od
}

init
{
	byte i;

	atomic {
		do
		:: i < NEAR -> run near(); i++
		:: else -> break
		od;
		run origin()
	}
	ended == NEAR + 1 && !kept;
	assert(inside == 0 && next == serving)
}
