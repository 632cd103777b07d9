/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.c - the options of orl_util.h's list, from the environment.  Each
 * kind has a parser; all values are held as long.
 */
#include "orl_util.h"

#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of numbers, in any unit; and of bytes, more than a process can address. */
#define NUMBER_MOST 1000000000
#define SIZE_MOST   (64l << 40)

struct orl_options orl_options;
bool orl_threaded;

struct word {
	const char *name;
	long value;
};

static const struct word paths[] = { { "direct", ORL_PATH_DIRECT },
				     { "cma", ORL_PATH_CMA },
				     { "fabric", ORL_PATH_FABRIC },
				     { "software", ORL_PATH_SOFTWARE },
				     { NULL, 0 } };

static const struct word modes[] = { { "poll", ORL_PROGRESS_POLL },
				     { "thread", ORL_PROGRESS_THREAD },
				     { "auto", ORL_PROGRESS_AUTO },
				     { NULL, 0 } };

static const struct word agents[] = { { "owner", ORL_ATOMICS_OWNER },
				      { "nic", ORL_ATOMICS_NIC },
				      { NULL, 0 } };

static const struct word checks[] = { { "0", ORL_CHECK_OFF },
				      { "1", ORL_CHECK_REPORT },
				      { "abort", ORL_CHECK_ABORT },
				      { NULL, 0 } };

static const struct word levels[] = {
	{ "none", ORL_LOG_NONE },   { "error", ORL_LOG_ERROR },
	{ "warn", ORL_LOG_WARN },   { "info", ORL_LOG_INFO },
	{ "debug", ORL_LOG_DEBUG }, { NULL, 0 }
};

static bool find_word(const struct word *words, const char *text, size_t len,
		      long *value)
{
	for (; words->name; words++) {
		if (strlen(words->name) == len &&
		    !strncmp(words->name, text, len)) {
			*value = words->value;
			return true;
		}
	}
	return false;
}

static bool parse_level(const char *text, long *value)
{
	return find_word(levels, text, strlen(text), value);
}

static bool parse_check(const char *text, long *value)
{
	return find_word(checks, text, strlen(text), value);
}

static bool parse_progress(const char *text, long *value)
{
	return find_word(modes, text, strlen(text), value);
}

static bool parse_agent(const char *text, long *value)
{
	return find_word(agents, text, strlen(text), value);
}

/* The environment may change under us: a copy, for good. */
static bool parse_text(const char *text, long *value)
{
	char *copy = *text ? strdup(text) : "";

	*value = (long)copy;
	return copy;
}

/* A word, or a file: what has neither dot nor slash is a word misspelt. */
static bool parse_stats(const char *text, long *value)
{
	static const char *const words[] = { "", "0", "1", "json", NULL };
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return parse_text(text, value);
	return strpbrk(text, "./") && parse_text(text, value);
}

static bool parse_mask(const char *text, long *value)
{
	long mask = 0, bit;
	size_t len;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		if (!find_word(paths, text, len, &bit))
			return false;
		mask |= bit;
		if (!text[len])
			break;
	}
	*value = mask;
	return true;
}

static bool parse_number(const char *text, long *value, long least)
{
	char *end;

	errno = 0;
	*value = strtol(text, &end, 10);
	return !errno && end != text && !*end && *value >= least &&
	       *value <= NUMBER_MOST;
}

/* -1 and 0: for ever. */
static bool parse_seconds(const char *text, long *value)
{
	return parse_number(text, value, -1);
}

/* -1: decide for me. */
static bool parse_polls(const char *text, long *value)
{
	return parse_number(text, value, -1);
}

static bool parse_yields(const char *text, long *value)
{
	return parse_number(text, value, 0);
}

static bool parse_elements(const char *text, long *value)
{
	return parse_number(text, value, 1);
}

/* A number of bytes, with k, m, g or t behind it. */
static bool parse_size(const char *text, long *value)
{
	static const char units[] = "kmgt";
	char *end;
	const char *unit;
	int shift = 0;

	errno = 0;
	*value = strtol(text, &end, 10);
	if (errno || end == text || *value < 0)
		return false;
	if (*end) {
		unit = strchr(units, *end | 0x20);
		if (!unit || end[1])
			return false;
		shift = 10 * (int)(unit - units + 1);
	}
	if (*value > SIZE_MOST >> shift)
		return false;
	*value <<= shift;
	return true;
}

/* -- kinds ----------------------------------------------------------------- */

#define TEXT_OF(number)	   #number
#define UP_TO(least, most) "a number from " #least " to " TEXT_OF(most)

/* What a value must be, for who has given another. */
static const struct kind {
	bool (*parse)(const char *text, long *value);
	const char *wants;
} kind_level = { parse_level, "none, error, warn, info or debug" },
  kind_mask = { parse_mask, "a list of direct, cma, fabric, software" },
  kind_stats = { parse_stats, "0, 1, json or a file with a dot or a slash" },
  kind_check = { parse_check, "0, 1 or abort" },
  kind_progress = { parse_progress, "thread, poll or auto" },
  kind_agent = { parse_agent, "owner or nic" },
  kind_text = { parse_text, "to be had: there is no memory" },
  kind_seconds = { parse_seconds, UP_TO(-1, NUMBER_MOST) },
  kind_polls = { parse_polls, UP_TO(-1, NUMBER_MOST) },
  kind_yields = { parse_yields, UP_TO(0, NUMBER_MOST) },
  kind_elements = { parse_elements, UP_TO(1, NUMBER_MOST) },
  kind_size = { parse_size, "a number of bytes up to 64t, with k, m, g or t "
			    "behind it or nothing" };

/* One rank of the node speaks for all; without a launcher's word, each. */
static bool is_first_of_node(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");

	if (!rank)
		rank = getenv("MPI_LOCALRANKID");
	return !rank || !strcmp(rank, "0");
}

static void load_one(const char *env, const struct kind *kind, const char *def,
		     long *value)
{
	const char *text = getenv(env);

	kind->parse(def, value);
	if (!text || !*text || kind->parse(text, value))
		return;
	kind->parse(def, value);
	if (is_first_of_node())
		orl_log(ORL_LOG_ERROR, "%s=%s is not %s; %s is used", env, text,
			kind->wants, *def ? def : "none");
}

void orl_options_load(void)
{
#define ORL_OPTION_LOAD(name, env, kind, def, help)                            \
	load_one("ORIEL_" #env, &kind_##kind, def, &orl_options.name);
	ORL_OPTIONS(ORL_OPTION_LOAD)
#undef ORL_OPTION_LOAD
	if (is_first_of_node())
		orl_options_tell_misspelt();
}
