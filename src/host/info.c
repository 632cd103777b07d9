/* SPDX-License-Identifier: BSD-3-Clause */
/* info.c - info objects. */
#include "orl_host.h"

bool orl_host_info_get(MPI_Info info, const char *key, char *value, size_t size)
{
	int flag = 0;

	if (info == MPI_INFO_NULL)
		return false;
	if (PMPI_Info_get(info, key, (int)size - 1, value, &flag))
		return false;
	return flag;
}

int orl_host_info_make(MPI_Info *info)
{
	int rc = PMPI_Info_create(info);

	return rc ? orl_host_error_class(rc) : 0;
}

int orl_host_info_set(MPI_Info info, const char *key, const char *value)
{
	int rc = PMPI_Info_set(info, key, value);

	return rc ? orl_host_error_class(rc) : 0;
}

void orl_host_info_free(MPI_Info *info)
{
	PMPI_Info_free(info);
}
