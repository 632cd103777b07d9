#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cached.sh - test/renewed where libfabric is told to keep registrations in its
# cache, whose monitor hears nothing beside UCX's: Oriel's are not for it.
export FI_MR_CACHE_MONITOR=memhooks ORIEL_PATH=fabric
exec "${MPIRUN:-mpirun}" -n 2 "${ORIELRUN:-orielrun}" ./test/renewed
