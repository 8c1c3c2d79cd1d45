/* SPDX-License-Identifier: ISC */
#include "store/memfile/hash_index.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_BITS = 9, HASH_BITS = 32, LAST = HASH_BUCKET_ENTRIES - 1 };

/* Zeroed memory straight from the system: it costs nothing until it is used,
   all of it is given back, and it begins on a cache line. */
static struct hash_bucket *take(uint64_t size)
{
    const size_t bytes = size * sizeof(struct hash_bucket);
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static void give(struct hash_bucket *buckets, uint64_t size)
{
    if (buckets != NULL)
        (void)munmap(buckets, size * sizeof *buckets);
}

int hash_index_init(struct hash_index *index)
{
    *index = (struct hash_index){
        .buckets = take(UINT64_C(1) << FIRST_BITS),
        .size = UINT64_C(1) << FIRST_BITS,
        .shift = HASH_BITS - FIRST_BITS,
    };
    return index->buckets != NULL ? 0 : -1;
}

void hash_index_release(struct hash_index *index)
{
    give(index->buckets, index->size);
    *index = (struct hash_index){ 0 };
}

static bool is_full(const struct hash_bucket *bucket)
{
    return bucket->refs[LAST] != 0;
}

/* How many entries a bucket has: they stand in front. */
static unsigned fill(const struct hash_bucket *bucket)
{
    unsigned count = 0;

    for (unsigned i = 0; i < HASH_BUCKET_ENTRIES; i++)
        count += bucket->refs[i] != 0;
    return count;
}

static void put(struct hash_index *index, uint32_t hash, uint32_t ref)
{
    struct hash_bucket *bucket = &index->buckets[hash >> index->shift];

    while (is_full(bucket)) {
        bucket++;
        if (bucket == index->buckets + index->size)
            bucket = index->buckets;
    }
    const unsigned at = fill(bucket);
    bucket->hashes[at] = hash;
    bucket->refs[at] = ref;
}

static int grow(struct hash_index *index)
{
    struct hash_index bigger = *index;

    if (index->shift == 0)
        return -1;
    bigger.size = index->size * 2;
    bigger.shift = index->shift - 1;
    bigger.buckets = take(bigger.size);
    if (bigger.buckets == NULL)
        return -1;
    for (uint64_t i = 0; i < index->size; i++) {
        const struct hash_bucket *const bucket = &index->buckets[i];

        for (unsigned k = 0; k < fill(bucket); k++)
            put(&bigger, bucket->hashes[k], bucket->refs[k]);
    }
    give(index->buckets, index->size);
    *index = bigger;
    return 0;
}

int hash_index_add(struct hash_index *index, uint32_t hash, uint32_t ref)
{
    /* At most three quarters full: then one home in seven overflows. */
    if (index->count >= index->size * (HASH_BUCKET_ENTRIES * 3 / 4) &&
        grow(index) != 0)
        return -1;
    put(index, hash, ref);
    index->count++;
    return 0;
}

/* Finds the bucket and the place in it of an entry that is there. */
static uint64_t find(const struct hash_index *index, uint32_t hash,
                     uint32_t ref, unsigned *place)
{
    for (uint64_t at = hash >> index->shift;;
         at = (at + 1) & (index->size - 1)) {
        const struct hash_bucket *const bucket = &index->buckets[at];

        for (unsigned match = hash_bucket_match(bucket, hash); match != 0;
             match &= match - 1) {
            *place = (unsigned)__builtin_ctz(match);
            if (bucket->refs[*place] == ref)
                return at;
        }
        assert(is_full(bucket));
    }
}

/* The place of an entry of bucket `at` that could as well stand in bucket
   `hole`, not being past its home there; HASH_BUCKET_ENTRIES if none. */
static unsigned find_movable(const struct hash_index *index, uint64_t at,
                             uint64_t hole)
{
    const struct hash_bucket *const bucket = &index->buckets[at];
    const uint64_t mask = index->size - 1;
    unsigned i = 0;

    while (i < HASH_BUCKET_ENTRIES && bucket->refs[i] != 0) {
        const uint64_t home = bucket->hashes[i] >> index->shift;

        if (((at - home) & mask) >= ((at - hole) & mask))
            return i;
        i++;
    }
    return HASH_BUCKET_ENTRIES;
}

void hash_index_remove(struct hash_index *index, uint32_t hash, uint32_t ref)
{
    const uint64_t mask = index->size - 1;
    unsigned place;
    uint64_t hole = find(index, hash, ref, &place);

    index->count--;
    for (;;) {
        struct hash_bucket *const bucket = &index->buckets[hole];
        const bool overflows = is_full(bucket);
        const unsigned last = overflows ? LAST : fill(bucket) - 1;
        uint64_t at = hole;

        bucket->hashes[place] = bucket->hashes[last];
        bucket->refs[place] = bucket->refs[last];
        bucket->hashes[last] = 0;
        bucket->refs[last] = 0;
        if (!overflows)
            return;
        /* What did not fit here before has room now. */
        do {
            at = (at + 1) & mask;
            place = find_movable(index, at, hole);
        } while (place == HASH_BUCKET_ENTRIES && is_full(&index->buckets[at]));
        if (place == HASH_BUCKET_ENTRIES)
            return;
        bucket->hashes[last] = index->buckets[at].hashes[place];
        bucket->refs[last] = index->buckets[at].refs[place];
        hole = at;
    }
}

void hash_index_clear(struct hash_index *index)
{
    memset(index->buckets, 0, index->size * sizeof *index->buckets);
    index->count = 0;
}
