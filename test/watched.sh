#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ORIEL_STATS tells of every window what its calls were, to the byte, by path
# and by target, of all ranks, whoever has the option besides rank 0; and
# ORIEL_TRACE leaves an event for each of them.
. "${srcdir:-$(dirname "$0")/..}/test/alone"
command -v python3 >/dev/null || {
	echo "# skip: no python3 to read JSON with"
	exit 77
}

fail()
{
	echo "$*"
	failed=1
}

# job NAME=VALUE...: with these options; what it said is in $dir/out.
job()
{
	timeout -k 5 60 env "$@" "${MPIRUN:-mpirun}" -n 3 \
		"${ORIELRUN:-orielrun}" \
		"${top_builddir:-.}/test/watched_job" \
		>"$dir/out" 2>"$dir/err" </dev/null || {
			fail "$*: the job failed"
			cat "$dir/out" "$dir/err"
		}
}

for path in direct,cma cma software; do
	rm -f "$dir"/*.json
	job ORIEL_PATH=$path ORIEL_STATS="$dir/stats.json" \
		ORIEL_TRACE="$dir/trace"
	python3 "$top/test/watched.py" $path "$dir/stats.json" \
		"$dir"/trace/*.json || fail "$path: see above"
	rm -rf "$dir/trace"
done

# has_sums: does standard error tell of a window?  The host may write there too.
has_sums()
{
	grep -E '^oriel|"window"' "$dir/err"
}

# As a picture, and nothing beside it.
job ORIEL_STATS="$dir/heat.svg"
python3 "$top/test/heat.py" "$dir/heat.svg" || fail "picture: see above"
has_sums && fail "a picture and words"

# In words, and as JSON, to standard error; and nothing if nobody asks.
job ORIEL_STATS=1
head='^oriel: window 1 "a \\"window\\"\\u000aü \\u00ff", MPI_Win_allocate'
LC_ALL=C grep -q "$head" "$dir/err" ||
	fail "no head of window 1: $(cat "$dir/err")"
grep -qE '^  MPI_Put +42 .* direct 36 \(288 bytes\)$' "$dir/err" ||
	fail "no line of MPI_Put: $(cat "$dir/err")"
grep -q "not freed" "$dir/err" || fail "does not tell of the window left"
job ORIEL_STATS=json
grep -q '^{"window": 1, ' "$dir/err" || fail "no JSON: $(cat "$dir/err")"
job ORIEL_STATS=0
has_sums && fail "that is said though nobody asked"

# What it takes to count is what doc/memory.md says.
for form in json svg; do
	timeout -k 5 60 env ORIEL_STATS="$dir/held.$form" \
		"${MPIRUN:-mpirun}" -n 3 "${ORIELRUN:-orielrun}" \
		"${top_builddir:-.}/test/memory" >"$dir/out" 2>&1 \
		</dev/null || fail "held for $form: $(cat "$dir/out")"
done

# killed RANKS NAME=VALUE...: a job that is killed while it has windows.
killed()
{
	rm -rf "$dir/at" && mkdir "$dir/at"
	ranks=$1
	shift
	timeout -k 5 60 env "$@" "${MPIRUN:-mpirun}" -n "$ranks" \
		"${ORIELRUN:-orielrun}" "${top_builddir:-.}/test/killed_job" \
		"$dir/at" >"$dir/out" 2>"$dir/err" </dev/null &
	while test "$(ls "$dir/at" | grep -c ready)" -lt "$ranks" &&
		kill -0 $! 2>/dev/null; do
		sleep 0.1
	done
	kill -9 $(cat "$dir"/at/pid.*)
	wait $!
}

# Its traces are whole all the same: six windows, 600 calls on each.
killed 2 ORIEL_TRACE="$dir/trace"
for file in "$dir"/trace/*.json; do
	python3 -c 'import json, sys
sys.exit(len(json.load(open(sys.argv[1]))) != 1 + 6 * 600)' "$file" ||
		fail "killed: $(tail -n 3 "$file")"
done
test "$(ls "$dir/trace" | wc -l)" = 2 || fail "killed: not two traces"

# Files that cannot be written are told of at the first window, once.
killed 1 ORIEL_STATS="$dir/no/such/file"
grep -c "ORIEL_STATS=$dir/no/such/file: No such file" "$dir/err" |
	grep -qx 1 || fail "no word of a file: $(cat "$dir/err")"
killed 1 ORIEL_STATS="$dir/no/such/file.svg"
grep -c "ORIEL_STATS=$dir/no/such/file.svg: No such file" "$dir/err" |
	grep -qx 1 || fail "no word of a picture: $(cat "$dir/err")"
killed 1 ORIEL_TRACE="$dir/no/such/folder"
grep -c "ORIEL_TRACE: $dir/no/such/folder: No such file" "$dir/err" |
	grep -qx 1 || fail "no word of a folder: $(cat "$dir/err")"
job ORIEL_STATS="$dir/no/such/file" ORIEL_TRACE="$dir/no/such/folder"
grep -c "^oriel.*No such file" "$dir/err" | grep -qx 4 ||
	fail "not once a file: $(cat "$dir/err")"
# What they were to hold is not lost.
grep -q '^oriel: window 1 ' "$dir/err" ||
	fail "no words instead of a file: $(cat "$dir/err")"
job ORIEL_STATS="$dir/no/such/file.svg"
grep -q '^oriel: window 1 ' "$dir/err" ||
	fail "no words instead of a picture: $(cat "$dir/err")"
job ORIEL_STATS="$dir/no/such/file.json"
grep -q '^{"window": 1, ' "$dir/err" ||
	fail "no JSON instead of a file: $(cat "$dir/err")"

# What was chosen for a window, of which nothing is said by default.
job ORIEL_LOG=info
grep -q ': window 1, rank 0 of 3, 4096 bytes; paths: direct 2; kernels: ' \
	"$dir/err" || fail "ORIEL_LOG=info: $(cat "$dir/err")"
job ORIEL_LOG=info ORIEL_PATH=software
grep -q 'paths: software 2; accumulates by their targets; a thread' \
	"$dir/err" || fail "ORIEL_LOG=info: $(cat "$dir/err")"

# What rank 0 wants is wanted of all, whatever the others' options say.
cat >"$dir/first" <<'END'
#!/bin/sh
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
0) export ORIEL_STATS=json ;;
esac
exec "$@"
END
chmod +x "$dir/first"
timeout -k 5 60 "${MPIRUN:-mpirun}" -n 3 "$dir/first" \
	"${ORIELRUN:-orielrun}" "${top_builddir:-.}/test/watched_job" \
	>/dev/null 2>"$dir/err" </dev/null || fail "only rank 0: status $?"
grep -c '"rank": 2, "host"' "$dir/err" | grep -qx 2 ||
	fail "only rank 0 wants sums: $(cat "$dir/err")"
exit $failed
