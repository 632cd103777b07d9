/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * basic.c - the kinds, and which predefined MPI datatype is of which kind.
 * Predefined datatypes without a kind, such as a 16-bit float, are left to
 * flatten.c, which makes opaque bytes of them.
 */
#include "orl_type.h"

#include "orl_host.h"
#include "type.h"

#include <stdatomic.h>

/* -- kinds ----------------------------------------------------------------*/

/* Bytes of the value of a pair that may be padded; 0 for all else. */
#define FIRST(ctype)                                                           \
	_Generic(*(ctype *)0, struct orl_double_int                            \
		 : sizeof(double), struct orl_long_int                         \
		 : sizeof(long), struct orl_short_int                          \
		 : sizeof(short), struct orl_ld_int                            \
		 : sizeof(long double), default : 0)

/* The offset of its index. */
#define SECOND(ctype)                                                          \
	_Generic(*(ctype *)0, struct orl_double_int                            \
		 : offsetof(struct orl_double_int, i), struct orl_long_int     \
		 : offsetof(struct orl_long_int, i), struct orl_short_int      \
		 : offsetof(struct orl_short_int, i), struct orl_ld_int        \
		 : offsetof(struct orl_ld_int, i), default : 0)

#define SIZE(ctype) (FIRST(ctype) ? FIRST(ctype) + sizeof(int) : sizeof(ctype))

const struct orl_kind_info orl_kinds[ORL_KIND_COUNT] = {
#define KIND(kind, ctype, cls)                                                 \
	[ORL_##kind] = {                                                       \
		.name = #kind,                                                 \
		.class = ORL_CLASS_##cls,                                      \
		.extent = sizeof(ctype),                                       \
		.size = SIZE(ctype),                                           \
		.second = SECOND(ctype),                                       \
		.first = FIRST(ctype),                                         \
	},
	ORL_KINDS(KIND)
#undef KIND
};

/* -- types of one element -------------------------------------------------*/

/* The first is the element, then its pieces: two for a pair with a hole. */
static const struct orl_run runs[ORL_KIND_COUNT][3] = {
#define BLOCK(where, len, of)                                                  \
	{                                                                      \
		.off = (where), .blocks = 1, .blocklen = (len), .kind = (of)   \
	}
#define HAS_HOLE(ctype) (FIRST(ctype) != SECOND(ctype))
#define RUNS(k, ctype, cls)                                                    \
	[ORL_##k] = {                                                          \
		BLOCK(0, 1, ORL_##k),                                          \
		BLOCK(0, HAS_HOLE(ctype) ? FIRST(ctype) : SIZE(ctype),         \
		      ORL_BYTE),                                               \
		BLOCK(SECOND(ctype), SIZE(ctype) - FIRST(ctype), ORL_BYTE),    \
	},
	ORL_KINDS(RUNS)
#undef RUNS
};

const struct orl_type orl_basics[ORL_KIND_COUNT] = {
#define BASIC(k, ctype, cls)                                                   \
	[ORL_##k] = {                                                          \
		.size = SIZE(ctype),                                           \
		.elements = 1,                                                 \
		.extent = sizeof(ctype),                                       \
		.true_ub = SECOND(ctype) + SIZE(ctype) - FIRST(ctype),         \
		.kind = ORL_##k,                                               \
		.dense = SIZE(ctype) == sizeof(ctype),                         \
		.packed = true,                                                \
		.nruns = 1,                                                    \
		.runs = runs[ORL_##k],                                         \
		.npieces = HAS_HOLE(ctype) ? 2 : 1,                            \
		.pieces = runs[ORL_##k] + 1,                                   \
	},
	ORL_KINDS(BASIC)
#undef BASIC
};

/* -- predefined datatypes -------------------------------------------------*/

/* A datatype is of that kind from first to last which has its size. */
struct predefined {
	MPI_Datatype handle;
	enum orl_kind first, last;
};

#define IS(handle, kind)                                                       \
	{                                                                      \
		(handle), ORL_##kind, ORL_##kind                               \
	}
#define SIGNED(handle)                                                         \
	{                                                                      \
		(handle), ORL_I8, ORL_I64                                      \
	}
#define UNSIGNED(handle)                                                       \
	{                                                                      \
		(handle), ORL_U8, ORL_U64                                      \
	}
#define REAL(handle)                                                           \
	{                                                                      \
		(handle), ORL_F32, ORL_F64                                     \
	}
#define COMPLEX(handle)                                                        \
	{                                                                      \
		(handle), ORL_C32, ORL_C64                                     \
	}
#define LOGICAL(handle)                                                        \
	{                                                                      \
		(handle), ORL_L8, ORL_L64                                      \
	}

static const struct predefined predefined[] = {
	/* C */
	/* By section 5.9.2 characters, on which no operation is defined; both
	 * hosts take them for integers in reductions, and programs do. */
	SIGNED(MPI_CHAR),
	SIGNED(MPI_SIGNED_CHAR),
	SIGNED(MPI_SHORT),
	SIGNED(MPI_INT),
	SIGNED(MPI_LONG),
	SIGNED(MPI_LONG_LONG),
	SIGNED(MPI_LONG_LONG_INT),
	UNSIGNED(MPI_UNSIGNED_CHAR),
	UNSIGNED(MPI_UNSIGNED_SHORT),
	UNSIGNED(MPI_UNSIGNED),
	UNSIGNED(MPI_UNSIGNED_LONG),
	UNSIGNED(MPI_UNSIGNED_LONG_LONG),
	SIGNED(MPI_INT8_T),
	SIGNED(MPI_INT16_T),
	SIGNED(MPI_INT32_T),
	SIGNED(MPI_INT64_T),
	UNSIGNED(MPI_UINT8_T),
	UNSIGNED(MPI_UINT16_T),
	UNSIGNED(MPI_UINT32_T),
	UNSIGNED(MPI_UINT64_T),
	SIGNED(MPI_AINT),
	SIGNED(MPI_OFFSET),
	SIGNED(MPI_COUNT),
	REAL(MPI_FLOAT),
	REAL(MPI_DOUBLE),
	IS(MPI_LONG_DOUBLE, FLD),
	COMPLEX(MPI_C_COMPLEX),
	COMPLEX(MPI_C_FLOAT_COMPLEX),
	COMPLEX(MPI_C_DOUBLE_COMPLEX),
	IS(MPI_C_LONG_DOUBLE_COMPLEX, CLD),
	IS(MPI_C_BOOL, BOOL),
	IS(MPI_WCHAR, WCHAR),
	IS(MPI_BYTE, BYTE),
	IS(MPI_PACKED, PACKED),
	IS(MPI_FLOAT_INT, FLOAT_INT),
	IS(MPI_DOUBLE_INT, DOUBLE_INT),
	IS(MPI_LONG_INT, LONG_INT),
	IS(MPI_2INT, 2INT),
	IS(MPI_SHORT_INT, SHORT_INT),
	IS(MPI_LONG_DOUBLE_INT, LD_INT),
	/* Fortran */
	SIGNED(MPI_INTEGER),
	REAL(MPI_REAL),
	REAL(MPI_DOUBLE_PRECISION),
	COMPLEX(MPI_COMPLEX),
	COMPLEX(MPI_DOUBLE_COMPLEX),
	LOGICAL(MPI_LOGICAL),
	IS(MPI_CHARACTER, CHARACTER),
	IS(MPI_2REAL, 2REAL),
	IS(MPI_2DOUBLE_PRECISION, 2DOUBLE),
	IS(MPI_2INTEGER, 2INT),
/* What a host may leave out */
#ifdef MPI_INTEGER1
	SIGNED(MPI_INTEGER1),
#endif
#ifdef MPI_INTEGER2
	SIGNED(MPI_INTEGER2),
#endif
#ifdef MPI_INTEGER4
	SIGNED(MPI_INTEGER4),
#endif
#ifdef MPI_INTEGER8
	SIGNED(MPI_INTEGER8),
#endif
#ifdef MPI_INTEGER16
	IS(MPI_INTEGER16, I128),
#endif
#ifdef MPI_REAL4
	REAL(MPI_REAL4),
#endif
#ifdef MPI_REAL8
	REAL(MPI_REAL8),
#endif
#ifdef MPI_REAL16
	IS(MPI_REAL16, F128),
#endif
#ifdef MPI_COMPLEX8
	COMPLEX(MPI_COMPLEX8),
#endif
#ifdef MPI_COMPLEX16
	COMPLEX(MPI_COMPLEX16),
#endif
#ifdef MPI_COMPLEX32
	IS(MPI_COMPLEX32, C128),
#endif
#ifdef MPI_LOGICAL1
	LOGICAL(MPI_LOGICAL1),
#endif
#ifdef MPI_LOGICAL2
	LOGICAL(MPI_LOGICAL2),
#endif
#ifdef MPI_LOGICAL4
	LOGICAL(MPI_LOGICAL4),
#endif
#ifdef MPI_LOGICAL8
	LOGICAL(MPI_LOGICAL8),
#endif
/* C++ */
#ifdef MPI_CXX_BOOL
	IS(MPI_CXX_BOOL, BOOL),
#endif
#ifdef MPI_CXX_FLOAT_COMPLEX
	COMPLEX(MPI_CXX_FLOAT_COMPLEX),
#endif
#ifdef MPI_CXX_DOUBLE_COMPLEX
	COMPLEX(MPI_CXX_DOUBLE_COMPLEX),
#endif
#ifdef MPI_CXX_LONG_DOUBLE_COMPLEX
	IS(MPI_CXX_LONG_DOUBLE_COMPLEX, CLD),
#endif
};

/* The type of the kind that fits, or NULL: the host has no such datatype. */
static const struct orl_type *find_type(const struct predefined *known)
{
	enum orl_kind kind;
	size_t size;

	if (known->handle == MPI_DATATYPE_NULL ||
	    orl_host_type_size(known->handle, &size))
		return NULL;
	for (kind = known->first; kind <= known->last; kind++)
		if (orl_kinds[kind].size == size)
			return &orl_basics[kind];
	return NULL;
}

static int fill(void)
{
	size_t i;

	for (i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		uintptr_t key = (uintptr_t)predefined[i].handle;
		const struct orl_type *type = find_type(&predefined[i]);
		int rc;

		if (!type)
			continue;
		/* The map's values are not const; this one is never freed. */
		rc = orl_map_set(&orl_type_map, key, (void *)(uintptr_t)type);
		if (rc)
			return rc;
	}
	return 0;
}

/* Threads that come at the same time all fill in the same. */
int orl_type_start(void)
{
	static atomic_bool started;
	int rc;

	/* Acquire: pairs with the release below. */
	if (atomic_load_explicit(&started, memory_order_acquire))
		return 0;
	rc = fill();
	if (!rc)
		atomic_store_explicit(&started, true, memory_order_release);
	return rc;
}
