# SPDX-License-Identifier: BSD-3-Clause
# Models of the protocols, for spin: each is a test of its own.
#
#	make check-models			all states of all, and mutations
#	make check TESTS=models/rwlock.pml	of one
models = models/rwlock.pml models/comeback.pml models/lock_all.pml \
	models/windows.pml models/hurry.pml \
	models/lease.pml models/lazy.pml models/pscw.pml models/barrier.pml \
	models/flush.pml models/credit.pml models/gate.pml models/delegate.pml \
	models/bell.pml \
	models/progress_lock.pml models/regions.pml models/keys.pml

TESTS += $(models)
EXTRA_DIST += $(models) models/check.sh models/README.md
PML_LOG_COMPILER = $(SHELL) $(top_srcdir)/models/check.sh
PML_LOG_DRIVER = $(TEST_TAP)

.PHONY: check-models
check-models:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(models)'
