! SPDX-License-Identifier: BSD-3-Clause
! binding.h - what differs between the three bindings: MPIFH is mpif.h, MODULE
! is the module mpi, else it is mpi_f08.  ADDRESS: memory comes as an integer
! of kind MPI_ADDRESS_KIND, else as a C_PTR.
#if defined(MPIFH)
#define MPI_MODULE
#define MPI_HEADER include 'mpif.h'
#elif defined(MODULE)
#define MPI_MODULE use mpi
#define MPI_HEADER
#else
#define F08
#define MPI_MODULE use mpi_f08
#define MPI_HEADER
#endif

#ifdef F08
#define COMM_T type(MPI_Comm)
#define ERRHANDLER_T type(MPI_Errhandler)
#define GROUP_T type(MPI_Group)
#define INFO_T type(MPI_Info)
#define REQUEST_T type(MPI_Request)
#define TYPE_T type(MPI_Datatype)
#define WIN_T type(MPI_Win)
#define STATUS(s) type(MPI_Status) :: s
#else
#define COMM_T integer
#define ERRHANDLER_T integer
#define GROUP_T integer
#define INFO_T integer
#define REQUEST_T integer
#define TYPE_T integer
#define WIN_T integer
#define STATUS(s) integer :: s(MPI_STATUS_SIZE)
#endif

#ifdef ADDRESS
#define BASE_T integer(MPI_ADDRESS_KIND)
#define CPTR(base) transfer(base, C_NULL_PTR)
#define AINT(base) (base)
#else
#define BASE_T type(c_ptr)
#define CPTR(base) base
#define AINT(base) transfer(base, 0_MPI_ADDRESS_KIND)
#endif
