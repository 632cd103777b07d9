/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json.c - a window's sums as one line of JSON, so that a file holds one
 * object a line.  Times are in seconds; what is nought is left out.
 */
#include "watch.h"

#include <stdlib.h>
#include <string.h>

#define LLU(x) ((unsigned long long)(x))

/* Bytes of the character of UTF-8, beyond ASCII, that begins here, or 0. */
static size_t character(const unsigned char *text)
{
	size_t len = *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2, i;

	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	for (i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Too long, a surrogate, or beyond the last. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) ||
	    (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) ||
	    (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return len;
}

/* Names are the program's: whatever bytes they have, as a rule UTF-8. */
void orl_report_string(FILE *out, const char *text)
{
	size_t len;

	fputc('"', out);
	for (; *text; text += len) {
		const unsigned char *c = (const unsigned char *)text;

		len = character(c);
		if (len)
			fwrite(text, 1, len, out);
		else if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < ' ' || *c >= 0x7f)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
		len = len ? len : 1;
	}
	fputc('"', out);
}

/* "[" or "," before the next of a list. */
static const char *next(const char **mark)
{
	const char *now = *mark;

	*mark = ", ";
	return now;
}

static void print_paths(FILE *out, const struct orl_sum sums[ORL_WATCH_PATHS])
{
	const char *mark = "";

	fputs(", \"paths\": {", out);
	for (unsigned i = 0; i < ORL_WATCH_PATHS; i++)
		if (sums[i].calls)
			fprintf(out,
				"%s\"%s\": {\"calls\": %llu, \"bytes\": %llu}",
				next(&mark), orl_watch_paths[i]->name,
				LLU(sums[i].calls), LLU(sums[i].bytes));
	fputs("}", out);
}

static void print_calls(FILE *out, const struct orl_stats *row)
{
	const char *mark = "";

	fputs(", \"calls\": {", out);
	for (unsigned i = 0; i < ORL_WATCH_CALLS; i++) {
		if (!row->calls[i].calls)
			continue;
		fprintf(out,
			"%s\"%s\": {\"calls\": %llu, \"seconds\": %.9f, "
			"\"longest\": %.9f",
			next(&mark), orl_watch_names[i],
			LLU(row->calls[i].calls),
			(double)row->calls[i].ns / 1e9,
			(double)row->calls[i].longest / 1e9);
		if (i < ORL_WATCH_MOVES)
			print_paths(out, row->moved[i]);
		fputs("}", out);
	}
	fputs("}", out);
}

static void print_targets(FILE *out, const struct orl_stats *row, uint32_t size)
{
	const char *mark = "";

	fputs(", \"targets\": [", out);
	for (uint32_t i = 0; i < size; i++)
		if (row->targets[i].calls)
			fprintf(out,
				"%s{\"rank\": %u, \"calls\": %llu, \"bytes\": "
				"%llu}",
				next(&mark), i, LLU(row->targets[i].calls),
				LLU(row->targets[i].bytes));
	fputs("]", out);
}

static void print_rank(FILE *out, const struct orl_win *win)
{
	const struct orl_stats *row = win->watch->stats;

	fprintf(out, "{\"rank\": %u, \"host\": ", win->rank);
	orl_report_string(out, row->host);
	fprintf(out, ", \"bytes\": %llu", LLU(row->memory));
	print_calls(out, row);
	fprintf(out,
		", \"messages\": %llu, \"round_trips\": %llu, \"locked\": "
		"%llu, \"owner\": %llu, \"nic\": %llu",
		LLU(row->messages), LLU(row->trips),
		LLU(row->agents[ORL_AGENT_LOCKED]),
		LLU(row->agents[ORL_AGENT_OWNER]),
		LLU(row->agents[ORL_AGENT_NIC]));
	print_targets(out, row, win->size);
	fputs("}", out);
}

/* Each rank makes its own text: they are of any length. */
static void send_rank(const struct orl_win *win)
{
	char *text = NULL, bare[32];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out)
		print_rank(out, win);
	if (out && !fclose(out)) {
		orl_host_text_send(win->watch->comm, text, len);
	} else {
		snprintf(bare, sizeof(bare), "{\"rank\": %u}", win->rank);
		orl_host_text_send(win->watch->comm, bare, strlen(bare));
	}
	free(text);
}

static void print_head(FILE *out, const struct orl_report *report)
{
	const struct orl_win *win = report->win;

	fprintf(out, "{\"window\": %u, \"name\": ", win->ordinal);
	orl_report_string(out, report->name);
	fprintf(out,
		", \"made_by\": \"%s\", \"size\": %u, \"seconds\": %.9f, "
		"\"ranks\": [",
		win->watch->call, win->size,
		(double)win->watch->stats->lived / 1e9);
	print_rank(out, win);
}

/* Without memory for a text of its own, or an error in taking one, rank 0 takes
 * those of the others all the same: they wait.  What it has got is of use if it
 * is whole. */
static void take_rank(FILE *out, const struct orl_win *win, uint32_t rank)
{
	char *text = NULL;
	size_t len;
	FILE *whole = open_memstream(&text, &len);
	int rc = orl_host_text_take(win->watch->comm, (int)rank, whole);

	if (whole && fclose(whole))
		rc = MPI_ERR_OTHER;
	if (out && whole && !rc)
		fprintf(out, ", %s", text);
	else if (out)
		fprintf(out, ", {\"rank\": %u}", rank);
	free(text);
}

void orl_report_json(const struct orl_report *report)
{
	const struct orl_win *win = report->win;
	char *text = NULL;
	size_t len;
	FILE *out;

	if (win->rank) {
		send_rank(win);
		return;
	}
	out = open_memstream(&text, &len);
	if (out)
		print_head(out, report);
	for (uint32_t i = 1; !report->is_alone && i < win->size; i++)
		take_rank(out, win, i);
	if (out)
		fputs("]}\n", out);
	if (out && !fclose(out))
		orl_report_put(text, len);
	free(text);
}
