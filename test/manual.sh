#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of the manual pages are whole: as they are printed they compile,
# run on three ranks, and say what they should.
top=${srcdir:-$(dirname "$0")/..}
lib=${top_builddir:-.}/.libs
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# program PAGE: what stands between .nf and .fi of its example.
program()
{
	sed -n '/^\.SH EXAMPLE/,/^\.SH SEE/p' "$top/doc/man/$1".[37] |
		sed -n '/^\.nf/,/^\.fi/p' | sed '/^\.[nf][fi]$/d' |
		sed 's/\\e/\\/g; s/\\-/-/g'
}

# try PAGE PART WORDS: PART of the lines, sorted and side by side, are WORDS.
try()
{
	program "$1" >"$dir/$1.c"
	${CC:-mpicc} "$dir/$1.c" -o "$dir/$1" -I"$top/include" -L"$lib" \
		-loriel -Wl,-rpath,"$(realpath "$lib")" >"$dir/out" 2>&1 &&
		timeout 60 "${MPIRUN:-mpirun}" -n 3 "$dir/$1" \
			>"$dir/out" 2>&1 &&
		test "$(grep -o "$2" "$dir/out" | sort | xargs)" = "$3" &&
		return
	echo "$1's program:"
	cat "$dir/out"
	failed=1
}

try Oriel_Put_notify '[0-9]: from [0-9]' "0: from 2 1: from 0 2: from 1"
try Oriel_Rflush 'mine is [0-9]' "mine is 0 mine is 1 mine is 2"
try Oriel_Win_dup '.*' "3 of 3"
# Who comes first is open, that one does is not.
try Oriel_Rfetch_and_op 'ticket [0-9]\|leads' \
	"leads ticket 0 ticket 1 ticket 2"

# The report is that of the page, but for the places.
places='s/[^ ]*+0x[0-9a-f]*\( (main)\)\{0,1\}/PLACE/g'
want=$(sed -n '/^\.EX/,/^\.EE/p' "$top/doc/man/oriel.7" |
	sed "/^\\.E[XE]\$/d; $places" | xargs)
ORIEL_CHECK=1 ORIEL_PATH=direct,cma try oriel '^$' ''
got=$(grep '^oriel check: MPI_' "$dir/out" | sed "$places")
[ "$got" = "$want" ] && [ -n "$want" ] || {
	echo "oriel(7) reports '$want', not '$got'"
	failed=1
}
exit $failed
