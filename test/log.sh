#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ORIEL_LOG: each level tells what the ones below it tell, and its own: warn of
# an info key without such a value, info of the library, debug of errors that
# the program has asked to be returned.
. "${srcdir:-$(dirname "$0")/..}/test/alone"

# tells LEVEL PROGRAM KIND TEXT: a line of that kind; or not, with "no KIND".
tells()
{
	want=0
	kind=$3
	case $3 in
	no*)
		want=1
		kind=${3#no }
		;;
	esac
	timeout -k 5 60 env ORIEL_LOG="$1" "${MPIRUN:-mpirun}" -n 1 \
		"${ORIELRUN:-orielrun}" "${top_builddir:-.}/test/$2" \
		>"$dir/out" 2>&1 </dev/null || {
		echo "$1, $2: status $?"
		failed=1
	}
	grep -q "^oriel\[[0-9]*\] $kind: .*$4" "$dir/out"
	[ $? -eq $want ] && return
	echo "$1, $2: expected $3, '$4', in"
	cat "$dir/out"
	failed=1
}

key='info key .* has no value'
tells error hints "no warning" "$key"
tells warn hints warning "$key"
tells warn hints "no info" Oriel
tells info hints warning "$key"
tells info hints info "Oriel .* does the windows"
tells info err_epoch "no debug" MPI_Put
tells debug err_epoch debug "MPI_Put.*epoch"
tells debug err_epoch info "Oriel .* does the windows"
exit $failed
