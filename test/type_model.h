/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * type_model.h - random datatypes together with what they mean: each is
 * made by MPI and, beside it, as the plain list of its elements, by loops
 * that follow the standard's definitions and share nothing with src/type.
 * Only the bounds are the host's, since padding of structures is its choice.
 */
#ifndef TYPE_MODEL_H
#define TYPE_MODEL_H

#include "test.h"

#include <stddef.h>
#include <stdint.h>

#include "orl_type.h"

/* -- chance: the same in every run ----------------------------------------*/

static uint64_t model_state = 88172645463325252u;

static inline uint32_t model_random(uint32_t below)
{
	model_state ^= model_state << 13;
	model_state ^= model_state >> 7;
	model_state ^= model_state << 17;
	return (uint32_t)(model_state >> 20) % below;
}

static inline int model_between(int low, int high)
{
	return low + (int)model_random((uint32_t)(high - low + 1));
}

/* A count of at most high: zero is as good as any, but not as telling. */
static inline int model_count(int high)
{
	return model_random(10) ? model_between(1, high) : 0;
}

/* -- elements -------------------------------------------------------------*/

struct model_leaf {
	MPI_Datatype handle;
	enum orl_kind kind;
	/* The bytes of data: one or two ranges, of a pair with a hole. */
	int len, hole, len2;
};

static const struct model_leaf model_leaves[] = {
	{ MPI_INT, ORL_I32, 4, 0, 0 },
	{ MPI_DOUBLE, ORL_F64, 8, 0, 0 },
	{ MPI_BYTE, ORL_BYTE, 1, 0, 0 },
	{ MPI_CHAR, ORL_I8, 1, 0, 0 },
	{ MPI_SHORT, ORL_I16, 2, 0, 0 },
	{ MPI_FLOAT, ORL_F32, 4, 0, 0 },
	{ MPI_SHORT_INT, ORL_SHORT_INT, 2, 2, 4 },
	{ MPI_DOUBLE_INT, ORL_DOUBLE_INT, 12, 0, 0 },
	{ MPI_LONG_DOUBLE_INT, ORL_LD_INT, 20, 0, 0 },
	{ MPI_2INT, ORL_2INT, 8, 0, 0 },
	{ MPI_C_DOUBLE_COMPLEX, ORL_C64, 16, 0, 0 },
};
#define MODEL_LEAVES (sizeof(model_leaves) / sizeof(model_leaves[0]))

struct model_element {
	ptrdiff_t off;
	const struct model_leaf *leaf;
};

struct model {
	MPI_Datatype handle;
	bool derived;
	MPI_Aint lb, extent;
	size_t n, room;
	struct model_element *at; /* in the order of the type map */
};

static inline void model_add(struct model *model, ptrdiff_t off,
			     const struct model_leaf *leaf)
{
	if (model->n == model->room) {
		model->room = 2 * model->room + 8;
		model->at =
			realloc(model->at, model->room * sizeof(*model->at));
	}
	model->at[model->n++] = (struct model_element){ off, leaf };
}

/* One item of part, moved by off. */
static inline void model_put(struct model *model, const struct model *part,
			     ptrdiff_t off)
{
	size_t i;

	for (i = 0; i < part->n; i++)
		model_add(model, part->at[i].off + off, part->at[i].leaf);
}

static inline void model_put_block(struct model *model,
				   const struct model *part, ptrdiff_t off,
				   int count)
{
	int i;

	for (i = 0; i < count; i++)
		model_put(model, part, off + i * part->extent);
}

static inline void model_free(struct model *model)
{
	if (model->derived)
		MPI_Type_free(&model->handle);
	free(model->at);
}

/* -- the bytes of several items -------------------------------------------*/

struct model_bytes {
	size_t n;
	ptrdiff_t *off;
};

static inline struct model_bytes model_bytes(const struct model *model,
					     size_t count)
{
	struct model_bytes bytes = { 0, malloc(32 * count * model->n + 1) };
	size_t item, i;
	int b;

	bytes.off = realloc(bytes.off,
			    32 * count * model->n * sizeof(*bytes.off) + 1);
	for (item = 0; item < count; item++) {
		for (i = 0; i < model->n; i++) {
			const struct model_leaf *leaf = model->at[i].leaf;
			ptrdiff_t off = model->at[i].off +
					(ptrdiff_t)item * model->extent;

			for (b = 0; b < leaf->len + leaf->hole + leaf->len2;
			     b++)
				if (b < leaf->len ||
				    b >= leaf->len + leaf->hole)
					bytes.off[bytes.n++] = off + b;
		}
	}
	return bytes;
}

/* -- constructors ---------------------------------------------------------*/

static inline struct model model_leaf(void)
{
	const struct model_leaf *leaf =
		&model_leaves[model_random(MODEL_LEAVES)];
	struct model model = { .handle = leaf->handle };

	model_add(&model, 0, leaf);
	return model;
}

static inline int model_make_contiguous(struct model *m, const struct model *p)
{
	int count = model_count(4);

	model_put_block(m, p, 0, count);
	return MPI_Type_contiguous(count, p->handle, &m->handle);
}

static inline int model_make_dup(struct model *m, const struct model *p)
{
	model_put(m, p, 0);
	return MPI_Type_dup(p->handle, &m->handle);
}

static inline int model_make_vector(struct model *m, const struct model *p)
{
	int count = model_count(4), len = model_count(3);
	int stride = model_between(-5, 5), i;

	for (i = 0; i < count; i++)
		model_put_block(m, p, (ptrdiff_t)i * stride * p->extent, len);
	return MPI_Type_vector(count, len, stride, p->handle, &m->handle);
}

static inline int model_make_hvector(struct model *m, const struct model *p)
{
	int count = model_count(4), len = model_count(3), i;
	MPI_Aint stride = model_between(-70, 70);

	for (i = 0; i < count; i++)
		model_put_block(m, p, i * stride, len);
	return MPI_Type_create_hvector(count, len, stride, p->handle,
				       &m->handle);
}

/* Lengths and displacements of up to four blocks; some touch. */
struct model_blocks {
	int count, lens[4], displs[4];
	MPI_Aint bytes[4];
};

static inline struct model_blocks model_blocks(void)
{
	struct model_blocks b = { .count = model_count(4) };
	int i, next = 0;

	for (i = 0; i < b.count; i++) {
		b.lens[i] = model_count(3);
		b.displs[i] = model_random(2) ? next : model_between(-6, 6);
		b.bytes[i] = model_between(-90, 90);
		next = b.displs[i] + b.lens[i];
	}
	return b;
}

static inline int model_make_indexed(struct model *m, const struct model *p)
{
	struct model_blocks b = model_blocks();
	int i;

	for (i = 0; i < b.count; i++)
		model_put_block(m, p, b.displs[i] * p->extent, b.lens[i]);
	return MPI_Type_indexed(b.count, b.lens, b.displs, p->handle,
				&m->handle);
}

static inline int model_make_hindexed(struct model *m, const struct model *p)
{
	struct model_blocks b = model_blocks();
	int i;

	for (i = 0; i < b.count; i++)
		model_put_block(m, p, b.bytes[i], b.lens[i]);
	return MPI_Type_create_hindexed(b.count, b.lens, b.bytes, p->handle,
					&m->handle);
}

static inline int model_make_blocks(struct model *m, const struct model *p)
{
	struct model_blocks b = model_blocks();
	int i;

	for (i = 0; i < b.count; i++)
		model_put_block(m, p, b.displs[i] * p->extent, b.lens[0]);
	return MPI_Type_create_indexed_block(b.count, b.lens[0], b.displs,
					     p->handle, &m->handle);
}

static inline int model_make_hblocks(struct model *m, const struct model *p)
{
	struct model_blocks b = model_blocks();
	int i;

	for (i = 0; i < b.count; i++)
		model_put_block(m, p, b.bytes[i], b.lens[0]);
	return MPI_Type_create_hindexed_block(b.count, b.lens[0], b.bytes,
					      p->handle, &m->handle);
}

static inline int model_make_resized(struct model *m, const struct model *p)
{
	MPI_Aint lb = model_between(-20, 20), extent = model_between(-40, 90);

	model_put(m, p, 0);
	return MPI_Type_create_resized(p->handle, lb, extent, &m->handle);
}

/* -- arrays: every element of the whole array, in memory's order ----------*/

struct model_array {
	int dims, order;
	int sizes[3], subsizes[3], starts[3];
	int distribs[3], args[3], procs[3];
	int rank, ranks;
};

static inline struct model_array model_array(void)
{
	struct model_array a = { .dims = model_between(1, 3), .ranks = 1 };
	int d;

	a.order = model_random(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
	for (d = 0; d < a.dims; d++) {
		a.sizes[d] = model_between(1, 6);
		a.subsizes[d] = model_between(1, a.sizes[d]);
		a.starts[d] = model_between(0, a.sizes[d] - a.subsizes[d]);
		a.procs[d] = model_between(1, 3);
		a.args[d] = MPI_DISTRIBUTE_DFLT_DARG;
		a.distribs[d] = model_random(2) ? MPI_DISTRIBUTE_CYCLIC
						: MPI_DISTRIBUTE_BLOCK;
		if (a.distribs[d] == MPI_DISTRIBUTE_CYCLIC && model_random(2))
			a.args[d] = model_between(1, 3);
		if (a.distribs[d] == MPI_DISTRIBUTE_BLOCK && model_random(2))
			a.args[d] = (a.sizes[d] + a.procs[d] - 1) / a.procs[d] +
				    model_between(0, 1);
		if (!model_random(4)) {
			a.distribs[d] = MPI_DISTRIBUTE_NONE;
			a.args[d] = MPI_DISTRIBUTE_DFLT_DARG;
			a.procs[d] = 1;
		}
		a.ranks *= a.procs[d];
	}
	a.rank = model_between(0, a.ranks - 1);
	return a;
}

typedef bool (*model_owns_fn)(const struct model_array *a, int d, int i);

static inline bool model_is_inside(const struct model_array *a, int d, int i)
{
	return i >= a->starts[d] && i < a->starts[d] + a->subsizes[d];
}

/* Whose turn is it in this dimension, and is it ours? */
static inline bool model_is_dealt(const struct model_array *a, int d, int i)
{
	int coord = a->rank, e, len = a->args[d];

	for (e = a->dims - 1; e > d; e--)
		coord /= a->procs[e];
	coord %= a->procs[d];
	if (a->distribs[d] == MPI_DISTRIBUTE_NONE)
		return true;
	if (len == MPI_DISTRIBUTE_DFLT_DARG)
		len = a->distribs[d] == MPI_DISTRIBUTE_CYCLIC
			      ? 1
			      : (a->sizes[d] + a->procs[d] - 1) / a->procs[d];
	return i / len % a->procs[d] == coord;
}

static inline void model_put_array(struct model *m, const struct model *p,
				   const struct model_array *a,
				   model_owns_fn owns)
{
	int total = 1, d, i;

	for (d = 0; d < a->dims; d++)
		total *= a->sizes[d];
	for (i = 0; i < total; i++) {
		bool owned = true;
		int rest = i, k;

		for (k = 0; k < a->dims; k++) {
			d = a->order == MPI_ORDER_FORTRAN ? k : a->dims - 1 - k;
			owned = owned && owns(a, d, rest % a->sizes[d]);
			rest /= a->sizes[d];
		}
		if (owned)
			model_put(m, p, i * p->extent);
	}
}

static inline int model_make_subarray(struct model *m, const struct model *p)
{
	struct model_array a = model_array();

	model_put_array(m, p, &a, model_is_inside);
	return MPI_Type_create_subarray(a.dims, a.sizes, a.subsizes, a.starts,
					a.order, p->handle, &m->handle);
}

static inline int model_make_darray(struct model *m, const struct model *p)
{
	struct model_array a = model_array();

	model_put_array(m, p, &a, model_is_dealt);
	return MPI_Type_create_darray(a.ranks, a.rank, a.dims, a.sizes,
				      a.distribs, a.args, a.procs, a.order,
				      p->handle, &m->handle);
}

/* -- trees ----------------------------------------------------------------*/

static inline struct model model_tree(int depth);

static inline int model_make_struct(struct model *m, int depth)
{
	struct model_blocks b = model_blocks();
	struct model parts[4];
	MPI_Datatype types[4];
	int i, rc;

	for (i = 0; i < b.count; i++) {
		parts[i] = model_tree(depth - 1);
		types[i] = parts[i].handle;
		model_put_block(m, &parts[i], b.bytes[i], b.lens[i]);
	}
	rc = MPI_Type_create_struct(b.count, b.lens, b.bytes, types,
				    &m->handle);
	for (i = 0; i < b.count; i++)
		model_free(&parts[i]);
	return rc;
}

typedef int (*model_make_fn)(struct model *m, const struct model *p);

static inline int model_make_any(struct model *m, int depth)
{
	static const model_make_fn makers[] = {
		model_make_contiguous, model_make_dup,	   model_make_vector,
		model_make_hvector,    model_make_indexed, model_make_hindexed,
		model_make_blocks,     model_make_hblocks, model_make_resized,
		model_make_subarray,   model_make_darray,
	};
	const int n = sizeof(makers) / sizeof(makers[0]);
	int which = model_between(0, n);
	struct model part;
	int rc;

	if (which == n)
		return model_make_struct(m, depth);
	part = model_tree(depth - 1);
	rc = makers[which](m, &part);
	/* What it is made of may be freed before it is used. */
	model_free(&part);
	return rc;
}

/* A datatype of at most depth constructors above each other. */
static inline struct model model_tree(int depth)
{
	struct model model = { .derived = true };

	if (!depth || !model_random(6)) {
		model = model_leaf();
	} else if (model_make_any(&model, depth)) {
		/* Open MPI refuses darrays of zero-size datatypes. */
		free(model.at);
		model = model_leaf();
	}
	MPI_Type_get_extent(model.handle, &model.lb, &model.extent);
	return model;
}

#endif
