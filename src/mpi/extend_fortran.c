/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extend_fortran.c - the library's side of include/oriel.f90: the calls of
 * oriel.h with Fortran's handles, and buffers as addresses.  What is given back
 * is null where the call fails.  The two files declare the same by hand.
 */
#include "oriel.h"

#define EXPORTED __attribute__((visibility("default")))

/* -- notifications --------------------------------------------------------- */

int oriel_f_put_notify(MPI_Aint origin, MPI_Fint origin_count,
		       MPI_Fint origin_type, MPI_Fint rank, MPI_Aint disp,
		       MPI_Fint target_count, MPI_Fint target_type,
		       MPI_Fint tag, MPI_Fint win) EXPORTED;
int oriel_f_get_notify(MPI_Aint origin, MPI_Fint origin_count,
		       MPI_Fint origin_type, MPI_Fint rank, MPI_Aint disp,
		       MPI_Fint target_count, MPI_Fint target_type,
		       MPI_Fint tag, MPI_Fint win) EXPORTED;
int oriel_f_accumulate_notify(MPI_Aint origin, MPI_Fint origin_count,
			      MPI_Fint origin_type, MPI_Fint rank,
			      MPI_Aint disp, MPI_Fint target_count,
			      MPI_Fint target_type, MPI_Fint op, MPI_Fint tag,
			      MPI_Fint win) EXPORTED;
int oriel_f_notify_wait(MPI_Fint win, MPI_Fint tag, MPI_Fint count) EXPORTED;
int oriel_f_notify_test(MPI_Fint win, MPI_Fint tag, MPI_Fint count,
			MPI_Fint *flag) EXPORTED;

int oriel_f_put_notify(MPI_Aint origin, MPI_Fint origin_count,
		       MPI_Fint origin_type, MPI_Fint rank, MPI_Aint disp,
		       MPI_Fint target_count, MPI_Fint target_type,
		       MPI_Fint tag, MPI_Fint win)
{
	return Oriel_Put_notify((const void *)origin, origin_count,
				PMPI_Type_f2c(origin_type), rank, disp,
				target_count, PMPI_Type_f2c(target_type), tag,
				PMPI_Win_f2c(win));
}

int oriel_f_get_notify(MPI_Aint origin, MPI_Fint origin_count,
		       MPI_Fint origin_type, MPI_Fint rank, MPI_Aint disp,
		       MPI_Fint target_count, MPI_Fint target_type,
		       MPI_Fint tag, MPI_Fint win)
{
	return Oriel_Get_notify((void *)origin, origin_count,
				PMPI_Type_f2c(origin_type), rank, disp,
				target_count, PMPI_Type_f2c(target_type), tag,
				PMPI_Win_f2c(win));
}

int oriel_f_accumulate_notify(MPI_Aint origin, MPI_Fint origin_count,
			      MPI_Fint origin_type, MPI_Fint rank,
			      MPI_Aint disp, MPI_Fint target_count,
			      MPI_Fint target_type, MPI_Fint op, MPI_Fint tag,
			      MPI_Fint win)
{
	return Oriel_Accumulate_notify((const void *)origin, origin_count,
				       PMPI_Type_f2c(origin_type), rank, disp,
				       target_count, PMPI_Type_f2c(target_type),
				       PMPI_Op_f2c(op), tag, PMPI_Win_f2c(win));
}

int oriel_f_notify_wait(MPI_Fint win, MPI_Fint tag, MPI_Fint count)
{
	return Oriel_Notify_wait(PMPI_Win_f2c(win), tag, count);
}

int oriel_f_notify_test(MPI_Fint win, MPI_Fint tag, MPI_Fint count,
			MPI_Fint *flag)
{
	*flag = 0;
	return Oriel_Notify_test(PMPI_Win_f2c(win), tag, count, flag);
}

/* -- requests -------------------------------------------------------------- */

int oriel_f_rfetch_and_op(MPI_Aint origin, MPI_Aint result, MPI_Fint type,
			  MPI_Fint rank, MPI_Aint disp, MPI_Fint op,
			  MPI_Fint win, MPI_Fint *request) EXPORTED;
int oriel_f_rcompare_and_swap(MPI_Aint origin, MPI_Aint compare,
			      MPI_Aint result, MPI_Fint type, MPI_Fint rank,
			      MPI_Aint disp, MPI_Fint win,
			      MPI_Fint *request) EXPORTED;
int oriel_f_rflush(MPI_Fint rank, MPI_Fint win, MPI_Fint *request) EXPORTED;

int oriel_f_rfetch_and_op(MPI_Aint origin, MPI_Aint result, MPI_Fint type,
			  MPI_Fint rank, MPI_Aint disp, MPI_Fint op,
			  MPI_Fint win, MPI_Fint *request)
{
	MPI_Request made = MPI_REQUEST_NULL;
	int rc = Oriel_Rfetch_and_op((const void *)origin, (void *)result,
				     PMPI_Type_f2c(type), rank, disp,
				     PMPI_Op_f2c(op), PMPI_Win_f2c(win), &made);

	*request = PMPI_Request_c2f(made);
	return rc;
}

int oriel_f_rcompare_and_swap(MPI_Aint origin, MPI_Aint compare,
			      MPI_Aint result, MPI_Fint type, MPI_Fint rank,
			      MPI_Aint disp, MPI_Fint win, MPI_Fint *request)
{
	MPI_Request made = MPI_REQUEST_NULL;
	int rc = Oriel_Rcompare_and_swap(
		(const void *)origin, (const void *)compare, (void *)result,
		PMPI_Type_f2c(type), rank, disp, PMPI_Win_f2c(win), &made);

	*request = PMPI_Request_c2f(made);
	return rc;
}

int oriel_f_rflush(MPI_Fint rank, MPI_Fint win, MPI_Fint *request)
{
	MPI_Request made = MPI_REQUEST_NULL;
	int rc = Oriel_Rflush(rank, PMPI_Win_f2c(win), &made);

	*request = PMPI_Request_c2f(made);
	return rc;
}

/* -- what the library tells; strings are C's ------------------------------- */

const char *oriel_f_path(MPI_Fint win, MPI_Fint rank) EXPORTED;

const char *oriel_f_path(MPI_Fint win, MPI_Fint rank)
{
	return oriel_path(PMPI_Win_f2c(win), rank);
}

/* -- windows --------------------------------------------------------------- */

int oriel_f_win_dup(MPI_Fint win, MPI_Fint info, MPI_Fint *newwin) EXPORTED;

int oriel_f_win_dup(MPI_Fint win, MPI_Fint info, MPI_Fint *newwin)
{
	MPI_Win made = MPI_WIN_NULL;
	int rc = Oriel_Win_dup(PMPI_Win_f2c(win), PMPI_Info_f2c(info), &made);

	*newwin = PMPI_Win_c2f(made);
	return rc;
}
