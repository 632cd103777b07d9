/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.c - a window's sums in words, and where they go: to standard error,
 * or to the end of a file, one write a window, so that those of several
 * processes do not mix.
 */
#include "watch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- where it goes --------------------------------------------------------- */

static bool is_file(const char *wish)
{
	return strcmp(wish, "1") && strcmp(wish, "json");
}

static int open_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

ORL_COLD void orl_report_fail(const char *path, int error, const char *then)
{
	static _Atomic(bool) is_said;

	if (!atomic_exchange_explicit(&is_said, true, memory_order_relaxed))
		orl_log(ORL_LOG_ERROR, "ORIEL_STATS=%s: %s%s", path,
			strerror(error), then);
}

#define INSTEAD "; standard error gets it instead"

bool orl_report_try(enum orl_stats_form form)
{
	const char *wish = (const char *)orl_options.stats;
	char path[4096];
	int fd;

	if (!is_file(wish))
		return true;
	if (form == ORL_STATS_HEAT)
		orl_heat_name(path, sizeof(path), orl_host_world_rank());
	else
		snprintf(path, sizeof(path), "%s", wish);
	fd = open_file(path);
	if (fd < 0)
		orl_report_fail(path, errno, INSTEAD);
	else
		close(fd);
	return fd >= 0;
}

static bool write_all(int fd, const char *text, size_t len)
{
	return write(fd, text, len) == (ssize_t)len;
}

void orl_report_put(const char *text, size_t len)
{
	const char *wish = (const char *)orl_options.stats;
	const bool to_file = is_file(wish);
	int fd = to_file ? open_file(wish) : STDERR_FILENO;

	if (fd < 0 || !write_all(fd, text, len)) {
		orl_report_fail(wish, errno, to_file ? INSTEAD : "");
		if (to_file)
			write_all(STDERR_FILENO, text, len);
	}
	if (to_file && fd >= 0)
		close(fd);
}

/* -- in words -------------------------------------------------------------- */

#define LLU(x) ((unsigned long long)(x))

void orl_report_title(FILE *out, const struct orl_win *win, const char *name)
{
	fprintf(out, "window %u", win->ordinal);
	if (!*name)
		return;
	fputs(" ", out);
	orl_report_string(out, name);
}

static void print_paths(FILE *out, const struct orl_sum sums[ORL_WATCH_PATHS])
{
	const char *head = "  ";

	for (unsigned i = 0; i < ORL_WATCH_PATHS; i++) {
		if (!sums[i].calls)
			continue;
		fprintf(out, "%s%s %llu (%llu bytes)", head,
			orl_watch_paths[i]->name, LLU(sums[i].calls),
			LLU(sums[i].bytes));
		head = ", ";
	}
}

static void print_calls(FILE *out, const struct orl_totals *totals)
{
	fprintf(out, "\n  %-24s %10s %12s %12s %12s %6s  %s\n", "call", "calls",
		"seconds", "us a call", "longest us", "rank", "by path");
	for (unsigned i = 0; i < ORL_WATCH_CALLS; i++) {
		uint64_t calls = totals->calls[i].calls;

		if (!calls)
			continue;
		fprintf(out, "  %-24s %10llu %12.6f %12.2f %12.2f %6llu",
			orl_watch_names[i], LLU(calls),
			(double)totals->calls[i].ns / 1e9,
			(double)totals->calls[i].ns / 1e3 / (double)calls,
			(double)totals->calls[i].longest / 1e3,
			LLU(totals->calls[i].rank));
		if (i < ORL_WATCH_MOVES)
			print_paths(out, totals->moved[i]);
		fputs("\n", out);
	}
}

static void print_rest(FILE *out, const struct orl_totals *totals)
{
	const uint64_t *agents = totals->agents;

	if (totals->messages || totals->trips)
		fprintf(out,
			"  between nodes: %llu messages, %llu round trips\n",
			LLU(totals->messages), LLU(totals->trips));
	if (agents[ORL_AGENT_LOCKED] || agents[ORL_AGENT_OWNER] ||
	    agents[ORL_AGENT_NIC])
		fprintf(out,
			"  accumulates that were no CPU atomic: %llu locked, "
			"%llu by the owner, %llu by the network\n",
			LLU(agents[ORL_AGENT_LOCKED]),
			LLU(agents[ORL_AGENT_OWNER]),
			LLU(agents[ORL_AGENT_NIC]));
}

static void print_pairs(FILE *out, const struct orl_pair pairs[ORL_PAIRS])
{
	const char *head = "  most between ranks: ";
	int i;

	for (i = 0; i < ORL_PAIRS && pairs[i].sum.bytes; i++) {
		fprintf(out, "%s%u->%u %llu bytes", head, pairs[i].from,
			pairs[i].to, LLU(pairs[i].sum.bytes));
		head = ", ";
	}
	if (i)
		fputs("\n", out);
}

static void print(FILE *out, const struct orl_report *report,
		  const struct orl_totals *totals)
{
	const struct orl_win *win = report->win;

	fputs("oriel: ", out);
	orl_report_title(out, win, report->name);
	fprintf(out, ", %s, %u ranks, %.3f s", win->watch->call, win->size,
		(double)win->watch->stats->lived / 1e9);
	if (report->is_alone)
		fputs("; it was not freed, so these are rank 0's calls alone",
		      out);
	print_calls(out, totals);
	print_rest(out, totals);
	print_pairs(out, totals->pairs);
}

void orl_report_words(const struct orl_report *report)
{
	const struct orl_win *win = report->win;
	struct orl_totals totals, other;
	size_t len;
	char *text;
	FILE *out;

	orl_totals_of(win, &totals);
	if (!report->is_alone &&
	    orl_host_reduce(win->watch->comm, &totals, &other, sizeof(totals),
			    orl_totals_merge))
		return;
	out = win->rank ? NULL : open_memstream(&text, &len);
	if (!out)
		return;
	print(out, report, &totals);
	if (!fclose(out))
		orl_report_put(text, len);
	free(text);
}
