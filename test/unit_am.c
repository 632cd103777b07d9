/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_am.c - active messages between two processes: records are executed
 * once, in the order of their link, and travel together; a flush is one round
 * trip, none if there is nothing to flush; credit runs out on both sides
 * without a deadlock; answers reach the slots that they are for; records may
 * grow, and messages be forgotten.
 */
#include "am.h"
#include "links.h"

static void test_order(void)
{
	struct partner partner = begin(1);
	struct report report;
	uint64_t i, sent;

	for (i = 0; i < 10000; i++)
		write_step(0, ORL_AM_PUT, i);
	check(!orl_am_flush(&links[0]));
	sent = counts().sent;
	/* 240000 bytes, in messages of 16 KiB or a little less. */
	check(sent >= 15 && sent < 20);
	report = ask_report(&partner);
	check(report.executed == 10000 && !report.disorder);
	check(!report.dropped);
	end(&partner);
}

/* So many messages each way since then, and no more. */
static bool is_more(struct orl_am_counts was, uint64_t messages)
{
	struct orl_am_counts now = counts();

	return now.sent == was.sent + messages &&
	       now.received == was.received + messages;
}

static bool is_one_round_trip(uint64_t number)
{
	struct orl_am_counts was = counts();
	uint64_t answer;
	bool good;

	write_step(0, ORL_AM_PUT, number);
	check(!orl_am_flush(&links[0]));
	good = is_more(was, 1);
	/* Nothing to flush. */
	check(!orl_am_flush(&links[0]));
	check(!orl_am_finish(&links[0]));
	good &= is_more(was, 1);
	/* What is answered anyway. */
	ask_step(0, ORL_AM_GET, 8, orl_am_copy_answer, &answer);
	check(!orl_am_flush(&links[0]));
	return good && is_more(was, 2);
}

static void test_round_trip(void)
{
	struct partner partner = begin(1);
	uint64_t i;
	int good = 0;

	for (i = 0; i < 100; i++)
		good += is_one_round_trip(i);
	/* Where one took very long, the partner was asked for a sign. */
	check(good > 50);
	check(ask_report(&partner).executed == 100);
	end(&partner);
}

/* Answered with no bytes, if at all; leaves the lock held. */
static struct step *begin_end(void)
{
	struct step *step = begin_step(0, ORL_AM_GET, 0);

	check(step != NULL);
	orl_am_may_end(&links[0], &step->slot);
	return step;
}

/* A record that can tell the end itself is all that a flush sends; one with
 * another behind it does not. */
static void test_end(void)
{
	const size_t bytes = sizeof(struct orl_am_head) + sizeof(struct step);
	struct partner partner = begin(1);
	struct step *step;

	for (int i = 0; i < 100; i++) {
		step = begin_end();
		orl_am_flush_begin(&links[0]);
		/* Whoever takes it from the spare ones writes it anew. */
		check(step->slot && links[0].answers == 1);
		check(links[0].peer->bytes == bytes);
		orl_progress_unlock();
		check(!orl_am_flush(&links[0]));
	}
	step = begin_end();
	orl_progress_unlock();
	write_step(0, ORL_AM_PUT, 0);
	check(!step->slot);
	check(!orl_am_flush(&links[0]));
	check(ask_report(&partner).executed == 1);
	end(&partner);
}

static unsigned char large[ORL_AM_BYTES];

/* What makes a message longer than most are goes alone: neither do those before
 * wait for it nor those behind fill it up.  Not with all libraries. */
static void test_long_record(void)
{
	struct partner partner = begin(1);
	size_t most = orl_am_most();
	struct orl_record *blob;
	uint64_t sent;

	write_step(0, ORL_AM_PUT, 0);
	sent = counts().sent;
	orl_progress_lock();
	blob = orl_am_record(&links[0], ORL_AM_POST, most);
	check(blob != NULL);
	memset(blob + 1, 7, most - sizeof(*blob));
	check(orl_am_counts.sent == sent + 1);
	check(most <= ORL_AM_FULL || !orl_am_room(&links[0]));
	orl_progress_unlock();
	write_step(0, ORL_AM_PUT, 1);
	check(!orl_am_flush(&links[0]));
	memset(large, 7, sizeof(large));
	check(ask_report(&partner).hash == hash(large, most - sizeof(*blob)));
	check(ask_report(&partner).executed == 2);
	check(!ask_report(&partner).disorder);
	end(&partner);
}

/* The other one has nothing to say but that it has received. */
static void test_one_way(void)
{
	struct partner partner = begin(1);

	send_many(MOST);
	check(!orl_am_flush(&links[0]));
	check(ask_report(&partner).executed == MOST);
	end(&partner);
}

static void test_credit(void)
{
	struct partner partner = begin(1);
	char done;

	tell(&partner, "m", 1);
	send_many(MOST);
	check(!orl_am_flush(&links[0]));
	hear(&partner, &done, 1);
	check(ask_report(&partner).executed == MOST);
	check(report_here().executed == MOST);
	check(!ask_report(&partner).disorder && !report_here().disorder);
	end(&partner);
}

static bool are_idle(void *arg)
{
	int i;

	for (i = 0; i < LINKS; i++)
		if (!orl_am_is_idle(&links[i]))
			return false;
	return true;
}

/* More at once than there is credit for, and nothing that waits. */
static void test_flush_begin(void)
{
	struct partner partner = begin(LINKS);
	struct report report;
	uint64_t round;
	int i;

	for (round = 0; round < 5; round++) {
		for (i = 0; i < LINKS; i++)
			write_step(i, ORL_AM_PUT, round);
		orl_progress_lock();
		for (i = 0; i < LINKS; i++)
			orl_am_flush_begin(&links[i]);
		orl_progress_unlock();
		orl_wait(&orl_am_bell, ORL_BELL_ALL, are_idle, NULL);
	}
	report = ask_report(&partner);
	check(report.executed == 5 * LINKS && !report.disorder);
	end(&partner);
}

static void get(int link, size_t len)
{
	unsigned char answer[ORL_AM_BYTES];
	size_t i;

	memset(answer, 0, sizeof(answer));
	ask_step(link, ORL_AM_GET, len, orl_am_copy_answer, answer);
	check(!orl_am_finish(&links[link]));
	for (i = 0; i < len; i++)
		check(answer[i] == byte_of(i, (uint32_t)link));
	check(!answer[len]);
}

static void test_answers(void)
{
	static unsigned char answers[2000][8];
	struct partner partner = begin(2);
	size_t i;

	for (i = 0; i < 100; i++)
		get(i % 2, i);
	get(0, orl_am_most() - 16);
	for (i = 0; i < 2000; i++)
		ask_step(1, ORL_AM_GET, i % 8, orl_am_copy_answer, answers[i]);
	check(!orl_am_flush(&links[1]));
	for (i = 0; i < 2000; i++)
		check(i % 8 < 1 ||
		      answers[i][i % 8 - 1] == byte_of(i % 8 - 1, 1));
	check(!links[0].answers && !links[1].answers);
	end(&partner);
}

/* -- messages that are forgotten ------------------------------------------- */

static void test_discard(void)
{
	struct partner partner = begin(1);

	ask_step(0, ORL_AM_GET, 8, miss, &missed);
	write_step(0, ORL_AM_PUT, 0);
	orl_progress_lock();
	orl_am_discard(&links[0]);
	orl_progress_unlock();
	check(missed == 1 && orl_am_is_idle(&links[0]));
	check(!orl_am_flush(&links[0]) && !counts().sent);
	send_step(0, ORL_AM_PUT, 0);
	write_step(0, ORL_AM_PUT, 99);
	orl_progress_lock();
	orl_am_discard(&links[0]);
	orl_progress_unlock();
	check(!orl_am_flush(&links[0]) && counts().sent == 2);
	ask_step(0, ORL_AM_GET, 8, miss, &missed);
	orl_progress_lock();
	orl_am_link_close(&links[0]);
	orl_progress_unlock();
	check(missed == 2 && !links[0].id);
	check(ask_report(&partner).executed == 1);
	end(&partner);
}

/* -- all ------------------------------------------------------------------- */

static const struct process_case cases[] = {
	{ "order", test_order },
	{ "round trip", test_round_trip },
	{ "end", test_end },
	{ "long record", test_long_record },
	{ "one way", test_one_way },
	{ "credit", test_credit },
	{ "flush of many", test_flush_begin },
	{ "answers", test_answers },
	{ "discard", test_discard },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_links(cases, argc > 1 ? argv[1] : NULL);
}
