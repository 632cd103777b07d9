# SPDX-License-Identifier: BSD-3-Clause
# Programs that show why one wants what oriel.h adds to MPI.  Linked with the
# library of the build tree, and run by make check too; what is installed is
# their source, with a makefile of its own.
examples = examples/halo examples/md examples/server
noinst_PROGRAMS += $(examples)
examples_halo_LDADD = liboriel.la
examples_halo_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_md_LDADD = liboriel.la
examples_md_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_server_LDADD = liboriel.la -lm
examples_server_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += $(examples)
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/Makefile examples/halo.c examples/md.c \
	examples/server.c
