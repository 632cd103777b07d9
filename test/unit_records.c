/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: of an accumulate that arrives as a record the owner checks every
 * field before it uses it: what is defined is answered, up to the window's
 * last byte; of all else the origin is told that it was refused, and no byte
 * has changed.  An owner who cannot read operands that it was to fetch says
 * so, and goes on with what came behind.
 */
#include "am.h"

#include <mpi.h>
#include <sys/mman.h>

#include "orl_acc.h"

#include "../atomics/owner.h"
#include "nowhere.h"
#include "process.h"

#define WINDOW 4096 /* then a page that is not there */
#define SLOT   77
#define ROWS   3
#define MOST   2048 /* bytes of a record */

static unsigned char *memory, before[WINDOW];
static struct orl_gate gate;
static struct orl_target target = { .gate = &gate };
static const struct orl_path path = { .mapped = true, .native = true };
static struct orl_am_peer *peer;
static uint64_t cookie;

static int find_place(const struct orl_am_source *source, uint64_t off,
		      uint64_t len, struct orl_place *place)
{
	check(source->object == &cookie && len);
	if (off > WINDOW || len > WINDOW - off)
		return MPI_ERR_RMA_RANGE;
	place->target = &target;
	place->path = &path;
	place->addr = (uint64_t)memory + off;
	return 0;
}

static void start(void)
{
	struct orl_am_card card = { .name_len = 1 };

	memory = mmap(NULL, 2 * WINDOW, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(memory != MAP_FAILED);
	check(!mprotect(memory + WINDOW, WINDOW, PROT_NONE));
	check(!nowhere_open());
	orl_path_serve(find_place);
	orl_acc_serve();
	orl_progress_lock();
	at_once = true;
	check(!orl_am_name_make(&cookie, &cookie));
	check(!orl_am_random(&card.token));
	check(!orl_am_peer_find(&card, &peer));
}

/* -- one record ------------------------------------------------------------ */

static union {
	struct orl_record head;
	struct orl_record_acc acc;
	struct orl_record_fop fop;
	struct orl_record_cas cas;
	struct orl_record_pull pull;
	struct orl_record_push push;
	unsigned char bytes[MOST];
} record;

/* The record that comes back; NULL: nothing. */
static const struct orl_record *deliver(void)
{
	static struct {
		struct orl_am_head head;
		unsigned char record[MOST];
	} message;

	message.head = (struct orl_am_head){
		.to = orl_am_token,
		.from = (uint32_t)peer->token,
		.from_up = (uint16_t)(peer->token >> 32),
		.cookie = (uint32_t)cookie,
		.link = 1,
		.serial = 1,
	};
	memcpy(message.record, record.bytes, MOST);
	memset(sent, 0, sizeof(struct orl_am_head) + 8);
	orl_am_deliver(&message, sizeof(message.head) +
					 ORL_ALIGN_UP(record.head.bytes, 8u));
	return (const struct orl_record *)(sent + sizeof(struct orl_am_head));
}

/* Found by looking at the record, and not by trying. */
static bool is_refusal(const struct orl_record *reply)
{
	int error = ((const struct orl_record_error *)reply)->error;

	return reply->type == ORL_AM_ERROR &&
	       (error == MPI_ERR_INTERN || error == MPI_ERR_RMA_RANGE);
}

static void expect(bool good, const char *what, unsigned op, unsigned kind)
{
	const struct orl_record *reply;

	memcpy(before, memory, WINDOW);
	reply = deliver();
	if (good ? reply->type == ORL_AM_ANSWER
		 : is_refusal(reply) && !memcmp(before, memory, WINDOW))
		return;
	fprintf(stderr, "%s, op %u, kind %u: reply of type %u\n", what, op,
		kind, reply->type);
	exit(1);
}

/* The last element that the window has room for. */
static uint64_t last_of(unsigned kind)
{
	return WINDOW - orl_owner_reach((enum orl_kind)kind);
}

static void make_cas(unsigned kind)
{
	const unsigned extent = orl_kinds[kind].extent;

	memset(&record, 0, sizeof(record));
	record.head.type = ORL_AM_CAS;
	record.head.b = (uint8_t)kind;
	record.head.bytes = sizeof(record.cas) + 2 * extent;
	record.cas.off = last_of(kind);
	record.cas.slot = SLOT;
	memset(record.cas.operands + extent, 1, extent);
}

static void make_fop(unsigned op, unsigned kind)
{
	const unsigned extent = orl_kinds[kind].extent;

	memset(&record, 0, sizeof(record));
	record.head.type = ORL_AM_FOP;
	record.head.a = (uint8_t)op;
	record.head.b = (uint8_t)kind;
	record.head.bytes = sizeof(record.fop) + (op == ORL_NO_OP ? 0 : extent);
	record.fop.off = last_of(kind);
	record.fop.slot = SLOT;
	memset(record.fop.operand, 1, extent);
}

/* Rows of two blocks of two, doubles. */
static void make_acc(unsigned op)
{
	const size_t n = op == ORL_NO_OP ? 0 : (size_t)ROWS * 4 * 8;

	memset(&record, 0, sizeof(record));
	record.head.type = ORL_AM_ACC;
	record.head.a = (uint8_t)op;
	record.head.b = ORL_F64;
	record.head.bytes = (uint32_t)(sizeof(record.acc) +
				       ROWS * sizeof(struct orl_row) + n);
	record.acc.slot = SLOT;
	record.acc.nrows = ROWS;
	for (int i = 0; i < ROWS; i++)
		record.acc.rows[i] = (struct orl_row){
			.off = WINDOW - 48,
			.stride = 32,
			.blocks = 2,
			.blocklen = 2,
		};
	memset(&record.acc.rows[ROWS], 1, n);
}

/* A row of one element, the last one. */
static void make_row(unsigned kind)
{
	const unsigned extent = orl_kinds[kind].extent;

	memset(&record, 0, sizeof(record));
	record.head.type = ORL_AM_ACC;
	record.head.a = ORL_REPLACE;
	record.head.b = (uint8_t)kind;
	record.head.bytes = (uint32_t)(sizeof(record.acc) +
				       sizeof(struct orl_row) + extent);
	record.acc.slot = SLOT;
	record.acc.nrows = 1;
	record.acc.rows[0].off = last_of(kind);
	record.acc.rows[0].blocks = 1;
	record.acc.rows[0].blocklen = 1;
}

static void make_pull(void)
{
	memset(&record, 0, sizeof(record));
	record.head.type = ORL_AM_PULL;
	record.head.a = ORL_SUM;
	record.head.b = ORL_F64;
	record.head.bytes = sizeof(record.pull);
	record.pull.count = WINDOW / 8;
	record.pull.slot = SLOT;
}

static void make_push(uint32_t loan)
{
	memset(&record, 0, sizeof(record));
	record.head.type = ORL_AM_PUSH;
	record.head.a = ORL_SUM;
	record.head.b = ORL_F64;
	record.head.bytes = sizeof(record.push);
	record.push.count = WINDOW / 8;
	record.push.loan = loan;
	record.push.slot = SLOT;
}

/* -- cases ----------------------------------------------------------------- */

static void all_cas(void)
{
	for (unsigned kind = 0; kind < ORL_KIND_COUNT; kind++) {
		const bool fits = orl_op_fits(ORL_OP_CAS, (enum orl_kind)kind);

		make_cas(kind);
		memset(memory, 0, WINDOW);
		expect(fits, "at the end", ORL_OP_CAS, kind);
		check(memory[record.cas.off] == fits);
		record.cas.off++;
		expect(false, "one byte too far", ORL_OP_CAS, kind);
		make_cas(kind);
		record.cas.slot = 0;
		expect(false, "no slot", ORL_OP_CAS, kind);
		make_cas(kind);
		record.head.bytes -= 1;
		expect(false, "too short", ORL_OP_CAS, kind);
		record.head.bytes += 2;
		expect(false, "too long", ORL_OP_CAS, kind);
	}
	make_cas(ORL_I8);
	record.head.b = ORL_KIND_COUNT;
	expect(false, "no kind", ORL_OP_CAS, ORL_KIND_COUNT);
}

static void one_fop(unsigned op, unsigned kind)
{
	make_fop(op, kind);
	expect(orl_op_fits(op, (enum orl_kind)kind), "at the end", op, kind);
	record.fop.off++;
	expect(false, "one byte too far", op, kind);
	record.fop.off = UINT64_MAX;
	expect(false, "far away", op, kind);
	make_fop(op, kind);
	record.head.bytes += 1;
	expect(false, "too long", op, kind);
	record.head.bytes -= 2;
	expect(false, "too short", op, kind);
}

/* Not fetched: changed as if it were, and the answer is of no bytes. */
static void fop_without_value(void)
{
	const struct orl_record *reply;

	memset(memory, 0, WINDOW);
	make_fop(ORL_SUM, ORL_I8);
	record.head.c = 1;
	reply = deliver();
	check(reply->type == ORL_AM_ANSWER &&
	      reply->bytes == sizeof(struct orl_record_answer));
	check(memory[WINDOW - 1] == 1);
	record.head.c = 0;
	reply = deliver();
	check(reply->type == ORL_AM_ANSWER &&
	      reply->bytes == sizeof(struct orl_record_answer) + 1);
	check(memory[WINDOW - 1] == 2);
	record.fop.slot = 0;
	check(deliver()->type == 0);
	check(memory[WINDOW - 1] == 3);
}

static void all_fop(void)
{
	for (unsigned kind = 0; kind < ORL_KIND_COUNT; kind++) {
		for (unsigned op = 0; op < ORL_OP_COUNT; op++)
			one_fop(op, kind);
	}
	make_fop(ORL_SUM, ORL_I8);
	record.head.a = ORL_OP_COUNT;
	expect(false, "no op", ORL_OP_COUNT, ORL_I8);
	make_fop(ORL_SUM, ORL_I8);
	record.head.b = ORL_KIND_COUNT;
	expect(false, "no kind", ORL_SUM, ORL_KIND_COUNT);
}

/* Makes it anew, has the field be value, and expects that it is refused. */
#define REFUSED(make, field, value)                                            \
	(make, (field) = (value),                                              \
	 expect(false, #field " = " #value, record.head.a, record.head.b))

static void acc_fields(unsigned op)
{
	struct orl_row *row = &record.acc.rows[0];

	make_acc(op);
	expect(true, "rows", op, ORL_F64);
	REFUSED(make_acc(op), record.head.a, ORL_OP_COUNT);
	REFUSED(make_acc(op), record.head.a, ORL_BAND);
	REFUSED(make_acc(op), record.head.b, ORL_KIND_COUNT);
	REFUSED(make_acc(op), record.head.b, ORL_F32);
	REFUSED(make_acc(op), record.head.bytes, 15);
	REFUSED(make_acc(op), record.head.bytes, record.head.bytes - 8);
	REFUSED(make_acc(op), record.head.bytes, record.head.bytes + 8);
	REFUSED(make_acc(op), record.acc.nrows, ROWS - 1);
	REFUSED(make_acc(op), record.acc.nrows, ROWS + 1);
	REFUSED(make_acc(op), record.acc.nrows, UINT32_MAX);
	REFUSED(make_acc(op), row->blocks, 0);
	REFUSED(make_acc(op), row->blocks, UINT32_MAX);
	REFUSED(make_acc(op), row->blocklen, 0);
	REFUSED(make_acc(op), row->blocklen, UINT32_MAX);
	REFUSED(make_acc(op), row->off, WINDOW - 15);
	REFUSED(make_acc(op), row->off, UINT64_MAX - 7);
	REFUSED(make_acc(op), row->off, (uint64_t)-16);
}

/* Of each only the first row is wrong, so that nothing has been done yet. */
static void all_acc(void)
{
	acc_fields(ORL_SUM);
	for (unsigned kind = 0; kind < ORL_KIND_COUNT; kind++) {
		make_row(kind);
		expect(true, "at the end", ORL_REPLACE, kind);
		record.acc.rows[0].off++;
		expect(false, "one byte too far", ORL_REPLACE, kind);
	}
	/* As long as if there were nothing to do. */
	make_row(ORL_I8);
	record.head.bytes -= 1;
	REFUSED((void)0, record.acc.rows[0].blocks, 0);
	record.acc.rows[0].blocks = 1;
	REFUSED((void)0, record.acc.rows[0].blocklen, 0);
	/* More than an answer has room for. */
	make_acc(ORL_NO_OP);
	record.acc.rows[0].stride = 0;
	record.acc.rows[0].off = 0;
	record.acc.rows[0].blocks = 2048;
	record.acc.rows[0].blocklen = 1;
	expect(false, "an answer of 16 KiB", ORL_NO_OP, ORL_F64);
}

static void all_pull(void)
{
	REFUSED(make_pull(), record.head.a, ORL_OP_COUNT);
	REFUSED(make_pull(), record.head.a, ORL_NO_OP);
	REFUSED(make_pull(), record.head.a, ORL_BAND);
	REFUSED(make_pull(), record.head.b, ORL_KIND_COUNT);
	REFUSED(make_pull(), record.head.bytes, sizeof(record.pull) - 1);
	REFUSED(make_pull(), record.pull.slot, 0);
	REFUSED(make_pull(), record.pull.count, 0);
	REFUSED(make_pull(), record.pull.count, WINDOW / 8 + 1);
	REFUSED(make_pull(), record.pull.count, 1ull << 61);
	REFUSED(make_pull(), record.pull.count, UINT64_MAX);
	REFUSED(make_pull(), record.pull.off, 1);
	REFUSED(make_pull(), record.pull.off, UINT64_MAX);
	check(!ntransfers);
}

/* -- operands that are fetched --------------------------------------------- */

/* The record that the end of the read brings. */
static const struct orl_record *end_read(int error)
{
	check(ntransfers == 1);
	memset(sent, 0, sizeof(struct orl_am_head) + 8);
	end_transfer(0, error);
	return (const struct orl_record *)(sent + sizeof(struct orl_am_head));
}

static bool is_error_of_first(const struct orl_record *reply, int error)
{
	const struct orl_record_error *report =
		(const struct orl_record_error *)reply;

	return reply->type == ORL_AM_ERROR && report->error == error &&
	       report->link == 1 && report->serial == 1 &&
	       report->offset == sizeof(struct orl_am_head);
}

static void failed_pull(void)
{
	make_pull();
	deliver();
	check(is_error_of_first(end_read(-ENOMEM), -ENOMEM));
	check(!peer->error);
	/* Behind the pull, which is over at the next poll. */
	make_fop(ORL_SUM, ORL_I8);
	check(deliver()->type == 0);
	check(orl_am_has_resumed());
	orl_am_resume_all();
	orl_am_answers_send_all();
	check(sent[sizeof(struct orl_am_head)] == ORL_AM_ANSWER);
	make_pull();
	deliver();
	check(end_read(0)->type == ORL_AM_ANSWER);
	orl_am_resume_all();
	make_pull();
	deliver();
	end_read(-ECONNRESET);
	check(peer->error);
}

/* Of the peer's loan, and of none other. */
static void all_push(void)
{
	struct orl_am_peer other = { .error = 0 };
	struct orl_offer mine, others;

	orl_fabric.in_order = false;
	orl_push_offer(peer, &mine);
	check(mine.key == ORL_NO_KEY);
	make_push(0);
	expect(false, "without a loan", ORL_SUM, ORL_F64);
	orl_fabric.in_order = is_registered = true;
	orl_push_offer(peer, &mine);
	orl_push_offer(&other, &others);
	check(mine.key != ORL_NO_KEY && others.key != ORL_NO_KEY);
	check(mine.loan != others.loan);
	REFUSED(make_push(mine.loan), record.push.loan, others.loan);
	REFUSED(make_push(mine.loan), record.push.loan, 1000);
	REFUSED(make_push(mine.loan), record.push.loan, UINT32_MAX);
	REFUSED(make_push(mine.loan), record.push.at, UINT32_MAX - 63);
	REFUSED(make_push(mine.loan), record.push.at, (1 << 20) - 2048);
	REFUSED(make_push(mine.loan), record.push.at, 8);
	REFUSED(make_push(mine.loan), record.head.a, ORL_OP_COUNT);
	REFUSED(make_push(mine.loan), record.head.a, ORL_NO_OP);
	REFUSED(make_push(mine.loan), record.head.b, ORL_KIND_COUNT);
	REFUSED(make_push(mine.loan), record.head.bytes,
		sizeof(record.push) - 1);
	REFUSED(make_push(mine.loan), record.push.count, 0);
	REFUSED(make_push(mine.loan), record.push.count, WINDOW / 8 + 1);
	REFUSED(make_push(mine.loan), record.push.count, 1ull << 61);
	REFUSED(make_push(mine.loan), record.push.off, 1);
	REFUSED(make_push(mine.loan), record.push.off, UINT64_MAX);
	make_push(mine.loan);
	record.push.at = (1 << 20) - WINDOW;
	expect(true, "at the end of the loan", ORL_SUM, ORL_F64);
	/* A lost peer's is lent again, others' are not. */
	for (int i = 0; i < 100; i++) {
		static struct orl_am_peer more[100];

		orl_push_offer(&more[i], &others);
	}
	check(others.key == ORL_NO_KEY);
	other.error = -EHOSTDOWN;
	orl_push_offer(&(struct orl_am_peer){ .error = 0 }, &others);
	check(others.key != ORL_NO_KEY && others.loan != mine.loan);
	orl_push_offer(peer, &others);
	check(others.loan == mine.loan);
}

int main(void)
{
	start();
	all_push();
	all_cas();
	all_fop();
	fop_without_value();
	all_acc();
	all_pull();
	failed_pull();
	return 0;
}
