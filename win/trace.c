/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.c - a file of this process's calls on windows, in the trace-event
 * format of Chrome: ORIEL_TRACE/HOST.PID.json, which chrome://tracing and
 * ui.perfetto.dev show, several at a time.  The list is not closed before
 * MPI's end; viewers take it as it is.  Each event is written at once and
 * whole: a crash leaves a trace too, and a child of fork has nothing of it
 * left to write.
 */
#include "watch.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static bool is_lost;  /* cannot be opened */
static int64_t epoch; /* nanoseconds from our clock to the wall's */
static int rank;      /* in the world */

bool orl_trace_is_wanted(void)
{
	const char *wish = (const char *)orl_options.trace;

	return orl_unlikely(wish && *wish);
}

static int64_t clock_offset(void)
{
	return (int64_t)orl_clock_ns(CLOCK_REALTIME) - (int64_t)orl_now_ns();
}

/* Under the lock, at the first event. */
static void open_file(void)
{
	const char *folder = (const char *)orl_options.trace;
	char path[4096], host[64] = "";

	gethostname(host, sizeof(host) - 1);
	mkdir(folder, 0777);
	snprintf(path, sizeof(path), "%s/%s.%d.json", folder, host,
		 (int)getpid());
	file = fopen(path, "we");
	if (!file) {
		orl_log(ORL_LOG_ERROR, "ORIEL_TRACE: %s: %s", path,
			strerror(errno));
		is_lost = true;
		return;
	}
	epoch = clock_offset();
	rank = orl_host_world_rank();
	fprintf(file,
		"[{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, "
		"\"args\": {\"name\": \"rank %d, %s\"}}",
		rank, rank, host);
	fflush(file);
}

static void print_event(const struct orl_win *win,
			const struct orl_event *event)
{
	double begin = (double)(event->begin + (uint64_t)epoch) / 1e3;

	fprintf(file,
		",\n{\"name\": \"%s\", \"cat\": \"%s\", \"ph\": \"X\", "
		"\"ts\": %.3f, \"dur\": %.3f, \"pid\": %d, \"tid\": %ld, "
		"\"args\": {\"window\": %u",
		event->name, event->call < ORL_WATCH_MOVES ? "rma" : "sync",
		begin, (double)(event->end - event->begin) / 1e3, rank,
		syscall(SYS_gettid), win->watch->number);
	if (event->target >= 0)
		fprintf(file, ", \"target\": %d", event->target);
	if (event->path)
		fprintf(file, ", \"bytes\": %llu, \"path\": \"%s\"",
			(unsigned long long)event->bytes, event->path->name);
	if (event->trips)
		fprintf(file, ", \"round_trips\": %llu",
			(unsigned long long)event->trips);
	fputs("}}", file);
	fflush(file);
}

void orl_trace_add(const struct orl_win *win, const struct orl_event *event)
{
	pthread_mutex_lock(&lock);
	if (!file && !is_lost)
		open_file();
	if (file)
		print_event(win, event);
	pthread_mutex_unlock(&lock);
}

/* Of a session that comes later, events go over the end. */
void orl_trace_close(void)
{
	static const char end[] = "]\n";

	pthread_mutex_lock(&lock);
	if (file) {
		fputs(end, file);
		if (fflush(file))
			orl_log(ORL_LOG_ERROR, "ORIEL_TRACE: %s",
				strerror(errno));
		fseek(file, -(long)strlen(end), SEEK_CUR);
	}
	pthread_mutex_unlock(&lock);
}
