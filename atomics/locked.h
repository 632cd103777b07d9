/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * locked.h - work on elements with the gate shut, whatever their size,
 * alignment and path.  All return 0 or -errno, with the gate open again.
 */
#ifndef LOCKED_H
#define LOCKED_H

#include "orl_acc.h"

/* Our address of the owner's, on a mapped path. */
static inline void *orl_place_here(const struct orl_place *place, uint64_t addr)
{
	return (void *)(uintptr_t)(addr + place->target->delta);
}

int orl_locked_issue(const struct orl_place *place, const struct orl_acc *acc);
/* The same for one contiguous element. */
int orl_locked_one(const struct orl_place *place, const struct orl_acc *acc);
int orl_locked_cas(const struct orl_place *place, const struct orl_acc *acc,
		   const void *compare);

#endif
