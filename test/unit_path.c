/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: the cma path moves exactly the bytes that it is asked to, of any
 * size and number, puts in their order; finish lets local buffers go, flush
 * completes everything; threads may share a target.
 */
#include "target.h"

#include "../src/path/queue.h"

#include <pthread.h>

/* -- cma -------------------------------------------------------------------*/

/* Mostly small, some beyond what is copied, a few large. */
static size_t random_len(uint64_t *state)
{
	uint64_t kind = next_random(state) % 100;

	if (kind < 50)
		return 8;
	if (kind < 90)
		return 1 + next_random(state) % 700;
	return 1 + next_random(state) % (kind == 99 ? 200 * KIB : 9000);
}

/* Overlapping puts in a row: the last one counts. */
static void random_puts(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	unsigned char *model = calloc(1, AREA), *src = malloc(8 * MIB);
	uint64_t state = 1;
	size_t from = 0;

	fill(src, 8 * MIB, 2);
	for (int i = 0; i < 20000; i++) {
		size_t len = random_len(&state);
		size_t to = next_random(&state) % (AREA - len + 1);

		if (from + len > 8 * MIB) {
			check(!cma->finish(&target));
			fill(src, 8 * MIB, next_random(&state));
			from = 0;
		}
		check(!cma->put(&target, target.base + to, src + from, len));
		memcpy(model + to, src + from, len);
		from += len;
		if (i % 1000 == 999) {
			check(!cma->flush(&target) && !target.queue);
			check_area(&partner, model);
		}
	}
	end_target(&partner);
	free(model);
	free(src);
}

static void random_gets(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	unsigned char *model = malloc(AREA), *dst = malloc(2 * MIB);
	unsigned char *expected = malloc(2 * MIB);
	uint64_t state = 5;

	fill(model, AREA, 6);
	check(!cma->put(&target, target.base, model, AREA));
	check(!cma->flush(&target));
	for (int round = 0; round < 30; round++) {
		size_t at = 0;

		memset(dst, 0, 2 * MIB);
		memset(expected, 0, 2 * MIB);
		for (;;) {
			size_t len = random_len(&state);
			size_t from = next_random(&state) % (AREA - len + 1);

			at += next_random(&state) % 2 * 8;
			if (at + len > 2 * MIB)
				break;
			check(!cma->get(&target, target.base + from, dst + at,
					len));
			memcpy(expected + at, model + from, len);
			at += len;
		}
		check(!(round % 2 ? cma->finish : cma->flush)(&target));
		check(!target.queue && !memcmp(dst, expected, 2 * MIB));
	}
	end_target(&partner);
	free(model);
	free(dst);
	free(expected);
}

/* Words put upwards, downwards and in steps. */
static void neighbours(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	size_t words = AREA / 8;
	uint64_t *model = calloc(words, 8);

	for (size_t step = 1; step <= 3; step++) {
		for (size_t i = 0; i < words; i += step) {
			uint64_t word = i * 10 + step;

			model[i] = word;
			check(!cma->put(&target, target.base + 8 * i, &word,
					8));
			word = 0;
		}
		check(!cma->flush(&target));
		check_area(&partner, (unsigned char *)model);
	}
	for (size_t i = words; i-- > 0;) {
		model[i] = ~i;
		check(!cma->put(&target, target.base + 8 * i, &model[i], 8));
	}
	check(!cma->flush(&target));
	check_area(&partner, (unsigned char *)model);
	for (size_t i = 0; i < words; i++)
		model[i] = 0;
	for (size_t i = 0; i < words; i++)
		check(!cma->get(&target, target.base + 8 * i, &model[i], 8));
	check(!cma->finish(&target));
	for (size_t i = 0; i < words; i++)
		check(model[i] == ~i);
	end_target(&partner);
	free(model);
}

static void finishing(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	unsigned char *model = calloc(1, AREA), src[20000], dst[100];

	for (int round = 0; round < 4; round++) {
		size_t len = round % 2 ? sizeof(src) : 300;

		fill(src, sizeof(src), (uint64_t)round + 1);
		memcpy(model + 1000 * round, src, len);
		memcpy(model + 100000, src + 8, 8);
		check(!cma->put(&target, target.base + 1000 * (size_t)round,
				src, len));
		check(!cma->put(&target, target.base + 100000, src + 8, 8));
		check(!cma->get(&target, target.base + 200000, dst, 100));
		check(!cma->finish(&target));
		memset(src, 0xee, sizeof(src));
		memset(dst, 0xee, sizeof(dst));
		check(!cma->flush(&target));
		check(dst[0] == 0xee);
		check_area(&partner, model);
	}
	check(!cma->finish(&target) && !cma->flush(&target));
	end_target(&partner);
	free(model);
}

#define MANY 3000

static void block_lists(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	struct orl_block *blocks = malloc(MANY * sizeof(*blocks));
	unsigned char *model = calloc(1, AREA), *buf = malloc(MANY * 64);
	unsigned char *back = malloc(MANY * 64);
	uint64_t state = 9;
	size_t total = 0;

	fill(buf, MANY * 64, 4);
	for (size_t i = 0; i < MANY; i++) {
		blocks[i].addr = target.base + i * 80;
		blocks[i].len = next_random(&state) % 65;
		memcpy(model + i * 80, buf + total, blocks[i].len);
		total += blocks[i].len;
	}
	check(!cma->store(&target, blocks, MANY, buf));
	check_area(&partner, model);
	check(!cma->load(&target, blocks, MANY, back));
	check(!memcmp(buf, back, total));
	check(!cma->load(&target, blocks, 0, back));
	check(!cma->store(&target, blocks + 1, 1, buf));
	check(!cma->load(&target, blocks + 1, 1, back + 1));
	check(!memcmp(buf, back + 1, blocks[1].len));
	end_target(&partner);
	free(blocks);
	free(model);
	free(buf);
	free(back);
}

static void large(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, 64 * MIB + 24);
	unsigned char *src = malloc(area_len), *dst = malloc(area_len);
	uint64_t word = 77;

	fill(src, area_len, 11);
	check(!cma->put(&target, target.base, src, area_len));
	check(!cma->flush(&target));
	check_area(&partner, src);
	/* Behind something small, too. */
	check(!cma->put(&target, target.base, &word, 8));
	check(!cma->put(&target, target.base + 8, src, area_len - 8));
	check(!cma->flush(&target));
	check(!cma->get(&target, target.base, dst, area_len));
	check(!cma->flush(&target));
	check(!memcmp(dst, &word, 8));
	check(!memcmp(dst + 8, src, area_len - 8));
	end_target(&partner);
	free(src);
	free(dst);
}

/* As the kernel does at 2 GiB and at bad pages: moves a part only. */
static ssize_t move_part(pid_t pid, const struct iovec *local,
			 unsigned long nlocal, const struct iovec *remote,
			 unsigned long nremote, unsigned long flags)
{
	size_t at = 0, from = 0, moved = 0, most = (size_t)pid;

	while (nlocal && nremote && moved < most) {
		*((char *)remote->iov_base + at++) =
			*((const char *)local->iov_base + from++);
		moved++;
		if (from == local->iov_len) {
			local++;
			nlocal--;
			from = 0;
		}
		if (at == remote->iov_len) {
			remote++;
			nremote--;
			at = 0;
		}
	}
	return (ssize_t)moved;
}

/* A transfer goes on where a call has stopped. */
static void parts(void)
{
	static struct orl_batch batch;
	unsigned char src[1000], dst[2000], model[2000];

	fill(src, sizeof(src), 8);
	for (int most = 1; most < 40; most++) {
		size_t to = 0, from = 0;

		memset(dst, 0, sizeof(dst));
		memset(model, 0, sizeof(model));
		for (size_t i = 1; i < 30; i++) {
			orl_batch_add(&batch, (uintptr_t)(dst + to), src + from,
				      i);
			memcpy(model + to, src + from, i);
			to += i + i % 3;
			from += i + i % 2;
		}
		check(!orl_batch_run(&batch, move_part, most));
		check(!memcmp(dst, model, sizeof(dst)) && !batch.bytes);
	}
}

/* -- threads ---------------------------------------------------------------*/

#define THREADS 4

struct worker {
	pthread_t id;
	struct orl_target *target;
	unsigned char *model; /* of the whole area */
	size_t index;
};

/* Each thread has its own part of the area. */
static void *work(void *arg)
{
	struct worker *worker = arg;
	struct orl_target *target = worker->target;
	size_t part = AREA / THREADS, first = part * worker->index;
	uint64_t state = worker->index;
	unsigned char *buf = malloc(4096), *back = malloc(4096);

	for (int i = 0; i < 3000; i++) {
		size_t len = 1 + next_random(&state) % (i % 7 ? 16 : 4096);
		size_t to = first + next_random(&state) % (part - len + 1);

		fill(buf, 4096, next_random(&state));
		memcpy(worker->model + to, buf, len);
		check(!cma->put(target, target->base + to, buf, len));
		if (i % 3)
			check(!cma->finish(target));
		else
			check(!cma->flush(target));
		if (i % 5)
			continue;
		check(!cma->flush(target));
		check(!cma->get(target, target->base + to, back, len));
		check(!cma->finish(target));
		check(!memcmp(back, worker->model + to, len));
	}
	free(buf);
	free(back);
	return NULL;
}

static void threads(void)
{
	struct orl_target target;
	struct partner partner = start_target(&target, AREA);
	struct worker workers[THREADS];
	unsigned char *model = calloc(1, AREA);

	orl_threaded = true;
	for (size_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .target = &target,
					      .model = model,
					      .index = i };
		check(!pthread_create(&workers[i].id, NULL, work, &workers[i]));
	}
	for (size_t i = 0; i < THREADS; i++)
		check(!pthread_join(workers[i].id, NULL));
	check(!cma->flush(&target));
	check_area(&partner, model);
	end_target(&partner);
	free(model);
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "random puts", random_puts },
		{ "random gets", random_gets },
		{ "neighbours", neighbours },
		{ "finishing", finishing },
		{ "block lists", block_lists },
		{ "large", large },
		{ "parts", parts },
		{ "threads", threads },
		{ NULL, NULL },
	};

	if (!has_cma()) {
		printf("# skip: process_vm_readv is forbidden here\n");
		return 77;
	}
	return run_cases(cases);
}
