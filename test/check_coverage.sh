#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_coverage.sh - every function of the host's mpi.h that is about
# windows, or that tests, waits for, frees or cancels requests, is Oriel's, by
# its MPI_ and its PMPI_ name, or is listed here with the reason why the host's
# own serves.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# The window's handle is a genuine window of the host's, so what only names,
# converts or decorates the handle works on it unchanged.
cat >"$dir/host" <<'END'
Win_c2f			converts the handle
Win_f2c			converts the handle
Win_toint		converts the handle
Win_fromint		converts the handle
Win_create_keyval	touches no window
Win_free_keyval		touches no window
Win_create_errhandler	touches no window
Win_set_errhandler	kept by the host's window
Win_get_errhandler	kept by the host's window
Win_call_errhandler	kept by the host's window
Win_set_name		kept by the host's window
Win_get_name		kept by the host's window
Win_set_attr		kept by the host's window
Win_delete_attr		kept by the host's window
Request_c2f		converts the handle
Request_f2c		converts the handle
Request_toint		converts the handle
Request_fromint		converts the handle
Cancel			of a generalized request; ours are not cancelled
Wait_enqueue		of requests of the host's streams alone
Waitall_enqueue		of requests of the host's streams alone
END

# One declaration a line; names in scope of a comment are gone by now.
echo '#include <mpi.h>' >"$dir/mpi.c"
${CC:-mpicc} -E -P "$dir/mpi.c" >"$dir/mpi.i" || exit 1
tr '\n' ' ' <"$dir/mpi.i" | tr ';{}' '\n\n\n' | grep -v '^ *typedef' |
sed -nE 's/^.*[^A-Za-z0-9_](P?MPIX?_[A-Za-z0-9_]*) *\((.*)$/\1 (\2/p' |
awk '$1 ~ /^P?MPIX?_Win_/ || /[(, ]MPI_Win[ *,)]/ ||
     $1 ~ /^P?MPI_(Alloc|Free)_mem$/ ||
     ($1 ~ /^P?MPIX?_(Request_|Wait|Test|Cancel)/ &&
      /[(, ]MPI_Request[ *,)]/) { print $1 }' |
grep -v '_function$' | sort -u >"$dir/asked"

${NM:-nm} -D --defined-only .libs/liboriel.so | awk '{ print $3 }' |
sort >"$dir/exported"

asked=$(wc -l <"$dir/asked")
if [ "$asked" -lt 122 ]; then
	echo "only $asked functions found in mpi.h: this check reads it wrongly"
	exit 1
fi
missing=$(comm -23 "$dir/asked" "$dir/exported" | while read -r name; do
	grep -q "^${name#*MPI*_}	" "$dir/host" || echo "$name"
done)
if [ -n "$missing" ]; then
	echo "about windows or requests, neither Oriel's nor listed here:"
	echo "$missing"
	exit 1
fi
echo "# note: $asked functions"
