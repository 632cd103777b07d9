/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer.c - the processes of the node whose arenas are mapped here, by token.
 * They are kept until exit: windows come and go, mappings stay.
 */
#include "orl_shm.h"

#include "orl_util.h"
#include "shm.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static struct orl_map peers = ORL_MAP_INIT;
static pthread_mutex_t connecting = PTHREAD_MUTEX_INITIALIZER;

/*
 * The pid or the descriptor may have changed hands, and two machines that
 * were copied from one may pass for one node: the file's name decides.
 */
static int check_file(int fd, const struct orl_card *card)
{
	char link[64], name[32], path[256];
	struct stat status;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0 || fstat(fd, &status))
		return -errno;
	path[n] = 0;
	snprintf(name, sizeof(name), ORL_ARENA_NAME,
		 (unsigned long long)card->token);
	if (!strstr(path, name) || (uint64_t)status.st_size < card->size)
		return -ESTALE;
	return 0;
}

/* Maps the arena of another process. */
static int map_peer(const struct orl_card *card, uint64_t *addr)
{
	char path[64];
	int fd, rc;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)card->pid,
		 (int)card->fd);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	rc = check_file(fd, card);
	if (!rc)
		rc = orl_arena_map(fd, card->size, addr);
	close(fd);
	return rc;
}

static int connect_peer(const struct orl_card *card, struct orl_peer **found)
{
	struct orl_arena_id own;
	struct orl_peer *peer;
	uint64_t addr = card->base;
	int rc = 0;

	orl_arena_identify(&own);
	if (card->token != own.token)
		rc = map_peer(card, &addr);
	if (rc)
		return rc;
	peer = malloc(sizeof(*peer));
	if (!peer)
		return -ENOMEM;
	*peer = (struct orl_peer){
		.token = card->token,
		.pid = card->pid,
		.delta = (ptrdiff_t)(addr - card->base),
		/* Far from where blocks are likely: a read makes a page. */
		.probe = card->base + card->size - sizeof(uint64_t),
	};
	rc = orl_map_set(&peers, card->token, peer);
	if (rc) {
		free(peer);
		return rc;
	}
	*found = peer;
	return 0;
}

int orl_peer_find(const struct orl_card *card, struct orl_peer **peer)
{
	int rc = 0;

	*peer = orl_map_find(&peers, card->token);
	if (orl_likely(*peer))
		return 0;
	if (!card->token)
		return -EINVAL;
	if (card->node != orl_node_id())
		return -EXDEV;
	pthread_mutex_lock(&connecting);
	*peer = orl_map_find(&peers, card->token);
	if (!*peer)
		rc = connect_peer(card, peer);
	pthread_mutex_unlock(&connecting);
	return rc;
}

static int try_read(const struct orl_peer *peer)
{
	uint64_t word;
	struct iovec local = { &word, sizeof(word) };
	struct iovec remote = { (void *)(uintptr_t)peer->probe, sizeof(word) };
	ssize_t n = process_vm_readv(peer->pid, &local, 1, &remote, 1, 0);

	if (n < 0)
		return -errno;
	return n == sizeof(word) ? 1 : -EFAULT;
}

int orl_peer_cma(struct orl_peer *peer)
{
	/* Two threads may both try: the answer is the same. */
	if (!peer->cma)
		peer->cma = try_read(peer);
	return peer->cma > 0 ? 0 : peer->cma;
}
