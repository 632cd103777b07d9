#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Emulated hosts that have gone down leave nothing in the folder that they were
# brought up from.
hosts=$(cd "${srcdir:-$(dirname "$0")/..}/test/hosts" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset ORIEL_TEST_SET

"$hosts/up" --while $$ 1 || exit
test -s hosts.set/up || echo "they are not up in this folder"
"$hosts/down"
left=$(ls -A)
[ -z "$left" ] && exit
echo "left behind: $left"
exit 1
