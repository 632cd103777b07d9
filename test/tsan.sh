#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tsan.sh - the tests of threads with ThreadSanitizer, which finds accesses of
# two threads that nothing orders.  Builds the library and the tests with it in
# the folder tsan of the build tree.  Prints TAP.
#
# What it cannot judge: shared memory of several processes, what fences order
# (the code orders by atomics what threads share), and the host's libraries
# (tsan.supp).
#
# ORIEL_TSAN_TESTS names other tests than these.
#
# Programs of one thread are here for the library's own, on the paths that have
# it.
tests=${ORIEL_TSAN_TESTS:-threads threads_windows threads_epoch notify_threads
	requests_threads overtake unit_util
	unit_progress_thread put_get pscw accumulate dynamic
	requests_pending}
src=$(cd "$(dirname "$0")/.." && pwd) || exit 1

skip()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# Does it run here at all?  It needs its own layout of the address space.
mkdir -p tsan && cd tsan || exit 1
echo 'int main(void) { return 0; }' >probe.c
$CC -fsanitize=thread -o probe probe.c >probe.log 2>&1 ||
	skip "the compiler has no ThreadSanitizer"
./probe >probe.log 2>&1 || skip "ThreadSanitizer does not run on this kernel"

# What make check tells its scripts is not for another make.
unset MAKEFLAGS MFLAGS MAKELEVEL
{
	test -f Makefile || "$src/configure" -q CC="$CC" MPIRUN="$MPIRUN" \
		--enable-sanitizers=thread CFLAGS='-O1 -g'
	make -s liboriel.la orielrun $(printf 'test/%s ' $tests)
} >build.log 2>&1 || {
	tail -n 15 build.log | sed 's/^/# /'
	echo "Bail out! no build with ThreadSanitizer"
	exit 1
}

TSAN_OPTIONS="suppressions=$src/test/tsan.supp exitcode=66"
# UCX would have each madvise of a thread that is not there yet come to it.
UCX_MEM_EVENTS=no
ORIELRUN=$PWD/orielrun
srcdir=$src
export TSAN_OPTIONS UCX_MEM_EVENTS ORIELRUN srcdir
for test in $tests; do
	echo "program $test"
	"${SHELL:-sh}" "$src/test/run" --ranks 2 \
		--paths "default cma fabric software" "test/$test"
done | {
	count=0
	while IFS= read -r line; do
		case $line in
		"program "*) name=${line#program } ;;
		1..*) ;;
		"ok "* | "not ok "*)
			count=$((count + 1))
			echo "${line%%ok *}ok $count - $name, ${line#* - }"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	echo "1..$count"
}
