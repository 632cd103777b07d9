/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * info.c - the info keys of windows (MPI-3.1 sections 11.2.1, 11.2.2), what
 * is in force of them, and telling it back.  Keys that promise something
 * about the program are kept as they were given.
 */
#include "win.h"

#include <stdio.h>
#include <string.h>

enum {
	NO_LOCKS = 1,
	SAME_SIZE = 2,
	SAME_DISP_UNIT = 4,
	NONCONTIG = 8,
	SAME_OP = 16, /* else same_op_no_op */
	THREAD = 32   /* the progress thread is wanted */
};

enum { RAR = 1, RAW = 2, WAR = 4, WAW = 8, ALL_ORDERS = 15 };

static const struct {
	const char *key;
	uint32_t flag;
	bool creation_only;
} switches[] = {
	{ "no_locks", NO_LOCKS, false },
	{ "same_size", SAME_SIZE, false },
	{ "same_disp_unit", SAME_DISP_UNIT, false },
	{ "alloc_shared_noncontig", NONCONTIG, true },
};
#define SWITCHES (sizeof(switches) / sizeof(switches[0]))

static const struct {
	const char *name;
	uint32_t bit;
} orders[] = { { "rar", RAR }, { "raw", RAW }, { "war", WAR }, { "waw", WAW } };
#define ORDERS (sizeof(orders) / sizeof(orders[0]))

/* "rar,raw" or "none"; other words are not understood and change nothing. */
static uint32_t parse_ordering(const char *text, uint32_t old)
{
	uint32_t bits = 0, i;
	size_t len;

	if (!strcmp(text, "none"))
		return 0;
	for (;; text += len + 1) {
		len = strcspn(text, ",");
		for (i = 0; i < ORDERS; i++)
			if (len == 3 && !strncmp(text, orders[i].name, 3))
				break;
		if (i == ORDERS)
			return old;
		bits |= orders[i].bit;
		if (!text[len])
			return bits;
	}
}

static void print_ordering(uint32_t bits, char text[20])
{
	uint32_t i;

	text[0] = 0;
	for (i = 0; i < ORDERS; i++) {
		if (!(bits & orders[i].bit))
			continue;
		strcat(text, text[0] ? "," : "");
		strcat(text, orders[i].name);
	}
	if (!bits)
		strcpy(text, "none");
}

/*
 * oriel_progress=thread has a thread answer other nodes, whatever the option
 * ORIEL_PROGRESS says; it serves all windows and stays.
 */
static void read_progress(struct orl_win *win, MPI_Info info)
{
	char value[MPI_MAX_INFO_VAL];

	if (!orl_host_info_get(info, "oriel_progress", value, sizeof(value)) ||
	    strcmp(value, "thread"))
		return;
	win->info |= THREAD;
	if (win->spans)
		orl_info_start_thread(win);
}

void orl_info_start_thread(const struct orl_win *win)
{
	if (win->info & THREAD && orl_progress_want_thread())
		orl_log(ORL_LOG_WARN, "the progress thread that a window asks "
				      "for cannot be started");
}

void orl_info_read(struct orl_win *win, MPI_Info info, bool creation)
{
	char value[MPI_MAX_INFO_VAL];
	uint32_t i;

	if (creation)
		win->ordering = ALL_ORDERS;
	read_progress(win, info);
	for (i = 0; i < SWITCHES; i++) {
		if (switches[i].creation_only && !creation)
			continue;
		if (!orl_host_info_get(info, switches[i].key, value,
				       sizeof(value)))
			continue;
		if (!strcmp(value, "true"))
			win->info |= switches[i].flag;
		else if (!strcmp(value, "false"))
			win->info &= ~switches[i].flag;
	}
	if (orl_host_info_get(info, "accumulate_ordering", value,
			      sizeof(value)))
		win->ordering = parse_ordering(value, win->ordering);
	if (!orl_host_info_get(info, "accumulate_ops", value, sizeof(value)))
		return;
	if (!strcmp(value, "same_op"))
		win->info |= SAME_OP;
	else if (!strcmp(value, "same_op_no_op"))
		win->info &= ~(uint32_t)SAME_OP;
}

bool orl_info_no_locks(const struct orl_win *win)
{
	return win->info & NO_LOCKS;
}

bool orl_info_is_noncontig(const struct orl_win *win)
{
	return win->info & NONCONTIG;
}

int orl_win_set_info(struct orl_win *win, MPI_Info info)
{
	if (info == MPI_INFO_NULL)
		return orl_win_fail(win, "MPI_Win_set_info", MPI_ERR_INFO,
				    "the info object is MPI_INFO_NULL");
	orl_info_read(win, info, false);
	return MPI_SUCCESS;
}

static int fill(const struct orl_win *win, MPI_Info info)
{
	char text[20];
	uint32_t i;
	int rc = 0;

	for (i = 0; i < SWITCHES; i++) {
		if (switches[i].flag == NONCONTIG &&
		    win->flavor != MPI_WIN_FLAVOR_SHARED)
			continue;
		rc = orl_host_info_set(info, switches[i].key,
				       win->info & switches[i].flag ? "true"
								    : "false");
		if (rc)
			return rc;
	}
	if (win->spans)
		rc = orl_host_info_set(info, "oriel_progress",
				       orl_progress_has_thread() ? "thread"
								 : "poll");
	if (rc)
		return rc;
	print_ordering(win->ordering, text);
	rc = orl_host_info_set(info, "accumulate_ordering", text);
	if (rc)
		return rc;
	return orl_host_info_set(info, "accumulate_ops",
				 win->info & SAME_OP ? "same_op"
						     : "same_op_no_op");
}

int orl_win_get_info(struct orl_win *win, MPI_Info *info)
{
	MPI_Info made;
	int rc = orl_host_info_make(&made);

	if (!rc) {
		rc = fill(win, made);
		if (rc)
			orl_host_info_free(&made);
	}
	if (rc)
		return orl_win_fail(win, "MPI_Win_get_info", rc,
				    "the host MPI gives no info object");
	*info = made;
	return MPI_SUCCESS;
}
