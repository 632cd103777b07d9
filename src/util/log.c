/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - one line to stderr for what is at or under ORIEL_LOG. */
#include "orl_util.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[] = { "fatal", "error", "warning", "info",
				     "debug" };

void orl_log(enum orl_log_level level, const char *fmt, ...)
{
	char line[512];
	va_list args;

	if ((long)level > orl_options.log)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	/* One call, so that lines of several ranks do not mix. */
	fprintf(stderr, "oriel[%d] %s: %s\n", (int)getpid(), names[level],
		line);
}
