#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_headers.sh - every header compiles alone, without a warning.  What has
# no include guard is a part of a file, not a header.
top=${srcdir:-$(dirname "$0")/..}
build=$(pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$top" || exit 1
failed=0

for header in $(find src include win atomics test benchmarks -name '*.h' \
		! -name config.h | sort); do
	grep -q '^#ifndef [A-Z_0-9]*_H$' "$header" || continue
	printf '#include "%s"\n' "$header" >"$dir/alone.c"
	${CC:-mpicc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wvla \
		-Wmissing-prototypes -Wshadow -Wno-unused-parameter \
		-Wno-unused-function -Wno-unused-variable \
		-Werror -fsyntax-only \
		-I. -Iinclude -I"$build/include" "$dir/alone.c" \
		2>"$dir/errors" && continue
	echo "$header does not compile alone:"
	head -n 6 "$dir/errors"
	failed=1
done
exit $failed
