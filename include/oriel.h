/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oriel.h - what a program may ask of Oriel beyond MPI.
 *
 * Nothing here is needed to use Oriel: a program calls MPI's one-sided
 * functions and runs under orielrun, or is linked with -loriel.
 *
 * A program that calls what is declared here is linked with -loriel
 * (pkg-config oriel-openmpi or oriel-mpich); else the linker says
 * "undefined reference to `Oriel_...'".  To run without Oriel as well, it
 * defines ORIEL_OPTIONAL before it includes this file and is linked without:
 * the functions are weak then, and their addresses NULL unless it runs under
 * orielrun:
 *
 *	if (Oriel_Put_notify)
 *		Oriel_Put_notify(...);
 *	else
 *		MPI_Put(...), MPI_Win_flush(...), MPI_Send(...);
 *
 * (Not in programs compiled with -fno-pie, where a linker may decide that
 * they are NULL for good.)
 *
 * Functions named Oriel_X return MPI_SUCCESS or an error code, and raise
 * errors on the window's error handler, as those of MPI's chapter on one-sided
 * communication do; MPI_ERR_WIN on that of MPI_COMM_WORLD, if the window is
 * not one of Oriel's (a program of MPI sessions alone has none).  Section
 * numbers are those of MPI-3.1.
 */
#ifndef ORIEL_H
#define ORIEL_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ORIEL_OPTIONAL
#define ORIEL_API __attribute__((weak))
#else
#define ORIEL_API
#endif

/*
 * The library's version, "0.1.0 (Open MPI)".  Local, never fails, may be
 * called before MPI_Init; the string is constant.
 */
ORIEL_API const char *oriel_version(void);

/*
 * What the library has counted in this process since it was loaded, or holds
 * now; -1 if there is nothing of that name:
 *
 *	messages_sent, messages_received, messages_dropped
 *			messages between nodes, signs of life included;
 *			dropped: of those received, not for us or malformed
 *	round_trips	waits for answers of other nodes
 *	windows		that are live
 *	window_bytes_private, window_bytes_shared
 *			what the library holds for them, beside their memory,
 *			in private and in shared memory (doc/memory.md)
 *	room_bytes	that windows of all processes of the node may take
 *	arena_bytes	allocated of the memory that other processes can map
 *
 * Local; any thread may call it while no other synchronises on a window.
 * O(windows).  Other ranks' counts are theirs: they may change at any time.
 */
ORIEL_API long long oriel_stat(const char *name);

/* -- notifications ----------------------------------------------------------
 *
 * An operation tells its target that it is done, so that the target may wait
 * for data without a message, a fence or a word of its own that it polls.
 * Extends sections 11.3 and 11.5.
 *
 * A window has at each rank one counter for each tag, 0 at first.  A call with
 * a tag adds 1 to the target's counter of it when its own operation, and every
 * one that this process (of threads: this thread) has made at the target by
 * this window before, is complete at the target; so one notification behind
 * many puts will do.  The target's wait or test takes from the counter.  It
 * synchronises: what the operations wrote is seen by what follows the wait, in
 * the owner's loads too, and after a get's notification its memory may be
 * changed.  Notifications of one origin with one tag are counted in the order
 * of the calls; between tags and between origins there is no order.
 *
 * Tags are 0 to n - 1.  n is 64, or at creation of the window the info key
 * oriel_notify_tags (0 to 1048576; of different wishes the least is in force),
 * which MPI_Win_get_info tells.  A tag takes 8 bytes at each rank.
 */

/*
 * MPI_Put, MPI_Get, MPI_Accumulate (sections 11.3.1, 11.3.2, 11.3.4), with a
 * notification of the target.  Arguments are those of MPI's call, and the tag;
 * epochs are the same.  The notification leaves at once, with nothing more to
 * be done by the origin: no flush is needed for it, but the origin's buffer is
 * its own again only when MPI says so (flush, unlock, fence, ...), which also
 * awaits the notification's count.  A count of 0 makes a notification alone.
 * To MPI_PROC_NULL there is none.
 *
 * Errors: those of MPI's call, after which nothing is notified; MPI_ERR_TAG.
 * What only the target finds wrong (README.md, Limits) is told by the next
 * flush or unlock, and notified all the same.  Blocks for flow control alone,
 * and for accumulates that the network executes (oriel_atomics).  Between
 * nodes: one message, with the data if these are small; behind what messages
 * may overtake (the network's reads; its writes too, but over TCP) it leaves
 * when that has ended, in whatever call or thread makes progress then.
 */
ORIEL_API int Oriel_Put_notify(const void *origin_addr, int origin_count,
			       MPI_Datatype origin_datatype, int target_rank,
			       MPI_Aint target_disp, int target_count,
			       MPI_Datatype target_datatype, int tag,
			       MPI_Win win);
ORIEL_API int Oriel_Get_notify(void *origin_addr, int origin_count,
			       MPI_Datatype origin_datatype, int target_rank,
			       MPI_Aint target_disp, int target_count,
			       MPI_Datatype target_datatype, int tag,
			       MPI_Win win);
ORIEL_API int Oriel_Accumulate_notify(const void *origin_addr, int origin_count,
				      MPI_Datatype origin_datatype,
				      int target_rank, MPI_Aint target_disp,
				      int target_count,
				      MPI_Datatype target_datatype, MPI_Op op,
				      int tag, MPI_Win win);

/*
 * Waits until count notifications of the tag have come to the calling process
 * that no other wait or test has taken, and takes them.  Needs no epoch.
 * Several threads may wait, also for the same tag; which of them gets what is
 * left is open.
 *
 * Errors: MPI_ERR_TAG, MPI_ERR_COUNT (negative); in windows that span nodes
 * MPI_ERR_OTHER if a process of the window is lost, meanwhile or before, and
 * they are not there.  Communication: none; the wait sleeps when it has lasted
 * some time, and the origin wakes it.
 */
ORIEL_API int Oriel_Notify_wait(MPI_Win win, int tag, int count);

/*
 * The same without waiting: *flag is 1 if so many were there, which have been
 * taken, else 0, and none was.
 */
ORIEL_API int Oriel_Notify_test(MPI_Win win, int tag, int count, int *flag);

/*
 * By which path this process reaches rank's memory in the window: "direct",
 * "self", "cma", "fabric" or "software" (see README.md, ORIEL_PATH); of a
 * dynamic window, such memory as MPI_Alloc_mem did not give.  NULL if the
 * window is not one of Oriel's or has no such rank.  Local, any thread.
 */
ORIEL_API const char *oriel_path(MPI_Win win, int rank);

/* A way to other nodes that libfabric offers, as fi_info names it. */
struct oriel_network {
	char provider[48];
	char domain[64];
	char iface[16]; /* network interface, by its address, or "" */
	char why[64];	/* what speaks for or against it */
	int rank;	/* the smaller the better */
};

/*
 * All such ways, the best first, the first most of them into networks: the
 * first window that spans nodes tries them in this order.  How many there are,
 * with libfabric's version and file in text, of len bytes; or -1, and text
 * says what is wrong.  Local; loads libfabric.
 */
ORIEL_API int oriel_networks(struct oriel_network *networks, int most,
			     char *text, size_t len);

/* -- requests ---------------------------------------------------------------
 *
 * Request forms that MPI lacks; they extend sections 11.3.5 and 11.5.4.  Only
 * in passive epochs, as MPI_Rput.  The request is one of the host's: it goes
 * together with all others in the calls that wait and test, and has no status
 * worth reading.  Errors that are found at the end are raised on the window's
 * error handler and returned by the call that completes the request.  On one
 * node, and where accumulates are the network's (oriel_atomics), all is
 * complete when the call returns.
 */

/*
 * MPI_Fetch_and_op and MPI_Compare_and_swap (sections 11.3.4): arguments and
 * errors are the same.  When the request is complete, the result is there and
 * the other buffers may be reused; the operation is then complete at the
 * target too.
 */
ORIEL_API int Oriel_Rfetch_and_op(const void *origin_addr, void *result_addr,
				  MPI_Datatype datatype, int target_rank,
				  MPI_Aint target_disp, MPI_Op op, MPI_Win win,
				  MPI_Request *request);
ORIEL_API int Oriel_Rcompare_and_swap(const void *origin_addr,
				      const void *compare_addr,
				      void *result_addr, MPI_Datatype datatype,
				      int target_rank, MPI_Aint target_disp,
				      MPI_Win win, MPI_Request *request);

/*
 * MPI_Win_flush of that rank (section 11.5.4) that does not wait: when the
 * request is complete, so are all operations, at both ends, that this process
 * has made at the target before the call, and their notifications have left;
 * of those that are made after it nothing is said.  To flush several ranks,
 * and go on meanwhile, a program takes a request of each.  MPI_PROC_NULL is
 * flushed at once.
 *
 * Errors: MPI_ERR_RANK, MPI_ERR_RMA_SYNC (not in a passive epoch, or the rank
 * is not locked).  What only the target finds wrong with an operation is told
 * by the next flush or unlock.  Between nodes: one round trip, none if nothing
 * is outstanding.
 */
ORIEL_API int Oriel_Rflush(int rank, MPI_Win win, MPI_Request *request);

/* -- windows ----------------------------------------------------------------*/

/*
 * Another window on the same memory (extends section 11.2): same group, sizes,
 * displacement units and flavor, but with epochs, locks, notifications and
 * outstanding operations of its own, and the hints of this info (what info
 * does not say has its default, not win's value).  A library gets epochs that
 * no one else's get in the way of; a program, accumulates with weaker order or
 * more tags for a part of its communication.
 *
 * Collective over win's group.  Any epoch of win may be open.  Freed by
 * MPI_Win_free as any window, in any order with win: memory that MPI allocated
 * for win is given back when the last of them is freed.  Of dynamic windows
 * memory that is or will be attached to one of them is attached to all, and
 * detached from all by one call.  Names, attributes and error handlers are not
 * copied.
 *
 * As with windows that overlap otherwise (section 11.7), what must be ordered
 * or atomic is ordered and atomic within one window, not between the two.
 *
 * Errors, on win's error handler: MPI_ERR_GROUP (a process of the window is not
 * of MPI_COMM_WORLD); those of MPI_Win_create.  Communication: that of creating
 * a communicator of the group and a window.
 */
ORIEL_API int Oriel_Win_dup(MPI_Win win, MPI_Info info, MPI_Win *newwin);

/*
 * An attribute of every window for MPI_Win_get_attr (extends section 11.2.6):
 * a pointer to an int that says who answers ranks of other nodes while this
 * process does not wait in MPI, now:
 *
 *	ORIEL_PROGRESS_NONE	nobody: all ranks are of one node, and help
 *				themselves
 *	ORIEL_PROGRESS_POLL	nobody; the process's next call does
 *	ORIEL_PROGRESS_THREAD	a thread of Oriel's
 *
 * The info key oriel_progress=thread, of creation or MPI_Win_set_info, starts
 * the thread.  Without Oriel it is an invalid keyval, an error: a program
 * that may run without asks only where there is oriel_version.
 */
#define ORIEL_WIN_PROGRESS 0x4f524c01
enum { ORIEL_PROGRESS_NONE, ORIEL_PROGRESS_POLL, ORIEL_PROGRESS_THREAD };

#ifdef __cplusplus
}
#endif

#endif
