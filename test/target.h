/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.h - for unit tests of the cma path: a process that has memory, and
 * tells what is in it.
 */
#ifndef TEST_TARGET_H
#define TEST_TARGET_H

#include "process.h"

#include "orl_path.h"
#include "orl_util.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#define KIB  ((size_t)1 << 10)
#define MIB  ((size_t)1 << 20)
#define AREA (256 * KIB)

/*
 * Made before the partner is, so that it has the same address in both, but
 * private: after the fork each has its own bytes.
 */
static unsigned char *area;
static size_t area_len;

static const struct orl_path *const cma = &orl_path_cma;

static inline void *map_private(size_t len)
{
	void *addr = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(addr != MAP_FAILED);
	return addr;
}

/* The target: sends its bytes whenever it is asked, until told to end. */
static inline void serve(struct partner *parent)
{
	char command;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	memset(area, 0, area_len);
	for (;;) {
		meet(parent);
		hear(parent, &command, 1);
		if (command == 'e')
			return;
		if (command == 'u')
			check(!munmap(area + area_len / 2, area_len / 2));
		if (command == 's')
			tell(parent, area, area_len);
	}
}

static inline struct partner start_target(struct orl_target *target, size_t len)
{
	struct partner partner;

	area_len = len;
	area = map_private(len);
	partner = partner_start(serve);
	*target = (struct orl_target){
		.path = cma,
		.base = (uintptr_t)area,
		.size = len,
		.pid = partner.pid,
	};
	meet(&partner);
	return partner;
}

static inline void command(const struct partner *partner, char what)
{
	tell(partner, &what, 1);
}

static inline void end_target(struct partner *partner)
{
	command(partner, 'e');
	partner_end(partner);
}

/* What the target itself finds in its memory. */
static inline void check_area(const struct partner *partner,
			      const unsigned char *expected)
{
	unsigned char *bytes = malloc(area_len);

	command(partner, 's');
	hear(partner, bytes, area_len);
	meet(partner);
	check(!memcmp(bytes, expected, area_len));
	free(bytes);
}

/* Does the system allow the calls at all? */
static inline bool has_cma(void)
{
	uint64_t word = 1, copy;
	struct orl_block block = { (uintptr_t)&word, sizeof(word) };
	struct orl_target self = { .path = cma, .pid = getpid() };
	int rc = cma->load(&self, &block, 1, &copy);

	return rc != -EPERM && rc != -ENOSYS;
}

#endif
