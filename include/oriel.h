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

#ifdef __cplusplus
}
#endif

#endif
