/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_report.c - what the checks find, in words, one write a report; and
 * where in the program a call was made.  Of reports that say the same of the
 * same places one is shown, and of others the first ones.
 */
#include "check_parts.h"
#include "watch.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_MOST 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t shown[SHOWN_MOST]; /* by what they say */
static unsigned nshown, nfound;
static _Atomic(unsigned) windows, lost;

void orl_check_lost(void)
{
	atomic_fetch_add(&lost, 1);
}

void orl_check_count_window(void)
{
	atomic_fetch_add(&windows, 1);
}

/* -- places ---------------------------------------------------------------- */

/* By return address; "" for what is no code of the program's. */
static struct orl_map places = ORL_MAP_INIT;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Ours and the host MPI's, through which Fortran programs come. */
static bool is_library(const Dl_info *info)
{
	static const char *const names[] = { "libmpi", "libpmpi", "liboriel" };
	const char *name = base_name(info->dli_fname);
	Dl_info own;

	if (dladdr((void *)orl_check_place, &own) &&
	    own.dli_fbase == info->dli_fbase)
		return true;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* As addr2line -e takes it. */
static unsigned long offset_of(const Dl_info *info, const void *pc)
{
	const ElfW(Ehdr) *head = info->dli_fbase;

	return (unsigned long)pc -
	       (head->e_type == ET_EXEC ? 0 : (unsigned long)head);
}

static char *describe(void *pc)
{
	char text[96] = "an unknown place";
	Dl_info info;

	/* The call, not what follows it. */
	if (!dladdr((char *)pc - 1, &info) || !info.dli_fname)
		return strdup(text);
	if (is_library(&info))
		return strdup("");
	snprintf(text, sizeof(text), "%.40s+%#lx%s%.30s%s",
		 base_name(info.dli_fname), offset_of(&info, (char *)pc - 1),
		 info.dli_sname ? " (" : "",
		 info.dli_sname ? info.dli_sname : "",
		 info.dli_sname ? ")" : "");
	return strdup(text);
}

/* Made once for each, and kept: others point to them. */
static const char *place_of(void *pc)
{
	char *text = orl_map_find(&places, (uintptr_t)pc);

	if (text)
		return text;
	text = describe(pc);
	if (text)
		orl_map_set(&places, (uintptr_t)pc, text);
	return text ? text : "";
}

const char *orl_check_place(void)
{
	void *frames[24];
	int i, n = backtrace(frames, 24);

	for (i = 0; i < n; i++) {
		const char *text = place_of(frames[i]);

		if (*text)
			return text;
	}
	return "an unknown place";
}

/* -- reports --------------------------------------------------------------- */

static uint64_t hash(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
	return sum;
}

/* Counts it; is it to be shown? */
static bool is_new(uint64_t what)
{
	unsigned i;

	nfound++;
	for (i = 0; i < nshown; i++)
		if (shown[i] == what)
			return false;
	if (nshown == SHOWN_MOST)
		return false;
	shown[nshown++] = what;
	return true;
}

/* The same words but for numbers, from the same place. */
static uint64_t meaning(const char *call, const char *place, const char *fmt)
{
	return hash(hash(hash(0xcbf29ce484222325u, call), place), fmt);
}

static void print(const struct orl_win *win, const char *call,
		  const char *place, const char *reason)
{
	char title[ORL_TITLE], line[1024 + ORL_TITLE];
	int len;

	orl_win_title(win, title);
	len = snprintf(line, sizeof(line),
		       "oriel check: %s on %s, rank %u of %u: %s; called at "
		       "%s\n",
		       call, title, win->rank, win->size, reason, place);
	if (len >= (int)sizeof(line))
		len = (int)sizeof(line) - 1;
	if (write(STDERR_FILENO, line, (size_t)len) < 0)
		orl_log(ORL_LOG_ERROR, "%s", line);
}

void orl_check_report(const struct orl_win *win, const char *call,
		      const char *place, const char *fmt, ...)
{
	char reason[640];
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	pthread_mutex_lock(&lock);
	if (is_new(meaning(call, place, fmt)))
		print(win, call, place, reason);
	pthread_mutex_unlock(&lock);
	if (orl_options.check == ORL_CHECK_ABORT)
		abort();
}

/* -- errors ---------------------------------------------------------------- */

/* Of a call that moves data the bytes that it asked for. */
static void add_range(const struct orl_win *win, char *text, size_t size)
{
	const struct orl_xfer *x = orl_check_current;
	const struct orl_type *type;
	ptrdiff_t first, last;
	int64_t at = x->disp;

	if ((uint32_t)x->rank >= win->size || x->tcount < 0 ||
	    orl_type_find(x->ttype, &type) ||
	    orl_type_span(type, (size_t)x->tcount, &first, &last))
		return;
	if (!win->dynamic &&
	    __builtin_mul_overflow(at, win->targets[x->rank].disp_unit, &at))
		return;
	if (win->dynamic)
		snprintf(text, size, " (from %#llx to %#llx)",
			 (unsigned long long)(at + first),
			 (unsigned long long)(at + last - 1));
	else
		snprintf(text, size, " (bytes %lld to %lld)",
			 (long long)(at + first), (long long)(at + last - 1));
}

/* What the system lacks is no misuse. */
static bool is_misuse(int class)
{
	return class > 0 && class != MPI_ERR_NO_MEM && class != MPI_ERR_OTHER &&
	       class != MPI_ERR_INTERN;
}

void orl_check_error(const struct orl_win *win, const char *call, int class,
		     const char *reason)
{
	char range[80] = "";

	if (!is_misuse(class))
		return;
	if (class == MPI_ERR_RMA_RANGE && orl_check_current)
		add_range(win, range, sizeof(range));
	orl_check_report(win, call, orl_check_place(), "%s%s", reason, range);
}

/* -- the end --------------------------------------------------------------- */

static void print_end(int rank)
{
	fprintf(stderr,
		"oriel check: rank %d of MPI_COMM_WORLD: %u reports, %u shown; "
		"%u windows checked, %u accesses not compared\n",
		rank, nfound, nshown, windows, lost);
}

void orl_check_leave(void)
{
	int rank;

	if (orl_likely(!windows))
		return;
	rank = orl_host_world_rank();
	if (nfound || !rank)
		print_end(rank);
}
