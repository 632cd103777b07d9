/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agents.h - who has executed a window's accumulates, as Oriel tells it by
 * the info key oriel_accumulates; without Oriel, nobody knows.
 */
#ifndef AGENTS_H
#define AGENTS_H

#include "test.h"

/* The value of a key, "" if the window has none. */
static inline void info_value(MPI_Win win, const char *key,
			      char value[MPI_MAX_INFO_VAL])
{
	MPI_Info info = MPI_INFO_NULL;
	int flag = 0;

	value[0] = '\0';
	ok(MPI_Win_get_info(win, &info));
	MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag);
	if (!flag)
		value[0] = '\0';
	MPI_Info_free(&info);
}

static inline bool info_is(MPI_Win win, const char *key, const char *want)
{
	char value[MPI_MAX_INFO_VAL];

	info_value(win, key, value);
	return !strcmp(value, want);
}

/* Calls of this process by an agent: "atomic", "locked", "owner", "nic". */
static inline long executed_by(MPI_Win win, const char *agent)
{
	char value[MPI_MAX_INFO_VAL], *at;

	info_value(win, "oriel_accumulates", value);
	at = strstr(value, agent);
	return at ? strtol(at + strlen(agent) + 1, NULL, 10) : -1;
}

#endif
