/* SPDX-License-Identifier: BSD-3-Clause */
/* nic.h - which of the network's atomics does an MPI operation. */
#ifndef NIC_H
#define NIC_H

#include "orl_acc.h"

/* An operation, or ORL_OP_CAS. */
enum orl_fabric_verb orl_nic_verb(unsigned op);

#endif
