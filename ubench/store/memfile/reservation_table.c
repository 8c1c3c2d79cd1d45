/* SPDX-License-Identifier: ISC */
#include "store/memfile/reservation_table.h"

#include <string.h>

#include "core/random.h"

struct record {
    uint32_t address;
    uint32_t subnet_id;
    uint8_t type;
    uint8_t length;
    uint8_t identifier[]; /* of that length */
};

int reservation_table_init(struct reservation_table *table)
{
    *table = (struct reservation_table){ .by_key.size = 0 };
    return slab_init(&table->slab) == 0 && hash_index_init(&table->by_key) == 0
               ? 0
               : -1;
}

void reservation_table_release(struct reservation_table *table)
{
    hash_index_release(&table->by_key);
    slab_release(&table->slab);
}

void reservation_table_clear(struct reservation_table *table)
{
    hash_index_clear(&table->by_key);
    slab_clear(&table->slab);
}

static uint32_t hash_key(const struct reservation_key *key)
{
    uint64_t hash = (uint64_t)key->type << 32 | key->subnet_id;

    for (size_t at = 0; at < key->length; at += sizeof hash) {
        const size_t left = key->length - at;
        uint64_t word = 0;

        memcpy(&word, key->identifier + at,
               left < sizeof word ? left : sizeof word);
        hash = random_mix(hash ^ word);
    }
    return (uint32_t)(hash >> 32);
}

static bool has_key(const struct record *record,
                    const struct reservation_key *key)
{
    return record->subnet_id == key->subnet_id && record->type == key->type &&
           record->length == key->length &&
           memcmp(record->identifier, key->identifier, key->length) == 0;
}

int reservation_table_add(struct reservation_table *table,
                          const struct reservation_key *key,
                          struct lease_address address)
{
    const size_t size = sizeof(struct record) + key->length;
    const uint32_t ref = slab_take(&table->slab, size);

    if (ref == SLAB_NONE)
        return -1;
    struct record *const record = slab_at(&table->slab, ref);
    record->address = (uint32_t)address.low;
    record->subnet_id = key->subnet_id;
    record->type = (uint8_t)key->type;
    record->length = (uint8_t)key->length;
    memcpy(record->identifier, key->identifier, key->length);
    return hash_index_add(&table->by_key, hash_key(key), ref);
}

bool reservation_table_find(const struct reservation_table *table,
                            const struct reservation_key *key,
                            struct lease_address *address)
{
    struct hash_walk walk = hash_index_walk(&table->by_key, hash_key(key));
    uint32_t ref;

    while ((ref = hash_walk_next(&walk)) != 0) {
        const struct record *const record = slab_at(&table->slab, ref);

        if (!has_key(record, key))
            continue;
        if (address != NULL)
            *address = lease_address_v4(record->address);
        return true;
    }
    return false;
}
