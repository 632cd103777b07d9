/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stage.c - registered memory of ours that small operands pass through where
 * the provider wants local memory registered, since copying them takes less
 * time.  It is shared memory, whose pages stay the device's after a fork.
 * Pieces are cut from blocks, in their order; a block is whole again when all
 * its pieces have come back.
 */
#include "fabric.h"

#include "orl_util.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCKS	    32
#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGN	    64

struct block {
	size_t used;
	unsigned pieces;
};

static struct {
	char *bytes; /* or NULL: closed */
	struct fid_mr *mr;
	int current;
	struct block blocks[BLOCKS];
} stage;

int orl_stage_open(struct orl_endpoint *endpoint)
{
	void *bytes;
	int rc;

	if (!(endpoint->mr_mode & FI_MR_LOCAL))
		return 0;
	bytes = mmap(NULL, BLOCKS * BLOCK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return -ENOMEM;
	rc = orl_local_open(endpoint, bytes, BLOCKS * BLOCK_BYTES,
			    FI_SEND | FI_READ | FI_WRITE, &stage.mr);
	if (rc) {
		munmap(bytes, BLOCKS * BLOCK_BYTES);
		return rc;
	}
	stage.bytes = bytes;
	return 0;
}

void orl_stage_close(void)
{
	if (!stage.bytes)
		return;
	fi_close(&stage.mr->fid);
	munmap(stage.bytes, BLOCKS * BLOCK_BYTES);
	memset(&stage, 0, sizeof(stage));
}

/* The next block of which nothing is in use, if there is one. */
static struct block *next_block(void)
{
	for (int i = 1; i < BLOCKS; i++) {
		int next = (stage.current + i) % BLOCKS;

		if (stage.blocks[next].pieces)
			continue;
		stage.current = next;
		return &stage.blocks[next];
	}
	return NULL;
}

bool orl_stage_fits(size_t len)
{
	return stage.bytes && len <= BLOCK_BYTES;
}

void *orl_stage_take(size_t len)
{
	struct block *block = &stage.blocks[stage.current];
	char *piece;

	if (!orl_stage_fits(len))
		return NULL;
	if (len > BLOCK_BYTES - block->used)
		block = next_block();
	if (!block)
		return NULL;
	piece = stage.bytes + (size_t)stage.current * BLOCK_BYTES + block->used;
	block->used += ORL_ALIGN_UP(len, ALIGN);
	block->pieces++;
	return piece;
}

void orl_stage_give(void *piece)
{
	size_t at = (size_t)((char *)piece - stage.bytes);
	struct block *block = &stage.blocks[at / BLOCK_BYTES];

	if (!--block->pieces)
		block->used = 0;
}

void *orl_stage_desc(void)
{
	return fi_mr_desc(stage.mr);
}
