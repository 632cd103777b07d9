/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * datatype.c - what the host knows of a datatype.  Deprecated constructors
 * and those of large counts are told as the one they stand for, so that
 * src/type sees one form of each.
 */
#include "orl_host.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "host.h"

/* MPI_ERR_TYPE unless the host names something else. */
static int type_error(int code)
{
	int class;

	if (code == MPI_SUCCESS)
		return 0;
	if (PMPI_Error_class(code, &class) != MPI_SUCCESS || class <= 0)
		return MPI_ERR_TYPE;
	return class;
}

/*
 * MPICH looks handles up by their bits: those of no datatype must not reach
 * it.  Open MPI's are pointers.
 */
static bool is_plausible(MPI_Datatype handle)
{
#ifdef MPICH_VERSION
	/* Bits 26 to 29: the class of object, 3 for datatypes; above, 0 is
	 * what no handle has. */
	return ((unsigned)handle >> 26 & 0xf) == 3 && (unsigned)handle >> 30 &&
	       handle != MPI_DATATYPE_NULL;
#else
	return handle && handle != MPI_DATATYPE_NULL;
#endif
}

/* -- contents -------------------------------------------------------------*/

/* A datatype's contents as the host tells them. */
struct told {
	int combiner;
	MPI_Count nints, naddrs, ncounts, ntypes;
	int *ints;
	MPI_Aint *addrs;
	MPI_Count *counts; /* of constructors with large counts */
	MPI_Datatype *types;
};

#if MPI_VERSION >= 4
/* These tell of all constructors; the older ones raise an error on some. */
static int get_envelope(MPI_Datatype handle, struct told *t)
{
	return PMPI_Type_get_envelope_c(handle, &t->nints, &t->naddrs,
					&t->ncounts, &t->ntypes, &t->combiner);
}

static int get_contents(MPI_Datatype handle, const struct told *t)
{
	return PMPI_Type_get_contents_c(handle, t->nints, t->naddrs, t->ncounts,
					t->ntypes, t->ints, t->addrs, t->counts,
					t->types);
}
#else
static int get_envelope(MPI_Datatype handle, struct told *t)
{
	int nints, naddrs, ntypes;
	int rc = PMPI_Type_get_envelope(handle, &nints, &naddrs, &ntypes,
					&t->combiner);

	if (rc)
		return rc;
	t->nints = nints;
	t->naddrs = naddrs;
	t->ncounts = 0;
	t->ntypes = ntypes;
	return 0;
}

/* The numbers come from get_envelope, as ints. */
static int get_contents(MPI_Datatype handle, const struct told *t)
{
	return PMPI_Type_get_contents(handle, (int)t->nints, (int)t->naddrs,
				      (int)t->ntypes, t->ints, t->addrs,
				      t->types);
}
#endif

/* The successors' arguments are the same, but for their types. */
static int successor(int combiner)
{
#if defined(MPICH_VERSION) || OMPI_ENABLE_MPI1_COMPAT
	switch (combiner) {
	case MPI_COMBINER_HVECTOR_INTEGER:
		return MPI_COMBINER_HVECTOR;
	case MPI_COMBINER_HINDEXED_INTEGER:
		return MPI_COMBINER_HINDEXED;
	case MPI_COMBINER_STRUCT_INTEGER:
		return MPI_COMBINER_STRUCT;
	}
#endif
	return combiner;
}

/* How many of a large constructor's ints stand before its counts. */
static MPI_Count ints_first(int combiner)
{
	switch (combiner) {
	case MPI_COMBINER_SUBARRAY:
		return 1; /* dimensions; after them, the order */
	case MPI_COMBINER_DARRAY:
		return 3; /* size, rank, dimensions */
	}
	return 0;
}

/* One block for all arrays, those of larger members first. */
static int make_room(struct told *t, struct orl_contents *c)
{
	size_t nargs = (size_t)(t->nints + t->naddrs + t->ncounts);
	size_t args = nargs * sizeof(*c->args);
	size_t addrs = (size_t)t->naddrs * sizeof(*t->addrs);
	size_t counts = (size_t)t->ncounts * sizeof(*t->counts);
	size_t types = (size_t)t->ntypes * sizeof(*t->types);
	size_t ints = (size_t)t->nints * sizeof(*t->ints);
	char *room = malloc(args + addrs + counts + types + ints + 1);

	if (!room)
		return -ENOMEM;
	t->addrs = (MPI_Aint *)(room + args);
	t->counts = (MPI_Count *)(room + args + addrs);
	t->types = (MPI_Datatype *)(room + args + addrs + counts);
	t->ints = (int *)(room + args + addrs + counts + types);
	*c = (struct orl_contents){
		.combiner = successor(t->combiner),
		.nargs = nargs,
		.ntypes = (size_t)t->ntypes,
		.args = (ptrdiff_t *)room,
		.types = t->types,
	};
	return 0;
}

/* Brings the numbers in order; addresses are the last arguments of any. */
static int put_args(const struct orl_contents *c, const struct told *t)
{
	MPI_Count first = t->ncounts ? ints_first(t->combiner) : t->nints;
	ptrdiff_t *arg = c->args;
	MPI_Count i;

	for (i = 0; i < first; i++)
		*arg++ = t->ints[i];
	for (i = 0; i < t->ncounts; i++)
		if (__builtin_add_overflow(t->counts[i], 0, arg++))
			return MPI_ERR_TYPE;
	for (i = first; i < t->nints; i++)
		*arg++ = t->ints[i];
	for (i = 0; i < t->naddrs; i++)
		*arg++ = t->addrs[i];
	return 0;
}

int orl_host_type_open(MPI_Datatype handle, struct orl_contents *c)
{
	struct told told;
	int rc;

	*c = (struct orl_contents){ .combiner = MPI_COMBINER_NAMED };
	if (!is_plausible(handle))
		return MPI_ERR_TYPE;
	rc = get_envelope(handle, &told);
	if (rc || told.combiner == MPI_COMBINER_NAMED)
		return type_error(rc);
	if (make_room(&told, c))
		return -ENOMEM;
	rc = get_contents(handle, &told);
	if (rc) {
		free(c->args);
		return type_error(rc);
	}
	rc = put_args(c, &told);
	if (rc)
		orl_host_type_close(c);
	return rc;
}

/* Predefined datatypes, Fortran's parametrised ones too, are not freed. */
static bool is_predefined(MPI_Datatype handle)
{
	struct told told;

	if (get_envelope(handle, &told))
		return true;
	return told.combiner == MPI_COMBINER_NAMED ||
	       told.combiner == MPI_COMBINER_F90_REAL ||
	       told.combiner == MPI_COMBINER_F90_COMPLEX ||
	       told.combiner == MPI_COMBINER_F90_INTEGER;
}

void orl_host_type_close(struct orl_contents *c)
{
	size_t i;

	if (!c->args)
		return;
	for (i = 0; i < c->ntypes; i++)
		if (!is_predefined(c->types[i]))
			PMPI_Type_free(&c->types[i]);
	free(c->args);
	c->args = NULL;
}

int orl_host_type_size(MPI_Datatype handle, size_t *size)
{
	MPI_Count count;
	int rc;

	if (!is_plausible(handle))
		return MPI_ERR_TYPE;
	rc = PMPI_Type_size_x(handle, &count);
	if (rc)
		return type_error(rc);
	if (count < 0)
		return MPI_ERR_TYPE;
	*size = (size_t)count;
	return 0;
}

int orl_host_type_extent(MPI_Datatype handle, ptrdiff_t *lb, ptrdiff_t *extent)
{
	MPI_Aint low, len;
	int rc;

	if (!is_plausible(handle))
		return MPI_ERR_TYPE;
	rc = PMPI_Type_get_extent(handle, &low, &len);
	if (rc)
		return type_error(rc);
	*lb = low;
	*extent = len;
	return 0;
}

/* -- the end of a datatype ------------------------------------------------*/

typedef void (*watch_fn)(MPI_Datatype);

static int type_deleted(MPI_Datatype handle, int keyval, void *value,
			void *state)
{
	watch_fn fn = (watch_fn)(uintptr_t)value;

	fn(handle);
	return MPI_SUCCESS;
}

/* The attribute by which we watch: made once, not copied by MPI_Type_dup.
 * Relaxed: the number is all that other threads need. */
static _Atomic(int) made = MPI_KEYVAL_INVALID;

void orl_types_end(void)
{
	made = MPI_KEYVAL_INVALID;
}

static int find_keyval(int *keyval)
{
	int fresh, none = MPI_KEYVAL_INVALID;
	int rc;

	*keyval = atomic_load_explicit(&made, memory_order_relaxed);
	if (*keyval != MPI_KEYVAL_INVALID)
		return 0;
	rc = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_deleted,
				     &fresh, NULL);
	if (rc)
		return type_error(rc);
	*keyval = fresh;
	if (!atomic_compare_exchange_strong_explicit(&made, &none, fresh,
						     memory_order_relaxed,
						     memory_order_relaxed)) {
		*keyval = none;
		PMPI_Type_free_keyval(&fresh);
	}
	return 0;
}

int orl_host_type_watch(MPI_Datatype handle, void (*fn)(MPI_Datatype))
{
	int keyval;
	int rc = find_keyval(&keyval);

	if (rc)
		return rc;
	return type_error(
		PMPI_Type_set_attr(handle, keyval, (void *)(uintptr_t)fn));
}
