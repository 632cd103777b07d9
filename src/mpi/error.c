/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c - MPI-3.1 section 8.3: the texts of Oriel's error codes. */
#include "entry.h"

int MPI_Error_string(int errorcode, char *string, int *resultlen)
{
	if (orl_host_error_text(errorcode, string, resultlen))
		return MPI_SUCCESS;
	return orl_host.Error_string(errorcode, string, resultlen);
}
ORL_ALIAS(Error_string);
