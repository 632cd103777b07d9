# SPDX-License-Identifier: BSD-3-Clause
# Plain MPI programs, built with everything else and not installed.
noinst_PROGRAMS = benchmarks/rmabench benchmarks/rmacrowd \
	benchmarks/rmathreads benchmarks/rmaops benchmarks/rmalayouts \
	benchmarks/rawfabric
benchmarks_rmabench_SOURCES = benchmarks/asleep.c benchmarks/bench.h \
	benchmarks/counter.c \
	benchmarks/main.c benchmarks/measure.c benchmarks/op.c \
	benchmarks/options.c benchmarks/sync.c benchmarks/test.c \
	benchmarks/window.c
benchmarks_rmacrowd_SOURCES = benchmarks/many/crowd.c
benchmarks_rmathreads_SOURCES = benchmarks/many/threads.c
benchmarks_rmaops_SOURCES = benchmarks/many/ops.c
benchmarks_rmalayouts_SOURCES = benchmarks/many/layouts.c
benchmarks_rawfabric_SOURCES = benchmarks/raw/fabric.c benchmarks/raw/main.c \
	benchmarks/raw/raw.h benchmarks/raw/tcp.c
benchmarks_rawfabric_LDADD = -ldl
EXTRA_DIST += benchmarks/README benchmarks/compare benchmarks/compare-hosts \
	benchmarks/rounds.py

benchmarks: $(noinst_PROGRAMS)
.PHONY: benchmarks
