/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote.h - the records of src/path, and what its files for remote targets
 * share.  Fixed width; written by the origin, checked by the owner.
 */
#ifndef REMOTE_H
#define REMOTE_H

#include "orl_path.h"

#include "orl_am.h"
#include "orl_type.h"
#include "orl_util.h"

/* off and addr of records count as orl_path_off says. */
struct orl_record_put {
	struct orl_record head;
	uint64_t off;
	unsigned char data[];
};

struct orl_record_get {
	struct orl_record head;
	uint64_t off;
	uint32_t len;
	uint32_t slot;
};
_Static_assert(sizeof(struct orl_record_get) == 24, "on the wire");

/* n blocks of len bytes, the first at off, each stride from the one before;
 * the data one after the other. */
struct orl_record_put_vector {
	struct orl_record head;
	uint64_t off;
	int64_t stride;
	uint32_t len, n;
	unsigned char data[];
};
_Static_assert(sizeof(struct orl_record_put_vector) == 32, "on the wire");

/* The answer holds the data likewise. */
struct orl_record_get_vector {
	struct orl_record head;
	uint64_t off;
	int64_t stride;
	uint32_t len, n;
	uint32_t slot;
	uint32_t pad;
};
_Static_assert(sizeof(struct orl_record_get_vector) == 40, "on the wire");

/* Of the largest record, what is not data. */
#define ORL_RECORD_ROOM 64

/* -- the lazy lock, lazy.c; progress lock held ----------------------------- */

/* link->lock */
enum {
	ORL_LAZY_NONE,
	ORL_LAZY_NEW,	/* the record is in the message, nobody will answer */
	ORL_LAZY_ASKED, /* it carries a slot */
	ORL_LAZY_HELD
};

/* The lock's record will be answered, if there is one that is not yet. */
void orl_lazy_ask(struct orl_link *link);
/* Sends and waits until the lock is held, if there is one: 0 or an error. */
int orl_lazy_settle(struct orl_link *link);

/* -- reads and writes, transfer.c; progress lock held ---------------------- */

enum orl_way { ORL_WAY_PUT, ORL_WAY_GET };

/*
 * By the network, in as many transfers as it takes; may release the lock
 * meanwhile.  Of a put, buf is only read.  *done is less than len where the
 * rest is not registered and has to go by records.
 */
int orl_transfer(struct orl_link *link, enum orl_way way, uint64_t off,
		 void *buf, size_t len, size_t *done);

/*
 * A message that holds nothing but one put or get becomes a write or read of
 * the network's, which is the faster trip: orl_lone_note is told of each put
 * or get whose record may remain the only one, orl_lone_post comes before
 * what sends the message to wait for it.
 */
void orl_lone_note(struct orl_link *link, struct orl_record *record, void *dst);
void orl_lone_post(struct orl_link *link);

/* -- blocks of which a record has room for one at least, vector.c; these take
 * the progress lock -------------------------------------------------------- */

int orl_put_vector(struct orl_target *target, const struct orl_vector *vector);
int orl_get_vector(struct orl_target *target, const struct orl_vector *vector);

/* -- keys, keys.c; progress lock held -------------------------------------- */

/* Of the region that holds off; false if it has to be asked for. */
bool orl_key_find(const struct orl_link *link, uint64_t off,
		  struct orl_key *key);
/* Waits for the owner's answer: 0 if it is known now, -ENOENT if nothing is
 * attached there, -errno. */
int orl_key_ask(struct orl_link *link, uint64_t off);
void orl_keys_free(struct orl_link *link);

/* Nothing under way, nothing that a flush would have to ask for. */
static inline bool orl_link_is_quiet(const struct orl_link *link)
{
	/* First, and acquires, as in orl_am_flush. */
	return !__atomic_load_n(&link->unasked, __ATOMIC_ACQUIRE) &&
	       orl_am_is_idle(link) && !orl_link_error(link);
}

#endif
