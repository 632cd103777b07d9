#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# random.sh - the first random programs of test/random, as many as one CPU
# does in a minute or two.
export ORIEL_PATH="${ORIEL_TEST_PATHS:-fabric}"
exec "${MPIRUN:-mpirun}" -n 2 "${ORIELRUN:-orielrun}" \
	"${top_builddir:-.}/test/random" --start 1 --count 20
