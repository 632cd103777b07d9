# SPDX-License-Identifier: BSD-3-Clause
# Every test goes through test/run, which speaks TAP: a program whose source
# has a line "/* ranks: ...; paths: ... */" is run under the host's launcher
# and orielrun at each of these, all else once, by itself.
#
#	make check				all, with the totals at the end
#	make check TESTS='test/put_get'		some
#	make check ORIEL_TEST_HOST=1		on the host MPI, without Oriel
#	make check ORIEL_TEST_RANKS='2 5' ORIEL_TEST_PATHS=cma
#	make check-hosts			across emulated hosts alone
#	make check-hosts HOSTS_TESTS='test/put_get' ORIEL_TEST_HOSTS='2x1 4x1'
#	make list-tests				their names
TEST_EXTENSIONS = .sh .tap .pml
# What is run as well on one node, see test/run.
ORIEL_TEST_MORE = fabric software fabric-shm
TEST_RUN = env ORIELRUN='$(abs_top_builddir)/orielrun' \
	ORIEL_TEST_MORE='$(ORIEL_TEST_MORE)' top_builddir='$(top_builddir)' $(SHELL) $(top_srcdir)/test/run
TEST_TAP = env AM_TAP_AWK='$(TAP_AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(TEST_RUN)
LOG_DRIVER = $(TEST_TAP)
SH_LOG_COMPILER = $(TEST_RUN)
SH_LOG_DRIVER = $(TEST_TAP)
# What speaks TAP itself.
TAP_LOG_COMPILER = env ORIELRUN='$(abs_top_builddir)/orielrun' \
	ORIEL_TEST_PROGRAMS='$(HOSTS_TESTS)' $(SHELL)
TAP_LOG_DRIVER = $(TEST_TAP)

# -- behaviour: pure MPI programs, one a behaviour ---------------------------
behaviour = \
	test/put_get test/sizes test/empty \
	test/accumulate test/fetch_op test/compare_swap \
	test/fence test/crowded test/pscw test/pscw_test \
	test/lock test/exclusive test/flush test/flush_order test/unlock_order \
	test/requests test/requests_many test/requests_pending test/requests_status \
	test/requests_errors test/requests_threads \
	test/shared test/passive test/host_progress \
	test/atomic test/delegated test/misaligned test/order test/proc_null \
	test/acc_values test/acc_count test/acc_fewer test/acc_pieces test/bulk \
	test/layout test/layout_edges test/vectors \
	test/attributes test/keyvals test/errhandlers test/info \
	test/hints test/nic \
	test/alloc_mem test/dynamic test/regions test/remapped test/renewed test/comms \
	test/win_many test/win_churn test/win_huge test/win_lazy \
	test/err_memory test/err_epoch test/err_range test/err_args \
	test/err_create test/unreachable test/threads test/file \
	test/no_files test/children test/shared_query test/alignment \
	test/session test/session_alone test/session_world \
	test/session_first test/session_cycles

check_PROGRAMS += $(behaviour) test/killed_job test/fatal_job
TESTS += $(behaviour) test/killed.sh test/absent.sh test/fatal.sh
EXTRA_DIST += test/run test/alone test/sessions.h test/test.h test/agents.h test/hosts.h test/elements.h test/acc.h \
	test/acc_values.h test/acc_wanted.h test/numbers.h \
	test/killed.sh test/absent.sh test/fatal.sh
# -- end of behaviour ----------------------------------------------------------

# -- large: gigabytes in one call; not part of make check ------------------------
#	make check-large ORIEL_TEST_HOSTS=2x1		between emulated hosts
#	make check-large ORIEL_TEST_PATHS=software ORIEL_TEST_MOVES=put,get
EXTRA_PROGRAMS += test/large
EXTRA_DIST += test/large.h test/large.tap
.PHONY: check-large
check-large: all test/large$(EXEEXT)
	ORIEL_TEST_LIMIT=$${ORIEL_TEST_LIMIT:-1800} $(MAKE) $(AM_MAKEFLAGS) \
		check-TESTS check_PROGRAMS= TESTS=test/large.tap \
		TEST_SUITE_LOG=test-suite-large.log
CLEANFILES += test-suite-large.log
# -- end of large ----------------------------------------------------------------

# -- Debian packages, built and installed; not part of make check ----------------
.PHONY: check-deb
check-deb:
	ORIEL_TEST_LIMIT=$${ORIEL_TEST_LIMIT:-600} $(MAKE) $(AM_MAKEFLAGS) check TESTS=test/packages.sh \
		TEST_SUITE_LOG=test-suite-deb.log
EXTRA_DIST += test/packages.sh
CLEANFILES += test-suite-deb.log
# -- end of Debian packages ------------------------------------------------------

# -- Debian 13, in a root of its own; not part of make check ----------------------
#	make check-trixie ORIEL_TRIXIE_TESTS='test/put_get' ORIEL_TRIXIE_HOSTS=mpich
.PHONY: check-trixie clean-trixie
check-trixie:
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= \
		TESTS=test/trixie.sh \
		TEST_SUITE_LOG=test-suite-trixie.log SH_LOG_COMPILER=$(SHELL)
EXTRA_DIST += test/trixie.sh
CLEANFILES += test-suite-trixie.log
clean-trixie:
	rm -rf trixie
# -- end of Debian 13 --------------------------------------------------------------

# -- Fortran -----------------------------------------------------------------------
fortran_parts = test/fortran/binding.inc test/fortran/check.F90 \
	test/fortran/compiler test/fortran/completion.F90 \
	test/fortran/epochs.F90 test/fortran/large.F90 \
	test/fortran/objects.F90 test/fortran/spy.c test/fortran/suite.F90 \
	test/fortran/transfers.F90 test/fortran/windows.F90
TESTS += test/fortran.tap
EXTRA_DIST += test/fortran.tap $(fortran_parts)
# -- end of Fortran ------------------------------------------------------------------

# -- behaviour: calls that meet others half-way ---------------------------------
meetings = \
	test/nested_locks test/nested_threads test/reattach test/attach_threads test/reuse test/polling test/threads_epoch \
	test/finalize test/free_refused test/noncontig test/no_op \
	test/blocked test/blocked_errors test/overtake

check_PROGRAMS += $(meetings)
TESTS += $(meetings)
# -- end of calls that meet others half-way -------------------------------------

# -- hosts: behaviour across emulated hosts -------------------------------------
HOSTS_TESTS = test/wire $(behaviour) $(meetings) test/random
check_PROGRAMS += test/wire
TESTS += test/hosts.tap test/hosts_clean.sh
EXTRA_DIST += test/hosts.tap test/hosts_clean.sh test/hosts/common test/hosts/up test/hosts/down \
	test/hosts/front test/hosts/host test/hosts/agent test/hosts/run

check-hosts:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=test/hosts.tap
.PHONY: check-hosts
list-tests:
	@echo $(TESTS)
.PHONY: list-tests
# -- end of hosts --------------------------------------------------------------

# -- units: node-local memory and paths, without MPI --------------------------
units_node = test/unit_shm test/unit_limit test/unit_direct test/unit_path \
	test/unit_path_error
test_unit_shm_LDADD = libcore.la
test_unit_limit_LDADD = libcore.la
test_unit_direct_LDADD = libcore.la
test_unit_path_LDADD = libcore.la
test_unit_path_error_LDADD = libcore.la
check_PROGRAMS += $(units_node)
TESTS += $(units_node)
EXTRA_DIST += test/arena.h test/process.h test/target.h
# -- end of units of the node --------------------------------------------------

# -- units: other nodes, without MPI ------------------------------------------
units_fabric = test/unit_fabric test/unit_fabric_shm test/unit_fabric_death \
	test/unit_fabric_wakeup
test_unit_fabric_shm_LDADD = libcore.la
test_unit_fabric_LDADD = libcore.la
test_unit_fabric_death_LDADD = libcore.la
test_unit_fabric_wakeup_LDADD = libcore.la
check_PROGRAMS += $(units_fabric)
TESTS += $(units_fabric)
EXTRA_DIST += test/fabric_pair.h
# -- end of units of other nodes ------------------------------------------------

# -- units: datatypes --------------------------------------------------------
units_type = test/unit_type test/unit_type_large test/unit_type_repeat \
	test/unit_type_random test/unit_lines
test_unit_lines_LDADD = libcore.la
test_unit_type_LDADD = libcore.la
test_unit_type_large_LDADD = libcore.la
test_unit_type_repeat_LDADD = libcore.la
test_unit_type_random_LDADD = libcore.la
check_PROGRAMS += $(units_type)
TESTS += $(units_type)
EXTRA_DIST += test/type_model.h test/room.h
# -- end of units of datatypes -------------------------------------------------

# -- units: the accumulate family, in one process or its forks ----------------
units_acc = test/unit_op test/unit_kernel test/unit_strided test/unit_records test/unit_nic test/unit_acc test/unit_acc_race test/unit_gate \
	test/unit_domain test/unit_delegate
test_unit_domain_LDADD = libcore.la
test_unit_op_LDADD = libcore.la
test_unit_kernel_LDADD = libcore.la -lm
test_unit_strided_LDADD = libcore.la -lpthread
test_unit_nic_LDADD = libcore.la
test_unit_records_LDADD = libcore.la
test_unit_records_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/am
test_unit_acc_LDADD = libcore.la
test_unit_acc_race_LDADD = libcore.la
test_unit_gate_LDADD = libcore.la
test_unit_delegate_LDADD = libcore.la
check_PROGRAMS += $(units_acc)
TESTS += $(units_acc)
EXTRA_DIST += test/acc_model.h
# -- end of units of accumulates -----------------------------------------------

# -- checks of the tree and the library; the scripts run by themselves --------
checks = test/check_layers.sh test/check_headers.sh test/check_style.sh \
	test/check_symbols.sh test/check_coverage.sh \
	test/orielrun_choice.sh
clients = test/client_mpi4py.sh test/client_armci.sh test/client_ga.sh \
	test/client_coarray.sh test/client_petsc.sh test/client_tool.sh \
	test/client_dlopen.sh
check_PROGRAMS += test/demo
TESTS += $(checks) $(clients)
EXTRA_DIST += $(checks) $(clients) test/client_mpi4py.py \
	test/client_armci.c test/client_ga.c test/client_coarray.f90 \
	test/client_petsc.c test/client_tool.c test/client_dlopen.c
# -- end of checks -----------------------------------------------------------

# -- units: util, and the lock of windows -------------------------------------
units_win = test/unit_util test/unit_rwlock test/unit_hurry test/unit_petition \
	test/unit_comeback test/unit_heat
test_unit_heat_LDADD = libcore.la
test_unit_heat_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/win
test_unit_util_LDADD = libcore.la
test_unit_rwlock_LDADD = libcore.la
test_unit_rwlock_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/win
test_unit_hurry_LDADD = libcore.la
test_unit_hurry_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/win
test_unit_petition_LDADD = libcore.la
test_unit_comeback_LDADD = libcore.la
test_unit_comeback_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/win
test_unit_petition_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/win
check_PROGRAMS += $(units_win)
TESTS += $(units_win)
# -- end of units of the window ------------------------------------------------

# -- random: random programs against a model of them ---------------------------
test_random_SOURCES = test/random.c test/random.h test/random_basic.c \
	test/random_call.c test/random_claim.c test/random_contest.c \
	test/random_gen.c test/random_genop.c test/random_model.c \
	test/random_mpitype.c test/random_ops.c test/random_print.c \
	test/random_run.c test/random_side.c test/random_tree.c \
	test/random_type.c test/random_util.c test/random_wait.c \
	test/random_win.c
check_PROGRAMS += test/random
TESTS += test/random test/random_mutants.sh
EXTRA_DIST += test/random_mutants.sh
# -- end of random -------------------------------------------------------------

# -- verbs without hardware, in a guest; not part of make check ------------------
#	make check-verbs ORIEL_VERBS_TESTS='put_get lock'
verbs_parts = test/verbs/suite.sh test/verbs/guest test/verbs/guest_init.sh \
	test/verbs/kernel.sh test/verbs/kernel.config test/verbs/endpoint.sh \
	test/verbs/lost.sh test/verbs/cached.sh test/verbs/README.md
verbs_run = env ORIELRUN='$(abs_top_builddir)/orielrun' \
	top_builddir='$(top_builddir)' $(SHELL)
EXTRA_PROGRAMS += test/verbs/probe
test_verbs_probe_LDADD = -lfabric
EXTRA_DIST += $(verbs_parts)
CLEANFILES += test-suite-verbs.log test/verbs/suite.log test/verbs/suite.trs
.PHONY: check-verbs
check-verbs: test/verbs/probe$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=test/verbs/suite.sh \
		TEST_SUITE_LOG=test-suite-verbs.log \
		SH_LOG_COMPILER="$(verbs_run)"
# -- end of verbs ----------------------------------------------------------------

# -- units: waiting and progress -------------------------------------------------
units_progress = test/unit_progress test/unit_progress_thread
test_unit_progress_LDADD = libcore.la
test_unit_progress_thread_LDADD = libcore.la
check_PROGRAMS += $(units_progress)
TESTS += $(units_progress)
EXTRA_DIST += test/network.h
# -- end of units of progress ----------------------------------------------------

# -- units: active messages ------------------------------------------------------
units_am = test/unit_am test/unit_am_error test/unit_transfer test/fuzz_am
test_unit_transfer_LDADD = libcore.la
test_unit_am_LDADD = libcore.la
test_unit_am_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/am
test_unit_am_error_LDADD = libcore.la
test_unit_am_error_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/am
test_fuzz_am_LDADD = libcore.la
test_fuzz_am_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/am
check_PROGRAMS += $(units_am)
TESTS += $(units_am)
EXTRA_DIST += test/links.h test/nowhere.h test/fuzz_input.h
# -- end of units of active messages ---------------------------------------------

# -- other nodes: ranks of several at once, whose progress, who is lost ----------
#	test/lost.sh 3 kill fence	one of them
nodes = test/mixed test/round_trips
HOSTS_TESTS += $(nodes)
check_PROGRAMS += $(nodes) test/progress_job test/lost test/message_size_job
TESTS += $(nodes) test/progress_modes.sh test/lost.sh test/message_size.sh
EXTRA_DIST += test/progress_modes.sh test/lost.sh test/message_size.sh
# -- end of other nodes ------------------------------------------------------------

# -- synchronisation: epochs, fairness, groups -----------------------------------
synchronisation = test/messages test/epoch_sequences test/epochs_apart test/fair test/starving test/pscw_random \
	test/threads_windows test/memory
HOSTS_TESTS += $(synchronisation)
check_PROGRAMS += $(synchronisation)
TESTS += $(synchronisation)
EXTRA_DIST += test/epochs.h test/stats.h
# -- end of synchronisation ------------------------------------------------------

# -- extensions: what is Oriel's own; programs of test/ find it by weak symbols --
extensions = test/notify test/notify_passive test/notify_threads \
	test/requests_more test/dup
HOSTS_TESTS += $(extensions)
check_PROGRAMS += $(extensions)
TESTS += $(extensions)
# -- end of extensions -----------------------------------------------------------

# -- threads, judged by ThreadSanitizer; part of quickstart's check -----------------
EXTRA_DIST += test/tsan.sh test/tsan.supp
.PHONY: check-tsan clean-tsan
check-tsan:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=test/tsan.sh \
		TEST_SUITE_LOG=test-suite-tsan.log SH_LOG_COMPILER=$(SHELL)
clean-tsan:
	rm -rf tsan
clean-local: clean-tsan clean-deb clean-trixie
# -- end of ThreadSanitizer ---------------------------------------------------------

# -- what users see: sums, traces, the doctor ----------------------------------------
test_unit_doctor_SOURCES = test/unit_doctor.c src/doctor/facts.c \
	src/doctor/hosts.c src/doctor/report.c
test_unit_doctor_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/doctor
check_PROGRAMS += test/watched_job test/misuse_job test/unit_doctor test/forbid
TESTS += test/unit_doctor test/log.sh test/misspelt.sh test/watched.sh test/misuse.sh test/checked.sh test/doctor.sh test/manual.sh
EXTRA_DIST += test/log.sh test/misspelt.sh test/misuse.sh test/checked.sh test/watched.sh test/watched.py test/heat.py test/doctor.sh test/manual.sh
# -- end of what users see -------------------------------------------------------------
