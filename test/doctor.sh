#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# oriel-doctor tells which paths ranks have to each other and what is in the
# way, and by its exit status whether something would fail.
. "${srcdir:-$(dirname "$0")/..}/test/alone"
doctor=$(dirname "${ORIELRUN:-orielrun}")/oriel-doctor
unset LD_PRELOAD ORIEL_HOST ORIEL_PATH ORIEL_PROVIDER

# says STATUS TEXT NAME=VALUE... COMMAND...: with this exit status and text,
# a basic regular expression.
says()
{
	status=$1
	text=$2
	shift 2
	timeout -k 5 100 env "$@" >"$dir/out" 2>&1 </dev/null
	got=$?
	[ $got -eq "$status" ] || {
		echo "$*: status $got, not $status"
		failed=1
	}
	also "$text" "$*"
}

# also TEXT [WHO]: what ran last says this too.
also()
{
	grep -q -e "$1" "$dir/out" && return
	echo "${2:-it} does not say '$1':"
	cat "$dir/out"
	failed=1
}

says 0 "^Usage: " "$doctor" --help
says 0 "^oriel-doctor (Oriel) [0-9]" "$doctor" --version
says 125 "what is --nonsense" "$doctor" --nonsense

says 0 "^Nothing would fail" "$doctor"
also "^   version [0-9].* under "
also "work with one process"

both="${MPIRUN:-mpirun} -n 2"
says 0 "^Nothing would fail" $both "$doctor"
also "^     direct *2 of 2 pairs of ranks"
also "^     cma *2 of 2 pairs of ranks"
also "put and flush of 8 bytes: [0-9.]* us"
says 0 "^     cma *2 of 2" ORIEL_PATH=cma $both "$doctor"
also "options: ORIEL_PATH=cma"
says 1 "^!! cannot be made: .*allow cma" ORIEL_PATH=direct $both "$doctor"
also "^1 thing would fail"
says 1 "^!! .*fi_info" ORIEL_PATH=fabric ORIEL_PROVIDER=none $both "$doctor"
says 0 "^ ! no options of Oriel's: ORIEL_PTAH" ORIEL_PTAH=cma $both "$doctor"
if timeout 60 $both env ORIEL_PATH=fabric "${ORIELRUN:-orielrun}" \
	"${top_builddir:-.}/test/put_get" >"$dir/out" 2>&1; then
	says 0 "^     fabric *2 of 2" ORIEL_PATH=fabric $both "$doctor"
	also "a thread in each process answers"
	also "first .* on .*: "
	says 0 "no thread answers other nodes" ORIEL_PATH=software \
		ORIEL_PROGRESS=poll $both "$doctor"
	also "^     software *2 of 2"
fi

# Limits that are there: no right to read other processes' memory,
forbid=${top_builddir:-.}/test/forbid
if "$forbid" true; then
	says 1 "^!! cannot be made: .*ptrace rules" $both "$forbid" "$doctor"
	also "memory of MPI_Win_allocate or MPI_Alloc_mem needs no such right"
	also "^ ! processes may not read each other's memory: Operation not"
	also "^   -> in a container: --cap-add SYS_PTRACE"
fi
# a small /dev/shm,
cat >"$dir/small" <<'END'
#!/bin/sh
mount -t tmpfs -o size=48m tmpfs /dev/shm && exec "$@"
END
# and few descriptors, where ranks are of hosts of different names.
cat >"$dir/few" <<'END'
#!/bin/sh
hostname "a${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" &&
	ulimit -n 64 && exec "$@"
END
chmod +x "$dir/small" "$dir/few"
if unshare --mount "$dir/small" true 2>/dev/null; then
	says 0 "^ ! /dev/shm has [1-4][0-9] MiB left" \
		unshare --mount "$dir/small" $both "$doctor"
	also "^   -> in a container: --shm-size"
fi
if unshare --uts "$dir/few" true 2>/dev/null; then
	says 1 "^!! 64 file descriptors are too few for connections to 1" \
		$both unshare --uts "$dir/few" "$doctor"
	also "^   -> ulimit -n 66"
fi

# Ranks that differ.
cat >"$dir/first" <<'END'
#!/bin/sh
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
1) export ORIEL_SPIN=7 ;;
esac
exec "$@"
END
chmod +x "$dir/first"
says 0 "^ ! rank 1 on .* has other options: ORIEL_SPIN=7" $both "$dir/first" \
	"$doctor"
says 1 "^!! rank 0 on .* runs without Oriel" $both \
	"$(dirname "$doctor")/oriel-examine"
exit $failed
