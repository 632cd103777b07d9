/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * help.c - the text of orielrun --help.  orielrun shares nothing with the
 * library, so the options stand here a second time; orielrun_choice.sh holds
 * them to ORL_OPTIONS in orl_util.h.
 */
#include "help.h"

#include <stdio.h>

static const char usage[] =
	"Usage: mpirun -n N orielrun [--print] PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs PROGRAM, a program or a script, with its MPI's one-sided\n"
	"communication done by Oriel.  orielrun stands behind mpirun, before\n"
	"the program, for all ranks of it or none.  The build of Oriel is "
	"that\n"
	"of the MPI that PROGRAM is linked with; where it is linked with none\n"
	"(python3, sh), that of the mpirun which started it; without mpirun,\n"
	"that which this orielrun belongs to.\n"
	"\n"
	"  --print    print the library that would be preloaded, run nothing\n"
	"  --help     print this\n"
	"  --version  print the version\n"
	"\n"
	"Environment variables, with their defaults:\n"
	"\n";

static const struct option {
	const char *name, *value, *help;
} options[] = {
	{ "PATH", "direct,cma,fabric,software",
	  "paths that may be used, by comma: direct, cma, fabric, software" },
	{ "LOG", "error", "none, error, warn, info or debug" },
	{ "STATS", "0",
	  "1, json or a file: what each window did, when it is freed" },
	{ "TRACE", "",
	  "a folder, for a trace of each rank's calls as a browser shows it" },
	{ "CHECK", "0",
	  "1, or abort: misuse of windows is reported, and ends the program" },
	{ "PROVIDER", "",
	  "libfabric provider between nodes, as fi_info names it" },
	{ "IFACE", "", "network interface or device between nodes" },
	{ "PROGRESS", "auto",
	  "thread, poll, or auto: a thread where the network needs one" },
	{ "ATOMICS", "owner",
	  "owner, or nic: who executes accumulates between nodes" },
	{ "TIMEOUT", "20",
	  "seconds without a sign of life after which a process is lost" },
	{ "SPIN", "-1",
	  "polls before a wait yields the core; -1 decides by the load" },
	{ "YIELD", "100", "yields before a wait sleeps in the kernel" },
	{ "ARENA", "0",
	  "bytes of address space for one process's windows; 0 decides" },
	{ "BULK", "4",
	  "elements from which an accumulate keeps others out to work in "
	  "bulk" },
};

static const char codes[] =
	"\n"
	"Exit status: that of PROGRAM, or\n"
	"\n"
	"  125  orielrun was called wrongly, or there is no build of Oriel "
	"for\n"
	"       PROGRAM's MPI\n"
	"  126  PROGRAM cannot be run, or nothing can be preloaded into it\n"
	"  127  PROGRAM was not found\n";

int orl_help_print(void)
{
	size_t i;

	fputs(usage, stdout);
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		printf("  ORIEL_%s=%s\n      %s\n", options[i].name,
		       options[i].value, options[i].help);
	fputs(codes, stdout);
	return fflush(stdout);
}
