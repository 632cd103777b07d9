/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.pml - the gate of the accumulates, of which the first shutter has all
 * cores fenced so that singles need not fence before.  Stands for
 *
 *	enter(), leave()	orl_gate_enter (orl_gate_find_slot,
 *			orl_gate_claim_slot, orl_gate_count_in), orl_gate_leave
 *	shut()		orl_gate_shut, orl_gate_try, orl_gate_wait (attempt),
 *			orl_gate_is_drained, orl_gate_drain (fence_singles)
 *
 * of orl_gate.h, atomics/gate.h and gate.c, without bells (bell.pml), with a
 * PATIENCE of one attempt.  Two threads find one slot, which becomes that of
 * one of them: its stores there wait in its core's buffer, in their order, for
 * a locked instruction, for a fence or for the core's pleasure, while its
 * loads go ahead.  The other counts in the word beside.  Both do singles, or
 * shut the gate at once, without end.
 *
 * Checked: whoever holds the gate shut is alone.  LIVE: two who shut it; one
 * that waits gets it.
 *
 *	safe
 *	live
 *	assertion -DNO_FENCE	the first shutter has nobody fenced
 *	assertion -DWORD_LATE	or leaves word that singles fence from now on
 *				after it had them fenced
 *	assertion -DBELIEVE	believes the first look, whoever fenced
 *	assertion -DLOOK_FIRST	a single looks whether it is shut, then counts
 *	assertion -DNO_BACK	works although it has seen it shut
 *	assertion -DTAKE	a slot that was free is taken without a look
 *				whether it still is
 *	assertion -DONE_WORD	the others count in the owner's word
 *	cycle -DNO_CLAIM	others do not hold back for a claim
 */
#define NOBODY 2

bool shut, claim, fenced;
byte owner = NOBODY;	      /* of the slot */
byte own, singles;	      /* as all see them */
chan buffer = [2] of { bit }; /* the owner's stores to its word */
byte working, alone;
bool waits, has; /* the second origin */

inline drain_buffer()
{
	do
	:: buffer?own
	:: empty(buffer) -> break
	od
}

/* The owner's core, some time. */
active proctype memory()
{
end:	do
	:: buffer?own
	od
}

inline find_slot()
{
	is_own = owner == me;
	if
#ifdef TAKE
	:: owner == NOBODY -> owner = me; is_own = true
#else
	:: owner == NOBODY ->
		atomic {
			if
			:: owner == NOBODY -> owner = me; is_own = true
			:: else
			fi
		}
#endif
	:: else
	fi
}

#ifdef ONE_WORD
#define OTHERS own
#else
#define OTHERS singles
#endif

inline count_in()
{
	if
	:: is_own ->
		buffer!1;
		if
		:: fenced -> atomic { drain_buffer(); own = 1 }
		:: else
		fi
	:: else -> OTHERS++
	fi
}

inline leave()
{
	if
	:: is_own -> buffer!0
	:: else -> OTHERS--
	fi
}

/* enters: may work. */
inline enter()
{
	find_slot();
#ifdef LOOK_FIRST
	enters = !shut;
	count_in();
#else
	count_in();
	enters = !shut;
#endif
	if
#ifndef NO_BACK
	:: !enters -> leave()
#endif
	:: else -> enters = true
	fi
}

/* The exchange drains the buffer, whether it succeeds or not. */
inline try()
{
	if
	:: !shut ->
		atomic {
			if
			:: owner == me -> drain_buffer()
			:: else
			fi;
			if
			:: !shut -> shut = true; has_shut = true
			:: else
			fi
		}
	:: else
	fi
}

#ifdef NO_CLAIM
#define IS_CLAIMED false
#else
#define IS_CLAIMED claim
#endif

inline wait_for_gate()
{
	do
	:: has_shut -> break
	:: else ->
		if
		:: has_claim || !IS_CLAIMED -> try()
		:: else
		fi;
		if
		:: !has_shut && !has_claim ->
			atomic {
				if
				:: !claim -> claim = true; has_claim = true
				:: else
				fi
			}
		:: else
		fi
	od;
	if
	:: has_claim -> claim = false; has_claim = false
	:: else
	fi
}

inline fence_singles()
{
#ifdef WORD_LATE
	atomic { drain_buffer() };
	fenced = true
#else
	fenced = true;
#ifndef NO_FENCE
	atomic { drain_buffer() }
#else
	skip
#endif
#endif
}

inline drain()
{
	drained = own == 0;
	drained = drained && singles == 0;
#ifndef BELIEVE
	drained = drained && fenced;
#endif
	if
	:: !drained ->
		if
		:: !fenced -> fence_singles()
		:: else
		fi;
		own == 0;
		singles == 0
	:: else -> drained = false
	fi
}

inline shut_it()
{
	has_shut = false;
	waits = waits || me == 1;
	if
	:: !IS_CLAIMED -> try()
	:: else
	fi;
	wait_for_gate();
	atomic { has = has || me == 1; waits = waits && me != 1 };
	drain();
	atomic { alone++; assert(alone == 1 && working == 0) };
	alone--;
	has_shut = false;
	drained = false;
	has = has && me != 1;
	shut = false
}

proctype origin(byte me)
{
	bool is_own, enters, has_shut, has_claim, drained;

	do
#ifndef LIVE
	:: enter();
	   if
	   :: enters ->
		atomic { working++; assert(alone == 0) };
		working--;
		leave()
	   :: else -> shut_it()
	   fi;
	   enters = false
#endif
	:: shut_it()
	od
}

#ifdef LIVE
ltl turn { [] (waits -> <> has) }
#endif

init
{
	atomic { run origin(0); run origin(1) }
}
