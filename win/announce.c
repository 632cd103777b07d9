/* SPDX-License-Identifier: BSD-3-Clause */
/* announce.c - ORIEL_LOG=info: what was chosen for a window, on each rank. */
#include "watch.h"

#include <string.h>

/* "direct 3, cma 1", of all ranks but this one. */
static void list_paths(const struct orl_win *win, char *text, size_t size)
{
	size_t len = 0;

	*text = 0;
	for (int path = 0; path < ORL_WATCH_PATHS; path++) {
		unsigned n = 0;

		for (uint32_t i = 0; i < win->size; i++)
			n += i != win->rank &&
			     win->targets[i].path == orl_watch_paths[path];
		if (n && len < size)
			len += (size_t)snprintf(text + len, size - len,
						"%s%s %u", len ? ", " : "",
						orl_watch_paths[path]->name, n);
	}
}

static const char *agent(const struct orl_win *win)
{
	if (win->nic)
		return "; accumulates by the network, of kinds that it has";
	return win->spans ? "; accumulates by their targets" : "";
}

static const char *progress(const struct orl_win *win)
{
	if (!win->spans)
		return "";
	return orl_progress_has_thread() ? "; a thread answers other nodes"
					 : "; only this process's own calls "
					   "answer other nodes";
}

void orl_win_announce(const struct orl_win *win, const char *call)
{
	char paths[128];

	if (orl_likely(orl_options.log < ORL_LOG_INFO))
		return;
	list_paths(win, paths, sizeof(paths));
	orl_log(ORL_LOG_INFO,
		"%s: window %u, rank %u of %u, %lld bytes; paths: %s%s%s; "
		"kernels: %s",
		call, win->ordinal, win->rank, win->size, (long long)win->bytes,
		*paths ? paths : "none, there is no other rank", agent(win),
		progress(win), orl_kernel_set());
}
