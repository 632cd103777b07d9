/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nowhere.h - for tests of src/am without a network: a fabric that sends to
 * nowhere.  Messages are done at once or by the next poll, with an error if
 * the test wants one; reads and writes when the test says so.
 */
#ifndef NOWHERE_H
#define NOWHERE_H

#include "orl_am.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orl_util.h"

#define NOWHERE_MOST 16344 /* less than src/am would make a message */

struct orl_fabric orl_fabric;

static struct orl_fabric_op *posted;
static int fate; /* of what is sent: 0, or an error */
static bool at_once;
/* What else the network does in a poll, or NULL. */
static void (*at_poll)(void);
/* The latest message, all of it. */
static uint8_t sent[1 << 16];

int orl_fabric_open(int ranks, orl_fabric_message_fn message, const char **what)
{
	orl_fabric = (struct orl_fabric){
		.open = true,
		.message_most = NOWHERE_MOST,
		.transfer_most = 1 << 30,
		.name = "nowhere",
		.name_len = 7,
	};
	return 0;
}

void orl_fabric_close(void)
{
}

int orl_fabric_peer(const void *name, size_t len, uint64_t *addr)
{
	*addr = 0;
	return 0;
}

void orl_fabric_lose(uint64_t addr)
{
}

const char *orl_fabric_reason(int error)
{
	return strerror(-error);
}

void orl_fabric_send(struct orl_fabric_op *op, uint64_t peer,
		     const void *message, size_t len)
{
	memcpy(sent, message, len);
	if (at_once) {
		op->done(op, fate);
		return;
	}
	op->next = posted;
	posted = op;
}

/* Reads and writes under way, in their order. */
#define TRANSFERS 16
static struct orl_fabric_op *transfers[TRANSFERS];
static int ntransfers;

static void begin_transfer(struct orl_fabric_op *op)
{
	if (ntransfers == TRANSFERS)
		abort();
	transfers[ntransfers++] = op;
}

void orl_fabric_write(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		      uint64_t key, const void *src, size_t len)
{
	begin_transfer(op);
}

void orl_fabric_write_ahead(struct orl_fabric_op *op, uint64_t peer,
			    uint64_t addr, uint64_t key, const void *src,
			    size_t len)
{
	begin_transfer(op);
}

void orl_fabric_read(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		     uint64_t key, void *dst, size_t len)
{
	begin_transfer(op);
}

/* The i-th of those under way. */
static inline void end_transfer(int i, int error)
{
	struct orl_fabric_op *op = transfers[i];

	for (ntransfers--; i < ntransfers; i++)
		transfers[i] = transfers[i + 1];
	op->done(op, error);
}

/* Memory can be registered. */
static bool is_registered;

int orl_mr_open(void *addr, size_t len, struct orl_mr *mr)
{
	memset(mr, 0, sizeof(*mr));
	return is_registered ? 0 : -ENOMEM;
}

void orl_mr_close(struct orl_mr *mr)
{
}

bool orl_fabric_inject(uint64_t peer, const void *message, size_t len)
{
	return false;
}

bool orl_fabric_poll(void)
{
	struct orl_fabric_op *op = posted, *next;

	if (at_poll)
		at_poll();
	posted = NULL;
	for (; op; op = next) {
		next = op->next;
		op->done(op, fate);
	}
	return true;
}

int orl_fabric_fds(struct pollfd *fds, int most)
{
	return 0;
}

/* Opens src/am on it, without a thread: 0 or -errno. */
static inline int nowhere_open(void)
{
	const char *what;

	orl_options_load();
	orl_options.log = ORL_LOG_NONE;
	orl_options.progress = ORL_PROGRESS_POLL;
	return orl_am_open(2, &what);
}

/* The same, and a way to a process there: 0 or -errno. */
static inline int nowhere_link(struct orl_link *way)
{
	struct orl_am_card card = { .token = 4711, .name_len = 1 };
	int rc = nowhere_open();

	if (rc)
		return rc;
	orl_progress_lock();
	rc = orl_am_peer_find(&card, &way->peer);
	orl_progress_unlock();
	way->cookie = 1;
	way->key = 1;
	return rc;
}

bool orl_fabric_may_sleep(void)
{
	return true;
}

int orl_fabric_nudge_fd(void)
{
	return -1;
}

void orl_fabric_nudge_take(void)
{
}

void orl_fabric_nudge(uint64_t peer)
{
}

#endif
