/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - error codes with Oriel's own texts, and raising them.
 *
 * MPI_Add_error_code on a predefined class is what the standard has for
 * this.  MPICH 4.0 makes such codes but then finds neither their class's nor
 * their own text, so the texts are kept here too: for MPI_Error_string, and
 * to be printed before a fatal error handler ends the program.
 */
#include "orl_host.h"

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
		if (texts[i].code != code || code == i)
			continue;
		strcpy(line, texts[i].line);
		*len = (int)strlen(line);
		found = true;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* Does the host know the text, so that its fatal handler prints it? */
static bool host_knows_text(int code, const char *line)
{
	char theirs[MPI_MAX_ERROR_STRING] = "";
	int len;

	return !orl_host.Error_string(code, theirs, &len) &&
	       !strcmp(theirs, line);
}

/*
 * The code to call the handler with.  A fatal one prints what the host knows
 * of the code: where that is nothing, our text comes before and the class's
 * own is left to the host.
 */
static int code_for(MPI_Errhandler handler, int code)
{
	char line[MPI_MAX_ERROR_STRING];
	int len;

	if (handler != MPI_ERRORS_ARE_FATAL ||
	    !orl_host_error_text(code, line, &len) ||
	    host_knows_text(code, line))
		return code;
	orl_log(ORL_LOG_ERROR, "%s", line);
	return orl_host_error_class(code);
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
	int raised = code;

	if (!(bare ? orl_host_bare_get_errhandler(handle, &handler)
		   : orl_host.Win_get_errhandler(handle, &handler)))
		raised = code_for(handler, code);
	release(&handler);
	if (bare)
		orl_host_bare_call_errhandler(handle, raised);
	else
		orl_host.Win_call_errhandler(handle, raised);
	return code;
}

int orl_host_raise_comm(MPI_Comm handle, int code)
{
	MPI_Comm comm = handle == MPI_COMM_NULL ? MPI_COMM_WORLD : handle;
	MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
	int raised = code;

	if (!PMPI_Comm_get_errhandler(comm, &handler))
		raised = code_for(handler, code);
	release(&handler);
	PMPI_Comm_call_errhandler(comm, raised);
	return code;
}
