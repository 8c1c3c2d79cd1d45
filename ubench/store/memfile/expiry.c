/* SPDX-License-Identifier: ISC */
#include "store/memfile/expiry.h"

#include <stdlib.h>
#include <string.h>

void expiry_release(struct expiry *expiry)
{
    free(expiry->seconds);
    *expiry = (struct expiry){ .slab = expiry->slab };
}

static struct expiry_links *links(const struct expiry *expiry, uint32_t ref)
{
    return slab_at(expiry->slab, ref);
}

/* Returns the position of the first second that is not before a time. */
static size_t find(const struct expiry *expiry, int64_t time_s)
{
    size_t low = 0;
    size_t high = expiry->count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (expiry->seconds[middle].time_s < time_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Inserts a second without records at a position. */
static int add_second(struct expiry *expiry, size_t at, int64_t time_s)
{
    if (expiry->count == expiry->capacity) {
        const size_t capacity = expiry->capacity > 0 ? 2 * expiry->capacity : 64;
        struct expiry_second *const seconds = realloc(expiry->seconds, capacity * sizeof *seconds);

        if (seconds == NULL)
            return -1;
        expiry->seconds = seconds;
        expiry->capacity = capacity;
    }
    memmove(expiry->seconds + at + 1, expiry->seconds + at,
            (expiry->count - at) * sizeof *expiry->seconds);
    expiry->seconds[at] = (struct expiry_second){ time_s, SLAB_NONE };
    expiry->count++;
    return 0;
}

int expiry_add(struct expiry *expiry, int64_t time_s, uint32_t ref)
{
    const size_t at = find(expiry, time_s);

    if ((at == expiry->count || expiry->seconds[at].time_s != time_s) &&
        add_second(expiry, at, time_s) != 0)
        return -1;
    uint32_t *const first = &expiry->seconds[at].first;
    *links(expiry, ref) = (struct expiry_links){ .next = *first };
    if (*first != SLAB_NONE)
        links(expiry, *first)->previous = ref;
    *first = ref;
    return 0;
}

void expiry_remove(struct expiry *expiry, int64_t time_s, uint32_t ref)
{
    const struct expiry_links *const own = links(expiry, ref);

    if (own->next != SLAB_NONE)
        links(expiry, own->next)->previous = own->previous;
    if (own->previous != SLAB_NONE) {
        links(expiry, own->previous)->next = own->next;
        return;
    }
    const size_t at = find(expiry, time_s);
    expiry->seconds[at].first = own->next;
    if (own->next == SLAB_NONE)
        memmove(expiry->seconds + at, expiry->seconds + at + 1,
                (--expiry->count - at) * sizeof *expiry->seconds);
}

uint32_t expiry_next(const struct expiry *expiry, int64_t before_s, struct expiry_walk *walk)
{
    if (walk->ref != SLAB_NONE)
        walk->ref = links(expiry, walk->ref)->next;
    if (walk->ref == SLAB_NONE && walk->second < expiry->count &&
        expiry->seconds[walk->second].time_s < before_s)
        walk->ref = expiry->seconds[walk->second++].first;
    return walk->ref;
}
