#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_tool.sh - a profiling tool (client_tool.c) above Oriel, where it is
# preloaded, and below it, where the program is linked with it.
top=${srcdir:-$(dirname "$0")/..}
test -z "${ORIEL_TEST_HOST:-}" || {
	echo "# skip: about Oriel alone"
	exit 77
}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
source=$top/test/client_tool.c

${CC:-mpicc} -DTOOL -shared -fPIC -o "$dir/libtool.so" "$source" &&
${CC:-mpicc} -o "$dir/alone" "$source" &&
${CC:-mpicc} -o "$dir/linked" "$source" -L"$dir" -Wl,--no-as-needed -ltool \
	-Wl,-rpath,"$dir" || exit 1

timeout 60 "${MPIRUN:-mpirun}" -n 2 env LD_PRELOAD="$dir/libtool.so" \
	"${ORIELRUN:-orielrun}" "$dir/alone" 10 || {
		echo "failed with the tool above"
		exit 1
	}
timeout 60 "${MPIRUN:-mpirun}" -n 2 "${ORIELRUN:-orielrun}" "$dir/linked" 0 || {
	echo "failed with the tool below"
	exit 1
}
