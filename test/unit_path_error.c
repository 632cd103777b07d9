/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: memory or a process that the cma path cannot reach is an error, not
 * a crash, and leaves the path usable.
 */
#include "target.h"

/* The second half of the target's memory has gone. */
static void unmapped(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	unsigned char *model = calloc(1, AREA), *buf = malloc(AREA);
	uint64_t half = target.base + AREA / 2, word = 5;
	struct orl_block blocks[] = { { target.base, 8 }, { half, 8 } };

	command(&partner, 'u');
	meet(&partner);
	fill(buf, AREA, 3);
	check(!cma->put(&target, target.base + 64, &word, 8));
	check(!cma->put(&target, half + 8, &word, 8));
	check(cma->flush(&target) == -EFAULT);
	check(!cma->flush(&target) && !target.queue);
	check(cma->put(&target, target.base + 128, buf, AREA) == -EFAULT ||
	      cma->flush(&target) == -EFAULT);
	check(!cma->put(&target, half - 100, buf, 1000));
	check(cma->finish(&target) == -EFAULT);
	check(!cma->get(&target, half, &word, 8));
	check(cma->finish(&target) == -EFAULT && word == 5);
	check(cma->store(&target, blocks, 2, buf) == -EFAULT);
	check(cma->load(&target, blocks, 2, buf) == -EFAULT);
	check(!cma->put(&target, target.base, &word, 8));
	check(!cma->flush(&target));
	word = 0;
	check(!cma->load(&target, blocks, 1, &word) && word == 5);
	command(&partner, 'e');
	partner_end(&partner);
	free(model);
	free(buf);
}

/* The local buffer is bad: an error too, not a crash. */
static void bad_buffer(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	char *gone = map_private(8 * KIB);

	check(!munmap(gone, 8 * KIB));
	check(!cma->put(&target, target.base, gone, 4 * KIB));
	check(cma->flush(&target) == -EFAULT);
	check(!cma->get(&target, target.base, gone, 8));
	check(cma->flush(&target) == -EFAULT);
	end_target(&partner);
}

static void dead(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	struct orl_block block = { target.base, 8 };
	uint64_t word = 1;

	end_target(&partner);
	check(!cma->put(&target, target.base, &word, 8));
	check(cma->flush(&target) == -ESRCH);
	check(cma->load(&target, &block, 1, &word) == -ESRCH);
}

static void release(void)
{
	struct orl_target targets[40];
	struct partner partner = start_target(&targets[0], AREA);
	unsigned char *model = calloc(1, AREA);
	uint64_t word = 1;

	for (size_t i = 1; i < 40; i++)
		targets[i] = targets[0];
	for (size_t i = 0; i < 40; i++)
		check(!cma->put(&targets[i], targets[i].base + i, &word, 8));
	for (size_t i = 0; i < 40; i++) {
		orl_path_release(&targets[i]);
		check(!targets[i].queue && !cma->flush(&targets[i]));
		orl_path_release(&targets[i]);
	}
	check_area(&partner, model);
	end_target(&partner);
	free(model);
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "unmapped", unmapped }, { "bad buffer", bad_buffer },
		{ "dead", dead },	  { "release", release },
		{ NULL, NULL },
	};

	if (!has_cma()) {
		printf("# skip: process_vm_readv is forbidden here\n");
		return 77;
	}
	return run_cases(cases);
}
