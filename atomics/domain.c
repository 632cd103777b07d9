/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * domain.c - which kinds of a window are the network's.  Atomics of a device
 * and of a CPU on one element are not atomic to each other, so a kind is the
 * network's for all operations that the program may use on it, and for all
 * origins, or for none.
 *
 * Nor may a bulk accumulate become a row of scalar atomics, each a trip of
 * its own: a kind is the network's only if one atomic takes as many elements
 * as make a row worth its trip, unless the program says that it has no bulk.
 */
#include "orl_acc.h"

#include "nic.h"

/* At 8 bytes each half a KiB: no more trips than messages would be. */
#define VECTOR_LEAST 64

enum orl_fabric_verb orl_nic_verb(unsigned op)
{
	static const enum orl_fabric_verb verbs[] = {
		[ORL_SUM] = ORL_VERB_SUM,	[ORL_PROD] = ORL_VERB_PROD,
		[ORL_MAX] = ORL_VERB_MAX,	[ORL_MIN] = ORL_VERB_MIN,
		[ORL_LAND] = ORL_VERB_LAND,	[ORL_LOR] = ORL_VERB_LOR,
		[ORL_LXOR] = ORL_VERB_LXOR,	[ORL_BAND] = ORL_VERB_BAND,
		[ORL_BOR] = ORL_VERB_BOR,	[ORL_BXOR] = ORL_VERB_BXOR,
		[ORL_MINLOC] = ORL_VERB_COUNT,	[ORL_MAXLOC] = ORL_VERB_COUNT,
		[ORL_REPLACE] = ORL_VERB_WRITE, [ORL_NO_OP] = ORL_VERB_READ,
		[ORL_OP_CAS] = ORL_VERB_CSWAP,
	};

	return verbs[op];
}

/* Elements that one atomic must take. */
static uint64_t find_least(enum orl_kind kind, unsigned op,
			   const struct orl_acc_hints *hints)
{
	uint64_t extent = orl_kinds[kind].extent;

	if (hints->single || op == ORL_OP_CAS)
		return 1;
	if (hints->granularity)
		return (hints->granularity + extent - 1) / extent;
	return VECTOR_LEAST;
}

uint32_t orl_domain_nic(enum orl_kind kind, const struct orl_acc_hints *hints,
			orl_nic_most_fn most)
{
	const uint32_t defined = orl_op_classes[orl_kinds[kind].class];
	uint32_t used = defined & hints->ops, able = 0;
	unsigned op;

	for (op = 0; op <= ORL_OP_CAS; op++) {
		enum orl_fabric_verb verb = orl_nic_verb(op);

		if (used >> op & 1 && verb < ORL_VERB_COUNT &&
		    most(kind, verb) >= find_least(kind, op, hints))
			able |= 1u << op;
	}
	/* Where no two operations meet on an element, each goes its way. */
	return hints->same_op || able == used ? able : 0;
}
