/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * datatype.c - what the host knows of a datatype.  Deprecated constructors
 * are told as their successors, so that src/type sees one form of each.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "orl_host.h"

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
	/* Bits 26 to 29: the class of object, 3 for datatypes. */
	return ((unsigned)handle >> 26 & 0xf) == 3 &&
	       handle != MPI_DATATYPE_NULL;
#else
	return handle && handle != MPI_DATATYPE_NULL;
#endif
}

/* One block for the three arrays, those of larger members first. */
static int make_room(struct orl_contents *c)
{
	size_t addrs = c->naddrs * sizeof(*c->addrs);
	size_t types = c->ntypes * sizeof(*c->types);
	size_t ints = c->nints * sizeof(*c->ints);
	char *room = malloc(addrs + types + ints + 1);

	if (!room)
		return -ENOMEM;
	c->addrs = (MPI_Aint *)room;
	c->types = (MPI_Datatype *)(room + addrs);
	c->ints = (int *)(room + addrs + types);
	return 0;
}

/* Fortran's constructors of MPI-1 had integers where these have addresses. */
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

/* Makes a constructor its successor: the last integers become addresses. */
static int modernise(struct orl_contents *c)
{
	const struct orl_contents old = *c;
	int i;

	c->combiner = successor(old.combiner);
	if (c->combiner == old.combiner)
		return 0;
	c->naddrs = c->combiner == MPI_COMBINER_HVECTOR ? 1 : old.ints[0];
	c->nints -= c->naddrs;
	if (make_room(c)) {
		*c = old;
		return -ENOMEM;
	}
	memcpy(c->types, old.types, c->ntypes * sizeof(*c->types));
	memcpy(c->ints, old.ints, c->nints * sizeof(*c->ints));
	for (i = 0; i < c->naddrs; i++)
		c->addrs[i] = old.ints[c->nints + i];
	free(old.addrs);
	return 0;
}

int orl_host_type_open(MPI_Datatype handle, struct orl_contents *c)
{
	int rc;

	*c = (struct orl_contents){ .combiner = MPI_COMBINER_NAMED };
	if (!is_plausible(handle))
		return MPI_ERR_TYPE;
	rc = PMPI_Type_get_envelope(handle, &c->nints, &c->naddrs, &c->ntypes,
				    &c->combiner);
	if (rc || c->combiner == MPI_COMBINER_NAMED)
		return type_error(rc);
	if (make_room(c))
		return -ENOMEM;
	rc = PMPI_Type_get_contents(handle, c->nints, c->naddrs, c->ntypes,
				    c->ints, c->addrs, c->types);
	if (rc) {
		free(c->addrs);
		return type_error(rc);
	}
	rc = modernise(c);
	if (rc)
		orl_host_type_close(c);
	return rc;
}

/* Predefined datatypes, Fortran's parametrised ones too, are not freed. */
static bool is_predefined(MPI_Datatype handle)
{
	int nints, naddrs, ntypes, combiner;

	if (PMPI_Type_get_envelope(handle, &nints, &naddrs, &ntypes, &combiner))
		return true;
	return combiner == MPI_COMBINER_NAMED ||
	       combiner == MPI_COMBINER_F90_REAL ||
	       combiner == MPI_COMBINER_F90_COMPLEX ||
	       combiner == MPI_COMBINER_F90_INTEGER;
}

void orl_host_type_close(struct orl_contents *c)
{
	int i;

	if (!c->addrs)
		return;
	for (i = 0; i < c->ntypes; i++)
		if (!is_predefined(c->types[i]))
			PMPI_Type_free(&c->types[i]);
	free(c->addrs);
	c->addrs = NULL;
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

/* The attribute by which we watch: made once, not copied by MPI_Type_dup. */
static int find_keyval(int *keyval)
{
	static _Atomic(int) made = MPI_KEYVAL_INVALID;
	int fresh, none = MPI_KEYVAL_INVALID;
	int rc;

	*keyval = atomic_load_explicit(&made, memory_order_relaxed);
	if (*keyval != MPI_KEYVAL_INVALID)
		return 0;
	rc = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_deleted,
				     &fresh, NULL);
	if (rc)
		return type_error(rc);
	/* Relaxed: the number is all that other threads need. */
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
