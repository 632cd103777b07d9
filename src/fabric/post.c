/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * post.c - reads, writes and sends.  What the provider has no room for waits
 * with its peer, and so does all that follows for that peer, until
 * orl_post_kept.  What cannot be posted at all is done by the next poll, so
 * that nothing is ever done within the call that posts it.
 */
#include "fabric.h"

#include "orl_util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Peers that one poll serves: it must not take long. */
#define SERVED_AT_ONCE 8

enum { WRITE = 1, WRITE_AHEAD, READ, SEND, ATOMIC };

size_t orl_posted;

_Static_assert(sizeof(((struct orl_fabric_op *)0)->context) >=
		       sizeof(struct fi_context2),
	       "libfabric's part of an operation");

/* -- local memory ---------------------------------------------------------- */

/* Does the provider copy it before posting returns? */
static bool is_injected(const struct orl_fabric_op *op)
{
	return op->kind == WRITE && op->len <= orl_endpoint.inject;
}

static int take_registered(struct orl_fabric_op *op)
{
	static const uint64_t access[] = {
		[WRITE] = FI_WRITE,
		[WRITE_AHEAD] = FI_WRITE,
		[READ] = FI_READ,
		[SEND] = FI_SEND,
	};
	struct fid_mr *mr = NULL;
	int rc = 0;

	op->piece = orl_stage_take(op->len);
	if (!op->piece)
		rc = orl_local_open(&orl_endpoint, op->buf, op->len,
				    access[op->kind], &mr);
	else if (op->kind != READ)
		memcpy(op->piece, op->buf, op->len);
	op->mr = rc ? NULL : mr;
	/* For a small one there will be a piece. */
	return rc == -ENOMEM && orl_stage_fits(op->len) ? -FI_EAGAIN : rc;
}

/* Again for each time that it is posted. */
static int take_local(struct orl_fabric_op *op)
{
	if (orl_likely(!(orl_endpoint.mr_mode & FI_MR_LOCAL)) || op->mr ||
	    op->piece || is_injected(op))
		return 0;
	return take_registered(op);
}

/*
 * Devices map what they read from as if they wrote to it, which memory that
 * is only readable does not let them: a copy then.
 */
static int take_copy(struct orl_fabric_op *op)
{
	if (op->copy || op->piece)
		return -EFAULT;
	op->copy = malloc(op->len);
	if (!op->copy)
		return -ENOMEM;
	memcpy(op->copy, op->buf, op->len);
	op->buf = op->copy;
	return 0;
}

void orl_post_release(struct orl_fabric_op *op, int error)
{
	if (op->piece) {
		if (op->kind == READ && !error)
			memcpy((void *)op->buf, op->piece, op->len);
		orl_stage_give(op->piece);
	}
	if (orl_unlikely(op->mr != NULL))
		fi_close(&((struct fid_mr *)op->mr)->fid);
	free(op->copy);
}

/* -- one operation --------------------------------------------------------- */

static int post_transfer(struct orl_fabric_op *op, void *buf, void *desc)
{
	struct iovec iov = { .iov_base = buf, .iov_len = op->len };
	struct fi_rma_iov remote = { .addr = op->addr,
				     .len = op->len,
				     .key = op->key };
	struct fi_msg_rma transfer = { .msg_iov = &iov,
				       .desc = &desc,
				       .iov_count = 1,
				       .addr = orl_peer_of(op->peer)->addr,
				       .rma_iov = &remote,
				       .rma_iov_count = 1,
				       .context = op->context };
	uint64_t flags = FI_COMPLETION;

	if (op->kind == READ)
		return (int)fi_readmsg(orl_endpoint.ep, &transfer, flags);
	if (op->kind == WRITE)
		flags |= FI_DELIVERY_COMPLETE;
	if (is_injected(op))
		flags |= FI_INJECT;
	return (int)fi_writemsg(orl_endpoint.ep, &transfer, flags);
}

static int post_to_provider(struct orl_fabric_op *op)
{
	void *buf, *desc = NULL;
	int rc;

	if (op->kind == ATOMIC)
		return orl_atomic_post(op);
	rc = take_local(op);
	if (rc)
		return rc;
	buf = op->piece ? op->piece : (void *)op->buf;
	if (op->piece)
		desc = orl_stage_desc();
	else if (op->mr)
		desc = fi_mr_desc(op->mr);
	if (op->kind != SEND)
		return post_transfer(op, buf, desc);
	return (int)fi_send(orl_endpoint.ep, buf, op->len, desc,
			    orl_peer_of(op->peer)->addr, op->context);
}

static int post(struct orl_fabric_op *op)
{
	int rc = post_to_provider(op);

	if (orl_unlikely(rc == -EFAULT && op->kind != READ &&
			 op->kind != ATOMIC)) {
		rc = take_copy(op);
		if (!rc)
			rc = post_to_provider(op);
	}
	if (orl_likely(!rc))
		orl_posted++;
	return rc;
}

static void fail(struct orl_fabric_op *op, int rc)
{
	op->error = rc;
	orl_list_append(&orl_failed, op);
	/* What follows a write ahead must not arrive without it. */
	if (op->kind == WRITE_AHEAD || !orl_fabric_is_of_operation(rc))
		orl_peer_lose(orl_peer_of(op->peer), rc);
}

/* Its connection is made by the first operation. */
static void contact(struct orl_fabric_peer *peer)
{
	if (orl_likely(peer->contacted))
		return;
	peer->contacted = true;
	orl_sockets_expect();
}

static void start(struct orl_fabric_op *op)
{
	struct orl_fabric_peer *peer = orl_peer_of(op->peer);
	int rc;

	op->mr = op->piece = op->copy = NULL;
	op->error = 0;
	contact(peer);
	if (orl_unlikely(peer->error)) {
		fail(op, peer->error);
		return;
	}
	rc = peer->kept.first ? -FI_EAGAIN : post(op);
	if (orl_likely(!rc))
		return;
	if (rc == -FI_EAGAIN)
		orl_peer_keep(peer, op);
	else
		fail(op, rc);
}

/* -- what was kept --------------------------------------------------------- */

/* True if anything has left, or failed. */
static bool serve(struct orl_fabric_peer *peer)
{
	bool moves = false;
	struct orl_fabric_op *op;
	int rc;

	while ((op = peer->kept.first)) {
		rc = post(op);
		if (rc == -FI_EAGAIN)
			break;
		/* It may have been lost, with all that was kept. */
		orl_list_take(&peer->kept);
		if (rc)
			fail(op, rc);
		moves = true;
	}
	if (moves)
		orl_peer_moves(peer);
	else if (op)
		orl_peer_look(peer);
	return moves || !peer->kept.first;
}

bool orl_post_kept(void)
{
	bool any = false;

	for (int i = 0; i < SERVED_AT_ONCE && orl_waiting.first; i++) {
		struct orl_fabric_peer *peer = orl_waiting.first;

		orl_waiting.first = peer->next_waiting;
		if (!orl_waiting.first)
			orl_waiting.last = &orl_waiting.first;
		any |= serve(peer);
		if (!peer->kept.first)
			continue;
		peer->next_waiting = NULL;
		*orl_waiting.last = peer;
		orl_waiting.last = &peer->next_waiting;
	}
	return any;
}

/* -- the interface --------------------------------------------------------- */

static void transfer(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		     uint64_t key, const void *buf, size_t len)
{
	op->peer = peer;
	op->addr = addr;
	op->key = key;
	op->buf = buf;
	op->len = len;
	if (orl_unlikely(!len || len > orl_fabric.transfer_most)) {
		op->mr = op->piece = op->copy = NULL;
		fail(op, -EMSGSIZE);
		return;
	}
	start(op);
}

void orl_fabric_write(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		      uint64_t key, const void *src, size_t len)
{
	op->kind = WRITE;
	transfer(op, peer, addr, key, src, len);
}

void orl_fabric_write_ahead(struct orl_fabric_op *op, uint64_t peer,
			    uint64_t addr, uint64_t key, const void *src,
			    size_t len)
{
	op->kind = WRITE_AHEAD;
	transfer(op, peer, addr, key, src, len);
}

void orl_fabric_read(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		     uint64_t key, void *dst, size_t len)
{
	op->kind = READ;
	transfer(op, peer, addr, key, dst, len);
}

bool orl_fabric_inject(uint64_t addr, const void *message, size_t len)
{
	struct orl_fabric_peer *peer = orl_peer_of(addr);

	contact(peer);
	return orl_likely(!peer->error && !peer->kept.first) &&
	       !fi_inject(orl_endpoint.ep, message, len, peer->addr);
}

void orl_fabric_send(struct orl_fabric_op *op, uint64_t peer,
		     const void *message, size_t len)
{
	op->kind = SEND;
	op->peer = peer;
	op->buf = message;
	op->len = len;
	if (orl_unlikely(!len || len > orl_endpoint.message_most)) {
		op->mr = op->piece = op->copy = NULL;
		fail(op, -EMSGSIZE);
		return;
	}
	start(op);
}

void orl_fabric_atomic(struct orl_fabric_atomic *atomic, uint64_t peer,
		       uint64_t addr, uint64_t key)
{
	struct orl_fabric_op *op = &atomic->op;

	op->kind = ATOMIC;
	op->peer = peer;
	op->addr = addr;
	op->key = key;
	start(op);
}
