/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map.c - the writers of the handle map.  A key stays in its slot for ever
 * within one table, so readers need no lock; deleting clears the value.  A
 * table that fills up is replaced by one without the deleted keys.  The old
 * one is freed at once where no other thread can be reading it, else kept.
 */
#include "orl_util.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 256

static struct orl_map_table *make_table(size_t slots)
{
	struct orl_map_table *table =
		calloc(1, sizeof(*table) + slots * sizeof(table->slots[0]));

	if (!table)
		return NULL;
	table->mask = slots - 1;
	table->shift = 64 - (unsigned)__builtin_ctzl(slots);
	return table;
}

/* The key's slot, or the free one where it belongs. */
static struct orl_map_slot *find_slot(struct orl_map_table *table,
				      uintptr_t key)
{
	size_t i = orl_map_hash(table, key);

	for (;; i++) {
		struct orl_map_slot *slot = &table->slots[i & table->mask];
		uintptr_t k =
			atomic_load_explicit(&slot->key, memory_order_relaxed);
		if (k == key || !k)
			return slot;
	}
}

static void place(struct orl_map_slot *slot, uintptr_t key, void *value)
{
	/* Release, value before key: pairs with orl_map_find. */
	atomic_store_explicit(&slot->value, value, memory_order_release);
	atomic_store_explicit(&slot->key, key, memory_order_release);
}

static size_t copy_live(struct orl_map_table *to, struct orl_map_table *from)
{
	size_t i, live = 0;

	for (i = 0; i <= from->mask; i++) {
		struct orl_map_slot *slot = &from->slots[i];

		if (!slot->key || !slot->value)
			continue;
		place(find_slot(to, slot->key), slot->key, slot->value);
		live++;
	}
	return live;
}

static size_t count_live(const struct orl_map_table *table)
{
	size_t i, live = 0;

	for (i = 0; i <= table->mask; i++)
		live += table->slots[i].key && table->slots[i].value;
	return live;
}

static void publish(struct orl_map *map, struct orl_map_table *table)
{
	struct orl_map_table *old = map->table;

	/* Release: pairs with the acquire in orl_map_find. */
	atomic_store_explicit(&map->table, table, memory_order_release);
	if (orl_threaded)
		table->retired = old;
	else
		free(old);
}

/* Makes sure that one more key finds room. */
static int make_room(struct orl_map *map)
{
	struct orl_map_table *old = map->table, *table;
	size_t slots = FIRST_SLOTS;

	if (old && map->used < (old->mask + 1) / 2)
		return 0;
	if (old)
		while (slots < 4 * (count_live(old) + 1))
			slots *= 2;
	table = make_table(slots);
	if (!table)
		return -ENOMEM;
	map->used = old ? copy_live(table, old) : 0;
	publish(map, table);
	return 0;
}

int orl_map_set(struct orl_map *map, uintptr_t key, void *value)
{
	struct orl_map_slot *slot;
	int rc;

	pthread_mutex_lock(&map->lock);
	rc = make_room(map);
	if (!rc) {
		slot = find_slot(map->table, key);
		map->used += !slot->key;
		place(slot, key, value);
	}
	pthread_mutex_unlock(&map->lock);
	return rc;
}

void orl_map_del(struct orl_map *map, uintptr_t key, void *value)
{
	pthread_mutex_lock(&map->lock);
	if (map->table) {
		struct orl_map_slot *slot = find_slot(map->table, key);

		if (slot->key && slot->value == value)
			atomic_store_explicit(&slot->value, NULL,
					      memory_order_release);
	}
	pthread_mutex_unlock(&map->lock);
}

void orl_map_sweep(struct orl_map *map, bool (*fn)(void *value, void *arg),
		   void *arg)
{
	struct orl_map_table *table;
	size_t i;

	pthread_mutex_lock(&map->lock);
	table = atomic_load_explicit(&map->table, memory_order_relaxed);
	for (i = 0; table && i <= table->mask; i++) {
		void *value = atomic_load_explicit(&table->slots[i].value,
						   memory_order_relaxed);

		if (value && fn(value, arg))
			atomic_store_explicit(&table->slots[i].value, NULL,
					      memory_order_release);
	}
	pthread_mutex_unlock(&map->lock);
}
