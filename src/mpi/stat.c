/* SPDX-License-Identifier: BSD-3-Clause */
/* stat.c - what the library has counted and holds, for who asks by name. */
#include "entry.h"

#include "oriel.h"
#include "orl_am.h"
#include "orl_shm.h"

#include <string.h>

struct stat {
	const char *name;
	uint64_t value;
};

#pragma GCC visibility push(default)
long long oriel_stat(const char *name)
{
	struct orl_account account;
	size_t i;

	orl_win_account(&account);
	const struct stat stats[] = {
		{ "messages_sent", orl_am_counts.sent },
		{ "messages_received", orl_am_counts.received },
		{ "round_trips", orl_am_counts.trips },
		{ "messages_dropped", orl_am_counts.dropped },
		{ "windows", account.windows },
		{ "window_bytes_private", account.held },
		{ "window_bytes_shared", account.shared },
		{ "room_bytes", orl_node_room() },
		{ "arena_bytes", orl_arena_used() },
	};
	for (i = 0; i < sizeof(stats) / sizeof(stats[0]); i++)
		if (!strcmp(stats[i].name, name))
			return (long long)stats[i].value;
	return -1;
}
#pragma GCC visibility pop
