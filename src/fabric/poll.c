/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * poll.c - completions and messages.  A context is that of an operation or of
 * one of our receive buffers; it tells which by where it lies.
 */
#include "fabric.h"

#include "orl_util.h"

#include <errno.h>

#define BATCH 16

orl_fabric_message_fn orl_fabric_message;

/* done() and messages call functions that must not come back here. */
static bool polling;

/* -- the context ----------------------------------------------------------- */

static struct orl_recv_buffer *buffer_of(void *context)
{
	uintptr_t at = (uintptr_t)context - (uintptr_t)orl_endpoint.buffers;
	size_t size = sizeof(orl_endpoint.buffers[0]);

	if (at >= sizeof(orl_endpoint.buffers))
		return NULL;
	return &orl_endpoint.buffers[at / size];
}

static struct orl_fabric_op *op_of(void *context)
{
	return (struct orl_fabric_op *)((char *)context -
					offsetof(struct orl_fabric_op,
						 context));
}

/* -- messages -------------------------------------------------------------- */

static void take_message(struct orl_recv_buffer *buffer,
			 const struct fi_cq_data_entry *entry)
{
	/* What gives a buffer back may come alone. */
	if (entry->len && entry->buf &&
	    orl_likely(entry->len <= orl_endpoint.message_most))
		orl_fabric_message(entry->buf, entry->len);
	if (entry->flags & FI_MULTI_RECV)
		orl_recv_post(&orl_endpoint, buffer);
}

/* Providers may lack room for buffers for a while. */
static ORL_COLD void post_missing(void)
{
	for (int i = 0; i < ORL_RECV_BUFFERS; i++)
		if (!orl_endpoint.buffers[i].posted)
			orl_recv_post(&orl_endpoint, &orl_endpoint.buffers[i]);
}

/* -- completions ----------------------------------------------------------- */

static void end(struct orl_fabric_op *op, int error)
{
	orl_post_release(op, error);
	op->done(op, error);
}

static void take_entry(const struct fi_cq_data_entry *entry)
{
	struct orl_recv_buffer *buffer = buffer_of(entry->op_context);

	if (buffer) {
		take_message(buffer, entry);
	} else if (orl_likely(entry->op_context != NULL)) {
		orl_posted--;
		end(op_of(entry->op_context), 0);
	}
}

/* Providers of later versions may write more than we know of. */
union error_entry {
	struct fi_cq_err_entry entry;
	char room[256];
};

static void take_error(void)
{
	union error_entry error = { .room = { 0 } };
	struct fi_cq_err_entry *entry = &error.entry;
	struct orl_recv_buffer *buffer;
	struct orl_fabric_op *op;
	int rc;

	if (fi_cq_readerr(orl_endpoint.cq, entry, 0) <= 0)
		return;
	rc = entry->err ? -entry->err : -EIO;
	buffer = buffer_of(entry->op_context);
	if (buffer || !entry->op_context) {
		orl_log(ORL_LOG_INFO, "libfabric, receiving: %s",
			orl_libfabric.strerror(-rc));
		if (buffer && (entry->flags & FI_MULTI_RECV))
			orl_recv_post(&orl_endpoint, buffer);
		return;
	}
	op = op_of(entry->op_context);
	orl_posted--;
	/* What has been posted fails with its connection, whatever the
	 * provider calls that. */
	if (orl_fabric_is_of_operation(rc)) {
		orl_log(ORL_LOG_INFO, "libfabric, an operation: %s",
			orl_libfabric.strerror(-rc));
		rc = -ECONNABORTED;
	}
	orl_peer_lose(orl_peer_of(op->peer), rc);
	end(op, rc);
}

/* True if there was any. */
static bool take_completions(void)
{
	struct fi_cq_data_entry entries[BATCH];
	ssize_t n = fi_cq_read(orl_endpoint.cq, entries, BATCH);

	if (orl_likely(n == -FI_EAGAIN))
		return false;
	if (n == -FI_EAVAIL) {
		take_error();
		return true;
	}
	for (ssize_t i = 0; i < n; i++)
		take_entry(&entries[i]);
	return n > 0;
}

/* Those that fail meanwhile are for the next time. */
static bool end_failed(void)
{
	struct orl_fabric_op *op = orl_failed.first, *next;

	if (orl_likely(!op))
		return false;
	orl_failed.first = NULL;
	orl_failed.last = &orl_failed.first;
	for (; op; op = next) {
		int error = op->error;

		next = op->next;
		if (!error)
			error = orl_peer_of(op->peer)->error;
		end(op, error);
	}
	return true;
}

bool orl_fabric_poll(void)
{
	bool any;

	if (orl_unlikely(polling || !orl_fabric.open))
		return false;
	polling = true;
	any = take_completions();
	if (orl_unlikely(orl_waiting.first != NULL))
		any |= orl_post_kept();
	if (orl_unlikely(orl_endpoint.unposted))
		post_missing();
	any |= end_failed();
	polling = false;
	return any;
}

/* -- sleeping -------------------------------------------------------------- */

int orl_fabric_fds(struct pollfd *fds, int most)
{
	if (orl_endpoint.has_sockets)
		return orl_sockets_list(fds, most);
	if (orl_endpoint.fd < 0 || most < 1)
		return 0;
	fds[0] = (struct pollfd){ .fd = orl_endpoint.fd, .events = POLLIN };
	return 1;
}

bool orl_fabric_may_sleep(void)
{
	struct fid *fids[] = { &orl_endpoint.cq->fid };

	if (orl_waiting.first || orl_failed.first || orl_endpoint.unposted)
		return false;
	if (orl_endpoint.has_sockets)
		return orl_sockets_are_quiet();
	return orl_endpoint.fd < 0 || !fi_trywait(orl_endpoint.fabric, fids, 1);
}
