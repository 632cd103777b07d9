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
says "error: ORIEL_STATS=jsn is not understood; 0 is used" ORIEL_STATS=jsn
says "" ORIEL_STATS=./jsn
says "" ORIEL_STATS=jsn.txt
says "" ORIEL_PTAH=cma OMPI_COMM_WORLD_LOCAL_RANK=1
says "" ORIEL_PTAH=cma ORIEL_LOG=none
says "" ORIEL_LIB=/opt/oriel ORIEL_BIN=/opt/oriel ORIEL_DATA=1
exit $failed
