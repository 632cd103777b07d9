#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite.sh - verbs without hardware: behaviour tests over soft-RoCE, in one
# boot of a guest, as TAP.
#
# In a build tree, by make check-verbs.  First the probe, which is libfabric
# alone, the test of src/fabric and those of lost processes and of caches; then
# programs of the suite, each on 2 ranks, the windows' data going by
# verbs;ofi_rxm even though the ranks share the guest.  That they do is seen in
# the device's own counters.  All is skipped where no guest can be had.
# ORIEL_VERBS_TESTS names other programs, ORIEL_VERBS_LIMIT the seconds for all
# of them; what test/run takes from the environment holds here too.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
programs=${ORIEL_VERBS_TESTS:-put_get sizes accumulate fetch_op compare_swap \
	lock exclusive flush fence pscw passive dynamic remapped requests \
	random}
device=/sys/class/infiniband/rxe0/ports/1/hw_counters

# -- in the guest --------------------------------------------------------------

packets()
{
	cat $device/sent_pkts
}

# tests PROGRAM: its results, each with its name; scripts are of this folder.
tests()
{
	case $1 in
	*.sh) sh "$here/../run" "$here/$1" ;;
	*) sh "$here/../run" "test/$1" ;;
	esac | sed -e '/^1\.\./d' \
		-e "s,^\(not ok\|ok\) [0-9]* - ,&$(basename "$1"): ,"
}

# observed PROGRAM: its results and what it sent; in $quiet if nothing.
observed()
{
	before=$(packets)
	tests "$1" >/run/results
	sent=$(($(packets) - before))
	cat /run/results
	echo "# rxe0 sent $sent packets"
	grep -q '^ok.* # SKIP' /run/results || [ $sent -gt 0 ] ||
		quiet="$quiet $1"
}

inside()
{
	quiet=
	for program in verbs/probe endpoint.sh lost.sh cached.sh $programs; do
		observed "$program"
	done
	case $ORIEL_TEST_PATHS in
	*fabric* | *software*) ;;
	*) return 0 ;;
	esac
	if [ -z "$quiet" ]; then
		echo "ok 0 - what was sent went through rxe0"
	else
		echo "not ok 0 - nothing went through rxe0 of$quiet"
	fi
}

# -- outside -------------------------------------------------------------------

# One run of it all, numbered afresh, line by line: an awk may wait for more.
numbered()
{
	n=0
	while IFS= read -r line; do
		case $line in
		"ok "* | "not ok "*)
			n=$((n + 1))
			head=${line%%ok *}ok
			line=${line#"$head" }
			line="$head $n ${line#* }"
			;;
		esac
		printf '%s\n' "$line"
	done
	echo "1..$n"
}

outside()
{
	reason=$(mktemp) || exit 1
	trap 'rm -f "$reason"' EXIT
	trap 'exit 1' HUP INT TERM
	: "${ORIEL_TEST_RANKS:=2}" "${ORIEL_TEST_PATHS:=fabric}"
	: "${ORIEL_PROVIDER:=verbs;ofi_rxm}" "${ORIEL_TEST_LIMIT:=300}"
	export ORIEL_TEST_RANKS ORIEL_TEST_PATHS ORIEL_PROVIDER \
		ORIEL_TEST_LIMIT
	# MPICH's own messages: by the device MPI_Init alone takes half a
	# minute, and what Oriel sends could not be told from them.
	export UCX_TLS=self,sm
	"$here/guest" --limit "${ORIEL_VERBS_LIMIT:-900}" \
		sh "$here/suite.sh" inside 2>"$reason"
	status=$?
	why=$(tail -n 1 "$reason")
	case $status in
	0) ;;
	77) echo "ok 0 - verbs # SKIP $why" ;;
	*) echo "not ok 0 - verbs: $why" ;;
	esac
	sed 's/^/# /' "$reason"
}

if [ "${1:-}" = inside ]; then
	inside
else
	outside | numbered
fi
