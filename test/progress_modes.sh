#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whoever makes the progress, a thread or the application's own calls, ranks
# that all call MPI get the same results, on each path to other nodes.
failed=0
for path in fabric software; do
	for progress in poll thread auto; do
		ORIEL_PATH=$path ORIEL_PROGRESS=$progress \
			timeout -k 5 60 "${MPIRUN:-mpirun}" -n 2 \
			"${ORIELRUN:-orielrun}" \
			"${top_builddir:-.}/test/progress_job" </dev/null &&
			continue
		echo "$path, ORIEL_PROGRESS=$progress: status $?"
		failed=1
	done
done
exit $failed
