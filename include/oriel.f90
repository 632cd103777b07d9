! SPDX-License-Identifier: BSD-3-Clause
! oriel.f90 - what oriel.h adds to MPI, in Fortran: the module oriel.
!
! The same functions as in C, described in oriel.h and section 3 of the manual,
! as subroutines with ierror, optional, at the end; oriel_version, oriel_stat,
! oriel_path and oriel_networks, which have none, as functions.  Handles are those of
! "use mpi_f08", or integers, those of "use mpi" and mpif.h.  As modules belong
! to one compiler, a program compiles this file itself:
!
!   p=oriel-openmpi
!   mpifort.openmpi $(pkg-config --variable=includedir $p)/oriel.f90 \
!     program.f90 $(pkg-config --libs $p)
!
! Buffers go by address, as where MPI_SUBARRAYS_SUPPORTED is false: a section
! of an array that is not contiguous would be copied for the call alone, so a
! derived datatype says what to take of the array.
module oriel
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_long_long, &
    c_size_t, c_char, c_null_char, c_ptr, c_associated, c_f_pointer
  use mpi_f08, only: MPI_Datatype, MPI_Info, MPI_Op, MPI_Request, MPI_Win, &
    MPI_ADDRESS_KIND, BOTTOM_F08 => MPI_BOTTOM
  implicit none
  private
  public :: Oriel_Put_notify, Oriel_Get_notify, Oriel_Accumulate_notify
  public :: Oriel_Notify_wait, Oriel_Notify_test
  public :: Oriel_Rfetch_and_op, Oriel_Rcompare_and_swap, Oriel_Rflush
  public :: Oriel_Win_dup
  public :: oriel_version, oriel_stat, oriel_path, oriel_networks

  ! For MPI_Win_get_attr: one of the values below.
  integer, parameter, public :: ORIEL_WIN_PROGRESS = int(z'4f524c01')
  integer, parameter, public :: ORIEL_PROGRESS_NONE = 0, &
    ORIEL_PROGRESS_POLL = 1, ORIEL_PROGRESS_THREAD = 2

  type, public :: oriel_network
    character(48) :: provider = ''
    character(64) :: domain = ''
    character(16) :: iface = ''
    character(64) :: why = ''
    integer :: rank = 0
  end type

  ! oriel.h's struct of that name.
  type, bind(C) :: c_network
    character(c_char) :: provider(48), domain(64), iface(16), why(64)
    integer(c_int) :: rank
  end type

  interface Oriel_Put_notify
    module procedure put_notify, put_notify_f08
  end interface
  interface Oriel_Get_notify
    module procedure get_notify, get_notify_f08
  end interface
  interface Oriel_Accumulate_notify
    module procedure accumulate_notify, accumulate_notify_f08
  end interface
  interface Oriel_Notify_wait
    module procedure notify_wait, notify_wait_f08
  end interface
  interface Oriel_Notify_test
    module procedure notify_test, notify_test_f08
  end interface
  interface Oriel_Rfetch_and_op
    module procedure rfetch_and_op, rfetch_and_op_f08
  end interface
  interface Oriel_Rcompare_and_swap
    module procedure rcompare_and_swap, rcompare_and_swap_f08
  end interface
  interface Oriel_Rflush
    module procedure rflush, rflush_f08
  end interface
  interface Oriel_Win_dup
    module procedure win_dup, win_dup_f08
  end interface
  interface oriel_path
    module procedure path, path_f08
  end interface

  ! The library's side, with buffers as addresses; each returns C's code.
  interface
    integer(c_int) function f_put_notify(origin, origin_count, origin_type, &
        rank, disp, target_count, target_type, tag, win) &
        bind(C, name='oriel_f_put_notify')
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: origin, disp
      integer(c_int), value :: origin_count, origin_type, rank, &
        target_count, target_type, tag, win
    end function
    integer(c_int) function f_get_notify(origin, origin_count, origin_type, &
        rank, disp, target_count, target_type, tag, win) &
        bind(C, name='oriel_f_get_notify')
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: origin, disp
      integer(c_int), value :: origin_count, origin_type, rank, &
        target_count, target_type, tag, win
    end function
    integer(c_int) function f_accumulate_notify(origin, origin_count, &
        origin_type, rank, disp, target_count, target_type, op, tag, win) &
        bind(C, name='oriel_f_accumulate_notify')
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: origin, disp
      integer(c_int), value :: origin_count, origin_type, rank, &
        target_count, target_type, op, tag, win
    end function
    integer(c_int) function f_notify_wait(win, tag, count) &
        bind(C, name='oriel_f_notify_wait')
      import :: c_int
      integer(c_int), value :: win, tag, count
    end function
    integer(c_int) function f_notify_test(win, tag, count, flag) &
        bind(C, name='oriel_f_notify_test')
      import :: c_int
      integer(c_int), value :: win, tag, count
      integer(c_int), intent(out) :: flag
    end function
    integer(c_int) function f_rfetch_and_op(origin, result, datatype, rank, &
        disp, op, win, request) bind(C, name='oriel_f_rfetch_and_op')
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: origin, result, disp
      integer(c_int), value :: datatype, rank, op, win
      integer(c_int), intent(out) :: request
    end function
    integer(c_int) function f_rcompare_and_swap(origin, compare, result, &
        datatype, rank, disp, win, request) &
        bind(C, name='oriel_f_rcompare_and_swap')
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: origin, compare, result, disp
      integer(c_int), value :: datatype, rank, win
      integer(c_int), intent(out) :: request
    end function
    integer(c_int) function f_rflush(rank, win, request) &
        bind(C, name='oriel_f_rflush')
      import :: c_int
      integer(c_int), value :: rank, win
      integer(c_int), intent(out) :: request
    end function
    integer(c_int) function f_win_dup(win, info, newwin) &
        bind(C, name='oriel_f_win_dup')
      import :: c_int
      integer(c_int), value :: win, info
      integer(c_int), intent(out) :: newwin
    end function
    integer(c_int) function f_networks(networks, most, text, len) &
        bind(C, name='oriel_networks')
      import :: c_int, c_size_t, c_char, c_network
      type(c_network), intent(out) :: networks(*)
      integer(c_int), value :: most
      character(c_char), intent(out) :: text(*)
      integer(c_size_t), value :: len
    end function
    type(c_ptr) function f_version() bind(C, name='oriel_version')
      import :: c_ptr
    end function
    integer(c_long_long) function f_stat(name) bind(C, name='oriel_stat')
      import :: c_char, c_long_long
      character(kind=c_char), intent(in) :: name(*)
    end function
    type(c_ptr) function f_path(win, rank) bind(C, name='oriel_f_path')
      import :: c_int, c_ptr
      integer(c_int), value :: win, rank
    end function
    integer(c_size_t) function strlen(string) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: string
    end function
  end interface

  ! That of mpif.h, for buffers of any type.
  interface
    subroutine MPI_Get_address(location, address, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      type(*), dimension(*), intent(in), asynchronous :: location
      integer(MPI_ADDRESS_KIND), intent(out) :: address
      integer, intent(out) :: ierror
    end subroutine
  end interface
contains

  ! As C has it: MPI_BOTTOM is 0.  MPI_Get_address knows the one of mpif.h.
  integer(MPI_ADDRESS_KIND) function address(buffer)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
    !DIR$ IGNORE_TKR buffer
    type(*), dimension(*), intent(in), asynchronous :: buffer
    integer(MPI_ADDRESS_KIND) :: bottom
    integer :: ignored

    call MPI_Get_address(buffer, address, ignored)
    call MPI_Get_address(BOTTOM_F08, bottom, ignored)
    if (address == bottom) address = 0
  end function

  subroutine give(code, ierror)
    integer(c_int), intent(in) :: code
    integer, optional, intent(out) :: ierror

    if (present(ierror)) ierror = code
  end subroutine

  subroutine put_notify(origin_addr, origin_count, origin_datatype, &
      target_rank, target_disp, target_count, target_datatype, tag, win, &
      ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !DIR$ IGNORE_TKR origin_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr
    integer, intent(in) :: origin_count, origin_datatype, target_rank, &
      target_count, target_datatype, tag, win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, optional, intent(out) :: ierror

    call give(f_put_notify(address(origin_addr), origin_count, &
      origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, tag, win), ierror)
  end subroutine

  subroutine get_notify(origin_addr, origin_count, origin_datatype, &
      target_rank, target_disp, target_count, target_datatype, tag, win, &
      ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !DIR$ IGNORE_TKR origin_addr
    type(*), dimension(*), asynchronous :: origin_addr
    integer, intent(in) :: origin_count, origin_datatype, target_rank, &
      target_count, target_datatype, tag, win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, optional, intent(out) :: ierror

    call give(f_get_notify(address(origin_addr), origin_count, &
      origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, tag, win), ierror)
  end subroutine

  subroutine accumulate_notify(origin_addr, origin_count, origin_datatype, &
      target_rank, target_disp, target_count, target_datatype, op, tag, win, &
      ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !DIR$ IGNORE_TKR origin_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr
    integer, intent(in) :: origin_count, origin_datatype, target_rank, &
      target_count, target_datatype, op, tag, win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, optional, intent(out) :: ierror

    call give(f_accumulate_notify(address(origin_addr), origin_count, &
      origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, op, tag, win), ierror)
  end subroutine

  subroutine notify_wait(win, tag, count, ierror)
    integer, intent(in) :: win, tag, count
    integer, optional, intent(out) :: ierror

    call give(f_notify_wait(win, tag, count), ierror)
  end subroutine

  subroutine notify_test(win, tag, count, flag, ierror)
    integer, intent(in) :: win, tag, count
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer(c_int) :: found

    call give(f_notify_test(win, tag, count, found), ierror)
    flag = found /= 0
  end subroutine

  subroutine rfetch_and_op(origin_addr, result_addr, datatype, target_rank, &
      target_disp, op, win, request, ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
    !DIR$ IGNORE_TKR origin_addr, result_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr
    type(*), dimension(*), asynchronous :: result_addr
    integer, intent(in) :: datatype, target_rank, op, win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, intent(out) :: request
    integer, optional, intent(out) :: ierror

    call give(f_rfetch_and_op(address(origin_addr), address(result_addr), &
      datatype, target_rank, target_disp, op, win, request), ierror)
  end subroutine

  subroutine rcompare_and_swap(origin_addr, compare_addr, result_addr, &
      datatype, target_rank, target_disp, win, request, ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: compare_addr
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
    !DIR$ IGNORE_TKR origin_addr, compare_addr, result_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr, &
      compare_addr
    type(*), dimension(*), asynchronous :: result_addr
    integer, intent(in) :: datatype, target_rank, win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, intent(out) :: request
    integer, optional, intent(out) :: ierror

    call give(f_rcompare_and_swap(address(origin_addr), &
      address(compare_addr), address(result_addr), datatype, target_rank, &
      target_disp, win, request), ierror)
  end subroutine

  subroutine rflush(rank, win, request, ierror)
    integer, intent(in) :: rank, win
    integer, intent(out) :: request
    integer, optional, intent(out) :: ierror

    call give(f_rflush(rank, win, request), ierror)
  end subroutine

  subroutine win_dup(win, info, newwin, ierror)
    integer, intent(in) :: win, info
    integer, intent(out) :: newwin
    integer, optional, intent(out) :: ierror

    call give(f_win_dup(win, info, newwin), ierror)
  end subroutine

  ! -- what the library tells -------------------------------------------------

  ! C's string; empty if there is none.
  function text(string)
    type(c_ptr), intent(in) :: string
    character(:), allocatable :: text
    character(kind=c_char), pointer :: chars(:)
    integer :: i

    text = ''
    if (.not. c_associated(string)) return
    call c_f_pointer(string, chars, [strlen(string)])
    do i = 1, size(chars)
      text = text // chars(i)
    end do
  end function

  ! Up to its end, as C has it, or all of it.
  function string(chars)
    character(c_char), intent(in) :: chars(:)
    character(size(chars)) :: string
    integer :: i

    string = ''
    do i = 1, size(chars)
      if (chars(i) == c_null_char) exit
      string(i:i) = chars(i)
    end do
  end function

  integer function oriel_networks(networks, text)
    type(oriel_network), intent(out) :: networks(:)
    character(*), intent(out) :: text
    type(c_network) :: ways(size(networks))
    character(c_char) :: chars(len(text) + 1)
    integer :: i

    chars = c_null_char
    oriel_networks = f_networks(ways, size(ways), chars, &
      size(chars, kind=c_size_t))
    text = string(chars)
    do i = 1, min(oriel_networks, size(ways))
      networks(i) = oriel_network(string(ways(i)%provider), &
        string(ways(i)%domain), string(ways(i)%iface), string(ways(i)%why), &
        ways(i)%rank)
    end do
  end function

  function oriel_version()
    character(:), allocatable :: oriel_version

    oriel_version = text(f_version())
  end function

  ! Blanks at the end of the name do not count.
  integer(c_long_long) function oriel_stat(name)
    character(*), intent(in) :: name

    oriel_stat = f_stat(trim(name) // c_null_char)
  end function

  function path(win, rank)
    integer, intent(in) :: win, rank
    character(:), allocatable :: path

    path = text(f_path(win, rank))
  end function

  ! -- the same, with handles of mpi_f08 ---------------------------------------

  subroutine put_notify_f08(origin_addr, origin_count, origin_datatype, &
      target_rank, target_disp, target_count, target_datatype, tag, win, &
      ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !DIR$ IGNORE_TKR origin_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, tag
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    type(MPI_Win), intent(in) :: win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, optional, intent(out) :: ierror

    call put_notify(origin_addr, origin_count, origin_datatype%MPI_VAL, &
      target_rank, target_disp, target_count, target_datatype%MPI_VAL, tag, &
      win%MPI_VAL, ierror)
  end subroutine

  subroutine get_notify_f08(origin_addr, origin_count, origin_datatype, &
      target_rank, target_disp, target_count, target_datatype, tag, win, &
      ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !DIR$ IGNORE_TKR origin_addr
    type(*), dimension(*), asynchronous :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, tag
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    type(MPI_Win), intent(in) :: win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, optional, intent(out) :: ierror

    call get_notify(origin_addr, origin_count, origin_datatype%MPI_VAL, &
      target_rank, target_disp, target_count, target_datatype%MPI_VAL, tag, &
      win%MPI_VAL, ierror)
  end subroutine

  subroutine accumulate_notify_f08(origin_addr, origin_count, &
      origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, op, tag, win, ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !DIR$ IGNORE_TKR origin_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, tag
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    integer, optional, intent(out) :: ierror

    call accumulate_notify(origin_addr, origin_count, &
      origin_datatype%MPI_VAL, target_rank, target_disp, target_count, &
      target_datatype%MPI_VAL, op%MPI_VAL, tag, win%MPI_VAL, ierror)
  end subroutine

  subroutine notify_wait_f08(win, tag, count, ierror)
    integer, intent(in) :: tag, count
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror

    call notify_wait(win%MPI_VAL, tag, count, ierror)
  end subroutine

  subroutine notify_test_f08(win, tag, count, flag, ierror)
    integer, intent(in) :: tag, count
    type(MPI_Win), intent(in) :: win
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror

    call notify_test(win%MPI_VAL, tag, count, flag, ierror)
  end subroutine

  subroutine rfetch_and_op_f08(origin_addr, result_addr, datatype, &
      target_rank, target_disp, op, win, request, ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
    !DIR$ IGNORE_TKR origin_addr, result_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr
    type(*), dimension(*), asynchronous :: result_addr
    integer, intent(in) :: target_rank
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror

    call rfetch_and_op(origin_addr, result_addr, datatype%MPI_VAL, &
      target_rank, target_disp, op%MPI_VAL, win%MPI_VAL, request%MPI_VAL, &
      ierror)
  end subroutine

  subroutine rcompare_and_swap_f08(origin_addr, compare_addr, result_addr, &
      datatype, target_rank, target_disp, win, request, ierror)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: compare_addr
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
    !DIR$ IGNORE_TKR origin_addr, compare_addr, result_addr
    type(*), dimension(*), intent(in), asynchronous :: origin_addr, &
      compare_addr
    type(*), dimension(*), asynchronous :: result_addr
    integer, intent(in) :: target_rank
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Win), intent(in) :: win
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror

    call rcompare_and_swap(origin_addr, compare_addr, result_addr, &
      datatype%MPI_VAL, target_rank, target_disp, win%MPI_VAL, &
      request%MPI_VAL, ierror)
  end subroutine

  subroutine rflush_f08(rank, win, request, ierror)
    integer, intent(in) :: rank
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror

    call rflush(rank, win%MPI_VAL, request%MPI_VAL, ierror)
  end subroutine

  subroutine win_dup_f08(win, info, newwin, ierror)
    type(MPI_Info), intent(in) :: info
    type(MPI_Win), intent(in) :: win
    type(MPI_Win), intent(out) :: newwin
    integer, optional, intent(out) :: ierror

    call win_dup(win%MPI_VAL, info%MPI_VAL, newwin%MPI_VAL, ierror)
  end subroutine

  function path_f08(win, rank)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: rank
    character(:), allocatable :: path_f08

    path_f08 = path(win%MPI_VAL, rank)
  end function
end module
