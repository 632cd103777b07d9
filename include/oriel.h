/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oriel.h - what a program may ask of Oriel beyond MPI.
 *
 * Nothing here is needed to use Oriel: a program calls MPI's one-sided
 * functions and runs under orielrun, or is linked with -loriel.
 */
#ifndef ORIEL_H
#define ORIEL_H

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
 *	arena_bytes	allocated of the memory that other processes can map
 *
 * Local; any thread may call it while no other synchronises on a window.
 * O(windows).  Other ranks' counts are theirs: they may change at any time.
 */
long long oriel_stat(const char *name);

#ifdef __cplusplus
}
#endif

#endif
