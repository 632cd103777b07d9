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

#define PAIRS 5 /* that are named, of those with most bytes */

/* -- in words -------------------------------------------------------------- */

/* All rows' sums of one call, and which rank had the longest. */
struct total {
	uint64_t calls, ns, longest;
	uint32_t rank;
};

static struct total total_of(const struct orl_report *report, unsigned call)
{
	struct total total = { .calls = 0 };

	for (uint32_t i = 0; i < report->rows; i++) {
		const struct orl_stats *row = orl_report_row(report, i);

		total.calls += row->calls[call].calls;
		total.ns += row->calls[call].ns;
		if (row->calls[call].longest <= total.longest)
			continue;
		total.longest = row->calls[call].longest;
		total.rank = i;
	}
	return total;
}

static struct orl_sum moved_by(const struct orl_report *report, unsigned call,
			       unsigned path)
{
	struct orl_sum sum = { .calls = 0 };

	for (uint32_t i = 0; i < report->rows; i++) {
		const struct orl_stats *row = orl_report_row(report, i);

		sum.calls += row->moved[call][path].calls;
		sum.bytes += row->moved[call][path].bytes;
	}
	return sum;
}

static void print_paths(FILE *out, const struct orl_report *report,
			unsigned call)
{
	const char *head = "  ";

	for (unsigned path = 0; path < ORL_WATCH_PATHS; path++) {
		struct orl_sum sum = moved_by(report, call, path);

		if (!sum.calls)
			continue;
		fprintf(out, "%s%s %llu (%llu bytes)", head,
			orl_watch_paths[path]->name,
			(unsigned long long)sum.calls,
			(unsigned long long)sum.bytes);
		head = ", ";
	}
}

static void print_call(FILE *out, const struct orl_report *report,
		       unsigned call)
{
	struct total total = total_of(report, call);

	if (!total.calls)
		return;
	fprintf(out, "  %-24s %10llu %12.6f %12.2f %12.2f %6u",
		orl_watch_names[call], (unsigned long long)total.calls,
		(double)total.ns / 1e9,
		(double)total.ns / 1e3 / (double)total.calls,
		(double)total.longest / 1e3, total.rank);
	if (call < ORL_WATCH_MOVES)
		print_paths(out, report, call);
	fputs("\n", out);
}

static void print_rest(FILE *out, const struct orl_report *report)
{
	uint64_t messages = 0, trips = 0, agents[ORL_AGENT_COUNT] = { 0 };

	for (uint32_t i = 0; i < report->rows; i++) {
		const struct orl_stats *row = orl_report_row(report, i);

		messages += row->messages;
		trips += row->trips;
		for (int k = 0; k < ORL_AGENT_COUNT; k++)
			agents[k] += row->agents[k];
	}
	if (messages || trips)
		fprintf(out,
			"  between nodes: %llu messages, %llu round trips\n",
			(unsigned long long)messages,
			(unsigned long long)trips);
	if (agents[ORL_AGENT_LOCKED] || agents[ORL_AGENT_OWNER] ||
	    agents[ORL_AGENT_NIC])
		fprintf(out,
			"  accumulates that were no CPU atomic: %llu locked, "
			"%llu by the owner, %llu by the network\n",
			(unsigned long long)agents[ORL_AGENT_LOCKED],
			(unsigned long long)agents[ORL_AGENT_OWNER],
			(unsigned long long)agents[ORL_AGENT_NIC]);
}

struct pair {
	uint32_t from, to;
	struct orl_sum sum;
};

/* Keeps the list's order, most bytes first; drops the last. */
static void insert(struct pair pairs[PAIRS], const struct pair *pair)
{
	int i = PAIRS - 1;

	if (pair->sum.bytes <= pairs[i].sum.bytes)
		return;
	for (; i > 0 && pairs[i - 1].sum.bytes < pair->sum.bytes; i--)
		pairs[i] = pairs[i - 1];
	pairs[i] = *pair;
}

static void print_pairs(FILE *out, const struct orl_report *report)
{
	struct pair pairs[PAIRS] = { { .from = 0 } };

	for (uint32_t i = 0; i < report->rows; i++) {
		const struct orl_stats *row = orl_report_row(report, i);

		for (uint32_t k = 0; k < report->size; k++) {
			const struct pair pair = {
				.from = i,
				.to = k,
				.sum = row->targets[k],
			};

			insert(pairs, &pair);
		}
	}
	for (int i = 0; i < PAIRS && pairs[i].sum.bytes; i++)
		fprintf(out, "%s%u->%u %llu bytes%s",
			i ? ", " : "  most between ranks: ", pairs[i].from,
			pairs[i].to, (unsigned long long)pairs[i].sum.bytes,
			i == PAIRS - 1 || !pairs[i + 1].sum.bytes ? "\n" : "");
}

static void print_text(FILE *out, const struct orl_report *report)
{
	const struct orl_stats *first = orl_report_row(report, 0);

	fprintf(out, "oriel: window %u%s%s%s, %s, %u ranks, %.3f s",
		report->number, *report->name ? " \"" : "", report->name,
		*report->name ? "\"" : "", report->call, report->size,
		(double)first->lived / 1e9);
	if (report->rows < report->size)
		fputs("; it was not freed, so these are rank 0's calls alone",
		      out);
	fprintf(out, "\n  %-24s %10s %12s %12s %12s %6s  %s\n", "call", "calls",
		"seconds", "us a call", "longest us", "rank", "by path");
	for (unsigned call = 0; call < ORL_WATCH_CALLS; call++)
		print_call(out, report, call);
	print_rest(out, report);
	print_pairs(out, report);
}

/* -- where it goes --------------------------------------------------------- */

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

static bool is_file(const char *wish)
{
	return strcmp(wish, "1") && strcmp(wish, "json");
}

static int open_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

ORL_COLD void orl_report_fail(const char *path, int error)
{
	static _Atomic(bool) is_said;

	if (!atomic_exchange_explicit(&is_said, true, memory_order_relaxed))
		orl_log(ORL_LOG_ERROR, "ORIEL_STATS=%s: %s", path,
			strerror(error));
}

void orl_report_try(void)
{
	const char *wish = (const char *)orl_options.stats;
	char path[4096];
	int fd;

	if (!is_file(wish))
		return;
	if (orl_heat_is_wanted())
		orl_heat_name(path, sizeof(path), orl_host_world_rank());
	else
		snprintf(path, sizeof(path), "%s", wish);
	fd = open_file(path);
	if (fd < 0)
		orl_report_fail(path, errno);
	else
		close(fd);
}

static void put_out(const char *wish, const char *text, size_t len)
{
	const bool to_file = is_file(wish);
	int fd = to_file ? open_file(wish) : STDERR_FILENO;

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		orl_report_fail(wish, errno);
	if (to_file && fd >= 0)
		close(fd);
}

void orl_report_write(const struct orl_report *report)
{
	const char *wish = (const char *)orl_options.stats;
	size_t len;
	char *text;
	FILE *out;

	if (orl_heat_is_wanted()) {
		orl_heat_add(report);
		return;
	}
	out = open_memstream(&text, &len);
	if (!out)
		return;
	if (!strcmp(wish, "json") || ends_in(wish, ".json"))
		orl_report_json(out, report);
	else
		print_text(out, report);
	if (!fclose(out))
		put_out(wish, text, len);
	free(text);
}
