/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * links.h - for tests of active messages: processes with links to each other,
 * over the network's software provider, without MPI, and what the owner does
 * with records: it counts them.
 */
#ifndef LINKS_H
#define LINKS_H

#include "orl_am.h"

#include "orl_util.h"

#include <signal.h>
#include <sys/wait.h>

#include "process.h"

#define SKIPPED 77
#define LINKS	300
#define CLASS	17 /* an MPI error class */
#define MOST	1000
#define CREDIT	64 /* messages that may be on the way */

struct step {
	struct orl_record head;
	uint32_t link;
	uint32_t slot;
	uint64_t number;
};
_Static_assert(sizeof(struct step) == 24, "what makes 64 bytes");

/* What a process counts; the window of its messages.  Under the lock. */
static struct {
	uint64_t next[LINKS];
	uint64_t executed, disorder, hash;
	struct orl_am_parked *parked[LINKS];
	uint32_t nparked, nresumed;
} box;

static struct orl_link links[LINKS];

/* -- the owner's side ------------------------------------------------------ */

static inline const struct step *step_of(const struct orl_am_source *source,
					 const struct orl_record *record)
{
	const struct step *step = (const struct step *)record;

	if (source->object != &box || record->bytes != sizeof(*step) ||
	    step->link >= LINKS)
		box.disorder++;
	return step;
}

static inline void count(const struct step *step)
{
	__atomic_store_n(&box.executed, box.executed + 1, __ATOMIC_RELAXED);
	if (box.next[step->link]++ != step->number)
		box.disorder++;
}

static inline int serve_put(const struct orl_am_source *source,
			    const struct orl_record *record)
{
	count(step_of(source, record));
	return 0;
}

static inline unsigned char byte_of(size_t i, uint32_t link)
{
	return (unsigned char)(i * 7 + link);
}

/* number is the length that is asked for. */
static inline int serve_get(const struct orl_am_source *source,
			    const struct orl_record *record)
{
	const struct step *step = step_of(source, record);
	unsigned char *answer =
		orl_am_answer(source->peer, step->slot, step->number);
	size_t i;

	for (i = 0; answer && i < step->number; i++)
		answer[i] = byte_of(i, step->link);
	return 0;
}

static inline int serve_error(const struct orl_am_source *source,
			      const struct orl_record *record)
{
	return CLASS;
}

static inline int serve_refusal(const struct orl_am_source *source,
				const struct orl_record *record)
{
	return -EPERM;
}

static inline int serve_lock(const struct orl_am_source *source,
			     const struct orl_record *record)
{
	count(step_of(source, record));
	box.parked[box.nparked] = orl_am_park();
	return box.parked[box.nparked++] ? ORL_AM_PARK : CLASS;
}

/* Sets the next one free. */
static inline int serve_unlock(const struct orl_am_source *source,
			       const struct orl_record *record)
{
	count(step_of(source, record));
	if (box.nresumed < box.nparked)
		orl_am_resume(box.parked[box.nresumed++]);
	return 0;
}

static inline int serve_kill(const struct orl_am_source *source,
			     const struct orl_record *record)
{
	raise(SIGKILL);
	return 0;
}

static inline uint64_t hash(const unsigned char *bytes, size_t len)
{
	uint64_t x = len;

	while (len--)
		x = x * 31 + *bytes++;
	return x;
}

static inline int serve_blob(const struct orl_am_source *source,
			     const struct orl_record *record)
{
	box.hash = hash((const unsigned char *)(record + 1),
			record->bytes - sizeof(*record));
	return 0;
}

/* -- two processes --------------------------------------------------------- */

static inline void handle_all(void)
{
	orl_am_handle(ORL_AM_PUT, serve_put);
	orl_am_handle(ORL_AM_GET, serve_get);
	orl_am_handle(ORL_AM_ACC, serve_error);
	orl_am_handle(ORL_AM_PULL, serve_refusal);
	orl_am_handle(ORL_AM_LOCK, serve_lock);
	orl_am_handle(ORL_AM_UNLOCK, serve_unlock);
	orl_am_handle(ORL_AM_FOP, serve_kill);
	orl_am_handle(ORL_AM_POST, serve_blob);
}

static inline uint64_t own_cookie(void)
{
	static uint64_t cookie;

	if (cookie)
		return cookie;
	orl_progress_lock();
	check(!orl_am_name_make(&box, &cookie));
	orl_progress_unlock();
	return cookie;
}

/* Exchanges cards and names with the other one; n links to it. */
static inline void connect_links(struct partner *partner, struct orl_link *link,
				 int n)
{
	struct {
		struct orl_am_card card;
		uint64_t cookie;
	} own, other;
	struct orl_am_peer *peer;
	int i;

	memset(&own, 0, sizeof(own));
	orl_am_card_fill(&own.card);
	own.cookie = own_cookie();
	tell(partner, &own, sizeof(own));
	hear(partner, &other, sizeof(other));
	orl_progress_lock();
	check(!orl_am_peer_find(&other.card, &peer));
	orl_progress_unlock();
	for (i = 0; i < n; i++) {
		memset(&link[i], 0, sizeof(link[i]));
		link[i].peer = peer;
		link[i].cookie = other.cookie;
	}
	meet(partner);
}

static inline void open_here(void)
{
	const char *what = "";

	alarm(120);
	handle_all();
	check(!orl_am_open(2, &what));
}

/* Writes the record and leaves the lock held. */
static inline struct step *begin_step(int link, enum orl_am_type type,
				      uint64_t number)
{
	struct step *step;

	orl_progress_lock();
	step = orl_am_record(&links[link], type, sizeof(*step));
	if (!step)
		return NULL;
	step->link = (uint32_t)link;
	step->slot = 0;
	step->number = number;
	return step;
}

static inline void write_step(int link, enum orl_am_type type, uint64_t number)
{
	check(begin_step(link, type, number));
	orl_progress_unlock();
}

static inline void send_step(int link, enum orl_am_type type, uint64_t number)
{
	check(begin_step(link, type, number));
	orl_am_send(&links[link]);
	orl_progress_unlock();
}

static inline void ask_step(int link, enum orl_am_type type, uint64_t number,
			    orl_am_answer_fn fn, void *dst)
{
	struct step *step = begin_step(link, type, number);

	check(step);
	step->slot = orl_am_slot(&links[link], fn, dst, number);
	check(step->slot);
	orl_progress_unlock();
}

struct report {
	uint64_t executed, disorder, hash, dropped, nparked;
};

static inline struct report report_here(void)
{
	struct report report;

	orl_progress_lock();
	report = (struct report){
		.executed = box.executed,
		.disorder = box.disorder,
		.hash = box.hash,
		.dropped = orl_am_counts.dropped,
		.nparked = box.nparked,
	};
	orl_progress_unlock();
	return report;
}

static inline struct orl_am_counts counts(void)
{
	struct orl_am_counts now;

	orl_progress_lock();
	now = orl_am_counts;
	orl_progress_unlock();
	return now;
}

static inline void send_many(int messages)
{
	const struct orl_am_peer *peer = links[0].peer;
	int i;

	for (i = 0; i < messages; i++) {
		send_step(0, ORL_AM_PUT, (uint64_t)i);
		orl_progress_lock();
		check(peer->sent - peer->credited <= CREDIT);
		orl_progress_unlock();
	}
}

/* Does what it is told by single letters, and all else by its thread. */
static inline void serve(struct partner *partner)
{
	struct report report;
	char order;

	open_here();
	connect_links(partner, links, 1);
	while (recv(partner->socket, &order, 1, MSG_WAITALL) == 1) {
		switch (order) {
		case 'r':
			report = report_here();
			tell(partner, &report, sizeof(report));
			break;
		case 'm':
			send_many(MOST);
			check(!orl_am_flush(&links[0]));
			tell(partner, &order, 1);
			break;
		case 'q':
			orl_am_close();
			return;
		}
	}
}

static inline struct report ask_report(const struct partner *partner)
{
	struct report report;

	tell(partner, "r", 1);
	hear(partner, &report, sizeof(report));
	return report;
}

static inline struct partner begin(int n)
{
	struct partner partner = partner_start(serve);

	open_here();
	connect_links(&partner, links, n);
	return partner;
}

static inline void end(struct partner *partner)
{
	tell(partner, "q", 1);
	orl_am_close();
	partner_end(partner);
}

/* -- what fails ------------------------------------------------------------ */

static int missed;

static inline void miss(struct orl_link *link, void *dst, const void *data,
			size_t len)
{
	check(!data && link == &links[0] && dst == &missed);
	missed++;
}

/* -- running cases --------------------------------------------------------- */

/* Whether there is a network at all is found out in another process. */
static inline bool has_network(void)
{
	const char *what = "";
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		if (!orl_am_open(2, &what))
			exit(0);
		printf("# skipped: %s\n", what);
		exit(SKIPPED);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid);
	check(WIFEXITED(status));
	return !WEXITSTATUS(status);
}

/* All, or the one that is named. */
static inline int run_links(const struct process_case *cases, const char *name)
{
	struct process_case one[2] = { { NULL, NULL }, { NULL, NULL } };
	const struct process_case *c;

	setenv("ORIEL_PROVIDER", "tcp;ofi_rxm", 0);
	orl_options_load();
	if (!has_network())
		return SKIPPED;
	if (!name)
		return run_cases(cases);
	for (c = cases; c->name; c++)
		if (!strcmp(c->name, name))
			one[0] = *c;
	return run_cases(one);
}

#endif
