! SPDX-License-Identifier: BSD-3-Clause
! suite.F90 - every function of MPI-3.1's one-sided chapter, and those that
! take requests, do by one of the Fortran bindings what they do in C, and come
! through their C functions.
#include "binding.inc"
program suite
	MPI_MODULE
	use iso_c_binding
	use check_m
	use windows_m
	use transfers_m
	use completion_m
	use epochs_m
	use objects_m
#ifdef LARGE
	use large_m
#endif
	implicit none
	MPI_HEADER
	integer :: ierr, total

	interface
		! The functions that no call has come through, see spy.c.
		integer(c_int) function spy_missed(apart) bind(C)
			import :: c_int
			integer(c_int), value :: apart
		end function
	end interface

	call MPI_Init(ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
	next = mod(rank + 1, ranks)
	prev = mod(rank + ranks - 1, ranks)
	call windows
#ifdef LARGE
	call large
#endif
	call transfers
	call completion
	call epochs
	call objects
	call check(spy_missed(merge(1, 0, hosts_are_apart())) == 0, 'all functions reached')
	call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, &
			   MPI_COMM_WORLD, ierr)
	call leave(total)
	call MPI_Finalize(ierr)
	if (total /= 0) stop 1
end program
