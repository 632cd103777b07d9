/* SPDX-License-Identifier: BSD-3-Clause */
/* delegate.h - elements that their owner works on, as it happens to poll. */
#ifndef DELEGATE_H
#define DELEGATE_H

#include "orl_acc.h"

/*
 * One contiguous element.  compare: NULL, or what a compare-and-swap compares
 * with.  False: nothing has been done, its memory is mapped or our own, or the
 * owner does not poll, or has no time.
 */
bool orl_delegate(const struct orl_place *place, const struct orl_acc *acc,
		  const void *compare);

#endif
