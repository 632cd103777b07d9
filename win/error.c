/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - the one place where an internal result becomes the error that
 * the user sees: class, text, error handler.
 */
#include "check.h"
#include "watch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int class_of_errno(int error)
{
	switch (error) {
	case ENOMEM:
		return MPI_ERR_NO_MEM;
	case EFAULT:
		return MPI_ERR_RMA_RANGE;
	default:
		return MPI_ERR_OTHER;
	}
}

/* What a transfer's errno means for who reads the message. */
static const char *reason_of_errno(int error)
{
	switch (error) {
	case EFAULT:
		return "memory of the window or the origin buffer is not "
		       "mapped, or not for this: was it freed?";
	case ESRCH:
		return "the target process has ended";
	case EPERM:
	case EACCES:
		return "the system forbids process_vm_readv/writev between "
		       "the ranks (ptrace rules)";
	default:
		return strerror(error);
	}
}

static void add_reason(const struct orl_win *win, int error, char *reason,
		       size_t size)
{
	const char *colon = *reason ? ": " : "";
	size_t len = strlen(reason);
	char loss[256];

	if (error != EHOSTDOWN || !orl_remote_loss(win, loss, sizeof(loss)))
		snprintf(loss, sizeof(loss), "%s", reason_of_errno(error));
	snprintf(reason + len, size - len, "%s%s", colon, loss);
}

void orl_win_title(const struct orl_win *win, char text[ORL_TITLE])
{
	char name[MPI_MAX_OBJECT_NAME];
	FILE *out;

	snprintf(text, ORL_TITLE, "window %u", win->ordinal);
	out = fmemopen(text, ORL_TITLE - 1, "w");
	if (!out)
		return;
	text[ORL_TITLE - 1] = 0;
	orl_host_win_name(win->handle, name);
	orl_report_title(out, win, name);
	fclose(out);
}

int orl_win_fail(struct orl_win *win, const char *call, int class,
		 const char *fmt, ...)
{
	char title[ORL_TITLE], reason[384], text[ORL_TITLE + 480];
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	if (class < 0) {
		add_reason(win, -class, reason, sizeof(reason));
		class = class_of_errno(-class);
	}
	orl_win_title(win, title);
	snprintf(text, sizeof(text), "%s on %s, rank %u of %u: %s", call, title,
		 win->rank, win->size, reason);
	orl_log(ORL_LOG_DEBUG, "%s", text);
	if (win->check)
		orl_check_error(win, call, class, reason);
	return orl_host_raise_win(win->handle,
				  orl_host_error_code(class, text));
}
