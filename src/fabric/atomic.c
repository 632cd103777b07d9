/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * atomic.c - the provider's atomics: what it has, asked once, and posting
 * them.  Providers with local keys (FI_MR_LOCAL) are not used for them.
 */
#include "fabric.h"

#include "orl_util.h"

#include <rdma/fi_atomic.h>
#include <string.h>

/* Bytes of one atomic: what no provider in use goes beyond. */
#define BYTES_MOST (16 << 10)

static bool wanted;
/* Completions without a result cannot be relied on. */
static bool fetch_always;
static uint16_t most[ORL_KIND_COUNT][ORL_VERB_COUNT];

/* What nobody reads. */
static uint64_t nowhere[BYTES_MOST / 8];

static const enum fi_op ops[ORL_VERB_COUNT] = {
	[ORL_VERB_SUM] = FI_SUM,
	[ORL_VERB_PROD] = FI_PROD,
	[ORL_VERB_MAX] = FI_MAX,
	[ORL_VERB_MIN] = FI_MIN,
	[ORL_VERB_LAND] = FI_LAND,
	[ORL_VERB_LOR] = FI_LOR,
	[ORL_VERB_LXOR] = FI_LXOR,
	[ORL_VERB_BAND] = FI_BAND,
	[ORL_VERB_BOR] = FI_BOR,
	[ORL_VERB_BXOR] = FI_BXOR,
	[ORL_VERB_WRITE] = FI_ATOMIC_WRITE,
	[ORL_VERB_READ] = FI_ATOMIC_READ,
	[ORL_VERB_CSWAP] = FI_CSWAP,
};

/* Kinds that the network may have atomics for. */
static const struct {
	bool known;
	enum fi_datatype type;
} datatypes[ORL_KIND_COUNT] = {
	[ORL_I8] = { true, FI_INT8 },	 [ORL_I16] = { true, FI_INT16 },
	[ORL_I32] = { true, FI_INT32 },	 [ORL_I64] = { true, FI_INT64 },
	[ORL_U8] = { true, FI_UINT8 },	 [ORL_U16] = { true, FI_UINT16 },
	[ORL_U32] = { true, FI_UINT32 }, [ORL_U64] = { true, FI_UINT64 },
	[ORL_F32] = { true, FI_FLOAT },	 [ORL_F64] = { true, FI_DOUBLE },
	[ORL_BYTE] = { true, FI_UINT8 },
};

/* -- what there is --------------------------------------------------------- */

void orl_fabric_want_atomics(void)
{
	wanted = true;
}

bool orl_atomics_are_wanted(void)
{
	return wanted;
}

static size_t query_one(enum fi_datatype type, enum fi_op op, uint64_t flags)
{
	struct fi_atomic_attr attr = { .count = 0 };

	if (fi_query_atomic(orl_endpoint.domain, type, op, &attr, flags) ||
	    !attr.size)
		return 0;
	return attr.count < BYTES_MOST / attr.size ? attr.count
						   : BYTES_MOST / attr.size;
}

/* Both with a result and without. */
static size_t query_both(enum fi_datatype type, enum fi_op op)
{
	size_t fetch = query_one(type, op, FI_FETCH_ATOMIC), plain = fetch;

	if (op == FI_CSWAP)
		return query_one(type, op, FI_COMPARE_ATOMIC);
	if (op != FI_ATOMIC_READ && !fetch_always)
		plain = query_one(type, op, 0);
	return plain < fetch ? plain : fetch;
}

static void query_kind(enum orl_kind kind)
{
	const enum fi_datatype type = datatypes[kind].type;

	if (!datatypes[kind].known)
		return;
	for (int verb = 0; verb < ORL_VERB_COUNT; verb++)
		most[kind][verb] = (uint16_t)query_both(type, ops[verb]);
}

/* An order counts if it is kept for the largest atomic. */
static unsigned find_orders(const struct fi_info *info)
{
	const uint64_t given = info->tx_attr->msg_order;
	const struct fi_ep_attr *ep = info->ep_attr;
	unsigned orders = 0;

	if (given & FI_ORDER_ATOMIC_RAR)
		orders |= ORL_ORDER_RAR;
	if (given & FI_ORDER_ATOMIC_RAW && ep->max_order_raw_size >= BYTES_MOST)
		orders |= ORL_ORDER_RAW;
	if (given & FI_ORDER_ATOMIC_WAR && ep->max_order_war_size >= BYTES_MOST)
		orders |= ORL_ORDER_WAR;
	if (given & FI_ORDER_ATOMIC_WAW && ep->max_order_waw_size >= BYTES_MOST)
		orders |= ORL_ORDER_WAW;
	return orders;
}

void orl_atomics_query(const struct fi_info *info)
{
	memset(most, 0, sizeof(most));
	if (!wanted || !(info->caps & FI_ATOMIC) ||
	    orl_endpoint.mr_mode & FI_MR_LOCAL)
		return;
	/* shm up to 2.4 frees a buffer twice if told FI_DELIVERY_COMPLETE. */
	fetch_always = !strcmp(info->fabric_attr->prov_name, "shm");
	for (enum orl_kind kind = 0; kind < ORL_KIND_COUNT; kind++)
		query_kind(kind);
	orl_fabric.atomics = true;
	orl_fabric.atomic_order = find_orders(info);
}

size_t orl_fabric_atomic_most(enum orl_kind kind, enum orl_fabric_verb verb)
{
	return most[kind][verb];
}

/* -- posting --------------------------------------------------------------- */

static int post_result(const struct orl_fabric_atomic *atomic,
		       const struct fi_msg_atomic *message)
{
	struct fi_ioc result = { .addr = atomic->result ? atomic->result
							: nowhere,
				 .count = atomic->count };
	struct fi_ioc compare = { .addr = (void *)(uintptr_t)atomic->compare,
				  .count = atomic->count };
	void *none = NULL;

	if (!atomic->compare)
		return (int)fi_fetch_atomicmsg(orl_endpoint.ep, message,
					       &result, &none, 1,
					       FI_COMPLETION);
	return (int)fi_compare_atomicmsg(orl_endpoint.ep, message, &compare,
					 &none, 1, &result, &none, 1,
					 FI_COMPLETION);
}

int orl_atomic_post(struct orl_fabric_op *op)
{
	const struct orl_fabric_atomic *atomic =
		(const struct orl_fabric_atomic *)op;
	const void *operand = atomic->operand ? atomic->operand : nowhere;
	struct fi_ioc local = { .addr = (void *)(uintptr_t)operand,
				.count = atomic->count };
	struct fi_rma_ioc remote = { .addr = op->addr,
				     .count = atomic->count,
				     .key = op->key };
	void *none = NULL;
	struct fi_msg_atomic message = { .msg_iov = &local,
					 .desc = &none,
					 .iov_count = 1,
					 .addr = orl_peer_of(op->peer)->addr,
					 .rma_iov = &remote,
					 .rma_iov_count = 1,
					 .datatype =
						 datatypes[atomic->kind].type,
					 .op = ops[atomic->verb],
					 .context = op->context };

	if (atomic->result || atomic->compare || fetch_always)
		return post_result(atomic, &message);
	return (int)fi_atomicmsg(orl_endpoint.ep, &message,
				 FI_COMPLETION | FI_DELIVERY_COMPLETE);
}
