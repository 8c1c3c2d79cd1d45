/* SPDX-License-Identifier: ISC */
#include "store/hash_index.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_BITS = 12, HASH_BITS = 32 };

/* Zeroed memory straight from the system: it costs nothing until it is used,
   and all of it is given back. */
static struct hash_entry *take(uint64_t size)
{
    const size_t bytes = size * sizeof(struct hash_entry);
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static void give(struct hash_entry *entries, uint64_t size)
{
    if (entries != NULL)
        (void)munmap(entries, size * sizeof *entries);
}

int hash_index_init(struct hash_index *index)
{
    *index = (struct hash_index){
        .entries = take(UINT64_C(1) << FIRST_BITS),
        .size = UINT64_C(1) << FIRST_BITS,
        .shift = HASH_BITS - FIRST_BITS,
    };
    return index->entries != NULL ? 0 : -1;
}

void hash_index_release(struct hash_index *index)
{
    give(index->entries, index->size);
    *index = (struct hash_index){ 0 };
}

static void put(struct hash_index *index, struct hash_entry entry)
{
    const uint64_t mask = index->size - 1;
    uint64_t at = entry.hash >> index->shift;

    while (index->entries[at].ref != 0)
        at = (at + 1) & mask;
    index->entries[at] = entry;
}

static int grow(struct hash_index *index)
{
    struct hash_index bigger = *index;

    if (index->shift == 0)
        return -1;
    bigger.size = index->size * 2;
    bigger.shift = index->shift - 1;
    bigger.entries = take(bigger.size);
    if (bigger.entries == NULL)
        return -1;
    for (uint64_t i = 0; i < index->size; i++) {
        if (index->entries[i].ref != 0)
            put(&bigger, index->entries[i]);
    }
    give(index->entries, index->size);
    *index = bigger;
    return 0;
}

int hash_index_add(struct hash_index *index, uint32_t hash, uint32_t ref)
{
    /* At most three quarters full: a miss then looks at 8.5 entries on
       average, most of them on one cache line. */
    if (index->count >= index->size / 4 * 3 && grow(index) != 0)
        return -1;
    put(index, (struct hash_entry){ .hash = hash, .ref = ref });
    index->count++;
    return 0;
}

static uint64_t find(const struct hash_index *index, uint32_t hash,
                     uint32_t ref)
{
    const uint64_t mask = index->size - 1;
    uint64_t at = hash >> index->shift;

    while (index->entries[at].ref != ref) {
        assert(index->entries[at].ref != 0);
        at = (at + 1) & mask;
    }
    return at;
}

void hash_index_remove(struct hash_index *index, uint32_t hash, uint32_t ref)
{
    const uint64_t mask = index->size - 1;
    uint64_t hole = find(index, hash, ref);

    /* Entries behind the hole move into it unless their home lies behind. */
    for (uint64_t at = (hole + 1) & mask; index->entries[at].ref != 0;
         at = (at + 1) & mask) {
        const uint64_t home = index->entries[at].hash >> index->shift;

        if (((at - home) & mask) >= ((at - hole) & mask)) {
            index->entries[hole] = index->entries[at];
            hole = at;
        }
    }
    index->entries[hole] = (struct hash_entry){ 0 };
    index->count--;
}

void hash_index_replace(struct hash_index *index, uint32_t hash, uint32_t from,
                        uint32_t to)
{
    index->entries[find(index, hash, from)].ref = to;
}

void hash_index_clear(struct hash_index *index)
{
    memset(index->entries, 0, index->size * sizeof *index->entries);
    index->count = 0;
}
