/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bell.pml - no ring is missed, though ringing needs no fence.  Stands for
 *
 *	sleeper()	sleep_on of src/progress/wait.c, without its periods:
 *			who misses a ring sleeps for ever
 *	ringer()	orl_bell_ring of include/orl_progress.h, orl_bell_wake
 *	fence_others()	orl_fence_others of src/progress/fence.c
 *
 * Two ringers store a word each and ring one bell, each with its own bits, of
 * two sleepers: one waits for the first word, by its bits, the other for both,
 * by all.  Each word is stored ROUNDS times, after what was stored before has
 * been seen.  A ringer's store may stay in its core's buffer until a fence, a
 * locked instruction, or whenever the core likes.
 *
 * Checked: everybody comes to an end.
 *
 *	safe
 *	deadlock -DNO_FENCE	a sleeper has the others' cores not fenced
 *	deadlock -DFENCE_FIRST	or before it counts itself
 *	deadlock -DSEQ_LATE	it reads the bell after it has looked
 *	deadlock -DNO_SEQ	who rings does not change the bell's word
 *	deadlock -DWRONG_BIT	the first ringer rings with the second's bits
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define WORDS	 2
#define SLEEPERS 2

byte word[WORDS];	/* as all see it */
bool buffered[WORDS];	/* one more is in the ringer's store buffer */
byte seen[SLEEPERS];	/* how often each has seen what it waits for */
byte seq, sleepers;	/* the bell */
bool asleep[SLEEPERS];	/* in the kernel */
byte bits[SLEEPERS];

inline commit(w)
{
	if
	:: buffered[w] -> word[w]++; buffered[w] = false
	:: else
	fi
}

inline fence_others()
{
	d_step { commit(0); commit(1) }
}

/* The cores, some time. */
active proctype memory()
{
end:	do
	:: atomic { buffered[0] -> commit(0) }
	:: atomic { buffered[1] -> commit(1) }
	od
}

inline wake(with)
{
#ifndef NO_SEQ
	/* Locked: the buffer is empty after it. */
	d_step { commit(me); seq++ };
#endif
	d_step {
		asleep[0] = asleep[0] && (bits[0] & with) == 0;
		asleep[1] = asleep[1] && (bits[1] & with) == 0
	}
}

#ifdef WRONG_BIT
#define BITS 2
#else
#define BITS (1 << me)
#endif

proctype ringer(byte me)
{
	byte round;

	do
	:: round < ROUNDS ->
		buffered[me] = true;
		round++;
		if
		:: sleepers > 0 -> wake(BITS)
		:: else
		fi;
		(me == 1 || seen[0] == round) && seen[1] == round
	:: else -> break
	od
}

/* By the first word alone, or by both. */
#define READY (word[0] > seen[me] && (me == 0 || word[1] > seen[me]))

inline sleep_on()
{
#ifdef FENCE_FIRST
	fence_others();
#endif
	sleepers++;
#if !defined(NO_FENCE) && !defined(FENCE_FIRST)
	fence_others();
#endif
	do
	:: true ->
#ifndef SEQ_LATE
		old = seq;
#endif
		if
		:: READY -> break
		:: else
		fi;
#ifdef SEQ_LATE
		old = seq;
#endif
		atomic {
			if
			:: seq == old -> asleep[me] = true
			:: else
			fi
		};
		!asleep[me];
		if
		:: READY -> break
		:: else
		fi
	od;
	old = 0;
	sleepers--
}

proctype sleeper(byte me)
{
	byte old;

	do
	:: seen[me] < ROUNDS ->
		if
		:: READY /* while it spins */
		:: sleep_on()
		fi;
		seen[me]++
	:: else -> break
	od
}

init
{
	atomic {
		bits[0] = 1;
		bits[1] = 3;
		run ringer(0);
		run ringer(1);
		run sleeper(0);
		run sleeper(1)
	}
}
