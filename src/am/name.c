/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * name.c - random names of this process's objects that messages name.  Under
 * the progress lock.
 */
#include "am.h"

static struct orl_map names = ORL_MAP_INIT;

int orl_am_name_make(void *object, uint64_t *cookie)
{
	uint64_t name;
	int rc;

	do {
		rc = orl_am_random(&name);
		if (rc)
			return rc;
		name = (uint32_t)name; /* as heads have it */
	} while (!name || orl_map_find(&names, name));
	rc = orl_map_set(&names, name, object);
	if (!rc)
		*cookie = name;
	return rc;
}

void orl_am_name_drop(uint64_t cookie)
{
	if (cookie)
		orl_map_del(&names, cookie, orl_map_find(&names, cookie));
}

void *orl_am_name_find(uint64_t cookie)
{
	return cookie ? orl_map_find(&names, cookie) : NULL;
}
