/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * am.h - what the files of src/am share: messages, their form on the wire,
 * and how they come and go.  All of it is under the progress lock.
 */
#ifndef AM_H
#define AM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orl_am.h"
#include "orl_util.h"

/* Bytes of the largest message; one longer than is full has but one record,
 * which the owner can work on while the next is written. */
#define ORL_AM_BYTES  34816
#define ORL_AM_FULL   16384
#define ORL_AM_CREDIT 64 /* requests to a peer that it has not told of */
#define ORL_AM_UNTOLD 16 /* received, after which we tell of our own accord */

/* -- the wire: little as on all hosts that we run on ----------------------- */

/*
 * Written by the sender, checked by the receiver; records follow.  With a
 * record of 32 bytes it makes 64, which providers send at once.
 */
struct orl_am_head {
	uint64_t to;	  /* the receiver's token, its secret */
	uint32_t from;	  /* the sender's: its lower bits, */
	uint16_t from_up; /* and those above */
	uint16_t credit;  /* requests of the receiver's that have come, modulo
			   * 2^16 */
	uint32_t cookie;  /* the receiver's name of the window; 0: none */
	uint32_t rank;	  /* the sender's in it */
	uint32_t link;	  /* the sender's name for the link; 0: none */
	uint16_t serial;  /* and for this message, in errors; never 0 */
	uint16_t flags;
};
_Static_assert(sizeof(struct orl_am_head) == 32, "on the wire");

enum {
	ORL_AM_REQUEST = 1,   /* counts for credit */
	ORL_AM_BYE = 2,	      /* the sender will send no more requests */
	ORL_AM_HEARD_BYE = 4, /* the sender has received the receiver's */
	ORL_AM_LIVELY = 8     /* the sender has a thread that answers */
};

struct orl_record_answer {
	struct orl_record head;
	uint32_t slot;
	uint32_t pad;
	unsigned char data[];
};
_Static_assert(sizeof(struct orl_record_answer) == 16, "on the wire");

/* The record at offset of the message serial of the link failed; or, offset
 * 0, it and what followed were not executed. */
struct orl_record_error {
	struct orl_record head;
	uint32_t link;
	int32_t error;
	uint32_t serial;
	uint32_t offset;
};
_Static_assert(sizeof(struct orl_record_error) == 24, "on the wire");

struct orl_record_flush {
	struct orl_record head;
	uint32_t slot;
	uint32_t pad;
};
_Static_assert(sizeof(struct orl_record_flush) == 16, "on the wire");

/* -- messages, message.c --------------------------------------------------- */

struct orl_am_message {
	struct orl_fabric_op op;
	struct orl_am_message *next; /* waiting, or free */
	struct orl_am_peer *peer;
	size_t len;
	size_t latest;	 /* offset of the latest record; 0: none */
	uint32_t *end;	 /* in that, what orl_am_may_end was given, or NULL */
	uint16_t serial; /* of each use another, as long as it matters */
	uint32_t slots;	 /* that its records carry */
	bool unasked;	 /* the link's when this was begun */
	bool followed;	 /* we hear of its end: it tells whether the peer
			  * lives, or is the last */
	uint64_t data[ORL_AM_BYTES / sizeof(uint64_t)];
};

static inline struct orl_am_head *orl_am_head(struct orl_am_message *message)
{
	return (struct orl_am_head *)message->data;
}

/* Bytes of the largest message, head included. */
size_t orl_am_message_most(void);
/* An empty one; NULL if there is no memory. */
struct orl_am_message *orl_am_message_get(void);
void orl_am_message_put(struct orl_am_message *message);
/* A record at its end, where the caller has seen that there is room. */
void *orl_am_message_append(struct orl_am_message *message,
			    enum orl_am_type type, size_t bytes);
/* Sends it; from here on it is not the caller's. */
void orl_am_message_send(struct orl_am_message *message,
			 struct orl_am_peer *peer);
/* The same for one that needs credit: it waits, in its place, if need be. */
void orl_am_message_request(struct orl_am_message *message,
			    struct orl_am_peer *peer);
/* Sends what waits and has credit by now. */
void orl_am_message_pump(struct orl_am_peer *peer);
/* A message of no records. */
void orl_am_message_tell(struct orl_am_peer *peer, uint16_t flags);
/* Can a request be sent, or will it never be?  Read without the lock. */
bool orl_am_message_has_credit(struct orl_am_peer *peer);

static inline size_t orl_am_message_room(const struct orl_am_message *message)
{
	return orl_am_message_most() - message->len;
}

/* -- peers, peer.c --------------------------------------------------------- */

extern uint64_t orl_am_token; /* this process's */
extern struct orl_am_peer *orl_am_peers;

/* The part of a token that names its process, if it is not secret. */
static inline uint64_t orl_am_name_of(uint64_t token)
{
	return token & ((1ull << 48) - 1);
}

static inline uint64_t orl_am_sender(const struct orl_am_head *head)
{
	return head->from | (uint64_t)head->from_up << 32;
}

/* By that part. */
struct orl_am_peer *orl_am_peer_by_name(uint64_t name);
int orl_am_random(uint64_t *number); /* not 0 */
/* So many more things of the peer's are waited for (or, if negative, less): who
 * waits is told if it is lost. */
void orl_am_await(struct orl_am_peer *peer, int change);
/* Nudges those that have kept us waiting for so many ns. */
void orl_am_nudge_all(uint64_t waited);
/* Asks those that we wait for and that have been silent, now and then. */
void orl_am_watch_all(void);

/* -- names, name.c --------------------------------------------------------- */

void *orl_am_name_find(uint64_t cookie);

/* -- slots, slot.c --------------------------------------------------------- */

/* Slots that await an answer, of all links. */
extern uint32_t orl_am_awaited;

/* Which slots: those of peer, or of link, or of one record of it. */
struct orl_am_choice {
	const struct orl_am_peer *peer; /* NULL: any */
	const struct orl_link *link;	/* NULL: any */
	uint32_t serial;		/* 0: any */
	uint32_t offset;		/* 0: any */
};
/* Answers them with NULL, and error to their links. */
void orl_am_slots_fail(const struct orl_am_choice *choice, int error);
/* Notes the error, unless there is one. */
void orl_am_link_fail(struct orl_link *link, int error);
/* A name of the link's for link->id; 0 if there is no memory. */
uint32_t orl_am_link_name(struct orl_link *link);
void orl_am_link_unname(struct orl_link *link);

int orl_am_handle_answer(const struct orl_am_source *source,
			 const struct orl_record *record);
int orl_am_handle_error(const struct orl_am_source *source,
			const struct orl_record *record);

/* -- answers, answer.c ----------------------------------------------------- */

int orl_am_handle_flush(const struct orl_am_source *source,
			const struct orl_record *record);
int orl_am_handle_ping(const struct orl_am_source *source,
		       const struct orl_record *record);
/* Tells the peer what is wrong with a record of a link of its. */
void orl_am_answer_error(struct orl_am_peer *peer,
			 const struct orl_record_error *error);
/* The peer will be looked at by the next orl_am_answers_send_all. */
void orl_am_answers_due(struct orl_am_peer *peer);
/* Answers, credit and signs of life to all that are due. */
void orl_am_answers_send_all(void);

/* -- what has come, deliver.c and parked.c --------------------------------- */

/* Records that are being executed. */
struct orl_am_delivery {
	struct orl_am_source source;
	uint64_t cookie;
	uint32_t link, serial;	   /* the origin's names, for errors */
	const unsigned char *data; /* len bytes, the rest of a message */
	size_t len;
	size_t at;		      /* offset of the record, */
	size_t next;		      /* and of the one after it */
	size_t shift;		      /* of data in the message */
	struct orl_am_parked *parked; /* by this one */
};

/* The one under way, or NULL. */
extern struct orl_am_delivery *orl_am_current;
/* Records have been executed since this was set to false. */
extern bool orl_am_worked;

/* A message as it came, and all that follows from it. */
void orl_am_deliver(const void *message, size_t len);
/* Executes records until the end, or until one is parked. */
void orl_am_execute(struct orl_am_delivery *delivery);
/* Keeps it if others of its link are parked: then true. */
bool orl_am_follow(const struct orl_am_delivery *delivery);
/* Executes what has been resumed. */
void orl_am_resume_all(void);
bool orl_am_has_resumed(void);

/* -- polling, network.c ---------------------------------------------------- */

/* Within a poll, which executes what has been resumed before it ends. */
extern bool orl_am_polling;

#endif
