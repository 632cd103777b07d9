/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flush.pml - a link that several threads write to and flush: when is it
 * known that a record has been executed?  Stands for src/am/link.c and slot.c:
 *
 *	write()		orl_am_record, orl_am_slot (with count)
 *	flush()		orl_am_flush, orl_am_flush_begin, end, is_over,
 *			orl_am_is_idle
 *	owner()		the handlers there, and orl_am_handle_answer (finish)
 *			here, in any thread that makes progress
 *
 * THREADS threads each write ROUNDS records, puts or gets (which have a slot),
 * and flush after each or not.  Records are sent when a flush says so, or
 * before, since the message is full.  Whatever is under the progress lock is one step, but for the two
 * words that flush also reads without it: answers and unasked.
 *
 * Checked: after a flush all records that the thread has written have been
 * executed, and their answers have come; everybody comes to an end.
 *
 *	safe
 *	assertion -DIDLE_FIRST	looks whether answers are awaited before it
 *				looks whether they are to be asked for
 *	assertion -DASKED_FIRST	says that all is asked for before the answer
 *				counts
 *	assertion -DANSWER_EARLY	the owner answers a flush when it comes,
 *				not in its turn
 *	assertion -DFREE_FIRST	an answer counts no more before it is written
 *	deadlock -DNO_SEND	a flush does not send
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define MOST (2 * THREADS * ROUNDS)

mtype = { PUT, GET, FLUSH };

bool lock; /* the progress lock */
byte answers;
bool unasked;
chan out = [MOST] of { mtype };	 /* under construction */
chan wire = [MOST] of { mtype }; /* sent */
chan back = [MOST] of { mtype }; /* answers */
byte written, executed;		 /* puts and gets, in their order */
byte gets, got;			 /* of these, gets, and those written back */
byte ended;

inline acquire()
{
	atomic { !lock -> lock = true }
}

inline take_slot()
{
#ifdef ASKED_FIRST
	unasked = false;
	answers++
#else
	answers++;
	unasked = false
#endif
}

inline send()
{
	do
	:: nempty(out) -> out?record; wire!record
	:: empty(out) -> break
	od
}

inline write(kind)
{
	acquire();
	unasked = true;
	d_step { out!kind; written++; mine = written };
	if
	:: kind == GET -> gets++; take_slot()
	:: else
	fi;
	atomic {
		wanted = gets;
		if
		:: send()
		:: true
		fi
	};
	lock = false
}

inline flush()
{
#ifdef IDLE_FIRST
	is_idle = answers == 0;
	is_asked = !unasked;
#else
	is_asked = !unasked;
	is_idle = answers == 0;
#endif
	if
	:: is_idle && is_asked
	:: else ->
		acquire();
		if
		:: unasked -> out!FLUSH; take_slot()
		:: else
		fi;
#ifndef NO_SEND
		atomic { send() };
#endif
		lock = false;
		answers == 0
	fi;
	is_idle = false;
	is_asked = false;
	assert(executed >= mine);
	assert(got >= wanted)
}

proctype thread()
{
	byte round, mine, wanted;
	bool is_idle, is_asked;
	mtype record;

	do
	:: round < ROUNDS ->
		if
		:: write(PUT)
		:: write(GET)
		fi;
		if
		:: flush()
		:: round + 1 < ROUNDS
		fi;
		round++
	:: else -> break
	od;
	ended++
}

active proctype owner()
{
	mtype record;

end:	do
	:: atomic {
		wire?record ->
		if
		:: record == FLUSH -> back!FLUSH
		:: record == PUT -> executed++
		:: record == GET -> executed++; back!GET
		fi
	   }
#ifdef ANSWER_EARLY
	:: atomic { wire??FLUSH -> back!FLUSH }
#endif
	od
}

/* Gets are executed in their order, so are their answers. */
active proctype progress()
{
	mtype record;

end:	do
	:: atomic { !lock && nempty(back) -> lock = true; back?record };
#ifdef FREE_FIRST
	   answers--;
	   got = got + (record == GET);
#else
	   got = got + (record == GET);
	   answers--;
#endif
	   lock = false
	od
}

init
{
	byte i;

	atomic {
		do
		:: i < THREADS -> run thread(); i++
		:: else -> break
		od
	}
	ended == THREADS;
	assert(answers == 0 && executed == written)
}
