#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# FI_OFI_RXM_BUFFER_SIZE, which bounds the messages of ofi_rxm: small ones do,
# too small ones are refused, and so are different ones, in words on all ranks.
. "${srcdir:-$(dirname "$0")/..}/test/alone"
export ORIEL_PATH=fabric ORIEL_PROVIDER="tcp;ofi_rxm"
job="${ORIELRUN:-orielrun} ${top_builddir:-.}/test/message_size_job"

# By rank, not by two commands: with those, mpirun of Open MPI 5.0.7 crashes.
each='
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
0) export FI_OFI_RXM_BUFFER_SIZE="$1" ;;
*) export FI_OFI_RXM_BUFFER_SIZE="$2" ;;
esac
shift 2
exec "$@"'

# run FIRST OTHER: the bytes for either rank.
run()
{
	timeout -k 5 60 "${MPIRUN:-mpirun}" -n 2 \
		sh -c "$each" sh "$1" "$2" $job 2>&1
}

# works FIRST OTHER
works()
{
	out=$(run "$1" "$2") && ! echo "$out" | grep "refused" || {
		echo "$1 and $2: $out"
		failed=1
	}
}

# refuses FIRST OTHER: both ranks say why, perhaps in the midst of each other.
refuses()
{
	out=$(run "$1" "$2")
	words=$(echo "$out" | grep -oE 'refused:|FI_OFI_RXM_BUFFER_SIZE' |
		sort | uniq -c | tr -s ' ')
	test "$(echo $words)" = "2 FI_OFI_RXM_BUFFER_SIZE 2 refused:" || {
		echo "$1 and $2: $out"
		failed=1
	}
}

works 4096 4096
works 8192 8192
works 65536 65536
refuses 1024 1024
refuses 2048 2048
refuses 1024 16384
refuses 16384 8192
refuses 65536 32768
exit $failed
