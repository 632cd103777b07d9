/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random.h - the random differential tester: what its parts share.
 *
 * From a seed every rank generates the same program (gen), foretells on
 * plain memory what each window and buffer holds after each phase (model),
 * carries out its own share with MPI (run), and compares.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_RANKS  16
#define MAX_WINS   2
#define MAX_SEGS   3
#define MAX_EXTENT 32 /* of a predefined type */

/* -- random_util.c: memory that lives as long as a program; numbers ---------*/

void *arena_alloc(size_t size); /* zeroed, aligned to 16 */
void arena_reset(void);

struct rng {
	uint64_t state;
};
uint64_t rng_next(struct rng *rng);
unsigned rng_below(struct rng *rng, unsigned n);
int rng_range(struct rng *rng, int low, int high); /* both included */
bool rng_chance(struct rng *rng, unsigned percent);
void rng_fill(struct rng *rng, void *buf, size_t len);

/* -- random_basic.c: predefined types; random_ops.c: reference arithmetic ---*/

enum rop {
	ROP_SUM,
	ROP_PROD,
	ROP_MAX,
	ROP_MIN,
	ROP_LAND,
	ROP_LOR,
	ROP_LXOR,
	ROP_BAND,
	ROP_BOR,
	ROP_BXOR,
	ROP_MINLOC,
	ROP_MAXLOC,
	ROP_REPLACE,
	ROP_NO_OP,
	ROP_CAS, /* compare_and_swap, where an operation is to be told */
	ROP_COUNT
};
extern const char *const rop_names[ROP_COUNT];
MPI_Op rop_handle(enum rop rop);

enum form {
	FORM_INT,
	FORM_FLOAT,
	FORM_COMPLEX,
	FORM_LOGICAL,
	FORM_OPAQUE,
	FORM_PAIR
};

/* The C type of a number in memory. */
enum number {
	NUM_I8,
	NUM_I16,
	NUM_I32,
	NUM_I64,
	NUM_U8,
	NUM_U16,
	NUM_U32,
	NUM_U64,
	NUM_F32,
	NUM_F64,
	NUM_FLD,
	NUM_F128,
	NUM_COUNT
};
extern const int number_size[NUM_COUNT]; /* bytes */

struct basic {
	const char *name;
	MPI_Datatype type;
	enum form form;
	enum number first, second; /* second: imaginary part, or index */
	int second_off;
	int extent, align;
	uint32_t ops;  /* bit of each enum rop that is legal */
	uint32_t data; /* bit of each byte that the type transfers */
	uint32_t sure; /* of these, the bytes whose value is defined */
	bool strict;   /* not every bit pattern is a value */
};
extern struct basic basics[];
extern int nbasics;

void basics_init(void);
/*
 * A value for which the operation is exact, in whatever order; or a wild
 * one: NaN, infinite, with a sign on its zero, rounded by the operation.
 */
void basic_random(struct rng *rng, const struct basic *basic, enum rop rop,
		  bool wild, void *value);
/* Is it a NaN that arithmetic made?  Its bits are free. */
bool basic_is_vague(const struct basic *basic, enum rop rop, const void *value);
/* target = target op origin */
void basic_apply(const struct basic *basic, enum rop rop, void *target,
		 const void *origin);
/* Does the byte belong to the type; padding does if it is not tested. */
bool basic_has(const struct basic *basic, int byte);
/* Copies the data bytes, leaving padding alone. */
void basic_copy(const struct basic *basic, void *to, const void *from);
/* Is a byte that makes up the value one of the unsure? */
bool basic_is_murky(const struct basic *basic, const uint8_t *unsure);
bool basic_equal(const struct basic *basic, const void *a, const void *b);

/* -- random_type.c: derived types as trees ----------------------------------*/

enum comb {
	COMB_BASIC,
	COMB_DUP,
	COMB_CONTIG,
	COMB_VECTOR,
	COMB_HVECTOR,
	COMB_INDEXED,
	COMB_HINDEXED,
	COMB_IBLOCK,
	COMB_HIBLOCK,
	COMB_STRUCT,
	COMB_SUBARRAY,
	COMB_DARRAY,
	COMB_RESIZED,
	COMB_COUNT
};
extern const char *const comb_names[COMB_COUNT];

/* What subarray and darray are told, dimension by dimension. */
struct array_args {
	int dims, order, rank, procs;
	int sizes[3], subsizes[3], starts[3];
	int distribs[3], dargs[3], psizes[3];
};

/*
 * n, blocklen, stride, lens, disps: the constructor's arguments, in its own
 * units.  items: what they mean, the byte displacement of each kid in type
 * map order.
 */
struct tree {
	enum comb comb;
	int basic;
	int n, blocklen;
	ptrdiff_t stride;
	int *lens;
	ptrdiff_t *disps;
	struct array_args *array;
	struct tree **kids; /* one; struct: n */
	size_t nitems;
	ptrdiff_t *items;
	int *item_kid; /* NULL: all are kids[0] */
	ptrdiff_t lb, extent, true_lb, true_ub;
	size_t nelems;
	int align;
	/* The extent is what any MPI says: it does not hang on how a struct
	 * is rounded up or on which bounds are sticky. */
	bool safe;
};

struct elem {
	int off;
	int basic;
};

/* May the elements overlap: in what is only read, they may. */
enum overlap { OVERLAP_NO, OVERLAP_SAME, OVERLAP_ANY };

/* A tree whose elements are sig[0..n), and plain at depth 0. */
struct tree *tree_build(struct rng *rng, const uint8_t *sig, size_t n,
			int depth, bool loose);
struct tree *tree_plain(const uint8_t *sig, size_t n);
struct tree *tree_safe(struct tree *tree); /* resized if need be */
struct elem *tree_expand(const struct tree *tree, ptrdiff_t base,
			 struct elem *out);

/* Constructors: random_tree.c. */
struct tree *tree_new(enum comb comb, int n, struct tree *kid);
void tree_finish(struct tree *tree);
void array_own(const struct array_args *args, int dim, int *count, int *own);

/* random_mpitype.c */
MPI_Datatype tree_make(const struct tree *tree); /* committed */
/* Absolute: shifted by the address, for MPI_BOTTOM. */
MPI_Datatype tree_make_at(const struct tree *tree, const void *addr);
void tree_drop(MPI_Datatype *type);

/* -- the program ------------------------------------------------------------*/

enum win_kind {
	WIN_ALLOCATE,
	WIN_SHARED,
	WIN_CREATE,
	WIN_ALLOC_MEM,
	WIN_DYNAMIC,
	WIN_KINDS
};
extern const char *const win_names[WIN_KINDS];

struct window {
	enum win_kind kind;
	bool no_locks, noncontig;
	int nsegs; /* 1 unless dynamic */
	struct {
		int unit;
		int skew; /* WIN_CREATE, WIN_DYNAMIC: bytes off alignment */
		size_t size[MAX_SEGS];
		/* WIN_DYNAMIC: bytes within that are not attached. */
		size_t hole[MAX_SEGS], hole_len[MAX_SEGS];
	} rank[MAX_RANKS];
	/* The model. */
	uint8_t *mem[MAX_RANKS][MAX_SEGS];
	uint8_t *unsure[MAX_RANKS][MAX_SEGS];
	/* What is real. */
	MPI_Win win;
	MPI_Info info;
	uint8_t *base[MAX_SEGS];	    /* mine */
	MPI_Aint addr[MAX_RANKS][MAX_SEGS]; /* dynamic: everybody's */
	uint8_t *block[MAX_SEGS];	    /* what base was carved from */
	size_t before[MAX_SEGS], after[MAX_SEGS]; /* canaries around base */
	uint64_t seed;
};

/*
 * A typed buffer.  An origin's lies in a region with bytes before, between
 * and after its elements that nobody may touch.
 */
struct side {
	struct tree *tree;
	int count;
	struct elem *elems;
	size_t n;
	ptrdiff_t first, last; /* bytes spanned, relative to the address */
	bool bottom, null;
	size_t size; /* region */
	ptrdiff_t base;
	int skew;
	uint8_t *want, *unsure, *real;
	bool spoilt; /* overwritten by the program since */
	MPI_Datatype type;
};

enum call {
	CALL_PUT,
	CALL_GET,
	CALL_ACC,
	CALL_GACC,
	CALL_FOP,
	CALL_CAS,
	CALL_RPUT,
	CALL_RGET,
	CALL_RACC,
	CALL_RGACC,
	CALL_RMA, /* those before communicate; those after synchronise */
	CALL_LOCK = CALL_RMA,
	CALL_UNLOCK,
	CALL_LOCK_ALL,
	CALL_UNLOCK_ALL,
	CALL_FLUSH,
	CALL_FLUSH_LOCAL,
	CALL_FLUSH_ALL,
	CALL_FLUSH_LOCAL_ALL,
	CALL_WIN_SYNC,
	CALL_WAIT,
	CALL_COUNT
};
extern const char *const call_names[CALL_COUNT];

enum wait {
	WAIT_ONE,
	WAIT_ALL,
	WAIT_ANY,
	WAIT_SOME,
	WAIT_TEST,
	WAIT_TESTALL,
	WAIT_TESTANY,
	WAIT_TESTSOME,
	WAIT_MODES
};
extern const char *const wait_names[WAIT_MODES];

struct claim;
struct event;

struct op {
	enum call call;
	int id, origin, target; /* target: MPI_PROC_NULL for nobody */
	int seg;
	ptrdiff_t base; /* byte in the segment that the displacement names */
	int basic;	/* of accumulates */
	enum rop rop;
	struct side src, res, cmp, tgt;
	uint64_t seed;
	struct claim **claims; /* accumulates: of each target element */
	struct event *events;  /* those whose outcome must be observed */
	bool scribble;	 /* spoil the origin buffer once it may be reused */
	bool free_early; /* free the types as soon as the call returns */
	bool large;	 /* the _c form, where there is one */
	bool cas_hit;	 /* compare equal, as far as can be known */
	bool skip;
	int assertion, lock_type;
	enum wait wait;
	/* What is real. */
	MPI_Request request;
	bool issued, done;
};

enum sync { SYNC_FENCE, SYNC_PSCW, SYNC_LOCK, SYNC_LOCK_ALL, SYNC_KINDS };
extern const char *const sync_names[SYNC_KINDS];

/* The owner's own write before a phase: a value, or len random bytes. */
struct store {
	struct store *next;
	int rank, seg, basic; /* basic -1: bytes */
	size_t off, len;
	enum rop rop;
	uint64_t seed;
	const struct claim *claim; /* what it prepares, or NULL */
};

struct phase {
	int id, win;
	enum sync sync;
	bool chained; /* fence: opened by the fence that closed the last one */
	bool first;   /* of its window */
	bool check;   /* fence: nothing follows before memory is compared */
	int nops, room;
	struct op **ops;
	struct store *stores, **tail;	       /* in this order */
	bool targets[MAX_RANKS][MAX_RANKS];    /* pscw: [origin][target] */
	int open[MAX_RANKS], close[MAX_RANKS]; /* assertions: fence; post */
	bool nocheck, empty_groups;
	bool by_test[MAX_RANKS]; /* pscw: MPI_Win_test instead of wait */
	/* claims: per target rank, segment and byte */
	struct claim **claims[MAX_RANKS][MAX_SEGS];
	struct claim *shared; /* those of several origins, chained */
	uint8_t *observed;
	int nobserved;
};

struct prog {
	uint64_t seed;
	int comm; /* index of comms[] */
	int nranks, me;
	int nwins, nphases;
	struct window wins[MAX_WINS];
	struct phase *phases;
	int nops;
};

struct config {
	uint32_t win_kinds, syncs, calls, rops, comms;
	bool derived, misaligned, bottom, shared, proc_null, null_buffers;
	bool padding, big, odd_units, large, early_free, zero, waits_late;
	bool asserts, result_padding, wild, holes;
	const char *types; /* comma-separated names, or NULL for all */
	const char *not_types;
	bool verbose;
	const char *mutate; /* a rule of the model to break */
	bool skip[4096];
	int max_phases;
};
extern struct config config;
bool mutated(const char *rule);

struct comm {
	MPI_Comm comm;
	int rank, size, colour;
};
#define NCOMMS 4
extern struct comm comms[NCOMMS];
extern const char *const comm_names[NCOMMS];

/* -- random_claim.c: who may touch which byte in a phase --------------------*/

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ACC };

struct claim {
	enum access access;
	int origin; /* -1: several readers */
	int gen;    /* flushes of origin to the target when it was made */
	int basic, off, rank, seg;
	enum rop rop;
	bool shared;	/* accumulated by several origins */
	bool mixed;	/* with several operations, by one origin */
	bool mine_only; /* touched by origin before: nobody else's */
	int uses;
	struct event *events, **tail;
	struct claim *next_shared;
	bool listed;
	bool murky; /* what it held before is not known */
	int slot;   /* where the final value is observed, or -1 */
};

/* One accumulate's work on one element of a shared claim. */
struct event {
	struct op *op;
	size_t elem;
	struct claim *claim;
	struct event *next, *next_of_op;
	int slot; /* of the fetched value, or -1 */
};

/* Takes the bytes of op's target buffer, or returns false. */
bool claim_take(struct prog *prog, struct phase *phase, struct op *op, int gen);

/* -- random_gen.c, random_genop.c -------------------------------------------*/

struct prog *gen_program(uint64_t seed, int comm);
/* A communication call of origin to target, appended where one fits. */
void gen_rma(struct rng *rng, struct prog *prog, struct phase *phase,
	     int origin, int target, int gen);
/* A buffer with the elements sig[0..n) in at most room bytes. */
void side_build(struct rng *rng, struct side *side, const uint8_t *sig,
		size_t n, enum overlap overlap, size_t room);
void side_single(struct rng *rng, struct side *side, int basic);
struct op *op_new(enum call call, int origin, int target);
void op_append(struct prog *prog, struct phase *phase, struct op *op);
bool call_fetches(enum call call); /* has a result buffer */
bool call_is_acc(enum call call);
bool call_is_r(enum call call);

/* -- random_model.c, random_contest.c ---------------------------------------*/

void model_start(struct prog *prog);
void model_phase(struct prog *prog, struct phase *phase);
/* Compares by what is known; the first differing byte, or -1. */
ptrdiff_t model_differs(const uint8_t *want, const uint8_t *unsure,
			const uint8_t *got, size_t len);
void store_bytes(const struct store *store, uint8_t *mem);
/* Shared elements: before and after the phase is carried out. */
void contest_settle(struct prog *prog, struct phase *phase);
void contest_record(struct phase *phase, struct op *op);
void contest_check(struct prog *prog, struct phase *phase);

/* -- random_run.c, random_win.c, random_call.c ------------------------------*/

void run_program(struct prog *prog);
void win_make(struct prog *prog, struct window *win);
void win_drop(struct prog *prog, struct window *win);
void win_check(struct prog *prog, struct phase *phase);
void call_issue(struct prog *prog, struct window *win, struct op *op);
void wait_requests(struct prog *prog, struct phase *phase, enum wait mode);
void op_done(struct prog *prog, struct phase *phase, struct op *op);
void op_check(struct prog *prog, struct phase *phase, struct op *op);

/* -- random_print.c ---------------------------------------------------------*/

void print_program(const struct prog *prog);
void print_window(const struct prog *prog, int index);
void print_op(const struct prog *prog, const struct phase *phase,
	      const struct op *op);
void print_bytes(const char *label, const void *bytes, size_t len);
/* Says what failed and where, and ends the job with status 1. */
void fail_head(const struct prog *prog, const struct phase *phase,
	       const char *what);
_Noreturn void fail_end(void);
void must(int rc, const struct prog *prog, const char *call);

/* What a signal handler tells: set as the program goes along. */
extern volatile uint64_t now_seed;
extern volatile int now_phase, now_op;

#endif
