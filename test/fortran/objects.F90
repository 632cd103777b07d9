! SPDX-License-Identifier: BSD-3-Clause
! objects.F90 - names, info, user attributes and error handlers, with callbacks
! written in Fortran.
#include "binding.inc"
module objects_m
	MPI_MODULE
	use iso_c_binding
	use check_m
	implicit none
	MPI_HEADER
	private
	public :: objects
	integer :: deleted = 0, raised = 0, raised_class = 0
	integer(MPI_ADDRESS_KIND) :: deleted_value = 0, deleted_state = 0
contains

subroutine delete_fn(win, keyval, value, state, ierr)
	WIN_T :: win
	integer :: keyval, ierr
	integer(MPI_ADDRESS_KIND) :: value, state

	deleted = deleted + 1
	deleted_value = value
	deleted_state = state
	ierr = MPI_SUCCESS
end subroutine

subroutine handler(win, code)
	WIN_T :: win
	integer :: code, ierr

	raised = raised + 1
	call MPI_Error_class(code, raised_class, ierr)
end subroutine

subroutine objects
	integer(MPI_ADDRESS_KIND) :: bytes
	BASE_T :: memory
	WIN_T :: win
	integer :: ierr, keyval

	bytes = 8
	call MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, &
			      win, ierr)
	call names(win)
	call infos(win)
	call errors(win)
	call attributes(win, keyval)
	call MPI_Win_free(win, ierr)
	call check(deleted == 2 .and. deleted_value == 12345678901_8 .and. &
		   deleted_state == 99, 'the delete callback at MPI_Win_free')
	call MPI_Win_free_keyval(keyval, ierr)
	call check(keyval == MPI_KEYVAL_INVALID, 'MPI_KEYVAL_INVALID')
end subroutine

subroutine names(win)
	WIN_T, intent(in) :: win
	character(MPI_MAX_OBJECT_NAME) :: name
	integer :: length, ierr

	call MPI_Win_set_name(win, 'halo of the field', ierr)
	call MPI_Win_get_name(win, name, length, ierr)
	call check(length == 17, 'MPI_Win_get_name')
#if !defined(F08) || defined(F08_MPICH)
	call check(name == 'halo of the field', 'the name')
#endif
end subroutine

subroutine infos(win)
	WIN_T, intent(in) :: win
	INFO_T :: info
	character(20) :: value
	logical :: flag
	integer :: ierr

	call MPI_Info_create(info, ierr)
	call MPI_Info_set(info, 'accumulate_ordering', 'none', ierr)
	call MPI_Win_set_info(win, info, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Win_set_info')
	call MPI_Info_free(info, ierr)
	call MPI_Win_get_info(win, info, ierr)
	call MPI_Info_get(info, 'no_locks', 20, value, flag, ierr)
	call check(flag .and. value == 'false', 'no_locks in MPI_Win_get_info')
	call MPI_Info_free(info, ierr)
end subroutine

subroutine errors(win)
	WIN_T, intent(in) :: win
	ERRHANDLER_T :: mine, got
	integer :: ierr
	integer(MPI_ADDRESS_KIND) :: disp
	character(MPI_MAX_ERROR_STRING) :: text
	integer :: length

	call MPI_Win_create_errhandler(handler, mine, ierr)
	call MPI_Win_set_errhandler(win, mine, ierr)
	call MPI_Win_get_errhandler(win, got, ierr)
	call check(got == mine, 'MPI_Win_get_errhandler')
	call MPI_Win_call_errhandler(win, MPI_ERR_ARG, ierr)
	call check(raised == 1 .and. raised_class == MPI_ERR_ARG, &
		   'the handler by MPI_Win_call_errhandler')
	disp = 0
	call MPI_Put(length, 1, MPI_INTEGER, ranks + 5, disp, 1, MPI_INTEGER, &
		     win, ierr)
	call check(raised == 2 .and. ierr /= MPI_SUCCESS, &
		   'the handler by a call that fails')
	call MPI_Error_string(ierr, text, length, ierr)
	call check(length > 0 .and. text(1:1) /= ' ', 'MPI_Error_string')
	call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN, ierr)
	call MPI_Errhandler_free(mine, ierr)
end subroutine

subroutine attributes(win, keyval)
	WIN_T, intent(in) :: win
	integer, intent(out) :: keyval
	integer(MPI_ADDRESS_KIND) :: value, got
	! MPICH 4.0 keeps its address, not its value.
	integer(MPI_ADDRESS_KIND), save :: state = 99
	logical :: flag
	integer :: ierr

	call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_fn, keyval, &
				   state, ierr)
	call MPI_Win_get_attr(win, keyval, got, flag, ierr)
	call check(.not. flag, 'no attribute yet')
	value = 12345678901_8
	call MPI_Win_set_attr(win, keyval, value, ierr)
	call MPI_Win_get_attr(win, keyval, got, flag, ierr)
	call check(flag .and. got == value, 'MPI_Win_get_attr')
	call MPI_Win_delete_attr(win, keyval, ierr)
	call check(deleted == 1, 'the delete callback')
	call MPI_Win_get_attr(win, keyval, got, flag, ierr)
	call check(.not. flag, 'no attribute any more')
	call MPI_Win_set_attr(win, keyval, value, ierr)
	call MPI_Win_set_attr(win, MPI_WIN_SIZE, value, ierr)
	call check(ierr /= MPI_SUCCESS, 'MPI_WIN_SIZE cannot be set')
	call MPI_Win_get_attr(win, MPI_WIN_SIZE, got, flag, ierr)
	call check(flag .and. got == 8, 'MPI_WIN_SIZE as it was')
end subroutine
end module
