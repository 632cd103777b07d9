! SPDX-License-Identifier: BSD-3-Clause
! windows.F90 - windows of each flavor, their memory, as C_PTR or as integer,
! and their predefined attributes (MPI-3.1 section 11.2.6), which are integers
! in Fortran.
#include "binding.inc"
module windows_m
	MPI_MODULE
	use iso_c_binding
	use check_m
	implicit none
	MPI_HEADER
	private
	public :: windows, hosts_are_apart
	integer(c_int), target, save :: array(50)
	integer(MPI_ADDRESS_KIND), parameter :: gib2 = &
		2147483648_MPI_ADDRESS_KIND
contains

subroutine windows
	logical :: apart

	apart = hosts_are_apart()
	call created
	call allocated
	call big
	call big_memory
	if (.not. apart) call shared
	if (.not. apart) call big_shared
	call dynamic
end subroutine

logical function hosts_are_apart()
	COMM_T :: node
	integer :: n, ierr

	call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, &
				 MPI_INFO_NULL, node, ierr)
	call MPI_Comm_size(node, n, ierr)
	call MPI_Comm_free(node, ierr)
	hosts_are_apart = n < ranks
end function

subroutine attribute(win, key, expected, what)
	WIN_T, intent(in) :: win
	integer, intent(in) :: key
	integer(MPI_ADDRESS_KIND), intent(in) :: expected
	character(*), intent(in) :: what
	integer(MPI_ADDRESS_KIND) :: value
	logical :: flag
	integer :: ierr
	character(60) :: text

	value = -77
	flag = .false.
	call MPI_Win_get_attr(win, key, value, flag, ierr)
	write (text, '(a,2(1x,i0))') what, expected, value
	call check(ierr == MPI_SUCCESS .and. flag, what // ' is set')
	call check(value == expected, trim(text))
end subroutine

subroutine attributes(win, base, bytes, unit, flavor)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND), intent(in) :: base, bytes
	integer, intent(in) :: unit, flavor

	call attribute(win, MPI_WIN_BASE, base, 'MPI_WIN_BASE')
	call attribute(win, MPI_WIN_SIZE, bytes, 'MPI_WIN_SIZE')
	call attribute(win, MPI_WIN_DISP_UNIT, &
		       int(unit, MPI_ADDRESS_KIND), 'MPI_WIN_DISP_UNIT')
	call attribute(win, MPI_WIN_CREATE_FLAVOR, &
		       int(flavor, MPI_ADDRESS_KIND), 'MPI_WIN_CREATE_FLAVOR')
	call attribute(win, MPI_WIN_MODEL, &
		       int(MPI_WIN_UNIFIED, MPI_ADDRESS_KIND), 'MPI_WIN_MODEL')
end subroutine

! The next rank's element of that displacement becomes ours.
subroutine works(win, disp, mine)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND), intent(in) :: disp
	integer(c_int), intent(inout) :: mine
	integer(c_int) :: value
	integer :: ierr

	value = 1000 + rank
	mine = -1
	call MPI_Win_fence(0, win, ierr)
	call MPI_Put(value, 1, MPI_INTEGER, next, disp, 1, MPI_INTEGER, win, &
		     ierr)
	call MPI_Win_fence(0, win, ierr)
	call check(mine == 1000 + prev, 'what the previous rank has put')
end subroutine

subroutine created
	integer(MPI_ADDRESS_KIND) :: bytes, base, disp
	WIN_T :: win
	BASE_T :: memory
	integer(c_int), pointer :: p(:)
	integer :: ierr

	bytes = 200
	call MPI_Get_address(array, base, ierr)
	call MPI_Win_create(array, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &
			    win, ierr)
	call attributes(win, base, bytes, 4, MPI_WIN_FLAVOR_CREATE)
	disp = 49
	call works(win, disp, array(50))
	call MPI_Win_free(win, ierr)
	call check(win == MPI_WIN_NULL, 'MPI_WIN_NULL after MPI_Win_free')

	call MPI_Alloc_mem(bytes, MPI_INFO_NULL, memory, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Alloc_mem')
	call c_f_pointer(CPTR(memory), p, [50])
	call MPI_Win_create(p, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
			    ierr)
	call attributes(win, AINT(memory), bytes, 1, MPI_WIN_FLAVOR_CREATE)
	disp = 4
	call works(win, disp, p(2))
	call MPI_Win_free(win, ierr)
	call MPI_Free_mem(p, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Free_mem')
end subroutine

subroutine allocated
	integer(MPI_ADDRESS_KIND) :: bytes, disp
	WIN_T :: win
	BASE_T :: memory
	integer(c_int), pointer :: p(:)
	integer :: ierr

	bytes = 400 + 8 * rank
	call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, &
			      win, ierr)
	call c_f_pointer(CPTR(memory), p, [100])
	call attributes(win, AINT(memory), bytes, 4, MPI_WIN_FLAVOR_ALLOCATE)
	disp = 99
	call works(win, disp, p(100))
	call MPI_Win_free(win, ierr)
end subroutine

! Beyond 2 GiB, of which one element is touched.
subroutine big
	integer(MPI_ADDRESS_KIND) :: bytes, disp
	WIN_T :: win
	BASE_T :: memory
	integer(c_int) :: value
	integer :: ierr

	bytes = 0
	if (rank == 0) bytes = gib2 + 4096
	disp = gib2 + 4
	value = -1
	call MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, &
			      win, ierr)
	call attributes(win, AINT(memory), bytes, 1, MPI_WIN_FLAVOR_ALLOCATE)
	call MPI_Win_fence(0, win, ierr)
	if (rank == ranks - 1) then
		call MPI_Put(4711, 1, MPI_INTEGER, 0, disp, 1, MPI_INTEGER, &
			     win, ierr)
	end if
	call MPI_Win_fence(0, win, ierr)
	call MPI_Get(value, 1, MPI_INTEGER, 0, disp, 1, MPI_INTEGER, win, ierr)
	call MPI_Win_fence(0, win, ierr)
	call check(value == 4711, 'a value put beyond 2 GiB')
	call MPI_Win_free(win, ierr)
end subroutine

! Memory of that size made, attached and made a window of, by rank 0.
subroutine big_memory
	integer(MPI_ADDRESS_KIND) :: bytes, base, disp
	WIN_T :: win
	BASE_T :: memory
	integer(c_int), pointer :: p(:)
	integer :: ierr

	bytes = 8
	if (rank == 0) bytes = gib2 + 4096
	call MPI_Alloc_mem(bytes, MPI_INFO_NULL, memory, ierr)
	call c_f_pointer(CPTR(memory), p, [bytes / 4])
	call MPI_Win_create(p, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
			    ierr)
	call attributes(win, AINT(memory), bytes, 1, MPI_WIN_FLAVOR_CREATE)
	disp = gib2 + 4
	if (rank == 0) p(disp / 4 + 1) = 0
	call puts_to_first(win, disp, 4712)
	if (rank == 0) call check(p(disp / 4 + 1) == 4712, &
				  'beyond 2 GiB of MPI_Alloc_mem')
	call MPI_Win_free(win, ierr)

	call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
	call MPI_Win_attach(win, p, bytes, ierr)
	base = AINT(memory)
	call MPI_Bcast(base, 1, MPI_AINT, 0, MPI_COMM_WORLD, ierr)
	call puts_to_first(win, base + disp, 4713)
	if (rank == 0) call check(p(disp / 4 + 1) == 4713, &
				  'beyond 2 GiB of MPI_Win_attach')
	call MPI_Win_detach(win, p, ierr)
	call MPI_Win_free(win, ierr)
	call MPI_Free_mem(p, ierr)
end subroutine

subroutine puts_to_first(win, disp, value)
	WIN_T, intent(in) :: win
	integer(MPI_ADDRESS_KIND), intent(in) :: disp
	integer, intent(in) :: value
	integer :: ierr

	call MPI_Win_fence(0, win, ierr)
	if (rank == ranks - 1) call MPI_Put(value, 1, MPI_INTEGER, 0, disp, 1, &
					    MPI_INTEGER, win, ierr)
	call MPI_Win_fence(0, win, ierr)
end subroutine

subroutine big_shared
	integer(MPI_ADDRESS_KIND) :: bytes, told
	WIN_T :: win
	BASE_T :: memory, peer
	integer :: ierr, unit

	bytes = 0
	if (rank == 0) bytes = gib2 + 4096
	call MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &
				     memory, win, ierr)
	call MPI_Win_shared_query(win, 0, told, unit, peer, ierr)
	call check(told == gib2 + 4096, 'a shared size beyond 2 GiB')
	call MPI_Win_free(win, ierr)
end subroutine

subroutine shared
	integer(MPI_ADDRESS_KIND) :: bytes, told, disp
	WIN_T :: win
	BASE_T :: memory, peer
	integer(c_int), pointer :: p(:), q(:)
	integer :: ierr, unit

	bytes = 40
	call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &
				     memory, win, ierr)
	call c_f_pointer(CPTR(memory), p, [10])
	call attributes(win, AINT(memory), bytes, 4, MPI_WIN_FLAVOR_SHARED)
	disp = 9
	call works(win, disp, p(10))
	p(1) = 300 + rank
	call MPI_Win_fence(0, win, ierr)
	call MPI_Win_shared_query(win, next, told, unit, peer, ierr)
	call check(told == 40 .and. unit == 4, 'what MPI_Win_shared_query tells')
	call c_f_pointer(CPTR(peer), q, [10])
	call check(q(1) == 300 + next, 'the memory of the next rank')
	call MPI_Win_fence(0, win, ierr)
	call MPI_Win_free(win, ierr)
end subroutine

subroutine dynamic
	integer(MPI_ADDRESS_KIND) :: bytes, base, zero, disp
	integer(MPI_ADDRESS_KIND), allocatable :: bases(:)
	WIN_T :: win
	integer :: ierr

	bytes = 200
	zero = 0
	allocate(bases(ranks))
	call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
	call attributes(win, zero, zero, 1, MPI_WIN_FLAVOR_DYNAMIC)
	call MPI_Win_attach(win, array, bytes, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Win_attach')
	call MPI_Get_address(array, base, ierr)
	call MPI_Allgather(base, 1, MPI_AINT, bases, 1, MPI_AINT, &
			   MPI_COMM_WORLD, ierr)
	disp = bases(next + 1) + 8
	call works(win, disp, array(3))
	call MPI_Win_detach(win, array, ierr)
	call check(ierr == MPI_SUCCESS, 'MPI_Win_detach')
	call MPI_Win_free(win, ierr)
end subroutine
end module
