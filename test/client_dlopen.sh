#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# client_dlopen.sh - builds both parts of client_dlopen.c and runs them.
top=${srcdir:-$(dirname "$0")/..}
test -n "${ORIEL_TEST_HOST:-}" && ORIELRUN=
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
source=$top/test/client_dlopen.c

${CC:-mpicc} -DMODULE -shared -fPIC -o "$dir/module.so" "$source" &&
cc -o "$dir/program" "$source" -ldl || exit 1
timeout 60 "${MPIRUN:-mpirun}" -n 2 ${ORIELRUN:-} "$dir/program" \
	"$dir/module.so"
