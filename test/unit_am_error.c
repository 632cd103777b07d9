/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_am_error.c - active messages that meet trouble: errors reach the flush
 * and the slots that they are for; what is parked keeps its order and no one
 * else's; garbage is dropped; a process that is killed, or silent, is lost in
 * time, and others are not; the last words of one that ends are heard.
 */
#include "am.h"
#include "links.h"

static void test_errors(void)
{
	struct partner partner = begin(2);
	uint64_t answer = 0;

	write_step(0, ORL_AM_PUT, 0);
	write_step(0, ORL_AM_ACC, 0);
	write_step(0, ORL_AM_PUT, 1);
	write_step(1, ORL_AM_PUT, 0);
	check(orl_am_flush(&links[0]) == CLASS);
	check(!orl_am_flush(&links[0]) && !orl_am_flush(&links[1]));
	check(ask_report(&partner).executed == 3);
	/* Of two slots, the one whose record failed. */
	ask_step(0, ORL_AM_ACC, 8, miss, &missed);
	ask_step(0, ORL_AM_GET, 8, orl_am_copy_answer, &answer);
	check(orl_am_flush(&links[0]) == CLASS);
	check(missed == 1 && answer);
	/* A type that nobody handles ends its message. */
	ask_step(0, ORL_AM_CAS, 8, miss, &missed);
	ask_step(0, ORL_AM_GET, 8, miss, &missed);
	write_step(0, ORL_AM_PUT, 2);
	check(orl_am_flush(&links[0]) == -EPROTO);
	check(missed == 3 && !links[0].answers);
	/* So does a handler that says that nothing more may be executed. */
	write_step(0, ORL_AM_PULL, 0);
	ask_step(0, ORL_AM_GET, 8, miss, &missed);
	check(orl_am_flush(&links[0]) == -EPERM && missed == 4);
	write_step(0, ORL_AM_PUT, 2);
	check(!orl_am_flush(&links[0]));
	check(ask_report(&partner).executed == 4);
	check(!ask_report(&partner).disorder);
	end(&partner);
}

/* An answer to what was answered long ago, whose place is another's now. */
static void test_late(void)
{
	struct partner partner = begin(2);
	uint64_t first = 0, second = 0;
	struct step *step;
	uint32_t slot;

	step = begin_step(0, ORL_AM_GET, 8);
	slot = step->slot =
		orl_am_slot(&links[0], orl_am_copy_answer, &first, 8);
	orl_progress_unlock();
	check(!orl_am_flush(&links[0]) && first);
	write_step(0, ORL_AM_LOCK, 0);
	ask_step(0, ORL_AM_GET, 8, orl_am_copy_answer, &second);
	orl_progress_lock();
	orl_am_flush_begin(&links[0]);
	orl_progress_unlock();
	step = begin_step(1, ORL_AM_GET, 8);
	step->slot = slot;
	orl_progress_unlock();
	check(!orl_am_flush(&links[1]));
	check(counts().dropped == 1 && !second);
	check(!orl_am_is_idle(&links[0]));
	write_step(1, ORL_AM_UNLOCK, 0);
	check(!orl_am_flush(&links[1]) && !orl_am_flush(&links[0]));
	check(second == first);
	end(&partner);
}

static void test_parked(void)
{
	struct partner partner = begin(2);
	struct report report;
	uint64_t i;

	send_step(0, ORL_AM_LOCK, 0);
	for (i = 1; i < 2000; i++)
		write_step(0, ORL_AM_PUT, i);
	orl_progress_lock();
	orl_am_flush_begin(&links[0]);
	orl_progress_unlock();
	for (i = 0; i < MOST; i++)
		write_step(1, ORL_AM_PUT, i);
	check(!orl_am_flush(&links[1]));
	report = ask_report(&partner);
	check(report.executed == MOST + 1 && report.nparked == 1);
	check(!orl_am_is_idle(&links[0]));
	write_step(1, ORL_AM_UNLOCK, i);
	check(!orl_am_flush(&links[1]));
	check(!orl_am_flush(&links[0]));
	report = ask_report(&partner);
	check(report.executed == MOST + 2 + 1999 && !report.disorder);
	end(&partner);
}

/* Each of which sets the next one free, and some are parked twice. */
static void test_parked_chain(void)
{
	struct partner partner = begin(LINKS);
	struct report report;
	int i, n = LINKS / 2;

	for (i = 1; i < n; i++) {
		write_step(i, ORL_AM_LOCK, 0);
		write_step(i, ORL_AM_PUT, 1);
		if (i % 8 == 0) {
			write_step(i, ORL_AM_UNLOCK, 2);
			send_step(i, ORL_AM_LOCK, 3);
			write_step(i, ORL_AM_PUT, 4);
			send_step(i, ORL_AM_UNLOCK, 5);
		} else {
			send_step(i, ORL_AM_UNLOCK, 2);
		}
	}
	send_step(0, ORL_AM_UNLOCK, 0);
	for (i = 0; i < n; i++)
		check(!orl_am_flush(&links[i]));
	report = ask_report(&partner);
	check(report.executed ==
	      (uint64_t)(1 + 3 * (n - 1) + 3 * ((n - 1) / 8)));
	check(!report.disorder &&
	      report.nparked == (uint64_t)(n - 1 + (n - 1) / 8));
	end(&partner);
}

/* -- garbage --------------------------------------------------------------- */

static bool is_sent;

static void sent(struct orl_fabric_op *op, int error)
{
	check(!error);
	is_sent = true;
}

static bool is_sent_now(void *arg)
{
	return is_sent;
}

static void send_raw(const void *message, size_t len)
{
	struct orl_fabric_op op;

	memset(&op, 0, sizeof(op));
	op.done = sent;
	is_sent = false;
	orl_progress_lock();
	orl_fabric_send(&op, links[0].peer->addr, message, len);
	orl_progress_unlock();
	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_sent_now, NULL);
}

struct raw {
	struct orl_am_head head;
	struct step step[2];
};

static struct raw make_raw(void)
{
	struct raw raw;

	memset(&raw, 0, sizeof(raw));
	raw.head.to = links[0].peer->token;
	raw.head.from = (uint32_t)orl_am_token;
	raw.head.from_up = (uint16_t)(orl_am_token >> 32);
	raw.head.cookie = (uint32_t)links[0].cookie;
	raw.step[0].head.type = ORL_AM_PUT;
	raw.step[0].head.bytes = sizeof(raw.step[0]);
	raw.step[1] = raw.step[0];
	raw.step[1].number = 1;
	return raw;
}

static void test_garbage(void)
{
	struct partner partner = begin(1);
	struct raw raw = make_raw();
	struct report report;

	send_raw(&raw, sizeof(raw));
	raw.head.to++;
	send_raw(&raw, sizeof(raw));
	raw = make_raw();
	raw.head.from++;
	send_raw(&raw, sizeof(raw));
	raw = make_raw();
	raw.head.cookie++;
	send_raw(&raw, sizeof(raw));
	raw = make_raw();
	raw.head.credit = 1; /* more than it has ever sent */
	send_raw(&raw, sizeof(raw));
	raw = make_raw();
	raw.step[1].head.bytes++;    /* the second is good for nothing: */
	send_raw(&raw, sizeof(raw)); /* nor is the first */
	raw.step[1].head.bytes = 7;
	send_raw(&raw, sizeof(raw));
	raw.step[1].head.bytes = UINT32_MAX;
	send_raw(&raw, sizeof(raw));
	send_raw(&raw, sizeof(raw) - 1);
	send_raw(&raw, sizeof(raw.head) - 8);
	send_raw(&raw, 1);
	write_step(0, ORL_AM_PUT, 2);
	check(!orl_am_flush(&links[0]));
	report = ask_report(&partner);
	check(report.executed == 3 && !report.disorder && report.dropped == 10);
	end(&partner);
}

/* -- loss ------------------------------------------------------------------ */

static void reap(struct partner *partner)
{
	check(waitpid(partner->pid, NULL, 0) == partner->pid);
	close(partner->socket);
}

static void check_lost(int link)
{
	check(links[link].peer->error == -EHOSTDOWN && orl_am_losses == 1);
	check(!links[link].answers);
	check(!begin_step(link, ORL_AM_PUT, 0));
	orl_progress_unlock();
	check(orl_am_flush(&links[link]) == -EHOSTDOWN);
}

/* It dies of a record, before it can answer; another one goes on. */
static void test_killed(void)
{
	struct partner partner, other = partner_start(serve);

	partner = partner_start(serve);
	open_here();
	connect_links(&other, &links[1], 1);
	connect_links(&partner, &links[0], 1);
	write_step(0, ORL_AM_PUT, 0);
	write_step(1, ORL_AM_PUT, 0);
	check(!orl_am_flush(&links[0]) && !orl_am_flush(&links[1]));
	ask_step(0, ORL_AM_FOP, 8, miss, &missed);
	check(orl_am_flush(&links[0]) == -EHOSTDOWN);
	check(missed == 1);
	check_lost(0);
	write_step(1, ORL_AM_PUT, 1);
	check(!orl_am_flush(&links[1]));
	reap(&partner);
	end(&other);
}

/* It is gone when it is next spoken to, with more than there is credit for. */
static void test_gone(void)
{
	struct partner partner = begin(1);
	int i;

	write_step(0, ORL_AM_PUT, 0);
	check(!orl_am_flush(&links[0]));
	kill(partner.pid, SIGKILL);
	reap(&partner);
	for (i = 0; i < MOST && begin_step(0, ORL_AM_PUT, 0); i++) {
		orl_am_send(&links[0]);
		orl_progress_unlock();
	}
	if (i < MOST)
		orl_progress_unlock();
	check(orl_am_flush(&links[0]) == -EHOSTDOWN);
	check_lost(0);
	orl_am_close();
}

/* It is there, but says nothing, for longer than it may. */
static void test_silent(void)
{
	struct partner partner = begin(1);

	write_step(0, ORL_AM_PUT, 0);
	check(!orl_am_flush(&links[0]));
	kill(partner.pid, SIGSTOP);
	check(waitpid(partner.pid, NULL, WUNTRACED) == partner.pid);
	orl_options.timeout = 1;
	write_step(0, ORL_AM_PUT, 1);
	check(orl_am_flush(&links[0]) == -EHOSTDOWN);
	check_lost(0);
	kill(partner.pid, SIGKILL);
	reap(&partner);
	orl_am_close();
}

/* -- the end --------------------------------------------------------------- */

static void leave_at_once(struct partner *partner)
{
	int i;

	open_here();
	connect_links(partner, links, 1);
	for (i = 0; i < MOST; i++)
		write_step(0, ORL_AM_PUT, (uint64_t)i);
	send_step(0, ORL_AM_PUT, (uint64_t)i);
	orl_am_close();
	_exit(0);
}

static bool is_all_here(void *arg)
{
	return __atomic_load_n(&box.executed, __ATOMIC_RELAXED) == MOST + 1;
}

static void test_last_words(void)
{
	struct partner partner = partner_start(leave_at_once);
	uint64_t sent;

	open_here();
	connect_links(&partner, links, 1);
	partner_end(&partner);
	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_all_here, NULL);
	check(!box.disorder);
	check(links[0].peer->has_left);
	/* There is nobody to be spoken to. */
	sent = counts().sent;
	orl_am_close();
	check(counts().sent == sent);
}

/* -- all ------------------------------------------------------------------- */

static const struct process_case cases[] = {
	{ "errors", test_errors },
	{ "late", test_late },
	{ "parked", test_parked },
	{ "parked chain", test_parked_chain },
	{ "garbage", test_garbage },
	{ "killed", test_killed },
	{ "gone", test_gone },
	{ "silent", test_silent },
	{ "last words", test_last_words },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_links(cases, argc > 1 ? argv[1] : NULL);
}
