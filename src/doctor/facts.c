/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.c - what one rank sees of its machine. */
#include "doctor.h"

#include "orl_util.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* -- options --------------------------------------------------------------- */

static bool is_option(const char *name, size_t len)
{
#define NAME_OF(name, env, kind, def, help) "ORIEL_" #env,
	static const char *const names[] = { ORL_OPTIONS(NAME_OF) NULL };
#undef NAME_OF

	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return true;
	return false;
}

static void append(char text[TEXT], const char *more, size_t len)
{
	size_t at = strlen(text);

	if (at + len + 2 < TEXT)
		snprintf(text + at, TEXT - at, "%s%.*s", at ? " " : "",
			 (int)len, more);
}

/* What the tests of Oriel set is none of the user's. */
static void find_options(struct facts *facts)
{
	for (char **at = environ; *at; at++) {
		size_t len = strcspn(*at, "=");

		if (strncmp(*at, "ORIEL_", 6) ||
		    !strncmp(*at, "ORIEL_TEST", 10))
			continue;
		if (is_option(*at, len))
			append(facts->options, *at, strlen(*at));
		else
			append(facts->strange, *at, len);
	}
}

/* -- limits ---------------------------------------------------------------- */

static uint64_t limit_of(int resource, uint64_t *most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return *most = UINT64_MAX;
	*most = limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max;
	return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

static int read_number(const char *path, int otherwise)
{
	FILE *file = fopen(path, "re");
	int value;

	if (!file)
		return otherwise;
	if (fscanf(file, "%d", &value) != 1)
		value = otherwise;
	fclose(file);
	return value;
}

static void find_limits(struct facts *facts)
{
	struct statvfs fs;
	uint64_t most;

	facts->memlock = limit_of(RLIMIT_MEMLOCK, &most);
	facts->files = limit_of(RLIMIT_NOFILE, &facts->files_most);
	facts->ptrace_scope =
		read_number("/proc/sys/kernel/yama/ptrace_scope", -1);
	sched_getaffinity(0, sizeof(facts->cores), facts->cores);
	if (statvfs("/dev/shm", &fs))
		return;
	facts->shm_total = (uint64_t)fs.f_blocks * fs.f_frsize;
	facts->shm_free = (uint64_t)fs.f_bavail * fs.f_frsize;
}

/*
 * May a process of this user look into another's memory?  The child looks
 * into its parent, which no rule of descent allows it.
 */
static int try_cma(void)
{
	static volatile long word = 42;
	struct iovec there = { (void *)&word, sizeof(word) };
	int status;
	pid_t pid;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	pid = fork();
	if (pid < 0)
		return 0;
	if (!pid) {
		long copy = 0;
		struct iovec here = { &copy, sizeof(copy) };

		if (process_vm_readv(getppid(), &here, 1, &there, 1, 0) < 0)
			_exit(errno & 0xff);
		_exit(copy == 42 ? 0 : EFAULT);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

void facts_before(struct facts *facts)
{
	facts->cma = try_cma();
}

/* -- Oriel and MPI --------------------------------------------------------- */

static void find_oriel(struct facts *facts)
{
	const char *(*version)(void);
	long long (*stat)(const char *);
	int (*networks)(struct oriel_network *, int, char *, size_t);

	*(void **)&version = library_function("oriel_version");
	*(void **)&stat = library_function("oriel_stat");
	*(void **)&networks = library_function("oriel_networks");
	if (!version || !stat || !networks)
		return;
	snprintf(facts->version, sizeof(facts->version), "%s", version());
	facts->room = (uint64_t)stat("room_bytes");
	facts->nnetworks = networks(facts->networks, NETWORKS, facts->fabric,
				    sizeof(facts->fabric));
}

/* "MPICH Version:\t4.0.2\n..." and "Open MPI v4.1.4, package: ...". */
static void find_mpi(struct facts *facts)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 8192], number[41];
	int len;

	MPI_Get_library_version(text, &len);
	text[strcspn(text, ",\n")] = 0;
	if (sscanf(text, "MPICH Version: %40s", number) == 1)
		snprintf(facts->mpi, sizeof(facts->mpi), "MPICH %s", number);
	else
		snprintf(facts->mpi, sizeof(facts->mpi), "%.60s", text);
}

void facts_find(struct facts *facts)
{
	gethostname(facts->host, sizeof(facts->host) - 1);
	find_options(facts);
	find_limits(facts);
	find_oriel(facts);
	find_mpi(facts);
}
