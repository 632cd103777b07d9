#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_symbols.sh - liboriel.so exports MPI's names and its own, no others but
# those of Fortran bindings and UCX that src/mpi/fortran.c and src/host/ucx.c
# take over, and only src/mpi defines MPI's.
ours='P?MPI_|oriel_'
bindings='p?mpi_win_get_attr_{0,2}$|MPII_Win_[gs]et_attr$'
failed=0

others=$(${NM:-nm} -D --defined-only .libs/liboriel.so |
	 awk '{ print $3 }' |
	 grep -vE "^($ours|$bindings|ucp_worker_progress$)")
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
