/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.pml - the table of the attached memory of a dynamic window, which
 * origins of the node search while the owner changes it.  Stands for
 * win/dynamic.c:
 *
 *	owner()		grow, insert, extract, begin_change, end_change
 *	origin()	orl_regions_find: search_once, covers, is_unchanged
 *
 * A table that is given back is overwritten with what is no region.  The owner
 * has one region attached from the beginning to the end, and attaches another
 * before it in the table, for which the table has no room, so that it grows;
 * and detaches it; ROUNDS times.  An origin looks for one of the two.  Its plain stores between the two
 * increments may be seen in any order (they are relaxed); so each round
 * chooses one of two orders.
 *
 * Checked: the origin finds the one region whenever it looks, the other while
 * it is attached all the time, not while it is detached all the time; no
 * index is beyond its table; everybody comes to an end.
 *
 *	safe
 *	assertion -DNO_LAST	does not look whether the table has changed
 *				since the search began
 *	assertion -DNO_FIRST	nor whether address and count belong together
 *	assertion -DODD		searches while the owner changes it
 *	assertion -DNO_BEGIN	the owner counts once, after the change
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define TABLES 2 /* the one in use and one that is given back */
#define ROOM   2 /* of the second; the first has 1 */
#define NOTHING 9

typedef table {
	byte addr[ROOM];
};
table TABLE[TABLES];
byte seq, nregions, regions; /* the control block: which table */
bool attached;		     /* the other, 1; the one that stays is 2 */
byte changes;		     /* of that, begun and ended */
byte ended;

#define ROOM_OF(t) (1 + t)

inline begin_change()
{
#ifdef NO_BEGIN
	skip
#else
	seq++
#endif
}

inline end_change()
{
#ifdef NO_BEGIN
	seq = seq + 2
#else
	seq++
#endif
}

/* Into a larger table; the old one is given back, and used for other things. */
inline grow()
{
	TABLE[1].addr[0] = TABLE[0].addr[0];
	begin_change();
	regions = 1;
	end_change();
	TABLE[0].addr[0] = NOTHING
}

/* Back to the first, as after a new beginning: to have grow() again. */
inline shrink()
{
	TABLE[0].addr[0] = TABLE[1].addr[0];
	begin_change();
	regions = 0;
	end_change();
	TABLE[1].addr[0] = NOTHING;
	TABLE[1].addr[1] = NOTHING
}

inline insert()
{
	changes++;
	begin_change();
	if
	:: nregions = 2; TABLE[1].addr[1] = 2; TABLE[1].addr[0] = 1
	:: TABLE[1].addr[1] = 2; TABLE[1].addr[0] = 1; nregions = 2
	:: TABLE[1].addr[0] = 1; nregions = 2; TABLE[1].addr[1] = 2
	fi;
	end_change();
	atomic { attached = true; changes++ }
}

inline extract()
{
	changes++;
	begin_change();
	if
	:: nregions = 1; TABLE[1].addr[0] = 2
	:: TABLE[1].addr[0] = 2; nregions = 1
	fi;
	end_change();
	atomic { attached = false; changes++ }
}

proctype owner()
{
	byte round;

	do
	:: round < ROUNDS ->
		round++;
		grow();
		insert();
		extract();
		shrink()
	:: else -> break
	od;
	ended++
}

/* search_once; is_done: false if it is to be searched again. */
inline search_once()
{
	is_done = false;
	s = seq;
	if
#ifndef ODD
	:: s % 2 == 1
#endif
	:: else ->
		n = nregions;
		t = regions;
		if
#ifndef NO_FIRST
		:: seq != s
#endif
		:: else ->
			i = 0;
			found = false;
			do
			:: i < n && !found ->
				assert(i < ROOM_OF(t));
				found = TABLE[t].addr[i] == want;
				i++
			:: else -> break
			od;
#ifdef NO_LAST
			is_done = true
#else
			is_done = seq == s
#endif
		fi
	fi
}

proctype origin(byte want)
{
	byte s, n, t, i, was, round;
	bool is_done, found, held;

	do
	:: round < ROUNDS ->
		round++;
		d_step { was = changes; held = attached };
		do
		:: search_once();
		   if
		   :: is_done -> break
		   :: else -> seq % 2 == 0
		   fi
		od;
		atomic {
			assert(want != 2 || found);
			assert(want != 1 || changes != was || was % 2 == 1 ||
			       found == held);
			s = 0; n = 0; t = 0; i = 0; was = 0;
			found = false; held = false
		}
	:: else -> break
	od;
	ended++
}

init
{
	atomic {
		TABLE[0].addr[0] = 2;
		nregions = 1;
		run owner();
		if
		:: run origin(1)
		:: run origin(2)
		fi
	}
	ended == 2
}
