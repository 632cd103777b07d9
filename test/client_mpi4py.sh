#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_mpi4py.sh - runs client_mpi4py.py with the Python that has mpi4py.
top=${srcdir:-$(dirname "$0")/..}
test -n "${ORIEL_TEST_HOST:-}" && ORIELRUN=

skip()
{
	echo "# skip: $*"
	exit 77
}

# The extension module's file, without loading it.
where='import importlib.util as u
print(u.find_spec("mpi4py.MPI").origin)'
for python in python3 /usr/bin/python3; do
	module=$($python -c "$where" 2>/dev/null) && break
done
test -n "$module" || skip "no mpi4py here (Debian: python3-mpi4py)"
case ${ORIEL_HOST:-} in
openmpi) uses='libmpi\.so\.[2-9]' ;;
*) uses='libmpich\.so|libmpi\.so\.1[0-9]' ;;
esac
ldd "$module" | grep -qE "$uses" || skip "mpi4py here is for another MPI"

for ranks in 1 2 4; do
	timeout 100 "${MPIRUN:-mpirun}" -n $ranks ${ORIELRUN:-} $python \
		"$top/test/client_mpi4py.py" || {
			echo "failed with $ranks ranks"
			exit 1
		}
done

# The same between two emulated hosts, where the machine lets it.
export ORIEL_TEST_SET="$PWD/test/client_mpi4py.$$"
"$top/test/hosts/up" --while $$ 2 >/dev/null 2>&1 || exit 0
trap '"$top/test/hosts/down"' EXIT
timeout 100 "$top/test/hosts/run" 2x1 ${ORIELRUN:-} "$python" \
	"$top/test/client_mpi4py.py" || {
		echo "failed between two hosts"
		exit 1
	}
