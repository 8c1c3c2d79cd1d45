/* SPDX-License-Identifier: ISC */
/*
 * An index from a 32-bit hash to references.  Several entries may have the
 * same hash: the caller looks at what a reference names.  Where the hash is a
 * bijection of the key, equal hashes mean equal keys.
 *
 * Open addressing, linear probing, no tombstones (Knuth, TAOCP volume 3,
 * section 6.4, algorithms L and R).  An entry's home is given by the high bits
 * of its hash, so the entries stand nearly in the order of their hashes and
 * growing is a walk through two arrays, never through the records.
 */
#ifndef UBENCH_STORE_HASH_INDEX_H
#define UBENCH_STORE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct hash_entry {
    uint32_t hash;
    uint32_t ref; /* 0: empty */
};

struct hash_index {
    struct hash_entry *entries;
    uint64_t size; /* a power of two */
    uint64_t count;
    unsigned shift; /* home = hash >> shift */
};

/* Returns 0, or -1 if there is no memory. */
int hash_index_init(struct hash_index *index);
void hash_index_release(struct hash_index *index); /* zeroed is fine */

/* Adds an entry; ref is not 0.  Returns 0, or -1 if there is no memory. */
int hash_index_add(struct hash_index *index, uint32_t hash, uint32_t ref);

/* Removes the entry, which must be there. */
void hash_index_remove(struct hash_index *index, uint32_t hash, uint32_t ref);

/* Puts another reference in the place of one that is there. */
void hash_index_replace(struct hash_index *index, uint32_t hash, uint32_t from,
                        uint32_t to);

void hash_index_clear(struct hash_index *index);

/*
 * Walks the entries with one hash:
 *     uint64_t at = hash_index_first(index, hash);
 *     while ((ref = hash_index_next(index, hash, &at)) != 0) ...
 */
static inline uint64_t hash_index_first(const struct hash_index *index,
                                        uint32_t hash)
{
    return hash >> index->shift;
}

static inline uint32_t hash_index_next(const struct hash_index *index,
                                       uint32_t hash, uint64_t *at)
{
    const uint64_t mask = index->size - 1;

    for (;;) {
        const struct hash_entry entry = index->entries[*at & mask];

        ++*at;
        if (entry.ref == 0 || entry.hash == hash)
            return entry.ref;
    }
}

/* Fetches what a look-up of the hash will want first. */
static inline void hash_index_prefetch(const struct hash_index *index,
                                       uint32_t hash)
{
    __builtin_prefetch(&index->entries[hash >> index->shift], 1);
}

#endif
