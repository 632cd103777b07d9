/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shm.h - what the files of src/shm tell each other.
 */
#ifndef ORL_SHM_PRIVATE_H
#define ORL_SHM_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#define ORL_ARENA_ALIGN ((size_t)2 << 20)  /* a huge page */
#define ORL_ARENA_LEAST ((size_t)64 << 20) /* by default */

/* Names the memfd after the arena's token: "oriel-0123456789abcdef". */
#define ORL_ARENA_NAME "oriel-%016llx"

/* This process's arena; token 0 before it is open, and in a fork's child. */
struct orl_arena_id {
	uint64_t token;
	uint64_t base;
	uint64_t size;
	int fd;
};

void orl_arena_identify(struct orl_arena_id *id);

/*
 * Maps size bytes of an arena at a multiple of ORL_ARENA_ALIGN, kept out of
 * core dumps.  0 or -errno.
 */
int orl_arena_map(int fd, size_t size, uint64_t *addr);

/* Bytes that an arena may span: by option or by the limits; 0: none. */
size_t orl_arena_span(void);

/*
 * The least limit, in bytes, of the cgroups that the process is in; self is
 * its folder in /proc, swap the machine's.  SIZE_MAX where there is none.
 */
size_t orl_cgroup_room(const char *self, size_t swap);

/* Equal in processes that can map each other's arenas. */
uint64_t orl_node_id(void);

#endif
