/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c - error codes with Oriel's own texts, and raising them. */
#include "orl_host.h"

#include "orl_util.h"

#include <stdio.h>

/* Predefined classes are small numbers on every host. */
#define MAX_CLASS 256

int orl_host_error_class(int code)
{
	int class = MPI_ERR_OTHER;

	PMPI_Error_class(code, &class);
	return class;
}

int orl_host_error_code(int class, const char *text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int codes[MAX_CLASS];
	char line[MPI_MAX_ERROR_STRING];
	int code = class;

	if (class <= 0 || class >= MAX_CLASS)
		return class;
	snprintf(line, sizeof(line), "%s", text);
	pthread_mutex_lock(&lock);
	if (!codes[class] && PMPI_Add_error_code(class, &codes[class]))
		codes[class] = 0;
	if (codes[class] && !PMPI_Add_error_string(codes[class], line))
		code = codes[class];
	pthread_mutex_unlock(&lock);
	return code;
}

int orl_host_raise_win(MPI_Win handle, int code)
{
	PMPI_Win_call_errhandler(handle, code);
	return code;
}

int orl_host_raise_comm(MPI_Comm handle, int code)
{
	PMPI_Comm_call_errhandler(handle == MPI_COMM_NULL ? MPI_COMM_WORLD
							  : handle,
				  code);
	return code;
}
