/* SPDX-License-Identifier: ISC */
/*
 * A hash table from 32-bit hashes to references.  Several entries may have the
 * same hash: the caller compares the records that the references name.
 *
 * Open addressing with linear probing; a removal moves later entries up and
 * leaves no tombstone (Knuth, TAOCP volume 3, section 6.4, algorithm R).
 */
#ifndef UBENCH_STORE_MEMFILE_HASH_H
#define UBENCH_STORE_MEMFILE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_entry {
    uint32_t hash;
    uint32_t ref; /* 0: empty */
};

struct hash {
    struct hash_entry *entries;
    uint64_t size;  /* number of entries, a power of two */
    uint64_t count; /* number of entries in use */
};

/* Initialises an empty table.  Returns 0, or -1 if memory is short. */
int hash_init(struct hash *hash);
void hash_release(struct hash *hash); /* zeroed is fine */

/* Adds an entry; ref is not 0.  Returns 0, or -1 if memory is short. */
int hash_add(struct hash *hash, uint32_t key, uint32_t ref);

/* Removes the entry, which must be there. */
void hash_remove(struct hash *hash, uint32_t key, uint32_t ref);

/* Prefetches the first entry of a key. */
static inline void hash_prefetch(const struct hash *hash, uint32_t key)
{
    __builtin_prefetch(&hash->entries[key & (hash->size - 1)]);
}

/*
 * hash_next returns the references of a key, one per call, then 0:
 *
 *     uint64_t at = key;
 *     while ((ref = hash_next(hash, key, &at)) != 0) ...
 */
static inline uint32_t hash_next(const struct hash *hash, uint32_t key, uint64_t *at)
{
    for (;;) {
        const struct hash_entry *const entry = &hash->entries[(*at)++ & (hash->size - 1)];

        if (entry->ref == 0 || entry->hash == key)
            return entry->ref;
    }
}

/* Returns the hash of length bytes.  Kinds of keys that may have equal bytes
   use different seeds. */
uint32_t hash_bytes(const void *bytes, size_t length, uint64_t seed);

#endif
