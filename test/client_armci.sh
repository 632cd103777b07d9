#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_armci.sh - builds client_armci.c with Debian's ARMCI-MPI and runs it.
top=${srcdir:-$(dirname "$0")/..}
host=${ORIEL_HOST:-openmpi}
test -n "${ORIEL_TEST_HOST:-}" && ORIELRUN=
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
program=$dir/client_armci

${CC:-mpicc} -O1 -o "$program" "$top/test/client_armci.c" \
	-larmci-$host || {
		echo "# skip: no libarmci-mpi-dev for this MPI"
		exit 77
	}
for ranks in 2 4; do
	timeout 100 "${MPIRUN:-mpirun}" -n $ranks ${ORIELRUN:-} \
		"$program" || {
			echo "failed with $ranks ranks"
			exit 1
		}
done
