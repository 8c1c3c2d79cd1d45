/* SPDX-License-Identifier: ISC */
#include "store/lease_table.h"

#include <assert.h>
#include <string.h>

/* A lease as it lies in memory: the first fields of struct lease in its order,
   so that they are copied as one, then the bytes of hwaddr, client-id and host
   name without a gap.  A v4 address takes the place of what v4 does not have,
   and the bytes that of the last two fields. */
struct record {
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
    FIXED_AT = offsetof(struct record, cltt_s),
    V4_BYTES_AT = offsetof(struct record, v6_address),
    V6_BYTES_AT = offsetof(struct record, preferred_s) + sizeof(uint32_t),
};
_Static_assert(offsetof(struct lease, cltt_s) == 0 &&
                   offsetof(struct lease, iaid) + FIXED_AT ==
                       offsetof(struct record, iaid) &&
                   offsetof(struct lease, prefix_length) + FIXED_AT ==
                       offsetof(struct record, prefix_length) &&
                   offsetof(struct lease, preferred_s) + FIXED_AT ==
                       offsetof(struct record, preferred_s),
               "record and lease begin with the same fields");

/* Kea's lifetime of a lease that never expires (RFC 2131, section 3.3). */
#define VALID_INFINITE UINT32_C(0xffffffff)

static struct record *record_at(const struct lease_table *table, uint32_t ref)
{
    return arena_at(&table->arena, ref);
}

/* Fetches the lines that a record may reach into, all at once: where its host
   name is, the first line tells, and that would be too late. */
static void prefetch_record(const struct lease_table *table, uint32_t ref)
{
    const char *const record = arena_at(&table->arena, ref);

    __builtin_prefetch(record);
    __builtin_prefetch(record + 64);
    __builtin_prefetch(record + 128);
}

/* Where the bytes of hwaddr, client-id and host name begin. */
static size_t bytes_at(const struct lease_table *table)
{
    return table->family == LEASE_FAMILY_V4 ? V4_BYTES_AT : V6_BYTES_AT;
}

static size_t lease_size(const struct lease_table *table,
                         const struct lease *lease)
{
    return bytes_at(table) + lease->hwaddr_length + lease->client_id_length +
           lease->hostname_length;
}

static size_t record_size(const struct lease_table *table,
                          const struct record *record)
{
    return bytes_at(table) + record->hwaddr_length + record->client_id_length +
           record->hostname_length;
}

static const uint8_t *record_hwaddr(const struct lease_table *table,
                                    const struct record *record)
{
    return (const uint8_t *)record + bytes_at(table);
}

static const uint8_t *record_client_id(const struct lease_table *table,
                                       const struct record *record)
{
    return record_hwaddr(table, record) + record->hwaddr_length;
}

static int64_t record_expire_s(const struct record *record)
{
    return record->cltt_s + record->valid_s;
}

/* All but the links. */
static void write_record(const struct lease_table *table, struct record *record,
                         const struct lease *lease)
{
    uint8_t *bytes = (uint8_t *)record + bytes_at(table);

    if (table->family == LEASE_FAMILY_V4) {
        memcpy((char *)record + FIXED_AT, lease, V4_BYTES_AT - FIXED_AT);
        record->v4_address = (uint32_t)lease->address.low;
    } else {
        memcpy((char *)record + FIXED_AT, lease, V6_BYTES_AT - FIXED_AT);
    }
    memcpy(bytes, lease->hwaddr, lease->hwaddr_length);
    bytes += lease->hwaddr_length;
    memcpy(bytes, lease->client_id, lease->client_id_length);
    bytes += lease->client_id_length;
    memcpy(bytes, lease->hostname, lease->hostname_length);
}

/* Arena and lease both have room for whole blocks.  Few stores: how many the
   processor can keep waiting decides how many searches it overlaps. */
static inline void read_record(const struct lease_table *table,
                               const struct record *record, struct lease *lease)
{
    const uint8_t *bytes = record_hwaddr(table, record);

    if (table->family == LEASE_FAMILY_V4) {
        lease_copy_bytes(lease, (const char *)record + FIXED_AT,
                         V4_BYTES_AT - FIXED_AT);
        lease->address = lease_address_v4(record->v4_address);
    } else {
        lease_copy_bytes(lease, (const char *)record + FIXED_AT,
                         V6_BYTES_AT - FIXED_AT);
    }
    lease_copy_bytes(lease->hwaddr, bytes, record->hwaddr_length);
    bytes += record->hwaddr_length;
    lease_copy_bytes(lease->client_id, bytes, record->client_id_length);
    bytes += record->client_id_length;
    lease_copy_bytes(lease->hostname, bytes, record->hostname_length);
}

/* Folds eight bytes at a time by multiplying, as wyhash does. */
static uint32_t hash_bytes(const uint8_t *bytes, size_t length)
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
static uint32_t hash_words(uint32_t hash, uint64_t a, uint64_t b)
{
    uint64_t mixed = hash;

    mixed = (mixed ^ a) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 32;
    mixed = (mixed ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 32;
    return (uint32_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t hash_address(struct lease_address address)
{
    return hash_words(0, address.high, address.low);
}

/* Of a client-id, or of a DUID with its IAID and type. */
static uint32_t hash_client_id(const struct lease_table *table,
                               const uint8_t *bytes, size_t length,
                               uint32_t iaid, uint8_t type)
{
    const uint32_t hash = hash_bytes(bytes, length);

    return table->family == LEASE_FAMILY_V4 ? hash
                                            : hash_words(hash, iaid, type);
}

static int init_addresses(struct lease_table *table)
{
    return table->family == LEASE_FAMILY_V4
               ? address_index_init(&table->by_address)
               : hash_index_init(&table->by_v6_address);
}

int lease_table_init(struct lease_table *table, enum lease_family family,
                     bool indexed)
{
    *table = (struct lease_table){ .family = family, .indexed = indexed };
    expiry_index_init(&table->by_expiry, &table->arena);
    expiry_index_init(&table->by_reclaimed, &table->arena);
    if (arena_init(&table->arena) == 0 && init_addresses(table) == 0 &&
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
    address_index_release(&table->by_address);
    hash_index_release(&table->by_v6_address);
    hash_index_release(&table->by_hwaddr);
    hash_index_release(&table->by_client_id);
    lease_counts_release(&table->by_subnet);
    lease_counts_release(&table->by_pool);
    arena_release(&table->arena);
}

void lease_table_clear(struct lease_table *table)
{
    expiry_index_release(&table->by_expiry);
    expiry_index_release(&table->by_reclaimed);
    if (table->family == LEASE_FAMILY_V4)
        address_index_clear(&table->by_address);
    else
        hash_index_clear(&table->by_v6_address);
    if (table->indexed) {
        hash_index_clear(&table->by_hwaddr);
        hash_index_clear(&table->by_client_id);
    }
    lease_counts_clear(&table->by_subnet);
    lease_counts_clear(&table->by_pool);
    arena_clear(&table->arena);
}

/* All leases in no particular order, one for each place below places;
   ARENA_NONE: none there. */
static uint64_t places(const struct lease_table *table)
{
    return table->family == LEASE_FAMILY_V4
               ? address_index_places(&table->by_address)
               : hash_index_places(&table->by_v6_address);
}

static uint32_t lease_at(const struct lease_table *table, uint64_t place)
{
    return table->family == LEASE_FAMILY_V4
               ? address_index_at(&table->by_address, place)
               : hash_index_at(&table->by_v6_address, place);
}

uint64_t lease_table_count(const struct lease_table *table)
{
    /* Counted by looking: a lease that fell out of the index is lost. */
    uint64_t count = 0;

    for (uint64_t i = 0; i < places(table); i++)
        count += lease_at(table, i) != ARENA_NONE;
    return count;
}

int lease_table_count_kinds(struct lease_table *table, size_t subnets)
{
    enum { COUNTED_STATES = 2 };

    table->counted = true;
    if (lease_counts_reserve(&table->by_subnet, COUNTED_STATES * subnets) != 0)
        return -1;
    return lease_counts_reserve(&table->by_pool, COUNTED_STATES * subnets);
}

static struct lease_kind record_kind(const struct record *record)
{
    return (struct lease_kind){ .subnet_id = record->subnet_id,
                                .pool_id = record->pool_id,
                                .type = record->type,
                                .state = record->state };
}

int lease_table_look_at_kinds(const struct lease_table *table,
                              struct lease_counts *counts)
{
    for (uint64_t i = 0; i < places(table); i++) {
        const uint32_t ref = lease_at(table, i);

        if (ref == ARENA_NONE)
            continue;
        const struct lease_kind kind = record_kind(record_at(table, ref));
        if (lease_counts_add(counts, &kind, 1) != 0)
            return -1;
    }
    return 0;
}

/* A lease more, or less, of a kind.  Returns 0, or -1 if there is no memory,
   which counting less of a kind that there is does not need. */
static int count_kind(struct lease_table *table, struct lease_kind kind,
                      int64_t leases)
{
    if (!table->counted)
        return 0;
    if (lease_counts_add(&table->by_pool, &kind, leases) != 0)
        return -1;
    kind.pool_id = 0;
    return lease_counts_add(&table->by_subnet, &kind, leases);
}

/* A lease is of another kind than before.  0, or -1 as above. */
static int recount_kind(struct lease_table *table,
                        const struct lease_kind *before,
                        const struct lease_kind *after)
{
    if (lease_kind_equal(before, after))
        return 0;
    (void)count_kind(table, *before, -1);
    return count_kind(table, *after, 1);
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

/* Where a record stands in the two indexes by client.  What is empty stands
   nowhere: declined leases have no client, and would all have one hash. */
struct client_hashes {
    bool has_hwaddr;
    bool has_client_id;
    uint32_t hwaddr;
    uint32_t client_id;
};

/* Makes the hashes, and fetches what the indexes have there: both at once,
   while there is other work to do. */
static struct client_hashes hash_client(const struct lease_table *table,
                                        const struct record *record)
{
    const struct client_hashes hashes = {
        .has_hwaddr = record->hwaddr_length > 0,
        .has_client_id = record->client_id_length > 0,
        .hwaddr =
            hash_bytes(record_hwaddr(table, record), record->hwaddr_length),
        .client_id = hash_client_id(table, record_client_id(table, record),
                                    record->client_id_length, record->iaid,
                                    record->type),
    };

    hash_index_prefetch(&table->by_hwaddr, hashes.hwaddr);
    hash_index_prefetch(&table->by_client_id, hashes.client_id);
    return hashes;
}

static int index_client(struct lease_table *table, struct client_hashes hashes,
                        uint32_t ref)
{
    if (hashes.has_hwaddr &&
        hash_index_add(&table->by_hwaddr, hashes.hwaddr, ref) != 0)
        return -1;
    if (!hashes.has_client_id ||
        hash_index_add(&table->by_client_id, hashes.client_id, ref) == 0)
        return 0;
    if (hashes.has_hwaddr)
        hash_index_remove(&table->by_hwaddr, hashes.hwaddr, ref);
    return -1;
}

static void unindex_client(struct lease_table *table,
                           struct client_hashes hashes, uint32_t ref)
{
    if (hashes.has_hwaddr)
        hash_index_remove(&table->by_hwaddr, hashes.hwaddr, ref);
    if (hashes.has_client_id)
        hash_index_remove(&table->by_client_id, hashes.client_id, ref);
}

/* Puts a lease into the arena and all indexes but those by address. */
static uint32_t store(struct lease_table *table, const struct lease *lease)
{
    const size_t size = lease_size(table, lease);
    const uint32_t ref = arena_take(&table->arena, size);

    if (ref == ARENA_NONE)
        return ARENA_NONE;
    struct record *const record = record_at(table, ref);
    write_record(table, record, lease);
    if (!table->indexed)
        return ref;
    const struct client_hashes hashes = hash_client(table, record);
    if (index_expiry(table, ref) == 0) {
        if (index_client(table, hashes, ref) == 0)
            return ref;
        unindex_expiry(table, ref);
    }
    arena_give(&table->arena, ref, size);
    return ARENA_NONE;
}

/* The reverse of store. */
static void discard(struct lease_table *table, uint32_t ref)
{
    const struct record *const record = record_at(table, ref);

    if (table->indexed) {
        const struct client_hashes hashes = hash_client(table, record);

        unindex_expiry(table, ref);
        unindex_client(table, hashes, ref);
    }
    arena_give(&table->arena, ref, record_size(table, record));
}

static uint32_t find_v6(const struct lease_table *table,
                        struct lease_address address)
{
    struct hash_walk walk =
        hash_index_walk(&table->by_v6_address, hash_address(address));
    uint32_t ref;

    while ((ref = hash_walk_next(&walk)) != ARENA_NONE) {
        prefetch_record(table, ref);
        if (lease_address_equal(record_at(table, ref)->v6_address, address))
            return ref;
    }
    return ARENA_NONE;
}

static uint32_t find(const struct lease_table *table,
                     struct lease_address address)
{
    if (table->family == LEASE_FAMILY_V6)
        return find_v6(table, address);
    const uint32_t ref =
        address_index_get(&table->by_address, (uint32_t)address.low);

    prefetch_record(table, ref);
    return ref;
}

/* Both make find return ref, or what is there no more.  0, or -1 if there is no
   memory, which only adding can need. */

static int add_address(struct lease_table *table, struct lease_address address,
                       uint32_t ref)
{
    if (table->family == LEASE_FAMILY_V6)
        return hash_index_add(&table->by_v6_address, hash_address(address),
                              ref);
    address_index_set(&table->by_address, (uint32_t)address.low, ref);
    return 0;
}

static void remove_address(struct lease_table *table,
                           struct lease_address address, uint32_t ref)
{
    if (table->family == LEASE_FAMILY_V6)
        hash_index_remove(&table->by_v6_address, hash_address(address), ref);
    else
        address_index_set(&table->by_address, (uint32_t)address.low,
                          ARENA_NONE);
}

enum lease_table_change lease_table_add(struct lease_table *table,
                                        const struct lease *lease)
{
    if (find(table, lease->address) != ARENA_NONE)
        return LEASE_TABLE_UNCHANGED;
    const uint32_t ref = store(table, lease);
    if (ref == ARENA_NONE)
        return LEASE_TABLE_NO_MEMORY;
    if (add_address(table, lease->address, ref) != 0) {
        discard(table, ref);
        return LEASE_TABLE_NO_MEMORY;
    }
    return count_kind(table, record_kind(record_at(table, ref)), 1) == 0
               ? LEASE_TABLE_CHANGED
               : LEASE_TABLE_NO_MEMORY;
}

static bool same_client(const struct lease_table *table,
                        const struct record *record, const struct lease *lease)
{
    return record->hwaddr_length == lease->hwaddr_length &&
           record->client_id_length == lease->client_id_length &&
           (table->family == LEASE_FAMILY_V4 ||
            (record->iaid == lease->iaid && record->type == lease->type)) &&
           memcmp(record_hwaddr(table, record), lease->hwaddr,
                  lease->hwaddr_length) == 0 &&
           memcmp(record_client_id(table, record), lease->client_id,
                  lease->client_id_length) == 0;
}

/* The usual renewal: the client and the record's size stay as they are. */
static enum lease_table_change rewrite(struct lease_table *table, uint32_t ref,
                                       const struct lease *lease)
{
    struct record *const record = record_at(table, ref);
    const struct lease_kind before = record_kind(record);

    if (table->indexed)
        unindex_expiry(table, ref);
    write_record(table, record, lease);
    const struct lease_kind after = record_kind(record);
    if ((table->indexed && index_expiry(table, ref) != 0) ||
        recount_kind(table, &before, &after) != 0)
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
        same_client(table, record, lease))
        return rewrite(table, ref, lease);
    const struct lease_kind before = record_kind(record);
    const uint32_t moved = store(table, lease);
    if (moved == ARENA_NONE)
        return LEASE_TABLE_NO_MEMORY;
    const struct lease_kind after = record_kind(record_at(table, moved));
    if (recount_kind(table, &before, &after) != 0)
        return LEASE_TABLE_NO_MEMORY;
    /* Another one has just been there: adding needs no memory. */
    remove_address(table, lease->address, ref);
    (void)add_address(table, lease->address, moved);
    discard(table, ref);
    return LEASE_TABLE_CHANGED;
}

enum lease_table_change lease_table_remove(struct lease_table *table,
                                           struct lease_address address,
                                           int64_t expire_s,
                                           struct lease *removed)
{
    const uint32_t ref = find(table, address);

    if (ref == ARENA_NONE || record_expire_s(record_at(table, ref)) != expire_s)
        return LEASE_TABLE_UNCHANGED;
    if (removed != NULL)
        read_record(table, record_at(table, ref), removed);
    (void)count_kind(table, record_kind(record_at(table, ref)), -1);
    remove_address(table, address, ref);
    discard(table, ref);
    return LEASE_TABLE_CHANGED;
}

unsigned lease_table_find_address(const struct lease_table *table,
                                  struct lease_address address,
                                  enum lease_type type, struct lease *found)
{
    const uint32_t ref = find(table, address);

    if (ref == ARENA_NONE || (table->family == LEASE_FAMILY_V6 &&
                              record_at(table, ref)->type != type))
        return 0;
    read_record(table, record_at(table, ref), found);
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
                    const struct record *record, const struct wanted *wanted)
{
    const size_t length =
        wanted->client_id ? record->client_id_length : record->hwaddr_length;
    const uint8_t *const bytes = wanted->client_id
                                     ? record_client_id(table, record)
                                     : record_hwaddr(table, record);

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
    const struct record *const record = record_at(table, ref);

    if (!matches(table, record, wanted))
        return matched;
    if (matched == 0)
        read_record(table, record, found);
    return 2 - (matched == 0);
}

static unsigned find_client(const struct lease_table *table,
                            const struct hash_index *index, uint32_t hash,
                            const struct wanted *wanted, struct lease *found)
{
    unsigned matched = 0;
    uint32_t ref;

    if (table->indexed && wanted->length > 0) {
        struct hash_walk walk = hash_index_walk(index, hash);

        while (matched < 2 && (ref = hash_walk_next(&walk)) != ARENA_NONE)
            matched = count_match(table, ref, wanted, matched, found);
        return matched;
    }
    for (uint64_t i = 0; i < places(table) && matched < 2; i++) {
        ref = lease_at(table, i);
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

    return find_client(table, &table->by_hwaddr, hash_bytes(hwaddr, length),
                       &wanted, found);
}

unsigned lease_table_find_client_id(const struct lease_table *table,
                                    const uint8_t *client_id, size_t length,
                                    struct lease *found)
{
    const struct wanted wanted = { .bytes = client_id,
                                   .length = length,
                                   .client_id = true };

    return find_client(table, &table->by_client_id,
                       hash_bytes(client_id, length), &wanted, found);
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

    return find_client(table, &table->by_client_id,
                       hash_client_id(table, duid, length, iaid, (uint8_t)type),
                       &wanted, found);
}

/* Without an index: the limit earliest ones, kept sorted while looking. */
static size_t scan_expired(const struct lease_table *table, int64_t now_s,
                           size_t limit, struct lease *found)
{
    size_t count = 0;

    for (uint64_t i = 0; i < places(table) && limit > 0; i++) {
        const uint32_t ref = lease_at(table, i);
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
        read_record(table, record, &found[at]);
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
        read_record(table, record_at(table, ref), &found[count++]);
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
        read_record(table, record_at(table, ref), found);
        return true;
    }
    for (; *cursor < places(table); ++*cursor) {
        const uint32_t ref = lease_at(table, *cursor);
        const struct record *const record = record_at(table, ref);

        if (ref != ARENA_NONE && record->state == LEASE_STATE_RECLAIMED &&
            record_expire_s(record) < before_s) {
            read_record(table, record, found);
            return true;
        }
    }
    return false;
}
