/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - what the files of options share. */
#ifndef ORL_OPTIONS_H
#define ORL_OPTIONS_H

void orl_options_tell_misspelt(void);

#endif
