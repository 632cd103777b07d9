# SPDX-License-Identifier: BSD-3-Clause
libcore_la_SOURCES += \
	win/absent.c win/account.c win/accumulate.c win/agree.c win/announce.c win/asker.c win/barrier.c \
	win/check.c win/check.h win/check_buffer.c win/check_log.c win/check_move.c win/check_parts.h win/check_report.c \
	win/create.c \
	win/creation.h win/dup.c win/dynamic.c \
	win/element.c win/epoch.c win/heat.c win/error.c win/fence.c win/flush.c win/hints.c win/hurry.c win/hurry.h win/info.c win/lease.c win/leave.c \
	win/lock.c win/loss.c win/memory.c win/nic.c win/notify.c win/object.c win/petition.c win/pieces.c win/pieces.h win/place.c \
	win/json.c win/place.h win/pscw.c win/region.c win/regions.h win/remote.c win/report.c win/request.c win/request.h win/rwlock.c win/rwlock.h \
	win/scatter.c win/scatter.h \
	win/serve.c win/stats.c win/stripe.c win/stripe.h win/target.c win/totals.c win/trace.c \
	win/transfer.c win/comeback.c win/watch.c win/watch.h win/win.h
