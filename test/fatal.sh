#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An error under MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT (MPI-4.0 section 9.3)
# ends the program, with a text of Oriel's that names the call and the window.
. "${srcdir:-$(dirname "$0")/..}/test/alone"

# ends HANDLER WHERE TEXT
ends()
{
	timeout -k 5 60 "${MPIRUN:-mpirun}" -n 1 "${ORIELRUN:-orielrun}" \
		"${top_builddir:-.}/test/fatal_job" "$1" "$2" \
		>"$dir/out" 2>&1 </dev/null
	status=$?
	grep -q '^# skip' "$dir/out" && return
	grep -q "^oriel.* fatal: $3.* (the error handler is fatal)\$" \
		"$dir/out" && [ $status -gt 0 ] && [ $status -lt 124 ] &&
		! grep -Eq 'survived|another handler' "$dir/out" && return
	echo "$1, $2: status $status, and"
	cat "$dir/out"
	failed=1
}

ends fatal window MPI_Put
ends fatal last MPI_Put
ends fatal creation MPI_Win_create
ends abort last MPI_Put
# MPICH 4.0 by itself does not survive that MPI_ERRORS_ABORT is set.
if timeout 60 "${MPIRUN:-mpirun}" -n 1 "${top_builddir:-.}/test/fatal_job" \
	abort set >/dev/null 2>&1; then
	ends abort window MPI_Put
	ends abort creation MPI_Win_create
fi
exit $failed
