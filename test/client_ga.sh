#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_ga.sh - builds client_ga.c with Debian's Global Arrays and runs it.
top=${srcdir:-$(dirname "$0")/..}
host=${ORIEL_HOST:-openmpi}
test -n "${ORIEL_TEST_HOST:-}" && ORIELRUN=
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
program=$dir/client_ga

${CC:-mpicc} -O1 -o "$program" "$top/test/client_ga.c" \
	-lga-$host -larmci-$host -lscalapack-$host -llapack -lblas \
	-lgfortran -lm || {
		echo "# skip: no libglobalarrays-dev for this MPI"
		exit 77
	}
for job in 2,default 4,default 2,cma 2,software; do
	ranks=${job%,*}
	unset ORIEL_PATH
	test "${job#*,}" = default || export ORIEL_PATH="${job#*,}"
	timeout 100 "${MPIRUN:-mpirun}" -n $ranks ${ORIELRUN:-} \
		"$program" || {
			echo "failed with $ranks ranks, path ${job#*,}"
			exit 1
		}
done
