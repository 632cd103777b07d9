! SPDX-License-Identifier: BSD-3-Clause
! check.F90 - checks that say what was expected, and who asks.
module check_m
	implicit none
	integer :: failures = 0, rank = 0, ranks = 1, next = 0, prev = 0
contains

subroutine check(cond, what)
	logical, intent(in) :: cond
	character(*), intent(in) :: what

	if (cond) return
	failures = failures + 1
	print '(a,i0,2a)', 'rank ', rank, ': expected: ', what
end subroutine

! Before MPI_Finalize, in which a host may hang.
subroutine leave(total)
	integer, intent(in) :: total

	print '(a,i0,a,i0)', '# rank ', rank, ' leaves with ', total
	flush(6)
end subroutine
end module
