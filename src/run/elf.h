/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf.h - what orielrun asks of a file: is it a program that this machine
 * can run, how is it linked, which MPI does it use.
 */
#ifndef RUN_ELF_H
#define RUN_ELF_H

#include <stdbool.h>

#define ORL_NAME_MAX 64

enum orl_elf_kind {
	ORL_ELF_PROGRAM,
	ORL_ELF_NOT, /* no ELF file at all */
	ORL_ELF_DAMAGED,
	ORL_ELF_OTHER_BITS,   /* 32-bit, where we are 64-bit, or so */
	ORL_ELF_OTHER_MACHINE /* of another processor or byte order */
};

struct orl_elf {
	enum orl_elf_kind kind;
	char interpreter[256];	/* the dynamic loader; "": static */
	char mpi[ORL_NAME_MAX]; /* MPI library in DT_NEEDED, or "" */
	bool contains_mpi;	/* defines MPI_Init itself */
};

/* 0, or -errno if the file cannot be read; then *elf is not set. */
int orl_elf_read(const char *path, struct orl_elf *elf);

/* Is this soname an MPI library's, of any maker? */
bool orl_elf_is_mpi(const char *soname);

/*
 * The MPI library that the program loads, directly or through other
 * libraries, as its dynamic loader finds them; "" if there is none.
 */
void orl_elf_loaded_mpi(const char *path, const struct orl_elf *elf,
			char mpi[ORL_NAME_MAX]);

#endif
