/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: every operation, on every kind it is defined on, of any count, at
 * any address, contiguous or in a layout, with operands in a row or laid out
 * alike, on each path, does what the model says to the elements, fetches what
 * was there before, and touches no other byte, padding included; the gate is
 * open afterwards.
 */
#include "acc_model.h"

#include <sys/mman.h>

#include "orl_util.h"

#define DELTA	     0x10000
#define ARENA	     ((size_t)1 << 20)
#define MAX_ELEMENTS 40000
#define ITEM	     6 /* elements in one item of each layout */

static unsigned char *memory; /* ARENA bytes, then a page that is not there */
static unsigned char want[ARENA + 64];
static unsigned char origins[MAX_ELEMENTS * 8], results[MAX_ELEMENTS * 8];
static unsigned char copies[MAX_ELEMENTS * 8];
static unsigned char mirror[ARENA + 64]; /* of operands, where they are alike */
static size_t where[MAX_ELEMENTS];	 /* offsets of the elements in memory */
static struct orl_gate gate;
static struct orl_target target = { .gate = &gate, .delta = DELTA, .slot = 3 };

/* -- paths ------------------------------------------------------------- */

static int loads, stores, failing;
static uint64_t first_byte, last_byte; /* of data, as the owner's addresses */

static int move(const struct orl_block *blocks, size_t n, unsigned char *buf,
		bool is_load)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t addr = blocks[i].addr;
		const size_t len = blocks[i].len;
		unsigned char *here = (unsigned char *)(uintptr_t)addr + DELTA;

		check(len && addr >= first_byte && addr + len <= last_byte);
		memcpy(is_load ? buf : here, is_load ? here : buf, len);
		buf += len;
	}
	return failing;
}

static int far_load(struct orl_target *to, const struct orl_block *blocks,
		    size_t n, void *buf)
{
	check(to == &target);
	check(atomic_load(&gate.shut));
	loads++;
	return move(blocks, n, buf, true);
}

static int far_store(struct orl_target *to, const struct orl_block *blocks,
		     size_t n, const void *buf)
{
	check(to == &target);
	check(atomic_load(&gate.shut));
	stores++;
	return move(blocks, n, (unsigned char *)(uintptr_t)buf, false);
}

static const struct orl_path paths[] = {
	{ .name = "native", .mapped = true, .native = true },
	{ .name = "mapped", .mapped = true },
	{ .name = "far", .load = far_load, .store = far_store },
};

/* -- one trial --------------------------------------------------------- */

enum fetch { NOTHING, APART, SAME };

struct trial {
	enum orl_op op;
	enum orl_kind kind;
	const struct orl_path *path;
	enum fetch fetch;
	const struct orl_type *layout;
	size_t count; /* elements */
	size_t off;   /* of the buffer in memory */
	bool one;     /* by orl_acc_one */
	bool alike;   /* operands lie as the elements do */
};

static void fail(const struct trial *trial, const char *what, size_t element)
{
	fprintf(stderr,
		"%s: op %d, kind %s, path %s, fetch %d, layout %d, "
		"alike %d, count %zu, off %zu, element %zu\n",
		what, trial->op, orl_kinds[trial->kind].name, trial->path->name,
		trial->fetch, !!trial->layout, trial->alike, trial->count,
		trial->off, element);
	exit(1);
}

static void place_run(const struct orl_run *run, size_t base, size_t *n)
{
	const size_t extent = orl_kinds[run->kind].extent;

	for (size_t block = 0; block < run->blocks; block++) {
		for (size_t i = 0; i < run->blocklen; i++)
			where[(*n)++] = base + run->off + block * run->stride +
					i * extent;
	}
}

/* Fills where; returns a bound of the bytes in use. */
static size_t place_elements(const struct trial *trial)
{
	const struct orl_type *layout = trial->layout;
	const size_t extent = orl_kinds[trial->kind].extent;
	size_t n = 0, base = trial->off;

	if (!layout) {
		for (; n < trial->count; n++)
			where[n] = base + n * extent;
		return base + n * extent + 64;
	}
	for (; n < trial->count; base += layout->extent) {
		for (size_t i = 0; i < layout->nruns; i++)
			place_run(&layout->runs[i], base, &n);
	}
	return base + 64;
}

static size_t span_of(enum orl_kind kind)
{
	if (orl_kinds[kind].class != ORL_CLASS_PAIR)
		return orl_kinds[kind].extent;
	return model_second(kind) + model_index(kind);
}

static unsigned char *operand(const struct trial *trial, size_t i)
{
	return trial->alike ? mirror + where[i]
			    : origins + i * orl_kinds[trial->kind].extent;
}

static void prepare(const struct trial *trial, size_t len, uint64_t *seed)
{
	const size_t extent = orl_kinds[trial->kind].extent;
	const uint64_t start = (uintptr_t)memory - DELTA;
	const size_t span = span_of(trial->kind);
	unsigned char elem[32];

	fill(memory, len & ~(size_t)7, *seed);
	first_byte = UINT64_MAX;
	last_byte = 0;
	for (size_t i = 0; i < trial->count; i++) {
		const uint64_t addr = start + where[i];

		model_fill(elem, trial->kind, seed);
		memcpy(memory + where[i], elem, span);
		model_fill(operand(trial, i), trial->kind, seed);
		memcpy(copies + i * extent, elem, extent);
		if (addr < first_byte)
			first_byte = addr;
		if (addr + span > last_byte)
			last_byte = addr + span;
	}
	memcpy(want, memory, len);
	for (size_t i = 0; i < trial->count; i++)
		model_combine(trial->op, trial->kind, want + where[i],
			      operand(trial, i));
}

static int issue(const struct trial *trial)
{
	const struct orl_place place = {
		.target = &target,
		.path = trial->path,
		.addr = (uintptr_t)memory - DELTA + trial->off,
	};
	const struct orl_acc acc = {
		.op = trial->op,
		.kind = trial->kind,
		.count = trial->count,
		.origin = trial->op == ORL_NO_OP && trial->fetch != SAME ? NULL
			  : trial->alike ? mirror + trial->off
					 : origins,
		.result = trial->fetch == APART	 ? results
			  : trial->fetch == SAME ? origins
						 : NULL,
		.layout = trial->layout,
		.items = trial->layout ? trial->count / ITEM : 0,
		.alike = trial->alike,
	};

	loads = stores = 0;
	return trial->one ? orl_acc_one(&place, &acc)
			  : orl_acc_issue(&place, &acc);
}

static void compare_fetched(const struct trial *trial)
{
	const unsigned char *got = trial->fetch == SAME ? origins : results;
	const size_t extent = orl_kinds[trial->kind].extent;
	const size_t first = model_first(trial->kind);
	const size_t second = model_second(trial->kind);

	if (trial->fetch == NOTHING)
		return;
	for (size_t i = 0; i < trial->count; i++, got += extent) {
		const unsigned char *old = copies + i * extent;

		if (memcmp(got, old, first ? first : extent) ||
		    (first && memcmp(got + second, old + second,
				     model_index(trial->kind))))
			fail(trial, "fetched a wrong value", i);
	}
}

static void check_open(const struct trial *trial)
{
	static const struct orl_gate open;

	if (atomic_load(&gate.shut) || atomic_load(&gate.claim) ||
	    memcmp(gate.slots, open.slots, sizeof(open.slots)))
		fail(trial, "the gate is not as it was", 0);
}

static void compare_elements(const struct trial *trial)
{
	const size_t span = span_of(trial->kind);

	for (size_t i = 0; i < trial->count; i++) {
		unsigned char elem[32];

		/* Of the padding at its end only what is in want is known. */
		memcpy(elem, want + where[i], sizeof(elem));
		memcpy(elem, memory + where[i], span);
		if (!model_same(trial->op, trial->kind, want + where[i], elem))
			fail(trial, "wrong", i);
		memcpy(want + where[i], elem, span);
	}
}

static void try(struct trial trial, uint64_t *seed)
{
	size_t len = place_elements(&trial);

	if (len > ARENA)
		len = ARENA;
	check(trial.count * orl_kinds[trial.kind].extent <= sizeof(origins));
	prepare(&trial, len, seed);
	if (issue(&trial))
		fail(&trial, "an error", 0);
	check_open(&trial);
	compare_elements(&trial);
	if (memcmp(want, memory, len))
		fail(&trial, "another byte has changed", 0);
	compare_fetched(&trial);
}

/* -- what is tried ----------------------------------------------------- */

typedef void (*pair_fn)(enum orl_op op, enum orl_kind kind, uint64_t *seed);

static void each_pair(pair_fn fn)
{
	uint64_t seed = 1;

	for (int kind = 0; kind < ORL_KIND_COUNT; kind++) {
		for (int op = 0; op < ORL_OP_COUNT; op++) {
			if (orl_op_fits(op, kind))
				fn(op, kind, &seed);
		}
	}
}

static void each_way(struct trial trial, uint64_t *seed)
{
	for (size_t path = 0; path < 3; path++) {
		for (int fetch = NOTHING; fetch <= SAME; fetch++) {
			trial.path = &paths[path];
			trial.fetch = fetch;
			try(trial, seed);
		}
	}
}

/* And with operands that are laid out alike, which mapped paths may have. */
static void each_way_alike(struct trial trial, uint64_t *seed)
{
	each_way(trial, seed);
	trial.alike = true;
	for (size_t path = 0; path < 2; path++) {
		for (int fetch = NOTHING; fetch <= APART; fetch++) {
			trial.path = &paths[path];
			trial.fetch = fetch;
			try(trial, seed);
		}
	}
}

static void contiguous(enum orl_op op, enum orl_kind kind, uint64_t *seed)
{
	static const size_t counts[] = { 0, 1, 2, 7, 8, 9, 41, 300 };
	struct trial trial = { .op = op, .kind = kind };

	for (size_t i = 0; i < 8; i++) {
		trial.count = counts[i];
		for (trial.off = 64; trial.off < 72; trial.off += 3)
			each_way(trial, seed);
	}
}

static void single(enum orl_op op, enum orl_kind kind, uint64_t *seed)
{
	struct trial trial = {
		.op = op, .kind = kind, .count = 1, .one = true
	};
	int i;

	for (i = 0; i < 20; i++) {
		for (trial.off = 64; trial.off < 80; trial.off += 5)
			each_way(trial, seed);
		/* Through the system: one load, one store, and no more. */
		trial.path = &paths[2];
		trial.fetch = NOTHING;
		trial.off = 64;
		try(trial, seed);
		check(loads <= 1 && stores == (op != ORL_NO_OP));
		trial.fetch = APART;
		try(trial, seed);
		check(loads == 1 && stores == (op != ORL_NO_OP));
	}
}

/* Holes; blocks of every alignment; backwards and of two runs; items that
 * make one long row.  The shortest one is done by singles. */
static void layouts(enum orl_op op, enum orl_kind kind, uint64_t *seed)
{
	const ptrdiff_t extent = orl_kinds[kind].extent;
	const struct orl_run holes = { extent, 3 * extent, 3, 2, kind };
	const struct orl_run uneven = { 0, 2 * extent + 1, 3, 2, kind };
	const struct orl_run two[] = { { 9 * extent, -2 * extent, 3, 1, kind },
				       { 11 * extent, 0, 1, 3, kind } };
	const struct orl_run even = { extent, 2 * extent, 6, 1, kind };
	struct orl_type type = {
		.size = (size_t)ITEM * orl_kinds[kind].size,
		.elements = ITEM,
		.true_ub = 15 * extent,
		.kind = kind,
	};
	struct trial trial = { .op = op, .kind = kind, .layout = &type };
	const struct orl_run *const runs[] = { &holes, &uneven, two, &even };
	static const size_t items[] = { 1, 2, 400 };

	for (int i = 0; i < 12; i++) {
		type.runs = runs[i % 4];
		type.nruns = i % 4 == 2 ? 2 : 1;
		type.extent = i % 4 == 3 ? 12 * extent : 16 * extent;
		trial.count = items[i / 4] * ITEM;
		orl_options.bulk = items[i / 4] == 1 ? ITEM + 1 : 4;
		trial.off = 64;
		each_way_alike(trial, seed);
		trial.off = 67;
		if (i < 8)
			each_way_alike(trial, seed);
	}
}

static void kernels(enum orl_op op, enum orl_kind kind, uint64_t *seed)
{
	struct trial trial = { .op = op, .kind = kind, .path = &paths[1] };

	for (trial.count = 0; trial.count <= 72; trial.count++) {
		trial.off = 64 + trial.count % 13;
		try(trial, seed);
	}
}

/* The last byte of data is the last one of the window. */
static void at_end(enum orl_op op, enum orl_kind kind, uint64_t *seed)
{
	struct trial trial = { .op = op, .kind = kind, .count = 1 };

	trial.off = ARENA - span_of(kind);
	trial.one = true;
	each_way(trial, seed);
	trial.count = 10;
	trial.off -= 9 * orl_kinds[kind].extent;
	trial.one = false;
	each_way(trial, seed);
}

/* -- cases ------------------------------------------------------------- */

static void all_pairs(void)
{
	each_pair(kernels);
	each_pair(single);
	each_pair(contiguous);
	each_pair(at_end);
	each_pair(layouts);
}

static void long_ones(void)
{
	struct trial trial = {
		.op = ORL_SUM, .kind = ORL_F64, .off = 64, .count = MAX_ELEMENTS
	};
	uint64_t seed = 2;

	each_way(trial, &seed);
	trial.off = 67;
	each_way(trial, &seed);
	trial.kind = ORL_I8;
	each_way(trial, &seed);
	trial.kind = ORL_LD_INT;
	trial.op = ORL_MAXLOC;
	trial.count = MAX_ELEMENTS / 4;
	each_way(trial, &seed);
}

static void cas(enum orl_kind kind, size_t off, const struct orl_path *path)
{
	const struct orl_place place = {
		.target = &target,
		.path = path,
		.addr = (uintptr_t)memory - DELTA + off,
	};
	const size_t size = orl_kinds[kind].size;
	unsigned char origin[16], result[16], compare[16];

	for (size_t wrong = 0; wrong <= 8 * size; wrong++) {
		fill(memory, 128, wrong);
		fill(origin, 16, wrong + 1);
		memcpy(want, memory, 128);
		memcpy(compare, memory + off, size);
		if (wrong < 8 * size)
			compare[wrong / 8] ^= 1 << wrong % 8;
		else
			memcpy(want + off, origin, size);
		first_byte = place.addr;
		last_byte = place.addr + size;
		memcpy(copies, memory + off, size);
		check(!swap_one(&place, kind, origin, compare, result));
		check(!memcmp(memory, want, 128));
		check(!memcmp(result, copies, size));
	}
}

static void all_cas(void)
{
	for (int kind = 0; kind < ORL_KIND_COUNT; kind++) {
		const enum orl_class class = orl_kinds[kind].class;

		if (class != ORL_CLASS_INTEGER && class != ORL_CLASS_LOGICAL &&
		    class != ORL_CLASS_BYTE && class != ORL_CLASS_OPAQUE)
			continue;
		for (size_t path = 0; path < 3; path++) {
			cas(kind, 64, &paths[path]);
			cas(kind, 61, &paths[path]);
		}
	}
}

static void errors(void)
{
	struct trial trial = { .op = ORL_SUM,
			       .kind = ORL_F64,
			       .off = 64,
			       .count = 1,
			       .path = &paths[2] };
	uint64_t seed = 3;

	failing = -EFAULT;
	for (; trial.count <= MAX_ELEMENTS; trial.count = trial.count * 3 + 1) {
		trial.one = trial.count == 1;
		prepare(&trial, place_elements(&trial), &seed);
		check(issue(&trial) == -EFAULT);
		check(loads == 1 && !stores);
		check_open(&trial);
	}
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "every kind", all_pairs },
		{ "long ones", long_ones },
		{ "cas", all_cas },
		{ "errors", errors },
		{ NULL, NULL },
	};
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	orl_options_load();
	memory = mmap(NULL, ARENA + page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(memory != MAP_FAILED);
	check(!mprotect(memory + ARENA, page, PROT_NONE));
	return run_cases(cases);
}
