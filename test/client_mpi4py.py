#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# client_mpi4py.py - mpi4py's one-sided classes work, on its own memory and
# on Python's.
import array
import os
import struct
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print(f"rank {rank}: {what}", file=sys.stderr, flush=True)


def ints(*values):
    return array.array("i", values)


def fence():
    word = MPI.INT.Get_size()
    win = MPI.Win.Allocate(8 * word, word, comm=comm)
    memory = memoryview(win).cast("i")
    memory[:] = ints(*[0] * 8)
    win.Fence()
    win.Put([ints(rank, rank + 1), 2, MPI.INT], right, [3, 2, MPI.INT])
    win.Fence()
    check(memory.tolist() == [0, 0, 0, left, left + 1, 0, 0, 0], "put")
    got = ints(-1, -1)
    win.Get([got, 2, MPI.INT], right, [3, 2, MPI.INT])
    win.Fence()
    check(list(got) == [rank, rank + 1], "get")
    check(win.Get_attr(MPI.WIN_SIZE) == 8 * word, "the window's size")
    check(win.flavor == MPI.WIN_FLAVOR_ALLOCATE, "the window's flavor")
    memory.release()
    win.Free()


def lock():
    memory = array.array("d", [1.0] * 100)
    win = MPI.Win.Create(memory, memory.itemsize, comm=comm)
    vector = MPI.DOUBLE.Create_vector(50, 1, 2).Commit()
    ones = array.array("d", [1.0] * 50)
    for target in range(size):
        win.Lock(target, MPI.LOCK_SHARED)
        win.Accumulate([ones, 50, MPI.DOUBLE], target, [0, 1, vector])
        win.Unlock(target)
    comm.Barrier()
    win.Lock(rank)
    check(memory.tolist() == [1.0 + size, 1.0] * 50, "accumulate")
    win.Unlock(rank)
    comm.Barrier()
    win.Lock(right, MPI.LOCK_EXCLUSIVE)
    request = win.Rput([ones, 10, MPI.DOUBLE], right, 90)
    request.Wait()
    win.Unlock(right)
    comm.Barrier()
    win.Lock(rank)
    check(memory.tolist()[90:] == [1.0] * 10, "rput")
    win.Unlock(rank)
    vector.Free()
    win.Free()


def atomics():
    memory = bytearray(16)
    win = MPI.Win.Create(memory, 8, comm=comm)
    one, old = array.array("q", [1]), array.array("q", [-1])
    win.Lock_all()
    taken = []
    for _ in range(20):
        win.Fetch_and_op([one, MPI.INT64_T], [old, MPI.INT64_T], 0)
        win.Flush(0)
        taken.append(old[0])
    mine, zero = array.array("q", [rank + 1]), array.array("q", [0])
    win.Compare_and_swap([mine, MPI.INT64_T], [zero, MPI.INT64_T],
                         [old, MPI.INT64_T], 0, 1)
    win.Unlock_all()
    every = sorted(sum(comm.allgather(taken), []))
    check(every == list(range(20 * size)), "fetch_and_op")
    check(comm.allreduce(int(old[0] == 0)) == 1, "compare_and_swap")
    comm.Barrier()
    if rank == 0:
        win.Lock(0)
        count, winner = struct.unpack("qq", memory)
        win.Unlock(0)
        check(count == 20 * size, "the counter")
        check(1 <= winner <= size, "the winner")
    win.Free()


def post_start():
    memory = ints(0, 0)
    win = MPI.Win.Create(memory, memory.itemsize, comm=comm)
    world = comm.Get_group()
    origins, targets = world.Incl([left]), world.Incl([right])
    win.Post(origins)
    win.Start(targets)
    win.Put([ints(7 + rank), MPI.INT], right, 1)
    win.Complete()
    win.Wait()
    check(list(memory) == [0, 7 + left], "post, start, complete, wait")
    for group in (origins, targets, world):
        group.Free()
    win.Free()


def dynamic():
    win = MPI.Win.Create_dynamic(comm=comm)
    memory = ints(*[5] * 4)
    win.Attach(memory)
    there = comm.allgather(MPI.Get_address(memory))[right]
    win.Lock(right)
    win.Put([ints(9), MPI.INT], right, [there + memory.itemsize, 1, MPI.INT])
    win.Unlock(right)
    comm.Barrier()
    win.Lock(rank)
    check(list(memory) == [5, 9, 5, 5], "dynamic window")
    win.Unlock(rank)
    comm.Barrier()
    win.Detach(memory)
    win.Free()


def shared():
    bytes_each = 4 if rank else 8
    win = MPI.Win.Allocate_shared(bytes_each, 4, comm=comm)
    mine, _ = win.Shared_query(rank)
    win.Fence()
    memoryview(mine).cast("i")[0] = 100 + rank
    win.Fence()
    theirs, unit = win.Shared_query(right)
    check(unit == 4 and memoryview(theirs).cast("i")[0] == 100 + right,
          "shared memory")
    win.Fence()
    win.Free()


def errors():
    win = MPI.Win.Allocate(8, comm=comm)
    win.Set_errhandler(MPI.ERRORS_RETURN)
    try:
        win.Put([ints(1), MPI.INT], 0)
        check(False, "a put outside an epoch is an error")
    except MPI.Exception as error:
        check(error.Get_error_class() == MPI.ERR_RMA_SYNC,
              "the error's class")
    win.Free()


if not os.environ.get("ORIEL_TEST_HOST"):
    with open("/proc/self/maps", encoding="ascii") as maps:
        check("liboriel" in maps.read(), "runs without Oriel")
fence()
lock()
atomics()
post_start()
dynamic()
if comm.Split_type(MPI.COMM_TYPE_SHARED).size == comm.size:
    shared()
errors()
sys.exit(comm.allreduce(failures) != 0)
