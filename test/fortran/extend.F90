! SPDX-License-Identifier: BSD-3-Clause
! extend.F90 - the functions of oriel.h (module oriel) do by each of the
! bindings what they do in C: data come before the notification, MPI_BOTTOM is
! known, requests and windows are of the host's kind, errors are returned.
#include "binding.inc"
program extend
	MPI_MODULE
	use iso_c_binding
	use check_m
	use oriel
	implicit none
	MPI_HEADER
	integer, parameter :: n = 4000
	integer(c_int), target, save :: mem(0:n - 1)
	integer(c_int), asynchronous, save :: value(0:n - 1), result(0:n - 1)
	integer(MPI_ADDRESS_KIND) :: bytes, disp
	integer :: ierr, total, i
	INFO_T :: info
	WIN_T :: win, dup

	call MPI_Init(ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
	next = mod(rank + 1, ranks)
	prev = mod(rank + ranks - 1, ranks)
	mem = 0
	value = [(1000 * rank + i, i = 0, n - 1)]
	bytes = 4 * n
	call MPI_Win_create(mem, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
			    ierr)
	call MPI_Win_lock_all(0, win, ierr)
	call notifications
	call requests
	call errors
	call library
	call MPI_Win_unlock_all(win, ierr)
	call duplicate
	call MPI_Win_free(win, ierr)
	call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, &
			   MPI_COMM_WORLD, ierr)
	call leave(total)
	call MPI_Finalize(ierr)
	if (total /= 0) stop 1
contains

! Waits for what the previous rank has told, and lets all come so far.
subroutine await(tag, what)
	integer, intent(in) :: tag
	character(*), intent(in) :: what

	ierr = -1
	call Oriel_Notify_wait(win, tag, 1, ierr)
	call check(ierr == MPI_SUCCESS, what // ', its code')
end subroutine

subroutine notifications
	logical :: flag

	disp = 0
	call Oriel_Put_notify(value, n, MPI_INTEGER, next, disp, n, &
			      MPI_INTEGER, 3, win, ierr)
	call check(ierr == MPI_SUCCESS, 'Oriel_Put_notify, its code')
	call await(3, 'Oriel_Put_notify')
	call check(all(mem == [(1000 * prev + i, i = 0, n - 1)]), &
		   'Oriel_Put_notify, the data')
	call MPI_Win_flush(next, win, ierr)
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	call Oriel_Accumulate_notify(value(1), 1, MPI_INTEGER, next, disp, 1, &
				     MPI_INTEGER, MPI_SUM, 4, win)
	call await(4, 'Oriel_Accumulate_notify')
	call check(mem(0) == 2000 * prev + 1, 'Oriel_Accumulate_notify, the sum')
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	result = -1
	disp = 1
	call Oriel_Get_notify(result(1:2), 2, MPI_INTEGER, next, disp, 2, &
			      MPI_INTEGER, 5, win, ierr)
	call await(5, 'Oriel_Get_notify')
	call MPI_Win_flush(next, win, ierr)
	call check(all(result(0:3) == [-1, 1000 * rank + 1, 1000 * rank + 2, &
				       -1]), 'Oriel_Get_notify, the data')
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	flag = .true.
	call Oriel_Notify_test(win, 5, 1, flag, ierr)
	call check(.not. flag, 'a notification is taken once')
	call bottom
	call Oriel_Put_notify(value, 0, MPI_INTEGER, rank, disp, 0, &
			      MPI_INTEGER, 6, win, ierr)
	call Oriel_Notify_test(win, 6, 1, flag, ierr)
	call check(flag, 'Oriel_Notify_test')
end subroutine

! Absolute addresses go with MPI_BOTTOM, an address of its own in Fortran.
subroutine bottom
	integer(MPI_ADDRESS_KIND) :: address(1)
	integer :: one(1)
	TYPE_T :: absolute

	one = 1
	call MPI_Get_address(value(7), address(1), ierr)
	call MPI_Type_create_hindexed(1, one, address, MPI_INTEGER, absolute, &
				      ierr)
	call MPI_Type_commit(absolute, ierr)
	disp = 9
	call Oriel_Put_notify(MPI_BOTTOM, 1, absolute, next, disp, 1, &
			      MPI_INTEGER, 7, win, ierr)
	call MPI_Type_free(absolute, ierr)
	call await(7, 'MPI_BOTTOM')
	call check(mem(9) == 1000 * prev + 7, 'a put from MPI_BOTTOM')
	call MPI_Win_flush(next, win, ierr)
end subroutine

subroutine requests
	REQUEST_T :: request(3)
	integer(c_int) :: compare

	mem(20) = 50
	mem(21) = 60
	mem(22) = 0
	call MPI_Win_sync(win, ierr)
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	compare = 60
	disp = 20
	call Oriel_Rfetch_and_op(value(2), result(2), MPI_INTEGER, next, disp, &
				 MPI_SUM, win, request(1), ierr)
	disp = 21
	call Oriel_Rcompare_and_swap(value(3), compare, result(3), &
				     MPI_INTEGER, next, disp, win, request(2), &
				     ierr)
	disp = 22
	call MPI_Put(value(4), 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, &
		     win, ierr)
	call Oriel_Rflush(next, win, request(3), ierr)
	call check(request(3) /= MPI_REQUEST_NULL, 'a request of Oriel_Rflush')
	call MPI_Waitall(3, request, MPI_STATUSES_IGNORE, ierr)
	call check(result(2) == 50, 'Oriel_Rfetch_and_op')
	call check(result(3) == 60, 'Oriel_Rcompare_and_swap')
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	call MPI_Win_sync(win, ierr)
	call check(mem(20) == 1000 * prev + 52, 'Oriel_Rfetch_and_op, the sum')
	call check(mem(21) == 1000 * prev + 3, 'Oriel_Rcompare_and_swap, value')
	call check(mem(22) == 1000 * prev + 4, 'Oriel_Rflush')
end subroutine

subroutine errors
	integer :: class
	logical :: flag

	call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN, ierr)
	flag = .true.
	call Oriel_Notify_test(win, 64, 1, flag, ierr)
	call MPI_Error_class(ierr, class, ierr)
	call check(class == MPI_ERR_TAG .and. .not. flag, 'MPI_ERR_TAG')
	call Oriel_Notify_wait(win, 0, -1, ierr)
	call MPI_Error_class(ierr, class, ierr)
	call check(class == MPI_ERR_COUNT, 'MPI_ERR_COUNT')
end subroutine

! The strings are C's, to the last character; what is counted is this process's.
subroutine library
	character(64) :: wish
	character(:), allocatable :: version, way
	integer :: n

	version = oriel_version()
	n = len(version)
	call check(n > 8 .and. index(version, ' (') > 1, 'oriel_version')
	call check(version(n:n) == ')', 'oriel_version, its end')
	call check(oriel_stat('windows') == 1, 'oriel_stat')
	call check(oriel_stat('windows   ') == 1, 'oriel_stat, with blanks')
	call check(oriel_stat('window') == -1, 'oriel_stat of no such name')
	call get_environment_variable('ORIEL_PATH', wish)
	way = oriel_path(win, next)
	if (wish == '') then
		call check(way == 'cma' .or. way == 'fabric', 'oriel_path')
	else
		call check(way == wish, 'oriel_path as ORIEL_PATH')
	end if
	call check(len(oriel_path(win, ranks)) == 0, 'oriel_path of no rank')
	call check(len(oriel_path(MPI_WIN_NULL, 0)) == 0, 'oriel_path of none')
	call networks
end subroutine

! Without libfabric the text says so.
subroutine networks
	type(oriel_network) :: all(32), first(1)
	character(200) :: text
	integer :: n, i

	n = oriel_networks(all, text)
	call check(len_trim(text) > 0, 'oriel_networks, its text')
	if (n < 1) return
	call check(index(text, 'libfabric ') == 1, 'oriel_networks, libfabric')
	do i = 1, min(n, size(all))
		call check(all(i)%provider /= '' .and. all(i)%domain /= '' &
			   .and. all(i)%why /= '', 'oriel_networks, strings')
		call check(all(i)%rank >= all(1)%rank, 'oriel_networks, order')
	end do
	call check(oriel_networks(first, text) == n, 'oriel_networks, how many')
	call check(first(1)%provider == all(1)%provider .and. &
		   first(1)%rank == all(1)%rank, 'oriel_networks, the first')
end subroutine

! The hints are the duplicate's own, and the attribute is of both.
subroutine duplicate
	integer(MPI_ADDRESS_KIND) :: mode
	logical :: flag

	call MPI_Info_create(info, ierr)
	call MPI_Info_set(info, 'oriel_notify_tags', '70', ierr)
	call Oriel_Win_dup(win, info, dup, ierr)
	call MPI_Info_free(info, ierr)
	call MPI_Win_fence(0, dup, ierr)
	disp = 30
	call Oriel_Put_notify(value(5), 1, MPI_INTEGER, next, disp, 1, &
			      MPI_INTEGER, 69, dup, ierr)
	call MPI_Win_fence(MPI_MODE_NOSUCCEED, dup, ierr)
	call Oriel_Notify_wait(dup, 69, 1, ierr)
	call check(mem(30) == 1000 * prev + 5, 'a put by Oriel_Win_dup')
	mode = -1
	flag = .false.
	call MPI_Win_get_attr(dup, ORIEL_WIN_PROGRESS, mode, flag, ierr)
	call check(flag .and. mode >= ORIEL_PROGRESS_NONE .and. &
		   mode <= ORIEL_PROGRESS_THREAD, 'ORIEL_WIN_PROGRESS')
	call MPI_Win_get_attr(win, MPI_WIN_SIZE, mode, flag, ierr)
	call check(flag .and. mode == bytes, 'MPI_WIN_SIZE')
	call MPI_Win_free(dup, ierr)
end subroutine
end program
