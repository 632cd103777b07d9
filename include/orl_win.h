/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_win.h - windows: what the MPI entry points call.  Functions return
 * MPI_SUCCESS or an error code that has already been raised on the window's
 * (at creation: the communicator's) error handler.  Section numbers are
 * those of MPI-3.1.
 */
#ifndef ORL_WIN_H
#define ORL_WIN_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orl_util.h"

struct orl_win;

/* Live windows by handle. */
extern struct orl_map orl_win_map;

/* NULL if the handle is not one of Oriel's. */
static inline struct orl_win *orl_win_find(MPI_Win handle)
{
	return orl_map_find(&orl_win_map, (uintptr_t)handle);
}

/* -- creation, section 11.2: collective ------------------------------------ */

struct orl_win_args {
	const char *call; /* "MPI_Win_create" */
	int flavor;	  /* MPI_WIN_FLAVOR_... */
	void *base;	  /* MPI_WIN_FLAVOR_CREATE: the user's memory */
	MPI_Aint size;	  /* bytes */
	MPI_Aint disp_unit;
	MPI_Info info;
	MPI_Comm comm;
	struct orl_win *of; /* whose memory it is to be, or NULL; alone with
			     * flavor, base, size and disp_unit of that one */
};

/* Communication: two allgathers.  Memory: one cache line a rank. */
int orl_win_create(const struct orl_win_args *args, MPI_Win *handle);
/* Another window on the same memory; its handle.  Also collective. */
int orl_win_dup(struct orl_win *of, MPI_Info info, MPI_Win *handle);
/* The address of this rank's part, in this process. */
void *orl_win_base(const struct orl_win *win);
/* Waits for all ranks; deletes attributes; *handle = MPI_WIN_NULL. */
int orl_win_free(MPI_Win *handle, struct orl_win *win);

int orl_win_attach(struct orl_win *win, void *base, MPI_Aint size);
int orl_win_detach(struct orl_win *win, const void *base);
/* unit is an int or, for the large-count form, an MPI_Aint. */
int orl_win_shared_query(struct orl_win *win, int rank, MPI_Aint *size,
			 MPI_Aint *unit, void *base);

/* -- communication, section 11.3 ------------------------------------------- */

/* The arguments that all communication calls share. */
struct orl_xfer {
	const char *call;   /* for messages */
	const void *origin; /* written by a get */
	int64_t ocount;
	MPI_Datatype otype;
	int64_t tcount;
	MPI_Datatype ttype;
	MPI_Aint disp;
	int rank;
	bool request; /* an R-form: passive epochs only */
};

/* Those of the accumulate family beside. */
struct orl_xacc {
	struct orl_xfer xfer;
	MPI_Op op;
	void *result;
	int64_t rcount;
	MPI_Datatype rtype;
};

/* Those of calls on one element of a predefined type. */
struct orl_xone {
	const void *origin;
	void *result;
	MPI_Datatype type;
	MPI_Aint disp;
	MPI_Op op; /* of a compare-and-swap it does not count */
	int rank;
};

/* The same for the functions that take any call. */
static inline struct orl_xacc orl_xone_any(const struct orl_xone *x,
					   const char *call)
{
	return (struct orl_xacc){ .xfer = { .call = call,
					    .origin = x->origin,
					    .ocount = 1,
					    .otype = x->type,
					    .tcount = 1,
					    .ttype = x->type,
					    .disp = x->disp,
					    .rank = x->rank,
					    .request = false },
				  .op = x->op,
				  .result = x->result,
				  .rcount = 1,
				  .rtype = x->type };
}

int orl_win_put(struct orl_win *win, const struct orl_xfer *x);
int orl_win_get(struct orl_win *win, const struct orl_xfer *x);
int orl_win_accumulate(struct orl_win *win, const struct orl_xacc *x);
int orl_win_get_accumulate(struct orl_win *win, const struct orl_xacc *x);
int orl_win_fetch_and_op(struct orl_win *win, const struct orl_xone *x);
int orl_win_compare_and_swap(struct orl_win *win, const struct orl_xone *x,
			     const void *compare);

/* -- calls that give a request, section 11.3.5 ----------------------------- */

/*
 * Nonblocking, but for flow control.  The request of a put or accumulate is
 * complete when the origin buffer may be reused, which is at once where its
 * data were copied, of a get when the data are there.
 */
int orl_win_rput(struct orl_win *win, const struct orl_xfer *x,
		 MPI_Request *request);
int orl_win_rget(struct orl_win *win, const struct orl_xfer *x,
		 MPI_Request *request);
int orl_win_raccumulate(struct orl_win *win, const struct orl_xacc *x,
			MPI_Request *request);
int orl_win_rget_accumulate(struct orl_win *win, const struct orl_xacc *x,
			    MPI_Request *request);

/* And of calls beyond MPI's, include/oriel.h. */
int orl_win_rfetch_and_op(struct orl_win *win, const struct orl_xacc *x,
			  MPI_Request *request);
int orl_win_rcompare_and_swap(struct orl_win *win, const struct orl_xacc *x,
			      const void *compare, MPI_Request *request);
int orl_win_rflush(struct orl_win *win, int rank, MPI_Request *request);

struct orl_request;

/* Those of operations that were not complete when their call returned: until
 * the program has waited for them. */
extern struct orl_map orl_request_map;
extern _Atomic(uint32_t) orl_request_count;

/* Are there any?  What programs without them pay. */
static inline bool orl_request_is_any(void)
{
	return orl_unlikely(atomic_load_explicit(&orl_request_count,
						 memory_order_relaxed) != 0);
}

/* NULL if the host's Wait can do without us. */
static inline struct orl_request *orl_request_find(MPI_Request handle)
{
	return orl_map_find(&orl_request_map, (uintptr_t)handle);
}

/* Sees to it that what it waits for is under way.  Does not block, as the
 * next. */
void orl_request_send(struct orl_request *request);
/*
 * The same; is the operation complete?  Then so is the host's request, and an
 * error has been raised on the window's error handler.
 */
bool orl_request_test(struct orl_request *request);
/* The same, and waits until it is. */
void orl_request_wait(struct orl_request *request);
/* Until one is done, of those that are not null; each has been tested. */
void orl_request_wait_some(int count, const MPI_Request requests[]);
/* The error code of a complete one, MPI_SUCCESS if all is well. */
int orl_request_code(const struct orl_request *request);
/* Before MPI_Request_free.  The operation goes on. */
void orl_request_abandon(struct orl_request *request);

/* -- synchronisation, section 11.5 ----------------------------------------- */

int orl_win_fence(struct orl_win *win, int assertion);
int orl_win_post(struct orl_win *win, MPI_Group group, int assertion);
int orl_win_start(struct orl_win *win, MPI_Group group, int assertion);
int orl_win_complete(struct orl_win *win);
int orl_win_wait(struct orl_win *win);
int orl_win_test(struct orl_win *win, int *flag);
int orl_win_lock(struct orl_win *win, int type, int rank, int assertion);
int orl_win_unlock(struct orl_win *win, int rank);
int orl_win_lock_all(struct orl_win *win, int assertion);
int orl_win_unlock_all(struct orl_win *win);
int orl_win_flush(struct orl_win *win, int rank);
int orl_win_flush_all(struct orl_win *win);
int orl_win_flush_local(struct orl_win *win, int rank);
int orl_win_flush_local_all(struct orl_win *win);
int orl_win_sync(struct orl_win *win);

/* -- the calls that a program makes often ---------------------------------- */

/*
 * As a window's creation chose them: the functions above, or what counts and
 * traces around them (ORIEL_STATS, ORIEL_TRACE).
 */
struct orl_calls {
	int (*put)(struct orl_win *win, const struct orl_xfer *x);
	int (*get)(struct orl_win *win, const struct orl_xfer *x);
	int (*accumulate)(struct orl_win *win, const struct orl_xacc *x);
	int (*get_accumulate)(struct orl_win *win, const struct orl_xacc *x);
	int (*fetch_and_op)(struct orl_win *win, const struct orl_xone *x);
	int (*compare_and_swap)(struct orl_win *win, const struct orl_xone *x,
				const void *compare);
	/* The same two, with a request too. */
	int (*fetch_any)(struct orl_win *win, const struct orl_xacc *x);
	int (*swap_any)(struct orl_win *win, const struct orl_xacc *x,
			const void *compare);
	int (*rput)(struct orl_win *win, const struct orl_xfer *x,
		    MPI_Request *request);
	int (*rget)(struct orl_win *win, const struct orl_xfer *x,
		    MPI_Request *request);
	int (*raccumulate)(struct orl_win *win, const struct orl_xacc *x,
			   MPI_Request *request);
	int (*rget_accumulate)(struct orl_win *win, const struct orl_xacc *x,
			       MPI_Request *request);
	int (*fence)(struct orl_win *win, int assertion);
	int (*post)(struct orl_win *win, MPI_Group group, int assertion);
	int (*start)(struct orl_win *win, MPI_Group group, int assertion);
	int (*complete)(struct orl_win *win);
	int (*wait)(struct orl_win *win);
	int (*test)(struct orl_win *win, int *flag);
	int (*lock)(struct orl_win *win, int type, int rank, int assertion);
	int (*unlock)(struct orl_win *win, int rank);
	int (*lock_all)(struct orl_win *win, int assertion);
	int (*unlock_all)(struct orl_win *win);
	int (*flush)(struct orl_win *win, int rank);
	int (*flush_all)(struct orl_win *win);
	int (*flush_local)(struct orl_win *win, int rank);
	int (*flush_local_all)(struct orl_win *win);
	int (*sync)(struct orl_win *win);
	int (*rflush)(struct orl_win *win, int rank, MPI_Request *request);
	int (*notify_wait)(struct orl_win *win, int tag, int count);
	int (*notify_test)(struct orl_win *win, int tag, int count, int *flag);
};

/* What a window begins with; the rest is win's. */
struct orl_win_head {
	const struct orl_calls *calls;
};

static inline const struct orl_calls *orl_win_calls(const struct orl_win *win)
{
	return ((const struct orl_win_head *)win)->calls;
}

/* -- notifications, include/oriel.h ---------------------------------------- */

/* The call and then a notification of its target, with the tag. */
int orl_win_put_notify(struct orl_win *win, const struct orl_xfer *x, int tag);
int orl_win_get_notify(struct orl_win *win, const struct orl_xfer *x, int tag);
int orl_win_accumulate_notify(struct orl_win *win, const struct orl_xacc *x,
			      int tag);
int orl_win_notify_wait(struct orl_win *win, int tag, int count);
int orl_win_notify_test(struct orl_win *win, int tag, int count, int *flag);

/* -- the end --------------------------------------------------------------- */

/* Around the host's MPI_Finalize, section 8.7, or the end of the last session:
 * whichever is later. */
void orl_win_leave(void);
void orl_win_left(void);

/* -- the object, sections 11.2.6, 11.2.7 ----------------------------------- */

int orl_win_get_group(struct orl_win *win, MPI_Group *group);
int orl_win_get_info(struct orl_win *win, MPI_Info *info);
int orl_win_set_info(struct orl_win *win, MPI_Info info);
/* False if keyval is not one of the five predefined ones. */
bool orl_win_get_attr(struct orl_win *win, int keyval, void *value);
/* Of the path to a rank's memory, in dynamic windows to memory that is not
 * mapped; NULL: there is no such rank. */
const char *orl_win_path_name(const struct orl_win *win, int rank);
/* Who answers other nodes: 0, 1, 2, nobody needs to, our calls, a thread. */
int *orl_win_progress(struct orl_win *win);
/* May the program set or delete the attribute? */
int orl_win_check_keyval(struct orl_win *win, const char *call, int keyval);

/* -- accounting --------------------------------------------------------------
 */

/* Of all live windows of this process; bytes. */
struct orl_account {
	uint64_t windows;
	uint64_t held;	 /* private memory */
	uint64_t shared; /* control blocks, in the arena */
};
void orl_win_account(struct orl_account *account);

/* -- memory, section 8.2 --------------------------------------------------- */

int orl_mem_alloc(MPI_Aint size, MPI_Info info, void *base);
int orl_mem_free(void *base);
bool orl_mem_is_ours(void *base);

#endif
