/* SPDX-License-Identifier: ISC */
#include "store/memfile/reservations.h"

#include <string.h>

struct record {
    uint32_t address;
    uint32_t subnet_id;
    uint8_t type;
    uint8_t length;
    uint8_t identifier[]; /* of that length */
};

static uint32_t hash_key(const struct reservation_key *key)
{
    return hash_bytes(key->identifier, key->length,
                      (uint64_t)key->type << 32 | key->subnet_id);
}

enum outcome reservations_find(const struct reservations *reservations,
                               const struct reservation_key *key,
                               struct lease_address *address)
{
    const uint32_t hash = hash_key(key);
    uint64_t at = hash;
    uint32_t ref;

    while ((ref = hash_next(&reservations->by_key, hash, &at)) != SLAB_NONE) {
        const struct record *const record = slab_at(reservations->slab, ref);

        if (record->subnet_id == key->subnet_id && record->type == key->type &&
            record->length == key->length &&
            memcmp(record->identifier, key->identifier, key->length) == 0) {
            *address = lease_address_v4(record->address);
            return OUTCOME_HIT;
        }
    }
    return OUTCOME_MISS;
}

enum outcome reservations_add(struct reservations *reservations,
                              const struct reservation_key *key,
                              struct lease_address address, struct err *err)
{
    struct lease_address taken;

    if (reservations_find(reservations, key, &taken) == OUTCOME_HIT)
        return OUTCOME_MISS;
    const uint32_t ref =
        slab_take(reservations->slab, sizeof(struct record) + key->length);
    if (ref == SLAB_NONE ||
        hash_add(&reservations->by_key, hash_key(key), ref) != 0) {
        (void)err_set(err, "memfile: out of memory");
        return OUTCOME_ERROR;
    }
    struct record *const record = slab_at(reservations->slab, ref);
    record->address = (uint32_t)address.low;
    record->subnet_id = key->subnet_id;
    record->type = (uint8_t)key->type;
    record->length = (uint8_t)key->length;
    memcpy(record->identifier, key->identifier, key->length);
    return OUTCOME_HIT;
}
