#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_petsc.sh - builds client_petsc.c with Debian's PETSc and runs it.
top=${srcdir:-$(dirname "$0")/..}
test -n "${ORIEL_TEST_HOST:-}" && ORIELRUN=
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
program=$dir/client_petsc

skip()
{
	echo "# skip: $*"
	exit 77
}

flags=$(pkg-config --cflags --libs PETSc) || skip "no petsc-dev here"
${CC:-mpicc} -O1 -o "$program" "$top/test/client_petsc.c" $flags ||
	skip "PETSc here cannot be linked with"
# One MPI in the program: PETSc's.
case ${ORIEL_HOST:-openmpi} in
openmpi) other='libmpich\.so' ;;
*) other='libmpi\.so\.40' ;;
esac
ldd "$program" | grep -q "$other" && skip "PETSc here is for another MPI"

for job in 2,default 3,default 2,cma 2,software; do
	ranks=${job%,*}
	unset ORIEL_PATH
	test "${job#*,}" = default || export ORIEL_PATH="${job#*,}"
	timeout 100 "${MPIRUN:-mpirun}" -n $ranks ${ORIELRUN:-} \
		"$program" -sf_type window || {
			echo "failed with $ranks ranks, path ${job#*,}"
			exit 1
		}
done
