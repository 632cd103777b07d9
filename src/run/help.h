/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * help.h - what orielrun --help says.
 */
#ifndef RUN_HELP_H
#define RUN_HELP_H

/* Prints it to stdout: EOF if that fails. */
int orl_help_print(void);

#endif
