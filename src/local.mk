# SPDX-License-Identifier: BSD-3-Clause
# The library: all modules in one convenience library that unit tests link
# too, and src/mpi, the only one that exports, on top.
noinst_LTLIBRARIES += libcore.la
libcore_la_SOURCES = \
	include/orl_acc.h include/orl_am.h include/orl_gate.h include/orl_host.h include/orl_path.h \
	include/orl_progress.h include/orl_shm.h include/orl_type.h \
	include/orl_util.h include/orl_win.h \
	src/util/log.c src/util/map.c src/util/misspelt.c src/util/number.c src/util/options.c src/util/options.h \
	src/progress/fence.c src/progress/lock.c src/progress/network.h \
	src/progress/progress.c src/progress/start.c src/progress/thread.c \
	src/progress/wait.c \
	src/host/bare.c src/host/comm.c \
	src/host/second.c src/host/datatype.c src/host/error.c src/host/handle.c \
	src/host/hook.c src/host/host.c src/host/host.h src/host/info.c \
	src/host/request.c src/host/session.c src/host/ucx.c \
	src/type/array.c src/type/basic.c src/type/cache.c src/type/cursor.c \
	src/type/alike.c src/type/flatten.c src/type/gather.c src/type/lines.c \
	src/type/run.c \
	src/type/type.h \
	src/shm/arena.c src/shm/cgroup.c src/shm/extent.c src/shm/extent.h \
	src/shm/limit.c src/shm/node.c src/shm/peer.c src/shm/shm.h \
	src/am/am.h src/am/answer.c src/am/deliver.c src/am/link.c src/am/loss.c \
	src/am/message.c src/am/name.c src/am/network.c src/am/parked.c \
	src/am/peer.c src/am/slot.c src/am/tally.c \
	src/path/after.c src/path/cma.c src/path/direct.c src/path/keys.c \
	src/path/lazy.c \
	src/path/queue.c src/path/queue.h src/path/remote.c \
	src/path/remote.h src/path/serve.c src/path/transfer.c src/path/vector.c
# libfabric itself is not linked: src/fabric loads it when it is needed.
libcore_la_SOURCES += include/orl_fabric.h src/fabric/fabric.h \
	src/fabric/atomic.c src/fabric/candidate.c src/fabric/endpoint.c src/fabric/fabric.c \
	src/fabric/library.c src/fabric/memory.c src/fabric/nudge.c src/fabric/peer.c \
	src/fabric/poll.c src/fabric/post.c src/fabric/sockets.c src/fabric/stage.c \
	src/fabric/survey.c src/fabric/wakeup.c
libcore_la_LIBADD = -lpthread -ldl

hostlib_LTLIBRARIES = liboriel.la
liboriel_la_SOURCES = include/oriel.h \
	src/mpi/block.c src/mpi/block.h src/mpi/communicate.c src/mpi/counted.h \
	src/mpi/entry.h src/mpi/error.c src/mpi/extend.c src/mpi/extend_fortran.c src/mpi/finalize.c src/mpi/init.c \
	src/mpi/fortran.c src/mpi/library.c src/mpi/object.c src/mpi/stat.c \
	src/mpi/request.c src/mpi/request_status.c src/mpi/survey.c src/mpi/synchronise.c src/mpi/unit.h src/mpi/window.c
liboriel_la_LIBADD = libcore.la
liboriel_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^(P?MPI_|p?mpi_win_get_attr|MPII_Win_[gs]et_attr$$|[oO]riel_|ucp_worker_progress$$)'

bin_PROGRAMS += orielrun
# A plain program of no MPI, so that it runs in the build tree as it stands.
orielrun_SOURCES = src/run/build.c src/run/build.h src/run/elf.c \
	src/run/elf.h src/run/help.c src/run/help.h src/run/loaded.c \
	src/run/orielrun.c
orielrun_CPPFLAGS = $(AM_CPPFLAGS) -DORL_LIBDIR='"$(libdir)"'
orielrun_CFLAGS = $(ORIEL_CFLAGS)
orielrun_LDFLAGS = -Wl,--as-needed

# oriel-doctor, of no MPI either, runs its other half, which is one host's.
bin_PROGRAMS += oriel-doctor
oriel_doctor_SOURCES = src/run/build.c src/run/build.h src/run/doctor.c
oriel_doctor_CPPFLAGS = $(AM_CPPFLAGS) -DORL_LIBDIR='"$(libdir)"'
oriel_doctor_CFLAGS = $(ORIEL_CFLAGS)
oriel_doctor_LDFLAGS = -Wl,--as-needed
hostlib_PROGRAMS = oriel-examine
oriel_examine_SOURCES = src/doctor/doctor.h src/doctor/examine.c \
	src/doctor/facts.c src/doctor/hosts.c src/doctor/judge.h \
	src/doctor/report.c src/doctor/trial.c
oriel_examine_LDADD = -ldl
