/* SPDX-License-Identifier: ISC */
/* The half of lease_table.h that looks for leases. */
#include "store/memfile/lease_record.h"
#include "store/memfile/lease_table.h"

unsigned lease_table_find_address(const struct lease_table *table,
                                  struct lease_address address,
                                  enum lease_type type, struct lease *found)
{
    const uint32_t ref = lease_table_ref(table, address);

    if (ref == SLAB_NONE || (table->family == LEASE_FAMILY_V6 &&
                             lease_record_at(table, ref)->type != type))
        return 0;
    lease_record_read(table, lease_record_at(table, ref), found);
    return 1;
}

/* What a search by client compares: one of the two identifiers. */
struct wanted {
    const uint8_t *bytes;
    size_t length;
    bool client_id; /* or the hwaddr */
    uint32_t iaid;  /* of a DUID */
    enum lease_type type;
    uint32_t subnet_id; /* or LEASE_SUBNET_ANY */
};

static bool matches(const struct lease_table *table,
                    const struct lease_record *record,
                    const struct wanted *wanted)
{
    const size_t length =
        wanted->client_id ? record->client_id_length : record->hwaddr_length;
    const uint8_t *const bytes = wanted->client_id
                                     ? lease_record_client_id(table, record)
                                     : lease_record_hwaddr(table, record);

    if (wanted->client_id && table->family == LEASE_FAMILY_V6 &&
        (record->iaid != wanted->iaid || record->type != wanted->type ||
         (wanted->subnet_id != LEASE_SUBNET_ANY &&
          record->subnet_id != wanted->subnet_id)))
        return false;
    return length == wanted->length &&
           memcmp(bytes, wanted->bytes, length) == 0;
}

static unsigned count_match(const struct lease_table *table, uint32_t ref,
                            const struct wanted *wanted, unsigned matched,
                            struct lease *found)
{
    const struct lease_record *const record = lease_record_at(table, ref);

    if (!matches(table, record, wanted))
        return matched;
    if (matched == 0)
        lease_record_read(table, record, found);
    return 2 - (matched == 0);
}

static unsigned find_client(const struct lease_table *table,
                            const struct hash_index *index, uint32_t hash,
                            const struct wanted *wanted, struct lease *found)
{
    unsigned matched = 0;
    uint32_t ref;

    if (wanted->length == 0)
        return 0;
    if (table->indexed) {
        struct hash_walk walk = hash_index_walk(index, hash);

        while (matched < 2 && (ref = hash_walk_next(&walk)) != SLAB_NONE)
            matched = count_match(table, ref, wanted, matched, found);
        return matched;
    }
    for (uint64_t i = 0; i < lease_table_places(table) && matched < 2; i++) {
        ref = lease_table_at(table, i);
        if (ref != SLAB_NONE)
            matched = count_match(table, ref, wanted, matched, found);
    }
    return matched;
}

unsigned lease_table_find_hwaddr(const struct lease_table *table,
                                 const uint8_t *hwaddr, size_t length,
                                 struct lease *found)
{
    const struct wanted wanted = { .bytes = hwaddr, .length = length };

    return find_client(table, &table->by_hwaddr,
                       lease_hash_bytes(hwaddr, length), &wanted, found);
}

unsigned lease_table_find_client_id(const struct lease_table *table,
                                    const uint8_t *client_id, size_t length,
                                    struct lease *found)
{
    const struct wanted wanted = { .bytes = client_id,
                                   .length = length,
                                   .client_id = true };

    return find_client(table, &table->by_client_id,
                       lease_hash_bytes(client_id, length), &wanted, found);
}

unsigned lease_table_find_duid(const struct lease_table *table,
                               const uint8_t *duid, size_t length,
                               uint32_t iaid, enum lease_type type,
                               uint32_t subnet_id, struct lease *found)
{
    const struct wanted wanted = { .bytes = duid,
                                   .length = length,
                                   .client_id = true,
                                   .iaid = iaid,
                                   .type = type,
                                   .subnet_id = subnet_id };

    return find_client(
        table, &table->by_client_id,
        lease_hash_client_id(table, duid, length, iaid, (uint8_t)type), &wanted,
        found);
}

/* Without an index: the limit earliest ones, kept sorted while looking. */
static size_t scan_expired(const struct lease_table *table, int64_t now_s,
                           size_t limit, struct lease *found)
{
    size_t count = 0;

    for (uint64_t i = 0; i < lease_table_places(table) && limit > 0; i++) {
        const uint32_t ref = lease_table_at(table, i);
        const struct lease_record *const record = lease_record_at(table, ref);

        if (ref == SLAB_NONE || record->state == LEASE_STATE_RECLAIMED ||
            record->valid_s == LEASE_VALID_FOREVER ||
            lease_record_expire_s(record) >= now_s)
            continue;
        if (count == limit &&
            lease_expire_s(&found[count - 1]) <= lease_record_expire_s(record))
            continue;
        size_t at = count < limit ? count++ : count - 1;
        for (; at > 0 &&
               lease_expire_s(&found[at - 1]) > lease_record_expire_s(record);
             at--)
            found[at] = found[at - 1];
        lease_record_read(table, record, &found[at]);
    }
    return count;
}

size_t lease_table_expired(const struct lease_table *table, int64_t now_s,
                           size_t limit, struct lease *found)
{
    size_t count = 0;
    int64_t time_s;

    if (!table->indexed)
        return scan_expired(table, now_s, limit, found);
    uint32_t ref = expiry_index_first(&table->by_expiry, &time_s);
    while (ref != SLAB_NONE && time_s < now_s && count < limit) {
        lease_record_read(table, lease_record_at(table, ref), &found[count++]);
        ref = expiry_index_next(&table->by_expiry, &time_s, ref);
    }
    return count;
}

bool lease_table_reclaimed(const struct lease_table *table, int64_t before_s,
                           uint64_t *cursor, struct lease *found)
{
    int64_t time_s;

    if (table->indexed) {
        const uint32_t ref = expiry_index_first(&table->by_reclaimed, &time_s);

        if (ref == SLAB_NONE || time_s >= before_s)
            return false;
        lease_record_read(table, lease_record_at(table, ref), found);
        return true;
    }
    for (; *cursor < lease_table_places(table); ++*cursor) {
        const uint32_t ref = lease_table_at(table, *cursor);
        const struct lease_record *const record = lease_record_at(table, ref);

        if (ref != SLAB_NONE && record->state == LEASE_STATE_RECLAIMED &&
            lease_record_expire_s(record) < before_s) {
            lease_record_read(table, record, found);
            return true;
        }
    }
    return false;
}
