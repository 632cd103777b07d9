/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp.c - one TCP connection between the ranks, polled at both ends.
 *
 * The origin sends a word: so many bytes that follow, or END.  The target takes
 * them and answers with the word.
 */
#include "raw.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 20)
#define END   (-1)

static int tcp = -1;
static char *chunk;

/* -- bytes ----------------------------------------------------------------- */

static void move(ssize_t (*call)(int, void *, size_t, int), void *data,
		 size_t len)
{
	char *at = data;

	while (len) {
		ssize_t n = call(tcp, at, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			raw_die("TCP: %s", n ? strerror(errno) : "closed");
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
}

static ssize_t send_some(int fd, void *data, size_t len, int flags)
{
	return send(fd, data, len, flags);
}

static void send_word(int64_t word)
{
	move(send_some, &word, sizeof(word));
}

static int64_t receive_word(void)
{
	int64_t word;

	move(recv, &word, sizeof(word));
	return word;
}

/* -- tests ----------------------------------------------------------------- */

static void ping(size_t size, int n, int burst)
{
	for (int i = 0; i < n * burst; i++) {
		send_word(0);
		receive_word();
	}
}

static void stream(size_t size, int n, int burst)
{
	for (int i = 0; i < n; i++) {
		send_word((int64_t)size * burst);
		for (int j = 0; j < burst; j++)
			move(send_some, chunk, size);
		receive_word();
	}
}

static void serve(void)
{
	int64_t word, left;

	while ((word = receive_word()) != END) {
		for (left = word; left > 0; left -= (int64_t)CHUNK)
			move(recv, chunk, CHUNK);
		send_word(word);
	}
}

static void stop(void)
{
	send_word(END);
}

/* -- opening --------------------------------------------------------------- */

/* Of the interface, or of the first but lo: lo only if there is no other. */
static struct sockaddr_in own_address(const char *iface)
{
	struct sockaddr_in found = { .sin_family = AF_INET };
	struct ifaddrs *all;

	found.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (getifaddrs(&all))
		raw_die("getifaddrs: %s", strerror(errno));
	for (struct ifaddrs *i = all; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
			continue;
		if (iface ? strcmp(i->ifa_name, iface) != 0
			  : (i->ifa_flags & IFF_LOOPBACK) ||
				    !(i->ifa_flags & IFF_UP))
			continue;
		memcpy(&found, i->ifa_addr, sizeof(found));
		break;
	}
	freeifaddrs(all);
	return found;
}

static int listen_at(struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)at, len) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)at, &len))
		raw_die("listening: %s", strerror(errno));
	return fd;
}

static const char *open_tcp(int rank, const char *iface)
{
	struct sockaddr_in mine = own_address(iface), other;
	int fd, on = 1;

	mine.sin_port = 0;
	fd = listen_at(&mine);
	raw_exchange(&mine, &other, sizeof(mine));
	if (rank == TARGET) {
		tcp = accept(fd, NULL, NULL);
	} else {
		tcp = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(tcp, (struct sockaddr *)&other, sizeof(other)))
			raw_die("connecting: %s", strerror(errno));
	}
	close(fd);
	setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	chunk = raw_buffer(CHUNK);
	return "tcp";
}

static void close_tcp(void)
{
	close(tcp);
	free(chunk);
}

static const size_t one_word[] = { sizeof(int64_t), 0 };
static const size_t one_chunk[] = { CHUNK, 0 };

static const struct raw_test tests[] = {
	{ "tcp_ping", "8 bytes by TCP and 8 bytes back", one_word, 1, ping,
	  NULL },
	{ "tcp_stream", "16 chunks by TCP and an answer, for one chunk",
	  one_chunk, 16, stream, NULL },
	{ .name = NULL },
};

const struct raw_transport raw_tcp = {
	open_tcp, tests, serve, stop, close_tcp,
};
