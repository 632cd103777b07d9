/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.c - what the ranks found, for people to read.  Lines that begin
 * with "!!" tell of what would fail, those with " !" of what costs time or may
 * fail later; "->" says what to change.
 */
#include "doctor.h"
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int bad;

void fine(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("   ", stdout);
	vprintf(fmt, args);
	fputs("\n", stdout);
	va_end(args);
}

void warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs(" ! ", stdout);
	vprintf(fmt, args);
	fputs("\n", stdout);
	va_end(args);
}

void fails(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("!! ", stdout);
	vprintf(fmt, args);
	fputs("\n", stdout);
	va_end(args);
	bad++;
}

void advise(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("   -> ", stdout);
	vprintf(fmt, args);
	fputs("\n", stdout);
	va_end(args);
}

/* -- Oriel and MPI --------------------------------------------------------- */

static void judge_oriel(const struct findings *found)
{
	const struct facts *first = &found->facts[0];

	puts("Oriel");
	for (int i = 0; i < found->ranks; i++) {
		const struct facts *facts = &found->facts[i];

		if (!facts->version[0]) {
			fails("rank %d on %s runs without Oriel", i,
			      facts->host);
			advise("start all ranks by orielrun, or none");
			return;
		}
		if (strcmp(facts->version, first->version)) {
			fails("rank %d on %s has Oriel %s, rank 0 has %s", i,
			      facts->host, facts->version, first->version);
			advise("install one version on all hosts");
			return;
		}
	}
	fine("version %s, under %s", first->version, first->mpi);
}

static void judge_options(const struct findings *found)
{
	const struct facts *first = &found->facts[0];

	if (first->options[0])
		fine("options: %s", first->options);
	if (first->strange[0]) {
		warn("no options of Oriel's: %s", first->strange);
		advise("orielrun --help tells what there is");
	}
	for (int i = 1; i < found->ranks; i++) {
		if (!strcmp(found->facts[i].options, first->options))
			continue;
		warn("rank %d on %s has other options: %s", i,
		     found->facts[i].host,
		     found->facts[i].options[0] ? found->facts[i].options
						: "none");
		advise("pass them on to all hosts (Open MPI: mpirun -x NAME)");
		return;
	}
}

/* -- paths ----------------------------------------------------------------- */

static const struct {
	const char *path, *why;
} reasons[] = {
	{ "direct", "memory that both have mapped: load and store" },
	{ "cma", "the program's own memory on one node: the kernel copies "
		 "(process_vm_readv, writev)" },
	{ "fabric", "another node: the network's reads and writes where they "
		    "are faster than messages" },
	{ "software", "another node, by messages alone: memory that the "
		      "network has not registered, or ORIEL_PATH" },
	{ "self", "a rank's own memory: load and store" },
};

static void print_path(const struct findings *found, int kind, const char *path,
		       const char *why)
{
	int n = 0, tried = 0, size = found->ranks;
	bool is_own = !strcmp(path, "self");
	float least = 1e9f;

	for (int i = 0; i < size * size; i++) {
		const struct way *way = &found->ways[kind][i];

		if (strcmp(way->path, path) || (i / size == i % size) != is_own)
			continue;
		n++;
		if (!(way->us > 0))
			continue;
		tried++;
		least = way->us < least ? way->us : least;
	}
	if (!n)
		return;
	if (is_own)
		fine("  %-8s %s", path, why);
	else
		fine("  %-8s %d of %d pairs of ranks: %s", path, n,
		     size * (size - 1), why);
	if (tried)
		fine("           put and flush of 8 bytes: %.2f us at the "
		     "least",
		     (double)least);
}

static void print_matrix(const struct findings *found, int kind)
{
	int size = found->ranks;

	if (size < 2 || size > 16)
		return;
	for (int i = 0; i < size; i++) {
		printf("     rank %2d to 0..%d:", i, size - 1);
		for (int k = 0; k < size; k++)
			printf(" %s", found->ways[kind][i * size + k].path);
		puts("");
	}
}

static void judge_data(const struct findings *found, int kind)
{
	int size = found->ranks;

	for (int i = 0; i < size * size; i++) {
		if (!found->ways[kind][i].wrong)
			continue;
		fails("wrong data between rank %d on %s and rank %d on %s, by "
		      "path %s",
		      i / size, found->facts[i / size].host, i % size,
		      found->facts[i % size].host, found->ways[kind][i].path);
		advise("this is a fault of Oriel or of the network: please "
		       "report it, with this text");
		return;
	}
}

/* What the error's own text does not say. */
static void advise_window(const struct findings *found, int kind)
{
	for (int i = 0; i < found->ranks && kind == TRIAL_CREATE; i++) {
		if (!found->facts[i].cma)
			continue;
		advise("memory of MPI_Win_allocate or MPI_Alloc_mem needs no "
		       "such right");
		return;
	}
}

static void judge_windows(const struct findings *found, int kind)
{
	static const char *const names[] = {
		"Windows of MPI_Win_allocate",
		"Windows of MPI_Win_create on memory of malloc"
	};
	const struct trial *trial = &found->trials[kind];

	puts(names[kind]);
	if (trial->error[0]) {
		fails("cannot be made: %s", trial->error);
		advise_window(found, kind);
		return;
	}
	if (found->ranks == 1) {
		fine("work with one process%s",
		     kind == TRIAL_ALLOCATE ? "; start oriel-doctor by mpirun "
					      "-n 2 or more to see the paths "
					      "between ranks"
					    : "");
		return;
	}
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		print_path(found, kind, reasons[i].path, reasons[i].why);
	print_matrix(found, kind);
	judge_data(found, kind);
}

int report_print(const struct findings *found)
{
	judge_oriel(found);
	judge_options(found);
	if (bad)
		return bad;
	for (int kind = 0; kind < TRIALS; kind++)
		judge_windows(found, kind);
	judge_network(found);
	judge_hosts(found);
	if (bad)
		printf("%d thing%s would fail.\n", bad, bad == 1 ? "" : "s");
	else
		puts("Nothing would fail.");
	return bad;
}
