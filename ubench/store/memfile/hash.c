/* SPDX-License-Identifier: ISC */
#include "store/memfile/hash.h"

#include <string.h>

#include "core/random.h"
#include "store/memfile/slab.h"

enum { FIRST_SIZE = 1 << 12 };

static int init(struct hash *hash, uint64_t size)
{
    *hash = (struct hash){ .entries = slab_map(size * sizeof *hash->entries), .size = size };
    return hash->entries != NULL ? 0 : -1;
}

int hash_init(struct hash *hash)
{
    return init(hash, FIRST_SIZE);
}

void hash_release(struct hash *hash)
{
    slab_unmap(hash->entries, hash->size * sizeof *hash->entries);
    *hash = (struct hash){ .entries = NULL };
}

static void put(struct hash *hash, struct hash_entry entry)
{
    const uint64_t mask = hash->size - 1;
    uint64_t at = entry.hash & mask;

    while (hash->entries[at].ref != 0)
        at = (at + 1) & mask;
    hash->entries[at] = entry;
    hash->count++;
}

static int grow(struct hash *hash)
{
    struct hash larger;

    if (init(&larger, 2 * hash->size) != 0)
        return -1;
    for (uint64_t i = 0; i < hash->size; i++) {
        if (hash->entries[i].ref != 0)
            put(&larger, hash->entries[i]);
    }
    hash_release(hash);
    *hash = larger;
    return 0;
}

int hash_add(struct hash *hash, uint32_t key, uint32_t ref)
{
    /* At most three quarters full, which keeps probe sequences short. */
    if (hash->count >= hash->size / 4 * 3 && grow(hash) != 0)
        return -1;
    put(hash, (struct hash_entry){ key, ref });
    return 0;
}

void hash_remove(struct hash *hash, uint32_t key, uint32_t ref)
{
    const uint64_t mask = hash->size - 1;
    uint64_t hole = key & mask;

    while (hash->entries[hole].ref != ref)
        hole = (hole + 1) & mask;
    /* An entry after the hole moves into it and leaves another hole, unless
       its home position is also after the hole. */
    for (uint64_t at = (hole + 1) & mask; hash->entries[at].ref != 0; at = (at + 1) & mask) {
        const uint64_t home = hash->entries[at].hash & mask;

        if (((at - home) & mask) >= ((at - hole) & mask)) {
            hash->entries[hole] = hash->entries[at];
            hole = at;
        }
    }
    hash->entries[hole] = (struct hash_entry){ 0, 0 };
    hash->count--;
}

uint32_t hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const uint8_t *at = bytes;
    uint64_t hash = random_mix(seed ^ length);
    uint64_t word = 0;

    for (; length > sizeof word; length -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = random_mix(hash ^ word);
    }
    word = 0;
    while (length > 0)
        word = word << 8 | at[--length];
    return (uint32_t)random_mix(hash ^ word);
}
