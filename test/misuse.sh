#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ORIEL_CHECK=1 reports each misuse of misuse_job.c in so many words, once, on
# every path where it can be seen, and nothing of its twin within the rules.
. "${srcdir:-$(dirname "$0")/..}/test/alone"

fail()
{
	echo "$*"
	failed=1
}

# job NAME=VALUE... wrong|right [CASE]: what it said is in $dir/err.
job()
{
	timeout -k 5 100 env "$@" >"$dir/out" 2>"$dir/err" </dev/null
}

launch="${MPIRUN:-mpirun} -n 3 ${ORIELRUN:-orielrun}
	${top_builddir:-.}/test/misuse_job"

# says CASE PATHS REPORT: on these, in a window of the case's name.
says()
{
	for path in $2; do
		echo "$1: $3" >>"$dir/expected.$path"
	done
}

near="direct,cma cma"
every="$near software"

says fence_puts "$near" "MPI_Put, rank 2 of 3: target 0, bytes 4 to 7:\
 conflicts with MPI_Put of rank 1 on bytes 4 to 7, in the same fence epoch,\
 called"
says exposure_puts "$near" "MPI_Put, rank 2 of 3: target 0, bytes 4 to 7:\
 conflicts with MPI_Put of rank 1 on bytes 4 to 7, in the same exposure epoch,\
 called"
says lock_puts "$near" "MPI_Put, rank 2 of 3: target 0, bytes 12 to 15:\
 conflicts with MPI_Put of rank 1 on bytes 12 to 15, which is not complete,\
 called"
says own_get "$every" "MPI_Get, rank 1 of 3: target 0, bytes 16 to 19:\
 conflicts with MPI_Put of rank 1 on bytes 16 to 19, which is not complete,\
 called"
says get_first "$every" "MPI_Put, rank 1 of 3: target 0, bytes 16 to 19:\
 conflicts with MPI_Get of rank 1 on bytes 16 to 19, which is not complete,\
 called"
says columns "$near" "MPI_Put, rank 1 of 3: target 0, bytes 4 to 59:\
 conflicts with MPI_Put of rank 2 on bytes 8 to 59, in the same fence epoch,\
 called"
says operations "$near" "MPI_Accumulate, rank 2 of 3: target 0, bytes 20 to\
 23: has another operation than MPI_Accumulate of rank 1 on bytes 20 to 23, in\
 the same fence epoch, called"
says elements "$near" "MPI_Accumulate, rank 2 of 3: target 0, bytes 20 to\
 23: has other elements than MPI_Accumulate of rank 1 on bytes 20 to 23, in\
 the same fence epoch, called"
says put_and_sum "$near" "MPI_Put, rank 2 of 3: target 0, bytes 20 to 23:\
 conflicts with MPI_Accumulate of rank 1 on bytes 20 to 23, in the same fence\
 epoch, called"
says target_stores direct,cma "MPI_Put, rank 1 of 3: target 0, bytes 24 to\
 27: what was put there was changed before MPI_Win_fence completed it, by a\
 store of rank 0 or a call that conflicts"
says origin_changed "$every" "MPI_Put, rank 1 of 3: target 0: its origin\
 buffer, 4 bytes, was changed before MPI_Win_unlock completed it"
says origin_unmapped "$every" "MPI_Put, rank 1 of 3: target 0: its origin\
 buffer, 4 bytes, was unmapped before MPI_Win_unlock completed it"
says result_changed "$near" "MPI_Get, rank 1 of 3: target 0: its result\
 buffer, 4 bytes, was changed before MPI_Win_unlock completed it"
says result_sent "$every" "MPI_Put, rank 1 of 3: target 2: its origin\
 buffer, 4 bytes, is the result buffer of MPI_Get to target 0, which is not\
 complete, called"
says origin_is_result "$every" "MPI_Fetch_and_op, rank 1 of 3: target 0: its\
 origin and result buffers overlap"
says no_epoch "$every" "MPI_Put, rank 1 of 3: target 0: no access epoch is\
 open (MPI_Win_fence, _start, _lock)"
says unlocked "$every" "MPI_Win_unlock, rank 1 of 3: target 2 is not locked:\
 no access epoch is open (MPI_Win_fence, _start, _lock)"
says out_of_range "$every" "MPI_Put, rank 1 of 3: target 2: displacement 62\
 (unit 4), count 3 of a type of 4 bytes: not inside its 256 bytes (bytes 248 to\
 259)"
says noprecede "$every" "MPI_Win_fence, rank 1 of 3: MPI_MODE_NOPRECEDE is\
 asserted, but the epoch that it ends has communication: MPI_Put to target 0,\
 called"
says noput "$near" "MPI_Put, rank 1 of 3: target 0 has asserted\
 MPI_MODE_NOPUT"
says noput_post "$near" "MPI_Accumulate, rank 1 of 3: target 0 has asserted\
 MPI_MODE_NOPUT"

# In the report's words, but for places and addresses.
for path in $every; do
	job ORIEL_CHECK=1 ORIEL_PATH=$path $launch wrong ||
		fail "$path: $(cat "$dir/err")"
	sed -n 's/called at misuse_job+0x[0-9a-f]*/called/g
		s/ at 0x[0-9a-f]*//; s/; called$//
		s/ on window [0-9]* / /
		s/^oriel check: \(MPI_[^ ]*\) "\(.*\)", /\2: \1, /p
		' "$dir/err" | sort >"$dir/said"
	sort "$dir/expected.$path" | cmp -s "$dir/said" - || {
		sort "$dir/expected.$path" | diff - "$dir/said"
		fail "$path: not as expected: $(cat "$dir/err")"
	}
	job ORIEL_CHECK=1 ORIEL_PATH=$path $launch right ||
		fail "right, $path: $(cat "$dir/err")"
	grep '^oriel check: MPI_' "$dir/err" && fail "$path: but that is right"
done
grep -q 'rank 0 of MPI_COMM_WORLD: 0 reports, 0 shown; 21 windows checked' \
	"$dir/err" || fail "no sum: $(cat "$dir/err")"

# The first one ends the program, if so wished; and nobody asked for any.
job ORIEL_CHECK=abort $launch wrong own_get && fail "it goes on"
grep -q 'MPI_Get on window 1 "own_get"' "$dir/err" ||
	fail "no word of why: $(cat "$dir/err")"
# Statistics and the window's errors call it the same, by rank 0's number.
for case in own_get out_of_range; do
	job ORIEL_CHECK=1 ORIEL_STATS=1 ORIEL_LOG=debug $launch unnamed $case
	test "$(grep -c '^oriel: window 1, MPI_Win_allocate' "$dir/err")" = 1 &&
		grep -q '^oriel check: MPI_[A-Z][a-z]* on window 1, rank 1' \
			"$dir/err" || fail "$case, unnamed: $(cat "$dir/err")"
done
grep -q 'debug: MPI_Put on window 1, rank 1 of 3: ' "$dir/err" ||
	fail "an error names no number: $(cat "$dir/err")"
job ORIEL_CHECK=0 $launch wrong || fail "wrong, not checked: status $?"
grep '^oriel' "$dir/err" && fail "that is said though nobody asked"
exit $failed
