/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge.h - what the parts of the report share.  Each prints one line; fails
 * also counts.
 */
#ifndef JUDGE_H
#define JUDGE_H

#define LIKE_PRINTF __attribute__((format(printf, 1, 2)))

void fine(const char *fmt, ...) LIKE_PRINTF;
void warn(const char *fmt, ...) LIKE_PRINTF;
void fails(const char *fmt, ...) LIKE_PRINTF;
void advise(const char *fmt, ...) LIKE_PRINTF;

struct findings;
void judge_network(const struct findings *found);
void judge_hosts(const struct findings *found);

#endif
