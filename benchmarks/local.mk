# SPDX-License-Identifier: BSD-3-Clause
# A plain MPI program, built with everything else and not installed.
noinst_PROGRAMS = benchmarks/rmabench
benchmarks_rmabench_SOURCES = benchmarks/asleep.c benchmarks/bench.h \
	benchmarks/main.c benchmarks/measure.c benchmarks/op.c \
	benchmarks/options.c benchmarks/sync.c benchmarks/test.c \
	benchmarks/window.c
EXTRA_DIST += benchmarks/README benchmarks/compare

benchmarks: $(noinst_PROGRAMS)
.PHONY: benchmarks
