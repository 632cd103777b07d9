/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_util.h - what every module may use: options, log, the handle map,
 * clocks, compiler hints.  Depends on nothing else of Oriel.
 */
#ifndef ORL_UTIL_H
#define ORL_UTIL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define orl_likely(x)	   __builtin_expect(!!(x), 1)
#define orl_unlikely(x)	   __builtin_expect(!!(x), 0)
#define ORL_COLD	   __attribute__((cold, noinline))
#define ORL_CACHELINE	   64
#define ORL_ALIGN_UP(x, a) (((x) + (a)-1) & ~((__typeof__(x))(a)-1))

/* -- time: nanoseconds, monotonic ------------------------------------------ */

#define ORL_SECOND 1000000000ull

static inline uint64_t orl_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * ORL_SECOND + (uint64_t)now.tv_nsec;
}

static inline uint64_t orl_now_ns(void)
{
	return orl_clock_ns(CLOCK_MONOTONIC);
}

/* Microseconds, modulo 2^32: for short times. */
static inline uint32_t orl_now_us(void)
{
	return (uint32_t)(orl_now_ns() / 1000);
}

/* To some milliseconds, for much less. */
static inline uint64_t orl_now_coarse(void)
{
	return orl_clock_ns(CLOCK_MONOTONIC_COARSE);
}

/* -- threads --------------------------------------------------------------- */

/* A library that is preloaded may have its variables there: no call. */
#define ORL_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

/* Does the program use MPI_THREAD_MULTIPLE?  Constant once started. */
extern bool orl_threaded;

/* A mutex that costs a branch in programs without threads. */
static inline void orl_lock(pthread_mutex_t *mutex)
{
	if (orl_unlikely(orl_threaded))
		pthread_mutex_lock(mutex);
}

static inline void orl_unlock(pthread_mutex_t *mutex)
{
	if (orl_unlikely(orl_threaded))
		pthread_mutex_unlock(mutex);
}

/*
 * The calling thread's number: below ORL_THREADS, of no other thread that
 * lives; ORL_THREADS: there were none left, others have it too.
 */
#define ORL_THREADS 63

extern ORL_THREAD_LOCAL uint32_t orl_thread_mark; /* it + 1; 0: none yet */
uint32_t orl_thread_take_number(void) ORL_COLD;

static inline uint32_t orl_thread_number(void)
{
	return orl_likely(orl_thread_mark) ? orl_thread_mark - 1
					   : orl_thread_take_number();
}

/*
 * A full memory fence.  The compiler's own is on the top of the stack, and
 * where that is the return address, the return waits for it: 8 ns.
 */
static inline void orl_fence(void)
{
#ifdef __x86_64__
	__asm__ volatile("lock addl $0, -4(%%rsp)" ::: "memory", "cc");
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* -- options: read once from the environment, ORIEL_<NAME> ----------------- */

/*
 * name in C, name in the environment, kind, default, help.  The log comes
 * first: it decides what is said of the others.
 */
#define ORL_OPTIONS(X)                                                         \
	X(log, LOG, level, "error", "none, error, warn, info or debug")        \
	X(path, PATH, mask, "direct,cma,fabric,software",                      \
	  "paths that may be used, by comma: direct, cma, fabric, software")   \
	X(stats, STATS, stats, "0",                                            \
	  "1, json or a file: what each window did, when it is freed")         \
	X(trace, TRACE, text, "",                                              \
	  "a folder, for a trace of each rank's calls as a browser shows it")  \
	X(check, CHECK, check, "0",                                            \
	  "1, or abort: misuse of windows is reported, and ends the program")  \
	X(provider, PROVIDER, text, "",                                        \
	  "libfabric provider between nodes, as fi_info names it")             \
	X(iface, IFACE, text, "", "network interface or device between nodes") \
	X(progress, PROGRESS, progress, "auto",                                \
	  "thread, poll, or auto: a thread where the network needs one")       \
	X(atomics, ATOMICS, agent, "owner",                                    \
	  "owner, or nic: who executes accumulates between nodes")             \
	X(timeout, TIMEOUT, seconds, "20",                                     \
	  "seconds without a sign of life after which a process is lost")      \
	X(spin, SPIN, polls, "-1",                                             \
	  "polls before a wait yields the core; -1 decides by the load")       \
	X(yield, YIELD, yields, "100",                                         \
	  "yields before a wait sleeps in the kernel")                         \
	X(arena, ARENA, size, "0",                                             \
	  "bytes of address space for one process's windows; 0 decides")       \
	X(bulk, BULK, elements, "4",                                           \
	  "elements from which an accumulate keeps others out to work in "     \
	  "bulk")

enum {
	ORL_PATH_DIRECT = 1,
	ORL_PATH_CMA = 2,
	ORL_PATH_FABRIC = 4,
	ORL_PATH_SOFTWARE = 8,
	ORL_PATH_NODE = ORL_PATH_DIRECT | ORL_PATH_CMA,
	ORL_PATH_REMOTE = ORL_PATH_FABRIC | ORL_PATH_SOFTWARE
};

enum { ORL_PROGRESS_POLL, ORL_PROGRESS_THREAD, ORL_PROGRESS_AUTO };

enum { ORL_CHECK_OFF, ORL_CHECK_REPORT, ORL_CHECK_ABORT };

enum { ORL_ATOMICS_OWNER, ORL_ATOMICS_NIC };

/* Values are numbers; of kind text, the address of a constant string. */
struct orl_options {
#define ORL_OPTION_MEMBER(name, env, kind, def, help) long name;
	ORL_OPTIONS(ORL_OPTION_MEMBER)
#undef ORL_OPTION_MEMBER
};

/* Constant once orl_options_load has run. */
extern struct orl_options orl_options;

/* Reads the environment once; an option it cannot read keeps its default. */
void orl_options_load(void);

/* -- log: to stderr, one line a call --------------------------------------- */

enum orl_log_level {
	ORL_LOG_NONE,
	ORL_LOG_ERROR,
	ORL_LOG_WARN,
	ORL_LOG_INFO,
	ORL_LOG_DEBUG
};

void orl_log(enum orl_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* -- handle map: a word to a pointer --------------------------------------- */

struct orl_map_slot {
	_Atomic(uintptr_t) key; /* 0: never used */
	_Atomic(void *) value;	/* NULL: deleted */
};

struct orl_map_table {
	size_t mask; /* slots - 1 */
	unsigned shift;
	struct orl_map_table *retired; /* older table, kept for its readers */
	struct orl_map_slot slots[];
};

/*
 * Readers take no lock and may run beside a writer; writers take the lock.
 * Zero-initialised by ORL_MAP_INIT.  Key 0 is not allowed.
 */
struct orl_map {
	_Atomic(struct orl_map_table *) table;
	size_t used; /* slots with a key, deleted ones included */
	pthread_mutex_t lock;
};

#define ORL_MAP_INIT                                                           \
	{                                                                      \
		.lock = PTHREAD_MUTEX_INITIALIZER                              \
	}

/* 0, or -ENOMEM.  Replaces the value that the key had. */
int orl_map_set(struct orl_map *map, uintptr_t key, void *value);
/* Nothing, if the key has another value by now. */
void orl_map_del(struct orl_map *map, uintptr_t key, void *value);

/* Calls fn for every value that is there, under the map's lock, and takes out
 * those that it returns true for. */
void orl_map_sweep(struct orl_map *map, bool (*fn)(void *value, void *arg),
		   void *arg);

static inline size_t orl_map_hash(const struct orl_map_table *table,
				  uintptr_t key)
{
	return (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> table->shift);
}

/* The value, or NULL. */
static inline void *orl_map_find(struct orl_map *map, uintptr_t key)
{
	/* Acquire: pairs with the release in publish(), map.c. */
	struct orl_map_table *table =
		atomic_load_explicit(&map->table, memory_order_acquire);
	size_t i;

	if (orl_unlikely(!table))
		return NULL;
	for (i = orl_map_hash(table, key);; i++) {
		struct orl_map_slot *slot = &table->slots[i & table->mask];
		/* Acquire: pairs with the release in place(), map.c. */
		uintptr_t k =
			atomic_load_explicit(&slot->key, memory_order_acquire);

		if (orl_likely(k == key))
			return atomic_load_explicit(&slot->value,
						    memory_order_acquire);
		if (!k)
			return NULL;
	}
}

#endif
