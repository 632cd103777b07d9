/* SPDX-License-Identifier: BSD-3-Clause */
/* survey.c - how memory of other ranks is or would be reached, for who asks. */
#include "entry.h"

#include "oriel.h"
#include "orl_fabric.h"
#include "orl_progress.h"

#include <string.h>

#define MOST 64

_Static_assert(sizeof(struct oriel_network) == sizeof(struct orl_fabric_way),
	       "the same, of which one is public");

#pragma GCC visibility push(default)
const char *oriel_path(MPI_Win win, int rank)
{
	const struct orl_win *w = orl_win_find(win);

	return w ? orl_win_path_name(w, rank) : NULL;
}

int oriel_networks(struct oriel_network *networks, int most, char *text,
		   size_t len)
{
	struct orl_fabric_way ways[MOST];
	int i, n;

	orl_progress_lock();
	n = orl_fabric_survey(ways, MOST, text, len);
	orl_progress_unlock();
	for (i = 0; i < n && i < most && i < MOST; i++)
		memcpy(&networks[i], &ways[i], sizeof(ways[i]));
	return n < 0 ? -1 : n;
}
#pragma GCC visibility pop
