#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_symbols.sh - liboriel.so exports MPI's names and its own, no others but
# UCX's that src/host/ucx.c takes over, and only src/mpi defines MPI's.
failed=0

others=$(${NM:-nm} -D --defined-only .libs/liboriel.so |
	 awk '$3 !~ /^(P?MPI_|oriel_|ucp_worker_progress$)/ { print $3 }')
if [ -n "$others" ]; then
	echo "liboriel.so exports names that are not MPI's or oriel_:"
	echo "$others"
	failed=1
fi

defined=$(${NM:-nm} -A --defined-only .libs/libcore.a 2>/dev/null |
	  grep -E '[A-TV-Z] (P?MPI_|p?mpi_)')
if [ -n "$defined" ]; then
	echo "MPI's names are for src/mpi alone to define:"
	echo "$defined"
	failed=1
fi
exit $failed
