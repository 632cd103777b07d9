/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_shm.h - memory that all processes of the node can map.  Each process
 * has one arena: a sparse memfd, mapped whole by each peer at first contact.
 * Everything shared lives in some arena, so one displacement per peer turns
 * the owner's addresses into this process's, and making a window maps
 * nothing.
 */
#ifndef ORL_SHM_H
#define ORL_SHM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- this process's arena; any thread may call ----------------------------- */

/*
 * Opens the arena unless it is open: 0 or -errno.  Touches no pages.  On
 * failure *what says which step failed.
 */
int orl_arena_open(const char **what);

/*
 * len bytes (0 gives a valid unique address), aligned to align, a power of
 * two up to 2 MiB.  The bytes are not touched and not cleared.  NULL when
 * the node cannot give them (orl_node_room) or the arena is full.
 */
void *orl_arena_alloc(size_t len, size_t align);
/* Gives whole pages back to the system. */
void orl_arena_free(void *addr);
/* Is addr what orl_arena_alloc returned, and not freed? */
bool orl_arena_is_block(const void *addr);
/* Do all of these bytes lie in the arena? */
bool orl_arena_holds(const void *addr, size_t len);
/* Bytes allocated from the arena. */
size_t orl_arena_used(void);

/*
 * The most bytes that all processes of the node together may have: the
 * least of memory and swap, the cgroup's limit and this process's rlimits.
 * Read once.
 */
size_t orl_node_room(void);

/* -- peers ----------------------------------------------------------------- */

/* What another process must know to map this arena.  Fixed width. */
struct orl_card {
	uint64_t token; /* names the process: never used twice */
	uint64_t node;	/* equal where processes can map each other */
	uint64_t base;	/* the owner's address of the arena */
	uint64_t size;
	uint64_t used; /* bytes allocated, by orl_arena_used */
	int32_t pid;
	int32_t fd;
};
_Static_assert(sizeof(struct orl_card) == 48, "exchanged between processes");

void orl_card_fill(struct orl_card *card);

/* A process of this node whose arena is mapped.  Lives until exit. */
struct orl_peer {
	uint64_t token;
	int32_t pid;
	_Atomic(int) cma; /* 0: not tried; 1: works; < 0: -errno */
	ptrdiff_t delta;  /* our address of a byte minus the owner's */
	uint64_t probe;	  /* an owner's address that is readable */
};

/*
 * Maps at first contact.  Own card: delta 0.  0 or -errno: -EXDEV for a card
 * of another node, -ESTALE where the process or its arena is gone.
 */
int orl_peer_find(const struct orl_card *card, struct orl_peer **peer);

/* May process_vm_readv/writev reach it?  0 or -errno; asked once. */
int orl_peer_cma(struct orl_peer *peer);

#endif
