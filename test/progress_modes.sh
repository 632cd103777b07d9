#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whoever makes the progress, a thread or the application's own calls, ranks
# that all call MPI get the same results, on each path to other nodes.  The info
# key oriel_progress=thread has a thread answer ranks that wait for one which
# does not call MPI, also where the option says poll.
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
	ORIEL_PATH=$path ORIEL_PROGRESS=poll timeout -k 5 100 \
		"${MPIRUN:-mpirun}" -n 2 "${ORIELRUN:-orielrun}" \
		"${top_builddir:-.}/test/passive" thread </dev/null && continue
	echo "$path, the key oriel_progress=thread: status $?"
	failed=1
done
exit $failed
