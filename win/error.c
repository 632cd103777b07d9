/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - the one place where an internal result becomes the error that
 * the user sees: class, text, error handler.
 */
#include "check.h"

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
		       "mapped: was it freed?";
	case ESRCH:
		return "the target process has ended";
	case EHOSTDOWN:
		return "a process of the window is lost: its connection has "
		       "broken, or it gave no sign of life for as long as the "
		       "option ORIEL_TIMEOUT says";
	case EPERM:
	case EACCES:
		return "the system forbids process_vm_readv/writev between "
		       "the ranks (ptrace rules)";
	default:
		return strerror(error);
	}
}

int orl_win_fail(struct orl_win *win, const char *call, int class,
		 const char *fmt, ...)
{
	char name[MPI_MAX_OBJECT_NAME], reason[256], text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	if (class < 0) {
		size_t len = strlen(reason);

		snprintf(reason + len, sizeof(reason) - len, "%s%s",
			 len ? ": " : "", reason_of_errno(-class));
		class = class_of_errno(-class);
	}
	orl_host_win_name(win->handle, name);
	snprintf(text, sizeof(text), "%s on window \"%s\", rank %u of %u: %s",
		 call, name, win->rank, win->size, reason);
	orl_log(ORL_LOG_DEBUG, "%s", text);
	if (win->check)
		orl_check_error(win, call, class, reason);
	return orl_host_raise_win(win->handle,
				  orl_host_error_code(class, text));
}
