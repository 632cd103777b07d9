/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What message_size.sh runs: puts, gets and accumulates of many sizes arrive.
 * If the window is refused, the text is printed.
 */
#include "test.h"

#define MOST (1 << 17)

static void move(MPI_Win win, char *base, int len)
{
	static char sent[MOST], got[MOST];
	int t = test_next(), zero = 0;

	test_fill(sent, len, test_rank, len);
	MPI_Put(sent, len, MPI_BYTE, t, 0, len, MPI_BYTE, win);
	MPI_Win_fence(0, win);
	check(test_differs(base, len, test_prev(), len) == (size_t)len,
	      "%d bytes put", len);
	MPI_Get(got, len, MPI_BYTE, t, 0, len, MPI_BYTE, win);
	MPI_Accumulate(sent, len, MPI_BYTE, t, MOST, len, MPI_BYTE, MPI_REPLACE,
		       win);
	MPI_Accumulate(&zero, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	check(test_differs(got, len, test_rank, len) == (size_t)len,
	      "%d bytes got", len);
	check(test_differs(base + MOST, len, test_prev(), len) == (size_t)len,
	      "%d bytes accumulated", len);
	MPI_Win_fence(0, win);
}

int main(int argc, char **argv)
{
	char *base, text[MPI_MAX_ERROR_STRING];
	int len, rc;
	MPI_Win win;

	test_start(argc, argv);
	test_errors_return();
	rc = MPI_Win_allocate(2 * MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
			      &win);
	if (rc) {
		MPI_Error_string(rc, text, &len);
		printf("refused: %s\n", text);
		return test_finish();
	}
	MPI_Win_fence(0, win);
	for (len = 4; len <= MOST; len = len * 2 + 4 * (len % 3))
		move(win, base, len);
	MPI_Win_free(&win);
	return test_finish();
}
