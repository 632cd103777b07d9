/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hints.c - the info keys about accumulates (MPI-3.1 section 11.2.1, MPI-4.1
 * section 12.2.1, and those that Open MPI and MPICH know beside), and what a
 * window tells of who executes them.  Who is to execute what all ranks decide
 * at creation, so the keys that this depends on count there alone.
 */
#include "win.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MOST 160

struct word {
	const char *name;
	uint32_t bit;
};

static const struct word orders[] = { { "rar", ORL_ORDER_RAR },
				      { "raw", ORL_ORDER_RAW },
				      { "war", ORL_ORDER_WAR },
				      { "waw", ORL_ORDER_WAW },
				      { NULL, 0 } };

/* As MPICH names them; of two names for one bit the first is told. */
static const struct word ops[] = { { "sum", 1u << ORL_SUM },
				   { "prod", 1u << ORL_PROD },
				   { "max", 1u << ORL_MAX },
				   { "min", 1u << ORL_MIN },
				   { "land", 1u << ORL_LAND },
				   { "lor", 1u << ORL_LOR },
				   { "lxor", 1u << ORL_LXOR },
				   { "band", 1u << ORL_BAND },
				   { "bor", 1u << ORL_BOR },
				   { "bxor", 1u << ORL_BXOR },
				   { "minloc", 1u << ORL_MINLOC },
				   { "maxloc", 1u << ORL_MAXLOC },
				   { "replace", 1u << ORL_REPLACE },
				   { "no_op", 1u << ORL_NO_OP },
				   { "cswap", 1u << ORL_OP_CAS },
				   { "compare_and_swap", 1u << ORL_OP_CAS },
				   { NULL, 0 } };

static uint32_t find_word(const struct word *words, const char *text,
			  size_t len)
{
	for (; words->name; words++)
		if (strlen(words->name) == len &&
		    !strncmp(words->name, text, len))
			return words->bit;
	return 0;
}

/* "rar,raw" or "none"; other words are not understood and change nothing. */
static uint32_t parse_list(const char *key, const struct word *words,
			   const char *text, uint32_t old)
{
	const char *all = text;
	uint32_t bits = 0, bit;
	size_t len;

	if (!strcmp(text, "none"))
		return 0;
	for (;; text += len + 1) {
		len = strcspn(text, ",");
		bit = find_word(words, text, len);
		if (!bit) {
			orl_info_strange(key, all);
			return old;
		}
		bits |= bit;
		if (!text[len])
			return bits;
	}
}

static void print_list(const struct word *words, uint32_t bits,
		       char text[TEXT_MOST])
{
	strcpy(text, bits ? "" : "none");
	for (; words->name; words++) {
		if (!(bits & words->bit))
			continue;
		bits &= ~words->bit;
		strcat(text, text[0] ? "," : "");
		strcat(text, words->name);
	}
}

/* -- reading --------------------------------------------------------------- */

static void read_choice(MPI_Info info, const char *key, const char *yes,
			const char *no, bool *value)
{
	char text[MPI_MAX_INFO_VAL];

	if (!orl_host_info_get(info, key, text, sizeof(text)))
		return;
	if (!strcmp(text, yes))
		*value = true;
	else if (!strcmp(text, no))
		*value = false;
	else
		orl_info_strange(key, text);
}

static void read_granularity(struct orl_acc_hints *hints, MPI_Info info)
{
	char text[MPI_MAX_INFO_VAL], *end;
	long long value;

	if (!orl_host_info_get(info, "mpi_accumulate_granularity", text,
			       sizeof(text)))
		return;
	value = strtoll(text, &end, 10);
	if (end != text && !*end && value >= 0)
		hints->granularity = (uint64_t)value;
	else
		orl_info_strange("mpi_accumulate_granularity", text);
}

static void read_ops(struct orl_acc_hints *hints, MPI_Info info)
{
	char text[MPI_MAX_INFO_VAL];

	if (!orl_host_info_get(info, "which_accumulate_ops", text,
			       sizeof(text)))
		return;
	if (!strcmp(text, "any_op"))
		hints->ops = ORL_OPS_ALL;
	else
		hints->ops = parse_list("which_accumulate_ops", ops, text,
					hints->ops);
}

static void read_at_creation(struct orl_acc_hints *hints, MPI_Info info)
{
	*hints = (struct orl_acc_hints){
		.ops = ORL_OPS_ALL,
		.ordering = ORL_ORDER_ALL,
		.same_op = false,
		.single = false,
		.granularity = 0,
	};
	read_ops(hints, info);
	read_granularity(hints, info);
	read_choice(info, "accumulate_ops", "same_op", "same_op_no_op",
		    &hints->same_op);
	read_choice(info, "acc_single_intrinsic", "true", "false",
		    &hints->single);
}

void orl_hints_read(struct orl_win *win, MPI_Info info, bool creation)
{
	struct orl_acc_hints *hints = &win->domain.hints;
	char text[MPI_MAX_INFO_VAL];

	if (creation)
		read_at_creation(hints, info);
	if (orl_host_info_get(info, "accumulate_ordering", text, sizeof(text)))
		hints->ordering = parse_list("accumulate_ordering", orders,
					     text, hints->ordering);
}

/* -- telling --------------------------------------------------------------- */

static void print_counts(const struct orl_acc_domain *domain,
			 char text[TEXT_MOST])
{
	const uint64_t *counts = domain->counts;

	snprintf(text, TEXT_MOST, "atomic:%llu,locked:%llu,owner:%llu,nic:%llu",
		 (unsigned long long)counts[ORL_AGENT_ATOMIC],
		 (unsigned long long)counts[ORL_AGENT_LOCKED],
		 (unsigned long long)counts[ORL_AGENT_OWNER],
		 (unsigned long long)counts[ORL_AGENT_NIC]);
}

static int fill_texts(const struct orl_acc_domain *domain, MPI_Info info)
{
	const struct orl_acc_hints *hints = &domain->hints;
	char text[TEXT_MOST];
	int rc;

	print_list(orders, hints->ordering, text);
	rc = orl_host_info_set(info, "accumulate_ordering", text);
	print_list(ops, hints->ops, text);
	rc = rc ? rc : orl_host_info_set(info, "which_accumulate_ops", text);
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)hints->granularity);
	rc = rc ? rc
		: orl_host_info_set(info, "mpi_accumulate_granularity", text);
	print_counts(domain, text);
	return rc ? rc : orl_host_info_set(info, "oriel_accumulates", text);
}

int orl_hints_fill(const struct orl_win *win, MPI_Info info)
{
	const struct orl_acc_hints *hints = &win->domain.hints;
	int rc = fill_texts(&win->domain, info);

	rc = rc ? rc
		: orl_host_info_set(info, "accumulate_ops",
				    hints->same_op ? "same_op"
						   : "same_op_no_op");
	return rc ? rc
		  : orl_host_info_set(info, "acc_single_intrinsic",
				      hints->single ? "true" : "false");
}
