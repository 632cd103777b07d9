#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh - has spin search all states of the models: as they are no error
# may be found, with each mutation (a -D that puts a mistake in) one must be.
# Says so as TAP; a few minutes at most, 1 GB of memory.
top=${srcdir:-$(dirname "$0")/..}
models=$(cd "$top/models" && pwd) || exit 1
for tool in spin "${CC:-cc}"; do
	command -v ${tool%% *} >/dev/null && continue
	echo "1..0 # SKIP ${tool%% *} is not installed"
	exit 77
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
count=0
failed=0

# search MODEL [-D...]: what the verifier says, to the file "out".
search()
{
	model=$1
	shift
	rm -f pan*
	spin -a "$@" "$models/$model.pml" >out 2>&1 &&
		${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=1000 \
			-o pan pan.c >out 2>&1 &&
		timeout "${ORIEL_TEST_LIMIT:-600}" ./pan -m100000 >out 2>&1
}

# report STATUS NAME
report()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
		return
	fi
	echo "not ok $count - $2"
	sed 's/^/# /' out
	failed=1
}

# A search that was cut short, of time, memory or depth, proves nothing.
good()
{
	search "$@" && grep -q 'errors: 0$' out &&
		! grep -q 'max search depth too small\|Search not completed' out
	report $? "$*"
}

# bad WHAT MODEL [-D...]: WHAT is what spin calls the mistake.
bad()
{
	what=$1
	shift
	search "$@"
	grep -q "^pan:[0-9]*: $what" out
	report $? "$*: found, $what"
}

good rwlock
good rwlock -DALONE
bad 'assertion violated' rwlock -DALONE -DPAST_LINE
bad 'assertion violated' rwlock -DALONE -DNOT_FIRST
bad 'assertion violated' rwlock -DALONE -DNO_RELOAD

good lock_all
good lock_all -DORIGINS=2 -DNEIGHBOURS=0
bad 'assertion violated' lock_all -DNO_MASTER
bad 'invalid end state' lock_all -DNO_HURRY
bad 'assertion violated' lock_all -DEARLY_LEAVE
bad 'assertion violated' lock_all -DJOIN_COUNT

echo "1..$count"
exit $failed
