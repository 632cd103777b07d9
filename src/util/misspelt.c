/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * misspelt.c - variables of the environment that are nearly an option of
 * Oriel's: each is told, with the option that is nearest.
 */
#include "options.h"

#include "orl_util.h"

#include <string.h>

extern char **environ;

/* No name of an option is as long. */
#define LONGEST 32
/* Edits that may be a slip, of names of five letters and more; with more, it
 * is a name of somebody's own. */
#define SLIPS  2
#define PREFIX 6 /* ORIEL_ */

#define NAME_OF(name, env, kind, def, help) "ORIEL_" #env,
#define FITS(name, env, kind, def, help)                                       \
	_Static_assert(sizeof("ORIEL_" #env) <= LONGEST, "a longer name");
ORL_OPTIONS(FITS)
#undef FITS

static const char *const names[] = { ORL_OPTIONS(NAME_OF) NULL };
#undef NAME_OF

/* Letters to change, add or leave out between a and b. */
static unsigned distance(const char *a, size_t len, const char *b)
{
	unsigned row[LONGEST + 1], i, k, last, next;

	for (k = 0; k <= strlen(b); k++)
		row[k] = k;
	for (i = 1; i <= len; i++) {
		last = row[0];
		row[0] = i;
		for (k = 1; b[k - 1]; k++) {
			next = last + (a[i - 1] != b[k - 1]);
			last = row[k];
			if (next > row[k - 1] + 1)
				next = row[k - 1] + 1;
			row[k] = next > last + 1 ? last + 1 : next;
		}
	}
	return row[strlen(b)];
}

/* Have two letters changed places, and is that all? */
static bool is_swap(const char *a, size_t len, const char *b)
{
	size_t i;

	for (i = 0; i + 1 < len && a[i] == b[i]; i++)
		;
	return strlen(b) == len && i + 1 < len && a[i] == b[i + 1] &&
	       a[i + 1] == b[i] && !memcmp(a + i + 2, b + i + 2, len - i - 2);
}

static void tell(const char *name, size_t len)
{
	const char *nearest = NULL;
	unsigned least = len < PREFIX + 5 ? SLIPS : SLIPS + 1, far;
	int i;

	for (i = 0; names[i]; i++) {
		far = is_swap(name, len, names[i])
			      ? 1
			      : distance(name, len, names[i]);
		if (!far)
			return;
		if (far < least) {
			least = far;
			nearest = names[i];
		}
	}
	if (nearest)
		orl_log(ORL_LOG_ERROR,
			"%.*s is no option of Oriel's; is %s meant?", (int)len,
			name, nearest);
}

void orl_options_tell_misspelt(void)
{
	char **at;

	for (at = environ; *at; at++)
		if (!strncmp(*at, "ORIEL_", PREFIX))
			tell(*at, strcspn(*at, "="));
}
