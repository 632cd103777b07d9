/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_type.h - datatypes: the basic kinds, and any MPI datatype flattened
 * once into runs of basic elements, cached by handle.
 */
#ifndef ORL_TYPE_H
#define ORL_TYPE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "orl_util.h"

/* What an operation may do with a kind: columns of MPI-3.1 section 5.9.2. */
enum orl_class {
	ORL_CLASS_OPAQUE, /* MPI_WCHAR, MPI_CHARACTER, MPI_PACKED: moved only */
	ORL_CLASS_INTEGER, /* all but MINLOC, MAXLOC */
	ORL_CLASS_FLOAT,   /* SUM PROD MIN MAX */
	ORL_CLASS_COMPLEX, /* SUM PROD */
	ORL_CLASS_LOGICAL, /* LAND LOR LXOR */
	ORL_CLASS_BYTE,	   /* BAND BOR BXOR */
	ORL_CLASS_PAIR,	   /* MINLOC MAXLOC */
	ORL_CLASS_COUNT
};

/* Complex of __float128, for which there is no other name in C. */
typedef _Complex float orl_complex128 __attribute__((mode(TC)));

/*
 * kind, C type of one element, class.  Several MPI datatypes map to one
 * kind: MPI_INT and MPI_INT32_T are both I32.  Pairs name their struct, so
 * that padding is where the compiler puts it.
 */
#define ORL_KINDS(X)                                                           \
	X(I8, int8_t, INTEGER)                                                 \
	X(I16, int16_t, INTEGER)                                               \
	X(I32, int32_t, INTEGER)                                               \
	X(I64, int64_t, INTEGER)                                               \
	X(I128, __int128, INTEGER)                                             \
	X(U8, uint8_t, INTEGER)                                                \
	X(U16, uint16_t, INTEGER)                                              \
	X(U32, uint32_t, INTEGER)                                              \
	X(U64, uint64_t, INTEGER)                                              \
	X(F32, float, FLOAT)                                                   \
	X(F64, double, FLOAT)                                                  \
	X(FLD, long double, FLOAT)                                             \
	X(F128, __float128, FLOAT)                                             \
	X(C32, float _Complex, COMPLEX)                                        \
	X(C64, double _Complex, COMPLEX)                                       \
	X(CLD, long double _Complex, COMPLEX)                                  \
	X(C128, orl_complex128, COMPLEX)                                       \
	X(BOOL, bool, LOGICAL)                                                 \
	X(L8, int8_t, LOGICAL)                                                 \
	X(L16, int16_t, LOGICAL)                                               \
	X(L32, int32_t, LOGICAL)                                               \
	X(L64, int64_t, LOGICAL)                                               \
	X(BYTE, unsigned char, BYTE)                                           \
	X(WCHAR, wchar_t, OPAQUE)                                              \
	X(CHARACTER, unsigned char, OPAQUE)                                    \
	X(PACKED, unsigned char, OPAQUE)                                       \
	X(FLOAT_INT, struct orl_float_int, PAIR)                               \
	X(DOUBLE_INT, struct orl_double_int, PAIR)                             \
	X(LONG_INT, struct orl_long_int, PAIR)                                 \
	X(2INT, struct orl_2int, PAIR)                                         \
	X(SHORT_INT, struct orl_short_int, PAIR)                               \
	X(LD_INT, struct orl_ld_int, PAIR)                                     \
	X(2REAL, struct orl_2real, PAIR)                                       \
	X(2DOUBLE, struct orl_2double, PAIR)

/* The value of a pair is v, its index i; as MPI-3.1 section 5.9.4 lays out. */
struct orl_float_int {
	float v;
	int i;
};
struct orl_double_int {
	double v;
	int i;
};
struct orl_long_int {
	long v;
	int i;
};
struct orl_2int {
	int v, i;
};
struct orl_short_int {
	short v;
	int i;
};
struct orl_ld_int {
	long double v;
	int i;
};
struct orl_2real {
	float v, i;
};
struct orl_2double {
	double v, i;
};

enum orl_kind {
#define ORL_KIND_ENUM(kind, ctype, class) ORL_##kind,
	ORL_KINDS(ORL_KIND_ENUM)
#undef ORL_KIND_ENUM
		ORL_KIND_COUNT,
	ORL_MIXED = ORL_KIND_COUNT /* a type with several kinds in it */
};

struct orl_kind_info {
	const char *name; /* "I32" */
	enum orl_class class;
	uint8_t extent; /* bytes from one element to the next, sizeof */
	uint8_t size;	/* bytes of data in it, as MPI_Type_size says */
	uint8_t second; /* padded pairs: offset of the index; else 0 */
	uint8_t first;	/* padded pairs: bytes of the value; else 0 */
};

extern const struct orl_kind_info orl_kinds[ORL_KIND_COUNT];

/*
 * One piece of a flattened type: blocks times blocklen elements of a kind,
 * the blocks stride bytes apart, the first one off bytes from the buffer.
 * Elements in a block lie extent bytes apart, so a block has no holes but
 * a padded pair's own.  No run is empty; the stride of one block is 0.
 */
struct orl_run {
	ptrdiff_t off;
	ptrdiff_t stride;
	size_t blocks;
	size_t blocklen;
	enum orl_kind kind;
};

/*
 * A flattened datatype.  Immutable; owned by the cache until MPI_Type_free.
 * Runs are in the order of the type map, neighbours merged.
 *
 * Many copies of irregular runs are kept as one: then all runs are to be
 * walked run_repeats times more, run_step bytes further on each time, before
 * the next item.  Where one time touches the next, they are not merged.
 */
struct orl_type {
	size_t size;	   /* bytes of data in one item, padding not counted */
	size_t elements;   /* basic elements in one item */
	ptrdiff_t lb;	   /* MPI lower bound */
	ptrdiff_t extent;  /* from one item to the next */
	ptrdiff_t true_lb; /* first and one past the last byte of data */
	ptrdiff_t true_ub;
	enum orl_kind kind; /* of all elements, or ORL_MIXED; BYTE if none */
	/*
	 * dense: n items are one block of n * size bytes at offset 0, without
	 * any hole: what may be moved by one memcpy.  Basic kinds without
	 * padding are dense, and so is contiguous(3, MPI_INT).
	 * packed: elements of one kind, n items are one block of them, with
	 * no holes but a padded pair's own: what may be combined by one
	 * kernel call of n * elements.
	 * Both hold for a type of no elements.
	 */
	bool dense;
	bool packed;
	size_t nruns;
	const struct orl_run *runs; /* elements, for the accumulate family */
	size_t npieces;
	const struct orl_run *pieces; /* the same as bytes, kind ORL_BYTE:
				       * padding left out, for put and get */
	size_t run_repeats;	      /* mostly 0, as is the other */
	ptrdiff_t run_step;
	size_t piece_repeats;
	ptrdiff_t piece_step;
};

/* The type of one element of each kind. */
extern const struct orl_type orl_basics[ORL_KIND_COUNT];

/* Is it a predefined datatype's, and not one made by the program? */
static inline bool orl_type_is_basic(const struct orl_type *type)
{
	return type >= orl_basics && type < orl_basics + ORL_KIND_COUNT;
}

extern struct orl_map orl_type_map;

/* A copy that stays when the datatype is freed: to be freed; NULL if there is
 * no memory. */
struct orl_type *orl_type_keep(const struct orl_type *type);

/* The host has ended, and its handles of made types with it.  No thread may be
 * in a call that uses types. */
void orl_type_end(void);

/* Flattens and caches; 0, -ENOMEM, or MPI_ERR_TYPE. */
int orl_type_load(MPI_Datatype handle, const struct orl_type **type);

/* The flattened form of a handle, if it is cached: else NULL. */
static inline const struct orl_type *orl_type_cached(MPI_Datatype handle)
{
	return orl_map_find(&orl_type_map, (uintptr_t)handle);
}

/*
 * The flattened form of a handle.  0, or what orl_type_load returns:
 * MPI_ERR_TYPE for MPI_DATATYPE_NULL and what is no datatype.
 */
static inline int orl_type_find(MPI_Datatype handle,
				const struct orl_type **type)
{
	*type = orl_type_cached(handle);
	return orl_likely(*type) ? 0 : orl_type_load(handle, type);
}

/*
 * First and one past the last byte that count items touch, relative to the
 * buffer: 0, or -EOVERFLOW.  Both are 0 where no byte is touched.
 */
int orl_type_span(const struct orl_type *type, size_t count, ptrdiff_t *first,
		  ptrdiff_t *last);

/*
 * Walks count items of a type block by block.  A cursor made for bytes goes
 * over pieces, its unit is the byte; one for elements goes over runs, its
 * unit is the element.  Items that continue each other are walked as one.
 * orl_type_span must have accepted the count.  May be copied.
 */
struct orl_cursor {
	ptrdiff_t off;	  /* of what comes next */
	size_t left;	  /* units left in the block; 0: at the end */
	size_t blocks;	  /* left in the run, this one included */
	ptrdiff_t start;  /* of the block */
	ptrdiff_t stride; /* of the run, as are: */
	size_t blocklen;
	size_t unit; /* bytes */
	const struct orl_run *next, *first, *end;
	size_t items;	/* left, this one included */
	ptrdiff_t item; /* offset of this one */
	ptrdiff_t extent;
	/* Of types with repeats: each time is an item here, each item one of
	 * so many groups of them. */
	size_t groups; /* left, after this one; the others are set if not 0 */
	size_t times;  /* in each */
	ptrdiff_t gap; /* from the end of one to the next */
};

void orl_cursor_bytes(struct orl_cursor *cur, const struct orl_type *type,
		      size_t count);
void orl_cursor_elements(struct orl_cursor *cur, const struct orl_type *type,
			 size_t count);

/*
 * The next block of at most max units (max > 0): returns its length in
 * units, its offset in bytes in *off; 0 at the end.
 */
size_t orl_cursor_next(struct orl_cursor *cur, size_t max, ptrdiff_t *off);

/*
 * The next blocks of one run, two at least, all whole, of at most max units
 * together: false if there are none such.
 */
bool orl_cursor_row(struct orl_cursor *cur, size_t max, struct orl_run *row);

/*
 * n pairs of blocks of len bytes, at offsets that grow by the strides: the
 * most that comes next of both byte cursors, which go on behind it.  False at
 * the end of either.
 */
struct orl_steps {
	ptrdiff_t a, b, a_stride, b_stride;
	size_t len, n;
};
bool orl_cursor_steps(struct orl_cursor *a, struct orl_cursor *b,
		      struct orl_steps *steps);

/* -- copies within memory that is mapped here -----------------------------*/

/* n blocks of len bytes, from and to addresses that grow by the strides. */
void orl_copy_steps(void *dst, ptrdiff_t dst_stride, const void *src,
		    ptrdiff_t src_stride, size_t len, size_t n);

/* Copies what both byte cursors have, of the buffers that they go over. */
void orl_cursor_copy(struct orl_cursor *to, void *dst, struct orl_cursor *from,
		     const void *src);

/*
 * Do the items of both, elements of one kind, lie alike?  *shift is then how
 * much further each element of a is from its buffer than that of b is.  Not
 * all that do are found: both must have been made of like parts.
 */
bool orl_type_is_alike(const struct orl_type *a, size_t a_count,
		       const struct orl_type *b, size_t b_count,
		       ptrdiff_t *shift);

/* -- rows of small blocks, a line of memory at a time ---------------------*/

#define ORL_LINE 64

/*
 * Masks that have a bit for each lane of a line, set where a block is.  The
 * first and the last line have others before and behind the row; those between
 * have the masks in turn, of which there are period.
 */
struct orl_lines {
	uint64_t head, tail, masks[ORL_LINE];
	size_t period, between;
};

/* Of blocks of len bytes: no more than a line apart, forwards, without overlap,
 * and of several lines. */
static inline bool orl_lines_fit(const struct orl_run *row, size_t len)
{
	return row->stride >= (ptrdiff_t)len && row->stride <= ORL_LINE &&
	       row->blocks * len >= 4 * ORL_LINE;
}

/*
 * Of blocks of len bytes that fit, the first one at blocks.  Addresses and
 * lengths are multiples of the lane, 1 or 4 bytes.
 */
void orl_lines_make(struct orl_lines *lines, const void *blocks,
		    const struct orl_run *row, size_t len, size_t lane);

/*
 * Copies the bytes of a row, the first one at blocks, to dst, side by side.
 * False, and nothing has been done: another way is as fast, or this processor
 * has no other.
 */
bool orl_lines_pick(void *dst, const void *blocks, const struct orl_run *row);

/*
 * Copies bytes of data, in the order of both type maps, until one side has
 * no more.  Of dst nothing but data is written, and no byte ever holds
 * anything but its old or its new value, so others may read beside it.
 */
void orl_type_copy(const struct orl_type *dst_type, size_t dst_count, void *dst,
		   const struct orl_type *src_type, size_t src_count,
		   const void *src);

/*
 * Between a typed buffer and a contiguous array of its elements (of
 * extent bytes each, all of one kind): for operands of accumulates.
 */
void orl_type_gather(const struct orl_type *type, size_t count, const void *buf,
		     void *elements);
void orl_type_scatter(const struct orl_type *type, size_t count, void *buf,
		      const void *elements);

/* The same of the n elements that come next of a buffer's byte cursor. */
void orl_type_gather_next(struct orl_cursor *cur, const void *buf,
			  enum orl_kind kind, size_t n, void *elements);
void orl_type_scatter_next(struct orl_cursor *cur, void *buf,
			   enum orl_kind kind, size_t n, const void *elements);

/*
 * One load and one store at the sizes of elements: an aligned element is never
 * seen half written.  The ranges may overlap: a process may put to itself.
 * Where the compiler only knows that len is small, memcpy would be a rep movs,
 * which takes several times as long.
 */
static inline void orl_copy(void *dst, const void *src, size_t len)
{
	switch (len) {
	case 8:
		__builtin_memcpy(dst, src, 8);
		break;
	case 4:
		__builtin_memcpy(dst, src, 4);
		break;
	case 16:
		__builtin_memcpy(dst, src, 16);
		break;
	case 2:
		__builtin_memcpy(dst, src, 2);
		break;
	case 1:
		__builtin_memcpy(dst, src, 1);
		break;
	default:
		memmove(dst, src, len);
	}
}

#endif
