/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kinds are the network's, for networks that have little: all
 * operations that may be used or none, unless no two meet on an element; and
 * rows of scalar atomics only if the program says that it has no bulk.
 */
#include "orl_acc.h"

#include <stdio.h>

static int failures;

static void expect(const char *what, uint32_t got, uint32_t want)
{
	if (got == want)
		return;
	printf("%s: %#x, not %#x\n", what, got, want);
	failures++;
}

#define BIT(op) (1u << (op))
#define INTEGER                                                                \
	(BIT(ORL_SUM) | BIT(ORL_PROD) | BIT(ORL_MAX) | BIT(ORL_MIN) |          \
	 BIT(ORL_LAND) | BIT(ORL_LOR) | BIT(ORL_LXOR) | BIT(ORL_BAND) |        \
	 BIT(ORL_BOR) | BIT(ORL_BXOR) | BIT(ORL_REPLACE) | BIT(ORL_NO_OP) |    \
	 BIT(ORL_OP_CAS))
#define FLOAT                                                                  \
	(BIT(ORL_SUM) | BIT(ORL_PROD) | BIT(ORL_MAX) | BIT(ORL_MIN) |          \
	 BIT(ORL_REPLACE) | BIT(ORL_NO_OP))

/* -- networks ---------------------------------------------------------------*/

static size_t rich(enum orl_kind kind, enum orl_fabric_verb verb)
{
	return kind == ORL_I64 || kind == ORL_F64 ? 512 : 0;
}

/* Scalars alone, and of these no product. */
static size_t scalar(enum orl_kind kind, enum orl_fabric_verb verb)
{
	return kind == ORL_I64 && verb != ORL_VERB_PROD;
}

/* Rows, but of sums and reads alone. */
static size_t adder(enum orl_kind kind, enum orl_fabric_verb verb)
{
	return verb == ORL_VERB_SUM || verb == ORL_VERB_READ ? 512 : 0;
}

static const struct orl_acc_hints none = { .ops = ORL_OPS_ALL };

static void without_hints(void)
{
	expect("rich, I64", orl_domain_nic(ORL_I64, &none, rich), INTEGER);
	expect("rich, F64", orl_domain_nic(ORL_F64, &none, rich), FLOAT);
	expect("rich, U64", orl_domain_nic(ORL_U64, &none, rich), 0);
	expect("rich, pair", orl_domain_nic(ORL_2INT, &none, rich), 0);
	expect("scalar", orl_domain_nic(ORL_I64, &none, scalar), 0);
	expect("adder", orl_domain_nic(ORL_I64, &none, adder), 0);
}

static void with_operations(void)
{
	struct orl_acc_hints hints = none;

	hints.ops = BIT(ORL_SUM) | BIT(ORL_NO_OP);
	expect("adder, sums", orl_domain_nic(ORL_I64, &hints, adder),
	       hints.ops);
	hints.ops |= BIT(ORL_MAX);
	expect("adder, sums and maxima", orl_domain_nic(ORL_I64, &hints, adder),
	       0);
	hints.same_op = true;
	expect("adder, never two at once",
	       orl_domain_nic(ORL_I64, &hints, adder),
	       BIT(ORL_SUM) | BIT(ORL_NO_OP));
	hints.ops = 0;
	expect("no operation", orl_domain_nic(ORL_I64, &hints, rich), 0);
}

static void with_sizes(void)
{
	struct orl_acc_hints hints = none;

	hints.ops &= ~BIT(ORL_PROD);
	expect("scalar, no product", orl_domain_nic(ORL_I64, &hints, scalar),
	       0);
	hints.single = true;
	expect("scalar, single", orl_domain_nic(ORL_I64, &hints, scalar),
	       INTEGER & ~BIT(ORL_PROD));
	hints.single = false;
	hints.granularity = 8;
	expect("scalar, 8 bytes", orl_domain_nic(ORL_I64, &hints, scalar),
	       INTEGER & ~BIT(ORL_PROD));
	hints.granularity = 9;
	expect("scalar, 9 bytes", orl_domain_nic(ORL_I64, &hints, scalar), 0);
	hints.granularity = 4096;
	expect("rich, 4096 bytes", orl_domain_nic(ORL_F64, &hints, rich),
	       FLOAT & ~BIT(ORL_PROD));
	hints.granularity = 4097;
	expect("rich, 4097 bytes", orl_domain_nic(ORL_F64, &hints, rich), 0);
}

int main(void)
{
	without_hints();
	with_operations();
	with_sizes();
	return failures ? 1 : 0;
}
