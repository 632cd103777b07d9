#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank that runs without Oriel never comes to the first window's exchange:
# those that do say so, which call it is and what to look at.
. "${srcdir:-$(dirname "$0")/..}/test/alone"
unset LD_PRELOAD

cat >"$dir/first" <<'END'
#!/bin/sh
test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$BARE" && exec "$@"
exec "${ORIELRUN:-orielrun}" "$@"
END
chmod +x "$dir/first"
says='MPI_Win_[a-z_]*: rank %d has waited 1 seconds for the other 1;.*orielrun'

for bare in 0 1; do
	BARE=$bare ORIEL_TIMEOUT=1 timeout -k 5 60 "${MPIRUN:-mpirun}" -n 2 \
		"$dir/first" "${top_builddir:-.}/test/put_get" \
		>"$dir/out" 2>&1 &
	launcher=$!
	tries=0
	until grep -q "$(printf "$says" $((1 - bare)))" "$dir/out"; do
		tries=$((tries + 1))
		if [ $tries -gt 300 ] || ! kill -0 $launcher 2>/dev/null; then
			echo "nobody misses rank $bare:"
			cat "$dir/out"
			failed=1
			break
		fi
		sleep 0.1
	done
	kill $launcher 2>/dev/null
	wait $launcher
done
exit $failed
