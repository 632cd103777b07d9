# SPDX-License-Identifier: BSD-3-Clause
libcore_la_SOURCES += win/access.c
