#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ORIEL_CHECK=1 reports nothing of programs that keep the rules, random ones
# among them, and they do what they do without.
. "${srcdir:-$(dirname "$0")/..}/test/alone"

# run RANKS PATH PROGRAM
run()
{
	timeout -k 5 100 env ORIEL_CHECK=1 ORIEL_PATH="$2" \
		"${MPIRUN:-mpirun}" -n "$1" "${ORIELRUN:-orielrun}" \
		"${top_builddir:-.}/test/$3" >"$dir/out" 2>&1 </dev/null
	status=$?
	grep '^oriel check: MPI_' "$dir/out" && failed=1
	grep -q '^oriel check: rank 0 of .*: 0 reports' "$dir/out" &&
		test $status -eq 0 && return
	echo "$3, $1 ranks, $2: status $status"
	cat "$dir/out"
	failed=1
}

for path in direct,cma cma; do
	run 4 $path random
	for program in put_get accumulate fence pscw_random lock passive \
		requests dynamic layout order threads; do
		run 2 $path $program
	done
done
for program in random put_get mixed; do
	run 2 software $program
done
exit $failed
