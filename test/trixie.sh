#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trixie.sh - make check on Debian 13, in a root of its own, as TAP.
#
# In a build tree, by make check-trixie.  The root is made by debootstrap when
# it is first wanted, with both MPIs and the packages that tests are clients of
# (1.6 GB), and kept in ORIEL_CACHE, by default
# /var/cache/oriel; the build trees are trixie/openmpi and trixie/mpich of this
# one.  It takes root.  Mounts are of a namespace of their own, which ends with
# the script.
#
# ORIEL_TRIXIE_TESTS names tests, ORIEL_TRIXIE_HOSTS the MPIs (openmpi mpich,
# which are tested side by side); what test/run takes from the environment
# holds here too.  ORIEL_TRIXIE_COMMAND is run in the root in place of the
# tests.
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
hosts=${ORIEL_TRIXIE_HOSTS:-openmpi mpich}
root=${ORIEL_CACHE:-/var/cache/oriel}/trixie
packages="gcc g++ libc6-dev make pkg-config gfortran procps iproute2 python3
	libfabric-dev libopenmpi-dev openmpi-bin libmpich-dev mpich
	python3-mpi4py libarmci-mpi-dev libglobalarrays-dev
	libscalapack-openmpi-dev libscalapack-mpich-dev liblapack-dev
	libblas-dev libcoarrays-openmpi-dev libcoarrays-mpich-dev petsc-dev"

skip()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# -- the root -----------------------------------------------------------------

bootstrap()
{
	command -v debootstrap >/dev/null || skip "no debootstrap here"
	debootstrap --variant=minbase trixie "$root.new" >root.log 2>&1 || {
		rm -rf "$root.new"
		skip "debootstrap fails: $(tail -n 1 root.log)"
	}
	mv "$root.new" "$root"
}

install_packages()
{
	chroot "$root" sh -c '
		apt-get update && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends "$@" &&
		apt-get clean' \
		sh $packages >root.log 2>&1 </dev/null ||
		skip "packages cannot be installed: $(tail -n 1 root.log)"
	mkdir -p "$root/src" "$root/build"
	echo $packages >"$root/etc/oriel-packages"
}

# One at a time: other build trees have it in common.
make_root()
{
	[ "$(id -u)" -eq 0 ] || skip "the root is made by root"
	mkdir -p "${root%/*}" trixie && cd trixie || exit 1
	unshare --mount --pid --fork true 2>/dev/null ||
		skip "no namespaces allowed"
	exec 9>"$root.lock"
	flock 9
	[ -d "$root" ] || bootstrap
	[ "$(cat "$root/etc/oriel-packages" 2>/dev/null)" = \
		"$(echo $packages)" ] || install_packages
	exec 9>&-
}

# in_root COMMAND ARGUMENTS...: the source folder is /src, trixie /build.  The
# root is a mount and all there is, else hosts could not be emulated there.
in_root()
{
	env -u ORIEL_TRIXIE_TESTS -u ORIEL_TRIXIE_HOSTS \
		-u ORIEL_TRIXIE_COMMAND -u ORIEL_CACHE root="$root" \
		top="$top" unshare --mount --pid --fork --kill-child sh -c '
		set -e
		mount --bind "$root" "$root"
		mount --bind . "$root/build"
		mount --bind -o ro "$top" "$root/src"
		cd "$root"
		mount -t proc proc proc
		mount --rbind /sys sys
		mount --rbind /dev dev
		mount -t tmpfs tmpfs dev/shm
		mount -t tmpfs tmpfs run
		mount -t tmpfs tmpfs tmp
		pivot_root . mnt
		exec chroot . sh -c "umount -l /mnt && cd /build &&
			exec \"\$@\"" sh "$@"' sh "$@"
}

# -- the tests ----------------------------------------------------------------

# Of an MPI, in the root.
build='
	mkdir -p $1 && cd $1 || exit 1
	test -f Makefile ||
		/src/configure -q CC=mpicc.$1 MPIRUN=mpirun.$1 || exit 1
	make -s -j"$(nproc)" check TESTS='
# The models are of no release.
check='cd $1 && make -k check ${2:+TESTS="$2"} models='

# tests HOST: the lines that automake prints of results, with the name.
tests()
{
	in_root sh -c "$check" sh "$1" "${ORIEL_TRIXIE_TESTS:-}" \
		2>&1 </dev/null | tee -a "$1.log" |
		sed -nuE "s/^(PASS|FAIL|SKIP|ERROR|XFAIL|XPASS): /&$1 /p"
}

# tap: of such lines.
tap()
{
	count=0
	while read -r what host rest; do
		count=$((count + 1))
		case $what in
		PASS: | SKIP:) echo "ok $count - $host: $rest" ;;
		*)
			echo "not ok $count - $host: $rest"
			echo "# see trixie/$host/test-suite.log"
			;;
		esac
	done
	echo "1..$count"
	[ $count -gt 0 ] || echo "Bail out! no test was run"
}

# What make check tells its scripts is not for another make.
unset MAKEFLAGS MFLAGS MAKELEVEL CC MPIRUN ORIEL_HOST NM
make_root
if [ -n "${ORIEL_TRIXIE_COMMAND:-}" ]; then
	in_root sh -c "$ORIEL_TRIXIE_COMMAND"
	exit
fi
for host in $hosts; do
	in_root sh -c "$build" sh "$host" >"$host.log" 2>&1 </dev/null || {
		tail -n 15 "$host.log" | sed 's/^/# /'
		echo "Bail out! no build for $host on Debian 13"
		exit 1
	}
done
{
	for host in $hosts; do
		tests "$host" &
	done
	wait
} | tap
