#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A variable that is nearly an option is told with the option that is meant, by
# the first rank of a node; options, and names of somebody's own, are not.  So
# is a value that is none.
. "${srcdir:-$(dirname "$0")/..}/test/alone"

# says TEXT NAME=VALUE...: this and no more, without the number of who says it.
says()
{
	want=$1
	shift
	got=$(env "$@" "${ORIELRUN:-orielrun}" true 2>&1 |
		sed 's/^oriel\[[0-9]*\] //')
	[ "$got" = "$want" ] && return
	echo "$*: '$got', not '$want'"
	failed=1
}

says "error: ORIEL_PTAH is no option of Oriel's; is ORIEL_PATH meant?" \
	ORIEL_PTAH=cma
says "error: ORIEL_STAT is no option of Oriel's; is ORIEL_STATS meant?" \
	ORIEL_STAT=1
says "error: ORIEL_PROGRES is no option of Oriel's; is ORIEL_PROGRESS meant?" \
	ORIEL_PROGRES=poll ORIEL_PATH=cma ORIEL_HOME=/opt/oriel
# A file has a dot or a slash.
says "error: ORIEL_STATS=jsn is not 0, 1, json or a file with a dot or a slash;\
 0 is used" ORIEL_STATS=jsn
says "" ORIEL_STATS=./jsn
says "" ORIEL_STATS=jsn.txt
# Words, and numbers at and beyond both ends.
says "error: ORIEL_LOG=all is not none, error, warn, info or debug; error is\
 used" ORIEL_LOG=all
says "error: ORIEL_CHECK=2 is not 0, 1 or abort; 0 is used" ORIEL_CHECK=2
says "error: ORIEL_PATH=cma,cme is not a list of direct, cma, fabric, software;\
 direct,cma,fabric,software is used" ORIEL_PATH=cma,cme
says "error: ORIEL_PROGRESS=on is not thread, poll or auto; auto is used" \
	ORIEL_PROGRESS=on
says "error: ORIEL_ATOMICS=cpu is not owner or nic; owner is used" \
	ORIEL_ATOMICS=cpu

# range NAME LEAST DEFAULT: up to 1000000000.
range()
{
	for value in $(($2 - 1)) 1000000001 99999999999999999999 $2x x; do
		says "error: ORIEL_$1=$value is not a number from $2 to\
 1000000000; $3 is used" ORIEL_$1=$value
	done
	says "" ORIEL_$1=$2
	says "" ORIEL_$1=1000000000
}

range BULK 1 4
range TIMEOUT -1 20
range SPIN -1 -1
range YIELD 0 100
for value in -1 65t 66000g 12x 9999999999999999999 t; do
	says "error: ORIEL_ARENA=$value is not a number of bytes up to 64t,\
 with k, m, g or t behind it or nothing; 0 is used" ORIEL_ARENA=$value
done
for value in 0 64t 65536g 1K; do
	says "" ORIEL_ARENA=$value
done
says "" ORIEL_PTAH=cma OMPI_COMM_WORLD_LOCAL_RANK=1
says "" ORIEL_PTAH=cma ORIEL_LOG=none
says "" ORIEL_LIB=/opt/oriel ORIEL_BIN=/opt/oriel ORIEL_DATA=1
exit $failed
