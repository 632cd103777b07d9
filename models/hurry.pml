/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hurry.pml - a lock that the process holds is not missed by who adds up what
 * its threads have counted, though each counts in a place of its own and gives
 * back what another has taken.  Stands for
 *
 *	taker()		orl_hurry_count_in and _out of win/hurry.h, around
 *			whatever locks are taken and given back by any thread
 *	looker()	orl_hurry_has of win/hurry.c
 *
 * One lock is held throughout.  Two takers take ROUNDS others each and give
 * back as many, of whoever took them.  The looker reads their places one by
 * one, in any order.
 *
 * Checked: it finds one lock at least, and no more than were ever taken.
 *
 *	safe
 *	assertion -DTAKEN_FIRST	what was taken is added up first
 *	assertion -DLATE	a lock is counted when it has been taken
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define TAKERS 2

byte taken[TAKERS], given[TAKERS];
byte held;	 /* that may be given back, by anybody */
bool lasting;	 /* the lock that is held throughout is */

proctype taker(byte me)
{
	byte i, j;

	do
	:: i < ROUNDS ->
#ifdef LATE
		held++;
		taken[me]++;
#else
		taken[me]++;
		held++;
#endif
		i++
	:: atomic { j < ROUNDS && held > 0 -> held-- };
		given[me]++;
		j++
	:: i == ROUNDS && j == ROUNDS -> break
	od
}

inline sum_given()
{
	if
	:: given_all = given_all + given[0]; given_all = given_all + given[1]
	:: given_all = given_all + given[1]; given_all = given_all + given[0]
	fi
}

inline sum_taken()
{
	if
	:: taken_all = taken_all + taken[0]; taken_all = taken_all + taken[1]
	:: taken_all = taken_all + taken[1]; taken_all = taken_all + taken[0]
	fi
}

active proctype looker()
{
	byte given_all, taken_all;

	taken[0]++; /* for good */
	lasting = true;
#ifdef TAKEN_FIRST
	sum_taken();
	sum_given();
#else
	sum_given();
	sum_taken();
#endif
	assert(taken_all > given_all);
	assert(taken_all - given_all <= TAKERS * ROUNDS + 1)
}

init
{
	atomic {
		lasting;
		run taker(0);
		run taker(1)
	}
}
