/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_basic.c - the predefined datatypes and what MPI-3.1 section 5.9.2
 * lets operations do with them.
 */
#include "random.h"

#include <string.h>
#include <wchar.h>

#define BIT(rop)   (1u << ROP_##rop)
#define OPS_ANY	   (BIT(REPLACE) | BIT(NO_OP))
#define OPS_ARITH  (BIT(MAX) | BIT(MIN) | BIT(SUM) | BIT(PROD))
#define OPS_BITS   (BIT(BAND) | BIT(BOR) | BIT(BXOR))
#define OPS_LOGIC  (BIT(LAND) | BIT(LOR) | BIT(LXOR))
#define OPS_CINT   (OPS_ARITH | OPS_BITS | OPS_LOGIC | BIT(CAS))
#define OPS_INT	   (OPS_ARITH | OPS_BITS | BIT(CAS)) /* Fortran, AINT .. */
#define OPS_FLOAT  OPS_ARITH
#define OPS_CPLX   (BIT(SUM) | BIT(PROD))
#define OPS_BOOL   (OPS_LOGIC | BIT(CAS))
#define OPS_BYTE   (OPS_BITS | BIT(CAS))
#define OPS_PAIR   (BIT(MINLOC) | BIT(MAXLOC))
#define MAX_BASICS 96

struct basic basics[MAX_BASICS];
int nbasics;

const int number_size[NUM_COUNT] = {
	1, 2, 4, 8, 1, 2, 4, 8, 4, 8, sizeof(long double), 16
};

static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p += len)
		if ((p == list || p[-1] == ',') &&
		    (p[len] == ',' || p[len] == '\0'))
			return true;
	return false;
}

static bool is_wanted(const char *name)
{
	if (config.types && !is_listed(config.types, name))
		return false;
	return !config.not_types || !is_listed(config.not_types, name);
}

/* Bytes of a number that hold its value: x87 leaves six of sixteen alone. */
static uint32_t sure_bytes(enum number num)
{
	int size = number_size[num];

	if (num == NUM_FLD && __LDBL_MANT_DIG__ == 64)
		size = 10;
	return (uint32_t)((UINT64_C(1) << size) - 1);
}

static uint32_t data_bytes(enum number num)
{
	return (uint32_t)((UINT64_C(1) << number_size[num]) - 1);
}

static struct basic *add(const char *name, MPI_Datatype type, enum form form,
			 enum number num)
{
	struct basic *basic = &basics[nbasics];
	int size = 0;

	if (type == MPI_DATATYPE_NULL || !is_wanted(name) ||
	    MPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0)
		return NULL;
	basic->name = name;
	basic->type = type;
	basic->form = form;
	basic->first = num;
	basic->extent = basic->align = number_size[num];
	basic->data = data_bytes(num);
	basic->sure = sure_bytes(num);
	basic->strict = form != FORM_INT && form != FORM_OPAQUE;
	nbasics++;
	return basic;
}

static void add_ops(const char *name, MPI_Datatype type, enum form form,
		    enum number num, uint32_t ops)
{
	struct basic *basic = add(name, type, form, num);

	if (basic)
		basic->ops = ops | OPS_ANY;
}

static void add_pair(const char *name, MPI_Datatype type, enum form form,
		     enum number first, enum number second)
{
	struct basic *basic = add(name, type, form, first);
	int align = number_size[second];

	if (!basic)
		return;
	basic->second = second;
	basic->second_off = (basic->extent + align - 1) / align * align;
	basic->data |= data_bytes(second) << basic->second_off;
	basic->sure |= sure_bytes(second) << basic->second_off;
	if (basic->align < align)
		basic->align = align;
	basic->extent = (basic->second_off + align + basic->align - 1) /
			basic->align * basic->align;
	basic->ops = OPS_ANY | (form == FORM_PAIR ? OPS_PAIR : OPS_CPLX);
}

/* Fortran's types are as wide as their compiler made them. */
static void add_wide(const char *name, MPI_Datatype type, enum form form,
		     uint32_t ops)
{
	static const enum number ints[] = { NUM_I8, NUM_I16, NUM_I32, NUM_I64 };
	int size = 0;

	if (type == MPI_DATATYPE_NULL ||
	    MPI_Type_size(type, &size) != MPI_SUCCESS)
		return;
	if (form == FORM_FLOAT && (size == 4 || size == 8))
		add_ops(name, type, form, size == 4 ? NUM_F32 : NUM_F64, ops);
	if (form == FORM_COMPLEX && (size == 8 || size == 16))
		add_pair(name, type, form, size == 8 ? NUM_F32 : NUM_F64,
			 size == 8 ? NUM_F32 : NUM_F64);
	for (int i = 0; i < 4; i++)
		if (form != FORM_FLOAT && form != FORM_COMPLEX &&
		    size == 1 << i)
			add_ops(name, type, form, ints[i], ops);
}

#define INT(name, num) add_ops(#name, MPI_##name, FORM_INT, num, OPS_CINT)
#define AN_INT(name, ctype, sign)                                              \
	add_ops(#name, MPI_##name, FORM_INT,                                   \
		sizeof(ctype) == 8   ? NUM_##sign##64                          \
		: sizeof(ctype) == 4 ? NUM_##sign##32                          \
				     : NUM_##sign##16,                         \
		OPS_CINT)
#define WIDE(name, form, ops) add_wide(#name, MPI_##name, FORM_##form, ops)

static void add_integers(void)
{
	INT(SIGNED_CHAR, NUM_I8);
	INT(UNSIGNED_CHAR, NUM_U8);
	AN_INT(SHORT, short, I);
	AN_INT(UNSIGNED_SHORT, short, U);
	AN_INT(INT, int, I);
	AN_INT(UNSIGNED, int, U);
	AN_INT(LONG, long, I);
	AN_INT(UNSIGNED_LONG, long, U);
	AN_INT(LONG_LONG, long long, I);
	AN_INT(UNSIGNED_LONG_LONG, long long, U);
	INT(INT8_T, NUM_I8);
	INT(INT16_T, NUM_I16);
	INT(INT32_T, NUM_I32);
	INT(INT64_T, NUM_I64);
	INT(UINT8_T, NUM_U8);
	INT(UINT16_T, NUM_U16);
	INT(UINT32_T, NUM_U32);
	INT(UINT64_T, NUM_U64);
	WIDE(AINT, INT, OPS_INT);
	WIDE(OFFSET, INT, OPS_INT);
	WIDE(COUNT, INT, OPS_INT);
}

static void add_others(void)
{
	add_ops("FLOAT", MPI_FLOAT, FORM_FLOAT, NUM_F32, OPS_FLOAT);
	add_ops("DOUBLE", MPI_DOUBLE, FORM_FLOAT, NUM_F64, OPS_FLOAT);
	add_ops("LONG_DOUBLE", MPI_LONG_DOUBLE, FORM_FLOAT, NUM_FLD, OPS_FLOAT);
	add_ops("C_BOOL", MPI_C_BOOL, FORM_LOGICAL, NUM_U8, OPS_BOOL);
	add_ops("BYTE", MPI_BYTE, FORM_INT, NUM_U8, OPS_BYTE);
	add_ops("CHAR", MPI_CHAR, FORM_OPAQUE, NUM_I8, 0);
	add_ops("PACKED", MPI_PACKED, FORM_OPAQUE, NUM_U8, 0);
	WIDE(WCHAR, OPAQUE, 0);
	add_pair("C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, FORM_COMPLEX, NUM_F32,
		 NUM_F32);
	add_pair("C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, FORM_COMPLEX,
		 NUM_F64, NUM_F64);
	add_pair("C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX,
		 FORM_COMPLEX, NUM_FLD, NUM_FLD);
	add_pair("FLOAT_INT", MPI_FLOAT_INT, FORM_PAIR, NUM_F32, NUM_I32);
	add_pair("DOUBLE_INT", MPI_DOUBLE_INT, FORM_PAIR, NUM_F64, NUM_I32);
	add_pair("LONG_INT", MPI_LONG_INT, FORM_PAIR,
		 sizeof(long) == 8 ? NUM_I64 : NUM_I32, NUM_I32);
	add_pair("2INT", MPI_2INT, FORM_PAIR, NUM_I32, NUM_I32);
	add_pair("SHORT_INT", MPI_SHORT_INT, FORM_PAIR, NUM_I16, NUM_I32);
	add_pair("LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, FORM_PAIR, NUM_FLD,
		 NUM_I32);
}

static void add_fortran(void)
{
	WIDE(INTEGER, INT, OPS_INT);
	WIDE(INTEGER1, INT, OPS_INT);
	WIDE(INTEGER2, INT, OPS_INT);
	WIDE(INTEGER4, INT, OPS_INT);
	WIDE(INTEGER8, INT, OPS_INT);
	WIDE(LOGICAL, LOGICAL, OPS_BOOL);
#ifdef MPI_LOGICAL1
	WIDE(LOGICAL1, LOGICAL, OPS_BOOL);
#endif
#ifdef MPI_LOGICAL2
	WIDE(LOGICAL2, LOGICAL, OPS_BOOL);
#endif
#ifdef MPI_LOGICAL8
	WIDE(LOGICAL8, LOGICAL, OPS_BOOL);
#endif
	WIDE(CHARACTER, OPAQUE, 0);
	WIDE(REAL, FLOAT, OPS_FLOAT);
	WIDE(REAL4, FLOAT, OPS_FLOAT);
	WIDE(REAL8, FLOAT, OPS_FLOAT);
	WIDE(DOUBLE_PRECISION, FLOAT, OPS_FLOAT);
	WIDE(COMPLEX, COMPLEX, OPS_CPLX);
	WIDE(COMPLEX8, COMPLEX, OPS_CPLX);
	WIDE(COMPLEX16, COMPLEX, OPS_CPLX);
	WIDE(DOUBLE_COMPLEX, COMPLEX, OPS_CPLX);
	add_pair("2INTEGER", MPI_2INTEGER, FORM_PAIR, NUM_I32, NUM_I32);
	add_pair("2REAL", MPI_2REAL, FORM_PAIR, NUM_F32, NUM_F32);
	add_pair("2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION, FORM_PAIR, NUM_F64,
		 NUM_F64);
#ifdef __SIZEOF_FLOAT128__
	add_ops("REAL16", MPI_REAL16, FORM_FLOAT, NUM_F128, OPS_FLOAT);
	add_pair("COMPLEX32", MPI_COMPLEX32, FORM_COMPLEX, NUM_F128, NUM_F128);
#endif
}

static void add_cplusplus(void)
{
#ifdef MPI_CXX_BOOL
	add_ops("CXX_BOOL", MPI_CXX_BOOL, FORM_LOGICAL, NUM_U8, OPS_BOOL);
	add_pair("CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX, FORM_COMPLEX,
		 NUM_F32, NUM_F32);
	add_pair("CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX, FORM_COMPLEX,
		 NUM_F64, NUM_F64);
	add_pair("CXX_LONG_DOUBLE_COMPLEX", MPI_CXX_LONG_DOUBLE_COMPLEX,
		 FORM_COMPLEX, NUM_FLD, NUM_FLD);
#endif
}

void basics_init(void)
{
	add_integers();
	add_others();
	add_fortran();
	add_cplusplus();
}

bool basic_has(const struct basic *basic, int byte)
{
	return !config.padding || basic->data >> byte & 1;
}

void basic_copy(const struct basic *basic, void *to, const void *from)
{
	uint8_t *out = to;
	const uint8_t *in = from;

	for (int i = 0; i < basic->extent; i++)
		if (basic->data >> i & 1)
			out[i] = in[i];
}

bool basic_equal(const struct basic *basic, const void *a, const void *b)
{
	const uint8_t *x = a, *y = b;

	for (int i = 0; i < basic->extent; i++)
		if (basic->sure >> i & 1 && x[i] != y[i])
			return false;
	return true;
}

bool basic_is_murky(const struct basic *basic, const uint8_t *unsure)
{
	for (int i = 0; i < basic->extent; i++)
		if (basic->sure >> i & 1 && unsure[i])
			return true;
	return false;
}
