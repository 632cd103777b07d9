/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * room.h - for tests of what goes through memory: some of it with no pages
 * before and behind, so that a byte too many ends the test, and places in it.
 */
#ifndef ROOM_H
#define ROOM_H

#include <sys/mman.h>
#include <unistd.h>

#include "process.h"

/* Of whole pages. */
static inline unsigned char *room_map(size_t room)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *at = mmap(NULL, room + 2 * page, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(at != MAP_FAILED);
	check(!mprotect(at + page, room, PROT_READ | PROT_WRITE));
	return at + page;
}

/* Where len bytes may begin: at either end of the room, or between. */
static inline size_t room_place(size_t room, size_t len, uint64_t *seed)
{
	const size_t most = room - len;

	switch (next_random(seed) % 3) {
	case 0:
		return 0;
	case 1:
		return most;
	default:
		return next_random(seed) % (most + 1);
	}
}

#endif
