/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by fatal.sh: fatal_job HANDLER WHERE makes one error that HANDLER, fatal
 * or abort, does not let it survive: on a window, on one of so many that MPICH
 * has no window for it, or in the creation of one.
 */
#include "test.h"

/* More than Oriel makes of MPICH's. */
#define MANY 1100

static MPI_Errhandler handler_of(const char *name)
{
#ifdef MPI_ERRORS_ABORT
	if (!strcmp(name, "abort"))
		return MPI_ERRORS_ABORT;
#endif
	if (!strcmp(name, "fatal"))
		return MPI_ERRORS_ARE_FATAL;
	return MPI_ERRHANDLER_NULL;
}

/* A put without an epoch. */
static void on_window(MPI_Errhandler handler)
{
	MPI_Errhandler now;
	MPI_Win win;
	char byte;

	MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
	/* From another handler to this one, as programs do. */
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_set_errhandler(win, handler);
	MPI_Win_get_errhandler(win, &now);
	if (now != handler)
		puts("another handler");
	fflush(stdout);
	MPI_Put(&byte, 1, MPI_BYTE, 0, 0, 1, MPI_BYTE, win);
}

static void on_last(MPI_Errhandler handler)
{
	static MPI_Win wins[MANY];
	int i;

	for (i = 0; i < MANY; i++)
		MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF,
			       &wins[i]);
	on_window(handler);
}

/* A unit of -1. */
static void in_creation(MPI_Errhandler handler)
{
	MPI_Win win;
	char byte;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	MPI_Win_create(&byte, 1, -1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;

	test_start(argc, argv);
	handler = handler_of(argv[1]);
	if (handler == MPI_ERRHANDLER_NULL)
		return test_skip("the host has no such handler");
	if (!strcmp(argv[2], "set")) {
		MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
		return test_finish();
	}
	if (!strcmp(argv[2], "window"))
		on_window(handler);
	else if (!strcmp(argv[2], "last"))
		on_last(handler);
	else
		in_creation(handler);
	puts("survived");
	return test_finish();
}
