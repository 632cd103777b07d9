#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_coarray.sh - builds client_coarray.f90 with Debian's OpenCoarrays and
# runs it.
top=${srcdir:-$(dirname "$0")/..}
host=${ORIEL_HOST:-openmpi}
test -n "${ORIEL_TEST_HOST:-}" && ORIELRUN=
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
program=$dir/client_coarray
. "$top/test/fortran/compiler"

"$fortran" -fcoarray=lib -J "$dir" -o "$program" \
	"$top/test/client_coarray.f90" -lcaf_$host || {
		echo "# skip: no libcoarrays-$host-dev"
		exit 77
	}
# is_refused: MPICH 4.2 does not let OpenCoarrays end, which leaves messages.
is_refused()
{
	grep -q 'being freed has .* unmatched message' "$dir/log" &&
		echo "# skip: the host ends programs that leave messages"
}

for job in 2,default 4,default 2,cma 2,software; do
	ranks=${job%,*}
	unset ORIEL_PATH
	test "${job#*,}" = default || export ORIEL_PATH="${job#*,}"
	timeout 100 "${MPIRUN:-mpirun}" -n $ranks ${ORIELRUN:-} \
		"$program" >"$dir/log" 2>&1 || {
			cat "$dir/log"
			is_refused && exit 77
			echo "failed with $ranks ranks, path ${job#*,}"
			exit 1
		}
done
