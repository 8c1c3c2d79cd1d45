/* SPDX-License-Identifier: ISC */
#include "demand/tally.h"

#include <stdlib.h>

#include "core/random.h"

static struct tally_item *find(const struct tally *tally, uint64_t key)
{
    size_t i = random_mix(key + 1) & (tally->capacity - 1);

    while (tally->items[i].count > 0 && tally->items[i].key != key)
        i = (i + 1) & (tally->capacity - 1);
    return &tally->items[i];
}

static int grow(struct tally *tally, struct err *err)
{
    enum { FIRST_CAPACITY = 64 };
    struct tally larger = { .capacity =
                                tally->capacity > 0 ? 2 * tally->capacity : FIRST_CAPACITY };

    larger.items = err_calloc(larger.capacity, sizeof *larger.items, err);
    if (larger.items == NULL)
        return -1;
    for (size_t i = 0; i < tally->capacity; i++) {
        if (tally->items[i].count > 0)
            *find(&larger, tally->items[i].key) = tally->items[i];
    }
    larger.used = tally->used;
    free(tally->items);
    *tally = larger;
    return 0;
}

int tally_add(struct tally *tally, uint64_t key, uint64_t count, struct err *err)
{
    if (2 * tally->used >= tally->capacity && grow(tally, err) != 0)
        return -1;
    struct tally_item *const item = find(tally, key);
    tally->used += item->count == 0 && count > 0;
    item->key = key;
    item->count += count;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct tally_item *const left = a;
    const struct tally_item *const right = b;

    return (left->key > right->key) - (left->key < right->key);
}

void tally_sort(struct tally *tally)
{
    size_t used = 0;

    for (size_t i = 0; i < tally->capacity; i++) {
        if (tally->items[i].count > 0)
            tally->items[used++] = tally->items[i];
    }
    if (used > 0)
        qsort(tally->items, used, sizeof *tally->items, compare);
}

void tally_release(struct tally *tally)
{
    free(tally->items);
    *tally = (struct tally){ .items = NULL };
}
