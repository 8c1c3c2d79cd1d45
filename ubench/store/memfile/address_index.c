/* SPDX-License-Identifier: ISC */
#include "store/memfile/address_index.h"

#include <stdbool.h>
#include <string.h>

#include "store/memfile/slab.h"

enum { FIRST_BITS = 11 }; /* one huge page of references, 2 MiB */

void address_index_release(struct address_index *index)
{
    slab_unmap(index->groups, index->size * sizeof *index->groups);
    slab_unmap(index->refs, index->size * sizeof *index->refs);
    *index = (struct address_index){ .groups = NULL };
}

static int take(struct address_index *index, unsigned bits)
{
    *index = (struct address_index){ .size = UINT64_C(1) << bits, .shift = 64 - bits };
    index->groups = slab_map(index->size * sizeof *index->groups);
    index->refs = slab_map(index->size * sizeof *index->refs);
    if (index->groups != NULL && index->refs != NULL)
        return 0;
    address_index_release(index);
    return -1;
}

int address_index_init(struct address_index *index)
{
    return take(index, FIRST_BITS);
}

static bool is_empty(const uint32_t refs[static ADDRESS_GROUP])
{
    static const uint32_t none[ADDRESS_GROUP];

    return memcmp(refs, none, sizeof none) == 0;
}

/* Rebuilds the table without empty groups and at most half full, so that many
   groups can be added before the next rebuild. */
static int rebuild(struct address_index *index)
{
    struct address_index next;
    unsigned bits = FIRST_BITS;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < index->size; i++)
        kept += !is_empty(index->refs[i]);
    while (UINT64_C(1) << bits < 2 * kept + 2)
        bits++;
    if (take(&next, bits) != 0)
        return -1;
    for (uint64_t i = 0; i < index->size; i++) {
        const struct address_group *const group = &index->groups[i];
        const struct lease_address first = { .low = (group->name - 1) * ADDRESS_GROUP,
                                             .high = group->high };

        if (is_empty(index->refs[i]))
            continue;
        const uint64_t place = address_index_group(&next, first);
        next.groups[place] = *group;
        memcpy(next.refs[place], index->refs[i], sizeof *next.refs);
    }
    next.count = kept;
    address_index_release(index);
    *index = next;
    return 0;
}

uint32_t *address_index_make(struct address_index *index, struct lease_address address)
{
    uint64_t place = address_index_group(index, address);

    if (index->groups[place].name == 0) {
        /* At most three quarters full, which keeps probe sequences short. */
        if (index->count >= index->size / 4 * 3) {
            if (rebuild(index) != 0)
                return NULL;
            place = address_index_group(index, address);
        }
        index->groups[place] =
            (struct address_group){ .high = address.high, .name = address.low / ADDRESS_GROUP + 1 };
        index->count++;
    }
    return &index->refs[place][address.low % ADDRESS_GROUP];
}
