/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks on two hosts share neither memory nor processes, and what one puts
 * into the other's window goes over the wire: the interface counts it.
 */
/* ranks: 2; paths: default; hosts: 2x1 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

#define BYTES (10 << 20)

/* Bytes that this host has sent by a counter of its interface. */
static long sent(void)
{
	static const char name[] = "/sys/class/net/eth0/statistics/tx_bytes";
	FILE *f = fopen(name, "r");
	long bytes = -1;

	if (f && fscanf(f, "%ld", &bytes) != 1)
		bytes = -1;
	check(bytes >= 0, "%s tells nothing", name);
	if (f)
		fclose(f);
	return bytes;
}

/* The kernel's name of a namespace that the process is in. */
static void space(const char *process, const char *kind, char name[64])
{
	char path[300];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%s/ns/%s", process, kind);
	len = readlink(path, name, 63);
	name[len > 0 ? len : 0] = 0;
}

static void differ(const char *kind)
{
	char mine[64], other[64];

	memset(mine, 0, sizeof(mine));
	space("self", kind, mine);
	MPI_Sendrecv(mine, 64, MPI_CHAR, 1 - test_rank, 0, other, 64, MPI_CHAR,
		     1 - test_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(*mine && strcmp(mine, other), "both ranks are in %s", mine);
}

/* No process that we see is where the other rank is. */
static void invisible(void)
{
	char mine[64], other[64], name[64];
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	memset(mine, 0, sizeof(mine));
	space("self", "pid", mine);
	MPI_Sendrecv(mine, 64, MPI_CHAR, 1 - test_rank, 0, other, 64, MPI_CHAR,
		     1 - test_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	while (dir && (entry = readdir(dir))) {
		space(entry->d_name, "pid", name);
		check(strcmp(name, other), "process %s is the other's",
		      entry->d_name);
	}
	if (check(dir, "no /proc"))
		closedir(dir);
}

/* A file that one rank makes is not the other's. */
static void apart(const char *folder)
{
	char mine[64] = "", other[64];
	int fd;

	snprintf(mine, sizeof(mine), "%s/oriel-test-wire%d-%d", folder,
		 test_rank, (int)getpid());
	fd = open(mine, O_CREAT | O_EXCL | O_RDWR, 0600);
	check(fd >= 0, "%s cannot be made", mine);
	MPI_Sendrecv(mine, 64, MPI_CHAR, 1 - test_rank, 0, other, 64, MPI_CHAR,
		     1 - test_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(access(other, F_OK), "%s is here, too", other);
	MPI_Barrier(MPI_COMM_WORLD);
	unlink(mine);
	close(fd);
}

static void put(enum test_kind kind)
{
	char *data = malloc(BYTES);
	struct test_win w;
	long before, bytes;
	size_t bad;

	test_win_open(&w, kind, BYTES, 1);
	test_fill(data, BYTES, test_rank, kind);
	before = sent();
	MPI_Win_lock(MPI_LOCK_SHARED, 1 - test_rank, 0, w.win);
	ok(MPI_Put(data, BYTES, MPI_CHAR, 1 - test_rank,
		   test_at(&w, 1 - test_rank, 0), BYTES, MPI_CHAR, w.win));
	MPI_Win_unlock(1 - test_rank, w.win);
	bytes = sent() - before;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w.win);
	bad = test_differs(w.base, BYTES, 1 - test_rank, kind);
	check(bad == BYTES, "%s: byte %zu", test_kind_name(kind), bad);
	MPI_Win_unlock(test_rank, w.win);
	check(bytes >= BYTES && bytes < 2 * BYTES,
	      "%s: a put of %d bytes made %ld on the wire",
	      test_kind_name(kind), BYTES, bytes);
	test_win_close(&w);
	free(data);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "pid", "net", "ipc", "uts",
					     "mnt" };
	enum test_kind kind;
	size_t i;

	test_start(argc, argv);
	if (test_size != 2 || !test_apart)
		return test_skip("this is about two hosts");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		differ(kinds[i]);
	invisible();
	apart("/dev/shm");
	for (kind = 0; kind < KIND_COUNT; kind++)
		if (test_kind_is_usable(kind))
			put(kind);
	return test_finish();
}
