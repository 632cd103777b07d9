# SPDX-License-Identifier: BSD-3-Clause
# Programs that show why one wants what oriel.h adds to MPI.  Linked with the
# library of the build tree, not installed; run by make check too.
#
#	mpicc.openmpi halo.c $(pkg-config --cflags --libs oriel-openmpi) -lm
examples = examples/halo examples/md examples/server
noinst_PROGRAMS += $(examples)
examples_halo_LDADD = liboriel.la
examples_halo_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_md_LDADD = liboriel.la
examples_md_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_server_LDADD = liboriel.la -lm
examples_server_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += $(examples)
