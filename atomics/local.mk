# SPDX-License-Identifier: BSD-3-Clause
libcore_la_SOURCES += atomics/acc.c atomics/batch.c \
	atomics/batch.h atomics/cas.c atomics/combine.h \
	atomics/delegate.c atomics/delegate.h atomics/domain.c atomics/gate.c \
	atomics/gate.h atomics/job.c atomics/job.h atomics/kernel.c atomics/kernel.h \
	atomics/kernel_avx2.c atomics/kernel_avx512.c \
	atomics/kernel_body.h atomics/kernel_pairs.h atomics/locked.c \
	atomics/locked.h atomics/nic.c atomics/nic.h atomics/op.c \
	atomics/owner.c atomics/owner.h atomics/pull.c atomics/push.c \
	atomics/serve.c atomics/single.c \
	atomics/strided.c atomics/strided.h
