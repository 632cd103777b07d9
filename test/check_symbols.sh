#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_symbols.sh - liboriel.so exports MPI's names and its own, no others but
# those of Fortran bindings and UCX that src/mpi/fortran.c and src/host/ucx.c
# take over, and only src/mpi defines MPI's; what include/orl_host.h says is
# taken over is exported, by both names.
ours='P?MPI_|[oO]riel_'
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

exported="$(${NM:-nm} -D --defined-only .libs/liboriel.so)
"
for name in $(sed -n 's/^\tX(\([A-Z][a-z_]*\)).*/\1/p' \
	      "${srcdir:-$(dirname "$0")/..}/include/orl_host.h"); do
	for symbol in MPI_$name PMPI_$name; do
		case $exported in
		*" T $symbol
"*) ;;
		*)
			case $name in *_c) continue ;; esac
			echo "liboriel.so does not export $symbol"
			failed=1 ;;
		esac
	done
done

defined=$(${NM:-nm} -A --defined-only .libs/libcore.a 2>/dev/null |
	  grep -E '[A-TV-Z] (P?MPI_|p?mpi_)')
if [ -n "$defined" ]; then
	echo "MPI's names are for src/mpi alone to define:"
	echo "$defined"
	failed=1
fi
exit $failed
