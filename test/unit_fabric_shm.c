/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: the provider shm, whose names are texts of any length, opens where a
 * killed process has left memory of the name that is this one's turn.
 */
#include "fabric_pair.h"

static void name_file(char *path, size_t size, pid_t pid)
{
	snprintf(path, size, "/dev/shm/%d:%d:0", (int)pid, (int)getuid());
}

/* Memory of the provider shm that has this process's name already. */
static bool leave_memory(pid_t theirs)
{
	static char bytes[4096];
	char from[64], to[64];
	FILE *src, *dst;
	size_t n;

	name_file(from, sizeof(from), theirs);
	name_file(to, sizeof(to), getpid());
	src = fopen(from, "r");
	if (!src)
		return false;
	check((dst = fopen(to, "w")));
	while ((n = fread(bytes, 1, sizeof(bytes), src)) > 0)
		check(fwrite(bytes, 1, n, dst) == n);
	fclose(src);
	check(!fclose(dst));
	return true;
}

static void remove_memory(void)
{
	char path[64];

	name_file(path, sizeof(path), getpid());
	remove(path);
}

static void name_taken(void)
{
	bool was_left;
	struct partner partner;
	struct card card;
	uint64_t peer, word = 1;

	make_shared();
	partner = partner_start(serve);
	/* It has told its name, so it is open. */
	check(recv(partner.socket, &word, 1, MSG_PEEK) == 1);
	was_left = leave_memory(partner.pid);
	if (!was_left)
		printf("# shm's memory is called something else\n");
	open_fabric(count_message);
	peer = meet_by_card(&partner, &card);
	check(!write_to(peer, &card, 0, &word, 8));
	check(!send_to(peer, &word, 8));
	end_server(&partner);
	if (was_left)
		remove_memory();
}

static const struct process_case cases[] = {
	{ "a name that is taken", name_taken },
	{ NULL, NULL },
};

int main(void)
{
	return run_first_on("shm", cases);
}
