/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts.c - the report on the network, and on each host and its limits. */
#include "doctor.h"
#include "judge.h"

#include <stdio.h>
#include <string.h>

#define MIB	   (1ull << 20)
#define SHM_LEAST  (64 * MIB) /* of /dev/shm, for the host MPI */
#define ROOM_LEAST (64 * MIB) /* of memory, a rank */
#define FILES_OWN  64	      /* descriptors beside the connections */

static bool is_verbs(const struct facts *facts)
{
	return facts->nnetworks > 0 &&
	       !strncmp(facts->networks[0].provider, "verbs", 5);
}

/* Is rank the first of its host? */
static bool is_first(const struct findings *found, int rank)
{
	for (int i = 0; i < rank; i++)
		if (!strcmp(found->facts[i].host, found->facts[rank].host))
			return false;
	return true;
}

static int count_on(const struct findings *found, const char *host)
{
	int n = 0;

	for (int i = 0; i < found->ranks; i++)
		n += !strcmp(found->facts[i].host, host);
	return n;
}

/* -- the network ----------------------------------------------------------- */

/* "" where the domain says it already. */
static const char *iface_of(const struct oriel_network *network)
{
	return strcmp(network->iface, network->domain) ? network->iface : "";
}

/* Has one before it the same words?  It may be by IPv4, this one by IPv6. */
static bool is_told(const struct oriel_network *networks, int i)
{
	const struct oriel_network *b = &networks[i], *a;

	for (a = networks; a < b; a++)
		if (!strcmp(a->provider, b->provider) &&
		    !strcmp(a->domain, b->domain) &&
		    !strcmp(iface_of(a), iface_of(b)) &&
		    !strcmp(a->why, b->why))
			return true;
	return false;
}

static void print_networks(const struct facts *facts)
{
	for (int i = 0; i < facts->nnetworks && i < NETWORKS; i++) {
		const struct oriel_network *network = &facts->networks[i];
		const char *iface = iface_of(network);

		if (is_told(facts->networks, i))
			continue;
		fine("  %s %s on %s%s%s%s: %s", i ? "then" : "first",
		     network->provider, network->domain, *iface ? " (" : "",
		     iface, *iface ? ")" : "", network->why);
	}
	if (facts->nnetworks > NETWORKS)
		fine("  and %d more", facts->nnetworks - NETWORKS);
}

static void judge_choices(const struct findings *found)
{
	const struct facts *first = &found->facts[0];

	for (int i = 1; i < found->ranks; i++) {
		const struct facts *other = &found->facts[i];

		if (other->nnetworks <= 0 || first->nnetworks <= 0 ||
		    !strcmp(other->networks[0].provider,
			    first->networks[0].provider))
			continue;
		warn("rank %d on %s would take %s, rank 0 %s", i, other->host,
		     other->networks[0].provider, first->networks[0].provider);
		advise("name one for all: ORIEL_PROVIDER=tcp;ofi_rxm, in "
		       "quotes");
		return;
	}
}

void judge_network(const struct findings *found)
{
	const struct facts *first = &found->facts[0];
	const struct trial *trial = &found->trials[TRIAL_ALLOCATE];

	puts("Network to other nodes");
	if (first->nnetworks > 0) {
		fine("%s", first->fabric);
		print_networks(first);
	} else if (trial->spans || trial->error[0]) {
		fails("%s", first->fabric);
	} else {
		warn("%s", first->fabric);
		advise("not needed while all ranks are on one node");
	}
	judge_choices(found);
	if (!trial->spans)
		return;
	if (!strcmp(trial->progress, "thread")) {
		fine("a thread in each process answers other nodes");
		return;
	}
	warn("no thread answers other nodes: they wait while a rank computes");
	advise("leave ORIEL_PROGRESS at auto, or set it to thread");
}

/* -- a host ---------------------------------------------------------------- */

static void judge_cores(const struct findings *found, int rank)
{
	const char *host = found->facts[rank].host;
	int ranks = count_on(found, host), n;
	cpu_set_t cores[8];

	CPU_ZERO_S(sizeof(cores), cores);
	for (int i = 0; i < found->ranks; i++)
		if (!strcmp(found->facts[i].host, host))
			CPU_OR_S(sizeof(cores), cores, cores,
				 found->facts[i].cores);
	n = CPU_COUNT_S(sizeof(cores), cores);
	if (ranks <= n) {
		fine("ranks: %d, cores: %d", ranks, n);
		return;
	}
	warn("ranks: %d, cores: %d: a rank that waits gives up its core", ranks,
	     n);
	advise("run as many ranks as cores where latency matters, and let the "
	       "launcher bind them");
}

static void judge_ptrace(const struct facts *facts)
{
	if (!facts->cma) {
		if (facts->ptrace_scope < 0)
			fine("processes may read each other's memory");
		else
			fine("processes may read each other's memory "
			     "(kernel.yama.ptrace_scope is %d)",
			     facts->ptrace_scope);
		return;
	}
	warn("processes may not read each other's memory: %s",
	     strerror(facts->cma));
	if (facts->ptrace_scope > 1)
		advise("kernel.yama.ptrace_scope is %d; "
		       "sysctl kernel.yama.ptrace_scope=1",
		       facts->ptrace_scope);
	else
		advise("in a container: --cap-add SYS_PTRACE, or a seccomp "
		       "profile that allows process_vm_readv and writev");
}

static void judge_memory(const struct facts *facts, int ranks)
{
	uint64_t a_rank = facts->room / (uint64_t)ranks;

	if (a_rank < ROOM_LEAST) {
		warn("windows of the host's ranks may take %llu MiB together",
		     (unsigned long long)(facts->room / MIB));
		advise("raise the memory limit of the container or cgroup, or "
		       "ulimit -v and -f");
	} else {
		fine("windows of the host's ranks may take %llu MiB together",
		     (unsigned long long)(facts->room / MIB));
	}
	if (facts->shm_free < SHM_LEAST) {
		warn("/dev/shm has %llu MiB left; Oriel does not use it, but "
		     "MPI's messages do",
		     (unsigned long long)(facts->shm_free / MIB));
		advise("in a container: --shm-size=1g");
	}
}

static void judge_limits(const struct findings *found, int rank)
{
	const struct facts *facts = &found->facts[rank];
	int others = found->ranks - count_on(found, facts->host);
	uint64_t wanted = FILES_OWN + 2 * (uint64_t)others;

	if (others && facts->files < wanted) {
		fails("%llu file descriptors are too few for connections to "
		      "%d ranks",
		      (unsigned long long)facts->files, others);
		advise("ulimit -n %llu%s", (unsigned long long)wanted,
		       facts->files_most < wanted ? ", as root" : "");
	}
	if (is_verbs(facts) && facts->memlock < ROOM_LEAST) {
		fails("%llu KiB of locked memory are too little for an RDMA "
		      "device",
		      (unsigned long long)(facts->memlock >> 10));
		advise("ulimit -l unlimited");
	}
}

void judge_hosts(const struct findings *found)
{
	for (int i = 0; i < found->ranks; i++) {
		if (!is_first(found, i))
			continue;
		printf("Host %s\n", found->facts[i].host);
		judge_cores(found, i);
		judge_ptrace(&found->facts[i]);
		judge_memory(&found->facts[i],
			     count_on(found, found->facts[i].host));
		judge_limits(found, i);
	}
}
