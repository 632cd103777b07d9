/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node.c - what tells other processes who and where this one is.
 */
#include "orl_shm.h"

#include "shm.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t hash(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		seed = (seed ^ bytes[i]) * 0x100000001b3u;
	return seed;
}

/* Changes with each start of the machine; empty where it is not told. */
static void read_boot_id(char id[64])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	memset(id, 0, 64);
	if (!file)
		return;
	if (fscanf(file, "%63s", id) != 1)
		id[0] = 0;
	fclose(file);
}

static uint64_t inode_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : (uint64_t)status.st_ino;
}

/*
 * /proc/PID/fd/FD needs the pid's meaning, the same user and the same
 * capabilities, whose meaning is the user namespace's.
 */
static uint64_t node;

static void read_node(void)
{
	char boot[64];
	uint64_t parts[3];

	read_boot_id(boot);
	parts[0] = inode_of("/proc/self/ns/pid");
	parts[1] = inode_of("/proc/self/ns/user");
	parts[2] = geteuid();
	node = hash(0xcbf29ce484222325u, boot, sizeof(boot));
	node = hash(node, parts, sizeof(parts));
}

uint64_t orl_node_id(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_node);
	return node;
}

void orl_card_fill(struct orl_card *card)
{
	struct orl_arena_id id;

	orl_arena_identify(&id);
	*card = (struct orl_card){
		.token = id.token,
		.node = orl_node_id(),
		.base = id.base,
		.size = id.size,
		.used = orl_arena_used(),
		.pid = getpid(),
		.fd = id.fd,
	};
}
