/* SPDX-License-Identifier: ISC */
/*
 * How a lease lies in the memory of a table, and how it is found there.  For
 * the files of lease_table.h alone, and inline: this is most of what a search
 * in memory does.
 */
#ifndef UBENCH_STORE_MEMFILE_LEASE_RECORD_H
#define UBENCH_STORE_MEMFILE_LEASE_RECORD_H

#include <string.h>

#include "store/memfile/lease_table.h"

/* A lease as it lies in memory: the first fields of struct lease in its order,
   so that they are copied as one, then the bytes of hwaddr, client-id and host
   name without a gap.  A v4 address takes the place of what v4 does not have,
   and the bytes that of the last two fields. */
struct lease_record {
    struct expiry_links expiry; /* must come first */
    int64_t cltt_s;
    uint32_t valid_s;
    uint32_t subnet_id;
    uint32_t pool_id;
    union {
        uint32_t v4_address;
        uint32_t iaid;
    };
    uint8_t state;
    bool fqdn_fwd;
    bool fqdn_rev;
    uint8_t hwaddr_length;
    uint8_t client_id_length;
    uint8_t hostname_length;
    uint8_t type;
    uint8_t prefix_length;
    struct lease_address v6_address;
    uint32_t preferred_s;
};

enum {
    LEASE_RECORD_FIXED_AT = offsetof(struct lease_record, cltt_s),
    LEASE_RECORD_V4_BYTES_AT = offsetof(struct lease_record, v6_address),
    LEASE_RECORD_V6_BYTES_AT =
        offsetof(struct lease_record, preferred_s) + sizeof(uint32_t),
};
_Static_assert(offsetof(struct lease, cltt_s) == 0 &&
                   offsetof(struct lease, iaid) + LEASE_RECORD_FIXED_AT ==
                       offsetof(struct lease_record, iaid) &&
                   offsetof(struct lease, prefix_length) +
                           LEASE_RECORD_FIXED_AT ==
                       offsetof(struct lease_record, prefix_length) &&
                   offsetof(struct lease, preferred_s) +
                           LEASE_RECORD_FIXED_AT ==
                       offsetof(struct lease_record, preferred_s),
               "record and lease begin with the same fields");

static inline struct lease_record *
lease_record_at(const struct lease_table *table, uint32_t ref)
{
    return slab_at(&table->slab, ref);
}

/* Fetches the lines that a record may reach into, all at once: where its host
   name is, the first line tells, and that would be too late. */
static inline void lease_record_prefetch(const struct lease_table *table,
                                         uint32_t ref)
{
    const char *const record = slab_at(&table->slab, ref);

    __builtin_prefetch(record);
    __builtin_prefetch(record + 64);
    __builtin_prefetch(record + 128);
}

/* Where the bytes of hwaddr, client-id and host name begin. */
static inline size_t lease_record_bytes_at(const struct lease_table *table)
{
    return table->family == LEASE_FAMILY_V4 ? LEASE_RECORD_V4_BYTES_AT
                                            : LEASE_RECORD_V6_BYTES_AT;
}

static inline size_t lease_record_size_of(const struct lease_table *table,
                                          const struct lease *lease)
{
    return lease_record_bytes_at(table) + lease->hwaddr_length +
           lease->client_id_length + lease->hostname_length;
}

static inline size_t lease_record_size(const struct lease_table *table,
                                       const struct lease_record *record)
{
    return lease_record_bytes_at(table) + record->hwaddr_length +
           record->client_id_length + record->hostname_length;
}

static inline const uint8_t *
lease_record_hwaddr(const struct lease_table *table,
                    const struct lease_record *record)
{
    return (const uint8_t *)record + lease_record_bytes_at(table);
}

static inline const uint8_t *
lease_record_client_id(const struct lease_table *table,
                       const struct lease_record *record)
{
    return lease_record_hwaddr(table, record) + record->hwaddr_length;
}

static inline int64_t lease_record_expire_s(const struct lease_record *record)
{
    return record->cltt_s + record->valid_s;
}

/* All but the links. */
static inline void lease_record_write(const struct lease_table *table,
                                      struct lease_record *record,
                                      const struct lease *lease)
{
    uint8_t *bytes = (uint8_t *)record + lease_record_bytes_at(table);

    if (table->family == LEASE_FAMILY_V4) {
        memcpy((char *)record + LEASE_RECORD_FIXED_AT, lease,
               LEASE_RECORD_V4_BYTES_AT - LEASE_RECORD_FIXED_AT);
        record->v4_address = (uint32_t)lease->address.low;
    } else {
        memcpy((char *)record + LEASE_RECORD_FIXED_AT, lease,
               LEASE_RECORD_V6_BYTES_AT - LEASE_RECORD_FIXED_AT);
    }
    memcpy(bytes, lease->hwaddr, lease->hwaddr_length);
    bytes += lease->hwaddr_length;
    memcpy(bytes, lease->client_id, lease->client_id_length);
    bytes += lease->client_id_length;
    memcpy(bytes, lease->hostname, lease->hostname_length);
}

/* Slab and lease both have room for whole blocks.  Few stores: how many the
   processor can keep waiting decides how many searches it overlaps. */
static inline void lease_record_read(const struct lease_table *table,
                                     const struct lease_record *record,
                                     struct lease *lease)
{
    const uint8_t *bytes = lease_record_hwaddr(table, record);

    if (table->family == LEASE_FAMILY_V4) {
        lease_copy_bytes(lease, (const char *)record + LEASE_RECORD_FIXED_AT,
                         LEASE_RECORD_V4_BYTES_AT - LEASE_RECORD_FIXED_AT);
        lease->address = lease_address_v4(record->v4_address);
    } else {
        lease_copy_bytes(lease, (const char *)record + LEASE_RECORD_FIXED_AT,
                         LEASE_RECORD_V6_BYTES_AT - LEASE_RECORD_FIXED_AT);
    }
    lease_copy_bytes(lease->hwaddr, bytes, record->hwaddr_length);
    bytes += record->hwaddr_length;
    lease_copy_bytes(lease->client_id, bytes, record->client_id_length);
    bytes += record->client_id_length;
    lease_copy_bytes(lease->hostname, bytes, record->hostname_length);
}

/* All leases in no particular order, one for each place below places;
   SLAB_NONE: none there. */
static inline uint64_t lease_table_places(const struct lease_table *table)
{
    return table->family == LEASE_FAMILY_V4
               ? address_index_places(&table->by_address)
               : hash_index_places(&table->by_v6_address);
}

static inline uint32_t lease_table_at(const struct lease_table *table,
                                      uint64_t place)
{
    return table->family == LEASE_FAMILY_V4
               ? address_index_at(&table->by_address, place)
               : hash_index_at(&table->by_v6_address, place);
}

/* Folds eight bytes at a time by multiplying, as wyhash does. */
static inline uint32_t lease_hash_bytes(const uint8_t *bytes, size_t length)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = length * factor;
    uint64_t word = 0;

    for (; length >= sizeof word; length -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
        bytes += sizeof word;
    }
    word = 0;
    for (size_t i = 0; i < length; i++)
        word = word << 8 | bytes[i];
    hash = (hash ^ word) * factor;
    hash ^= hash >> 32;
    return (uint32_t)(hash * factor >> 32);
}

/* Two words into the hash of something else. */
static inline uint32_t lease_hash_words(uint32_t hash, uint64_t a, uint64_t b)
{
    uint64_t mixed = hash;

    mixed = (mixed ^ a) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 32;
    mixed = (mixed ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 32;
    return (uint32_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline uint32_t lease_hash_address(struct lease_address address)
{
    return lease_hash_words(0, address.high, address.low);
}

/* Of a client-id, or of a DUID with its IAID and type. */
static inline uint32_t lease_hash_client_id(const struct lease_table *table,
                                            const uint8_t *bytes, size_t length,
                                            uint32_t iaid, uint8_t type)
{
    const uint32_t hash = lease_hash_bytes(bytes, length);

    return table->family == LEASE_FAMILY_V4
               ? hash
               : lease_hash_words(hash, iaid, type);
}

static inline uint32_t lease_table_v6_ref(const struct lease_table *table,
                                          struct lease_address address)
{
    struct hash_walk walk =
        hash_index_walk(&table->by_v6_address, lease_hash_address(address));
    uint32_t ref;

    while ((ref = hash_walk_next(&walk)) != SLAB_NONE) {
        lease_record_prefetch(table, ref);
        if (lease_address_equal(lease_record_at(table, ref)->v6_address,
                                address))
            return ref;
    }
    return SLAB_NONE;
}

/* The lease at an address, which is about to be read; SLAB_NONE: there is
   none. */
static inline uint32_t lease_table_ref(const struct lease_table *table,
                                       struct lease_address address)
{
    if (table->family == LEASE_FAMILY_V6)
        return lease_table_v6_ref(table, address);
    const uint32_t ref =
        address_index_get(&table->by_address, (uint32_t)address.low);

    lease_record_prefetch(table, ref);
    return ref;
}

#endif
