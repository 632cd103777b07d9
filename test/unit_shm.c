/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: the arena gives blocks that are aligned and do not overlap, touches
 * no pages, gives freed memory back, and can be mapped, written and read by
 * any other process of the node; a fork's child harms nothing.
 */
#include "arena.h"
#include "process.h"

#include "orl_shm.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Bytes of memory behind the arena. */
static size_t resident(void)
{
	struct stat status;

	check(!fstat(own_card().fd, &status));
	return (size_t)status.st_blocks * 512;
}

static bool is_aligned(const void *addr, size_t align)
{
	return (uintptr_t)addr % align == 0;
}

/* -- one process -----------------------------------------------------------*/

static void opening(void)
{
	struct orl_card card, again;
	struct stat status;

	check(!orl_arena_alloc(8, 8));
	check(!orl_arena_is_block(&card) && !orl_arena_holds(&card, 1));
	open_arena(NULL);
	card = own_card();
	again = own_card();
	check(!memcmp(&card, &again, sizeof(card)));
	check(card.token && card.pid == getpid() && !card.used);
	check(card.size % (2 * MIB) == 0 && card.base % (2 * MIB) == 0);
	check(fcntl(card.fd, F_GETFD) == FD_CLOEXEC);
	check(!fstat(card.fd, &status) && !status.st_nlink);
	check((uint64_t)status.st_size == card.size && !status.st_blocks);
}

/* Where all that a program maps is to be locked in memory. */
static void locked(void)
{
	/* Others have a limit, which would have to hold the whole arena. */
	if (geteuid() || mlockall(MCL_FUTURE))
		return;
	open_arena(NULL);
	check(!resident());
}

static void blocks(void)
{
	char *empty, *other, *page, *huge, *word;

	open_arena(NULL);
	empty = orl_arena_alloc(0, 1);
	other = orl_arena_alloc(0, 1);
	page = orl_arena_alloc(4097, 64);
	huge = orl_arena_alloc(64 * MIB + 1, 8);
	word = orl_arena_alloc(8, 2 * MIB);
	check(empty && other && empty != other && page && huge && word);
	check(is_aligned(empty, 64) && is_aligned(page, 4096));
	check(is_aligned(huge, 2 * MIB) && is_aligned(word, 2 * MIB));
	check(orl_arena_used() == 64 + 64 + 8192 + 64 * MIB + 4096 + 64);
	check(orl_arena_is_block(page) && !orl_arena_is_block(page + 64));
	check(orl_arena_holds(page, 4097) && !orl_arena_holds(page, SIZE_MAX));
	check(!orl_arena_holds(&page, 1) && !orl_arena_holds(NULL, 0));
	check(!resident());
	orl_arena_free(page);
	check(!orl_arena_is_block(page));
	orl_arena_free(page);
	orl_arena_free(&page);
	orl_arena_free(NULL);
	orl_arena_free(empty);
	orl_arena_free(other);
	orl_arena_free(huge);
	orl_arena_free(word);
	check(!orl_arena_used() && !resident());
}

static void exhaustion(void)
{
	void *found[64], *all;
	int n = 0;

	open_arena("4194304");
	check(own_card().size == 4 * MIB);
	while (n < 64 && (found[n] = orl_arena_alloc(100000, 64)))
		n++;
	check(n == 40); /* 25 pages each */
	check(!orl_arena_alloc(25 * 4096, 64));
	for (int i = 0; i < n; i += 2)
		orl_arena_free(found[i]);
	check(!orl_arena_alloc(40 * 4096, 64));
	for (int i = 1; i < n; i += 2)
		orl_arena_free(found[i]);
	all = orl_arena_alloc(4 * MIB, 64);
	check(all && !orl_arena_alloc(0, 1));
	orl_arena_free(all);
	check(!orl_arena_alloc(4 * MIB + 1, 64) && !orl_arena_alloc(-1ul, 1));
	check(!orl_arena_alloc(SIZE_MAX / 2, 1));
}

/* -- many blocks against a model -------------------------------------------*/

struct block {
	unsigned char *addr;
	size_t len;
	unsigned char tag;
};

static size_t rounded(size_t len)
{
	if (len >= 4096)
		return (len + 4095) / 4096 * 4096;
	return len ? (len + 63) / 64 * 64 : 64;
}

static size_t random_len(uint64_t *state)
{
	size_t most = (size_t)1 << next_random(state) % 18;

	return next_random(state) % 64 ? next_random(state) % most
				       : next_random(state) % (3 * MIB);
}

/* Its ends tell whether anybody else has them too. */
static void mark(struct block *block)
{
	size_t n = block->len < 128 ? block->len : 128;

	memset(block->addr, block->tag, n);
	memset(block->addr + block->len - n, block->tag, n);
}

static void check_mark(const struct block *block)
{
	size_t n = block->len < 128 ? block->len : 128;

	for (size_t i = 0; i < n; i++) {
		check(block->addr[i] == block->tag);
		check(block->addr[block->len - 1 - i] == block->tag);
	}
}

static void make_block(struct block *block, uint64_t *state)
{
	size_t align = (size_t)1 << next_random(state) % 14;

	block->len = random_len(state);
	block->tag = (unsigned char)next_random(state);
	block->addr = orl_arena_alloc(block->len, align);
	check(block->addr && is_aligned(block->addr, align));
	check(orl_arena_holds(block->addr, block->len));
	mark(block);
}

static void drop_block(struct block *block)
{
	check(orl_arena_is_block(block->addr));
	check_mark(block);
	orl_arena_free(block->addr);
	block->addr = NULL;
}

#define BLOCKS 2000

static void churn(uint64_t state)
{
	struct block *all = calloc(BLOCKS, sizeof(*all));

	for (int i = 0; i < 60000; i++) {
		struct block *block = &all[next_random(&state) % BLOCKS];

		if (block->addr)
			drop_block(block);
		else
			make_block(block, &state);
	}
	for (int i = 0; i < BLOCKS; i++)
		if (all[i].addr)
			drop_block(&all[i]);
	free(all);
}

static void model(void)
{
	uint64_t state = 1;
	struct block *all = calloc(BLOCKS, sizeof(*all));
	size_t used = 0;

	open_arena("1073741824");
	for (int i = 0; i < 40000; i++) {
		struct block *block = &all[next_random(&state) % BLOCKS];

		if (block->addr) {
			unsigned char *addr = block->addr;

			used -= rounded(block->len);
			drop_block(block);
			check(!orl_arena_is_block(addr));
		} else {
			make_block(block, &state);
			used += rounded(block->len);
		}
		check(orl_arena_used() == used);
	}
	for (int i = 0; i < BLOCKS; i++)
		if (all[i].addr)
			drop_block(&all[i]);
	free(all);
	check(!orl_arena_used());
	check(resident() <= 9 * MIB);
	/* All are one piece again. */
	check(orl_arena_alloc(own_card().size, 64));
}

static void *churn_thread(void *arg)
{
	churn((uintptr_t)arg);
	return NULL;
}

static void threads(void)
{
	pthread_t ids[4];

	open_arena("4294967296");
	for (uintptr_t i = 0; i < 4; i++)
		check(!pthread_create(&ids[i], NULL, churn_thread,
				      (void *)(i + 7)));
	for (int i = 0; i < 4; i++)
		check(!pthread_join(ids[i], NULL));
	check(!orl_arena_used());
}

/* -- pages -----------------------------------------------------------------*/

static void give_back(void)
{
	char *block, *small;

	open_arena(NULL);
	small = orl_arena_alloc(64, 64);
	memset(small, 1, 64);
	block = orl_arena_alloc(64 * MIB, 64);
	memset(block, 2, 64 * MIB);
	check(resident() >= 64 * MIB);
	orl_arena_free(block);
	check(resident() <= 8192);
	check(small[0] == 1 && small[63] == 1);
}

/* Some programs close all that they do not know. */
static void closed(void)
{
	char name[] = "/tmp/oriel-unit-XXXXXX", *block;
	int file = mkstemp(name), fd;
	struct stat before, after;

	check(file >= 0 && !unlink(name));
	open_arena(NULL);
	fd = own_card().fd;
	block = orl_arena_alloc(64 * MIB, 64);
	memset(block, 2, 64 * MIB);
	check(write(file, block, MIB) == MIB && !fsync(file));
	check(dup2(file, fd) == fd && !fstat(file, &before));
	orl_arena_free(block);
	check(!fstat(file, &after) && before.st_blocks == after.st_blocks);
	check(!block[0] && !block[MIB]);
}

static void no_growth(void)
{
	uint64_t state = 3;

	open_arena(NULL);
	for (int i = 0; i < 10000; i++) {
		size_t len = 64 + next_random(&state) % (512 << 10);
		char *block = orl_arena_alloc(len, 64);
		char *other = orl_arena_alloc(len / 2, 64);

		block[0] = other[len / 2 - 1] = 1;
		block[len - 1] = 1;
		memset(block + len / 2, 1, len / 4);
		orl_arena_free(i % 2 ? block : other);
		orl_arena_free(i % 2 ? other : block);
		if (i % 100 == 99)
			check(resident() <= 9 * MIB);
	}
}

static long faults(void)
{
	struct rusage usage;

	check(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt;
}

static void cycle(size_t len)
{
	char *block = orl_arena_alloc(len, 64);

	for (size_t i = 0; i < len; i += 4096)
		block[i] = 1;
	orl_arena_free(block);
}

/* A loop that makes and frees a window of some pages has no faults. */
static void stay_warm(void)
{
	long before;

	open_arena(NULL);
	orl_arena_alloc(64, 64);
	for (int i = 0; i < 4; i++)
		cycle(256 << 10);
	before = faults();
	for (int i = 0; i < 1000; i++)
		cycle(256 << 10);
	/* Of 64000 pages touched. */
	check(faults() - before < 64000 / 10);
}

/* -- processes -------------------------------------------------------------*/

static char *forked_block;

static void use_after_fork(struct partner *parent)
{
	const char *what;

	orl_arena_free(forked_block);
	check(orl_arena_is_block(forked_block));
	check(!orl_arena_alloc(64, 64) && orl_arena_open(&what));
	check(!own_card().token);
	check(forked_block[5] == 7);
}

static void after_fork(void)
{
	struct partner child;

	open_arena(NULL);
	forked_block = orl_arena_alloc(32 * MIB, 64);
	memset(forked_block, 7, 32 * MIB);
	child = partner_start(use_after_fork);
	partner_end(&child);
	check(orl_arena_is_block(forked_block));
	for (size_t i = 0; i < 32 * MIB; i += 4096)
		check(forked_block[i] == 7);
	check(orl_arena_used() == 32 * MIB);
}

/* The other's address, as this process sees it. */
static void *seen(const struct orl_peer *peer, uint64_t addr)
{
	return (void *)(uintptr_t)(addr + (uint64_t)peer->delta);
}

struct hello {
	struct orl_card card;
	uint64_t block;
};

static struct hello swap_hello(const struct partner *partner, void *block)
{
	struct hello mine = { .card = own_card(), .block = (uintptr_t)block };
	struct hello theirs;

	tell(partner, &mine, sizeof(mine));
	hear(partner, &theirs, sizeof(theirs));
	return theirs;
}

/* Both sides do the same: write the other's block, read what came. */
static struct orl_peer *converse(const struct partner *partner)
{
	size_t words = 32 * MIB / 8;
	uint64_t *block, *remote;
	struct orl_peer *peer, *again;
	struct hello theirs;

	open_arena(NULL);
	block = orl_arena_alloc(words * 8, 64);
	theirs = swap_hello(partner, block);
	check(theirs.card.node == own_card().node);
	check(theirs.card.token != own_card().token);
	check(!orl_peer_find(&theirs.card, &peer) && peer->delta);
	check(!orl_peer_find(&theirs.card, &again) && peer == again);
	check(peer->pid == partner->pid && peer->token == theirs.card.token);
	remote = seen(peer, theirs.block);
	for (size_t i = 0; i < words; i += 511)
		remote[i] = i * 3 + 1;
	meet(partner);
	for (size_t i = 0; i < words; i += 511)
		check(block[i] == i * 3 + 1);
	check(remote[0] == 1);
	meet(partner);
	return peer;
}

static void converse_and_end(struct partner *partner)
{
	converse(partner);
}

static void mapping(void)
{
	struct partner partner = partner_start(converse_and_end);
	struct orl_peer *peer = converse(&partner), *own, *other;
	struct orl_card card = own_card();

	partner_end(&partner);
	/* It stays mapped when the other has gone. */
	check(*(volatile char *)seen(peer, peer->probe) == 0);
	check(!orl_peer_find(&card, &own) && !own->delta);
	check(!orl_peer_cma(own));
	card.token ^= 1;
	check(orl_peer_find(&card, &other) == -ESTALE && !other);
	card.node ^= 1;
	check(orl_peer_find(&card, &other) == -EXDEV);
	card.node ^= 1;
	card.pid = partner.pid;
	check(orl_peer_find(&card, &other) < 0 && !other);
}

static void show_and_wait(struct partner *partner)
{
	open_arena(NULL);
	swap_hello(partner, NULL);
	check(!resident());
	meet(partner);
	meet(partner);
	check(resident() <= 4096);
}

/* The answer is what the system says of a call that the test makes itself. */
static void cma(void)
{
	struct partner partner = partner_start(show_and_wait);
	struct orl_peer *peer;
	struct hello theirs;
	int rc;

	open_arena(NULL);
	theirs = swap_hello(&partner, NULL);
	check(!orl_peer_find(&theirs.card, &peer) && !peer->cma);
	meet(&partner);
	rc = orl_peer_cma(peer);
	check(rc == 0 || rc == -EPERM || rc == -ENOSYS);
	check(peer->cma == (rc ? rc : 1) && orl_peer_cma(peer) == rc);
	meet(&partner);
	partner_end(&partner);
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "opening", opening },
		{ "locked", locked },
		{ "blocks", blocks },
		{ "exhaustion", exhaustion },
		{ "model", model },
		{ "threads", threads },
		{ "give back", give_back },
		{ "closed", closed },
		{ "no growth", no_growth },
		{ "stay warm", stay_warm },
		{ "after fork", after_fork },
		{ "mapping", mapping },
		{ "cma", cma },
		{ NULL, NULL },
	};

	return run_cases(cases);
}
