/* SPDX-License-Identifier: ISC */
#include "store/lease_table.h"

#include <assert.h>
#include <string.h>

/* A lease as it lies in memory: the bytes of hwaddr, client-id and host name
   follow one another without a gap. */
struct record {
    struct expiry_links expiry; /* must come first */
    int64_t cltt_s;
    uint32_t address;
    uint32_t valid_s;
    uint32_t subnet_id;
    uint32_t pool_id;
    uint8_t state;
    uint8_t fqdn; /* bit 0: forward, bit 1: reverse */
    uint8_t hwaddr_length;
    uint8_t client_id_length;
    uint8_t hostname_length;
    uint8_t bytes[];
};

/* Kea's lifetime of a lease that never expires (RFC 2131, section 3.3). */
#define VALID_INFINITE UINT32_C(0xffffffff)

static struct record *record_at(const struct lease_table *table, uint32_t ref)
{
    return arena_at(&table->arena, ref);
}

static size_t lease_size(const struct lease *lease)
{
    return offsetof(struct record, bytes) + lease->hwaddr_length +
           lease->client_id_length + lease->hostname_length;
}

static size_t record_size(const struct record *record)
{
    return offsetof(struct record, bytes) + record->hwaddr_length +
           record->client_id_length + record->hostname_length;
}

static const uint8_t *record_hwaddr(const struct record *record)
{
    return record->bytes;
}

static const uint8_t *record_client_id(const struct record *record)
{
    return record->bytes + record->hwaddr_length;
}

static int64_t record_expire_s(const struct record *record)
{
    return record->cltt_s + record->valid_s;
}

/* All but the links. */
static void write_record(struct record *record, const struct lease *lease)
{
    uint8_t *bytes = record->bytes;

    record->cltt_s = lease->cltt_s;
    record->address = lease->address;
    record->valid_s = lease->valid_s;
    record->subnet_id = lease->subnet_id;
    record->pool_id = lease->pool_id;
    record->state = lease->state;
    record->fqdn = (uint8_t)(lease->fqdn_fwd | lease->fqdn_rev << 1);
    record->hwaddr_length = lease->hwaddr_length;
    record->client_id_length = lease->client_id_length;
    record->hostname_length = lease->hostname_length;
    memcpy(bytes, lease->hwaddr, lease->hwaddr_length);
    bytes += lease->hwaddr_length;
    memcpy(bytes, lease->client_id, lease->client_id_length);
    bytes += lease->client_id_length;
    memcpy(bytes, lease->hostname, lease->hostname_length);
}

static void read_record(const struct record *record, struct lease *lease)
{
    const uint8_t *bytes = record->bytes;

    lease->address = record->address;
    lease->valid_s = record->valid_s;
    lease->cltt_s = record->cltt_s;
    lease->subnet_id = record->subnet_id;
    lease->pool_id = record->pool_id;
    lease->state = record->state;
    lease->fqdn_fwd = (record->fqdn & 1) != 0;
    lease->fqdn_rev = (record->fqdn & 2) != 0;
    lease->hwaddr_length = record->hwaddr_length;
    lease->client_id_length = record->client_id_length;
    lease->hostname_length = record->hostname_length;
    memcpy(lease->hwaddr, bytes, record->hwaddr_length);
    bytes += record->hwaddr_length;
    memcpy(lease->client_id, bytes, record->client_id_length);
    bytes += record->client_id_length;
    memcpy(lease->hostname, bytes, record->hostname_length);
}

/* A bijection, so that equal hashes mean equal addresses; neighbours land far
   apart.  Source: Fibonacci hashing, Knuth, TAOCP volume 3, section 6.4. */
static uint32_t hash_address(uint32_t address)
{
    return address * UINT32_C(0x9e3779b1);
}

/* Folds eight bytes at a time by multiplying, as wyhash does. */
static uint32_t hash_bytes(const uint8_t *bytes, size_t length)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = length * factor;

    while (length > 0) {
        uint64_t word = 0;
        const size_t step = length < sizeof word ? length : sizeof word;

        memcpy(&word, bytes, step);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
        bytes += step;
        length -= step;
    }
    return (uint32_t)(hash * factor >> 32);
}

int lease_table_init(struct lease_table *table, bool indexed)
{
    *table = (struct lease_table){ .indexed = indexed };
    expiry_index_init(&table->by_expiry, &table->arena);
    expiry_index_init(&table->by_reclaimed, &table->arena);
    if (arena_init(&table->arena) == 0 &&
        hash_index_init(&table->by_address) == 0 &&
        (!indexed || (hash_index_init(&table->by_hwaddr) == 0 &&
                      hash_index_init(&table->by_client_id) == 0)))
        return 0;
    lease_table_release(table);
    return -1;
}

void lease_table_release(struct lease_table *table)
{
    expiry_index_release(&table->by_expiry);
    expiry_index_release(&table->by_reclaimed);
    hash_index_release(&table->by_address);
    hash_index_release(&table->by_hwaddr);
    hash_index_release(&table->by_client_id);
    arena_release(&table->arena);
}

void lease_table_clear(struct lease_table *table)
{
    expiry_index_release(&table->by_expiry);
    expiry_index_release(&table->by_reclaimed);
    hash_index_clear(&table->by_address);
    if (table->indexed) {
        hash_index_clear(&table->by_hwaddr);
        hash_index_clear(&table->by_client_id);
    }
    arena_clear(&table->arena);
}

uint64_t lease_table_count(const struct lease_table *table)
{
    /* Counted by looking: a lease that fell out of the index is lost. */
    uint64_t count = 0;

    for (uint64_t i = 0; i < table->by_address.size; i++)
        count += table->by_address.entries[i].ref != 0;
    return count;
}

/* Where a record belongs in the order of expiry; NULL: nowhere. */
static struct expiry_index *expiry_of(struct lease_table *table,
                                      const struct record *record)
{
    if (record->state == LEASE_STATE_RECLAIMED)
        return &table->by_reclaimed;
    return record->valid_s == VALID_INFINITE ? NULL : &table->by_expiry;
}

static int index_expiry(struct lease_table *table, uint32_t ref)
{
    const struct record *const record = record_at(table, ref);
    struct expiry_index *const index = expiry_of(table, record);

    return index == NULL
               ? 0
               : expiry_index_add(index, record_expire_s(record), ref);
}

static void unindex_expiry(struct lease_table *table, uint32_t ref)
{
    const struct record *const record = record_at(table, ref);
    struct expiry_index *const index = expiry_of(table, record);

    if (index != NULL)
        expiry_index_remove(index, record_expire_s(record), ref);
}

static int index_client(struct lease_table *table, uint32_t ref)
{
    const struct record *const record = record_at(table, ref);
    const uint32_t hwaddr =
        hash_bytes(record_hwaddr(record), record->hwaddr_length);
    const uint32_t client_id =
        hash_bytes(record_client_id(record), record->client_id_length);

    if (hash_index_add(&table->by_hwaddr, hwaddr, ref) != 0)
        return -1;
    if (hash_index_add(&table->by_client_id, client_id, ref) != 0) {
        hash_index_remove(&table->by_hwaddr, hwaddr, ref);
        return -1;
    }
    return 0;
}

static void unindex_client(struct lease_table *table, uint32_t ref)
{
    const struct record *const record = record_at(table, ref);

    hash_index_remove(&table->by_hwaddr,
                      hash_bytes(record_hwaddr(record), record->hwaddr_length),
                      ref);
    hash_index_remove(
        &table->by_client_id,
        hash_bytes(record_client_id(record), record->client_id_length), ref);
}

/* Puts a lease into the arena and all indexes but by_address. */
static uint32_t store(struct lease_table *table, const struct lease *lease)
{
    const size_t size = lease_size(lease);
    const uint32_t ref = arena_take(&table->arena, size);

    if (ref == ARENA_NONE)
        return ARENA_NONE;
    write_record(record_at(table, ref), lease);
    if (!table->indexed)
        return ref;
    if (index_client(table, ref) == 0) {
        if (index_expiry(table, ref) == 0)
            return ref;
        unindex_client(table, ref);
    }
    arena_give(&table->arena, ref, size);
    return ARENA_NONE;
}

/* The reverse of store. */
static void discard(struct lease_table *table, uint32_t ref)
{
    if (table->indexed) {
        unindex_client(table, ref);
        unindex_expiry(table, ref);
    }
    arena_give(&table->arena, ref, record_size(record_at(table, ref)));
}

static uint32_t find(const struct lease_table *table, uint32_t address)
{
    const uint32_t hash = hash_address(address);
    uint64_t at = hash_index_first(&table->by_address, hash);

    return hash_index_next(&table->by_address, hash, &at);
}

enum lease_table_change lease_table_add(struct lease_table *table,
                                        const struct lease *lease)
{
    if (find(table, lease->address) != ARENA_NONE)
        return LEASE_TABLE_UNCHANGED;
    const uint32_t ref = store(table, lease);
    if (ref == ARENA_NONE)
        return LEASE_TABLE_NO_MEMORY;
    if (hash_index_add(&table->by_address, hash_address(lease->address), ref) !=
        0) {
        discard(table, ref);
        return LEASE_TABLE_NO_MEMORY;
    }
    return LEASE_TABLE_CHANGED;
}

static bool same_client(const struct record *record, const struct lease *lease)
{
    return record->hwaddr_length == lease->hwaddr_length &&
           record->client_id_length == lease->client_id_length &&
           memcmp(record_hwaddr(record), lease->hwaddr, lease->hwaddr_length) ==
               0 &&
           memcmp(record_client_id(record), lease->client_id,
                  lease->client_id_length) == 0;
}

/* The usual renewal: the client and the record's size stay as they are. */
static enum lease_table_change rewrite(struct lease_table *table, uint32_t ref,
                                       const struct lease *lease)
{
    if (table->indexed)
        unindex_expiry(table, ref);
    write_record(record_at(table, ref), lease);
    if (table->indexed && index_expiry(table, ref) != 0)
        return LEASE_TABLE_NO_MEMORY;
    return LEASE_TABLE_CHANGED;
}

enum lease_table_change lease_table_update(struct lease_table *table,
                                           const struct lease *lease,
                                           int64_t expire_s)
{
    const uint32_t ref = find(table, lease->address);

    if (ref == ARENA_NONE)
        return LEASE_TABLE_UNCHANGED;
    const struct record *const record = record_at(table, ref);
    if (record_expire_s(record) != expire_s)
        return LEASE_TABLE_UNCHANGED;
    if (record->hostname_length == lease->hostname_length &&
        same_client(record, lease))
        return rewrite(table, ref, lease);
    const uint32_t moved = store(table, lease);
    if (moved == ARENA_NONE)
        return LEASE_TABLE_NO_MEMORY;
    hash_index_replace(&table->by_address, hash_address(lease->address), ref,
                       moved);
    discard(table, ref);
    return LEASE_TABLE_CHANGED;
}

enum lease_table_change lease_table_remove(struct lease_table *table,
                                           uint32_t address, int64_t expire_s,
                                           struct lease *removed)
{
    const uint32_t ref = find(table, address);

    if (ref == ARENA_NONE || record_expire_s(record_at(table, ref)) != expire_s)
        return LEASE_TABLE_UNCHANGED;
    if (removed != NULL)
        read_record(record_at(table, ref), removed);
    hash_index_remove(&table->by_address, hash_address(address), ref);
    discard(table, ref);
    return LEASE_TABLE_CHANGED;
}

unsigned lease_table_find_address(const struct lease_table *table,
                                  uint32_t address, struct lease *found)
{
    const uint32_t ref = find(table, address);

    if (ref == ARENA_NONE)
        return 0;
    read_record(record_at(table, ref), found);
    return 1;
}

/* What a search by client compares: one of the two identifiers. */
struct wanted {
    const uint8_t *bytes;
    size_t length;
    bool client_id; /* or the hwaddr */
};

static bool matches(const struct record *record, const struct wanted *wanted)
{
    const size_t length =
        wanted->client_id ? record->client_id_length : record->hwaddr_length;
    const uint8_t *const bytes =
        wanted->client_id ? record_client_id(record) : record_hwaddr(record);

    return length == wanted->length &&
           memcmp(bytes, wanted->bytes, length) == 0;
}

static unsigned count_match(const struct lease_table *table, uint32_t ref,
                            const struct wanted *wanted, unsigned matched,
                            struct lease *found)
{
    const struct record *const record = record_at(table, ref);

    if (!matches(record, wanted))
        return matched;
    if (matched == 0)
        read_record(record, found);
    return 2 - (matched == 0);
}

static unsigned find_client(const struct lease_table *table,
                            const struct hash_index *index,
                            const struct wanted *wanted, struct lease *found)
{
    unsigned matched = 0;
    uint32_t ref;

    if (table->indexed) {
        const uint32_t hash = hash_bytes(wanted->bytes, wanted->length);
        uint64_t at = hash_index_first(index, hash);

        while (matched < 2 &&
               (ref = hash_index_next(index, hash, &at)) != ARENA_NONE)
            matched = count_match(table, ref, wanted, matched, found);
        return matched;
    }
    for (uint64_t i = 0; i < table->by_address.size && matched < 2; i++) {
        ref = table->by_address.entries[i].ref;
        if (ref != ARENA_NONE)
            matched = count_match(table, ref, wanted, matched, found);
    }
    return matched;
}

unsigned lease_table_find_hwaddr(const struct lease_table *table,
                                 const uint8_t *hwaddr, size_t length,
                                 struct lease *found)
{
    const struct wanted wanted = { .bytes = hwaddr, .length = length };

    return find_client(table, &table->by_hwaddr, &wanted, found);
}

unsigned lease_table_find_client_id(const struct lease_table *table,
                                    const uint8_t *client_id, size_t length,
                                    struct lease *found)
{
    const struct wanted wanted = { .bytes = client_id,
                                   .length = length,
                                   .client_id = true };

    return find_client(table, &table->by_client_id, &wanted, found);
}

/* Without an index: the limit earliest ones, kept sorted while looking. */
static size_t scan_expired(const struct lease_table *table, int64_t now_s,
                           size_t limit, struct lease *found)
{
    size_t count = 0;

    for (uint64_t i = 0; i < table->by_address.size && limit > 0; i++) {
        const uint32_t ref = table->by_address.entries[i].ref;
        const struct record *const record = record_at(table, ref);

        if (ref == ARENA_NONE || record->state == LEASE_STATE_RECLAIMED ||
            record->valid_s == VALID_INFINITE ||
            record_expire_s(record) >= now_s)
            continue;
        if (count == limit &&
            lease_expire_s(&found[count - 1]) <= record_expire_s(record))
            continue;
        size_t at = count < limit ? count++ : count - 1;
        for (;
             at > 0 && lease_expire_s(&found[at - 1]) > record_expire_s(record);
             at--)
            found[at] = found[at - 1];
        read_record(record, &found[at]);
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
    while (ref != ARENA_NONE && time_s < now_s && count < limit) {
        read_record(record_at(table, ref), &found[count++]);
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

        if (ref == ARENA_NONE || time_s >= before_s)
            return false;
        read_record(record_at(table, ref), found);
        return true;
    }
    /* Removing pulls later entries forward, so the same place is looked at
       again. */
    for (; *cursor < table->by_address.size; ++*cursor) {
        const uint32_t ref = table->by_address.entries[*cursor].ref;
        const struct record *const record = record_at(table, ref);

        if (ref != ARENA_NONE && record->state == LEASE_STATE_RECLAIMED &&
            record_expire_s(record) < before_s) {
            read_record(record, found);
            return true;
        }
    }
    return false;
}
