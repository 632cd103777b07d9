#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lost.sh - who waits for a process that is killed or stopped gets an error
# within seconds, over the device too: a part of ../lost.sh.  Puts and gets of
# a stopped process's memory go on, as they should: the device serves them.
export ORIEL_PROVIDER="${ORIEL_PROVIDER:-verbs;ofi_rxm}"
lost=$(dirname "$0")/../lost.sh
failed=0

sh "$lost" 2 kill put put_large get_large acc lock lock_all fence || failed=1
sh "$lost" 2 stop acc fop lock lock_all fence wait complete || failed=1
sh "$lost" 3 kill fence lock_held complete || failed=1
exit $failed
