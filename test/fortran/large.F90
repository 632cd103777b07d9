! SPDX-License-Identifier: BSD-3-Clause
! large.F90 - the forms whose counts are of MPI_COUNT_KIND and whose units are
! of MPI_ADDRESS_KIND (MPI-4.0), which mpi_f08 knows by the same names.
#include "binding.inc"
module large_m
	use mpi_f08
	use iso_c_binding
	use check_m
	use windows_m, only : hosts_are_apart
	implicit none
	private
	public :: large
	integer(MPI_COUNT_KIND), parameter :: one = 1
	integer(MPI_ADDRESS_KIND), parameter :: unit = 4
	integer(c_int), target, save :: mem(0:9), value(0:9), result(0:9)
contains

subroutine large
	integer(MPI_ADDRESS_KIND) :: bytes
	type(MPI_Win) :: win
	type(c_ptr) :: memory
	integer :: i

	bytes = 40
	value = [(100 * rank + i, i = 0, 9)]
	result = -1
	mem = [(10 * i, i = 0, 9)]
	call MPI_Win_create(mem, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &
			    win)
	call MPI_Win_lock_all(0, win)
	call plain(win)
	call requests(win)
	call counts(win)
	call MPI_Win_unlock_all(win)
	call MPI_Barrier(MPI_COMM_WORLD)
	call check(mem(0) == 100 * prev, 'MPI_Put, large')
	call check(mem(2) == 100 * prev + 22, 'MPI_Accumulate, large')
	call check(mem(4) == 100 * prev + 4, 'MPI_Rput, large')
	call check(mem(6) == 100 * prev + 66, 'MPI_Raccumulate, large')
	call MPI_Win_free(win)
	call MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &
			      memory, win)
	call check(c_associated(memory), 'MPI_Win_allocate, large')
	call MPI_Win_free(win)
	if (.not. hosts_are_apart()) call shared
end subroutine

subroutine plain(win)
	type(MPI_Win), intent(in) :: win

	call MPI_Put(value(0), one, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, &
		     one, MPI_INTEGER, win)
	call MPI_Get(result(1), one, MPI_INTEGER, next, 1_MPI_ADDRESS_KIND, &
		     one, MPI_INTEGER, win)
	call MPI_Accumulate(value(2), one, MPI_INTEGER, next, &
			    2_MPI_ADDRESS_KIND, one, MPI_INTEGER, MPI_SUM, win)
	call MPI_Get_accumulate(value(3), one, MPI_INTEGER, result(3), one, &
				MPI_INTEGER, next, 3_MPI_ADDRESS_KIND, one, &
				MPI_INTEGER, MPI_SUM, win)
	call MPI_Win_flush(next, win)
	call check(result(1) == 10, 'MPI_Get, large')
	call check(result(3) == 30, 'MPI_Get_accumulate, large')
end subroutine

subroutine requests(win)
	type(MPI_Win), intent(in) :: win
	type(MPI_Request) :: request(4)

	call MPI_Rput(value(4), one, MPI_INTEGER, next, 4_MPI_ADDRESS_KIND, &
		      one, MPI_INTEGER, win, request(1))
	call MPI_Rget(result(5), one, MPI_INTEGER, next, 5_MPI_ADDRESS_KIND, &
		      one, MPI_INTEGER, win, request(2))
	call MPI_Raccumulate(value(6), one, MPI_INTEGER, next, &
			     6_MPI_ADDRESS_KIND, one, MPI_INTEGER, MPI_SUM, &
			     win, request(3))
	call MPI_Rget_accumulate(value(7), one, MPI_INTEGER, result(7), one, &
				 MPI_INTEGER, next, 7_MPI_ADDRESS_KIND, one, &
				 MPI_INTEGER, MPI_SUM, win, request(4))
	call MPI_Waitall(4, request, MPI_STATUSES_IGNORE)
	call check(result(5) == 50, 'MPI_Rget, large')
	call check(result(7) == 70, 'MPI_Rget_accumulate, large')
end subroutine

! Of 32 bits there would be one left: these are beyond the window's end.
subroutine counts(win)
	type(MPI_Win), intent(in) :: win
	integer(MPI_COUNT_KIND), parameter :: many = 4294967297_MPI_COUNT_KIND
	integer(MPI_ADDRESS_KIND), parameter :: at = 8
	type(MPI_Request) :: r
	integer :: ierr

	call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
	call MPI_Put(value(8), many, MPI_INTEGER, next, at, many, MPI_INTEGER, &
		     win, ierr)
	call refused(ierr, 'MPI_Put')
	call MPI_Get(result(8), many, MPI_INTEGER, next, at, many, &
		     MPI_INTEGER, win, ierr)
	call refused(ierr, 'MPI_Get')
	call MPI_Accumulate(value(8), many, MPI_INTEGER, next, at, many, &
			    MPI_INTEGER, MPI_SUM, win, ierr)
	call refused(ierr, 'MPI_Accumulate')
	call MPI_Get_accumulate(value(8), many, MPI_INTEGER, result(8), many, &
				MPI_INTEGER, next, at, many, MPI_INTEGER, &
				MPI_SUM, win, ierr)
	call refused(ierr, 'MPI_Get_accumulate')
	call MPI_Rput(value(8), many, MPI_INTEGER, next, at, many, &
		      MPI_INTEGER, win, r, ierr)
	call refused(ierr, 'MPI_Rput')
	call MPI_Rget(result(8), many, MPI_INTEGER, next, at, many, &
		      MPI_INTEGER, win, r, ierr)
	call refused(ierr, 'MPI_Rget')
	call MPI_Raccumulate(value(8), many, MPI_INTEGER, next, at, many, &
			     MPI_INTEGER, MPI_SUM, win, r, ierr)
	call refused(ierr, 'MPI_Raccumulate')
	call MPI_Rget_accumulate(value(8), many, MPI_INTEGER, result(8), many, &
				 MPI_INTEGER, next, at, many, MPI_INTEGER, &
				 MPI_SUM, win, r, ierr)
	call refused(ierr, 'MPI_Rget_accumulate')
end subroutine

subroutine refused(code, what)
	integer, intent(in) :: code
	character(*), intent(in) :: what
	integer :: class

	class = MPI_SUCCESS
	if (code /= MPI_SUCCESS) call MPI_Error_class(code, class)
	call check(class == MPI_ERR_RMA_RANGE, &
		   what // ' of more than 2^32 elements is refused')
end subroutine

subroutine shared
	integer(MPI_ADDRESS_KIND) :: bytes, told, its_unit
	type(MPI_Win) :: win
	type(c_ptr) :: memory

	bytes = 40
	call MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, &
				     MPI_COMM_WORLD, memory, win)
	call MPI_Win_shared_query(win, next, told, its_unit, memory)
	call check(told == 40 .and. its_unit == 4, &
		   'what MPI_Win_shared_query tells, large')
	call MPI_Win_free(win)
end subroutine
end module
