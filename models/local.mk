# SPDX-License-Identifier: BSD-3-Clause
# Models of the protocols, for spin; not part of make check.
#
#	make check-models	all states of all models, and their mutations
EXTRA_DIST += models/check.sh models/lock_all.pml models/rwlock.pml

.PHONY: check-models
check-models:
	@CC='$(CC)' srcdir='$(srcdir)' $(SHELL) $(srcdir)/models/check.sh || \
		test $$? -eq 77
