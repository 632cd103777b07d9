#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh - has spin search all states of a model, as the lines of its head
# say that begin with one of these words:
#
#	safe [-D...]		no assertion fails, nobody waits for ever
#	live [-D...]		what its ltl formula promises comes true, if
#				everybody who can go on does so at some time;
#				-DLIVE is added
#	assertion -D... WHY	with this mistake put in, an assertion fails,
#	deadlock -D... WHY	or somebody waits for ever,
#	cycle -D... WHY		or, -DLIVE added, the promise is broken
#
#	check.sh MODEL.pml...	as TAP; all models if none is named
#
# 2 GB of memory; seconds for one model.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
for tool in spin "${CC:-cc}"; do
	command -v ${tool%% *} >/dev/null && continue
	echo "1..0 # SKIP ${tool%% *} is not installed"
	exit 0
done
[ $# -gt 0 ] || set -- "$here"/*.pml
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
count=0
failed=0

# report STATUS NAME: with what the search said, if it is not as it must be.
report()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
		return
	fi
	echo "not ok $count - $2"
	sed 's/^/# /; 12q' out
	failed=1
}

# search MODEL [-D...]: what the verifier says, to the file "out".  It is run
# once, so that its compiler need not optimise.
search()
{
	case $word in
	live) how= options="-a -f" claim=-DLIVE ;;
	cycle) how= options="-a -f -A" claim=-DLIVE ;;
	assertion) how=-DSAFETY options=-E claim= ;;
	deadlock) how=-DSAFETY options=-A claim= ;;
	*) how=-DSAFETY options= claim= ;;
	esac
	model=$1
	shift
	rm -f pan*
	spin -a $claim "$@" "$model" >out 2>&1 &&
		${CC:-cc} -O0 -w $how -DCOLLAPSE -DMEMLIM=2000 \
			-o pan pan.c >out 2>&1 &&
		timeout "${ORIEL_TEST_LIMIT:-600}" \
			./pan $options -m1000000 >out 2>&1
}

# A search that was cut short, of time, memory or depth, proves nothing.
is_good()
{
	grep -q 'errors: 0$' out &&
		! grep -q 'max search depth too small\|Search not completed' out
}

# What spin calls the mistake.
is_bad()
{
	case $word in
	assertion) said='assertion violated' ;;
	deadlock) said='invalid end state' ;;
	cycle) said='acceptance cycle' ;;
	esac
	grep -q "^pan:[0-9]*: $said" out
}

states()
{
	sed -n 's/^ *\([0-9]*\) states, stored.*/, \1 states/p' out
	sed -n 's/^pan: elapsed time \([0-9.]*\) sec.*/, \1 s/p' out
}

# check MODEL WORD [-D...] [WHY...]
check()
{
	name=$(basename "$1" .pml)
	model=$1
	word=$2
	shift 2
	defines=
	while [ "${1#-D}" != "${1:-}" ]; do
		defines="$defines $1"
		shift
	done
	search "$model" $defines
	case $word in
	safe | live) is_good ;;
	*) is_bad ;;
	esac
	report $? "$name: $word$defines$(states | tr -d '\n')"
}

start=$PWD
cd "$dir" || exit 1
for model; do
	case $model in
	/*) ;;
	*) model=$start/$model ;;
	esac
	sed -n '1,/\*\//s/^ \*	\(safe\|live\|assertion\|deadlock\|cycle\)\>/\1/p' \
		"$model" >runs
	[ -s runs ] || {
		echo "Bail out! $model does not say what is to be searched"
		exit 1
	}
	while read -r line; do
		check "$model" $line
	done <runs
done
echo "1..$count"
exit $failed
