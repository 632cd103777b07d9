/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * candidate.c - which provider of libfabric on which interface.  Whatever a
 * process sees decides, so that the ranks of a job on equal nodes choose
 * alike: verbs where a port is up, TCP else; an Ethernet that other nodes may
 * be on rather than a bridge of containers, rather than the loopback.
 */
#include "fabric.h"

#include "orl_util.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* Not to be used, unless forced. */
#define NEVER 1000

static const char *option(long value)
{
	return value ? (const char *)value : "";
}

static const char *provider_of(const struct fi_info *info)
{
	return info->fabric_attr->prov_name;
}

static const char *domain_of(const struct fi_info *info)
{
	return info->domain_attr->name ? info->domain_attr->name : "";
}

/* -- the interface --------------------------------------------------------- */

static bool is_address(const struct sockaddr *a, const struct sockaddr *b)
{
	if (!a || !b || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return !memcmp(&((const struct sockaddr_in *)a)->sin_addr,
			       &((const struct sockaddr_in *)b)->sin_addr,
			       sizeof(struct in_addr));
	return a->sa_family == AF_INET6 &&
	       !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr,
		       sizeof(struct in6_addr));
}

static const struct sockaddr *address_of(const struct fi_info *info)
{
	switch (info->addr_format) {
	case FI_SOCKADDR:
	case FI_SOCKADDR_IN:
	case FI_SOCKADDR_IN6:
		return info->src_addr;
	}
	return NULL;
}

/* Devices of verbs have names of their own; users think in interfaces. */
static void name_iface(struct orl_candidate *candidate,
		       const struct ifaddrs *ifaces)
{
	const struct sockaddr *address = address_of(candidate->info);

	for (; ifaces; ifaces = ifaces->ifa_next) {
		if (!is_address(ifaces->ifa_addr, address))
			continue;
		strncpy(candidate->iface, ifaces->ifa_name, IF_NAMESIZE - 1);
		return;
	}
}

static bool is_loopback(const struct orl_candidate *candidate)
{
	return !strcmp(domain_of(candidate->info), "lo") ||
	       !strcmp(candidate->iface, "lo");
}

/* Bridges to containers and guests, that lead to no other node. */
static bool is_inner(const struct orl_candidate *candidate)
{
	static const char *const heads[] = {
		"docker", "virbr", "podman", "cni",
		"lxcbr",  "lxdbr", "br-",    NULL
	};

	for (int i = 0; heads[i]; i++)
		if (!strncmp(candidate->iface, heads[i], strlen(heads[i])))
			return true;
	return false;
}

static bool is_link_local(const struct sockaddr *address)
{
	return address && address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LINKLOCAL(
		       &((const struct sockaddr_in6 *)address)->sin6_addr);
}

static int rank_iface(const struct orl_candidate *candidate)
{
	const struct sockaddr *address = address_of(candidate->info);

	return 40 * is_loopback(candidate) + 20 * is_inner(candidate) +
	       10 * is_link_local(address) +
	       5 * (address && address->sa_family == AF_INET6);
}

const char *orl_candidate_why(const struct orl_candidate *candidate)
{
	if (is_loopback(candidate))
		return "the loopback, which reaches this node alone";
	if (is_inner(candidate))
		return "a bridge of containers, which may lead to no other "
		       "node";
	if (is_link_local(address_of(candidate->info)))
		return "a link-local address";
	if (address_of(candidate->info) &&
	    address_of(candidate->info)->sa_family == AF_INET6)
		return "by IPv6, which comes behind IPv4";
	if (*option(orl_options.provider) || *option(orl_options.iface))
		return "asked for by ORIEL_PROVIDER or ORIEL_IFACE";
	return !strncmp(provider_of(candidate->info), "verbs", 5)
		       ? "an RDMA port that is up"
		       : "an interface that other nodes may be on";
}

/* "mlx5_0" means the domains "mlx5_0" and "mlx5_0-xrc", "ib0" those by its
 * address. */
static bool is_wanted_iface(const struct orl_candidate *candidate)
{
	const char *iface = option(orl_options.iface);
	const char *domain = domain_of(candidate->info);
	size_t len = strlen(iface);

	return !len || !strcmp(candidate->iface, iface) ||
	       (!strncmp(domain, iface, len) &&
		(!domain[len] || domain[len] == '-'));
}

/* -- the provider ---------------------------------------------------------- */

static bool is_link_down(const struct fi_info *info)
{
	return info->nic && info->nic->link_attr &&
	       info->nic->link_attr->state == FI_LINK_DOWN;
}

static int rank_provider(const struct fi_info *info)
{
	const char *forced = option(orl_options.provider);
	const char *name = provider_of(info);

	/* "tcp" is a provider of some versions, and part of one in others. */
	if (*forced)
		return strcmp(name, forced) ? 100 : 0;
	if (!strcmp(name, "verbs;ofi_rxm"))
		return is_link_down(info) ? NEVER : 0;
	if (!strcmp(name, "tcp;ofi_rxm"))
		return 100;
	return NEVER;
}

/* -- the list -------------------------------------------------------------- */

/*
 * Atomics, if they are wanted, with the orders that accumulates need where
 * they can be had: shm has orders at the price of its fast reads and writes.
 * Writes after reads are not asked for: tcp has no such order, and would be
 * refused, atomics and all.  What is not given, this one too, is waited for
 * (atomics/nic.c).
 */
static void hint_atomics(struct fi_info *hints, const char *provider)
{
	uint64_t orders =
		FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAW;

	hints->caps |= FI_ATOMIC;
	if (!strcmp(provider, "shm"))
		return;
	hints->tx_attr->msg_order |= orders;
	hints->rx_attr->msg_order |= orders;
}

static struct fi_info *make_hints(const char *provider, bool local)
{
	struct fi_info *hints = orl_libfabric.dupinfo(NULL);

	if (!hints)
		return NULL;
	hints->caps = FI_MSG | FI_RMA | FI_MULTI_RECV;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
				      FI_MR_PROV_KEY | FI_MR_ENDPOINT |
				      (local ? FI_MR_LOCAL : 0);
	hints->domain_attr->threading = FI_THREAD_SAFE;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	hints->domain_attr->av_type = FI_AV_TABLE;
	/* Reads and writes need no order: each is waited for. */
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	if (*provider) {
		hints->fabric_attr->prov_name = strdup(provider);
		if (!hints->fabric_attr->prov_name) {
			orl_libfabric.freeinfo(hints);
			return NULL;
		}
	}
	return hints;
}

/*
 * Registering the buffers of each operation is left to providers that can do
 * it themselves, since they know best what to cache.
 */
static int get_info(const char *provider, bool local, struct fi_info **info)
{
	struct fi_info *hints = make_hints(provider, local);
	int rc = -FI_ENODATA;

	*info = NULL;
	if (!hints)
		return -ENOMEM;
	if (orl_atomics_are_wanted()) {
		hint_atomics(hints, provider);
		rc = orl_libfabric.getinfo(ORL_FI_VERSION, NULL, NULL, 0, hints,
					   info);
		hints->caps &= ~FI_ATOMIC;
		hints->tx_attr->msg_order = FI_ORDER_SAS;
		hints->rx_attr->msg_order = FI_ORDER_SAS;
	}
	if (rc)
		rc = orl_libfabric.getinfo(ORL_FI_VERSION, NULL, NULL, 0, hints,
					   info);
	orl_libfabric.freeinfo(hints);
	return rc;
}

static bool has_provider(const struct fi_info *info, const char *name)
{
	for (; info; info = info->next)
		if (!strcmp(provider_of(info), name))
			return true;
	return false;
}

/* Newer versions do not tell unasked of all that they can do. */
static int ask(struct fi_info **all)
{
	const char *forced = option(orl_options.provider);
	struct fi_info *more, *last;
	int rc = get_info(forced, false, all);

	if (*forced)
		return rc ? get_info(forced, true, all) : 0;
	if (has_provider(*all, "tcp;ofi_rxm") ||
	    get_info("tcp;ofi_rxm", false, &more))
		return rc;
	if (rc) {
		*all = more;
		return 0;
	}
	for (last = *all; last->next; last = last->next)
		;
	last->next = more;
	return 0;
}

static bool is_listed(const struct orl_candidates *found,
		      const struct fi_info *info)
{
	for (int i = 0; i < found->n; i++) {
		const struct fi_info *other = found->list[i].info;

		if (!strcmp(provider_of(other), provider_of(info)) &&
		    !strcmp(domain_of(other), domain_of(info)) &&
		    other->src_addrlen == info->src_addrlen &&
		    (!info->src_addrlen ||
		     !memcmp(other->src_addr, info->src_addr,
			     info->src_addrlen)))
			return true;
	}
	return false;
}

/* At its place among those that are as good. */
static void insert(struct orl_candidates *found,
		   const struct orl_candidate *candidate)
{
	int i = found->n++;

	for (; i > 0 && found->list[i - 1].rank > candidate->rank; i--)
		found->list[i] = found->list[i - 1];
	found->list[i] = *candidate;
}

static void rank_all(struct orl_candidates *found)
{
	struct ifaddrs *ifaces = NULL;

	getifaddrs(&ifaces);
	for (struct fi_info *info = found->all; info; info = info->next) {
		struct orl_candidate candidate = { .info = info };

		name_iface(&candidate, ifaces);
		candidate.rank = rank_provider(info) + rank_iface(&candidate);
		if (candidate.rank < NEVER && is_wanted_iface(&candidate) &&
		    !is_listed(found, info))
			insert(found, &candidate);
	}
	if (ifaces)
		freeifaddrs(ifaces);
}

static const char *explain(void)
{
	const char *provider = option(orl_options.provider);
	const char *iface = option(orl_options.iface);

	return orl_fabric_text(
		"no provider%s%s%s%s is fit for other nodes; fi_info lists "
		"them",
		*provider ? " " : "", provider, *iface ? " on " : "", iface);
}

int orl_candidates_find(struct orl_candidates *found, const char **what)
{
	int n = 0;

	memset(found, 0, sizeof(*found));
	if (ask(&found->all)) {
		*what = explain();
		return -ENODEV;
	}
	for (struct fi_info *info = found->all; info; info = info->next)
		n++;
	found->list = calloc((size_t)n, sizeof(*found->list));
	if (!found->list) {
		*what = "no memory";
		orl_candidates_free(found);
		return -ENOMEM;
	}
	rank_all(found);
	if (found->n)
		return 0;
	*what = explain();
	orl_candidates_free(found);
	return -ENODEV;
}

void orl_candidates_free(struct orl_candidates *found)
{
	free(found->list);
	if (found->all)
		orl_libfabric.freeinfo(found->all);
}
