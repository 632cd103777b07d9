/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.h - what the calls that R-forms are made of must know of them.
 */
#ifndef ORL_REQUEST_H
#define ORL_REQUEST_H

#include "scatter.h"

/*
 * In an R-form on a remote target, after all was issued: scatters when the
 * elements are there, before the operation counts as complete, and then frees
 * the array they come from.  False: nothing is to come, or there is no memory;
 * the caller has to do it.
 */
bool orl_request_scatter(const struct orl_scatter *scatter);

#endif
