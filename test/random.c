/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random.c - random programs, all of MPI's one-sided chapter, against a
 * model of what they must do.  Options choose seeds and leave out what is
 * not to be tested; random --help tells them.
 *
 * Exit status: 0; 1 after a difference, which is explained on stderr; 77
 * where nothing but a host by itself is to be tested.
 */
/* ranks: 1 2 4; paths: default direct cma */
#include "random.h"

#include "hosts.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_S 30 /* of one program, then it is taken for a hang */

struct config config = {
	.win_kinds = ~0u,
	.syncs = ~0u,
	.calls = ~0u,
	.rops = ~0u,
	.comms = ~0u,
	.derived = true,
	.misaligned = true,
	.bottom = true,
	.shared = true,
	.proc_null = true,
	.null_buffers = true,
	.big = true,
	.odd_units = true,
	.large = true,
	.early_free = true,
	.zero = true,
	.waits_late = true,
	.asserts = true,
	.padding = true,
	.result_padding = true,
	.wild = true,
	.holes = true,
	.max_phases = 5,
};
struct comm comms[NCOMMS];
const char *const comm_names[NCOMMS] = { "world", "reversed", "split", "self" };
volatile uint64_t now_seed;
volatile int now_phase, now_op;

static const struct {
	const char *name;
	bool *flag;
} features[] = {
	{ "derived", &config.derived },
	{ "misaligned", &config.misaligned },
	{ "bottom", &config.bottom },
	{ "shared", &config.shared },
	{ "proc_null", &config.proc_null },
	{ "null_buffers", &config.null_buffers },
	{ "big", &config.big },
	{ "odd_units", &config.odd_units },
	{ "large", &config.large },
	{ "early_free", &config.early_free },
	{ "zero", &config.zero },
	{ "waits_late", &config.waits_late },
	{ "asserts", &config.asserts },
	{ "padding", &config.padding },
	{ "result_padding", &config.result_padding },
	{ "wild", &config.wild },
	{ "holes", &config.holes },
};
#define NFEATURES (int)(sizeof(features) / sizeof(features[0]))

static const char usage[] =
	"usage: random [options]\n"
	"  --seed N, --seeds A:B, --start S --count N   which programs\n"
	"  --verbose         print each program\n"
	"  --kinds LIST      windows: "
	"allocate,shared,create,alloc_mem,dynamic\n"
	"  --sync LIST       fence,pscw,lock,lock_all\n"
	"  --calls LIST      put,get,accumulate,get_accumulate,fetch_and_op,\n"
	"                    compare_and_swap,rput,rget,raccumulate,\n"
	"                    rget_accumulate\n"
	"  --ops LIST        SUM,PROD,...,REPLACE,NO_OP,CAS\n"
	"  --types LIST      INT,DOUBLE,... only; --not-types LIST\n"
	"  --comms LIST      world,reversed,split,self\n"
	"  --no-FEATURE      derived,misaligned,bottom,shared,proc_null,\n"
	"                    null_buffers,big,odd_units,large,early_free,\n"
	"                    zero,waits_late,asserts,padding,\n"
	"                    result_padding,wild,holes\n"
	"  --not-kinds, --not-sync, --not-calls, --not-ops, --not-comms LIST\n"
	"  --phases N        at most so many\n"
	"  --skip LIST       leave out the calls of these numbers\n"
	"  --mutate RULE     break the model: sum, minloc, padding, stride,\n"
	"                    order, nan, zero, round, fuse, truth, sign; a "
	"run\n"
	"                    must then fail\n";

static _Noreturn void complain(const char *what, const char *arg)
{
	fprintf(stderr, "random: %s '%s'\n%s", what, arg, usage);
	MPI_Abort(MPI_COMM_WORLD, 2);
	exit(2);
}

bool mutated(const char *rule)
{
	return config.mutate && !strcmp(config.mutate, rule);
}

/* Bits of the names in a list. */
static uint32_t parse_list(const char *list, const char *const *names, int n)
{
	char *copy = strdup(list), *rest = copy, *word;
	uint32_t mask = 0;

	while ((word = strsep(&rest, ","))) {
		int i = 0;

		while (i < n && strcmp(word, names[i]))
			i++;
		if (i == n)
			complain("no such name:", word);
		mask |= 1u << i;
	}
	free(copy);
	return mask;
}

static void parse_skip(char *list)
{
	char *word;

	while ((word = strsep(&list, ","))) {
		int id = atoi(word);

		if (id >= 0 && id < (int)sizeof(config.skip))
			config.skip[id] = true;
	}
}

static bool parse_feature(const char *name)
{
	for (int i = 0; i < NFEATURES; i++) {
		if (strcmp(name, features[i].name))
			continue;
		*features[i].flag = false;
		return true;
	}
	return false;
}

struct seeds {
	uint64_t from, to; /* to: not included */
};

static bool parse_seeds(const char *name, char *arg, struct seeds *seeds)
{
	char *end;
	uint64_t n = strtoull(arg, &end, 0);

	if (!strcmp(name, "seed"))
		*seeds = (struct seeds){ n, n + 1 };
	else if (!strcmp(name, "seeds") && *end == ':')
		*seeds = (struct seeds){ n, strtoull(end + 1, NULL, 0) };
	else if (!strcmp(name, "start"))
		*seeds = (struct seeds){ n, n + seeds->to - seeds->from };
	else if (!strcmp(name, "count"))
		seeds->to = seeds->from + n;
	else
		return false;
	return true;
}

static bool parse_mask(const char *name, const char *arg)
{
	const struct {
		const char *name;
		uint32_t *mask;
		const char *const *names;
		int n;
	} lists[] = {
		{ "kinds", &config.win_kinds, win_names, WIN_KINDS },
		{ "sync", &config.syncs, sync_names, SYNC_KINDS },
		{ "calls", &config.calls, call_names, CALL_RMA },
		{ "ops", &config.rops, rop_names, ROP_COUNT },
		{ "comms", &config.comms, comm_names, NCOMMS },
	};
	bool not = !strncmp(name, "not-", 4);

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		uint32_t mask;

		if (strcmp(name + (not ? 4 : 0), lists[i].name))
			continue;
		mask = parse_list(arg, lists[i].names, lists[i].n);
		*lists[i].mask = not ? *lists[i].mask & ~mask : mask;
		return true;
	}
	return false;
}

static bool parse_other(const char *name, char *arg)
{
	if (!strcmp(name, "types"))
		config.types = arg;
	else if (!strcmp(name, "not-types"))
		config.not_types = arg;
	else if (!strcmp(name, "phases"))
		config.max_phases = atoi(arg) < 2 ? 2 : atoi(arg);
	else if (!strcmp(name, "skip"))
		parse_skip(arg);
	else if (!strcmp(name, "mutate"))
		config.mutate = arg;
	else
		return false;
	return true;
}

static void parse(int argc, char **argv, struct seeds *seeds)
{
	for (int i = 1; i < argc; i++) {
		char *name = argv[i];

		if (strncmp(name, "--", 2))
			complain("what is", name);
		name += 2;
		if (!strcmp(name, "verbose"))
			config.verbose = true;
		else if (!strncmp(name, "no-", 3)) {
			if (!parse_feature(name + 3))
				complain("no such feature:", name + 3);
		} else if (i + 1 == argc)
			complain("what is", name);
		else if (!parse_seeds(name, argv[++i], seeds) &&
			 !parse_mask(name, argv[i]) &&
			 !parse_other(name, argv[i]))
			complain("what is", name);
	}
}

static void describe(struct comm *comm, int colour)
{
	MPI_Comm_rank(comm->comm, &comm->rank);
	MPI_Comm_size(comm->comm, &comm->size);
	comm->colour = colour;
}

static void make_comms(void)
{
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > MAX_RANKS)
		complain("too many ranks for", "random");
	comms[0].comm = MPI_COMM_WORLD;
	MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[1].comm);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2].comm);
	comms[3].comm = MPI_COMM_SELF;
	describe(&comms[0], 0);
	describe(&comms[1], 0);
	describe(&comms[2], rank % 2);
	describe(&comms[3], rank);
}

/* Only what a handler may call. */
static void tell_signal(int sig)
{
	char text[160];
	int len = snprintf(text, sizeof(text),
			   "\nFAILED seed %llu, phase %d, op %d: signal %d%s\n",
			   (unsigned long long)now_seed, now_phase, now_op, sig,
			   sig == SIGALRM ? " (takes too long)" : "");

	if (write(2, text, len) < 0)
		_exit(1);
	signal(sig, SIG_DFL);
	if (sig == SIGALRM)
		_exit(1);
	raise(sig);
}

static int pick_comm(uint64_t seed)
{
	struct rng rng = { seed ^ 0x5bd1e995 };
	int comm;

	/* Most programs take the world: it has the most ranks. */
	if (config.comms & 1 && rng_chance(&rng, 60))
		return 0;
	do
		comm = rng_below(&rng, NCOMMS);
	while (!(config.comms >> comm & 1));
	return comm;
}

static void run_seed(uint64_t seed)
{
	struct prog *prog;

	now_seed = seed;
	now_phase = now_op = -1;
	alarm(LIMIT_S);
	prog = gen_program(seed, pick_comm(seed));
	if (config.verbose && prog->me == 0)
		print_program(prog);
	run_program(prog);
	arena_reset();
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT,
				       SIGALRM };
	struct seeds seeds = { 1, 1 };
	bool apart;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 1 && getenv("ORIEL_TEST_HOST")) {
		puts("# skip: hosts differ in ways of their own; options "
		     "choose what one gets right");
		return 77;
	}
	MPI_Init(&argc, &argv);
	leave_watched();
	apart = hosts_are_apart();
	/* Mapped memory alone: the program's own is out of reach. */
	if (getenv("ORIEL_PATH") && !strcmp(getenv("ORIEL_PATH"), "direct"))
		config.win_kinds &= ~(1u << WIN_CREATE | 1u << WIN_DYNAMIC);
	/* Nodes share no windows. */
	if (apart)
		config.win_kinds &= ~(1u << WIN_SHARED);
	parse(argc, argv, &seeds);
	make_comms();
	/* Hosts that spin are slow where ranks outnumber cores. */
	if (seeds.to == seeds.from)
		seeds.to += (comms[0].size > 2 ? 100 : 500) / (apart ? 2 : 1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], tell_signal);
	basics_init();
	for (uint64_t seed = seeds.from; seed < seeds.to; seed++)
		run_seed(seed);
	if (comms[0].rank == 0)
		printf("random: %llu programs agree with the model\n",
		       (unsigned long long)(seeds.to - seeds.from));
	MPI_Comm_free(&comms[1].comm);
	MPI_Comm_free(&comms[2].comm);
	leave_with(0);
	MPI_Finalize();
	return 0;
}
