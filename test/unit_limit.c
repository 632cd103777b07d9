/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: memory, cgroups and the limits of a process bound what the arena
 * spans and gives, by arithmetic: no signal, and an error where there is
 * nothing to be had.
 */
#include "arena.h"
#include "process.h"

#include "../src/shm/shm.h"
#include "orl_shm.h"

#include <sys/resource.h>
#include <sys/stat.h>

/* -- the process ------------------------------------------------------------*/

static void room(void)
{
	size_t most = orl_node_room();
	void *all;

	open_arena(NULL);
	check(most && most == orl_node_room());
	check(!orl_arena_alloc(most + 1, 64));
	most = most / 4096 * 4096;
	if (own_card().size < most)
		return;
	all = orl_arena_alloc(most, 64);
	check(all && !orl_arena_alloc(4096, 64));
	orl_arena_free(all);
	check(orl_arena_alloc(4096, 64));
}

static void limit(int what, size_t bytes)
{
	struct rlimit value;

	check(!getrlimit(what, &value));
	value.rlim_cur = bytes;
	check(!setrlimit(what, &value));
}

static void file_limit(void)
{
	limit(RLIMIT_FSIZE, 100 * MIB + 5);
	open_arena("1073741824");
	check(own_card().size == 100 * MIB);
	check(orl_node_room() <= 100 * MIB + 5);
	check(orl_arena_alloc(90 * MIB, 64) && !orl_arena_alloc(20 * MIB, 64));
}

static void tiny_file_limit(void)
{
	const char *what = NULL;

	limit(RLIMIT_FSIZE, 4096);
	orl_options_load();
	check(orl_arena_open(&what) == -EFBIG && what);
	check(!orl_arena_alloc(64, 64));
	limit(RLIMIT_FSIZE, RLIM_INFINITY);
	check(!orl_arena_open(&what));
}

/* Sanitizers take terabytes of addresses, and break under a limit. */
static bool has_shadow(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	check(file && fscanf(file, "%lu", &pages) == 1 && !fclose(file));
	return pages > ((size_t)1 << 28);
}

static void address_limit(void)
{
	if (has_shadow())
		return;
	limit(RLIMIT_AS, 1024 * MIB);
	open_arena(NULL);
	check(own_card().size >= 62 * MIB && own_card().size <= 256 * MIB);
	check(orl_node_room() <= 1024 * MIB);
}

/* More than there is: halved until it can be had. */
static void halved(void)
{
	if (has_shadow())
		return;
	limit(RLIMIT_AS, 1024 * MIB);
	open_arena("8589934592");
	check(own_card().size == 512 * MIB);
}

/* -- cgroups ----------------------------------------------------------------*/

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	check(file && fputs(text, file) >= 0 && !fclose(file));
}

static void make_folder(char path[256], const char *parent, const char *name)
{
	check(snprintf(path, 256, "%s/%s", parent, name) < 256);
	check(!mkdir(path, 0700));
}

static void remove_tree(const char *folder)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	check(!system(command));
}

static void cgroup_v2(void)
{
	char top[] = "/tmp/oriel-unit-XXXXXX", a[256], b[256], text[512];

	check(mkdtemp(top));
	make_folder(a, top, "a");
	make_folder(b, a, "b");
	check(orl_cgroup_room(top, 0) == SIZE_MAX);
	write_file(top, "cgroup", "1:name=systemd:/x\n0::/a/b\n");
	snprintf(text, sizeof(text),
		 "22 1 0:5 / /proc rw - proc proc rw\n"
		 "31 22 0:28 / %s rw,relatime shared:9 - cgroup2 cgroup2 rw\n",
		 top);
	write_file(top, "mountinfo", text);
	check(orl_cgroup_room(top, 7) == SIZE_MAX);
	write_file(b, "memory.max", "max\n");
	write_file(b, "memory.swap.max", "0\n");
	check(orl_cgroup_room(top, 7) == SIZE_MAX);
	write_file(a, "memory.max", "5000\n");
	check(orl_cgroup_room(top, 7) == 5007);
	write_file(a, "memory.swap.max", "3\n");
	check(orl_cgroup_room(top, 7) == 5003);
	write_file(b, "memory.max", "4000\n");
	check(orl_cgroup_room(top, 7) == 4000);
	remove_tree(top);
}

/* A container sees its own group alone, and the name that it has outside. */
static void cgroup_v1(void)
{
	char top[] = "/tmp/oriel-unit-XXXXXX", b[256], text[512];

	check(mkdtemp(top));
	make_folder(b, top, "b");
	write_file(top, "cgroup",
		   "5:cpu:/q\n4:hugetlb,memory:/pod/1/b\n0::/\n");
	snprintf(text, sizeof(text),
		 "35 31 0:32 /pod/1 %s rw - cgroup cgroup rw,hugetlb,memory\n"
		 "36 31 0:33 / /nowhere rw - cgroup2 cgroup2 rw\n",
		 top);
	write_file(top, "mountinfo", text);
	write_file(top, "memory.limit_in_bytes", "9223372036854771712\n");
	check(orl_cgroup_room(top, 0) == SIZE_MAX);
	write_file(b, "memory.limit_in_bytes", "6000\n");
	check(orl_cgroup_room(top, 100) == 6100);
	write_file(b, "memory.memsw.limit_in_bytes", "6050\n");
	check(orl_cgroup_room(top, 100) == 6050);
	write_file(top, "memory.limit_in_bytes", "1000\n");
	check(orl_cgroup_room(top, 100) == 1100);
	remove_tree(top);
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "room", room },
		{ "file limit", file_limit },
		{ "tiny file limit", tiny_file_limit },
		{ "address limit", address_limit },
		{ "halved", halved },
		{ "cgroup v2", cgroup_v2 },
		{ "cgroup v1", cgroup_v1 },
		{ NULL, NULL },
	};

	return run_cases(cases);
}
