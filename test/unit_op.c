/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: every predefined operation's handle is known and no other, and the
 * operations are defined on the kinds that the standard says.
 */
#include "process.h"

#include "orl_acc.h"

/* MPI-3.1 section 5.9.2, and the classes of kinds by hand. */
static void which_fit(void)
{
	static const char *const ops[] = {
		[ORL_CLASS_OPAQUE] = "RN",
		[ORL_CLASS_INTEGER] = "+*><&|^123RN=",
		[ORL_CLASS_FLOAT] = "+*><RN",
		[ORL_CLASS_COMPLEX] = "+*RN",
		[ORL_CLASS_LOGICAL] = "&|^RN=",
		[ORL_CLASS_BYTE] = "123RN=",
		[ORL_CLASS_PAIR] = "mMRN",
	};
	static const char letters[] = "+*><&|^123mMRN";
	size_t n = 0;

	for (int kind = 0; kind < ORL_KIND_COUNT; kind++) {
		const size_t extent = orl_kinds[kind].extent;

		check(orl_op_fits(ORL_OP_CAS, kind) ==
		      !!strchr(ops[orl_kinds[kind].class], '='));
		for (int op = 0; op < ORL_OP_COUNT; op++) {
			const bool fits =
				strchr(ops[orl_kinds[kind].class], letters[op]);

			check(orl_op_fits(op, kind) == fits);
			check(!orl_kernel(op, kind) == !fits);
			check(!orl_single(op, kind) ==
			      !(fits && extent <= 8 && kind != ORL_SHORT_INT));
			n += fits;
		}
	}
	check(n > 150);
}

static void handles(void)
{
	const MPI_Op all[] = { MPI_SUM,	    MPI_PROD, MPI_MAX,	  MPI_MIN,
			       MPI_LAND,    MPI_LOR,  MPI_LXOR,	  MPI_BAND,
			       MPI_BOR,	    MPI_BXOR, MPI_MINLOC, MPI_MAXLOC,
			       MPI_REPLACE, MPI_NO_OP };
	enum orl_op op;

	for (int i = 0; i < ORL_OP_COUNT; i++) {
		check(!orl_op_find(all[i], &op));
		check((int)op == i);
	}
	check(orl_op_find(MPI_OP_NULL, &op) == MPI_ERR_OP);
}

int main(void)
{
	which_fit();
	handles();
	return 0;
}
