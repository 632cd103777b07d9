/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena.c - this process's arena: a sparse memfd, mapped once.  A fork's
 * child keeps the mapping, but neither allocates nor frees: the pages and
 * the neighbours in them are its parent's.
 */
#include "orl_shm.h"

#include "extent.h"
#include "orl_util.h"
#include "shm.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

#define PAGE 4096
/* Free memory that keeps its pages, so that the next block has no faults. */
#define WARM_MOST ((uint64_t)8 << 20)

/*
 * The lock protects space, and opening.  id is constant once size, the last
 * thing that opening sets, is not zero; used is written under the lock.
 */
static struct {
	pthread_mutex_t lock;
	_Atomic(bool) forked;
	_Atomic(uint64_t) size;
	struct orl_arena_id id;
	_Atomic(size_t) used;
	struct orl_space space;
} arena = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* 0 until the arena is open. */
static uint64_t size_now(void)
{
	/* Acquire: pairs with the release in orl_arena_open. */
	return atomic_load_explicit(&arena.size, memory_order_acquire);
}

/* -- opening ---------------------------------------------------------------*/

static void on_fork(void)
{
	arena.forked = true;
}

/* The kernel's mark that such a file holds no program, where it is known. */
static int make_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Programs expect the low numbers, and some close them. */
static int move_high(int fd)
{
	struct rlimit limit;
	int high = -1;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur > 128) {
		int from = limit.rlim_cur < 1024 ? (int)limit.rlim_cur : 1024;

		high = fcntl(fd, F_DUPFD_CLOEXEC, from - 64);
	}
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

/* An aligned range of that many addresses: 0 or -errno. */
static int reserve_range(size_t size, uint64_t *addr)
{
	size_t whole = size + ORL_ARENA_ALIGN;
	uint64_t from, end;
	void *range = mmap(NULL, whole, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (range == MAP_FAILED)
		return -errno;
	from = (uintptr_t)range;
	end = from + whole;
	*addr = ORL_ALIGN_UP(from, ORL_ARENA_ALIGN);
	if (*addr > from)
		munmap(range, *addr - from);
	if (end > *addr + size)
		munmap((void *)(uintptr_t)(*addr + size), end - *addr - size);
	return 0;
}

/*
 * Without rights at first, and unlocked: under mlockall the system would
 * fill all of it at once.
 */
static int map_sparse(void *base, size_t size, int fd)
{
	if (mmap(base, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
		 fd, 0) == MAP_FAILED)
		return -errno;
	if (munlock(base, size) || mprotect(base, size, PROT_READ | PROT_WRITE))
		return -errno;
	/* A dump would not skip the holes, but fill them. */
	madvise(base, size, MADV_DONTDUMP);
	return 0;
}

int orl_arena_map(int fd, size_t size, uint64_t *addr)
{
	void *base;
	int rc = reserve_range(size, addr);

	if (rc)
		return rc;
	base = (void *)(uintptr_t)*addr;
	rc = map_sparse(base, size, fd);
	if (rc)
		munmap(base, size);
	return rc;
}

static int map_size(struct orl_arena_id *id, const char **what)
{
	*what = "ftruncate";
	if (ftruncate(id->fd, (off_t)id->size))
		return -errno;
	*what = "mmap";
	return orl_arena_map(id->fd, id->size, &id->base);
}

/* Halves the size until it can be had. */
static int map_most(struct orl_arena_id *id, const char **what)
{
	int rc = map_size(id, what);

	while (rc && id->size / 2 >= ORL_ARENA_LEAST) {
		id->size = ORL_ALIGN_UP(id->size / 2, ORL_ARENA_ALIGN);
		rc = map_size(id, what);
	}
	return rc;
}

static int draw_token(uint64_t *token)
{
	do
		if (getrandom(token, sizeof(*token), 0) != sizeof(*token))
			return errno ? -errno : -EIO;
	while (!*token);
	return 0;
}

static int open_file(struct orl_arena_id *id, const char **what)
{
	char name[32];
	int rc;

	*what = "getrandom";
	rc = draw_token(&id->token);
	if (rc)
		return rc;
	snprintf(name, sizeof(name), ORL_ARENA_NAME,
		 (unsigned long long)id->token);
	*what = "memfd_create";
	id->fd = make_file(name);
	if (id->fd < 0)
		return id->fd;
	id->fd = move_high(id->fd);
	return 0;
}

static int open_locked(const char **what)
{
	struct orl_arena_id *id = &arena.id;
	int rc;

	*what = "limit of file size";
	id->size = orl_arena_span();
	if (!id->size)
		return -EFBIG;
	rc = open_file(id, what);
	if (rc)
		return rc;
	rc = map_most(id, what);
	if (rc)
		goto close_fd;
	*what = "malloc";
	rc = orl_space_init(&arena.space, id->base, id->size);
	if (rc)
		goto unmap;
	pthread_atfork(NULL, NULL, on_fork);
	/*
	 * Where only parents may trace, process_vm_readv needs our consent.
	 * Elsewhere the call fails, and nothing is lost.
	 */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	return 0;
unmap:
	munmap((void *)(uintptr_t)id->base, id->size);
close_fd:
	close(id->fd);
	return rc;
}

int orl_arena_open(const char **what)
{
	int rc = 0;

	*what = "fork";
	if (arena.forked)
		return -EPERM;
	pthread_mutex_lock(&arena.lock);
	if (!size_now()) {
		rc = open_locked(what);
		/* Release: pairs with the acquire in size_now. */
		if (!rc)
			atomic_store_explicit(&arena.size, arena.id.size,
					      memory_order_release);
	}
	pthread_mutex_unlock(&arena.lock);
	return rc;
}

void orl_arena_identify(struct orl_arena_id *id)
{
	*id = (struct orl_arena_id){ .fd = -1 };
	if (size_now() && !arena.forked)
		*id = arena.id;
}

/* -- blocks ----------------------------------------------------------------*/

/* Blocks of whole pages share none, so that freeing one frees its pages. */
static size_t round_len(size_t len)
{
	if (len >= PAGE)
		return ORL_ALIGN_UP(len, PAGE);
	return len ? ORL_ALIGN_UP(len, ORL_EXTENT_UNIT) : ORL_EXTENT_UNIT;
}

static struct orl_extent *take(size_t len, size_t align)
{
	size_t least = len >= PAGE ? PAGE : ORL_EXTENT_UNIT;
	struct orl_extent *extent = NULL;

	if (align < least)
		align = least;
	if (len > size_now() || arena.used + len > orl_node_room())
		return NULL;
	/* Huge pages can serve what begins on one. */
	if (len >= ORL_ARENA_ALIGN && align < ORL_ARENA_ALIGN)
		extent = orl_space_take(&arena.space, len, ORL_ARENA_ALIGN);
	if (!extent)
		extent = orl_space_take(&arena.space, len, align);
	return extent;
}

void *orl_arena_alloc(size_t len, size_t align)
{
	struct orl_extent *extent = NULL;
	void *addr = NULL;

	if (arena.forked || len > SIZE_MAX / 2)
		return NULL;
	len = round_len(len);
	pthread_mutex_lock(&arena.lock);
	if (size_now())
		extent = take(len, align);
	if (extent) {
		arena.used += len;
		addr = (void *)(uintptr_t)extent->addr;
	}
	pthread_mutex_unlock(&arena.lock);
	return addr;
}

/*
 * Gives the whole pages of a free extent back.  By address: should the
 * program have closed our descriptor, its number may be the program's now.
 */
static void drop_pages(struct orl_extent *extent)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = ORL_ALIGN_UP(extent->warm, page);
	uint64_t end = extent->warm_end / page * page;

	orl_space_cool(&arena.space, extent);
	/* A failure costs memory until exit, and can be told to nobody. */
	if (end > from &&
	    madvise((void *)(uintptr_t)from, end - from, MADV_REMOVE))
		orl_log(ORL_LOG_DEBUG, "arena: MADV_REMOVE: error %d", errno);
}

/*
 * Too much is warm.  Dropping only what was freed last would leave the rest
 * warm for good and every later block cold.
 */
static ORL_COLD void cool_down(struct orl_extent *latest)
{
	if (latest->warm_end - latest->warm > WARM_MOST) {
		drop_pages(latest);
		return;
	}
	for (struct orl_extent *e = arena.space.first; e; e = e->after)
		if (!e->live && e->warm_end && e != latest)
			drop_pages(e);
}

void orl_arena_free(void *addr)
{
	struct orl_extent *extent;

	if (arena.forked || !orl_arena_holds(addr, 1))
		return;
	pthread_mutex_lock(&arena.lock);
	extent = orl_space_find(&arena.space, (uintptr_t)addr);
	if (extent) {
		arena.used -= extent->len;
		extent = orl_space_give(&arena.space, extent);
		if (orl_unlikely(arena.space.warm > WARM_MOST))
			cool_down(extent);
	}
	pthread_mutex_unlock(&arena.lock);
}

bool orl_arena_is_block(const void *addr)
{
	bool found;

	if (!orl_arena_holds(addr, 1))
		return false;
	if (arena.forked)
		return true; /* our parent's: no other allocator may free it */
	pthread_mutex_lock(&arena.lock);
	found = orl_space_find(&arena.space, (uintptr_t)addr);
	pthread_mutex_unlock(&arena.lock);
	return found;
}

bool orl_arena_holds(const void *addr, size_t len)
{
	uint64_t size = size_now();
	uint64_t off = (uintptr_t)addr - arena.id.base;

	return off < size && len <= size - off;
}

size_t orl_arena_used(void)
{
	return arena.used;
}
