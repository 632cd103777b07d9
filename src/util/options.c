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

static bool parse_number(const char *text, long *value)
{
	char *end;

	errno = 0;
	*value = strtol(text, &end, 10);
	/* -1 means: decide for me. */
	return !errno && end != text && !*end && *value >= -1;
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
	if (*value > INT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

/* One rank of the node speaks for all; without a launcher's word, each. */
static bool is_first_of_node(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");

	if (!rank)
		rank = getenv("MPI_LOCALRANKID");
	return !rank || !strcmp(rank, "0");
}

static void load_one(const char *env, bool (*parse)(const char *, long *),
		     const char *def, long *value)
{
	const char *text = getenv(env);

	parse(def, value);
	if (!text || !*text || parse(text, value))
		return;
	parse(def, value);
	if (is_first_of_node())
		orl_log(ORL_LOG_ERROR, "%s=%s is not understood; %s is used",
			env, text, def);
}

void orl_options_load(void)
{
#define ORL_OPTION_LOAD(name, env, kind, def, help)                            \
	load_one("ORIEL_" #env, parse_##kind, def, &orl_options.name);
	ORL_OPTIONS(ORL_OPTION_LOAD)
#undef ORL_OPTION_LOAD
	if (is_first_of_node())
		orl_options_tell_misspelt();
}
