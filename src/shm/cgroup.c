/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cgroup.c - the memory limit of the cgroups that this process is in.  Both
 * versions limit a group and all below it, so the least limit counts on the
 * way from the process's own group to the root of what is mounted.
 */
#include "shm.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hierarchy of groups, and where the process is in it. */
struct hierarchy {
	bool v2;
	char mount[PATH_MAX]; /* folder of the group called root */
	char root[PATH_MAX];
	char group[PATH_MAX]; /* the process's own */
};

/* "max", no file and absurd numbers are SIZE_MAX. */
static size_t read_limit(const char *folder, const char *name)
{
	char path[PATH_MAX + 64];
	unsigned long long value;
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	if (!file)
		return SIZE_MAX;
	n = fscanf(file, "%llu", &value);
	fclose(file);
	return n == 1 && value < SIZE_MAX / 4 ? (size_t)value : SIZE_MAX;
}

static size_t sum(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Memory and swap of one group. */
static size_t group_room(const char *folder, bool v2, size_t swap)
{
	size_t memory, both, more;

	if (v2) {
		memory = read_limit(folder, "memory.max");
		more = read_limit(folder, "memory.swap.max");
		return sum(memory, more < swap ? more : swap);
	}
	memory = sum(read_limit(folder, "memory.limit_in_bytes"), swap);
	both = read_limit(folder, "memory.memsw.limit_in_bytes");
	return both < memory ? both : memory;
}

static size_t walk_up(const struct hierarchy *h, size_t swap)
{
	char folder[2 * PATH_MAX];
	size_t base = strlen(h->mount), root = strlen(h->root);
	const char *group = h->group;
	size_t room = SIZE_MAX;

	/* A container may see its own group alone, under the full name. */
	if (root > 1 && !strncmp(group, h->root, root))
		group += root;
	snprintf(folder, sizeof(folder), "%s%s", h->mount, group);
	for (;;) {
		size_t one = group_room(folder, h->v2, swap);
		char *slash = strrchr(folder, '/');

		room = one < room ? one : room;
		if (!slash || (size_t)(slash - folder) < base)
			return room;
		*slash = 0;
	}
}

/* Is word in the list, separated by commas? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;; list++) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, word, len))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

/* One line of mountinfo: is it the hierarchy's mount? */
static bool parse_mount(char *line, struct hierarchy *h)
{
	char type[32], options[256];
	const char *tail = strstr(line, " - ");

	if (!tail || sscanf(tail, " - %31s %*s %255s", type, options) != 2 ||
	    sscanf(line, "%*s %*s %*s %4095s %4095s", h->root, h->mount) != 2)
		return false;
	if (h->v2)
		return !strcmp(type, "cgroup2");
	return !strcmp(type, "cgroup") && has_word(options, "memory");
}

/* One line of the process's cgroup file: "4:memory:/a" or "0::/a". */
static bool parse_group(char *line, struct hierarchy *h)
{
	char *list = strchr(line, ':');
	char *group = list ? strchr(list + 1, ':') : NULL;

	if (!group)
		return false;
	*group++ = 0;
	group[strcspn(group, "\n")] = 0;
	snprintf(h->group, sizeof(h->group), "%s", group);
	return h->v2 ? !strncmp(line, "0:", 2) : has_word(list + 1, "memory");
}

/* Is there a line that parse accepts? */
static bool find_line(const char *self, const char *name, struct hierarchy *h,
		      bool (*parse_line)(char *, struct hierarchy *))
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", self, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getline(&line, &size, file) > 0)
		found = parse_line(line, h);
	free(line);
	fclose(file);
	return found;
}

static size_t hierarchy_room(const char *self, bool v2, size_t swap)
{
	struct hierarchy *h = malloc(sizeof(*h));
	size_t room = SIZE_MAX;

	if (!h)
		return room;
	h->v2 = v2;
	if (find_line(self, "cgroup", h, parse_group) &&
	    find_line(self, "mountinfo", h, parse_mount))
		room = walk_up(h, swap);
	free(h);
	return room;
}

size_t orl_cgroup_room(const char *self, size_t swap)
{
	size_t v1 = hierarchy_room(self, false, swap);
	size_t v2 = hierarchy_room(self, true, swap);

	return v1 < v2 ? v1 : v2;
}
