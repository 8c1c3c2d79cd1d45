/* SPDX-License-Identifier: ISC */
/*
 * An index from a 32-bit hash to references.  Several entries may have the
 * same hash: the caller looks at what a reference names.  Where the hash is a
 * bijection of the key, equal hashes mean equal keys.
 *
 * Buckets of eight entries, one cache line each; what does not fit goes on in
 * the next bucket, and nothing is left behind by a removal (Knuth, TAOCP
 * volume 3, section 6.4, linear probing with algorithm R).  All eight hashes
 * are compared at once: a look-up then rarely has a branch that the processor
 * guesses wrong while the memory is still on its way.
 *
 * An entry's home is given by the high bits of its hash, so the entries stand
 * nearly in the order of their hashes: growing walks through two arrays and
 * never through the records.
 */
#ifndef UBENCH_STORE_MEMFILE_HASH_INDEX_H
#define UBENCH_STORE_MEMFILE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { HASH_BUCKET_ENTRIES = 8 };

struct hash_bucket {
    uint32_t hashes[HASH_BUCKET_ENTRIES];
    uint32_t refs[HASH_BUCKET_ENTRIES]; /* 0: empty, and so are those behind */
};

struct hash_index {
    struct hash_bucket *buckets;
    uint64_t size;  /* in buckets, a power of two */
    uint64_t count; /* of entries */
    unsigned shift; /* home = hash >> shift */
};

/* Returns 0, or -1 if there is no memory. */
int hash_index_init(struct hash_index *index);
void hash_index_release(struct hash_index *index); /* zeroed is fine */

/* Adds an entry; ref is not 0.  Returns 0, or -1 if there is no memory. */
int hash_index_add(struct hash_index *index, uint32_t hash, uint32_t ref);

/* Removes the entry, which must be there. */
void hash_index_remove(struct hash_index *index, uint32_t hash, uint32_t ref);

void hash_index_clear(struct hash_index *index);

/* Fetches what a look-up of the hash, or a change, will want first. */
static inline void hash_index_prefetch(const struct hash_index *index,
                                       uint32_t hash)
{
    __builtin_prefetch(&index->buckets[hash >> index->shift], 1);
}

/* Which of a bucket's entries have that hash: bit i stands for entry i.  An
   empty one may be among them. */
static inline unsigned hash_bucket_match(const struct hash_bucket *bucket,
                                         uint32_t hash)
{
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi32((int)hash);
    const __m128i *const four = (const __m128i *)(const void *)bucket->hashes;
    const __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128(four), wanted);
    const __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128(four + 1), wanted);

    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(low)) |
           (unsigned)_mm_movemask_ps(_mm_castsi128_ps(high)) << 4;
#else
    unsigned match = 0;

    for (unsigned i = 0; i < HASH_BUCKET_ENTRIES; i++)
        match |= (unsigned)(bucket->hashes[i] == hash) << i;
    return match;
#endif
}

/* The references in no particular order, one for each place from 0 to
   hash_index_places - 1; 0: none there.  A removal may bring one back to its
   own place or behind it, from there on. */
static inline uint64_t hash_index_places(const struct hash_index *index)
{
    return index->size * HASH_BUCKET_ENTRIES;
}

static inline uint32_t hash_index_at(const struct hash_index *index,
                                     uint64_t place)
{
    return index->buckets[place / HASH_BUCKET_ENTRIES]
        .refs[place % HASH_BUCKET_ENTRIES];
}

/*
 * Walks the entries with one hash:
 *     struct hash_walk walk = hash_index_walk(index, hash);
 *     while ((ref = hash_walk_next(&walk)) != 0) ...
 */
struct hash_walk {
    const struct hash_index *index;
    uint64_t bucket;
    unsigned match; /* entries of the bucket that were not looked at */
    uint32_t hash;
};

static inline struct hash_walk hash_index_walk(const struct hash_index *index,
                                               uint32_t hash)
{
    const uint64_t home = hash >> index->shift;

    return (struct hash_walk){
        .index = index,
        .bucket = home,
        .match = hash_bucket_match(&index->buckets[home], hash),
        .hash = hash,
    };
}

static inline uint32_t hash_walk_next(struct hash_walk *walk)
{
    for (;;) {
        const struct hash_bucket *const bucket =
            &walk->index->buckets[walk->bucket];

        if (walk->match != 0) {
            const int i = __builtin_ctz(walk->match);

            walk->match &= walk->match - 1;
            return bucket->refs[i]; /* 0: matched emptiness, the end */
        }
        if (bucket->refs[HASH_BUCKET_ENTRIES - 1] == 0)
            return 0;
        walk->bucket = (walk->bucket + 1) & (walk->index->size - 1);
        walk->match =
            hash_bucket_match(&walk->index->buckets[walk->bucket], walk->hash);
    }
}

#endif
