/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * credit.pml - requests and answers between two processes that flood each
 * other.  Stands for
 *
 *	request()	orl_am_send and orl_am_flush_begin with
 *			orl_am_message_request (has_credit, use_credit)
 *	deliver()	orl_am_deliver: take_credit, take_flags, the parking of
 *			parked.c, orl_am_answers_send_all with tell,
 *			orl_am_message_pump
 *
 * of src/am.  Each process sends REQUESTS requests by each of two links, in
 * any order, of which the last of each asks for an answer; with credit, or, as
 * a flush does, to wait in the peer's queue.  What comes by the first link is
 * parked there until all that the second link brings has come: it waits for
 * a lock that is given back by that.  Credit counts modulo COUNTS.
 *
 * Checked: no more than WINDOW requests are on the way; no credit is refused;
 * everything is executed and answered at the end.
 *
 *	safe
 *	assertion -DNO_BOUND	what waits for credit is sent whether or not
 *				there is some
 *	deadlock -DNO_TELL	of what has come the answers alone tell
 *	deadlock -DTELL_LATE	or messages when more has come than the window
 *	deadlock -DEXECUTED	credit is for what was executed
 *	deadlock -DNO_PUMP	what has waited for credit is not sent
 */
#ifndef REQUESTS
#define REQUESTS 2
#endif
#define WINDOW 2
#ifdef TELL_LATE
#define UNTOLD (WINDOW + 1)
#else
#define UNTOLD 1
#endif
#define COUNTS 4 /* 2^16 in C */
#define LINKS  2

mtype = { REQUEST, ANSWER, TELL };

/* To each process: what, its credit, the link, whether it asks. */
chan wire[2] = [8] of { mtype, byte, byte, bool };

/* What each process knows of its peer; all but waiting modulo COUNTS. */
typedef peer {
	byte sent, credited, received, told;
	byte waiting; /* in the queue below */
};
peer PEER[2];
chan queue[2] = [4] of { byte, bool };
byte asked[2], answered[2];	/* by process: of its requests */
byte arrived[2], parked[2];	/* by the second link; of the first */
byte parked_asks[2], executed[2];
byte under_way[2];		/* requests that were sent and have not come */
byte ended;

#define SINCE(a, b) ((a + COUNTS - b) % COUNTS)
#define IS_WITHIN(p) (SINCE(PEER[p].sent, PEER[p].credited) < WINDOW)
#define HAS_CREDIT(p) (PEER[p].waiting == 0 && IS_WITHIN(p))

/* orl_am_message_send: whatever is sent tells what has come. */
inline send(p, what, link, asks)
{
	PEER[p].told = PEER[p].received;
	wire[1 - p]!what, PEER[p].received, link, asks
}

inline use_credit(p, link, asks)
{
	PEER[p].sent = (PEER[p].sent + 1) % COUNTS;
	under_way[p]++;
	assert(under_way[p] <= WINDOW);
	send(p, REQUEST, link, asks)
}

/* Waits for credit, or leaves it in the queue. */
inline request(link, asks)
{
	if
	:: atomic { HAS_CREDIT(me) -> use_credit(me, link, asks) }
	:: atomic {
		!HAS_CREDIT(me) -> queue[me]!link, asks; PEER[me].waiting++
	   }
	fi
}

#ifdef NO_BOUND
#define MAY_PUMP(p) (PEER[p].waiting > 0)
#else
#define MAY_PUMP(p) (PEER[p].waiting > 0 && IS_WITHIN(p))
#endif

inline pump(p)
{
	do
	:: MAY_PUMP(p) ->
		queue[p]?link, asks;
		PEER[p].waiting--;
		use_credit(p, link, asks)
	:: else -> break
	od
}

inline receive(n)
{
	PEER[me].received = (PEER[me].received + n) % COUNTS
}

/* Executes it; its answer may go with others, or be sent at once. */
inline execute(with)
{
	executed[me]++;
	if
	:: with -> send(me, ANSWER, 0, false)
	:: else
	fi
}

inline serve()
{
#ifndef EXECUTED
	receive(1);
#endif
	if
	:: link == 0 && arrived[me] < REQUESTS ->
		parked[me]++;
		parked_asks[me] = parked_asks[me] + asks
	:: else ->
#ifdef EXECUTED
		receive(1);
#endif
		execute(asks)
	fi;
	if
	:: link == 1 ->
		arrived[me]++;
		if
		:: arrived[me] == REQUESTS ->
			do
			:: parked[me] > 0 ->
				parked[me]--;
#ifdef EXECUTED
				receive(1);
#endif
				execute((parked_asks[me] > 0));
				if
				:: parked_asks[me] > 0 -> parked_asks[me]--
				:: else
				fi
			:: else -> break
			od
		:: else
		fi
	:: else
	fi
}

#ifdef NO_TELL
#define MUST_TELL false
#else
#define MUST_TELL (SINCE(PEER[me].received, PEER[me].told) >= UNTOLD)
#endif

proctype deliver(byte me)
{
	byte credit, link, more;
	bool asks;
	mtype what;

end:	do
	:: atomic {
		wire[me]?what, credit, link, asks ->
		more = SINCE(credit, PEER[me].credited);
		assert(more <= SINCE(PEER[me].sent, PEER[me].credited));
		PEER[me].credited = credit;
		if
		:: what == REQUEST -> under_way[1 - me]--; serve()
		:: what == ANSWER -> answered[me]++
		:: else
		fi;
		if
		:: MUST_TELL -> send(me, TELL, 0, false)
		:: else
		fi;
#ifndef NO_PUMP
		pump(me);
#endif
		credit = 0; link = 0; more = 0; asks = false; what = 0
	   }
	od
}

/* The last asks. */
inline send_next(which)
{
	d_step {
		left[which]--;
		asks = left[which] == 0;
		asked[me] = asked[me] + asks
	};
	request(which, asks)
}

proctype process(byte me)
{
	byte left[LINKS];
	bool asks;

	left[0] = REQUESTS;
	left[1] = REQUESTS;
	do
	:: left[0] > 0 || left[1] > 0 ->
		if
		:: left[0] > 0 -> send_next(0)
		:: left[1] > 0 -> send_next(1)
		fi
	:: else -> break
	od;
	answered[me] == asked[me];
	ended++
}

init
{
	atomic {
		run deliver(0);
		run deliver(1);
		run process(0);
		run process(1)
	}
	ended == 2 && executed[0] == 2 * REQUESTS && executed[1] == 2 * REQUESTS
}
