/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.h - jobs on memory that is loaded and stored.  0 or -errno. */
#ifndef BATCH_H
#define BATCH_H

#include "job.h"

/* All elements, in the job's room. */
int orl_batch_issue(struct orl_job *job);
/* One, in what the job has been given for it. */
int orl_batch_issue_one(struct orl_job *job);

#endif
