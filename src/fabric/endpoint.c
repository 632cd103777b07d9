/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * endpoint.c - one endpoint, its completion queue and its receive buffers.
 * Receive buffers are always posted: where there is none, what comes after
 * the message waits too, reads and writes included.
 */
#include "fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define MESSAGE_MOST (16 << 10)
/* 32 KiB of data and what is with them, where ofi_rxm can be told to. */
#define EAGER_MOST (34 << 10)
/* For the longest heads of records, and some data. */
#define MESSAGE_LEAST (4 << 10)
/* Of ofi_rxm, if nobody says otherwise. */
#define RXM_BUFFER (16 << 10)

/* libfabric's own mark on a registration that is not for its cache, should
 * the host or the user have it keep one: OFI_MR_NOCACHE, from 1.9 to 2.6 at
 * least. */
#define NO_CACHE (UINT64_C(1) << 60)

struct orl_endpoint orl_endpoint = { .fd = -1 };

/* -- what a provider is like ----------------------------------------------- */

static bool is_provider(const struct fi_info *info, const char *head)
{
	return !strncmp(info->fabric_attr->prov_name, head, strlen(head));
}

/*
 * ofi_rxm over TCP sends from where the data lie and receives where they
 * belong, so that its buffers need not bound messages: in 1.17 and 1.18 what
 * library.c has set does, unless the user wants it otherwise.
 */
static size_t find_eager_bytes(const struct fi_info *info)
{
	const char *set = getenv("FI_OFI_RXM_EAGER_LIMIT");

	if (strcmp(info->fabric_attr->prov_name, "tcp;ofi_rxm") != 0 || !set ||
	    (info->caps & (FI_HMEM | FI_COLLECTIVE)) ||
	    orl_libfabric.version() >= FI_VERSION(1, 19) ||
	    getenv("FI_OFI_RXM_BUFFER_SIZE") ||
	    getenv("FI_OFI_RXM_ENABLE_DYN_RBUF") ||
	    getenv("FI_OFI_RXM_ENABLE_DIRECT_SEND"))
		return 0;
	return (size_t)strtoul(set, NULL, 0);
}

/* Its buffers, which two that connect must have alike. */
static size_t find_buffer_bytes(const struct fi_info *info)
{
	const char *set = getenv("FI_OFI_RXM_BUFFER_SIZE");
	size_t bytes = find_eager_bytes(info);

	if (bytes > RXM_BUFFER)
		return bytes;
	bytes = 0;
	if (strstr(info->fabric_attr->prov_name, "ofi_rxm") && set)
		bytes = (size_t)strtoul(set, NULL, 0);
	return bytes ? bytes : RXM_BUFFER;
}

/* Longer ones than its buffers take more trips, and overtake others. */
static size_t find_message_most(const struct fi_info *info, size_t buffer)
{
	size_t bound = find_eager_bytes(info) ? EAGER_MOST : MESSAGE_MOST;
	size_t most = buffer;

	if (is_provider(info, "shm"))
		most = info->tx_attr->inject_size;
	if (most > bound)
		most = bound;
	return most < info->ep_attr->max_msg_size ? most
						  : info->ep_attr->max_msg_size;
}

/*
 * That messages stay behind writes has to be asked for, but of a provider that
 * can do it: others would not be offered.  Atomics take it away.
 */
static bool ask_for_order(struct fi_info *info)
{
	if (strcmp(info->fabric_attr->prov_name, "tcp;ofi_rxm") != 0 ||
	    (info->caps & FI_ATOMIC))
		return false;
	info->tx_attr->msg_order |= FI_ORDER_SAW;
	info->rx_attr->msg_order |= FI_ORDER_SAW;
	return true;
}

static void note_traits(struct orl_endpoint *endpoint,
			const struct fi_info *info)
{
	const struct fi_domain_attr *domain = info->domain_attr;

	endpoint->mr_mode = domain->mr_mode;
	endpoint->mr_flags = is_provider(info, "verbs") ? NO_CACHE : 0;
	endpoint->key_size = domain->mr_key_size;
	endpoint->buffer_bytes = find_buffer_bytes(info);
	endpoint->message_most =
		find_message_most(info, endpoint->buffer_bytes);
	endpoint->inject_most = info->tx_attr->inject_size;
	/* shm takes in all that is there at once, and gets stuck on 1024
	 * messages without a buffer. */
	endpoint->recv_bytes = is_provider(info, "shm") ? 2 << 20 : 256 << 10;
	if ((domain->mr_mode & FI_MR_LOCAL) || is_provider(info, "verbs"))
		endpoint->inject = info->tx_attr->inject_size;
}

/* -- receive buffers ------------------------------------------------------- */

int orl_recv_post(struct orl_endpoint *endpoint, struct orl_recv_buffer *buffer)
{
	void *desc = buffer->mr ? fi_mr_desc(buffer->mr) : NULL;
	struct iovec iov = { .iov_base = buffer->bytes,
			     .iov_len = endpoint->recv_bytes };
	struct fi_msg message = { .msg_iov = &iov,
				  .desc = &desc,
				  .iov_count = 1,
				  .addr = FI_ADDR_UNSPEC,
				  .context = &buffer->context };
	int rc = (int)fi_recvmsg(endpoint->ep, &message, FI_MULTI_RECV);

	endpoint->unposted += buffer->posted - !rc;
	buffer->posted = !rc;
	return rc;
}

static void free_buffers(struct orl_endpoint *endpoint)
{
	for (int i = 0; i < ORL_RECV_BUFFERS; i++)
		if (endpoint->buffers[i].mr)
			fi_close(&endpoint->buffers[i].mr->fid);
	free(endpoint->buffers[0].bytes);
}

static int post_buffers(struct orl_endpoint *endpoint)
{
	size_t most = endpoint->message_most;
	void *bytes = NULL;
	int rc;

	/* Where it cannot be set, the provider looks after itself.  Not to be
	 * set before the endpoint is enabled: shm crashes. */
	fi_setopt(&endpoint->ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV,
		  &most, sizeof(most));
	if (posix_memalign(&bytes, 4096,
			   ORL_RECV_BUFFERS * endpoint->recv_bytes))
		return -ENOMEM;
	endpoint->unposted = ORL_RECV_BUFFERS;
	for (int i = 0; i < ORL_RECV_BUFFERS; i++) {
		struct orl_recv_buffer *buffer = &endpoint->buffers[i];

		buffer->bytes =
			(char *)bytes + (size_t)i * endpoint->recv_bytes;
		rc = orl_local_open(endpoint, buffer->bytes,
				    endpoint->recv_bytes, FI_RECV, &buffer->mr);
		if (!rc)
			rc = orl_recv_post(endpoint, buffer);
		if (rc)
			return rc;
	}
	return 0;
}

/* -- opening --------------------------------------------------------------- */

/* With something to sleep on, if it can be had. */
static int open_cq(struct orl_endpoint *endpoint, bool has_sockets)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_DATA,
				   .wait_obj = FI_WAIT_FD };
	int rc = -ENOSYS;

	endpoint->fd = -1;
	endpoint->has_sockets = has_sockets;
	if (!has_sockets)
		rc = fi_cq_open(endpoint->domain, &attr, &endpoint->cq, NULL);
	if (rc) {
		attr.wait_obj = FI_WAIT_NONE;
		return fi_cq_open(endpoint->domain, &attr, &endpoint->cq, NULL);
	}
	if (fi_control(&endpoint->cq->fid, FI_GETWAIT, &endpoint->fd))
		endpoint->fd = -1;
	return 0;
}

static int open_objects(struct orl_endpoint *endpoint, struct fi_info *info,
			int ranks, const char **step)
{
	struct fi_av_attr av = { .type = FI_AV_TABLE, .count = (size_t)ranks };
	int rc;

	*step = "fi_fabric";
	rc = orl_libfabric.fabric(info->fabric_attr, &endpoint->fabric, NULL);
	if (rc)
		return rc;
	*step = "fi_domain";
	rc = fi_domain(endpoint->fabric, info, &endpoint->domain, NULL);
	if (rc)
		return rc;
	*step = "fi_av_open";
	rc = fi_av_open(endpoint->domain, &av, &endpoint->av, NULL);
	if (rc)
		return rc;
	*step = "fi_cq_open";
	rc = open_cq(endpoint, orl_sockets_are_wanted(info, ranks));
	if (rc)
		return rc;
	*step = "fi_endpoint";
	return fi_endpoint(endpoint->domain, info, &endpoint->ep, NULL);
}

static int enable(struct orl_endpoint *endpoint, const char **step)
{
	int rc;

	*step = "fi_ep_bind";
	rc = fi_ep_bind(endpoint->ep, &endpoint->av->fid, 0);
	if (!rc)
		rc = fi_ep_bind(endpoint->ep, &endpoint->cq->fid,
				FI_TRANSMIT | FI_RECV);
	if (rc)
		return rc;
	*step = "fi_enable";
	if (endpoint->has_sockets)
		orl_wakeup_before();
	rc = fi_enable(endpoint->ep);
	if (!rc && endpoint->has_sockets)
		orl_wakeup_after();
	return rc;
}

int orl_endpoint_open(struct orl_endpoint *endpoint, struct fi_info *info,
		      int ranks, const char **step)
{
	int rc;

	memset(endpoint, 0, sizeof(*endpoint));
	note_traits(endpoint, info);
	endpoint->in_order = ask_for_order(info);
	*step = "FI_OFI_RXM_BUFFER_SIZE below 4096";
	if (endpoint->message_most < MESSAGE_LEAST)
		return -EMSGSIZE;
	rc = open_objects(endpoint, info, ranks, step);
	if (!rc) {
		rc = enable(endpoint, step);
		if (rc) {
			/* Providers crash when such an endpoint is closed, and
			 * nothing else can be closed as long as it is there. */
			endpoint->fd = -1;
			return rc;
		}
		*step = "receiving";
		rc = post_buffers(endpoint);
	}
	if (!rc) {
		*step = "registering memory without a cache";
		rc = orl_local_refuse_cache(endpoint,
					    endpoint->buffers[0].bytes);
	}
	if (!rc) {
		*step = "memory for small operands";
		rc = orl_stage_open(endpoint);
	}
	if (rc)
		orl_endpoint_close(endpoint);
	return rc;
}

void orl_endpoint_close(struct orl_endpoint *endpoint)
{
	if (endpoint->ep)
		fi_close(&endpoint->ep->fid);
	orl_stage_close();
	free_buffers(endpoint);
	if (endpoint->cq)
		fi_close(&endpoint->cq->fid);
	if (endpoint->av)
		fi_close(&endpoint->av->fid);
	if (endpoint->domain)
		fi_close(&endpoint->domain->fid);
	if (endpoint->fabric)
		fi_close(&endpoint->fabric->fid);
	orl_sockets_forget();
	orl_wakeup_forget();
	memset(endpoint, 0, sizeof(*endpoint));
	endpoint->fd = -1;
}
