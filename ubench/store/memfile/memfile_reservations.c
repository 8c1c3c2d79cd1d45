/* SPDX-License-Identifier: ISC */
/*
 * Reservations, which Kea keeps in memory if they are in its configuration file: an index by subnet
 * and identifier, as in Kea's container of hosts.  No lock: all are added before the first search.
 */
#include <string.h>

#include "store/memfile/memfile.h"

struct reservation {
    uint32_t address;
    uint32_t subnet_id;
    uint8_t type;
    uint8_t length;
    uint8_t identifier[]; /* length bytes */
};

static uint32_t hash_reservation(const struct reservation_key *key)
{
    return hash_bytes(key->identifier, key->length, (uint64_t)key->type << 32 | key->subnet_id);
}

enum outcome memfile_find_reservation(struct session *session, const struct reservation_key *key,
                                      struct lease_address *address, struct err *err)
{
    const struct store *const store = session->store;
    const uint32_t hash = hash_reservation(key);
    uint64_t at = hash;
    uint32_t ref;

    (void)err;
    while ((ref = hash_next(&store->reservations, hash, &at)) != SLAB_NONE) {
        const struct reservation *const has = slab_at(&store->table.slab, ref);

        if (has->subnet_id == key->subnet_id && has->type == key->type &&
            has->length == key->length &&
            memcmp(has->identifier, key->identifier, key->length) == 0) {
            *address = lease_address_v4(has->address);
            return OUTCOME_HIT;
        }
    }
    return OUTCOME_MISS;
}

enum outcome memfile_add_reservation(struct session *session, const struct reservation_key *key,
                                     struct lease_address address, struct err *err)
{
    struct store *const store = session->store;
    struct slab *const slab = &store->table.slab;
    struct lease_address taken;

    if (memfile_find_reservation(session, key, &taken, err) == OUTCOME_HIT)
        return OUTCOME_MISS;
    const uint32_t ref = slab_take(slab, sizeof(struct reservation) + key->length);
    if (ref == SLAB_NONE || hash_add(&store->reservations, hash_reservation(key), ref) != 0)
        return (enum outcome)err_set(err, "memfile: out of memory");
    struct reservation *const added = slab_at(slab, ref);
    added->address = (uint32_t)address.low;
    added->subnet_id = key->subnet_id;
    added->type = (uint8_t)key->type;
    added->length = (uint8_t)key->length;
    memcpy(added->identifier, key->identifier, key->length);
    return OUTCOME_HIT;
}
