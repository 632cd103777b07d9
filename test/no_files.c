/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows live in no file system: while windows of every kind exist and have
 * been used, no rank has a file mapped or open under /dev/shm, /tmp, /run or
 * /var that it had not before, so that a crash leaves nothing there.
 */
/* ranks: 1 3; paths: default cma; hosts: none */
#include <dirent.h>
#include <unistd.h>

#include "test.h"

#define MOST 512

struct names {
	char *list[MOST];
	int n;
};

static bool is_in(const struct names *names, const char *name)
{
	int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->list[i], name))
			return true;
	return false;
}

/* Files that have a name which is still there. */
static void add(struct names *names, const char *name)
{
	static const char *const places[] = { "/dev/shm/", "/tmp/", "/run/",
					      "/var/" };
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strncmp(name, places[i], strlen(places[i])) &&
		    !access(name, F_OK) && !is_in(names, name) &&
		    names->n < MOST)
			names->list[names->n++] = strdup(name);
}

static void add_mapped(struct names *names)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		char *name = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (name)
			add(names, name);
	}
	if (f)
		fclose(f);
}

static void add_open(struct names *names)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char path[300], name[4096];

	while (dir && (entry = readdir(dir))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		n = readlink(path, name, sizeof(name) - 1);
		if (n <= 0)
			continue;
		name[n] = '\0';
		add(names, name);
	}
	if (dir)
		closedir(dir);
}

static void use(struct test_win *w)
{
	int value = 3, t = test_next();

	MPI_Win_fence(0, w->win);
	MPI_Put(&value, 1, MPI_INT, t, test_at(w, t, 4096), 1, MPI_INT, w->win);
	MPI_Accumulate(&value, 1, MPI_INT, t, test_at(w, t, 0), 1, MPI_INT,
		       MPI_SUM, w->win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
	MPI_Win_lock_all(0, w->win);
	MPI_Win_unlock_all(w->win);
}

/* What the host opens at its first messages is its own affair. */
static void warm_up(void)
{
	int r, sum, one = 1;

	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (r = 0; r < test_size; r++) {
		int got, to = (test_rank + r) % test_size;
		int from = (test_rank + test_size - r) % test_size;

		MPI_Sendrecv(&one, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	static struct names before, after;
	struct test_win w[KIND_COUNT];
	int i;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts keep windows in files");
	warm_up();
	add_mapped(&before);
	add_open(&before);
	for (i = 0; i < KIND_COUNT; i++) {
		if (!test_kind_is_usable((enum test_kind)i))
			continue;
		test_win_open(&w[i], (enum test_kind)i, 1 << 20, 1);
		use(&w[i]);
	}
	add_mapped(&after);
	add_open(&after);
	for (i = 0; i < after.n; i++)
		check(is_in(&before, after.list[i]), "%s is open or mapped",
		      after.list[i]);
	for (i = 0; i < KIND_COUNT; i++)
		if (test_kind_is_usable((enum test_kind)i))
			test_win_close(&w[i]);
	return test_finish();
}
