! SPDX-License-Identifier: BSD-3-Clause
! completion.F90 - every call that takes requests (MPI-3.1 section 3.7) takes
! those of R-forms, with places that count from 1 as Fortran's do.
#include "binding.inc"
module completion_m
	MPI_MODULE
	use iso_c_binding
	use check_m
	implicit none
	MPI_HEADER
	private
	public :: completion
	! Large enough not to be complete at once between nodes.
	integer, parameter :: n = 20000, last = 3
	! 1 where places count from 0: by mpi_f08 of MPICH 4.0.
	integer, save :: zero = 0
	integer(c_int), target, save :: mem(n)
	integer(c_int), asynchronous, save :: got(n, last)
contains

subroutine completion
	integer(MPI_ADDRESS_KIND) :: bytes
	WIN_T :: win
	integer :: ierr, i

	bytes = 4 * n
	mem = [(rank + 10 * i, i = 1, n)]
	call MPI_Win_create(mem, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
			    ierr)
	call MPI_Win_lock_all(0, win, ierr)
#ifdef F08_MPICH
	zero = place_of_first()
#endif
	call one_by_one(win)
	call all_at_once(win)
	call any_of_them(win)
	call some_of_them(win)
	call freed(win)
	call MPI_Win_unlock_all(win, ierr)
	call MPI_Win_free(win, ierr)
end subroutine

! 1 if the host tells 0 of a receive from nobody.
integer function place_of_first()
	REQUEST_T :: request(1)
	integer :: ierr, told

	call MPI_Irecv(got(:, 1), n, MPI_INTEGER, MPI_PROC_NULL, 0, &
		       MPI_COMM_WORLD, request(1), ierr)
	call MPI_Waitany(1, request, told, MPI_STATUS_IGNORE, ierr)
	place_of_first = 1 - told
end function

! The second of three is none.
subroutine begin(win, request)
	WIN_T, intent(in) :: win
	REQUEST_T, intent(out) :: request(last)
	integer(MPI_ADDRESS_KIND) :: disp
	integer :: ierr, i

	disp = 0
	got = -1
	do i = 1, last, 2
		call MPI_Rget(got(1, i), n, MPI_INTEGER, next, disp, n, &
			      MPI_INTEGER, win, request(i), ierr)
	end do
	request(2) = MPI_REQUEST_NULL
end subroutine

subroutine arrived(which, what)
	integer, intent(in) :: which
	character(*), intent(in) :: what
	integer :: i

	call check(all(got(:, which) == [(next + 10 * i, i = 1, n)]), &
		   what // ': what has been fetched')
end subroutine

subroutine one_by_one(win)
	WIN_T, intent(in) :: win
	REQUEST_T :: request(last)
	STATUS(its)
	logical :: flag
	integer :: ierr

	call begin(win, request)
	flag = .false.
	do while (.not. flag)
		call MPI_Request_get_status(request(1), flag, its, ierr)
	end do
	call check(request(1) /= MPI_REQUEST_NULL, &
		   'MPI_Request_get_status leaves the request')
	call arrived(1, 'MPI_Request_get_status')
	call MPI_Wait(request(1), its, ierr)
	flag = .false.
	do while (.not. flag)
		call MPI_Test(request(3), flag, MPI_STATUS_IGNORE, ierr)
	end do
	call check(request(3) == MPI_REQUEST_NULL, 'MPI_Test takes the request')
	call arrived(3, 'MPI_Test')
end subroutine

subroutine all_at_once(win)
	WIN_T, intent(in) :: win
	REQUEST_T :: request(last)
	logical :: flag
	integer :: ierr

	call begin(win, request)
	flag = .false.
	do while (.not. flag)
		call MPI_Testall(last, request, flag, MPI_STATUSES_IGNORE, ierr)
	end do
	call arrived(1, 'MPI_Testall')
	call arrived(3, 'MPI_Testall')
	call begin(win, request)
	call MPI_Waitall(last, request, MPI_STATUSES_IGNORE, ierr)
	call arrived(1, 'MPI_Waitall')
	call arrived(3, 'MPI_Waitall')
end subroutine

subroutine any_of_them(win)
	WIN_T, intent(in) :: win
	REQUEST_T :: request(last)
	logical :: flag
	integer :: ierr, told, first

	call begin(win, request)
	call MPI_Waitany(last, request, told, MPI_STATUS_IGNORE, ierr)
	first = merge(1, 3, request(1) == MPI_REQUEST_NULL)
	call check(told == first - zero, 'the place by MPI_Waitany')
	call arrived(first, 'MPI_Waitany')
	flag = .false.
	do while (.not. flag)
		call MPI_Testany(last, request, told, flag, &
				 MPI_STATUS_IGNORE, ierr)
	end do
	call check(told == 4 - first - zero, 'the other place by MPI_Testany')
	call arrived(4 - first, 'MPI_Testany')
	call MPI_Testany(last, request, told, flag, MPI_STATUS_IGNORE, ierr)
	call check(flag, 'MPI_Testany of none')
end subroutine

subroutine some_of_them(win)
	WIN_T, intent(in) :: win
	REQUEST_T :: request(last)
	integer :: ierr, done, total, places, at(last)

	call begin(win, request)
	call MPI_Waitsome(last, request, total, at, MPI_STATUSES_IGNORE, ierr)
	call check(total == 1 .or. total == 2, 'the count of MPI_Waitsome')
	places = sum(at(:total))
	do while (total < 2)
		call MPI_Testsome(last, request, done, at, &
				  MPI_STATUSES_IGNORE, ierr)
		total = total + done
		places = places + sum(at(:done))
	end do
	call check(places == 4 - 2 * zero, 'the places by MPI_Waitsome and MPI_Testsome')
	call arrived(1, 'MPI_Waitsome')
	call arrived(3, 'MPI_Waitsome')
	call MPI_Testsome(last, request, done, at, MPI_STATUSES_IGNORE, ierr)
	call check(done == MPI_UNDEFINED, 'MPI_Testsome of none')
end subroutine

! The flush completes them.
subroutine freed(win)
	WIN_T, intent(in) :: win
	REQUEST_T :: request(last)
	integer :: ierr

	call begin(win, request)
	call MPI_Request_free(request(1), ierr)
	call check(request(1) == MPI_REQUEST_NULL, 'MPI_Request_free')
	call MPI_Request_free(request(3), ierr)
	call MPI_Win_flush(next, win, ierr)
	call arrived(1, 'MPI_Request_free')
	call arrived(3, 'MPI_Request_free')
end subroutine
end module
