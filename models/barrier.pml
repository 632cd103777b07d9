/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * barrier.pml - the dissemination barrier, and freeing after it.  Stands for
 * win/barrier.c, by the names of its functions.  RANKS ranks go through
 * BARRIERS barriers; each gives its control block back right after its last.
 * The first REMOTE ranks are of another node than the others: there a word is
 * a message that the owner writes, in their order (orl_barrier_arrived).
 * CROWDED: ranks outnumber the cores, and are counted (gather).
 *
 * Checked: nobody leaves a barrier that not all have come to; nobody touches
 * a block that was given back; everybody comes to an end.
 *
 *	safe
 *	safe -DREMOTE=1
 *	safe -DRANKS=3 -DBARRIERS=3
 *	safe -DRANKS=5 -DBARRIERS=1
 *	safe -DCROWDED
 *	safe -DCROWDED -DRANKS=3 -DBARRIERS=4
 *	assertion -DFEW_ROUNDS	as many rounds as the logarithm, rounded down
 *	assertion -DONE_WORD -DRANKS=3	a word for all rounds
 *	assertion -DBELL_IN_BLOCK	the bell that is rung lies in the block
 *	deadlock -DEQUAL	waits for a word to be that of this barrier, not
 *				at least that
 *	assertion -DCROWDED -DRELEASED_IN_FIRST	all wait for one word, in the
 *				block of the first
 *	assertion -DCROWDED -DCOUNTED_APART	each looks how many have come,
 *				after it counted itself
 */
#ifndef RANKS
#define RANKS 4
#endif
#ifndef BARRIERS
#define BARRIERS 2
#endif
#ifndef REMOTE
#define REMOTE 0
#endif
#define ROUNDS 3

typedef ctl {
	byte arrived[ROUNDS];
	byte come;
	bool is_free;
};
ctl CTL[RANKS];
chan inbox[RANKS] = [BARRIERS * ROUNDS] of { byte, byte }; /* k, seq */
byte come[BARRIERS + 1];

#ifdef ONE_WORD
#define WORD(k) 0
#else
#define WORD(k) k
#endif

#ifdef EQUAL
#define HAS_ARRIVED (CTL[me].arrived[WORD(k)] == seq)
#else
#define HAS_ARRIVED (CTL[me].arrived[WORD(k)] >= seq)
#endif

inline arrive(peer, round, value)
{
	d_step {
		assert(!CTL[peer].is_free);
		CTL[peer].arrived[WORD(round)] = value
	}
#ifdef BELL_IN_BLOCK
	;
	assert(!CTL[peer].is_free)
#endif
}

inline tell(peer)
{
	if
	:: (peer < REMOTE) != (me < REMOTE) -> inbox[peer]!k, seq
	:: else -> arrive(peer, k, seq)
	fi
}

#if REMOTE
/* A rank's progress; several steps of its may be under way. */
proctype handler(byte me)
{
	byte k, seq;

end:	do
	:: atomic { inbox[me]?k, seq -> arrive(me, k, seq); k = 0; seq = 0 }
	od
}
#endif

#ifdef FEW_ROUNDS
#define HAS_ROUND (2 * far <= RANKS - 1)
#else
#define HAS_ROUND (far < RANKS)
#endif

#ifdef RELEASED_IN_FIRST
#define WAITED 0
#else
#define WAITED me
#endif

inline count_in()
{
	d_step {
		assert(!CTL[0].is_free);
		CTL[0].come++;
		is_last = (CTL[0].come == seq * RANKS)
	}
#ifdef COUNTED_APART
	;
	d_step {
		assert(!CTL[0].is_free);
		is_last = (CTL[0].come == seq * RANKS)
	}
#endif
}

inline gather()
{
	count_in();
	if
	:: is_last ->
		do
		:: k < RANKS -> arrive(k, 0, seq); k++
		:: else -> break
		od
	:: else ->
		CTL[WAITED].arrived[0] >= seq;
		assert(!CTL[WAITED].is_free)
	fi
}

proctype rank(byte me)
{
	byte seq, far, k;
	bool is_last;

	do
	:: seq < BARRIERS ->
		d_step { seq++; come[seq]++; k = 0; far = 1 };
#ifdef CROWDED
		gather();
#else
		do
		:: HAS_ROUND ->
			tell((me + far) % RANKS);
			HAS_ARRIVED;
			d_step { k++; far = 2 * far }
		:: else -> break
		od;
#endif
		assert(come[seq] == RANKS)
	:: else -> break
	od;
	CTL[me].is_free = true
}

init
{
	byte i;

	atomic {
		do
		:: i < RANKS ->
			run rank(i);
#if REMOTE
			run handler(i);
#endif
			i++
		:: else -> break
		od
	}
}
