#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages that "make deb" makes can be installed, and then serve
# programs of both MPIs: preloaded by the installed orielrun, and linked by
# pkg-config; and when they are removed nothing is left.  In a root of its own,
# the machine's with a layer above it, so nothing here changes.

skip()
{
	echo "# skip: $*"
	exit 77
}

# Within the root: $1 has the packages, $2 the sources.
inside()
{
	set -e
	cat >/tmp/program.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>

	#ifdef LINKED
	#include <oriel.h>
	#define WHO oriel_version()
	#else
	#define WHO "a program"
	#endif

	int main(int argc, char **argv)
	{
		int rank, size, *memory;
		MPI_Win win;

		MPI_Init(&argc, &argv);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
				 MPI_COMM_WORLD, &memory, &win);
		MPI_Win_fence(0, win);
		MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT,
			win);
		MPI_Win_fence(0, win);
		if ((*memory + 1) % size == rank)
			printf("right: %s\n", WHO);
		MPI_Win_free(&win);
		MPI_Finalize();
		return 0;
	}
	END
	cd /tmp
	dpkg -i "$1"/*.deb >dpkg.log 2>&1 || { cat dpkg.log; exit 1; }
	for host in openmpi mpich; do
		check_host $host
	done
	for page in man1/orielrun.1 man1/oriel-doctor.1 man7/oriel.7 \
		man3/Oriel_Put_notify.3 man3/Oriel_Get_notify.3 \
		man3/Oriel_Accumulate_notify.3 man3/Oriel_Notify_wait.3 \
		man3/Oriel_Notify_test.3 man3/Oriel_Rfetch_and_op.3 \
		man3/Oriel_Rcompare_and_swap.3 man3/Oriel_Rflush.3 \
		man3/Oriel_Win_dup.3 man3/oriel_version.3 \
		man3/oriel_stat.3 man3/oriel_path.3 man3/oriel_networks.3; do
		test -e /usr/share/man/$page.gz || die "no manual page $page"
	done
	dpkg -P oriel liboriel-dev liboriel-openmpi liboriel-mpich >dpkg.log \
		2>&1 || { cat dpkg.log; exit 1; }
	left=$(find /usr /etc -iname '*oriel*' ! -path "*$2*" ! -path '*/.*')
	test -z "$left" || die "left behind: $left"
}

die()
{
	echo "$*"
	exit 1
}

# run HOST PROGRAM...: both ranks are right, by Oriel's window.
run()
{
	launcher=mpirun.$1
	shift
	ORIEL_STATS=1 timeout 60 "$launcher" -n 2 "$@" >out 2>&1 || {
		cat out
		die "$launcher $* fails"
	}
	test "$(grep -c ^right: out)" -eq 2 && grep -q MPI_Win_allocate out ||
		{ cat out; die "$launcher $*: not Oriel's window"; }
}

check_host()
{
	mpicc."$1" program.c -o plain
	case $(orielrun --print ./plain) in
	/usr/lib/*/oriel/"$1"/liboriel.so) ;;
	*) die "orielrun would preload $(orielrun --print ./plain)" ;;
	esac
	run "$1" orielrun ./plain
	mpicc."$1" -DLINKED program.c -o linked \
		$(pkg-config --cflags --libs oriel-"$1")
	run "$1" ./linked
	rm -rf examples
	cp -r /usr/share/doc/liboriel-dev/examples .
	timeout 120 make -s -C examples run HOST="$1" >out 2>&1 ||
		{ cat out; die "the examples fail"; }
	timeout 60 mpirun."$1" -n 2 oriel-doctor >out 2>&1 || test $? -eq 1 ||
		{ cat out; die "oriel-doctor fails"; }
	grep -qi oriel out || { cat out; die "oriel-doctor says nothing"; }
}

if [ "${1:-}" = inside ]; then
	inside "$2" "$3"
	exit
fi

top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
here=$(pwd)
[ "$(id -u)" -eq 0 ] || skip "packages are installed by root"
for command in dpkg-buildpackage dh unshare chroot; do
	command -v $command >/dev/null || skip "no $command"
done
unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces allowed"
grep -q overlay /proc/filesystems || modprobe overlay 2>/dev/null ||
	skip "the kernel has no overlay file system"
${MAKE:-make} -s deb >deb.log 2>&1 || {
	tail -n 40 deb.log
	exit 1
}
export top here
unshare --mount --pid --fork --kill-child sh -c '
	set -e
	mount --make-rprivate /
	mount -t tmpfs tmpfs /mnt
	mkdir /mnt/up /mnt/work /mnt/root
	mount -t overlay -o lowerdir=/,upperdir=/mnt/up,workdir=/mnt/work \
		overlay /mnt/root || exit 77
	cd /mnt/root
	mount -t proc proc proc
	mount --rbind /dev dev
	mount -t tmpfs tmpfs dev/shm
	mount -t tmpfs tmpfs tmp
	mount -t tmpfs tmpfs run
	mkdir -p tmp/packages
	cp "$here"/deb/*.deb tmp/packages
	rm -f tmp/packages/*-dbgsym_*
	cp "$top"/test/packages.sh tmp
	exec chroot . sh /tmp/packages.sh inside /tmp/packages "$top"'
status=$?
[ $status -ne 77 ] || skip "no overlay of / can be mounted"
exit $status
