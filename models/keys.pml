/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keys.pml - the keys of a dynamic window's registered regions, which origins
 * of other nodes keep.  Stands for
 *
 *	access()	orl_key_find, orl_key_ask (src/path/keys.c)
 *	origin_side()	answered (keep), serve_forget
 *	owner_side()	serve_key, orl_regions_key (win/dynamic.c),
 *			orl_asker_note (win/asker.c), and the answer to
 *			the call to forget
 *	owner()		orl_win_attach, orl_win_detach: extract, close_region,
 *			orl_askers_recall
 *
 * The owner attaches memory at one address ROUNDS times, each time registered
 * anew, lets the program's origins access it, and detaches it.  The first
 * origin has two threads.  Each way's messages keep their order.
 *
 * Checked: a key that is used is that of the memory; everybody comes to an
 * end.
 *
 *	safe
 *	assertion -DNO_WAIT	a region is closed before all have forgotten it
 *	assertion -DNO_NOTE	one asker is told alone
 *	assertion -DNO_TOLD	a region that an origin knows of is closed as if
 *				none did
 *	assertion -DNO_FORGET	an origin keeps what it is to forget
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define ORIGINS 2
#define THREADS 3 /* of all */
#define PROCESS(t) (t / 2) /* 0 and 1: of the first origin; 2: of the other */

mtype = { KEY, ANSWER, FORGET, FORGOTTEN };

chan up[ORIGINS] = [3] of { mtype, byte };	   /* of which thread */
chan down[ORIGINS] = [3] of { mtype, byte, byte }; /* and the key */

/* The owner's: the key of the region, 0: none; who has asked. */
byte key;
bool told, asker[ORIGINS];
byte awaited; /* answers to calls */
/* The origins'. */
byte kept[ORIGINS];
bool answered[THREADS];
/* The program's. */
byte round, done;

#define IS_FIRST(o) (!asker[0] && !asker[1])

proctype owner_side(byte o)
{
	byte thread;

end:	do
	:: atomic {
		up[o]?KEY(thread) ->
		if
		:: key > 0 ->
#ifdef NO_NOTE
			asker[o] = asker[o] || IS_FIRST(o);
#else
			asker[o] = true;
#endif
#ifndef NO_TOLD
			told = true
#endif
		:: else
		fi;
		down[o]!ANSWER(thread, key)
	   }
	:: atomic { up[o]?FORGOTTEN(thread) -> awaited-- }
	od
}

proctype origin_side(byte o)
{
	byte thread, k;

end:	do
	:: atomic {
		down[o]?ANSWER(thread, k) ->
		if
		:: k > 0 -> kept[o] = k
		:: else
		fi;
		answered[thread] = true
	   }
	:: atomic {
		down[o]?FORGET(thread, k) ->
#ifndef NO_FORGET
		kept[o] = 0;
#endif
		up[o]!FORGOTTEN(0)
	   }
	od
}

inline access()
{
	do
	:: atomic {
		kept[PROCESS(me)] > 0 ->
		assert(kept[PROCESS(me)] == key);
		break
	   }
	:: atomic {
		kept[PROCESS(me)] == 0 ->
		answered[me] = false;
		up[PROCESS(me)]!KEY(me)
	   };
	   answered[me]
	od
}

proctype thread(byte me)
{
	byte seen;

	do
	:: seen < ROUNDS ->
		round > seen;
		if
		:: access()
		:: true
		fi;
		atomic { seen++; done++ }
	:: else -> break
	od
}

inline recall()
{
	atomic {
		if
		:: asker[0] -> awaited++; down[0]!FORGET(0, 0)
		:: else
		fi;
		if
		:: asker[1] -> awaited++; down[1]!FORGET(0, 0)
		:: else
		fi
	};
#ifndef NO_WAIT
	awaited == 0
#endif
}

active proctype owner()
{
	bool was_told;

	do
	:: round < ROUNDS ->
		/* Attached, then the program says so. */
		d_step { key = round + 1; told = false };
		round++;
		done == THREADS * round;
		d_step { key = 0; was_told = told; told = false };
		if
		:: was_told -> recall()
		:: else
		fi
	:: else -> break
	od
}

init
{
	atomic {
		run owner_side(0);
		run owner_side(1);
		run origin_side(0);
		run origin_side(1);
		run thread(0);
		run thread(1);
		run thread(2)
	}
}
