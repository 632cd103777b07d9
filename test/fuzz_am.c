/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_am.c - whatever bytes come as messages, and in whatever order with
 * what this process does itself, src/am reads nothing outside of them, and
 * in the end no slot is left, and none was answered twice.  Puts and gets are
 * src/path's own, which look no more often than there are bytes to move, and
 * accumulates atomics/'s: none of them touches a byte outside of the window.
 *
 * By itself the program runs so many inputs, the same in each run:
 *
 *	fuzz_am [inputs [seed]]
 *
 * and a fuzzer that brings its own main finds LLVMFuzzerTestOneInput if the
 * file is compiled with -DORL_FUZZER.
 */
#include "am.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "orl_acc.h"

#include "fuzz_input.h"
#include "nowhere.h"
#include "process.h"

#define INPUTS	 4000
#define LINKS	 4
#define PARKED	 16
#define MOST	 (ORL_AM_BYTES + 64)
#define ELEMENTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is a row of actions: a byte that says which, and what it needs. */
struct input {
	const uint8_t *at;
	size_t left;
};

static uint64_t take(struct input *input, size_t bytes)
{
	uint64_t value = 0;

	if (bytes > input->left)
		bytes = input->left;
	memcpy(&value, input->at, bytes);
	input->at += bytes;
	input->left -= bytes;
	return value;
}

/* -- this process ---------------------------------------------------------- */

static struct orl_am_peer *peer;
static struct orl_link links[LINKS];
static uint32_t last_slot, last_serial;
static size_t last_len;
static uint64_t cookie;
static struct orl_am_parked *parked[PARKED];
static long awaited; /* answers, by our own count */

static void answered(struct orl_link *link, void *dst, const void *data,
		     size_t len)
{
	uint8_t room[ELEMENTS * 8];

	check(link->peer && dst == link && len <= sizeof(room));
	if (data)
		memcpy(room, data, len);
	awaited--;
}

/* Any byte of it decides what is done with it. */
static int serve(const struct orl_am_source *source,
		 const struct orl_record *record)
{
	const uint8_t *bytes = (const uint8_t *)record;
	uint32_t i, sum = 0, number = 0;
	uint8_t *answer;

	check(source->object == &cookie && source->peer);
	for (i = 0; i < record->bytes; i++)
		sum += bytes[i];
	if (record->bytes >= 12)
		memcpy(&number, bytes + 8, 4);
	switch (record->a % 8) {
	case 0:
		answer = orl_am_answer(source->peer, number, sum % 20000);
		if (answer)
			memset(answer, record->b, sum % 20000);
		return 0;
	case 1:
		return 1 + record->b;
	case 2:
		return -1 - record->b % 100;
	case 3:
		if (parked[record->b % PARKED])
			return 0;
		parked[record->b % PARKED] = orl_am_park();
		return ORL_AM_PARK;
	case 4:
		if (parked[record->b % PARKED])
			orl_am_resume(parked[record->b % PARKED]);
		parked[record->b % PARKED] = NULL;
		return 0;
	}
	return 0;
}

/* The window: less than all that may be asked for.  Before it and behind it is
 * a page that is not there. */
static uint8_t *memory;
static struct orl_gate gate;
static struct orl_target target = { .gate = &gate };
static const struct orl_path paths[] = {
	{ .name = "native", .mapped = true, .native = true },
	{ .name = "mapped", .mapped = true },
};
static unsigned looks; /* during one action */

static int find_place(const struct orl_am_source *source, uint64_t off,
		      uint64_t len, struct orl_place *place)
{
	check(source->object == &cookie);
	check(++looks <= 4 * ORL_AM_BYTES);
	if (off > WINDOW || len > WINDOW - off)
		return 1;
	place->target = &target;
	place->path = &paths[off / 16 % 2];
	place->addr = (uint64_t)(memory + off);
	return 0;
}

static void find_peer(void)
{
	struct orl_am_card card = { .name_len = 1 };

	check(!orl_am_random(&card.token));
	check(!orl_am_peer_find(&card, &peer));
}

static void open_links(void)
{
	int i;

	for (i = 0; i < LINKS; i++) {
		if (links[i].peer)
			orl_am_link_close(&links[i]);
		check(!links[i].answers && !links[i].out);
		memset(&links[i], 0, sizeof(links[i]));
		links[i].peer = peer;
		links[i].cookie = 1;
	}
}

static void make_window(void)
{
	uint8_t *all = mmap(NULL, 3 * WINDOW, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(all != MAP_FAILED);
	memory = all + WINDOW;
	check(!mprotect(memory, WINDOW, PROT_READ | PROT_WRITE));
}

static void start(void)
{
	int type;

	if (orl_am_is_open())
		return;
	check(!nowhere_open());
	for (type = ORL_AM_PUT; type < ORL_AM_TYPES; type++)
		orl_am_handle((enum orl_am_type)type, serve);
	make_window();
	orl_path_serve(find_place);
	orl_acc_serve();
	/* Without a network there is nothing to pull. */
	orl_am_handle(ORL_AM_PULL, serve);
	orl_progress_lock();
	check(!orl_am_name_make(&cookie, &cookie));
	orl_progress_unlock();
}

/* -- actions --------------------------------------------------------------- */

/* An answer or error record that fits, and nothing else: its length. */
static size_t make_reply(uint8_t *bytes, size_t len, unsigned what)
{
	const bool is_answer = what & 32;
	size_t data = what & 64 ? last_len / 2 : last_len + (what & 8);
	size_t size = is_answer ? 16 + data : 24;
	uint32_t words[6] = { 0 };
	struct orl_record *record = (struct orl_record *)words;

	if (len < sizeof(struct orl_am_head) + 96)
		return len;
	bytes += sizeof(struct orl_am_head);
	record->type = is_answer ? ORL_AM_ANSWER : ORL_AM_ERROR;
	record->bytes = (uint32_t)size;
	words[2] = is_answer ? last_slot : links[what % LINKS].id;
	words[3] = (uint32_t)bytes[12] - 100;
	words[4] = last_serial;
	memcpy(bytes, words, is_answer ? 16 : 24);
	return sizeof(struct orl_am_head) + ORL_ALIGN_UP(size, 8);
}

/* Makes true what a stranger cannot guess, but a peer knows. */
static size_t make_known(uint8_t *bytes, size_t len, unsigned what)
{
	struct orl_am_head *head = (struct orl_am_head *)bytes;

	if (len < sizeof(*head) || !(what & 1))
		return len;
	head->to = orl_am_token;
	head->from = (uint32_t)peer->token;
	head->from_up = (uint16_t)(peer->token >> 32);
	head->credit = (uint16_t)(what & 2 ? peer->sent : peer->credited);
	if (what & 4)
		head->cookie = (uint32_t)cookie;
	else if (what & 2)
		head->cookie = 0;
	head->link = what & 8 ? 1 : 2;
	head->rank = 0;
	return what & 16 ? make_reply(bytes, len, what) : len;
}

static void receive(struct input *input)
{
	unsigned what = (unsigned)take(input, 1);
	size_t len = take(input, 2) % MOST;
	size_t shift = what >> 5 == 7;
	uint8_t *bytes;

	if (len > input->left)
		len = input->left;
	/* Just as much as there is, and here and there not aligned. */
	bytes = malloc(len + shift ? len + shift : 1);
	check(bytes);
	memcpy(bytes + shift, input->at, len);
	input->at += len;
	input->left -= len;
	if (!shift)
		len = make_known(bytes, len, what);
	bytes = realloc(bytes, len + shift ? len + shift : 1);
	check(bytes);
	orl_am_deliver(bytes + shift, len);
	free(bytes);
}

static void write_record(struct input *input)
{
	struct orl_link *link = &links[take(input, 1) % LINKS];
	size_t bytes = 8 + take(input, 2) % 2000;
	enum orl_am_type type = ORL_AM_PUT;
	void *record;

	/* Nobody gives credit to who waits for it here. */
	if (!orl_am_message_has_credit(peer))
		return;
	record = orl_am_record(link, type, bytes);
	if (!record)
		return;
	memset((char *)record + 8, 1, bytes - 8);
	if (!(take(input, 1) & 1))
		return;
	bytes = take(input, 1) % (ELEMENTS * 8);
	last_len = bytes;
	last_serial = link->out->serial;
	last_slot = orl_am_slot(link, answered, link, bytes);
	check(last_slot);
	awaited++;
}

/* Many small messages, some of which have to wait for credit. */
static void flush_many(struct orl_link *link)
{
	int i;

	for (i = 0; i < ORL_AM_CREDIT; i++) {
		if (orl_am_message_has_credit(peer) &&
		    !orl_am_record(link, ORL_AM_PUT, 8))
			break;
		orl_am_flush_begin(link);
	}
}

static void act(struct input *input)
{
	unsigned action = (unsigned)take(input, 1);
	struct orl_link *link = &links[action / 16 % LINKS];
	unsigned at = action / 16 % PARKED;

	at_once = action & 128;
	looks = 0;
	switch (action % 16) {
	case 0:
		if (orl_am_message_has_credit(peer))
			orl_am_send(link);
		break;
	case 1:
		orl_am_flush_begin(link);
		break;
	case 2:
		orl_am_discard(link);
		break;
	case 3:
		orl_am_link_close(link);
		break;
	case 4:
	case 5:
		if (parked[at])
			orl_am_resume(parked[at]);
		parked[at] = NULL;
		break;
	case 6:
		fate = action & 64 && take(input, 1) > 200 ? -ECONNRESET : 0;
		orl_fabric_poll();
		orl_am_resume_all();
		orl_am_answers_send_all();
		fate = 0;
		break;
	case 7:
	case 8:
	case 9:
		write_record(input);
		break;
	case 10:
		flush_many(link);
		break;
	default:
		receive(input);
	}
}

static bool resume_parked(void)
{
	bool any = false;
	int i;

	for (i = 0; i < PARKED; i++) {
		any |= parked[i] != NULL;
		if (parked[i])
			orl_am_resume(parked[i]);
		parked[i] = NULL;
	}
	orl_am_resume_all();
	return any;
}

static void clean_up(void)
{
	/* What is resumed may be parked again, at a later record. */
	while (resume_parked())
		;
	orl_am_answers_send_all();
	orl_fabric_poll();
	check(!peer->answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { .at = data, .left = size };

	start();
	orl_progress_lock();
	find_peer();
	open_links();
	awaited = 0;
	while (input.left)
		act(&input);
	clean_up();
	open_links();
	check(!awaited && !orl_am_awaited && !peer->awaited);
	orl_am_lose(peer, -ECANCELED);
	orl_progress_unlock();
	return 0;
}

/* -- inputs of our own ----------------------------------------------------- */

#ifndef ORL_FUZZER
int main(int argc, char **argv)
{
	static struct output output;
	long n = argc > 1 ? atol(argv[1]) : INPUTS;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	for (; n > 0; n--) {
		make_input(&output, seed++);
		LLVMFuzzerTestOneInput(output.bytes, output.len);
	}
	printf("# %llu messages, %llu of them or their answers dropped\n",
	       (unsigned long long)orl_am_counts.received,
	       (unsigned long long)orl_am_counts.dropped);
	return 0;
}
#endif
