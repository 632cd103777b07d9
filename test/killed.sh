#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A job whose ranks are killed by SIGKILL while they have windows leaves
# nothing behind: no process, and in /dev/shm and /tmp no file but those of
# the host MPI, which are there without Oriel too.

ranks=3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Files newer than our folder, without what the hosts and the tests make.
fresh()
{
	find /dev/shm /tmp -maxdepth 1 -newer "$dir/start" \
		! -path /dev/shm ! -path /tmp \
		! -name 'vader_segment*' ! -name 'sm_segment*' \
		! -name 'ompi.*' ! -name 'openmpi-*' ! -name 'mpich*' \
		! -name 'ucx_shm*' ! -name 'psm*' ! -name 'tmp.*' \
		! -name 'cc*' ! -name 'oriel-test-*' 2>/dev/null |
		grep -i 'oriel\|orl'
}

touch "$dir/start"
timeout -k 5 60 "${MPIRUN:-mpirun}" -n $ranks "${ORIELRUN:-orielrun}" \
	"${top_builddir:-.}/test/killed_job" "$dir" >"$dir/out" 2>&1 &
launcher=$!

tries=0
while [ "$(ls "$dir" | grep -c ready)" -lt $ranks ]; do
	tries=$((tries + 1))
	if [ $tries -gt 600 ] || ! kill -0 $launcher 2>/dev/null; then
		echo "the job did not come up"
		cat "$dir/out"
		exit 1
	fi
	sleep 0.1
done

pids=$(cat "$dir"/pid.*)
kill -9 $pids
wait $launcher

# A dead process that nobody has waited for is gone as well.
is_alive()
{
	state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null)
	test -n "$state" && test "$state" != Z
}

failed=0
for pid in $pids; do
	if is_alive "$pid"; then
		echo "process $pid is alive"
		failed=1
	fi
done
left=$(fresh)
if [ -n "$left" ]; then
	echo "left behind:"
	echo "$left"
	failed=1
fi
exit $failed
