/* SPDX-License-Identifier: ISC */
#include "store/memfile/address_index.h"

#include <stdbool.h>
#include <string.h>

#include "store/memfile/slab.h"

enum { FIRST_BITS = 15 }; /* 1.5 MiB, of which memory is taken as it is used */

static int take(struct address_index *index, unsigned bits)
{
    *index = (struct address_index){ .size = UINT64_C(1) << bits,
                                     .shift = 64 + 3 - bits };
    index->groups = slab_map(index->size * sizeof *index->groups);
    return index->groups != NULL ? 0 : -1;
}

int address_index_init(struct address_index *index)
{
    return take(index, FIRST_BITS);
}

void address_index_release(struct address_index *index)
{
    slab_unmap(index->groups, index->size * sizeof *index->groups);
    *index = (struct address_index){ .groups = NULL };
}

static bool is_empty(const struct address_group *group)
{
    static const uint32_t none[ADDRESS_GROUP];

    return memcmp(group->refs, none, sizeof none) == 0;
}

/* Makes a table without the groups that have become empty, at most half full,
   so that many can be added before the next time. */
static int rebuild(struct address_index *index)
{
    struct address_index next;
    unsigned bits = FIRST_BITS;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < index->size; i++)
        kept += !is_empty(&index->groups[i]);
    while (UINT64_C(1) << bits < 2 * kept + 2)
        bits++;
    if (take(&next, bits) != 0)
        return -1;
    for (uint64_t i = 0; i < index->size; i++) {
        const struct address_group *const group = &index->groups[i];
        const struct lease_address first = { .low = (group->name - 1) << 3,
                                             .high = group->high };

        if (!is_empty(group))
            *address_index_group(&next, first) = *group;
    }
    next.count = kept;
    address_index_release(index);
    *index = next;
    return 0;
}

uint32_t *address_index_make(struct address_index *index,
                             struct lease_address address)
{
    struct address_group *group = address_index_group(index, address);

    if (group->name == 0) {
        /* At most three quarters full: then a search passes by few others. */
        if (index->count >= index->size / 4 * 3) {
            if (rebuild(index) != 0)
                return NULL;
            group = address_index_group(index, address);
        }
        group->high = address.high;
        group->name = (address.low >> 3) + 1;
        index->count++;
    }
    return &group->refs[address.low % ADDRESS_GROUP];
}
