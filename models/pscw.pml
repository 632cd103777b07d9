/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pscw.pml - post, start, complete, wait.  Stands for win/pscw.c, by the
 * names of its functions.  Two targets expose EPOCHS times each, the first
 * each time to none of two origins, one or both, the second to the first
 * origin and every other time to both; the origins know to whom (their groups
 * match, as MPI demands), and access the targets of their group, or not,
 * before they complete.  The first origin has two threads that access.  With REMOTE it
 * has one, and the second origin is of another node: posts to it and its accesses and completes
 * are messages, which keep their order on each way.
 *
 * Checked: an origin accesses a target only while that exposes to it, and has
 * seen all that it stored before; all accesses are over when the exposure
 * ends; everybody comes to an end, and leaves the words as they were.
 *
 *	safe
 *	safe -DREMOTE
 *	assertion -DNO_MEET	an origin completes what it has not met
 *	assertion -DANY_EPOCH	the counter is compared with what one epoch
 *				adds, not all
 *	assertion -DCOMPLETE_FIRST -DREMOTE	before its access
 *	deadlock -DCLEAR_LATE	an origin clears the post once it has completed
 *	deadlock -DPOST_ALONE	who meets a post looks for it alone, though
 *				another thread may have met it
 */
#define TARGETS 2
#define ORIGINS 2
#ifndef EPOCHS
#define EPOCHS 2
#endif

#define TO(o, t) (o * TARGETS + t)

/* The program: by epoch, a bit for each origin of each target's group. */
byte group[EPOCHS];
#define IS_IN(e, o, t) ((group[e] >> TO(o, t)) & 1)

/* Control blocks: of each origin by target, of each target. */
bool posted[ORIGINS * TARGETS];
byte completes[TARGETS];
/* The origins' own. */
bool access[ORIGINS * TARGETS];

/* For the assertions: which epoch a target exposes, 0: none; accesses of it
 * that are under way. */
byte exposes[TARGETS], begun[TARGETS];

byte helps; /* the epoch that the first origin's second thread is to access */
byte ended;

#ifdef REMOTE
#define ENDS 4
#define IS_REMOTE(o) (o == 1)
mtype = { ACCESS, COMPLETE };
chan to_target[TARGETS] = [4] of { mtype, byte };
chan to_origin = [4] of { byte }; /* a post of that target's */
#else
#define ENDS 5
#endif

/* -- targets --------------------------------------------------------------- */

inline post_to(o)
{
	if
	:: IS_IN(epoch, o, me) ->
		nexposed++;
#ifdef REMOTE
		if
		:: IS_REMOTE(o) -> to_origin!me
		:: else -> posted[TO(o, me)] = true
		fi
#else
		posted[TO(o, me)] = true
#endif
	:: else
	fi
}

#ifdef ANY_EPOCH
#define ALL_COMPLETE (completes[me] >= nexposed)
#else
#define ALL_COMPLETE (completes[me] - before >= nexposed)
#endif

proctype target(byte me)
{
	byte epoch, nexposed, before;

	do
	:: epoch < EPOCHS ->
		exposes[me] = epoch + 1;
		post_to(0);
		post_to(1);
		ALL_COMPLETE;
		d_step {
			before = before + nexposed;
			nexposed = 0;
			assert(begun[me] == 0);
			exposes[me] = 0;
			epoch++
		}
	:: else -> break
	od;
	ended++
}

/* -- origins --------------------------------------------------------------- */

#ifdef POST_ALONE
#define HAS_MET(t) posted[TO(me, t)]
#else
#define HAS_MET(t) (posted[TO(me, t)] || access[TO(me, t)])
#endif

inline meet(t)
{
#ifndef NO_MEET
	HAS_MET(t);
#endif
	/* Under the window's mutex. */
	d_step {
		if
		:: !access[TO(me, t)] ->
			access[TO(me, t)] = true;
#ifndef CLEAR_LATE
			posted[TO(me, t)] = false
#endif
		:: else
		fi
	}
}

inline access_now(t, e)
{
	d_step { assert(exposes[t] == e + 1); begun[t]++ };
	begun[t]--
}

inline access_it(t)
{
	if
	:: !access[TO(me, t)] -> meet(t)
	:: else
	fi;
#ifdef REMOTE
	if
	:: IS_REMOTE(me) -> to_target[t]!ACCESS(epoch)
	:: else -> access_now(t, epoch)
	fi
#else
	access_now(t, epoch)
#endif
}

inline tell_complete(t)
{
#ifdef REMOTE
	if
	:: IS_REMOTE(me) -> to_target[t]!COMPLETE(epoch)
	:: else -> completes[t]++
	fi
#else
	completes[t]++
#endif
}

inline complete_at(t)
{
	if
	:: IS_IN(epoch, me, t) ->
#ifdef COMPLETE_FIRST
		if
		:: !access[TO(me, t)] -> meet(t)
		:: else
		fi;
		tell_complete(t);
		access_it(t);
		access[TO(me, t)] = false
#else
		if
		:: !access[TO(me, t)] -> meet(t)
		:: else
		fi;
		access[TO(me, t)] = false;
		tell_complete(t)
#endif
#ifdef CLEAR_LATE
		;
		posted[TO(me, t)] = false
#endif
	:: else
	fi
}

inline access_some(t)
{
	if
	:: IS_IN(epoch, me, t) -> access_it(t)
	:: true
	fi
}

proctype origin(byte me)
{
	byte epoch;

	do
	:: epoch < EPOCHS ->
#ifndef REMOTE
		if
		:: me == 0 -> helps = epoch + 1
		:: else
		fi;
#endif
		access_some(0);
		access_some(1);
		/* The program sees to it that its threads are done. */
		me != 0 || helps == 0;
		complete_at(0);
		complete_at(1);
		epoch++
	:: else -> break
	od;
	ended++
}

proctype second_thread(byte me)
{
	byte epoch;

	do
	:: epoch < EPOCHS ->
		helps == epoch + 1;
		access_some(0);
		helps = 0;
		epoch++
	:: else -> break
	od;
	ended++
}

#ifdef REMOTE
proctype handler(byte me)
{
	byte epoch, from;

end:	do
	:: atomic { to_target[me]?ACCESS(epoch) -> access_now(me, epoch) }
	:: atomic { to_target[me]?COMPLETE(epoch) -> completes[me]++ }
	:: atomic { me == 0 && nempty(to_origin) -> to_origin?from };
	   posted[TO(1, from)] = true
	od
}
#endif

init
{
	byte i;

	atomic {
		do
		:: i < EPOCHS ->
			group[i] = 2 + 8 * (i % 2);
			if
			:: true
			:: group[i] = group[i] + 1
			:: group[i] = group[i] + 4
			:: group[i] = group[i] + 5
			fi;
			i++
		:: else -> break
		od;
		run target(0);
		run target(1);
		run origin(0);
		run origin(1);
#ifdef REMOTE
		run handler(0);
		run handler(1)
#else
		run second_thread(0)
#endif
	}
	ended == ENDS;
	assert(!posted[0] && !posted[1] && !posted[2] && !posted[3]);
	assert(!access[0] && !access[1] && !access[2] && !access[3])
}
