# SPDX-License-Identifier: BSD-3-Clause
libcore_la_SOURCES += atomics/acc.c atomics/gate.c atomics/kernel.c \
	atomics/op.c atomics/single.c
