#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_tool.sh - a profiling tool (client_tool.c) above Oriel, where it is
# preloaded, below it, where the program is linked with it, and both at once.
. "${srcdir:-$(dirname "$0")/..}/test/alone"
source=$top/test/client_tool.c

for tool in above below; do
	${CC:-mpicc} -DTOOL=${tool}_calls -shared -fPIC \
		-o "$dir/lib$tool.so" "$source" || exit 1
done
${CC:-mpicc} -o "$dir/alone" "$source" &&
${CC:-mpicc} -o "$dir/linked" "$source" -L"$dir" -Wl,--no-as-needed -lbelow \
	-Wl,-rpath,"$dir" || exit 1

# run PRELOADED PROGRAM ABOVE BELOW
run()
{
	timeout 60 "${MPIRUN:-mpirun}" -n 2 env LD_PRELOAD="$1" \
		"${ORIELRUN:-orielrun}" "$2" "$3" "$4" && return
	echo "failed by path ${ORIEL_PATH:-direct}, calls above $3, below $4"
	exit 1
}

for path in direct software; do
	export ORIEL_PATH=$path
	run "$dir/libabove.so" "$dir/alone" 101010 -1
	run "" "$dir/linked" -1 0
	run "$dir/libabove.so" "$dir/linked" 101010 0
done
