/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: what is asked of a process that is dead, or has been declared dead,
 * ends with an error, whether or not it was spoken to before; others are not
 * disturbed, and who is merely busy is not taken for dead.
 */
#include "fabric_pair.h"

#include <signal.h>

#define MANY 5000

/* -- peers that die -------------------------------------------------------- */

/* One that was spoken to, one that was not; a third one lives. */
static void killed(void)
{
	struct card card[3];
	uint64_t peer[3], word = 1;
	struct partner partner[3];

	make_shared();
	for (int i = 0; i < 3; i++)
		partner[i] = partner_start(serve);
	open_fabric(count_message);
	for (int i = 0; i < 3; i++)
		peer[i] = meet_by_card(&partner[i], &card[i]);
	check(!write_to(peer[0], &card[0], 0, &word, 8));
	check(!write_to(peer[2], &card[2], 0, &word, 8));
	reap(&partner[0]);
	reap(&partner[1]);
	for (int i = 0; i < 100; i++)
		check(!write_to(peer[2], &card[2], 8, &word, 8));
	/* What is handed to the system before it notices is lost silently. */
	while (!send_to(peer[0], &word, 8))
		;
	while (!send_to(peer[1], &word, 8))
		;
	for (int i = 0; i < 2; i++) {
		check(send_to(peer[i], &word, 8) < 0);
		check(write_to(peer[i], &card[i], 0, &word, 8) < 0);
		check(read_from(peer[i], &card[i], 0, &word, 8) < 0);
	}
	check(!write_to(peer[2], &card[2], 16, &word, 8));
	check(!read_from(peer[2], &card[2], 16, &word, 8));
	end_server(&partner[2]);
}

/* With work under way, in both directions. */
static void killed_at_work(void)
{
	static struct request requests[MANY];
	unsigned char *bytes = malloc(AREA);
	struct card card;
	uint64_t peer;
	struct partner partner = start_server(&card, &peer);
	int failed = 0;

	check(!write_to(peer, &card, 0, bytes, AREA));
	for (size_t i = 0; i < MANY; i++) {
		prepare(&requests[i]);
		if (i % 2)
			orl_fabric_read(&requests[i].op, peer, card.base,
					card.key, bytes, 10000);
		else
			orl_fabric_write(&requests[i].op, peer, card.base,
					 card.key, bytes, 10000);
	}
	make_progress();
	reap(&partner);
	for (size_t i = 0; i < MANY; i++)
		failed += wait_for(&requests[i]) < 0;
	check(failed);
	check(send_to(peer, bytes, 8) < 0);
	close_fabric();
}

/* It is there, but says nothing any more: declared dead. */
static void declared_dead(void)
{
	static struct request requests[MANY];
	unsigned char *bytes = calloc(1, AREA);
	struct card card;
	uint64_t peer;
	struct partner partner = start_server(&card, &peer);
	int failed = 0;

	check(!write_to(peer, &card, 0, bytes, 8));
	check(!kill(partner.pid, SIGSTOP));
	for (size_t i = 0; i < MANY; i++) {
		prepare(&requests[i]);
		orl_fabric_write(&requests[i].op, peer, card.base, card.key,
				 bytes, 10000);
	}
	for (int i = 0; i < 1000; i++)
		make_progress();
	orl_fabric_lose(peer);
	orl_fabric_lose(peer);
	for (size_t i = 0; i < MANY; i++)
		failed += wait_for(&requests[i]) < 0;
	check(failed);
	check(send_to(peer, bytes, 8) == -EHOSTDOWN);
	close_fabric();
	reap(&partner);
}

/* Those who do not answer for seconds are not dead, spoken to or not. */
static void busy(void)
{
	static struct request requests[2][MANY];
	unsigned char *bytes = calloc(1, AREA);
	struct partner partner[2];
	struct card card[2];
	uint64_t peer[2];
	time_t end;

	make_shared();
	for (int i = 0; i < 2; i++)
		partner[i] = partner_start(serve);
	open_fabric(count_message);
	for (int i = 0; i < 2; i++)
		peer[i] = meet_by_card(&partner[i], &card[i]);
	check(!write_to(peer[0], &card[0], 0, bytes, 8));
	for (int i = 0; i < 2; i++)
		check(!kill(partner[i].pid, SIGSTOP));
	for (size_t i = 0; i < MANY; i++) {
		for (int k = 0; k < 2; k++) {
			prepare(&requests[k][i]);
			orl_fabric_write(&requests[k][i].op, peer[k],
					 card[k].base, card[k].key, bytes,
					 10000);
		}
	}
	for (end = time(NULL) + 5; time(NULL) < end;)
		make_progress();
	for (int i = 0; i < 2; i++)
		check(!kill(partner[i].pid, SIGCONT));
	for (size_t i = 0; i < MANY; i++)
		check(!wait_for(&requests[0][i]) && !wait_for(&requests[1][i]));
	shared->stop = 1;
	for (int i = 0; i < 2; i++)
		partner_end(&partner[i]);
	close_fabric();
}

#define READS	   16
#define READ_BYTES AREA

/* A read that has half come when its peer stops.  What was sent by then is
 * taken in, and no more comes. */
static void lost_while_read(void)
{
	struct request requests[READS];
	volatile unsigned char *dst = calloc(1, READ_BYTES);
	struct card card;
	uint64_t peer;
	struct partner partner = start_server(&card, &peer);

	memset(shared->area, 1, AREA);
	for (int i = 0; i < READS; i++) {
		prepare(&requests[i]);
		orl_fabric_read(&requests[i].op, peer, card.base, card.key,
				(void *)dst, READ_BYTES);
	}
	while (!dst[0])
		make_progress();
	check(!kill(partner.pid, SIGSTOP));
	for (int i = 0; i < 1000; i++) {
		make_progress();
		usleep(100);
	}
	check(!requests[READS - 1].done);
	orl_fabric_lose(peer);
	for (int i = 0; i < READS; i++)
		wait_for(&requests[i]);
	check(requests[READS - 1].error);
	close_fabric();
	reap(&partner);
}

static const struct process_case cases[] = {
	{ "killed", killed },
	{ "killed at work", killed_at_work },
	{ "declared dead", declared_dead },
	{ "lost while read", lost_while_read },
	{ "busy", busy },
	{ NULL, NULL },
};

int main(void)
{
	return run_on_tcp(cases);
}
