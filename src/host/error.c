/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - error codes with Oriel's own texts, and raising them.
 *
 * MPI_Add_error_code on a predefined class is what the standard has for
 * this.  MPICH 4.0 makes such codes but then finds no text for them, so the
 * texts are kept here too, for MPI_Error_string.
 */
#include "orl_host.h"

#include "host.h"
#include "orl_util.h"

#include <stdio.h>
#include <string.h>

/* Predefined classes are small numbers on every host. */
#define MAX_CLASS 256

struct text {
	int code;
	char line[MPI_MAX_ERROR_STRING];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct text texts[MAX_CLASS]; /* by class; under lock */

int orl_host_error_class(int code)
{
	int class = MPI_ERR_OTHER;

	PMPI_Error_class(code, &class);
	return class;
}

int orl_host_error_code(int class, const char *line)
{
	struct text *text;
	int code;

	if (class <= 0 || class >= MAX_CLASS)
		return class;
	text = &texts[class];
	pthread_mutex_lock(&lock);
	snprintf(text->line, sizeof(text->line), "%s", line);
	if (!text->code && PMPI_Add_error_code(class, &text->code))
		text->code = class;
	if (text->code != class)
		PMPI_Add_error_string(text->code, text->line);
	code = text->code;
	pthread_mutex_unlock(&lock);
	return code;
}

bool orl_host_error_text(int code, char *line, int *len)
{
	bool found = false;
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < MAX_CLASS && !found; i++) {
		/* A class's own code keeps the host's text. */
		if (!code || texts[i].code != code || code == i)
			continue;
		strcpy(line, texts[i].line);
		*len = (int)strlen(line);
		found = true;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void orl_errors_end(void)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < MAX_CLASS; i++)
		texts[i].code = 0;
	pthread_mutex_unlock(&lock);
}

/*
 * A fatal handler: the text comes from here, on every host and whatever is
 * logged, since what the hosts print of it gets lost or is another.
 */
static void end_if_fatal(MPI_Errhandler handler, int code)
{
	char line[MPI_MAX_ERROR_STRING];
	int len;
	bool fatal = handler == MPI_ERRORS_ARE_FATAL;

#ifdef MPI_ERRORS_ABORT
	fatal |= handler == MPI_ERRORS_ABORT;
#endif
	if (!fatal || !orl_host_error_text(code, line, &len))
		return;
	orl_log(ORL_LOG_NONE, "%s (the error handler is fatal)", line);
	PMPI_Abort(orl_host_has_world() ? MPI_COMM_WORLD : orl_host_self,
		   orl_host_error_class(code));
}

static void release(MPI_Errhandler *handler)
{
	if (*handler != MPI_ERRHANDLER_NULL)
		PMPI_Errhandler_free(handler);
}

int orl_host_raise_win(MPI_Win handle, int code)
{
	MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
	bool bare = orl_host_win_is_bare(handle);

	if (!(bare ? orl_host_bare_get_errhandler(handle, &handler)
		   : orl_host.Win_get_errhandler(handle, &handler)))
		end_if_fatal(handler, code);
	release(&handler);
	if (bare)
		orl_host_bare_call_errhandler(handle, code);
	else
		orl_host.Win_call_errhandler(handle, code);
	return code;
}

int orl_host_raise_comm(MPI_Comm handle, int code)
{
	MPI_Comm comm = handle == MPI_COMM_NULL ? MPI_COMM_WORLD : handle;
	MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

	/* Without a world the initial handler has it, which is fatal unless
	 * the launcher was told otherwise. */
	if (handle == MPI_COMM_NULL && !orl_host_has_world())
		end_if_fatal(MPI_ERRORS_ARE_FATAL, code);
	if (!PMPI_Comm_get_errhandler(comm, &handler))
		end_if_fatal(handler, code);
	release(&handler);
	PMPI_Comm_call_errhandler(comm, code);
	return code;
}
