/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fortran.c - what the hosts' Fortran bindings do with windows without
 * calling a function of MPI's C interface: attributes.  The predefined ones
 * (MPI-3.1 section 11.2.6) are integers of kind MPI_ADDRESS_KIND there, the
 * address of the base among them.  All other Fortran calls come in as C ones.
 */
#include "entry.h"

#include "config.h"
#include "oriel.h"
#include "orl_util.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* keyval is C's constant.  False if it is none of these. */
static bool get_predefined(MPI_Win win, int keyval, MPI_Aint *value)
{
	struct orl_win *w = orl_win_find(win);
	void *found;

	if (!w || !orl_win_get_attr(w, keyval, &found))
		return false;
	if (keyval == MPI_WIN_BASE)
		*value = (MPI_Aint)found;
	else if (keyval == MPI_WIN_SIZE)
		*value = *(MPI_Aint *)found;
	else
		*value = *(int *)found;
	return true;
}

/* The attribute of oriel.h, by the same number in both languages. */
static bool get_progress(MPI_Win win, int keyval, MPI_Aint *value)
{
	struct orl_win *w = orl_win_find(win);

	if (!w || keyval != ORIEL_WIN_PROGRESS)
		return false;
	*value = *orl_win_progress(w);
	return true;
}

/* The host's own function, looked for until it is there. */
static void *find_next(_Atomic(void *) *found, const char *name)
{
	void *symbol = atomic_load_explicit(found, memory_order_relaxed);

	if (orl_unlikely(!symbol)) {
		symbol = dlsym(RTLD_NEXT, name);
		atomic_store_explicit(found, symbol, memory_order_relaxed);
	}
	return symbol;
}

#ifdef ORL_HOST_OPENMPI

/* -- Open MPI: the names that Fortran compilers make of MPI_WIN_GET_ATTR --- */

typedef void (*get_attr_fn)(MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value,
			    MPI_Fint *flag, MPI_Fint *ierror);

#define HOST_NAME "pmpi_win_get_attr_"

/*
 * A library that an interpreter's module has loaded, for itself alone, is
 * found by way of the module, which depends on it.
 */
static void *find_by(void *caller)
{
	Dl_info info;
	void *library, *symbol;

	if (!dladdr(caller, &info))
		return NULL;
	library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return NULL;
	symbol = dlsym(library, HOST_NAME);
	dlclose(library);
	return symbol;
}

/*
 * The host's window has the predefined ones, too, and the host knows what is
 * true in Fortran: it sets the flag, and only the value is ours.  For an
 * attribute that it does not have it is asked for one that it has.
 */
static void get_attr(MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value,
		     MPI_Fint *flag, MPI_Fint *ierror)
{
	static _Atomic(void *) found;
	void *symbol = find_next(&found, HOST_NAME);
	MPI_Win handle = PMPI_Win_f2c(*win);
	MPI_Fint size = MPI_WIN_SIZE;
	MPI_Aint progress;
	bool is_ours = get_progress(handle, *keyval, &progress);
	get_attr_fn host;

	if (orl_unlikely(!symbol))
		symbol = find_by(__builtin_return_address(0));
	memcpy(&host, &symbol, sizeof(host));
	if (orl_likely(host && host != get_attr))
		host(win, is_ours ? &size : keyval, value, flag, ierror);
	else if (ierror)
		*ierror = MPI_ERR_INTERN;
	if (is_ours)
		*value = progress;
	else
		get_predefined(handle, *keyval, value);
}

#define SPELLING(name)                                                         \
	extern __typeof__(get_attr) name EXPORTED                              \
		__attribute__((alias("get_attr")))

SPELLING(mpi_win_get_attr);
SPELLING(mpi_win_get_attr_);
SPELLING(mpi_win_get_attr__);
SPELLING(MPI_WIN_GET_ATTR);
SPELLING(pmpi_win_get_attr);
SPELLING(pmpi_win_get_attr_);
SPELLING(pmpi_win_get_attr__);
SPELLING(PMPI_WIN_GET_ATTR);

#else

/* -- MPICH: two functions that its bindings call, by whatever name they are
 * called themselves; type says in which form the value is ------------------ */

int MPII_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag,
		      int type) EXPORTED;
int MPII_Win_set_attr(MPI_Win win, int keyval, void *value, int type) EXPORTED;

typedef int (*get_attr_fn)(MPI_Win, int, void *, int *, int);
typedef int (*set_attr_fn)(MPI_Win, int, void *, int);

/* Fortran's constant of a predefined attribute is C's and one. */
int MPII_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag, int type)
{
	static _Atomic(void *) found;
	MPI_Aint predefined;
	get_attr_fn host;
	void *symbol;

	*flag = get_predefined(win, keyval - 1, &predefined) ||
		get_progress(win, keyval, &predefined);
	if (*flag)
		memcpy(value, &predefined, sizeof(predefined));
	if (*flag || orl_unlikely(orl_host_win_is_bare(win)))
		return MPI_SUCCESS;
	symbol = find_next(&found, "MPII_Win_get_attr");
	memcpy(&host, &symbol, sizeof(host));
	return host(win, keyval, value, flag, type);
}

int MPII_Win_set_attr(MPI_Win win, int keyval, void *value, int type)
{
	static _Atomic(void *) found;
	set_attr_fn host;
	void *symbol;

	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_no_attributes(win);
	symbol = find_next(&found, "MPII_Win_set_attr");
	memcpy(&host, &symbol, sizeof(host));
	return host(win, keyval, value, type);
}

#endif
