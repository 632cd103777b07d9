/* SPDX-License-Identifier: BSD-3-Clause */
/* cas.c - compare-and-swap with the gate shut, on any path. */
#include "locked.h"

#include <string.h>

#include "gate.h"

#define MAX_SIZE 32 /* of one element */

static int load_bytes(const struct orl_place *place, void *buf, size_t len)
{
	const struct orl_block block = { .addr = place->addr, .len = len };

	if (!place->path->mapped)
		return place->path->load(place->target, &block, 1, buf);
	memcpy(buf, orl_place_here(place, place->addr), len);
	return 0;
}

static int store_bytes(const struct orl_place *place, const void *buf,
		       size_t len)
{
	const struct orl_block block = { .addr = place->addr, .len = len };

	if (!place->path->mapped)
		return place->path->store(place->target, &block, 1, buf);
	memcpy(orl_place_here(place, place->addr), buf, len);
	return 0;
}

int orl_locked_cas(const struct orl_place *place, const struct orl_acc *acc,
		   const void *compare)
{
	const size_t size = orl_kinds[acc->kind].extent;
	unsigned char old[MAX_SIZE];
	int rc;

	orl_gate_shut(place->target->gate);
	rc = load_bytes(place, old, size);
	if (!rc && !memcmp(old, compare, size))
		rc = store_bytes(place, acc->origin, size);
	orl_gate_open(place->target->gate);
	if (!rc)
		memcpy(acc->result, old, size);
	return rc;
}
