/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf.c - reads an ELF file of our own word size.  Every offset comes from
 * the file and is checked before it is followed.
 */
#include "elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	const char *base;
	size_t size;
	const ElfW(Ehdr) *header;
};

/* The bytes [off, off + len) of the file, or NULL. */
static const void *at(const struct image *image, uint64_t off, uint64_t len)
{
	if (off > image->size || len > image->size - off)
		return NULL;
	return image->base + off;
}

/* The string at off, or NULL if it does not end within the file. */
static const char *string_at(const struct image *image, uint64_t off)
{
	const char *text = at(image, off, 1);

	if (!text || !memchr(text, 0, image->size - off))
		return NULL;
	return text;
}

/*
 * The soname of MPI libraries ends in a version: "libmpi.so.40", also
 * "libmpi_cray.so.12".  Language bindings (libmpi_cxx, libmpichfort) are not
 * meant: they need the library itself in turn.
 */
bool orl_elf_is_mpi(const char *soname)
{
	static const char *const names[] = {
		"libmpi.so",	  "libmpich.so",   "libmpi_abi.so",
		"libmpi_cray.so", "libmpi_gnu",	   "libmpi_intel",
		"libmpi_ibm.so",  "libmpich_gnu",  "libmpich_intel",
		"libmpt.so",	  "libmpi_sgi.so", "libmsmpi.so",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(soname, names[i], strlen(names[i])))
			return true;
	return false;
}

static void copy_name(char *name, size_t size, const char *text)
{
	snprintf(name, size, "%s", text ? text : "");
}

/* The linker's name for this program's own header. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static enum orl_elf_kind judge(const ElfW(Ehdr) *header)
{
	const ElfW(Ehdr) *own = &__ehdr_start;

	if (header->e_ident[EI_DATA] != own->e_ident[EI_DATA])
		return ORL_ELF_OTHER_MACHINE;
	if (header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS])
		return ORL_ELF_OTHER_BITS;
	if (header->e_machine != own->e_machine)
		return ORL_ELF_OTHER_MACHINE;
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return ORL_ELF_DAMAGED;
	return ORL_ELF_PROGRAM;
}

static const ElfW(Phdr) *segments(const struct image *image)
{
	const ElfW(Ehdr) *header = image->header;

	if (header->e_phentsize != sizeof(ElfW(Phdr)))
		return NULL;
	return at(image, header->e_phoff,
		  (uint64_t)header->e_phnum * sizeof(ElfW(Phdr)));
}

/* Where in the file the address is that DT_STRTAB gives; 0: nowhere. */
static uint64_t offset_of(const struct image *image, ElfW(Addr) addr)
{
	const ElfW(Phdr) *segment = segments(image);
	unsigned i;

	for (i = 0; i < image->header->e_phnum; i++, segment++)
		if (segment->p_type == PT_LOAD && addr >= segment->p_vaddr &&
		    addr - segment->p_vaddr < segment->p_filesz)
			return segment->p_offset + (addr - segment->p_vaddr);
	return 0;
}

static void read_dynamic(const struct image *image, const ElfW(Phdr) *segment,
			 struct orl_elf *elf)
{
	size_t i, n = segment->p_filesz / sizeof(ElfW(Dyn));
	const ElfW(Dyn) *dyn = at(image, segment->p_offset, segment->p_filesz);
	uint64_t strings = 0;

	for (i = 0; dyn && i < n && dyn[i].d_tag != DT_NULL; i++)
		if (dyn[i].d_tag == DT_STRTAB)
			strings = offset_of(image, dyn[i].d_un.d_ptr);
	for (i = 0; dyn && i < n && dyn[i].d_tag != DT_NULL; i++) {
		const char *name;

		if (dyn[i].d_tag != DT_NEEDED || !strings)
			continue;
		name = string_at(image, strings + dyn[i].d_un.d_val);
		if (name && !elf->mpi[0] && orl_elf_is_mpi(name))
			copy_name(elf->mpi, sizeof(elf->mpi), name);
	}
}

/* Is there a symbol table that defines MPI_Init? */
static bool defines_mpi(const struct image *image, const ElfW(Shdr) *table,
			const ElfW(Shdr) *strings)
{
	size_t i, n = table->sh_size / sizeof(ElfW(Sym));
	const ElfW(Sym) *sym = at(image, table->sh_offset, table->sh_size);

	for (i = 0; sym && i < n; i++) {
		const char *name;

		if (sym[i].st_shndx == SHN_UNDEF)
			continue;
		name = string_at(image, strings->sh_offset + sym[i].st_name);
		if (name && !strcmp(name, "MPI_Init"))
			return true;
	}
	return false;
}

static bool contains_mpi(const struct image *image)
{
	const ElfW(Ehdr) *header = image->header;
	const ElfW(Shdr) *section;
	unsigned i, n = header->e_shnum;

	if (!header->e_shoff || header->e_shentsize != sizeof(ElfW(Shdr)))
		return false;
	section = at(image, header->e_shoff, (uint64_t)n * sizeof(*section));
	for (i = 0; section && i < n; i++)
		if (section[i].sh_type == SHT_SYMTAB &&
		    section[i].sh_link < n &&
		    defines_mpi(image, &section[i],
				&section[section[i].sh_link]))
			return true;
	return false;
}

static void read_program(const struct image *image, struct orl_elf *elf)
{
	const ElfW(Phdr) *segment = segments(image);
	unsigned i;

	if (!segment) {
		elf->kind = ORL_ELF_DAMAGED;
		return;
	}
	for (i = 0; i < image->header->e_phnum; i++, segment++) {
		if (segment->p_type == PT_INTERP)
			copy_name(elf->interpreter, sizeof(elf->interpreter),
				  string_at(image, segment->p_offset));
		if (segment->p_type == PT_DYNAMIC)
			read_dynamic(image, segment, elf);
	}
	elf->contains_mpi = contains_mpi(image);
}

static void read_image(const struct image *image, struct orl_elf *elf)
{
	*elf = (struct orl_elf){ .kind = ORL_ELF_NOT };
	if (image->size < sizeof(ElfW(Ehdr)) ||
	    memcmp(image->base, ELFMAG, SELFMAG))
		return;
	elf->kind = judge(image->header);
	if (elf->kind == ORL_ELF_PROGRAM)
		read_program(image, elf);
}

int orl_elf_read(const char *path, struct orl_elf *elf)
{
	struct image image = { .base = "" };
	struct stat st;
	int fd, rc = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		rc = -errno;
		goto close_file;
	}
	image.size = st.st_size;
	if (image.size) {
		void *map =
			mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (map == MAP_FAILED) {
			rc = -errno;
			goto close_file;
		}
		image.base = map;
	}
	image.header = (const void *)image.base;
	read_image(&image, elf);
	if (image.size)
		munmap((void *)image.base, image.size);
close_file:
	close(fd);
	return rc;
}
