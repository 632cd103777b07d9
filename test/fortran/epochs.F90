! SPDX-License-Identifier: BSD-3-Clause
! epochs.F90 - the synchronisation calls (MPI-3.1 section 11.5).
#include "binding.inc"
module epochs_m
	MPI_MODULE
	use iso_c_binding
	use check_m
	implicit none
	MPI_HEADER
	private
	public :: epochs
	integer(c_int), target, save :: mem(4)
contains

subroutine epochs
	integer(MPI_ADDRESS_KIND) :: bytes
	WIN_T :: win
	integer :: ierr

	bytes = 16
	mem = 0
	call MPI_Win_create(mem, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
			    ierr)
	call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierr)
	call store(win, 0, 17)
	call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)
	call check(mem(1) == 17, 'MPI_Win_fence')
	call passive(win)
	call general(win, .false.)
	call general(win, .true.)
	call MPI_Win_free(win, ierr)
end subroutine

subroutine store(win, at, value)
	WIN_T, intent(in) :: win
	integer, intent(in) :: at, value
	integer(MPI_ADDRESS_KIND) :: disp
	integer :: ierr

	disp = at
	call MPI_Accumulate(value, 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
			    MPI_REPLACE, win, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Accumulate in an epoch')
end subroutine

subroutine passive(win)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND) :: disp
	integer :: ierr, value

	disp = 1
	value = 18
	call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win, ierr)
	call MPI_Put(value, 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, win, &
		     ierr)
	call MPI_Win_flush_local(next, win, ierr)
	call MPI_Win_flush(next, win, ierr)
	call MPI_Win_sync(win, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Win_sync')
	call MPI_Win_unlock(next, win, ierr)
	call MPI_Win_lock_all(MPI_MODE_NOCHECK, win, ierr)
	disp = 2
	call MPI_Put(value, 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, win, &
		     ierr)
	call MPI_Win_flush_local_all(win, ierr)
	call MPI_Win_flush_all(win, ierr)
	call MPI_Win_unlock_all(win, ierr)
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	call check(mem(2) == 18, 'MPI_Win_lock')
	call check(mem(3) == 18, 'MPI_Win_lock_all')
end subroutine

! The flag of MPI_Win_test is a LOGICAL: it counts up to when it is true.
subroutine general(win, tests)
	WIN_T, intent(in) :: win
	logical, intent(in) :: tests
	integer(MPI_ADDRESS_KIND) :: disp
	GROUP_T :: world, origin, target
	logical :: flag
	integer :: ierr, who(1), value

	mem(4) = 0
	disp = 3
	value = 19
	call MPI_Win_get_group(win, world, ierr)
	who = prev
	call MPI_Group_incl(world, 1, who, origin, ierr)
	who = next
	call MPI_Group_incl(world, 1, who, target, ierr)
	call MPI_Win_post(origin, 0, win, ierr)
	if (tests) then
		call MPI_Win_test(win, flag, ierr)
		call check(.not. flag .and. ierr == MPI_SUCCESS, &
			   'MPI_Win_test before MPI_Win_complete')
		call MPI_Barrier(MPI_COMM_WORLD, ierr)
	end if
	call MPI_Win_start(target, 0, win, ierr)
	call MPI_Put(value, 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, win, &
		     ierr)
	call MPI_Win_complete(win, ierr)
	flag = .not. tests
	do while (.not. flag)
		call MPI_Win_test(win, flag, ierr)
	end do
	if (.not. tests) call MPI_Win_wait(win, ierr)
	call check(ierr == MPI_SUCCESS, 'the end of an exposure epoch')
	call check(mem(4) == 19, 'MPI_Win_complete')
	call MPI_Group_free(world, ierr)
	call MPI_Group_free(origin, ierr)
	call MPI_Group_free(target, ierr)
end subroutine
end module
