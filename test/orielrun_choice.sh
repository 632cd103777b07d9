#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# orielrun_choice.sh - orielrun preloads the library that goes with the
# program's MPI, and says why where it can preload none.
include=$(cd "${srcdir:-$(dirname "$0")/..}/include" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tree=$(pwd -P)
run=$tree/orielrun
own=$tree/.libs/liboriel.so
cc=${CC:-mpicc}
failed=0
# As if no launcher had started this, and no outer orielrun.
unset OMPI_COMM_WORLD_SIZE PMI_RANK MPI_LOCALNRANKS LD_PRELOAD

fail()
{
	echo "$*"
	failed=1
}

# prints WHAT COMMAND...: it prints this build's library and no complaint.
prints()
{
	what=$1
	shift
	said=$("$@" 2>&1)
	[ "$said" = "$own" ] || fail "$what: printed: $said"
}

# refuses STATUS TEXT PROGRAM: with this exit status and text.
refuses()
{
	said=$("$run" --print "$3" 2>&1)
	status=$?
	[ $status -eq "$1" ] || fail "$3: status $status instead of $1: $said"
	case $said in
	*"$2"*) ;;
	*) fail "$3: does not say '$2': $said" ;;
	esac
}

# -- programs -----------------------------------------------------------------

cd "$dir" || exit 1
cat >mpi.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
END
cat >plain.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	const char *preload = getenv("LD_PRELOAD");

	puts(preload ? preload : "");
	return 3;
}
END
echo 'int inner(void); int main(void) { return inner(); }' >outer.c
echo '#include <mpi.h>
int inner(void) { return MPI_Init(0, 0); }' >inner.c
echo 'int MPI_Init(void) { return 0; } int main(void) { return MPI_Init(); }' \
	>static.c
echo 'int MPI_Init(void) { return 0; }' >foreign.c
echo 'int MPI_Init(void); int main(void) { return MPI_Init(); }' >uses.c

$cc -o direct mpi.c || exit 1
gcc=gcc
$gcc -o plain plain.c || exit 1
mkdir lib
$cc -shared -fPIC -o lib/libinner.so inner.c || exit 1
$gcc -o indirect outer.c -Llib -linner -Wl,-rpath,'$ORIGIN/lib' \
	-Wl,--unresolved-symbols=ignore-in-shared-libs || exit 1
$gcc -o by_path outer.c -Llib -linner \
	-Wl,--unresolved-symbols=ignore-in-shared-libs || exit 1
$gcc -o static_mpi static.c || exit 1
for soname in libmpi_abi.so.0 libmpi.so.99; do
	$gcc -shared -fPIC -o lib/$soname foreign.c -Wl,-soname,$soname &&
	$gcc -o uses_$soname uses.c lib/$soname || exit 1
done
printf '#!%s/direct -x\n' "$dir" >script
printf '#! /usr/bin/env direct\n' >env_script
printf '#!%s/plain\n' "$dir" >plain_script
printf '#!/nonexistent/interpreter\n' >lost_script
printf 'exit 5\n' >bare_script
chmod +x script env_script plain_script lost_script bare_script
echo text >file

# -- which library ------------------------------------------------------------

prints "an MPI program" "$run" --print ./direct
prints "a program in PATH" env PATH="$dir:$PATH" "$run" --print direct
prints "by way of a library" "$run" --print ./indirect
prints "by way of LD_LIBRARY_PATH" env LD_LIBRARY_PATH="$dir/lib" \
	"$run" --print ./by_path
prints "a script" "$run" --print ./script
prints "a script by way of env" env PATH="$dir:$PATH" "$run" --print \
	./env_script
prints "behind --" "$run" --print -- ./direct

# guesses REASON COMMAND...: it prints this build's library, and why this one.
guesses()
{
	reason=$1
	shift
	said=$("$@" 2>why)
	[ "$said" = "$own" ] || fail "$reason: printed: $said"
	grep -q "is not linked with MPI.*$reason" why ||
		fail "does not say '$reason': $(cat why)"
}

# The launcher decides where the program does not, but only there.
guesses "built for it" "$run" --print ./plain
guesses "built for it" "$run" --print ./bare_script
# It names the script, not what runs it.
guesses "built for it" "$run" --print ./plain_script
grep -q "^orielrun: ./plain_script is not linked" why || fail "who? $(cat why)"
case ${ORIEL_HOST:-} in
openmpi) ours=OMPI_COMM_WORLD_SIZE=1 theirs="PMI_RANK=0 MPI_LOCALNRANKS=1" ;;
*) ours="PMI_RANK=0 MPI_LOCALNRANKS=1" theirs=OMPI_COMM_WORLD_SIZE=1 ;;
esac
guesses "its launcher started" env $ours "$run" --print ./plain
said=$(env $theirs PMI_RANK=0 OMPI_COMM_WORLD_RANK=0 "$run" --print \
	./direct 2>&1)
case $said in
*"launcher started it"*"$own") ;;
*) fail "no warning of the wrong launcher: $said" ;;
esac
said=$(env $theirs "$run" --print ./plain 2>/dev/null)
[ "$said" != "$own" ] || fail "the other launcher's library: $said"

# -- refusals -----------------------------------------------------------------

refuses 127 "not found in PATH" no_such_program
refuses 127 "No such file" ./no_such_program
refuses 127 "name is empty" ""
refuses 126 "not executable (chmod" ./file
refuses 126 "is a directory" ./lib
refuses 126 "is a directory" "$dir/"
refuses 127 "/nonexistent/interpreter" ./lost_script
refuses 126 "statically" ./static_mpi
refuses 125 "libmpi.so.99" ./uses_libmpi.so.99
refuses 125 "no build of Oriel here" ./uses_libmpi_abi.so.0
refuses 125 "is a launcher" "$(command -v "${MPIRUN:-mpirun}")"
"$run" >/dev/null 2>&1
[ $? -eq 125 ] || fail "no program given"
"$run" --no-such-option ./direct >/dev/null 2>&1
[ $? -eq 125 ] || fail "unknown option"

if $gcc -static -o static plain.c 2>/dev/null; then
	refuses 126 "linked statically" ./static
fi
if $gcc -m32 -o bits plain.c 2>/dev/null; then
	refuses 126 "not a 64-bit program" ./bits
fi
# e_machine stands at byte 18; 0x2a is no machine of today's.
cp direct machine && printf '\052' |
	dd of=machine bs=1 seek=18 conv=notrunc 2>/dev/null
refuses 126 "another kind of processor" ./machine
# A header, and nothing behind it.
head -c 64 direct >cut && chmod +x cut
refuses 126 "damaged" ./cut
if [ "$(id -u)" -eq 0 ]; then
	cp direct suid && chown 65534 suid && chmod u+s suid
	refuses 126 "rights of its own" ./suid
fi

# -- running ------------------------------------------------------------------

said=$("$run" ./plain)
status=$?
[ $status -eq 3 ] || fail "the program's own status: $status"
case $said in
*"$own") ;;
*) fail "LD_PRELOAD was: $said" ;;
esac
said=$(LD_PRELOAD=libm.so.6 "$run" "$run" ./plain)
case $said in
*"$own"*"$own"*) fail "preloaded twice: $said" ;;
libm.so.6:*"$own") ;;
*) fail "LD_PRELOAD of the user's: $said" ;;
esac
"$run" ./bare_script
[ $? -eq 5 ] || fail "a script without #! does not run"
# An interpreter that loads another MPI than its launcher's is told so, and the
# one that loads the same is not.
cat >loads.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	int (*init)(int *, char ***);

	if (!dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL))
		return 1;
	*(void **)&init = dlsym(RTLD_DEFAULT, "MPI_Init");
	return init ? init(0, 0) : 1;
}
END
$gcc -o loads loads.c -ldl || exit 1
mkdir other
for name in libmpi.so.12 libmpi.so.40; do
	echo 'int nothing;' | $gcc -shared -fPIC -x c -o other/$name - || exit 1
done
for name in libmpi.so.12 libmpi.so.40; do
	"$run" ./loads "$dir/other/$name" >said 2>&1
	grep -c "has loaded $dir/other/$name beside .*start it by mpirun" said
done >told
[ "$(sort told | tr '\n' ' ')" = "0 1 " ] ||
	fail "a second MPI: $(cat told said)"
# A program that is linked with this build, by what its folder has for
# pkg-config, is told of the other MPI's launcher, once, unless it runs alone.
host=${ORIEL_HOST:-$(basename "$tree")}
PKG_CONFIG_PATH=$tree
export PKG_CONFIG_PATH
$cc -o linked mpi.c $(pkg-config --cflags --libs oriel-$host) || exit 1
case $host in
openmpi) theirs="MPI_LOCALNRANKS=2 PMI_SIZE" rank=PMI_RANK ;;
*) theirs="OMPI_COMM_WORLD_SIZE" rank=OMPI_COMM_WORLD_RANK ;;
esac
for start in "2 $rank=0" "2 $rank=1" "1 $rank=0"; do
	env $theirs=$start ./linked 2>&1 |
		grep -c "but seems to be started by mpirun.*; use mpirun.$host"
done >told
[ "$(tr '\n' ' ' <told)" = "1 0 0 " ] || fail "the other launcher: $(cat told)"
"$run" --version | grep -q '^orielrun (Oriel) [0-9]' || fail "--version"
"$run" --help >help || fail "--help: status $?"
grep -q '^Usage: ' help || fail "--help: no usage"
for code in 125 126 127; do
	grep -q "^  $code  " help || fail "--help: no exit code $code"
done
# The options in --help are the library's, to the letter, in any order.
cat >options.c <<'END'
#include "orl_util.h"
#include <stdio.h>
int main(void)
{
#define LINES(name, env, kind, def, help)                                      \
	puts("  ORIEL_" #env "=" def " " help);
	ORL_OPTIONS(LINES)
	return 0;
}
END
$cc -D_GNU_SOURCE -I"$include" -o options options.c || exit 1
./options | sort >options.want
sed -n '/^  ORIEL_/{N;s/\n */ /p;}' help | sort >options.have
diff options.want options.have || fail "--help: other options"
exit $failed
