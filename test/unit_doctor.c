/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What oriel-doctor says of a machine's limits, from facts made up: ptrace
 * scope, locked memory, descriptors, /dev/shm, room for windows, cores; and of
 * limits that are this process's own.  Of facts that are as they should be it
 * warns of nothing.
 */
#include "doctor.h"
#include "judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MIB (1ull << 20)

static int failed;

/* Nothing of Oriel's library is here. */
void *library_function(const char *name)
{
	return NULL;
}

static const struct facts good = {
	.host = "a",
	.version = "1",
	.mpi = "MPI",
	.cores = { { { 3 } } },
	.ptrace_scope = 1,
	.memlock = UINT64_MAX,
	.files = 1024,
	.files_most = 4096,
	.shm_total = 1024 * MIB,
	.shm_free = 1024 * MIB,
	.room = 1024 * MIB,
	.nnetworks = 1,
	.networks = { { .provider = "verbs;ofi_rxm", .domain = "mlx5_0" } },
};

/* Two ranks of one host with these facts, and others of other hosts. */
static int report(const struct facts *first, int ranks, char *text, size_t len)
{
	struct facts *facts = calloc((size_t)ranks, sizeof(*facts));
	struct way *ways = calloc((size_t)ranks * ranks, sizeof(*ways));
	const struct trial trials[TRIALS] = { { .progress = "thread" },
					      { .progress = "thread" } };
	struct findings found = { .ranks = ranks,
				  .facts = facts,
				  .trials = trials,
				  .ways = { ways, ways } };
	FILE *screen = stdout;
	int i;

	facts[0] = facts[1] = *first;
	for (i = 2; i < ranks; i++) {
		facts[i] = good;
		snprintf(facts[i].host, sizeof(facts[i].host), "b%d", i);
	}
	stdout = fmemopen(text, len, "w");
	judge_network(&found);
	judge_hosts(&found);
	fclose(stdout);
	stdout = screen;
	free(facts);
	free(ways);
	return 0;
}

static void says(const struct facts *facts, int ranks, const char *words)
{
	static char text[1 << 16];

	memset(text, 0, sizeof(text));
	report(facts, ranks, text, sizeof(text));
	if (strstr(text, words))
		return;
	printf("expected \"%s\" in\n%s", words, text);
	failed = 1;
}

static void warns_not(const struct facts *facts, int ranks)
{
	static char text[1 << 16];

	memset(text, 0, sizeof(text));
	report(facts, ranks, text, sizeof(text));
	if (!strstr(text, "\n!!") && !strstr(text, "\n !"))
		return;
	printf("expected no warning in\n%s", text);
	failed = 1;
}

static void ptrace(void)
{
	struct facts facts = good;

	says(&facts, 2, "ptrace_scope is 1)");
	facts.cma = EPERM;
	says(&facts, 2, "\n ! processes may not read each other's memory");
	says(&facts, 2, "-> in a container: --cap-add SYS_PTRACE");
	facts.ptrace_scope = 2;
	says(&facts, 2, "-> kernel.yama.ptrace_scope is 2; sysctl");
}

static void limits(void)
{
	struct facts facts = good;

	facts.memlock = 64 << 10;
	says(&facts, 2, "\n!! 64 KiB of locked memory are too little");
	says(&facts, 2, "-> ulimit -l unlimited");
	strcpy(facts.networks[0].provider, "tcp;ofi_rxm");
	warns_not(&facts, 2); /* which only RDMA devices need */
	facts.files = 65;
	says(&facts, 3,
	     "\n!! 65 file descriptors are too few for connections "
	     "to 1 ranks");
	says(&facts, 3, "-> ulimit -n 66\n");
	facts.files_most = 65;
	says(&facts, 3, "-> ulimit -n 66, as root\n");
}

static void memory(void)
{
	struct facts facts = good;

	facts.shm_free = MIB;
	says(&facts, 2, "\n ! /dev/shm has 1 MiB left");
	facts.room = 100 * MIB; /* 50 a rank */
	says(&facts, 2, "\n ! windows of the host's ranks may take 100 MiB");
	facts = good;
	CPU_CLR(1, &facts.cores[0]);
	says(&facts, 2, "\n ! ranks: 2, cores: 1");
}

static void networks(void)
{
	struct facts facts = good;
	static char text[1 << 16];
	const char *found;
	int n = 0;

	facts.nnetworks = 4;
	for (int i = 1; i < 4; i++) {
		facts.networks[i] = (struct oriel_network){
			.provider = "tcp;ofi_rxm",
			.domain = "eth0",
			.why = "the same",
		};
		if (i > 1)
			strcpy(facts.networks[i].domain, "lo");
	}
	strcpy(facts.networks[2].iface, "lo");
	report(&facts, 2, text, sizeof(text));
	for (found = text; (found = strstr(found, "then tcp;ofi_rxm")); found++)
		n++;
	if (n == 2 && strstr(text, " on eth0: ") && strstr(text, " on lo: "))
		return;
	printf("expected one line for each network in\n%s", text);
	failed = 1;
}

/* As ulimit does; what is lowered stays so. */
static void real(void)
{
	const struct rlimit locked = { 64 << 10, 64 << 10 }, files = { 65, 70 };
	struct facts facts = good;

	if (setrlimit(RLIMIT_MEMLOCK, &locked) ||
	    setrlimit(RLIMIT_NOFILE, &files)) {
		perror("setrlimit");
		failed = 1;
	}
	facts_find(&facts);
	says(&facts, 2, "\n!! 64 KiB of locked memory are too little");
	says(&facts, 3, "\n!! 65 file descriptors are too few");
	says(&facts, 3, "-> ulimit -n 66\n");
	says(&facts, 6, "-> ulimit -n 72, as root\n");
}

int main(void)
{
	warns_not(&good, 2);
	warns_not(&good, 3);
	ptrace();
	limits();
	memory();
	networks();
	real();
	return failed;
}
