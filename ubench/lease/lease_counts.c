/* SPDX-License-Identifier: ISC */
#include "lease/lease_counts.h"

#include <stdlib.h>

#include "core/random.h"

enum { CAPACITY_MIN = 16 };

void lease_counts_release(struct lease_counts *counts)
{
    free(counts->places);
    *counts = (struct lease_counts){ .places = NULL };
}

/* Returns the place of a kind, or a free one for it; one place at least must be
   free. */
static struct lease_count *find(const struct lease_counts *counts, const struct lease_kind *kind)
{
    uint64_t at = random_at((uint64_t)kind->subnet_id << 32 | kind->pool_id,
                            (uint64_t)kind->type << 8 | kind->state);

    for (;; at++) {
        struct lease_count *const place = &counts->places[at & (counts->capacity - 1)];

        if (!place->used || lease_kind_equal(&place->kind, kind))
            return place;
    }
}

/* Doubles the capacity. */
static int grow(struct lease_counts *counts)
{
    struct lease_counts larger = {
        .capacity = counts->capacity > 0 ? 2 * counts->capacity : CAPACITY_MIN,
        .used = counts->used,
    };

    larger.places = calloc(larger.capacity, sizeof *larger.places);
    if (larger.places == NULL)
        return -1;
    for (size_t i = 0; i < counts->capacity; i++) {
        if (counts->places[i].used)
            *find(&larger, &counts->places[i].kind) = counts->places[i];
    }
    free(counts->places);
    *counts = larger;
    return 0;
}

int lease_counts_add(struct lease_counts *counts, const struct lease_kind *kind, int64_t leases)
{
    /* Kea has counters for no other states. */
    if (kind->state != LEASE_STATE_DEFAULT && kind->state != LEASE_STATE_DECLINED)
        return 0;
    /* Keeps the table at most half full, so that a free place is always
       near. */
    if (counts->used + 1 > counts->capacity / 2 && grow(counts) != 0)
        return -1;
    struct lease_count *const place = find(counts, kind);
    counts->used += !place->used;
    place->used = true;
    place->kind = *kind;
    place->leases += leases;
    return 0;
}

int64_t lease_counts_of(const struct lease_counts *counts, const struct lease_kind *kind)
{
    return counts->capacity == 0 ? 0 : find(counts, kind)->leases;
}

bool lease_counts_equal(const struct lease_counts *a, const struct lease_counts *b,
                        struct lease_kind *kind)
{
    const struct lease_counts *const both[] = { a, b };

    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < both[side]->capacity; i++) {
            const struct lease_count *const place = &both[side]->places[i];

            *kind = place->kind;
            if (place->used && lease_counts_of(both[1 - side], kind) != place->leases)
                return false;
        }
    }
    return true;
}
