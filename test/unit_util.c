/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_util.c - options are read as documented, bad ones keep their default;
 * the handle map finds what is in it and nothing else, through growth,
 * deletion and reuse, also beside a writer in another thread.
 */
#include "orl_util.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 20000

static int failures;

static void check(bool good, const char *what)
{
	if (good)
		return;
	failures++;
	fprintf(stderr, "unit_util: %s\n", what);
}

static void test_options(void)
{
	setenv("ORIEL_LOG", "none", 1);
	setenv("ORIEL_PATH", "cma", 1);
	setenv("ORIEL_ARENA", "64m", 1);
	setenv("ORIEL_SPIN", "17", 1);
	setenv("ORIEL_BULK", "many", 1);
	orl_options_load();
	check(orl_options.log == ORL_LOG_NONE, "level");
	check(orl_options.path == ORL_PATH_CMA, "one path");
	check(orl_options.arena == 64l << 20, "size with a unit");
	check(orl_options.spin == 17, "number");
	check(orl_options.bulk == 4, "default after nonsense");
	setenv("ORIEL_PATH", "cma,direct", 1);
	setenv("ORIEL_ARENA", "12x", 1);
	orl_options_load();
	check(orl_options.path == (ORL_PATH_CMA | ORL_PATH_DIRECT), "list");
	check(orl_options.arena == 0, "default after a bad unit");
	setenv("ORIEL_PATH", "cma,wormhole", 1);
	orl_options_load();
	check(orl_options.path == (ORL_PATH_NODE | ORL_PATH_REMOTE),
	      "default after an unknown word");
}

static const char *text_of(long value)
{
	return (const char *)value;
}

static void test_words(void)
{
	orl_options_load();
	check(orl_options.progress == ORL_PROGRESS_AUTO, "default mode");
	check(!*text_of(orl_options.provider), "default text");
	check(orl_options.timeout == 20, "default timeout");
	setenv("ORIEL_PATH", "cma,fabric,software", 1);
	setenv("ORIEL_PROGRESS", "poll", 1);
	setenv("ORIEL_PROVIDER", "tcp;ofi_rxm", 1);
	setenv("ORIEL_IFACE", "eth7", 1);
	orl_options_load();
	check(orl_options.path == (ORL_PATH_CMA | ORL_PATH_REMOTE),
	      "paths to other nodes");
	check(orl_options.progress == ORL_PROGRESS_POLL, "mode");
	check(!strcmp(text_of(orl_options.provider), "tcp;ofi_rxm"), "text");
	/* Not the environment's own bytes, which may change. */
	setenv("ORIEL_IFACE", "lo", 1);
	check(!strcmp(text_of(orl_options.iface), "eth7"), "constant");
	setenv("ORIEL_PROGRESS", "sometimes", 1);
	setenv("ORIEL_PROVIDER", "", 1);
	orl_options_load();
	check(orl_options.progress == ORL_PROGRESS_AUTO,
	      "default after an unknown mode");
	check(!*text_of(orl_options.provider), "empty text");
}

static void *value_of(uintptr_t key)
{
	return (void *)(key * 8 + 1);
}

static bool is_fourth(void *value, void *none)
{
	return (uintptr_t)value % 32 == 1;
}

static void test_map(struct orl_map *map)
{
	uintptr_t key;

	check(!orl_map_find(map, 1), "found in an empty map");
	for (key = 1; key <= KEYS; key++)
		check(!orl_map_set(map, key, value_of(key)), "set");
	for (key = 1; key <= KEYS; key += 2)
		orl_map_del(map, key, value_of(key));
	for (key = 1; key <= KEYS; key++)
		check(orl_map_find(map, key) ==
			      (key % 2 ? NULL : value_of(key)),
		      "after deleting every other key");
	for (key = 1; key <= KEYS; key += 2)
		orl_map_set(map, key, value_of(key + 1));
	for (key = 1; key <= KEYS; key += 2)
		check(orl_map_find(map, key) == value_of(key + 1),
		      "a key that came back");
	check(!orl_map_find(map, KEYS + 1), "found what is not there");
	orl_map_sweep(map, is_fourth, NULL);
	for (key = 1; key <= KEYS; key++) {
		void *value = value_of(key + key % 2);

		check(orl_map_find(map, key) ==
			      (is_fourth(value, NULL) ? NULL : value),
		      "after sweeping half");
	}
}

static _Atomic(bool) stop;

/* Key 7 is always there while others come and go. */
static void *read_always(void *arg)
{
	struct orl_map *map = arg;
	long misses = 0;

	while (!stop)
		misses += orl_map_find(map, 7) != value_of(7);
	return (void *)misses;
}

static void test_readers(struct orl_map *map)
{
	pthread_t reader;
	void *misses;
	uintptr_t key;

	orl_threaded = true;
	orl_map_set(map, 7, value_of(7));
	pthread_create(&reader, NULL, read_always, map);
	for (key = 100; key < 100 + 10 * KEYS; key++) {
		orl_map_set(map, key, value_of(key));
		if (key > 120)
			orl_map_del(map, key - 20, value_of(key - 20));
	}
	stop = true;
	pthread_join(reader, &misses);
	check(!misses, "a reader missed a key during growth");
}

int main(void)
{
	static struct orl_map map = ORL_MAP_INIT, shared = ORL_MAP_INIT;

	test_options();
	test_words();
	test_map(&map);
	test_readers(&shared);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
