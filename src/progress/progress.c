/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress.c - the registry of poll functions.  Entries are only added, by
 * starting code, so a reader needs no lock.
 */
#include "orl_progress.h"

#include <errno.h>
#include <stddef.h>

#define MAX_POLLS 8

static _Atomic(orl_poll_fn) polls[MAX_POLLS];

int orl_progress_register(orl_poll_fn fn)
{
	int i;

	for (i = 0; i < MAX_POLLS; i++) {
		orl_poll_fn empty = NULL;

		/* Release: pairs with the acquire in orl_progress. */
		if (atomic_compare_exchange_strong(&polls[i], &empty, fn) ||
		    empty == fn)
			return 0;
	}
	return -ENOSPC;
}

void orl_progress(void)
{
	int i;

	for (i = 0; i < MAX_POLLS; i++) {
		orl_poll_fn fn =
			atomic_load_explicit(&polls[i], memory_order_acquire);
		if (!fn)
			return;
		fn();
	}
}
