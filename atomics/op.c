/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - MPI's predefined operations, and what each is defined on. */
#include "orl_acc.h"

const MPI_Op orl_op_handles[ORL_OP_COUNT] = {
	[ORL_SUM] = MPI_SUM,	     [ORL_PROD] = MPI_PROD,
	[ORL_MAX] = MPI_MAX,	     [ORL_MIN] = MPI_MIN,
	[ORL_LAND] = MPI_LAND,	     [ORL_LOR] = MPI_LOR,
	[ORL_LXOR] = MPI_LXOR,	     [ORL_BAND] = MPI_BAND,
	[ORL_BOR] = MPI_BOR,	     [ORL_BXOR] = MPI_BXOR,
	[ORL_MINLOC] = MPI_MINLOC,   [ORL_MAXLOC] = MPI_MAXLOC,
	[ORL_REPLACE] = MPI_REPLACE, [ORL_NO_OP] = MPI_NO_OP,
};

#define BIT(op)	 (1u << (op))
#define CAS	 BIT(ORL_OP_CAS)
#define MOVES	 (BIT(ORL_REPLACE) | BIT(ORL_NO_OP))
#define SUMS	 (BIT(ORL_SUM) | BIT(ORL_PROD))
#define EXTREMES (BIT(ORL_MAX) | BIT(ORL_MIN))
#define LOGIC	 (BIT(ORL_LAND) | BIT(ORL_LOR) | BIT(ORL_LXOR))
#define BITS	 (BIT(ORL_BAND) | BIT(ORL_BOR) | BIT(ORL_BXOR))
#define LOCS	 (BIT(ORL_MAXLOC) | BIT(ORL_MINLOC))

/* MPI-3.1 section 5.9.2; REPLACE, NO_OP and compare-and-swap, of integers,
 * logicals, multi-language types and bytes, by section 11.3.4. */
const uint32_t orl_op_classes[ORL_CLASS_COUNT] = {
	[ORL_CLASS_OPAQUE] = MOVES,
	[ORL_CLASS_INTEGER] = MOVES | SUMS | EXTREMES | LOGIC | BITS | CAS,
	[ORL_CLASS_FLOAT] = MOVES | SUMS | EXTREMES,
	[ORL_CLASS_COMPLEX] = MOVES | SUMS,
	[ORL_CLASS_LOGICAL] = MOVES | LOGIC | CAS,
	[ORL_CLASS_BYTE] = MOVES | BITS | CAS,
	[ORL_CLASS_PAIR] = MOVES | LOCS,
};
