/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fabric.c - libfabric's reads, writes and messages, one endpoint a rank.
 *
 * libfabric is loaded, not linked: what its constructors look at must be set
 * before, and Oriel loads it so too.
 */
#include "raw.h"

#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW	64 /* operations under way, at most */
#define RECVS	16
#define MESSAGE 64 /* bytes of a message: a small record and its head */
#define ANSWER	48
#define STOP	1
#define NAME	128

/* All memory that libfabric sees, so that one registration serves. */
struct arena {
	char window[RAW_SPAN]; /* the other rank's */
	char src[RAW_SPAN];
	char dst[RAW_SPAN];
	char message[MESSAGE];
	char received[RECVS][MESSAGE];
};

/* What the ranks tell each other. */
struct contact {
	char name[NAME];
	size_t name_len;
	uint64_t window, key;
};

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_av *av;
static struct fid_cq *cq;
static struct fid_ep *ep;
static struct fid_mr *mr;
static struct arena *arena;
static struct contact other;
static fi_addr_t peer;

static struct fi_context2 contexts[WINDOW], recv_contexts[RECVS];
static int pending;	  /* operations of ours that are not complete */
static uint64_t messages; /* that have come */
static bool stopped;

/* -- libfabric's functions ------------------------------------------------- */

static int (*get_info)(uint32_t, const char *, const char *, uint64_t,
		       const struct fi_info *, struct fi_info **);
static void (*free_info)(struct fi_info *);
static struct fi_info *(*dup_info)(const struct fi_info *);
static int (*open_fabric)(struct fi_fabric_attr *, struct fid_fabric **,
			  void *);
static const char *(*error_text)(int);

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		raw_die("libfabric: no %s", name);
	return found;
}

/* The same settings as Oriel's. */
static void load(void)
{
	void *library;

	setenv("IPATH_NO_BACKTRACE", "1", 0);
	setenv("FI_OFI_RXM_MSG_RX_SIZE", "128", 0);
	setenv("FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100", 0);
	library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		raw_die("libfabric: %s", dlerror());
	*(void **)&get_info = symbol(library, "fi_getinfo");
	*(void **)&free_info = symbol(library, "fi_freeinfo");
	*(void **)&dup_info = symbol(library, "fi_dupinfo");
	*(void **)&open_fabric = symbol(library, "fi_fabric");
	*(void **)&error_text = symbol(library, "fi_strerror");
}

static void need(int rc, const char *what)
{
	if (rc < 0)
		raw_die("%s: %s", what, error_text(-rc));
}

/* -- progress -------------------------------------------------------------- */

static void post_recv(int i)
{
	need((int)fi_recv(ep, arena->received[i], MESSAGE, fi_mr_desc(mr),
			  FI_ADDR_UNSPEC, &recv_contexts[i]),
	     "fi_recv");
}

static void complete(const struct fi_cq_msg_entry *entry)
{
	struct fi_context2 *context = entry->op_context;

	if (!(entry->flags & FI_RECV)) {
		pending--;
		return;
	}
	messages++;
	stopped = stopped || entry->len == STOP;
	post_recv((int)(context - recv_contexts));
}

static void poll_cq(void)
{
	struct fi_cq_msg_entry entries[16];
	struct fi_cq_err_entry error = { 0 };
	ssize_t n = fi_cq_read(cq, entries, 16);

	if (n == -FI_EAVAIL) {
		fi_cq_readerr(cq, &error, 0);
		raw_die("an operation failed: %s", error_text(error.err));
	}
	if (n < 0 && n != -FI_EAGAIN)
		need((int)n, "fi_cq_read");
	for (ssize_t i = 0; i < n; i++)
		complete(&entries[i]);
}

static void finish(void)
{
	while (pending)
		poll_cq();
}

/* -- posting --------------------------------------------------------------- */

typedef ssize_t (*post_fn)(size_t offset, size_t len, void *context);

static ssize_t post_rma(char *local, size_t offset, size_t len, void *context,
			bool is_write)
{
	void *desc = fi_mr_desc(mr);
	struct iovec iov = { local + offset, len };
	struct fi_rma_iov remote = { other.window + offset, len, other.key };
	struct fi_msg_rma msg = {
		.msg_iov = &iov,
		.desc = &desc,
		.iov_count = 1,
		.addr = peer,
		.rma_iov = &remote,
		.rma_iov_count = 1,
		.context = context,
	};

	if (is_write)
		return fi_writemsg(ep, &msg, FI_DELIVERY_COMPLETE);
	return fi_readmsg(ep, &msg, 0);
}

static ssize_t post_write(size_t offset, size_t len, void *context)
{
	return post_rma(arena->src, offset, len, context, true);
}

static ssize_t post_read(size_t offset, size_t len, void *context)
{
	return post_rma(arena->dst, offset, len, context, false);
}

/* A message of all zeros says all by its length. */
static ssize_t post_send(size_t offset, size_t len, void *context)
{
	return fi_send(ep, arena->message + offset, len, fi_mr_desc(mr), peer,
		       context);
}

static void post(post_fn fn, size_t offset, size_t len, void *context)
{
	ssize_t rc;

	while ((rc = fn(offset, len, context)) == -FI_EAGAIN)
		poll_cq();
	need((int)rc, "posting");
	pending++;
}

static void send_message(size_t len)
{
	ssize_t rc;

	if (len > info->tx_attr->inject_size) {
		finish();
		post(post_send, 0, len, contexts);
		return;
	}
	while ((rc = fi_inject(ep, arena->message, len, peer)) == -FI_EAGAIN)
		poll_cq();
	need((int)rc, "fi_inject");
}

/* -- tests ----------------------------------------------------------------- */

/* Each operation of a burst has memory of its own. */
static void bursts(post_fn fn, size_t size, int n, int burst)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < burst; j++)
			post(fn, (size_t)j * size, size, &contexts[j]);
		finish();
	}
}

/* The first bytes are new each time. */
static void run_write(size_t size, int n, int burst)
{
	static uint64_t stamp;

	stamp++;
	memcpy(arena->src, &stamp, sizeof(stamp));
	bursts(post_write, size, n, burst);
}

static void run_read(size_t size, int n, int burst)
{
	bursts(post_read, size, n, burst);
}

static void run_message(size_t size, int n, int burst)
{
	uint64_t until;

	for (int i = 0; i < n * burst; i++) {
		until = messages + 1;
		send_message(size);
		while (messages < until)
			poll_cq();
	}
}

/* Reads back what was written. */
static bool check_write(size_t size, int burst)
{
	size_t all = size * (size_t)burst;

	memset(arena->dst, 0, all);
	bursts(post_read, all, 1, 1);
	return !memcmp(arena->src, arena->dst, all);
}

static bool check_read(size_t size, int burst)
{
	size_t all = size * (size_t)burst;

	run_write(all, 1, 1);
	memset(arena->dst, 0, all);
	run_read(size, 1, burst);
	return !memcmp(arena->src, arena->dst, all);
}

/* Answers every message until the one that ends it. */
static void serve(void)
{
	uint64_t answered = 0;

	while (!stopped) {
		poll_cq();
		for (; answered < messages && !stopped; answered++)
			send_message(ANSWER);
	}
}

static void stop(void)
{
	send_message(STOP);
	finish();
	/* A copy that libfabric has taken leaves when it is polled. */
	for (int i = 0; i < 1000; i++)
		poll_cq();
}

/* -- opening --------------------------------------------------------------- */

static void find_info(const char *provider)
{
	struct fi_info *hints = dup_info(NULL);

	if (!hints)
		raw_die("no memory");
	hints->caps = FI_MSG | FI_RMA;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR |
				      FI_MR_ALLOCATED | FI_MR_PROV_KEY |
				      FI_MR_ENDPOINT;
	hints->fabric_attr->prov_name = strdup(provider);
	need(get_info(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info),
	     provider);
	free_info(hints);
}

static void open_endpoint(void)
{
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_MSG };

	need(open_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
	need(fi_domain(fabric, info, &domain, NULL), "fi_domain");
	need(fi_av_open(domain, &av_attr, &av, NULL), "fi_av_open");
	need(fi_cq_open(domain, &cq_attr, &cq, NULL), "fi_cq_open");
	need(fi_endpoint(domain, info, &ep, NULL), "fi_endpoint");
	need(fi_ep_bind(ep, &av->fid, 0), "fi_ep_bind");
	need(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
	need(fi_enable(ep), "fi_enable");
}

static void open_memory(void)
{
	uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ |
			  FI_WRITE | FI_SEND | FI_RECV;

	arena = raw_buffer(sizeof(*arena));
	for (size_t i = 0; i < RAW_SPAN; i++)
		arena->src[i] = (char)(i * 31 + i / 251 + 1);
	need(fi_mr_reg(domain, arena, sizeof(*arena), access, 0, 1, 0, &mr,
		       NULL),
	     "fi_mr_reg");
	if (info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
		need(fi_mr_bind(mr, &ep->fid, 0), "fi_mr_bind");
		need(fi_mr_enable(mr), "fi_mr_enable");
	}
	for (int i = 0; i < RECVS; i++)
		post_recv(i);
}

static void meet(void)
{
	struct contact mine = { .name_len = NAME, .key = fi_mr_key(mr) };

	need(fi_getname(&ep->fid, mine.name, &mine.name_len), "fi_getname");
	if (info->domain_attr->mr_mode & FI_MR_VIRT_ADDR)
		mine.window = (uint64_t)(uintptr_t)arena->window;
	raw_exchange(&mine, &other, sizeof(mine));
	if (fi_av_insert(av, other.name, 1, &peer, 0, NULL) != 1)
		raw_die("fi_av_insert failed");
}

static const char *open_all(int rank, const char *provider)
{
	load();
	find_info(provider);
	open_endpoint();
	open_memory();
	meet();
	return info->fabric_attr->prov_name;
}

static void close_all(void)
{
	fi_close(&ep->fid);
	fi_close(&mr->fid);
	fi_close(&cq->fid);
	fi_close(&av->fid);
	fi_close(&domain->fid);
	fi_close(&fabric->fid);
	free_info(info);
	free(arena);
}

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

static const size_t all_sizes[] = {
	8, 64, 512, 4 * KIB, 64 * KIB, 512 * KIB, MIB, 4 * MIB, 0,
};
static const size_t large_sizes[] = { 64 * KIB, MIB, 4 * MIB, 0 };
static const size_t one_word[] = { 8, 0 };
static const size_t one_message[] = { MESSAGE, 0 };

static const struct raw_test tests[] = {
	{ "fi_write", "a write, complete when delivered", all_sizes, 1,
	  run_write, check_write },
	{ "fi_read", "a read", all_sizes, 1, run_read, check_read },
	{ "fi_msg", "a message of 64 bytes and an answer of 48", one_message, 1,
	  run_message, NULL },
	{ "fi_write_rate", "64 writes of 8 bytes, for one", one_word, WINDOW,
	  run_write, check_write },
	{ "fi_write_bw", "up to 64 writes under way, for one", large_sizes,
	  WINDOW, run_write, check_write },
	{ "fi_read_bw", "up to 64 reads under way, for one", large_sizes,
	  WINDOW, run_read, check_read },
	{ .name = NULL },
};

const struct raw_transport raw_fabric = {
	open_all, tests, serve, stop, close_all,
};
