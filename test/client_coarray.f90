! SPDX-License-Identifier: BSD-3-Clause
! Coarray Fortran, which OpenCoarrays carries out by MPI's one-sided calls:
! coindexed loads and stores, whole, strided and of allocatable coarrays, locks,
! critical sections, atomics, events and collectives give what the language says.
program client_coarray
	use iso_fortran_env
	implicit none
	integer, parameter :: n = 1000, times = 50
	integer :: me, all, next, prev, i, failures = 0
	integer :: own[*], field(n)[*], total[*]
	integer(atomic_int_kind) :: count[*]
	type(lock_type) :: lock[*]
	type(event_type) :: arrived[*]
	real(real64), allocatable :: grid(:, :)[:]
	integer :: old, got(n), sum_of_all
	integer(atomic_int_kind) :: value

	me = this_image()
	all = num_images()
	next = merge(1, me + 1, me == all)
	prev = merge(all, me - 1, me == 1)
	call stores
	call matrices
	call exclusions
	call atomics
	call events
	call collectives
	sync all
	if (failures /= 0) error stop 1
contains

subroutine check(cond, what)
	logical, intent(in) :: cond
	character(*), intent(in) :: what

	if (cond) return
	failures = failures + 1
	print '(a,i0,2a)', 'image ', me, ': expected: ', what
end subroutine

subroutine stores
	own = -1
	field = [(i, i = 1, n)]
	sync all
	own[next] = 100 + me
	got = field(:)[next]
	call check(all_are(got, 1), 'a load of an array')
	sync all
	call check(own == 100 + prev, 'a store of a scalar')
	field(2:n:2)[next] = [(-me, i = 2, n, 2)]
	sync all
	call check(all_are(field(1:n:2), 2), 'nothing beside a strided store')
	call check(count_of(field(2:n:2), -prev) == n / 2, 'a strided store')
	got(1:n / 2) = field(2:n:2)[next]
	call check(count_of(got(1:n / 2), -me) == n / 2, 'a strided load')
	sync all
end subroutine

! Are they 1, 1 + step, ...?
logical function all_are(values, step)
	integer, intent(in) :: values(:), step

	all_are = count_of(values - step * [(i, i = 0, size(values) - 1)], 1) &
		  == size(values)
end function

integer function count_of(values, value)
	integer, intent(in) :: values(:), value

	count_of = 0
	do i = 1, size(values)
		if (values(i) == value) count_of = count_of + 1
	end do
end function

subroutine matrices
	integer :: j

	allocate(grid(20, 30)[*])
	grid = me
	sync all
	grid(20, :)[next] = [(real(me * 100 + j, real64), j = 1, 30)]
	sync all
	do j = 1, 30
		call check(nint(grid(20, j)) == prev * 100 + j .and. &
			   nint(grid(19, j)) == me, 'a store of a row')
	end do
	sync all
	deallocate(grid)
end subroutine

subroutine exclusions
	total = 0
	sync all
	do i = 1, times
		lock(lock[1])
		total[1] = total[1] + 1
		unlock(lock[1])
	end do
	sync all
	if (me == 1) call check(total == all * times, 'a sum under a lock')
	sync all
	do i = 1, times
		critical
			total[1] = total[1] + 1
		end critical
	end do
	sync all
	if (me == 1) call check(total == 2 * all * times, 'a critical sum')
end subroutine

! OpenCoarrays 2.10 does not give the old values of atomic_fetch_add and others.
subroutine atomics
	call atomic_define(count, 0)
	sync all
	do i = 1, times
		call atomic_add(count[1], 2)
	end do
	sync all
	call atomic_ref(value, count[1])
	call check(value == all * 2 * times, 'atomic_add')
	sync all
	if (me == 1) call atomic_define(count, 0)
	sync all
	call atomic_cas(count[1], old, 0, me)
	sync all
	call atomic_ref(value, count[1])
	call check(value >= 1 .and. value <= all, 'atomic_cas')
	call check((old == 0) .eqv. (value == me), 'one atomic_cas wins')
	sync all
end subroutine

subroutine events
	integer :: n_events

	event post(arrived[next])
	event wait(arrived)
	call event_query(arrived, n_events)
	call check(n_events == 0, 'no event is left')
	sync images(*)
end subroutine

subroutine collectives
	sum_of_all = me
	call co_sum(sum_of_all)
	call check(sum_of_all == all * (all + 1) / 2, 'co_sum')
	sum_of_all = me
	call co_broadcast(sum_of_all, 1)
	call check(sum_of_all == 1, 'co_broadcast')
end subroutine
end program
