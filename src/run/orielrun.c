/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orielrun.c - starts a program with Oriel's library preloaded: the build
 * of it that goes with the MPI that the program uses.
 */
#include "config.h"
#include "build.h"
#include "elf.h"
#include "help.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Exit codes, as env and nice have them. */
enum { EXIT_OWN = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

#define SCRIPT_DEPTH 4

/* One write a message, so that those of several ranks do not mix. */
static void say(const char *fmt, va_list args)
{
	char text[3 * PATH_MAX] = "orielrun: ";
	int start = strlen(text), room = sizeof(text) - start - 1;
	int len = vsnprintf(text + start, room, fmt, args);

	if (len < 0)
		return;
	len = start + (len < room ? len : room - 1);
	text[len++] = '\n';
	fwrite(text, 1, len, stderr);
}

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

/* Prints and exits. */
static void fail(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

static void fail(int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	exit(code);
}

/* -- finding the program ---------------------------------------------------*/

/* What keeps path from being run: NULL if nothing does. */
static const char *obstacle(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return strerror(errno);
	if (S_ISDIR(st.st_mode))
		return "is a directory";
	if (!S_ISREG(st.st_mode))
		return "is no regular file";
	return access(path, X_OK) ? "is not executable (chmod +x?)" : NULL;
}

static void take_path(const char *name, char *path)
{
	const char *why;

	snprintf(path, PATH_MAX, "%s", name);
	if (access(path, F_OK))
		fail(errno == EACCES ? EXIT_CANNOT_RUN : EXIT_NOT_FOUND,
		     "%s: %s", name, strerror(errno));
	why = obstacle(path);
	if (why)
		fail(EXIT_CANNOT_RUN, "%s %s", name, why);
}

/* As execvp does.  path is PATH_MAX long. */
static void find_program(const char *name, char *path)
{
	const char *dir = getenv("PATH"), *end;
	char seen[PATH_MAX] = "";

	if (!*name)
		fail(EXIT_NOT_FOUND, "the program's name is empty");
	if (strchr(name, '/')) {
		take_path(name, path);
		return;
	}
	for (dir = dir ? dir : "/bin:/usr/bin"; dir; dir = *end ? end + 1 : 0) {
		end = strchrnul(dir, ':');
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - dir), dir,
			 end == dir ? "" : "/", name);
		if (!obstacle(path))
			return;
		if (!seen[0] && !access(path, F_OK))
			memcpy(seen, path, PATH_MAX);
	}
	if (seen[0])
		fail(EXIT_CANNOT_RUN, "%s %s", seen, obstacle(seen));
	fail(EXIT_NOT_FOUND, "%s: not found in PATH", name);
}

/* Does path begin with "#!"?  Its interpreter then takes path's place. */
static bool follow_script(char *path)
{
	char line[PATH_MAX] = "", name[PATH_MAX], argument[PATH_MAX] = "";
	FILE *file = fopen(path, "re");
	bool is_script;

	if (!file)
		return false;
	is_script = fgets(line, sizeof(line), file) &&
		    !strncmp(line, "#!", 2) &&
		    sscanf(line + 2, " %s %s", name, argument) >= 1;
	fclose(file);
	if (!is_script)
		return false;
	if (!strcmp(basename(name), "env") && argument[0] &&
	    argument[0] != '-' && !strchr(argument, '='))
		find_program(argument, path);
	else
		find_program(name, path);
	return true;
}

/* -- judging it -------------------------------------------------------------*/

static void refuse_launcher(const char *path)
{
	static const char *const names[] = { "mpirun", "mpiexec", "orterun",
					     "prterun", "srun" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(basename(path), names[i], strlen(names[i])))
			fail(EXIT_OWN,
			     "%s is a launcher; orielrun goes behind it:\n"
			     "  %s -n 4 orielrun ./program",
			     path, names[i]);
}

/* The loader ignores LD_PRELOAD in a program that gains rights. */
static void refuse_rights(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return;
	if (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	    ((st.st_mode & S_ISGID) && st.st_gid != getegid()) ||
	    (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0))
		fail(EXIT_CANNOT_RUN,
		     "%s runs with rights of its own (set-user-ID, "
		     "set-group-ID or capabilities),\n"
		     "  so nothing can be preloaded into it: link it with "
		     "-loriel instead",
		     path);
}

static void refuse_kind(const char *path, const struct orl_elf *elf)
{
	switch (elf->kind) {
	case ORL_ELF_OTHER_BITS:
		fail(EXIT_CANNOT_RUN,
		     "%s is not a %zu-bit program, as this Oriel is", path,
		     8 * sizeof(void *));
	case ORL_ELF_OTHER_MACHINE:
		fail(EXIT_CANNOT_RUN,
		     "%s was compiled for another kind of processor", path);
	case ORL_ELF_DAMAGED:
		fail(EXIT_CANNOT_RUN, "%s is no program, or is damaged", path);
	default:
		break;
	}
	if (elf->kind == ORL_ELF_PROGRAM && !elf->interpreter[0])
		fail(EXIT_CANNOT_RUN,
		     "%s is linked statically, so nothing can be preloaded "
		     "into it:\n  link it with shared libraries (without "
		     "-static)",
		     path);
}

/* The soname of the MPI that the program at path uses; "" if none. */
static void find_mpi(const char *path, char mpi[ORL_NAME_MAX])
{
	struct orl_elf elf;

	mpi[0] = 0;
	refuse_rights(path);
	/* A program that may be run but not read keeps its secret. */
	if (orl_elf_read(path, &elf))
		return;
	refuse_kind(path, &elf);
	if (elf.kind == ORL_ELF_NOT)
		return;
	orl_elf_loaded_mpi(path, &elf, mpi);
	if (!mpi[0] && elf.contains_mpi)
		fail(EXIT_CANNOT_RUN,
		     "%s has its MPI linked in statically, where it cannot be "
		     "taken over:\n  link it with a shared MPI library",
		     path);
}

/* -- choosing the library ---------------------------------------------------*/

static void warn_launcher(const char *path, const struct orl_build *build)
{
	const struct orl_build *by = orl_build_launcher();
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");

	if (!rank)
		rank = getenv("PMI_RANK");
	if (!by || by == build || !rank || strcmp(rank, "0"))
		return;
	note("warning: %s uses %s, but %s's launcher started it:\n"
	     "  its processes will not find each other; use %s",
	     path, build->name, by->name, build->launcher);
}

/* The build of the library that itself uses the MPI of this soname. */
static const struct orl_build *find_build(const char *mpi, char *library)
{
	int i;

	for (i = 0; i < ORL_BUILDS; i++) {
		struct orl_elf elf;

		if (orl_build_library(&orl_builds[i], library, PATH_MAX) &&
		    !orl_elf_read(library, &elf) && !strcmp(elf.mpi, mpi))
			return &orl_builds[i];
	}
	return NULL;
}

static void choose_by_mpi(const char *path, const char *mpi, char *library)
{
	const struct orl_build *build = find_build(mpi, library);

	if (build) {
		warn_launcher(path, build);
		return;
	}
	build = orl_build_of(mpi);
	if (build && !orl_build_library(build, library, PATH_MAX))
		fail(EXIT_OWN,
		     "%s uses %s (%s), and Oriel is not built for it here:\n"
		     "  run ./quickstart build in its source, or configure it "
		     "with that MPI's CC=mpicc",
		     path, build->name, mpi);
	fail(EXIT_OWN,
	     "%s uses the MPI library %s, which no build of Oriel here is "
	     "made for:\n  configure a build with that MPI's CC=mpicc",
	     path, mpi);
}

/* For what shows no MPI itself: scripts, interpreters, plug-in hosts. */
static void choose_by_launcher(const char *path, char *library, bool tell)
{
	const struct orl_build *by = orl_build_launcher();
	const struct orl_build *build = by ? by : orl_build_own();

	if (!orl_build_library(build, library, PATH_MAX))
		fail(EXIT_OWN,
		     "no liboriel for %s, under which %s was started:\n"
		     "  run ./quickstart build in Oriel's source, or configure "
		     "it with that MPI's CC=mpicc",
		     build->name, path);
	if (tell)
		note("%s is not linked with MPI; %s is taken since %s", path,
		     build->name,
		     by ? "its launcher started this"
			: "this orielrun was built for it, and no launcher "
			  "started it");
}

static void choose_library(const char *program, char *library, bool tell)
{
	char found[PATH_MAX], path[PATH_MAX], mpi[ORL_NAME_MAX];
	int depth = 0;

	find_program(program, found);
	memcpy(path, found, sizeof(path));
	refuse_launcher(path);
	while (follow_script(path))
		if (++depth == SCRIPT_DEPTH)
			fail(EXIT_CANNOT_RUN, "%s: scripts run each other",
			     program);
	find_mpi(path, mpi);
	if (mpi[0])
		choose_by_mpi(path, mpi, library);
	else
		choose_by_launcher(found, library, tell);
}

/* -- starting ---------------------------------------------------------------*/

/* Drops builds of ours that an outer orielrun left, keeps all else. */
static void clean_preload(void)
{
	const char *old = getenv("LD_PRELOAD");
	char *copy, *kept, *item, *state;

	if (!old)
		return;
	copy = strdup(old);
	kept = calloc(1, strlen(old) + 1);
	if (!copy || !kept)
		fail(EXIT_OWN, "no memory");
	for (item = strtok_r(copy, ": ", &state); item;
	     item = strtok_r(NULL, ": ", &state)) {
		if (!strncmp(basename(item), "liboriel.so", 11) ||
		    !strcmp(item, ORL_SANITIZER_RUNTIME))
			continue;
		if (kept[0])
			strcat(kept, ":");
		strcat(kept, item);
	}
	if (kept[0])
		setenv("LD_PRELOAD", kept, 1);
	else
		unsetenv("LD_PRELOAD");
	free(copy);
	free(kept);
}

static void preload(const char *first, const char *second)
{
	char *value;

	if (asprintf(&value, "%s%s%s", first, *first && *second ? ":" : "",
		     second) < 0 ||
	    setenv("LD_PRELOAD", value, 1))
		fail(EXIT_OWN, "no memory");
	free(value);
}

static const char *preloaded(void)
{
	const char *old = getenv("LD_PRELOAD");

	return old ? old : "";
}

/*
 * Behind what the user preloads: a profiling tool in front calls on to us
 * by MPI's second names.  But a sanitizer's runtime must be the very first.
 */
static void preload_all(const char *library)
{
	if (strpbrk(library, ": "))
		fail(EXIT_OWN,
		     "%s cannot be preloaded: its path has a space or colon",
		     library);
	preload(preloaded(), library);
	preload(ORL_SANITIZER_RUNTIME, preloaded());
}

int main(int argc, char **argv)
{
	bool print = argc > 1 && !strcmp(argv[1], "--print");
	char library[PATH_MAX];
	char **program = argv + 1 + print;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return orl_help_print() != 0;
	if (argc > 1 && !strcmp(argv[1], "--version"))
		return printf("orielrun (Oriel) %s\n", PACKAGE_VERSION) < 0;
	if (*program && !strcmp(*program, "--"))
		program++;
	else if (*program && **program == '-')
		fail(EXIT_OWN, "unknown option %s; try orielrun --help",
		     *program);
	if (!*program)
		fail(EXIT_OWN, "no program given; try orielrun --help");

	clean_preload();
	choose_library(*program, library, print);
	if (print)
		return puts(library) < 0;
	preload_all(library);
	execvp(*program, program);
	fail(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN, "%s: %s",
	     *program, strerror(errno));
}
