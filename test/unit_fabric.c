/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: between two processes reads and writes of any size are complete when
 * they are done, messages come whole and in their order whatever the provider
 * has room for, and behind writes ahead of them, and who sleeps is woken by
 * what comes, and by nothing else.
 */
#include "fabric_pair.h"

#include <poll.h>
#include <sys/resource.h>

/* -- reads and writes ------------------------------------------------------ */

static void transfers(void)
{
	static const unsigned char constant[10000] = { 1, 2, 3 };
	static const size_t sizes[] = { 1,     7,      8,	64,
					65,    192,    4096,	16384,
					16385, 100001, 1 << 20, 4 << 20 };
	unsigned char *src = malloc(AREA), *dst = malloc(AREA);
	struct card card;
	uint64_t peer;
	struct partner partner = start_server(&card, &peer);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t len = sizes[i], at = 3 * i;

		fill(src, AREA, i + 1);
		check(!write_to(peer, &card, at, src, len));
		check(!memcmp(shared->area + at, src, len));
		check(!shared->area[at + len]);
		check(!read_from(peer, &card, at, dst, len));
		check(!memcmp(dst, src, len));
		memset(shared->area, 0, AREA);
	}
	check(write_to(peer, &card, 0, src, 0) == -EMSGSIZE);
	check(read_from(peer, &card, 0, dst, orl_fabric.transfer_most + 1) ==
	      -EMSGSIZE);
	check(send_to(peer, src, 0) == -EMSGSIZE);
	check(send_to(peer, src, orl_fabric.message_most + 1) == -EMSGSIZE);
	/* Devices want to write to what they read from. */
	check(!write_to(peer, &card, 8, constant, sizeof(constant)));
	check(!memcmp(shared->area + 8, constant, sizeof(constant)));
	end_server(&partner);
}

#define MANY 5000

/* More at once than any provider has room for. */
static void many_transfers(void)
{
	struct request *requests = malloc(MANY * sizeof(*requests));
	unsigned char *src = malloc(AREA), *dst = malloc(AREA);
	struct card card;
	uint64_t peer;
	struct partner partner = start_server(&card, &peer);
	size_t len = 1600;

	fill(src, AREA, 5);
	for (size_t i = 0; i < MANY; i++) {
		prepare(&requests[i]);
		orl_fabric_write(&requests[i].op, peer, card.base + i * len,
				 card.key, src + i * len, len);
	}
	for (size_t i = 0; i < MANY; i++)
		check(!wait_for(&requests[i]));
	check(!memcmp(shared->area, src, MANY * len));
	for (size_t i = 0; i < MANY; i++) {
		prepare(&requests[i]);
		orl_fabric_read(&requests[i].op, peer, card.base + i * len,
				card.key, dst + i * len, len);
	}
	for (size_t i = 0; i < MANY; i++)
		check(!wait_for(&requests[i]));
	check(!memcmp(dst, src, MANY * len));
	end_server(&partner);
}

/* One registration for whatever memory there is. */
static void any_memory(void)
{
	unsigned char *src = malloc(AREA);
	struct card card;
	struct partner partner;
	uint64_t peer;

	make_shared();
	fill(src, AREA, 8);
	partner = partner_start(serve);
	open_fabric(count_message);
	peer = meet_by_card(&partner, &card);
	if (orl_fabric.any_memory) {
		struct orl_mr all;

		check(!orl_mr_open(NULL, SIZE_MAX, &all) && !all.base);
		check(all.key != mr.key);
		orl_mr_close(&all);
	}
	check(!write_to(peer, &card, 0, src, 5000));
	end_server(&partner);
}

/* -- messages -------------------------------------------------------------- */

#define MESSAGES 6000

static uint64_t expected;

static size_t length_of(uint64_t number)
{
	uint64_t state = number;
	uint64_t kind = next_random(&state);
	size_t most = kind % 4 ? 256 : orl_fabric.message_most;

	return 8 + kind / 4 % (most / 8) * 8;
}

/* Each tells its number, at both ends. */
static void expect_next(const void *message, size_t len)
{
	const uint64_t *words = message;

	check(!((uintptr_t)message % 8));
	check(len == length_of(expected));
	check(words[0] == expected && words[len / 8 - 1] == expected);
	expected++;
}

static void flood(struct partner *partner)
{
	struct request *requests = malloc(MESSAGES * sizeof(*requests));
	uint64_t *words[MESSAGES], peer;
	struct card card;
	size_t done = 0;

	open_fabric(expect_next);
	peer = meet_by_card(partner, &card);
	for (size_t i = 0; i < MESSAGES; i++) {
		size_t len = length_of(i);

		words[i] = malloc(len);
		words[i][0] = words[i][len / 8 - 1] = i;
		prepare(&requests[i]);
		orl_fabric_send(&requests[i].op, peer, words[i], len);
		check(!requests[i].done);
		if (!(i % 100))
			make_progress();
	}
	while (expected < MESSAGES || done < MESSAGES) {
		make_progress();
		for (; done < MESSAGES && requests[done].done; done++) {
			check(!requests[done].error);
			free(words[done]);
		}
	}
	meet_at_work(partner);
	close_fabric();
}

static void messages(void)
{
	struct partner partner;

	make_shared();
	partner = partner_start(flood);
	flood(&partner);
	partner_end(&partner);
}

/* Blocks of more than a socket takes at once. */
#define AHEAD	    60
#define AHEAD_BYTES ((size_t)3 << 20)

/* The number in a message is that of the data which are here before it. */
static void expect_data(const void *message, size_t len)
{
	uint64_t number = *(const uint64_t *)message;
	const unsigned char *block = shared->area + number % 2 * AHEAD_BYTES;

	check(number == (uint64_t)received);
	for (size_t i = 0; i < AHEAD_BYTES; i += 61)
		check(block[i] == number);
	check(block[AHEAD_BYTES - 1] == number);
	received++;
}

static void watch_data(struct partner *partner)
{
	struct card card;

	open_fabric(expect_data);
	meet_by_card(partner, &card);
	while (received < AHEAD)
		make_progress();
	meet_at_work(partner);
	close_fabric();
}

/* Each block has been looked at when it is written again. */
static void write_ahead(struct partner *partner, uint64_t peer,
			const struct card *card)
{
	unsigned char *src = malloc(2 * AHEAD_BYTES);
	struct request writes[2];

	for (uint64_t i = 0; i < AHEAD; i++) {
		size_t at = i % 2 * AHEAD_BYTES;

		memset(src + at, (int)i, AHEAD_BYTES);
		prepare(&writes[i % 2]);
		orl_fabric_write_ahead(&writes[i % 2].op, peer, card->base + at,
				       card->key, src + at, AHEAD_BYTES);
		check(!send_to(peer, &i, 8));
		check(!wait_for(&writes[i % 2]));
		/* This has been executed when it ends, and so has what was
		 * sent before. */
		check(!write_to(peer, card, AREA - 8, &i, 8));
	}
	meet_at_work(partner);
	free(src);
}

static void ahead(void)
{
	struct partner partner;
	struct card card;
	uint64_t peer;

	make_shared();
	partner = partner_start(watch_data);
	open_fabric(count_message);
	peer = meet_by_card(&partner, &card);
	if (orl_fabric.in_order) {
		write_ahead(&partner, peer, &card);
		partner_end(&partner);
	} else {
		reap(&partner);
	}
	close_fabric();
}

/* What was sent before closing arrives. */
static void send_and_close(struct partner *partner)
{
	struct request requests[100];
	uint64_t words[100], peer;
	struct card card;

	open_fabric(count_message);
	peer = meet_by_card(partner, &card);
	for (uint64_t i = 0; i < 100; i++) {
		words[i] = i;
		prepare(&requests[i]);
		orl_fabric_send(&requests[i].op, peer, &words[i], 8);
	}
	close_fabric();
	for (int i = 0; i < 100; i++)
		check(requests[i].done && !requests[i].error);
}

static void closing(void)
{
	struct partner partner;
	struct card card;

	make_shared();
	partner = partner_start(send_and_close);
	open_fabric(count_message);
	meet_by_card(&partner, &card);
	while (received < 100)
		make_progress();
	partner_end(&partner);
	close_fabric();
}

/* -- sleeping -------------------------------------------------------------- */

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int vain;

/* Until there is something to sleep on; true if something came meanwhile. */
static bool wait_for_fds(struct pollfd *fds, int *n, int timeout_ms)
{
	for (; !(*n = orl_fabric_fds(fds, ORL_FABRIC_FDS)) && timeout_ms > 0;
	     timeout_ms--) {
		if (orl_fabric_poll())
			return true;
		usleep(1000);
	}
	return false;
}

/*
 * One step of who has nothing to do but to serve: asleep, if it may.  False
 * if nothing came.
 */
static bool doze(int timeout_ms)
{
	struct pollfd fds[ORL_FABRIC_FDS];
	bool any;
	int n;

	if (wait_for_fds(fds, &n, timeout_ms))
		return true;
	if (orl_fabric_may_sleep() && !poll(fds, (nfds_t)n, n ? timeout_ms : 0))
		return false;
	any = orl_fabric_poll();
	vain += !any;
	return true;
}

static void sleep_for_messages(struct partner *partner)
{
	struct card card;
	uint64_t peer, word = 1;
	double before;

	open_fabric(count_message);
	peer = meet_by_card(partner, &card);
	/* First contact finds it asleep, too. */
	for (int i = 1; i <= 100; i++) {
		while (received < i)
			check(doze(60000));
		check(!send_to(peer, &word, 8));
	}
	before = cpu_seconds();
	vain = 0;
	while (doze(1000))
		check(vain < 100);
	check(cpu_seconds() - before < 0.5);
	close_fabric();
}

static void sleeping(void)
{
	struct partner partner;
	struct card card;
	uint64_t peer, word = 1;

	make_shared();
	partner = partner_start(sleep_for_messages);
	open_fabric(count_message);
	peer = meet_by_card(&partner, &card);
	for (int i = 1; i <= 100; i++) {
		check(!send_to(peer, &word, 8));
		while (received < i)
			make_progress();
	}
	partner_end(&partner);
	close_fabric();
}

/* Long enough for a full socket to get room again. */
#define DRAIN_US 2000

static void await_fds(void)
{
	struct pollfd fds[ORL_FABRIC_FDS];

	for (int i = 0; i < 1000 && !orl_fabric_fds(fds, ORL_FABRIC_FDS); i++) {
		orl_fabric_poll();
		usleep(1000);
	}
}

static void sleep_while_read(struct partner *partner)
{
	struct card card;

	open_fabric(count_message);
	meet_by_card(partner, &card);
	while (!received)
		make_progress();
	await_fds();
	meet(partner);
	while (received < 2) {
		check(doze(60000));
		usleep(DRAIN_US);
	}
	close_fabric();
}

#define READS	   8
#define READ_BYTES ((size_t)4 << 20)

/* More than a socket takes at once: the rest goes when there is room, though
 * nobody sends anything that would wake. */
static void read_from_sleeper(void)
{
	struct request requests[READS];
	unsigned char *dst = malloc(READ_BYTES);
	struct partner partner;
	struct card card;
	uint64_t peer, word = 1;

	make_shared();
	fill(shared->area, AREA, 9);
	partner = partner_start(sleep_while_read);
	open_fabric(count_message);
	peer = meet_by_card(&partner, &card);
	check(!send_to(peer, &word, 8));
	meet(&partner);
	for (int i = 0; i < READS; i++) {
		prepare(&requests[i]);
		orl_fabric_read(&requests[i].op, peer, card.base, card.key, dst,
				READ_BYTES);
	}
	for (int i = 0; i < READS; i++)
		check(!wait_for(&requests[i]));
	check(!memcmp(dst, shared->area, READ_BYTES));
	check(!send_to(peer, &word, 8));
	partner_end(&partner);
	close_fabric();
}

/* -- nudges ---------------------------------------------------------------- */

static void await_nudge(struct partner *partner)
{
	struct pollfd item = { .events = POLLIN };
	struct card card;

	open_fabric(count_message);
	meet_by_card(partner, &card);
	item.fd = orl_fabric_nudge_fd();
	check(item.fd < 0 || !poll(&item, 1, 0));
	meet(partner);
	if (item.fd >= 0) {
		check(poll(&item, 1, 60000) == 1);
		orl_fabric_nudge_take();
		check(!poll(&item, 1, 0));
	}
	close_fabric();
	check(orl_fabric_nudge_fd() < 0);
}

static void nudging(void)
{
	struct partner partner;
	struct card card;
	uint64_t peer;

	make_shared();
	partner = partner_start(await_nudge);
	open_fabric(count_message);
	peer = meet_by_card(&partner, &card);
	if (orl_fabric_nudge_fd() < 0)
		fprintf(stderr, "%s: no nudges, or somebody has the port\n",
			orl_fabric.provider);
	meet(&partner);
	orl_fabric_nudge(peer);
	partner_end(&partner);
	close_fabric();
}

/* -- all of it, by provider ------------------------------------------------ */

static const struct process_case cases[] = {
	{ "transfers", transfers },
	{ "many transfers", many_transfers },
	{ "any memory", any_memory },
	{ "messages", messages },
	{ "writes ahead", ahead },
	{ "closing", closing },
	{ "sleeping", sleeping },
	{ "read from a sleeper", read_from_sleeper },
	{ "nudging", nudging },
	{ NULL, NULL },
};

/* Any provider may be named. */
int main(int argc, char **argv)
{
	int status = run_on_tcp(cases);

	if (status != 77)
		status |= run_on("shm", cases);
	if (argc > 1)
		status |= run_on(argv[1], cases);
	return status;
}
