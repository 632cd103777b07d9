/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json.c - a window's sums as one line of JSON, so that a file holds one
 * object a line.  Times are in seconds; what is nought is left out.
 */
#include "watch.h"

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
static void print_string(FILE *out, const char *text)
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

static void print_rank(FILE *out, const struct orl_report *report,
		       uint32_t rank)
{
	const struct orl_stats *row = orl_report_row(report, rank);

	fprintf(out, "{\"rank\": %u, \"host\": ", rank);
	print_string(out, row->host);
	fprintf(out, ", \"bytes\": %llu", LLU(row->memory));
	print_calls(out, row);
	fprintf(out,
		", \"messages\": %llu, \"round_trips\": %llu, \"locked\": "
		"%llu, \"owner\": %llu, \"nic\": %llu",
		LLU(row->messages), LLU(row->trips),
		LLU(row->agents[ORL_AGENT_LOCKED]),
		LLU(row->agents[ORL_AGENT_OWNER]),
		LLU(row->agents[ORL_AGENT_NIC]));
	print_targets(out, row, report->size);
	fputs("}", out);
}

void orl_report_json(FILE *out, const struct orl_report *report)
{
	const char *mark = "";

	fprintf(out, "{\"window\": %u, \"name\": ", report->number);
	print_string(out, report->name);
	fprintf(out, ", \"made_by\": \"%s\", \"size\": %u, \"seconds\": %.9f",
		report->call, report->size,
		(double)orl_report_row(report, 0)->lived / 1e9);
	fputs(", \"ranks\": [", out);
	for (uint32_t i = 0; i < report->rows; i++) {
		fputs(next(&mark), out);
		print_rank(out, report, i);
	}
	fputs("]}\n", out);
}
