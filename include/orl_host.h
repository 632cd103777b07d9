/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_host.h - everything that is asked of the host MPI.  The functions that
 * Oriel itself defines are reached through orl_host; all other PMPI_ calls
 * are made in src/host, and in src/mpi/{block,fortran}.c.  Functions return 0
 * or an MPI error class, unless they say otherwise.  The host may call back
 * into Oriel from any of them.
 */
#ifndef ORL_HOST_H
#define ORL_HOST_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The large-count forms of MPI-4.0. */
#if MPI_VERSION >= 4
#define ORL_HOST_LARGE(X)                                                      \
	X(Put_c)                                                               \
	X(Get_c)                                                               \
	X(Accumulate_c)                                                        \
	X(Get_accumulate_c)                                                    \
	X(Rput_c)                                                              \
	X(Rget_c)                                                              \
	X(Raccumulate_c)                                                       \
	X(Rget_accumulate_c)                                                   \
	X(Win_create_c)                                                        \
	X(Win_allocate_c)                                                      \
	X(Win_allocate_shared_c)                                               \
	X(Win_shared_query_c)
#else
#define ORL_HOST_LARGE(X)
#endif

/* Calls that block, in which other nodes are served: src/mpi/block.c. */
#define ORL_HOST_BLOCKING(X)                                                   \
	X(Recv)                                                                \
	X(Send)                                                                \
	X(Ssend)                                                               \
	X(Rsend)                                                               \
	X(Sendrecv)                                                            \
	X(Probe)                                                               \
	X(Mprobe)                                                              \
	X(Wait)                                                                \
	X(Waitall)                                                             \
	X(Waitany)                                                             \
	X(Waitsome)

/* The rest of those that take the requests of RMA operations. */
#define ORL_HOST_TESTING(X)                                                    \
	X(Test)                                                                \
	X(Testall)                                                             \
	X(Testany)                                                             \
	X(Testsome)                                                            \
	X(Request_get_status)                                                  \
	X(Request_free)

/*
 * What Oriel takes over: MPI-3.1 chapter 11, memory allocation, the texts of
 * error codes, blocking calls, requests, and the end.
 */
#define ORL_HOST_FUNCTIONS(X)                                                  \
	X(Put)                                                                 \
	X(Get)                                                                 \
	X(Accumulate)                                                          \
	X(Get_accumulate)                                                      \
	X(Fetch_and_op)                                                        \
	X(Compare_and_swap)                                                    \
	X(Rput)                                                                \
	X(Rget)                                                                \
	X(Raccumulate)                                                         \
	X(Rget_accumulate)                                                     \
	X(Win_create)                                                          \
	X(Win_allocate)                                                        \
	X(Win_allocate_shared)                                                 \
	X(Win_create_dynamic)                                                  \
	X(Win_attach)                                                          \
	X(Win_detach)                                                          \
	X(Win_shared_query)                                                    \
	X(Win_free)                                                            \
	X(Win_fence)                                                           \
	X(Win_post)                                                            \
	X(Win_start)                                                           \
	X(Win_complete)                                                        \
	X(Win_wait)                                                            \
	X(Win_test)                                                            \
	X(Win_lock)                                                            \
	X(Win_unlock)                                                          \
	X(Win_lock_all)                                                        \
	X(Win_unlock_all)                                                      \
	X(Win_flush)                                                           \
	X(Win_flush_all)                                                       \
	X(Win_flush_local)                                                     \
	X(Win_flush_local_all)                                                 \
	X(Win_sync)                                                            \
	X(Win_get_group)                                                       \
	X(Win_get_info)                                                        \
	X(Win_set_info)                                                        \
	X(Win_get_attr)                                                        \
	X(Win_set_attr)                                                        \
	X(Win_delete_attr)                                                     \
	X(Win_get_name)                                                        \
	X(Win_set_name)                                                        \
	X(Win_get_errhandler)                                                  \
	X(Win_set_errhandler)                                                  \
	X(Win_call_errhandler)                                                 \
	X(Alloc_mem)                                                           \
	X(Free_mem)                                                            \
	X(Error_string)                                                        \
	X(Init)                                                                \
	X(Init_thread)                                                         \
	X(Finalize)                                                            \
	ORL_HOST_BLOCKING(X)                                                   \
	ORL_HOST_TESTING(X)                                                    \
	ORL_HOST_LARGE(X)

/* MPI-4.1's, of which mpi.h may know nothing, or know them otherwise. */
#define ORL_HOST_NEWER(X)                                                      \
	X(Request_get_status_all)                                              \
	X(Request_get_status_any)                                              \
	X(Request_get_status_some)

/* The host's own function of each name. */
struct orl_host {
#define ORL_HOST_MEMBER(name) __typeof__(&MPI_##name) name;
	ORL_HOST_FUNCTIONS(ORL_HOST_MEMBER)
#undef ORL_HOST_MEMBER
	/* NULL where the host has none. */
	int (*Request_get_status_all)(int count, MPI_Request requests[],
				      int *flag, MPI_Status statuses[]);
	int (*Request_get_status_any)(int count, MPI_Request requests[],
				      int *index, int *flag,
				      MPI_Status *status);
	int (*Request_get_status_some)(int count, MPI_Request requests[],
				       int *done, int indices[],
				       MPI_Status statuses[]);
};

/* Constant after orl_host_load. */
extern struct orl_host orl_host;

/* "Open MPI" or "MPICH": what this build serves. */
extern const char orl_host_name[];

/*
 * Resolves orl_host: the library's constructor calls it.  False, with the
 * reason logged, if the program's MPI is another one than this build's.
 */
bool orl_host_load(void);

/*
 * For MPI_Init: if another MPI than the host has been loaded, as by a script's
 * module, its handles are about to come to the host, and the reason of the
 * errors that follow is told; so it is if another MPI's launcher has started
 * the program.
 */
void orl_host_tell_second(void);
/* Is there MPI_COMM_WORLD: between MPI_Init and the end of MPI_Finalize? */
bool orl_host_has_world(void);
/* Is there that, or a session of the program's?  Costs a load. */
bool orl_host_is_up(void);

/*
 * Learns the thread level, makes the communicator that window handles live
 * on and adds the host's progress to orl_progress.  Needs the host up; any
 * number of calls, any thread.
 */
int orl_host_start(void);

/*
 * Has the host's own progress loop, which runs in its blocking calls, call
 * orl_progress_hook.  False if the host offers no way.  To be undone
 * before MPI_Finalize; both only by one thread at a time.
 */
bool orl_host_hook(void);
void orl_host_unhook(void);
/* Has it ever been?  If not, src/mpi/block.c stands in for it. */
extern _Atomic(bool) orl_host_hooked;

/*
 * MPI_Finalize and the program's last session are over: gives back what is
 * kept in the host.  A session that comes later begins anew.
 */
void orl_host_end(void);

/* The error class of a code, MPI_Error_class. */
int orl_host_error_class(int code);

/* -- sessions: MPI-4.0, section 11.3 --------------------------------------- */

/* What this is built with has none; what it runs with may. */
#ifndef MPI_SESSION_NULL
#ifdef OPEN_MPI
typedef struct ompi_instance_t *MPI_Session;
#else
typedef int MPI_Session;
#endif
#endif

/* MPI_Session_init and MPI_Session_finalize, counted. */
int orl_host_session_init(MPI_Info info, MPI_Errhandler handler,
			  MPI_Session *session);
int orl_host_session_finalize(MPI_Session *session);
/* How many the program has. */
int orl_host_sessions(void);

/* -- communicators --------------------------------------------------------- */

struct orl_comm {
	MPI_Comm handle;
	int rank, size;
	MPI_Group group; /* released by orl_host_comm_close */
};

/* MPI_ERR_COMM for an intercommunicator or what is no communicator. */
int orl_host_comm_open(MPI_Comm handle, struct orl_comm *comm);
void orl_host_comm_close(struct orl_comm *comm);

/*
 * Collective: a communicator of comm's ranks, for when the program may have
 * freed its own.
 */
int orl_host_comm_copy(const struct orl_comm *comm, MPI_Comm *copy);
void orl_host_comm_drop(MPI_Comm *copy);
/* Collective: bytes from a rank to every other. */
int orl_host_tell(MPI_Comm comm, int root, void *value, size_t bytes);

typedef void (*orl_host_merge_fn)(void *into, const void *from, size_t bytes);
/*
 * Collective over a copy: merges all ranks' values into that of rank 0, as a
 * tree, in the order of ranks.  Memory: bytes, at other; both are changed.
 */
int orl_host_reduce(MPI_Comm copy, void *value, void *other, size_t bytes,
		    orl_host_merge_fn merge);
/* Over a copy: a text for rank 0, and that of a rank there, to out if that is
 * not NULL. */
int orl_host_text_send(MPI_Comm copy, const char *text, size_t len);
int orl_host_text_take(MPI_Comm copy, int rank, FILE *out);
/*
 * Collective over the group: a communicator of it.  Threads that make some at
 * once call with different numbers.  MPI_ERR_GROUP if it is not part of
 * MPI_COMM_WORLD.
 */
int orl_host_comm_make(MPI_Group group, uint32_t number, MPI_Comm *comm);

/* Ranks of MPI_COMM_WORLD, or of the process set of that name. */
int orl_host_world_size(void);
int orl_host_world_rank(void);

/* Of all of comm's, in its order; < 0: of none. */
int orl_host_world_ranks(const struct orl_comm *comm, int *ranks);

/* Collective: bytes from every rank to every rank. */
int orl_host_allgather(const struct orl_comm *comm, const void *mine, void *all,
		       size_t bytes);

/* Ranks in comm's group of the members of group: ranks[] to be freed. */
int orl_host_group_ranks(const struct orl_comm *comm, MPI_Group group,
			 int **ranks, int *count);
int orl_host_group_copy(MPI_Group group, MPI_Group *copy);

/* -- window handles: mostly a host window of this process alone ------------ */

int orl_host_win_make(MPI_Win *handle);
/* Runs the attributes' delete callbacks; *handle becomes MPI_WIN_NULL. */
int orl_host_win_free(MPI_Win *handle);
void orl_host_win_name(MPI_Win handle, char name[MPI_MAX_OBJECT_NAME]);

/*
 * Some handles are not objects of the host's, see src/host/bare.c.  The
 * host's functions on windows must not be called on these, but the ones
 * here, which return MPI error codes.
 */
bool orl_host_win_is_bare(MPI_Win handle);
int orl_host_bare_set_name(MPI_Win handle, const char *name);
int orl_host_bare_get_name(MPI_Win handle, char *name, int *len);
int orl_host_bare_set_errhandler(MPI_Win handle, MPI_Errhandler handler);
int orl_host_bare_get_errhandler(MPI_Win handle, MPI_Errhandler *handler);
int orl_host_bare_call_errhandler(MPI_Win handle, int code);
/* Raises that they have no user attributes. */
int orl_host_bare_no_attributes(MPI_Win handle);

/* -- requests -------------------------------------------------------------- */

/* A genuine request that has already completed. */
int orl_host_request_done(MPI_Request *request);
/*
 * One that has not; the host calls on_free(state) when the program has done
 * with it, in a call of the program's.  Complete it before the host's Wait
 * family sees it.
 */
typedef int (*orl_host_free_fn)(void *state);
int orl_host_request_start(orl_host_free_fn on_free, void *state,
			   MPI_Request *request);
void orl_host_request_complete(MPI_Request request);

/* -- errors ---------------------------------------------------------------- */

/*
 * An error code of this class whose MPI_Error_string is text.  One code per
 * class lives on; its text is that of its latest error.
 */
int orl_host_error_code(int class, const char *text);
/* The text of such a code, as MPI_Error_string gives it; false if none. */
bool orl_host_error_text(int code, char *line, int *len);
/* Call the error handler with code, return code if it returns. */
int orl_host_raise_win(MPI_Win handle, int code);
int orl_host_raise_comm(MPI_Comm handle, int code);

/* -- datatypes ------------------------------------------------------------- */

/*
 * One level of a derived datatype.  args are the numbers that its constructor
 * was given, in the order of the constructor's arguments, whatever their type
 * was: of MPI_Type_create_hindexed the count, the lengths, the displacements.
 * types are released by orl_host_type_close.
 */
struct orl_contents {
	int combiner;
	size_t nargs, ntypes;
	ptrdiff_t *args;
	MPI_Datatype *types;
};

int orl_host_type_open(MPI_Datatype handle, struct orl_contents *contents);
void orl_host_type_close(struct orl_contents *contents);
int orl_host_type_size(MPI_Datatype handle, size_t *size);
int orl_host_type_extent(MPI_Datatype handle, ptrdiff_t *lb, ptrdiff_t *extent);
/* Has fn(handle) called when the type is freed. */
int orl_host_type_watch(MPI_Datatype handle, void (*fn)(MPI_Datatype));

/* -- info ------------------------------------------------------------------ */

/* Copies the value; false if the key is not set or info is MPI_INFO_NULL. */
bool orl_host_info_get(MPI_Info info, const char *key, char *value,
		       size_t size);
int orl_host_info_make(MPI_Info *info);
void orl_host_info_free(MPI_Info *info);
int orl_host_info_set(MPI_Info info, const char *key, const char *value);

#endif
