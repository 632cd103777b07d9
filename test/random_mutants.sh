#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# random_mutants.sh - the random tester notices: with a rule of its model
# broken it must find a difference, and say where.
top=${top_builddir:-.}
test -n "${ORIEL_TEST_HOST:-}" && ORIELRUN=
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

# Launchers may lose the last words of a rank that aborts: ask some times.
told() {
	for attempt in 1 2 3 4 5; do
		if timeout 100 "${MPIRUN:-mpirun}" -n 2 ${ORIELRUN:-} \
			"$top/test/random" --count 400 --mutate "$1" \
			>"$out" 2>&1
		then
			echo "a model with '$1' broken passes"
			return 1
		fi
		grep -q '^FAILED seed' "$out" && return 0
	done
	echo "with '$1' broken no difference is told:"
	cat "$out"
	return 1
}

for rule in sum minloc padding stride order nan zero round fuse truth sign; do
	told $rule || exit 1
done
