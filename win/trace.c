/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.c - a file of this process's calls on windows, in the trace-event
 * format of Chrome: ORIEL_TRACE/HOST.PID.json, which chrome://tracing and
 * ui.perfetto.dev show, several at a time.
 *
 * Events are stored in a mapping of the file, a chunk of it at a time, each
 * with the end of the list behind it, which the next one takes the place of.
 * So the file is whole after every event, however the process ends, and an
 * event costs no system call; what is left of the chunk is blank.  No
 * descriptor is kept: the program may close all.
 */
#include "watch.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK	   (256 * 1024) /* some 1,500 events; so much is reserved */
#define EVENT_MOST 1024		/* of an event, with all its numbers longest */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	char path[PATH_MAX];
	bool is_begun, is_lost;
	char *map;     /* CHUNK bytes, or NULL */
	off_t at;      /* in the file */
	size_t used;   /* of the mapping, without the end of the list */
	int64_t epoch; /* nanoseconds from our clock to the wall's */
	int rank;      /* in the world */
} file;

/* -- the file; under the lock ---------------------------------------------- */

static ORL_COLD void lose(const char *path, int error)
{
	orl_log(ORL_LOG_ERROR, "ORIEL_TRACE: %s: %s", path, strerror(error));
	file.is_lost = true;
}

static void unmap(void)
{
	if (file.map)
		munmap(file.map, CHUNK);
	file.map = NULL;
}

/* Written before they are mapped: a store where the disk is full would end the
 * program. */
static int write_blanks(int fd, off_t from, off_t end)
{
	char blanks[4096];
	ssize_t n;

	memset(blanks, ' ', sizeof(blanks));
	while (from < end) {
		n = (ssize_t)sizeof(blanks) < end - from
			    ? (ssize_t)sizeof(blanks)
			    : end - from;
		n = pwrite(fd, blanks, (size_t)n, from);
		if (n < 0 && errno != EINTR)
			return errno;
		from += n > 0 ? n : 0;
	}
	return 0;
}

static int map_at(int fd, off_t at)
{
	void *map =
		mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	if (map == MAP_FAILED)
		return errno;
	unmap();
	file.map = map;
	return 0;
}

/* The chunk that the next event goes to: behind the list's end, if there is
 * any yet. */
static void next_chunk(void)
{
	const off_t from = file.at + (off_t)file.used;
	const off_t at = from & -(off_t)sysconf(_SC_PAGESIZE);
	int fd = open(file.path, O_RDWR | O_CLOEXEC), rc;

	rc = fd < 0 ? errno : write_blanks(fd, from ? from + 1 : 0, at + CHUNK);
	rc = rc ? rc : map_at(fd, at);
	if (fd >= 0)
		close(fd);
	if (rc) {
		lose(file.path, rc);
		return;
	}
	file.at = at;
	file.used = (size_t)(from - at);
}

/*
 * The text begins with what goes behind the event before, in the place of the
 * list's end, and ends in that end.  Its first byte is the last to be stored.
 */
static void append(const char *text, size_t len)
{
	if (!file.map || file.used + len > CHUNK)
		next_chunk();
	if (orl_unlikely(file.is_lost))
		return;
	memcpy(file.map + file.used + 1, text + 1, len - 1);
	atomic_signal_fence(memory_order_seq_cst);
	file.map[file.used] = *text;
	file.used += len - 1;
}

/* -- the first window ------------------------------------------------------ */

static int64_t clock_offset(void)
{
	return (int64_t)orl_clock_ns(CLOCK_REALTIME) - (int64_t)orl_now_ns();
}

/* Of as many processes as have one name and number, in containers. */
#define SAME_NAME 1000

/* A new file: one that is there may be mapped by a process that lives. */
static int make_file(const char *folder, const char *host)
{
	int i, fd, len;

	for (i = 0; i < SAME_NAME; i++) {
		len = snprintf(file.path, sizeof(file.path),
			       i ? "%s/%s.%d.%d.json" : "%s/%s.%d.json", folder,
			       host, (int)getpid(), i);
		if (len >= (int)sizeof(file.path))
			return ENAMETOOLONG;
		fd = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			  0666);
		if (fd >= 0)
			return close(fd) ? errno : 0;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

/* Its whole name: the program may go to another folder before the next chunk.
 * 0 or errno. */
static int name_file(const char *folder, const char *host)
{
	char whole[PATH_MAX];

	mkdir(folder, 0777);
	if (!realpath(folder, whole))
		return errno;
	return make_file(whole, host);
}

static void begin(const char *folder)
{
	char host[64] = "", text[EVENT_MOST];
	int len, rc;

	gethostname(host, sizeof(host) - 1);
	rc = name_file(folder, host);
	if (rc) {
		lose(folder, rc);
		return;
	}
	file.epoch = clock_offset();
	file.rank = orl_host_world_rank();
	len = snprintf(text, sizeof(text),
		       "[{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": "
		       "%d, \"args\": {\"name\": \"rank %d, %s\"}}]",
		       file.rank, file.rank, host);
	append(text, (size_t)len);
}

bool orl_trace_begin(void)
{
	const char *folder = (const char *)orl_options.trace;
	bool is_there;

	if (orl_likely(!folder || !*folder))
		return false;
	pthread_mutex_lock(&lock);
	if (!file.is_begun)
		begin(folder);
	file.is_begun = true;
	is_there = !file.is_lost;
	pthread_mutex_unlock(&lock);
	return is_there;
}

/* -- events ---------------------------------------------------------------- */

static char *put_number(char *at, uint64_t number)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*at++ = digits[--n];
	return at;
}

static char *put_field(char *at, const char *name, uint64_t number)
{
	return put_number(stpcpy(at, name), number);
}

/* Nanoseconds as microseconds. */
static char *put_time(char *at, const char *name, uint64_t ns)
{
	at = put_field(at, name, ns / 1000);
	*at++ = '.';
	*at++ = (char)('0' + ns / 100 % 10);
	*at++ = (char)('0' + ns / 10 % 10);
	*at++ = (char)('0' + ns % 10);
	return at;
}

static uint64_t thread_id(void)
{
	static ORL_THREAD_LOCAL uint64_t id;

	if (orl_unlikely(!id))
		id = (uint64_t)syscall(SYS_gettid);
	return id;
}

/* By hand: printf takes ten times as long.  The length. */
static size_t print_event(char *text, const struct orl_win *win,
			  const struct orl_event *event)
{
	char *at = stpcpy(text, ",\n{\"name\": \"");

	at = stpcpy(at, event->name);
	at = stpcpy(at, event->call < ORL_WATCH_MOVES
				? "\", \"cat\": \"rma\", \"ph\": \"X\""
				: "\", \"cat\": \"sync\", \"ph\": \"X\"");
	at = put_time(at, ", \"ts\": ", event->begin + (uint64_t)file.epoch);
	at = put_time(at, ", \"dur\": ", event->end - event->begin);
	at = put_field(at, ", \"pid\": ", (uint64_t)file.rank);
	at = put_field(at, ", \"tid\": ", thread_id());
	at = put_field(at, ", \"args\": {\"window\": ", win->ordinal);
	if (event->target >= 0)
		at = put_field(at, ", \"target\": ", (uint64_t)event->target);
	if (event->path) {
		at = put_field(at, ", \"bytes\": ", event->bytes);
		at = stpcpy(at, ", \"path\": \"");
		at = stpcpy(at, event->path->name);
		*at++ = '"';
	}
	if (event->trips)
		at = put_field(at, ", \"round_trips\": ", event->trips);
	at = stpcpy(at, "}}]");
	return (size_t)(at - text);
}

void orl_trace_add(const struct orl_win *win, const struct orl_event *event)
{
	char text[EVENT_MOST];
	size_t len = print_event(text, win, event);

	pthread_mutex_lock(&lock);
	if (!file.is_lost)
		append(text, len);
	pthread_mutex_unlock(&lock);
}

/* Without the blanks.  A session that comes later goes on. */
void orl_trace_close(void)
{
	pthread_mutex_lock(&lock);
	if (file.map && truncate(file.path, file.at + (off_t)file.used + 1))
		lose(file.path, errno);
	unmap();
	pthread_mutex_unlock(&lock);
}
