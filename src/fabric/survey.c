/* SPDX-License-Identifier: BSD-3-Clause */
/* survey.c - what could be opened, for who asks and opens nothing. */
#include "fabric.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

static void describe(const struct orl_candidate *candidate,
		     struct orl_fabric_way *way)
{
	const struct fi_info *info = candidate->info;

	copy(way->provider, sizeof(way->provider),
	     info->fabric_attr->prov_name);
	copy(way->domain, sizeof(way->domain), info->domain_attr->name);
	copy(way->iface, sizeof(way->iface), candidate->iface);
	copy(way->why, sizeof(way->why), orl_candidate_why(candidate));
	way->rank = candidate->rank;
}

static void name_library(char *text, size_t len)
{
	uint32_t version = orl_libfabric.version();
	Dl_info found;
	bool known = dladdr((void *)orl_libfabric.version, &found);

	snprintf(text, len, "libfabric %u.%u%s%s", FI_MAJOR(version),
		 FI_MINOR(version), known ? ", " : "",
		 known ? found.dli_fname : "");
}

int orl_fabric_survey(struct orl_fabric_way *ways, int most, char *text,
		      size_t len)
{
	struct orl_candidates found;
	const char *what = "";
	int rc = orl_libfabric_load(2, &what), n;

	rc = rc ? rc : orl_candidates_find(&found, &what);
	if (rc) {
		snprintf(text, len, "%s", what);
		return rc;
	}
	name_library(text, len);
	for (int i = 0; i < found.n && i < most; i++)
		describe(&found.list[i], &ways[i]);
	n = found.n;
	orl_candidates_free(&found);
	return n;
}
