#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# endpoint.sh - src/fabric's own test, over the device.
exec "${top_builddir:-.}/test/unit_fabric" "${ORIEL_PROVIDER:-verbs;ofi_rxm}"
