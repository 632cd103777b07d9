/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: a flattened datatype, however it was nested, has the elements and
 * bytes that its type map has, in that order, with neighbours merged; cursors
 * walk them whatever the chunks; gather, scatter and copy move them and touch
 * nothing else.  Two are alike only if their elements are, and always if one
 * is the other further on.
 */
#include "type_model.h"

#define ROUNDS 10000
/* Of guard around a buffer; and the most that a buffer may span. */
#define GUARD	 64
#define SPAN_MAX (1 << 20)

/* -- what a type says of itself -------------------------------------------*/

static enum orl_kind common_kind(const struct model *m)
{
	size_t i;

	for (i = 1; i < m->n; i++)
		if (m->at[i].leaf->kind != m->at[0].leaf->kind)
			return ORL_MIXED;
	return m->n ? m->at[0].leaf->kind : ORL_BYTE;
}

static bool is_dense(const struct model *m)
{
	struct model_bytes two = model_bytes(m, 2);
	size_t i;

	for (i = 0; i < two.n && two.off[i] == (ptrdiff_t)i; i++)
		;
	free(two.off);
	return i == two.n;
}

static bool is_packed(const struct model *m)
{
	enum orl_kind kind = common_kind(m);
	ptrdiff_t step;
	size_t i;

	if (!m->n)
		return true;
	if (kind == ORL_MIXED)
		return false;
	step = orl_kinds[kind].extent;
	for (i = 0; i < m->n; i++)
		if (m->at[i].off != (ptrdiff_t)i * step)
			return false;
	return m->extent == (ptrdiff_t)m->n * step;
}

static void check_facts(const struct model *m, const struct orl_type *t)
{
	struct model_bytes bytes = model_bytes(m, 1);
	ptrdiff_t low = 0, high = 0;
	size_t i;

	for (i = 0; i < bytes.n; i++) {
		low = !i || bytes.off[i] < low ? bytes.off[i] : low;
		high = !i || bytes.off[i] >= high ? bytes.off[i] + 1 : high;
	}
	check(t->size == bytes.n, "%zu, not %zu", t->size, bytes.n);
	check(t->elements == m->n, "%zu, not %zu", t->elements, m->n);
	check(t->lb == m->lb && t->extent == m->extent, "%td %td", t->lb,
	      t->extent);
	check(t->true_lb == low && t->true_ub == high, "%td..%td, not %td..%td",
	      t->true_lb, t->true_ub, low, high);
	check(t->kind == common_kind(m), "%d", t->kind);
	check(t->dense == is_dense(m), "%d", t->dense);
	check(t->packed == is_packed(m), "%d", t->packed);
	free(bytes.off);
}

/* Runs are sound, and no block begins where the one before ends. */
static void check_merged(const struct orl_run *runs, size_t n)
{
	enum orl_kind kind = ORL_KIND_COUNT;
	ptrdiff_t end = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct orl_run *r = &runs[i];
		ptrdiff_t len =
			(ptrdiff_t)r->blocklen * orl_kinds[r->kind].extent;

		check(r->blocks && r->blocklen, "an empty run");
		check(r->blocks > 1 || !r->stride, "a stride of nothing");
		check(r->blocks == 1 || r->stride != len, "blocks that touch");
		check(kind != r->kind || end != r->off, "runs that touch");
		kind = r->kind;
		end = r->off + (ptrdiff_t)(r->blocks - 1) * r->stride + len;
	}
}

/* -- walking --------------------------------------------------------------*/

static void check_bytes(const struct model *m, const struct orl_type *t,
			size_t count)
{
	struct model_bytes bytes = model_bytes(m, count);
	struct orl_cursor cur;
	size_t at = 0, len, max, i;
	ptrdiff_t off;

	orl_cursor_bytes(&cur, t, count);
	do {
		max = model_random(3) ? SIZE_MAX : model_random(20) + 1;
		len = orl_cursor_next(&cur, max, &off);
		check(len <= max && at + len <= bytes.n, "%zu", len);
		for (i = 0; i < len && at < bytes.n; i++, at++)
			if (!check(bytes.off[at] == off + (ptrdiff_t)i,
				   "byte %zu of %zu", at, bytes.n))
				break;
	} while (len && !test_failures);
	check(at == bytes.n, "%zu, not %zu", at, bytes.n);
	free(bytes.off);
}

static void check_elements(const struct model *m, const struct orl_type *t,
			   size_t count)
{
	struct orl_cursor cur;
	size_t at = 0, len, max, i;
	ptrdiff_t off;

	orl_cursor_elements(&cur, t, count);
	do {
		max = model_random(3) ? SIZE_MAX : model_random(5) + 1;
		len = orl_cursor_next(&cur, max, &off);
		check(len <= max && at + len <= count * m->n, "%zu", len);
		for (i = 0; i < len && at < count * m->n; i++, at++) {
			const struct model_element *e = &m->at[at % m->n];
			ptrdiff_t want =
				e->off + (ptrdiff_t)(at / m->n) * m->extent;

			check(want == off, "element %zu", at);
			off += orl_kinds[e->leaf->kind].extent;
		}
	} while (len && !test_failures);
	check(at == count * m->n, "%zu, not %zu", at, count * m->n);
}

/* -- buffers --------------------------------------------------------------*/

/* Memory of which exactly the bytes that count items span may be touched. */
struct buffer {
	const struct model *model;
	const struct orl_type *type;
	size_t count, span;
	struct model_bytes bytes;
	char *memory; /* with a guard on each side */
	char *base;   /* what MPI would be told */
};

static bool buffer_open(struct buffer *b, const struct model *m,
			const struct orl_type *t)
{
	ptrdiff_t first, last, low = 0, high = 0;
	size_t i;

	*b = (struct buffer){ .model = m, .type = t };
	b->count = model_random(4);
	b->bytes = model_bytes(m, b->count);
	for (i = 0; i < b->bytes.n; i++) {
		ptrdiff_t off = b->bytes.off[i];

		low = !i || off < low ? off : low;
		high = !i || off >= high ? off + 1 : high;
	}
	check(!orl_type_span(t, b->count, &first, &last), "%zu", b->count);
	check(first == low && last == high, "%td..%td, not %td..%td", first,
	      last, low, high);
	b->span = (size_t)(high - low);
	b->memory = malloc(b->span + 2 * GUARD);
	b->base = b->memory + GUARD - low;
	for (i = 0; i < b->span + 2 * GUARD; i++)
		b->memory[i] = (char)model_random(256);
	return b->span <= SPAN_MAX;
}

static void buffer_close(struct buffer *b)
{
	free(b->bytes.off);
	free(b->memory);
}

/* What the memory holds, or should hold: a copy with its own base. */
static struct buffer buffer_copy(const struct buffer *b)
{
	struct buffer copy = *b;

	copy.memory = malloc(b->span + 2 * GUARD);
	memcpy(copy.memory, b->memory, b->span + 2 * GUARD);
	copy.base = copy.memory + (b->base - b->memory);
	return copy;
}

static void check_same(const struct buffer *b, struct buffer *want,
		       const char *what)
{
	check(!memcmp(b->memory, want->memory, b->span + 2 * GUARD), "after %s",
	      what);
	free(want->memory);
}

static void check_copy(struct buffer *dst, struct buffer *src)
{
	struct buffer want = buffer_copy(dst);
	size_t i;

	for (i = 0; i < dst->bytes.n && i < src->bytes.n; i++)
		want.base[dst->bytes.off[i]] = src->base[src->bytes.off[i]];
	orl_type_copy(dst->type, dst->count, dst->base, src->type, src->count,
		      src->base);
	check_same(dst, &want, "orl_type_copy");
}

/* Both sides' bytes, in their order. */
static void see_steps(const struct buffer *a, const struct buffer *b,
		      const struct orl_steps *s, size_t *at)
{
	for (size_t i = 0; i < s->n && !test_failures; i++)
		for (size_t j = 0; j < s->len && !test_failures; j++, ++*at) {
			check(*at < a->bytes.n && *at < b->bytes.n, "%zu", *at);
			check(a->bytes.off[*at] ==
				      s->a + (ptrdiff_t)i * s->a_stride +
					      (ptrdiff_t)j,
			      "%zu", *at);
			check(b->bytes.off[*at] ==
				      s->b + (ptrdiff_t)i * s->b_stride +
					      (ptrdiff_t)j,
			      "%zu", *at);
		}
}

static void check_steps(const struct buffer *a, const struct buffer *b)
{
	size_t total = a->bytes.n < b->bytes.n ? a->bytes.n : b->bytes.n;
	struct orl_cursor ca, cb;
	struct orl_steps steps;
	size_t at = 0;

	orl_cursor_bytes(&ca, a->type, a->count);
	orl_cursor_bytes(&cb, b->type, b->count);
	while (orl_cursor_steps(&ca, &cb, &steps))
		see_steps(a, b, &steps, &at);
	check(at == total, "%zu, not %zu", at, total);
}

static void check_gather(struct buffer *b)
{
	size_t n = b->count * b->model->n, i, at = 0;
	const struct model_leaf *leaf;
	struct buffer want;
	char *elements;
	int k, unit;

	if (b->type->kind == ORL_MIXED || !b->model->n)
		return;
	leaf = b->model->at[0].leaf;
	unit = orl_kinds[leaf->kind].extent;
	elements = malloc(n * unit);
	memset(elements, 0x5a, n * unit);
	orl_type_gather(b->type, b->count, b->base, elements);
	want = buffer_copy(b);
	for (i = 0; i < n; i++) {
		for (k = 0; k < unit; k++) {
			char *byte = &elements[i * unit + k];
			bool data = k < leaf->len ||
				    (k >= leaf->len + leaf->hole &&
				     k < leaf->len + leaf->hole + leaf->len2);

			if (!data) {
				check(*byte == 0x5a, "a hole written");
				continue;
			}
			check(*byte == b->base[b->bytes.off[at]], "%zu", at);
			*byte = (char)model_random(256);
			want.base[b->bytes.off[at++]] = *byte;
		}
	}
	orl_type_scatter(b->type, b->count, b->base, elements);
	check_same(b, &want, "orl_type_scatter");
	free(elements);
}

/* -- alike ----------------------------------------------------------------*/

static ptrdiff_t element(const struct model *m, size_t i)
{
	return m->at[i % m->n].off + (ptrdiff_t)(i / m->n) * m->extent;
}

static void check_alike(const struct model *a, const struct orl_type *type_a,
			const struct model *b, const struct orl_type *type_b)
{
	size_t na = model_random(4), nb = model_random(4), i;
	ptrdiff_t shift;

	if (type_a->kind == ORL_MIXED || type_a->kind != type_b->kind ||
	    !orl_type_is_alike(type_a, na, type_b, nb, &shift))
		return;
	check(na * a->n == nb * b->n, "%zu of %zu, %zu of %zu", na, a->n, nb,
	      b->n);
	for (i = 0; i < na * a->n && !test_failures; i++)
		check(element(a, i) == element(b, i) + shift, "element %zu", i);
}

static void check_shifted(const struct model *m, const struct orl_type *type)
{
	const MPI_Aint further = 8 * ((MPI_Aint)model_random(100) - 50);
	const size_t count = model_random(4);
	const struct orl_type *moved;
	MPI_Datatype handle;
	ptrdiff_t shift;

	if (type->kind == ORL_MIXED || !m->n)
		return;
	MPI_Type_create_hindexed_block(1, 1, &further, m->handle, &handle);
	MPI_Type_commit(&handle);
	check(!orl_type_find(handle, &moved), "a type further on");
	check(orl_type_is_alike(moved, count, type, count, &shift) == !!count,
	      "%zu items", count);
	check(!count || shift == further, "%td, not %td", shift, further);
	MPI_Type_free(&handle);
}

/* -- rounds ---------------------------------------------------------------*/

static const struct orl_type *look(const struct model *m)
{
	const struct orl_type *type;
	size_t count = model_random(4);

	if (!check(!orl_type_find(m->handle, &type), "a random type"))
		exit(1);
	check_facts(m, type);
	check_merged(type->runs, type->nruns);
	check_merged(type->pieces, type->npieces);
	check_bytes(m, type, count);
	check_elements(m, type, count);
	return type;
}

static void round_of_two(void)
{
	struct model a = model_tree(3), b = model_tree(3);
	const struct orl_type *type_a = look(&a), *type_b = look(&b);
	struct buffer src, dst;
	bool fits;

	check_alike(&a, type_a, &b, type_b);
	check_shifted(&a, type_a);
	fits = buffer_open(&src, &a, type_a);
	fits = buffer_open(&dst, &b, type_b) && fits;
	if (fits) {
		check_copy(&dst, &src);
		check_steps(&dst, &src);
		check_gather(&src);
		check_gather(&dst);
	}
	buffer_close(&src);
	buffer_close(&dst);
	model_free(&a);
	model_free(&b);
}

int main(int argc, char **argv)
{
	int i;

	test_start(argc, argv);
	test_errors_return();
	for (i = 0; i < ROUNDS && !test_failures; i++)
		round_of_two();
	if (test_failures)
		fprintf(stderr, "in round %d\n", i - 1);
	return test_finish();
}
