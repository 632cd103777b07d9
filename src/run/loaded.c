/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loaded.c - which libraries a program loads.  The dynamic loader itself is
 * asked (ld.so --list, which loads but does not run), so that run paths,
 * LD_LIBRARY_PATH, the cache and LD_PRELOAD count exactly as they will.
 */
#include "elf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Never returns. */
static void become_loader(const char *loader, const char *path, int out)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(out, STDOUT_FILENO);
	/* What it complains of, the real start will complain of. */
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	execl(loader, loader, "--list", path, (char *)NULL);
	_exit(127);
}

/* Lines are "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x7f...)". */
static void read_list(FILE *list, char mpi[ORL_NAME_MAX])
{
	char line[4096], name[ORL_NAME_MAX];

	while (fgets(line, sizeof(line), list))
		if (sscanf(line, " %63s =>", name) == 1 && !mpi[0] &&
		    orl_elf_is_mpi(name))
			memcpy(mpi, name, ORL_NAME_MAX);
}

void orl_elf_loaded_mpi(const char *path, const struct orl_elf *elf,
			char mpi[ORL_NAME_MAX])
{
	FILE *list;
	pid_t pid;
	int ends[2];

	memcpy(mpi, elf->mpi, ORL_NAME_MAX);
	if (mpi[0] || pipe(ends))
		return;
	pid = fork();
	if (pid == 0)
		become_loader(elf->interpreter, path, ends[1]);
	close(ends[1]);
	list = pid > 0 ? fdopen(ends[0], "r") : NULL;
	if (list) {
		read_list(list, mpi);
		fclose(list);
	} else {
		close(ends[0]);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
