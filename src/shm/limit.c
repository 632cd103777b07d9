/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limit.c - how much memory there can be at all, and how many addresses an
 * arena may take.
 */
#include "orl_shm.h"

#include "orl_util.h"
#include "shm.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/*
 * Every process maps the arenas of all processes of its node: half of the
 * 2^47 addresses that the smallest 64-bit machines give, for 256 of them.
 */
#define SPAN_MOST ((size_t)1 << (46 - 8))

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* SIZE_MAX where there is no limit. */
static size_t limit_of(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return limit.rlim_cur;
}

/* Memory and swap of the machine; *swap may be NULL. */
static size_t machine_room(size_t *swap)
{
	struct sysinfo info;

	if (sysinfo(&info))
		return SIZE_MAX / 4;
	if (swap)
		*swap = (size_t)info.totalswap * info.mem_unit;
	return ((size_t)info.totalram + info.totalswap) * info.mem_unit;
}

static size_t room;

static void read_room(void)
{
	size_t swap = 0;

	room = machine_room(&swap);
	room = least(room, orl_cgroup_room("/proc/self", swap));
	room = least(room, limit_of(RLIMIT_AS));
	room = least(room, limit_of(RLIMIT_FSIZE));
}

size_t orl_node_room(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_room);
	return room;
}

/* Bytes of addresses that this process has in use. */
static size_t addresses_used(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Under RLIMIT_AS: with a rank on each core all arenas together take a
 * quarter of what is left, so that four on each are still possible.
 */
static size_t address_share(void)
{
	size_t limit = limit_of(RLIMIT_AS), used;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t share;

	if (limit == SIZE_MAX)
		return SIZE_MAX;
	used = addresses_used();
	share = limit > used ? (limit - used) / 4 : 0;
	share /= cores > 0 ? (size_t)cores : 1;
	return share < ORL_ARENA_LEAST ? ORL_ARENA_LEAST : share;
}

static size_t default_span(void)
{
	size_t span = least(2 * machine_room(NULL), SPAN_MOST);

	return least(span, address_share());
}

size_t orl_arena_span(void)
{
	size_t span = default_span();

	if (orl_options.arena > 0)
		span = ORL_ALIGN_UP((size_t)orl_options.arena, ORL_ARENA_ALIGN);
	/* A longer file would bring SIGXFSZ. */
	span = least(span, limit_of(RLIMIT_FSIZE));
	return span / ORL_ARENA_ALIGN * ORL_ARENA_ALIGN;
}
