! SPDX-License-Identifier: BSD-3-Clause
! transfers.F90 - the communication calls (MPI-3.1 section 11.3), on integers
! of the next rank; what has come is looked at by its owner.
#include "binding.inc"
module transfers_m
	MPI_MODULE
	use iso_c_binding
	use check_m
	implicit none
	MPI_HEADER
	private
	public :: transfers
	integer, parameter :: n = 20, many = 100000
	integer(c_int), target, save :: mem(0:n - 1)
	integer(c_int), target, save :: section(2 * many), wide(many)
	integer(c_int), asynchronous, save :: value(0:n - 1), result(0:n - 1)
contains

subroutine transfers
	integer(MPI_ADDRESS_KIND) :: bytes
	WIN_T :: win
	integer :: ierr, i

	bytes = 4 * n
	value = [(1000 * rank + i, i = 0, n - 1)]
	result = -1
	mem = [(10 * i, i = 0, n - 1)]
	call MPI_Win_create(mem, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
			    ierr)
	call MPI_Win_lock_all(0, win, ierr)
	call plain(win)
	call atomic(win)
	call requests(win)
	call sentinels(win)
	call MPI_Win_unlock_all(win, ierr)
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	call arrived
	call MPI_Win_free(win, ierr)
	if (MPI_SUBARRAYS_SUPPORTED) call sections
end subroutine

subroutine plain(win)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND) :: disp
	integer :: ierr

	disp = 0
	call MPI_Put(value(0), 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
		     win, ierr)
	disp = 1
	call MPI_Get(result(1), 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
		     win, ierr)
	call MPI_Win_flush(next, win, ierr)
	call check(result(1) == 10, 'MPI_Get')
end subroutine

subroutine atomic(win)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND) :: disp
	integer(c_int) :: compare
	integer :: ierr

	disp = 2
	call MPI_Accumulate(value(2), 1, MPI_INTEGER, next, disp, 1, &
			    MPI_INTEGER, MPI_SUM, win, ierr)
	disp = 3
	call MPI_Get_accumulate(value(3), 1, MPI_INTEGER, result(3), 1, &
				MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
				MPI_SUM, win, ierr)
	disp = 4
	call MPI_Fetch_and_op(value(4), result(4), MPI_INTEGER, next, disp, &
			      MPI_REPLACE, win, ierr)
	disp = 5
	compare = 50
	call MPI_Compare_and_swap(value(5), compare, result(5), MPI_INTEGER, &
				  next, disp, win, ierr)
	call MPI_Win_flush_local_all(win, ierr)
	call check(result(3) == 30, 'MPI_Get_accumulate')
	call check(result(4) == 40, 'MPI_Fetch_and_op')
	call check(result(5) == 50, 'MPI_Compare_and_swap')
end subroutine

subroutine requests(win)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND) :: disp
	REQUEST_T :: request(4)
	STATUS(its)
	integer :: ierr

	disp = 6
	call MPI_Rput(value(6), 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
		      win, request(1), ierr)
	call check(request(1) /= MPI_REQUEST_NULL, 'a request of MPI_Rput')
	call MPI_Wait(request(1), MPI_STATUS_IGNORE, ierr)
	call check(request(1) == MPI_REQUEST_NULL, 'MPI_REQUEST_NULL')
	disp = 7
	call MPI_Rget(result(7), 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
		      win, request(1), ierr)
	call MPI_Wait(request(1), its, ierr)
	call check(result(7) == 70, 'MPI_Rget')
	disp = 8
	call MPI_Raccumulate(value(8), 1, MPI_INTEGER, next, disp, 1, &
			     MPI_INTEGER, MPI_SUM, win, request(1), ierr)
	disp = 9
	call MPI_Rget_accumulate(value(9), 1, MPI_INTEGER, result(9), 1, &
				 MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
				 MPI_MAX, win, request(2), ierr)
	call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, ierr)
	call check(result(9) == 90, 'MPI_Rget_accumulate')
end subroutine

! MPI_BOTTOM is an address of its own in Fortran, as are the statuses above.
subroutine sentinels(win)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND) :: disp, address(1)
	TYPE_T :: absolute
	integer :: ierr, one(1)

	one = 1
	call MPI_Get_address(value(10), address(1), ierr)
	call MPI_Type_create_hindexed(1, one, address, MPI_INTEGER, absolute, &
				      ierr)
	call MPI_Type_commit(absolute, ierr)
	disp = 10
	call MPI_Put(MPI_BOTTOM, 1, absolute, next, disp, 1, MPI_INTEGER, win, &
		     ierr)
	call MPI_Type_free(absolute, ierr)
	call MPI_Get_address(result(11), address(1), ierr)
	call MPI_Type_create_hindexed(1, one, address, MPI_INTEGER, absolute, &
				      ierr)
	call MPI_Type_commit(absolute, ierr)
	disp = 11
	call MPI_Get(MPI_BOTTOM, 1, absolute, next, disp, 1, MPI_INTEGER, win, &
		     ierr)
	call MPI_Win_flush_all(win, ierr)
	call MPI_Type_free(absolute, ierr)
	call check(result(11) == 110, 'MPI_Get to MPI_BOTTOM')
	call MPI_Put(value(12), 1, MPI_INTEGER, MPI_PROC_NULL, disp, 1, &
		     MPI_INTEGER, win, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Put to MPI_PROC_NULL')
end subroutine

subroutine arrived
	integer :: from

	from = 1000 * prev
	call check(mem(0) == from, 'MPI_Put')
	call check(mem(2) == from + 2 + 20, 'MPI_Accumulate')
	call check(mem(3) == from + 3 + 30, 'MPI_Get_accumulate, the sum')
	call check(mem(4) == from + 4, 'MPI_Fetch_and_op, the value')
	call check(mem(5) == from + 5, 'MPI_Compare_and_swap, the value')
	call check(mem(6) == from + 6, 'MPI_Rput')
	call check(mem(8) == from + 8 + 80, 'MPI_Raccumulate')
	call check(mem(9) == max(from + 9, 90), 'MPI_Rget_accumulate, value')
	call check(mem(10) == from + 10, 'MPI_Put from MPI_BOTTOM')
end subroutine

! Array sections go by a datatype that the binding makes for the call and
! frees at its end, before the transfer must have been done.
subroutine sections
	integer(MPI_ADDRESS_KIND) :: bytes, disp
	WIN_T :: win
	REQUEST_T :: request
	integer :: ierr, i

	bytes = 4 * many
	disp = 0
	section = [(i + rank, i = 1, 2 * many)]
	wide = 0
	call MPI_Win_create(wide, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &
			    win, ierr)
	call MPI_Win_fence(0, win, ierr)
	call MPI_Put(section(1::2), many, MPI_INTEGER, next, disp, many, &
		     MPI_INTEGER, win, ierr)
	call MPI_Win_fence(0, win, ierr)
	call check(all(wide == [(2 * i - 1 + prev, i = 1, many)]), &
		   'MPI_Put of an array section')
	section = 0
	call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win, ierr)
	call MPI_Rget(section(2::2), many, MPI_INTEGER, next, disp, many, &
		      MPI_INTEGER, win, request, ierr)
	call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
	call MPI_Win_unlock(next, win, ierr)
	call check(all(section(1::2) == 0), 'nothing beside the section')
	call check(all(section(2::2) == [(2 * i - 1 + rank, i = 1, many)]), &
		   'MPI_Rget into an array section')
	call MPI_Win_free(win, ierr)
end subroutine
end module
