#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# guest_init.sh - the guest's first process: gives it a root that can be
# written to and an RDMA device, runs the command, ends the guest.
#
# Runs twice: on the host's files as they are, then in the root that the
# first run has made.  guest_run, from the kernel's command line, is the
# folder of ../guest's.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
root=/mnt/root

# The host's files below a tmpfs.
make_root()
{
	mount -t proc proc /proc
	mount -t tmpfs -o mode=755,size=80% tmpfs /mnt
	mkdir /mnt/upper /mnt/work $root
	mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work \
		overlay $root
	mount -t sysfs sys $root/sys
	mount -t proc proc $root/proc
	mount -t devtmpfs dev $root/dev
	mkdir -p $root/dev/shm $root/dev/pts
	mount -t tmpfs -o size=80% shm $root/dev/shm
	mount -t devpts devpts $root/dev/pts
	mount -t tmpfs run $root/run
	ln -s /proc/self/fd $root/dev/fd
	ln -s fd/0 $root/dev/stdin
	ln -s fd/1 $root/dev/stdout
	ln -s fd/2 $root/dev/stderr
	mkdir $root/run/guest
	mount -t hostfs -o "$guest_run" none $root/run/guest
}

# rxe0 needs an interface that is up; its packets to itself never leave it.
make_device()
{
	local thread

	hostname guest
	ip link set lo up
	ip link add eth0 type veth peer name eth1
	ip link set eth0 mtu 9000 up
	ip link set eth1 mtu 9000 up
	ip addr add 192.168.77.1/24 dev eth0
	rdma link add rxe0 type rxe netdev eth0
	# The device works in this thread: it must not wait for the end of a
	# time slice of processes that poll.
	for thread in $(pgrep -x 'ksoftirqd/.*'); do
		chrt -f -p 1 "$thread"
	done
}

work()
{
	cd /run/guest || return
	make_device </dev/null
	[ -e /sys/class/infiniband/rxe0 ] || return
	: >up
	ulimit -l unlimited
	(. /run/guest/command) </dev/null >>out 2>>err
	echo $? >status
}

if [ "${1:-}" != inside ]; then
	make_root
	exec chroot $root /bin/bash /run/guest/init inside
fi
work
sync
echo o >/proc/sysrq-trigger
sleep 60
