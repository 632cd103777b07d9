/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * info.c - the info keys of windows (MPI-3.1 sections 11.2.1, 11.2.2), what
 * is in force of them, and telling it back.  Keys that promise something
 * about the program are kept as they were given; those about accumulates are
 * hints.c's.
 */
#include "win.h"

#include <stdio.h>
#include <string.h>

enum {
	NO_LOCKS = 1,
	SAME_SIZE = 2,
	SAME_DISP_UNIT = 4,
	NONCONTIG = 8,
	THREAD = 16, /* the progress thread is wanted */
	NIC = 32     /* the network's atomics are */
};

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

void orl_info_strange(const char *key, const char *value)
{
	orl_log(ORL_LOG_WARN,
		"the info key %s has no value \"%s\"; it is as "
		"if it were not given",
		key, value);
}

/*
 * oriel_progress=thread has a thread answer other nodes, whatever the option
 * ORIEL_PROGRESS says; it serves all windows and stays.
 */
static void read_progress(struct orl_win *win, MPI_Info info)
{
	char value[MPI_MAX_INFO_VAL];

	if (!orl_host_info_get(info, "oriel_progress", value, sizeof(value)))
		return;
	if (strcmp(value, "thread")) {
		/* What a window tells may be given to another. */
		if (strcmp(value, "poll"))
			orl_info_strange("oriel_progress", value);
		return;
	}
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

/*
 * oriel_atomics=nic, or owner, says who is to execute accumulates between
 * nodes; by default the option does.
 */
static void read_atomics(struct orl_win *win, MPI_Info info)
{
	bool nic = orl_options.atomics == ORL_ATOMICS_NIC;
	char value[MPI_MAX_INFO_VAL];

	if (orl_host_info_get(info, "oriel_atomics", value, sizeof(value))) {
		if (!strcmp(value, "nic"))
			nic = true;
		else if (!strcmp(value, "owner"))
			nic = false;
		else
			orl_info_strange("oriel_atomics", value);
	}
	if (nic)
		win->info |= NIC;
}

bool orl_info_wants_nic(const struct orl_win *win)
{
	return win->info & NIC;
}

void orl_info_read(struct orl_win *win, MPI_Info info, bool creation)
{
	char value[MPI_MAX_INFO_VAL];
	uint32_t i;

	read_progress(win, info);
	if (creation) {
		read_atomics(win, info);
		win->notice_tags = orl_notify_tags(info);
	}
	orl_hints_read(win, info, creation);
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
		else
			orl_info_strange(switches[i].key, value);
	}
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
	char tags[16];
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
	if (win->spans && !rc)
		rc = orl_host_info_set(info, "oriel_atomics",
				       win->nic ? "nic" : "owner");
	snprintf(tags, sizeof(tags), "%u", win->notice_tags);
	rc = rc ? rc : orl_host_info_set(info, "oriel_notify_tags", tags);
	return rc ? rc : orl_hints_fill(win, info);
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
