#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_style.sh - what can be measured of the style: first lines, tabs, 80
# columns, lengths of functions and files, parameters, options in the README,
# and, where clang-format is the one .clang-format was written for, the format.
top=${srcdir:-$(dirname "$0")/..}
cd "$top" || exit 1
failed=0
sources=$(find src include win atomics test benchmarks examples \
	  -name '*.[ch]' ! -name config.h | sort)
scripts="quickstart .ci/run
	$(find test benchmarks -type f ! -name '*.*' ! -name README)
	$(find test benchmarks -name '*.sh' -o -name '*.py')"
makes="configure.ac Makefile.am $(find src win atomics test benchmarks \
	examples -name local.mk)"

for file in $sources $scripts $makes; do
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || {
		echo "$file: no SPDX line at its head"
		failed=1
	}
	name=$(basename "$file")
	case $file in
	*.ac | *.am | *.mk) continue ;;
	test/*.c | test/*.sh) name= ;; # the claim comes first
	esac
	head -n 5 "$file" | grep -q "${name:+$name - }" || {
		echo "$file: no \"$name - what it owns\" at its head"
		failed=1
	}
done

for option in $(sed -n 's/^\tX([a-z_]*, \([A-Z_]*\),.*/ORIEL_\1/p' \
		include/orl_util.h); do
	grep -q "^| $option |" README.md &&
		grep -q "^\.BR* $option" doc/man/oriel.7 && continue
	echo "README.md or doc/man/oriel.7 does not explain $option"
	failed=1
done

# Names put together, so that this file may be looked at too.
marks="TO""DO|FIX""ME|X""XX"
if grep -nwE "$marks" $sources $scripts $makes; then
	echo "unfinished work is no part of the tree"
	failed=1
fi

for file in $sources $scripts; do
	expand "$file" | awk -v file="$file" 'length > 80 {
		print file ":" NR ": longer than 80 columns"
	}'
done | grep . && failed=1

awk '
function bad(what)
{
	print FILENAME ":" FNR ": " what
	failed = 1
}

# The parameters in text, "static int f(int a, int (*b)(int, int))".
function parameters(text,    i, c, depth, n)
{
	n = 1
	for (i = index(text, "("); i && i <= length(text); i++) {
		c = substr(text, i, 1)
		depth += (c == "(") - (c == ")")
		n += c == "," && depth == 1
		if (!depth)
			break
	}
	return n
}

FNR == 1 {
	head = ""
	inside = 0
	# MPI itself decides in src/mpi.
	free = FILENAME ~ /^src\/mpi\// || FILENAME ~ /^test\//
}
FNR == 501	{ bad("a file of more than 500 lines") }
/[ \t]$/	{ bad("white space at the end of a line") }
/^\t*         *[^ \\]/	{ bad("eight spaces where a tab belongs") }

/^{/ {
	inside = FNR
	sub(/__attribute__ *\(\(.*\)\)/, "", head)
	if (!free && head ~ /\(/ && parameters(head) > 6)
		bad("a function of more than 6 parameters: " head)
}
/^}/ {
	if (inside && FNR - inside - 1 > 60)
		bad("a function of " FNR - inside - 1 " lines, 60 allowed")
	inside = 0
}
# What stands above a function.
/^[ \t]*$|[;}\/\\]$|^#/	{ head = ""; next }
!inside		{ head = head " " $0 }

END { exit failed }' $sources || failed=1

case $(clang-format --version 2>/dev/null) in
*"version 14."*)
	for file in $sources; do
		clang-format "$file" | cmp -s - "$file" && continue
		echo "$file: not as clang-format -i makes it"
		failed=1
	done
	;;
*)
	echo "# note: clang-format 14 is not here, the format was not checked"
	;;
esac
exit $failed
