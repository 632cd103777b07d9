/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fabric.c - opening the best candidate that works, and closing it.
 */
#include "fabric.h"

#include "orl_util.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Each that ends is a sign of life, which a question behind it waits for. */
#define TRANSFER_MOST	((size_t)16 << 20)
#define CLOSING_SECONDS 2
/* That an endpoint may have, one after the other. */
#define NAMES_MOST 8

struct orl_fabric orl_fabric;

static void describe(const struct orl_candidate *candidate)
{
	const struct fi_info *info = candidate->info;
	const char *domain = info->domain_attr->name;
	size_t most = info->ep_attr->max_msg_size;

	strncpy(orl_fabric.provider, info->fabric_attr->prov_name,
		sizeof(orl_fabric.provider) - 1);
	strncpy(orl_fabric.domain, domain ? domain : candidate->iface,
		sizeof(orl_fabric.domain) - 1);
	orl_fabric.passive = !strncmp(orl_fabric.provider, "verbs", 5);
	orl_fabric.by_address = orl_endpoint.mr_mode & FI_MR_VIRT_ADDR;
	orl_fabric.any_memory =
		!(orl_endpoint.mr_mode & (FI_MR_ALLOCATED | FI_MR_PROV_KEY));
	orl_fabric.message_most = orl_endpoint.message_most;
	orl_fabric.buffer_bytes = orl_endpoint.buffer_bytes;
	orl_fabric.inject_most = orl_endpoint.inject_most;
	orl_fabric.in_order = orl_endpoint.in_order;
	orl_fabric.transfer_most = most < TRANSFER_MOST ? most : TRANSFER_MOST;
	orl_atomics_query(info);
}

/*
 * shm calls its memory by the process's id, and takes what a killed process of
 * that id has left for the memory of a living one: then by another name.  False
 * if there is none.
 */
static bool rename_shm(struct fi_info *info, int number)
{
	char *name;

	if (strcmp(info->fabric_attr->prov_name, "shm") != 0 ||
	    info->addr_format != FI_ADDR_STR ||
	    asprintf(&name, "fi_shm://%d.%d", (int)getpid(), number) < 0)
		return false;
	free(info->src_addr);
	info->src_addr = name;
	info->src_addrlen = strlen(name) + 1;
	return true;
}

static int open_endpoint(const struct orl_candidate *candidate, int ranks,
			 const char **step)
{
	int rc = -EBUSY;

	for (int i = 0; rc == -EBUSY && i < NAMES_MOST; i++) {
		if (i && !rename_shm(candidate->info, i))
			break;
		rc = orl_endpoint_open(&orl_endpoint, candidate->info, ranks,
				       step);
	}
	return rc;
}

static int open_candidate(const struct orl_candidate *candidate, int ranks,
			  const char **step)
{
	int rc = open_endpoint(candidate, ranks, step);

	if (!rc) {
		memset(&orl_fabric, 0, sizeof(orl_fabric));
		describe(candidate);
		*step = "fi_getname";
		rc = orl_name_make(candidate->info);
		if (rc)
			orl_endpoint_close(&orl_endpoint);
	}
	if (rc)
		orl_log(ORL_LOG_INFO, "libfabric, %s on %s: %s: %s",
			candidate->info->fabric_attr->prov_name,
			candidate->info->domain_attr->name, *step,
			orl_libfabric.strerror(-rc));
	return rc;
}

static void log_opened(void)
{
	uint32_t version = orl_libfabric.version();

	orl_log(ORL_LOG_INFO, "other nodes: libfabric %u.%u, %s on %s",
		FI_MAJOR(version), FI_MINOR(version), orl_fabric.provider,
		orl_fabric.domain);
}

static int open_any(const struct orl_candidates *found, int ranks,
		    const char **what)
{
	const char *step = "";
	int rc = -ENODEV;

	for (int i = 0; i < found->n; i++) {
		rc = open_candidate(&found->list[i], ranks, &step);
		if (!rc)
			return 0;
	}
	*what = orl_fabric_text("none of libfabric's %d works, the last for "
				"%s: %s; ORIEL_LOG=info tells of each",
				found->n, step, orl_libfabric.strerror(-rc));
	return rc;
}

int orl_fabric_open(int ranks, orl_fabric_message_fn message, const char **what)
{
	struct orl_candidates found;
	int rc;

	if (orl_fabric.open)
		return 0;
	rc = orl_libfabric_load(ranks, what);
	if (rc)
		return rc;
	rc = orl_candidates_find(&found, what);
	if (rc)
		return rc;
	rc = open_any(&found, ranks, what);
	orl_candidates_free(&found);
	if (rc)
		return rc;
	orl_nudge_open();
	orl_fabric_message = message;
	orl_fabric.open = true;
	log_opened();
	return 0;
}

const char *orl_fabric_reason(int error)
{
	return orl_libfabric.strerror ? orl_libfabric.strerror(-error)
				      : strerror(-error);
}

static void ignore(const void *message, size_t len)
{
}

static bool is_busy(void)
{
	return orl_posted || orl_waiting.first || orl_failed.first;
}

/* Unlike the rest this waits, but not for long. */
void orl_fabric_close(void)
{
	time_t end = time(NULL) + CLOSING_SECONDS;

	if (!orl_fabric.open)
		return;
	orl_fabric_message = ignore;
	while (is_busy() && time(NULL) <= end)
		if (!orl_fabric_poll())
			sched_yield();
	if (orl_posted)
		orl_log(ORL_LOG_INFO, "libfabric: %zu operations given up",
			orl_posted);
	orl_fabric.open = false;
	orl_nudge_close();
	orl_endpoint_close(&orl_endpoint);
	orl_peers_close();
	orl_posted = 0;
}
