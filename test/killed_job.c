/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * killed_job.c - what killed.sh runs: windows of every kind, used; then each
 * rank writes its process id to a file of the folder given, and waits to be
 * killed.
 */
#include <unistd.h>

#include "test.h"

#define EPOCHS 300 /* of each: their trace is some chunks of the file */

int main(int argc, char **argv)
{
	struct test_win w[KIND_COUNT];
	char name[4096];
	FILE *f;
	int i, k;

	test_start(argc, argv);
	for (i = 0; i < KIND_COUNT; i++) {
		test_win_open(&w[i], (enum test_kind)i, 1 << 20, 1);
		for (k = 0; k < EPOCHS; k++) {
			MPI_Win_lock_all(0, w[i].win);
			MPI_Win_unlock_all(w[i].win);
		}
	}
	snprintf(name, sizeof(name), "%s/pid.%d", argv[1], test_rank);
	f = fopen(name, "w");
	if (!f)
		return 1;
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
	MPI_Barrier(MPI_COMM_WORLD);
	snprintf(name, sizeof(name), "%s/ready.%d", argv[1], test_rank);
	f = fopen(name, "w");
	if (f)
		fclose(f);
	for (;;)
		pause();
}
