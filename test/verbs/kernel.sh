#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kernel.sh - the kernel of the guest that tests verbs: builds it once, keeps
# it, and prints where it is.
#
#	kernel.sh [--jobs N]
#
# It is Debian's linux-source-6.1 for ARCH=um with kernel.config: a download
# of 139 MB and about 9 minutes of one core, once for each kernel.config.  It
# is kept in ORIEL_CACHE, by default /var/cache/oriel for root and
# ${XDG_CACHE_HOME:-~/.cache}/oriel for others.
#
# Status 77 where there is no kernel and none can be built: the last line of
# stderr says why.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
source=linux-source-6.1
jobs=$(nproc)

skip()
{
	echo "$*" >&2
	exit 77
}

while [ $# -gt 0 ]; do
	case $1 in
	--jobs) jobs=$2; shift ;;
	*)
		echo "kernel.sh: unknown option $1" >&2
		exit 2
		;;
	esac
	shift
done

if [ -n "${ORIEL_CACHE:-}" ]; then
	cache=$ORIEL_CACHE
elif [ "$(id -u)" -eq 0 ]; then
	cache=/var/cache/oriel
else
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/oriel
fi
sum=$(sha256sum <"$here/kernel.config" | cut -c1-12)
kernel=$cache/linux-uml-$sum
log=$cache/linux-uml-$sum.log

found()
{
	echo "$kernel"
	exit 0
}

# lacking: commands that are not here, with the packages that bring them.
lacking()
{
	for pair in gcc:gcc make:make flex:flex bison:bison bc:bc xz:xz-utils \
		    apt-get:apt dpkg-deb:dpkg; do
		command -v "${pair%:*}" >/dev/null || echo "${pair#*:}"
	done
}

# The package alone, without installing it; lists may be missing or old.
download()
(
	get="apt-get download -q -o APT::Sandbox::User=root $source"
	cd "$work" || exit 1
	$get && exit
	[ "$(id -u)" -eq 0 ] && apt-get update -q && $get
)

# The source, without the bulk of what is not built: Kconfig reads the rest.
unpack()
{
	dpkg-deb --fsys-tarfile "$work"/$source*.deb |
		tar -xO "./usr/src/$source.tar.xz" |
		tar -xJ -C "$work" --strip-components=1 \
			--exclude='*/Documentation' \
			--exclude='*/drivers/gpu/*.[chS]' \
			--exclude='*/drivers/media/*.[chS]' \
			--exclude='*/drivers/scsi/*.[chS]' \
			--exclude='*/drivers/staging/*.[chS]' \
			--exclude='*/drivers/net/ethernet/*.[chS]' \
			--exclude='*/drivers/net/wireless/*.[chS]' \
			--exclude='*/sound/*.[chS]' \
			--exclude='*/tools/testing' --exclude='*/tools/perf' ||
		return
	mkdir -p "$work/Documentation" && : >"$work/Documentation/Kconfig"
}

# Each option of ours, or the kernel will not do.
configured()
{
	grep '^CONFIG_' "$here/kernel.config" | while read -r option; do
		grep -qxF "$option" "$work/.config" || {
			echo "the configuration has lost $option"
			exit 1
		}
	done
}

compile()
(
	hz=$(sed -n 's/^CONFIG_HZ=//p' "$here/kernel.config")
	cd "$work" || exit 1
	unset MAKEFLAGS MFLAGS MAKEOVERRIDES CC CFLAGS LDFLAGS
	export ARCH=um
	sed -i "/^config HZ/,/^\$/s/default 100\$/default $hz/" \
		arch/um/Kconfig &&
		make tinyconfig &&
		scripts/kconfig/merge_config.sh -m .config \
			"$here/kernel.config" &&
		make olddefconfig && configured &&
		nice -n 19 make -j"$jobs" linux &&
		strip -o "$kernel.new" linux &&
		mv "$kernel.new" "$kernel"
)

[ -x "$kernel" ] && found
[ "$(uname -m)" = x86_64 ] || skip "the kernel is built for x86_64 only"
lacks=$(lacking)
[ -z "$lacks" ] || skip "to build a kernel, packages are missing:" $lacks
mkdir -p "$cache" || skip "cannot write to $cache"

# One at a time; who waited finds what the other has built.
exec 9>"$kernel.lock" && flock 9 || skip "cannot lock $kernel.lock"
[ -x "$kernel" ] && found
work=$(mktemp -d "$cache/build.XXXXXX") || skip "cannot write to $cache"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
: >"$log"
download >>"$log" 2>&1 9>&- || skip "no package $source to be had, see $log"
unpack >>"$log" 2>&1 9>&- ||
	skip "the kernel's source does not unpack, see $log"
compile >>"$log" 2>&1 </dev/null 9>&- ||
	skip "the kernel does not build, see $log"
found
