#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_layers.sh - modules use only their own interface and those of the
# modules above them in the list; libfabric is src/fabric's; the host MPI is
# called by src/host and src/mpi alone.
top=${srcdir:-$(dirname "$0")/..}
cd "$top" || exit 1

find src include win atomics benchmarks -name '*.[ch]' | sort |
xargs awk '
function bad(what)
{
	print FILENAME ":" FNR ": " what
	failed = 1
}

BEGIN {
	n = split("util progress host type fabric shm am path atomics win " \
		  "mpi doctor", order, " ")
	for (i = 1; i <= n; i++)
		row[order[i]] = i
}

FNR == 1 {
	split(FILENAME, part, "/")
	module = part[1] == "src" ? part[2] : part[1]
	folder = FILENAME
	sub(/[^\/]*$/, "", folder)
	if (part[1] == "include")
		module = owner(part[2])
	if (!(module in row) && module !~ /^(run|benchmarks)$/)
		bad("a module that has no place in the order")
	may_call = module ~ /^(host|mpi|doctor|benchmarks)$/
	comment = 0
}

# The module whose interface the header is: "" if it is none.
function owner(header)
{
	if (header == "oriel.h")
		return "mpi"
	if (header == "orl_acc.h" || header == "orl_gate.h")
		return "atomics"
	if (header !~ /^orl_.*\.h$/)
		return ""
	gsub(/^orl_|\.h$/, "", header)
	return header
}

/^#[ \t]*include "/ {
	name = $0
	gsub(/^[^"]*"|".*$/, "", name)
	of = owner(name)
	if (of == "") {
		if (name != "config.h" &&
		    (name ~ /\// || (getline line < (folder name)) < 0))
			bad(name " is neither an interface nor in this folder")
		close(folder name)
	} else if (!(module in row))
		bad("includes " name ", which belongs to the library")
	else if (!(of in row))
		bad(name " belongs to no module in the order")
	else if (row[of] > row[module])
		bad(module " includes " name ", of the module " of " below it")
}

/^#[ \t]*include <rdma\// && module !~ /^(fabric|benchmarks)$/ {
	bad("libfabric is used by src/fabric alone")
}

# Calls are looked for outside comments.
{
	text = $0
	while ((i = index(text, "/*")) || comment) {
		if (!comment) {
			head = substr(text, 1, i - 1)
			text = substr(text, i + 2)
			comment = 1
		} else
			head = ""
		j = index(text, "*/")
		if (!j) {
			text = head
			break
		}
		text = head substr(text, j + 2)
		comment = 0
	}
	if (!may_call && text ~ /(^|[^A-Za-z0-9_."])P?MPI_[A-Z][a-z_]+[a-z]\(/)
		bad(module " calls the host MPI: " $0)
}

END {
	exit failed
}'
