/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oriel.h - what a program may ask of Oriel beyond MPI.
 *
 * Nothing here is needed to use Oriel: a program calls MPI's one-sided
 * functions and runs under orielrun, or is linked with -loriel.
 */
#ifndef ORIEL_H
#define ORIEL_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The library's version, "0.1.0 (Open MPI)".  Local, never fails, may be
 * called before MPI_Init; the string is constant.
 */
const char *oriel_version(void);

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
long long oriel_stat(const char *name);

/*
 * By which path this process reaches rank's memory in the window: "direct",
 * "self", "cma", "fabric" or "software" (see README.md, ORIEL_PATH); of a
 * dynamic window, such memory as MPI_Alloc_mem did not give.  NULL if the
 * window is not one of Oriel's or has no such rank.  Local, any thread.
 */
const char *oriel_path(MPI_Win win, int rank);

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
int oriel_networks(struct oriel_network *networks, int most, char *text,
		   size_t len);

#ifdef __cplusplus
}
#endif

#endif
