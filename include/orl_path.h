/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_path.h - how bytes reach a target.  Addresses are the owner's virtual
 * addresses, in every window flavor.  Ranges and epochs have been checked;
 * functions return 0 or -errno.
 */
#ifndef ORL_PATH_H
#define ORL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orl_gate;
struct orl_path;
struct orl_queue;

/*
 * What one origin knows of one target of one window: private to the origin,
 * one cache line.  path to pid are constant after creation; queue belongs
 * to src/path, access and held to win.
 */
struct orl_target {
	const struct orl_path *path; /* of the window's memory; dynamic
				      * windows choose by region */
	struct orl_gate *gate;	     /* in the target's control block */
	uint64_t base;		     /* of the window; 0 if dynamic */
	uint64_t size;		     /* bytes */
	ptrdiff_t delta;	     /* our address minus the owner's */
	struct orl_queue *queue;     /* transfers not yet issued, or NULL */
	uint32_t disp_unit;
	int32_t pid;
	uint16_t slot;	/* of this origin in the gate */
	uint8_t access; /* an access epoch to this target is open */
	uint8_t held;	/* enum orl_held of win/win.h */
	uint32_t rank;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct orl_target) == 64, "one cache line a target");

/* A range of the owner's memory. */
struct orl_block {
	uint64_t addr;
	size_t len;
};

struct orl_path {
	const char *name;
	bool mapped; /* addr + delta can be dereferenced */
	bool native; /* and every origin does so: CPU atomics are atomic */
	/*
	 * Start one contiguous transfer, len > 0.  The local buffer must
	 * stay as it is until finish or flush.
	 */
	int (*put)(struct orl_target *target, uint64_t addr, const void *src,
		   size_t len);
	int (*get)(struct orl_target *target, uint64_t addr, void *dst,
		   size_t len);
	/* On return local buffers of all transfers may be reused. */
	int (*finish)(struct orl_target *target);
	/* On return all transfers are complete at both ends. */
	int (*flush)(struct orl_target *target);
	/* At once, from or to one buffer that holds the blocks in order. */
	int (*load)(struct orl_target *target, const struct orl_block *blocks,
		    size_t n, void *buf);
	int (*store)(struct orl_target *target, const struct orl_block *blocks,
		     size_t n, const void *buf);
};

extern const struct orl_path orl_path_direct; /* mapped memory: load, store */
extern const struct orl_path orl_path_self;   /* our own, others use cma */
extern const struct orl_path orl_path_cma;    /* process_vm_readv, writev */

/* Frees what src/path keeps for the target; nothing may be outstanding. */
void orl_path_release(struct orl_target *target);

#endif
