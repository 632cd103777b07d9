/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: the direct path moves exactly the bytes that it is asked to, of any
 * size at any alignment, and nothing around them.
 */
#include "process.h"

#include "orl_path.h"

/* Every small size at every alignment, and bytes around it stay. */
static void direct_sizes(const struct orl_path *path, unsigned char *window,
			 struct orl_target *target, size_t len)
{
	unsigned char src[160], dst[160];

	for (size_t at = 8; at < 24; at++) {
		fill(src, sizeof(src), len * 100 + at);
		memset(window, 0xaa, 256);
		memset(dst, 0xbb, sizeof(dst));
		check(!path->put(target, target->base + at, src + at % 8, len));
		check(!memcmp(window + at, src + at % 8, len));
		check(window[at - 1] == 0xaa && window[at + len] == 0xaa);
		check(!path->get(target, target->base + at, dst + at % 8 + 1,
				 len));
		check(!memcmp(dst + at % 8 + 1, src + at % 8, len));
		check(dst[at % 8] == 0xbb && dst[at % 8 + 1 + len] == 0xbb);
	}
	check(!path->finish(target) && !path->flush(target));
}

static void direct_blocks(const struct orl_path *path, unsigned char *window,
			  struct orl_target *target)
{
	struct orl_block blocks[] = { { target->base + 100, 8 },
				      { target->base + 3, 5 },
				      { target->base + 50, 0 },
				      { target->base + 20, 16 } };
	unsigned char src[29], dst[29];

	fill(src, 24, 1);
	memset(src + 24, 9, 5);
	memset(window, 0, 256);
	check(!path->store(target, blocks, 4, src));
	check(!memcmp(window + 100, src, 8) && !memcmp(window + 3, src + 8, 5));
	check(!memcmp(window + 20, src + 13, 16) && !window[50]);
	check(!path->load(target, blocks, 4, dst) && !memcmp(src, dst, 29));
}

/* The window is at another address here than at its owner. */
int main(void)
{
	unsigned char *window = malloc(256);
	uint64_t base = 0x123456789000;
	struct orl_target target = {
		.path = &orl_path_direct,
		.base = base,
		.size = 256,
		.delta = (ptrdiff_t)((uintptr_t)window - base),
	};
	struct orl_target self = {
		.path = &orl_path_self,
		.base = (uintptr_t)window,
		.size = 256,
	};

	check(orl_path_direct.mapped && orl_path_direct.native);
	check(orl_path_self.mapped && !orl_path_self.native);
	check(!orl_path_cma.mapped && !orl_path_cma.native);
	for (size_t len = 1; len < 140; len++) {
		direct_sizes(&orl_path_direct, window, &target, len);
		direct_sizes(&orl_path_self, window, &self, len);
	}
	direct_blocks(&orl_path_direct, window, &target);
	direct_blocks(&orl_path_self, window, &self);
	orl_path_release(&target);
	free(window);
	return 0;
}
