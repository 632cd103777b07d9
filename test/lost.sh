#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Who waits for a process that is lost gets an error, within seconds, in every
# call that waits; what the others have between them goes on.  A process is
# lost when it is killed, or when it has a thread for progress and is stopped.
#
# The ranks are children of shells that stay, so that the launcher sees no
# end, and Open MPI's is told not to mind.
dir=$(mktemp -d) || exit 1
job=
trap 'finish; rm -rf "$dir"' EXIT

case $("${MPIRUN:-mpirun}" --version 2>&1) in
*"Open MPI"* | *OpenRTE*) options="--enable-recovery" ;;
*) options="-disable-auto-cleanup" ;;
esac

# finish: the job's ranks, whatever they do, and then the launcher.
finish()
{
	test -n "$job" || return
	: >"$dir/end"
	for file in "$dir"/pid.*; do
		test -e "$file" && kill -9 "$(cat "$file")" 2>/dev/null
	done
	wait $job
	job=
	rm -f "$dir"/pid.* "$dir"/found.* "$dir/end" "$dir/ended"
}

# await RANKS: all but the last have told what they found.
await()
{
	for i in $(seq 600); do
		for rank in $(seq 0 $(($1 - 2))); do
			test -e "$dir/found.$rank" || break
		done
		test -e "$dir/found.$rank" && return
		kill -0 $job 2>/dev/null || return
		sleep 0.1
	done
}

failed=0

# lose RANKS kill|stop CASE...: the first is under way when it happens.
lose()
{
	ranks=$1
	shift
	timeout -k 5 90 "${MPIRUN:-mpirun}" $options -n "$ranks" sh -c '
		"$@"
		: >"$0/ended"
		while test ! -e "$0/end"; do
			sleep 0.1
		done' "$dir" "${ORIELRUN:-orielrun}" \
		"${top_builddir:-.}/test/lost" "$dir" "$@" >"$dir/out" 2>&1 &
	job=$!
	await "$ranks"
	for rank in $(seq 0 $((ranks - 2))); do
		what=$(cat "$dir/found.$rank" 2>/dev/null)
		test "$what" = "all: well" && continue
		echo "$ranks ranks, $1 in $2: rank $rank:" \
			"${what:-has said nothing}"
		failed=1
		head -c 3000 "$dir/out"
	done
	who="rank $((ranks - 1)) of MPI_COMM_WORLD, on host"
	grep -q "error: $who .*is lost: ..*" "$dir/out" || {
		echo "$ranks ranks, $1 in $2: not told on standard error"
		failed=1
	}
	finish
}

export ORIEL_PATH=fabric ORIEL_PROGRESS=thread ORIEL_TIMEOUT=3

epochs="put put_large get get_large acc fop cas rget rput rows rflush"
locks="lock lock_own lock_held lock_in_all lock_all unlock_all"
others="fence wait complete"

if [ $# -gt 0 ]; then
	lose "$@"
	exit $failed
fi
lose 2 kill $epochs $locks $others
lose 3 kill $others $locks $epochs
lose 3 kill $locks
lose 3 kill acc
lose 3 stop wait $locks $others
lose 3 stop lock_all
lose 2 stop lock_all_own
lose 2 stop $epochs
exit $failed
