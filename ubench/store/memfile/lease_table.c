/* SPDX-License-Identifier: ISC */
#include "store/memfile/lease_table.h"

#include <string.h>

/* A lease in memory: the first fields of struct lease unchanged, then the bytes of hwaddr,
   client-id and hostname without gaps. */
struct record {
    struct expiry_links expiry; /* must come first */
    uint8_t fields[];
};

/* A record of an IPv4 lease ends before the address, and the address is stored in place of the
   IAID: shorter records touch fewer cache lines. */
enum {
    V4_FIELDS_SIZE = offsetof(struct lease, address),
    V6_FIELDS_SIZE = offsetof(struct lease, unused),
};

static size_t fields_size(unsigned type)
{
    return type == LEASE_TYPE_V4 ? V4_FIELDS_SIZE : V6_FIELDS_SIZE;
}

static struct record *record_at(const struct lease_table *table, uint32_t ref)
{
    return slab_at(&table->slab, ref);
}

/* Returns the fields of a record; the members of struct lease beyond the record must not be
   accessed. */
static const struct lease *fields_of(const struct record *record)
{
    return (const struct lease *)(const void *)record->fields;
}

static const struct lease *fields_at(const struct lease_table *table, uint32_t ref)
{
    return fields_of(record_at(table, ref));
}

static const uint8_t *hwaddr_of(const struct record *record)
{
    return record->fields + fields_size(fields_of(record)->type);
}

static const uint8_t *client_id_of(const struct record *record)
{
    return hwaddr_of(record) + fields_of(record)->hwaddr_length;
}

static size_t size_of(const struct lease *fields)
{
    return offsetof(struct record, fields) + fields_size(fields->type) + fields->hwaddr_length +
           fields->client_id_length + fields->hostname_length;
}

/* Writes all parts of a record except the links. */
static void write_record(struct record *record, const struct lease *lease)
{
    const uint32_t v4_address = (uint32_t)lease->address.low;
    uint8_t *bytes = record->fields + fields_size(lease->type);

    if (lease->type == LEASE_TYPE_V4) {
        memcpy(record->fields, lease, V4_FIELDS_SIZE);
        memcpy(record->fields + offsetof(struct lease, iaid), &v4_address, sizeof v4_address);
    } else {
        memcpy(record->fields, lease, V6_FIELDS_SIZE);
    }
    memcpy(bytes, lease->hwaddr, lease->hwaddr_length);
    bytes += lease->hwaddr_length;
    memcpy(bytes, lease->client_id, lease->client_id_length);
    bytes += lease->client_id_length;
    memcpy(bytes, lease->hostname, lease->hostname_length);
}

/* Copies in whole blocks, which slab and lease have space for. */
static inline void read_record(const struct record *record, struct lease *lease)
{
    const struct lease *const fields = fields_of(record);
    const uint8_t *bytes = hwaddr_of(record);

    if (fields->type == LEASE_TYPE_V4) {
        memcpy(lease, fields, V4_FIELDS_SIZE);
        lease->address = lease_address_v4(fields->iaid);
    } else {
        memcpy(lease, fields, V6_FIELDS_SIZE);
    }
    lease_copy_bytes(lease->hwaddr, bytes, fields->hwaddr_length);
    bytes += fields->hwaddr_length;
    lease_copy_bytes(lease->client_id, bytes, fields->client_id_length);
    bytes += fields->client_id_length;
    lease_copy_bytes(lease->hostname, bytes, fields->hostname_length);
}

/* Returns true if a record has the same client as a lease, as far as a search compares it. */
static bool has_client(const struct record *record, enum lookup by, const struct lease *like)
{
    const struct lease *const fields = fields_of(record);

    if (by == LOOKUP_HWADDR)
        return fields->hwaddr_length == like->hwaddr_length &&
               memcmp(hwaddr_of(record), like->hwaddr, like->hwaddr_length) == 0;
    return fields->client_id_length == like->client_id_length && fields->type == like->type &&
           (fields->type == LEASE_TYPE_V4 || fields->iaid == like->iaid) &&
           (by != LOOKUP_IN_SUBNET || fields->subnet_id == like->subnet_id) &&
           memcmp(client_id_of(record), like->client_id, like->client_id_length) == 0;
}

/* Return the hash of an identifier; fields are those of its lease or record. */

static uint32_t hash_hwaddr(const struct lease *fields, const uint8_t *hwaddr)
{
    return hash_bytes(hwaddr, fields->hwaddr_length, 0);
}

static uint32_t hash_client_id(const struct lease *fields, const uint8_t *client_id)
{
    const uint64_t iaid = fields->type == LEASE_TYPE_V4 ? 0 : fields->iaid;

    return hash_bytes(client_id, fields->client_id_length, iaid << 8 | fields->type);
}

/* Returns the list in which a lease expires. */
static enum lease_table_list list_of(const struct lease *fields)
{
    if (fields->state == LEASE_STATE_RECLAIMED)
        return LEASE_TABLE_RECLAIMED;
    return fields->valid_s == LEASE_VALID_FOREVER ? LEASE_TABLE_FOREVER : LEASE_TABLE_EXPIRING;
}

int lease_table_init(struct lease_table *table, bool indexed)
{
    *table = (struct lease_table){ .indexed = indexed };
    for (int i = 0; i < LEASE_TABLE_LISTS; i++)
        table->by_expiry[i].slab = &table->slab;
    if (slab_init(&table->slab) == 0 && address_index_init(&table->by_address) == 0 &&
        (!indexed || (hash_init(&table->by_hwaddr) == 0 && hash_init(&table->by_client_id) == 0)))
        return 0;
    lease_table_release(table);
    return -1;
}

void lease_table_release(struct lease_table *table)
{
    for (int i = 0; i < LEASE_TABLE_LISTS; i++)
        expiry_release(&table->by_expiry[i]);
    hash_release(&table->by_hwaddr);
    hash_release(&table->by_client_id);
    address_index_release(&table->by_address);
    slab_release(&table->slab);
}

uint64_t lease_table_count(const struct lease_table *table)
{
    /* Counted anew, not kept as a number: this detects a lease that is lost from the index. */
    uint64_t count = 0;
    uint64_t place = 0;

    while (address_index_next(&table->by_address, &place) != SLAB_NONE)
        count++;
    return count;
}

/* Returns the slot of the reference of the lease at an address; NULL if there is no lease. */
static inline uint32_t *find(const struct lease_table *table, struct lease_address address)
{
    uint32_t *const slot = address_index_find(&table->by_address, address);

    if (slot == NULL || *slot == SLAB_NONE)
        return NULL;
    /* A typical record extends into the next cache line.  The position of its hostname is in the
       first line; waiting for it would be too late. */
    __builtin_prefetch((const char *)record_at(table, *slot) + 64);
    return slot;
}

/* A client without an identifier is not in the index by it: all such entries would have the same
   hash, and each change would probe past them.  The entries of the two indexes are far apart, so
   both are prefetched. */

static int index_record(struct lease_table *table, const struct lease *lease, uint32_t ref)
{
    const uint32_t hwaddr = hash_hwaddr(lease, lease->hwaddr);
    const uint32_t client_id = hash_client_id(lease, lease->client_id);

    hash_prefetch(&table->by_hwaddr, hwaddr);
    hash_prefetch(&table->by_client_id, client_id);
    return expiry_add(&table->by_expiry[list_of(lease)], lease_expire_s(lease), ref) == 0 &&
                   (lease->hwaddr_length == 0 || hash_add(&table->by_hwaddr, hwaddr, ref) == 0) &&
                   (lease->client_id_length == 0 ||
                    hash_add(&table->by_client_id, client_id, ref) == 0)
               ? 0
               : -1;
}

static void unindex_record(struct lease_table *table, uint32_t ref)
{
    const struct record *const record = record_at(table, ref);
    const struct lease *const fields = fields_of(record);
    const uint32_t hwaddr = hash_hwaddr(fields, hwaddr_of(record));
    const uint32_t client_id = hash_client_id(fields, client_id_of(record));

    hash_prefetch(&table->by_hwaddr, hwaddr);
    hash_prefetch(&table->by_client_id, client_id);
    expiry_remove(&table->by_expiry[list_of(fields)], lease_expire_s(fields), ref);
    if (fields->hwaddr_length > 0)
        hash_remove(&table->by_hwaddr, hwaddr, ref);
    if (fields->client_id_length > 0)
        hash_remove(&table->by_client_id, client_id, ref);
}

/* Stores a lease whose address is free. */
static int store(struct lease_table *table, const struct lease *lease, uint32_t *slot)
{
    const uint32_t ref = slab_take(&table->slab, size_of(lease));

    if (ref == SLAB_NONE)
        return -1;
    *slot = ref;
    write_record(record_at(table, ref), lease);
    return table->indexed ? index_record(table, lease, ref) : 0;
}

/* Removes a lease from all indexes and frees its record. */
static void discard(struct lease_table *table, uint32_t *slot)
{
    if (table->indexed)
        unindex_record(table, *slot);
    slab_give(&table->slab, *slot, size_of(fields_at(table, *slot)));
    *slot = SLAB_NONE;
}

enum outcome lease_table_add(struct lease_table *table, const struct lease *lease)
{
    uint32_t *const slot = address_index_make(&table->by_address, lease->address);

    if (slot == NULL)
        return OUTCOME_ERROR;
    if (*slot != SLAB_NONE)
        return OUTCOME_MISS;
    return store(table, lease, slot) == 0 ? OUTCOME_HIT : OUTCOME_ERROR;
}

/* True for the usual renewal: the client, and so the parts and the size of the record, stay the
   same. */
static bool has_same_client(const struct record *record, const struct lease *lease)
{
    return fields_of(record)->hostname_length == lease->hostname_length &&
           has_client(record, LOOKUP_HWADDR, lease) && has_client(record, LOOKUP_CLIENT_ID, lease);
}

enum outcome lease_table_update(struct lease_table *table, const struct lease *lease,
                                int64_t expire_s)
{
    uint32_t *const slot = find(table, lease->address);
    int status = 0;

    if (slot == NULL || lease_expire_s(fields_at(table, *slot)) != expire_s)
        return OUTCOME_MISS;
    const uint32_t ref = *slot;
    if (has_same_client(record_at(table, ref), lease)) {
        if (table->indexed)
            expiry_remove(&table->by_expiry[list_of(fields_at(table, ref))], expire_s, ref);
        write_record(record_at(table, ref), lease);
        if (table->indexed)
            status = expiry_add(&table->by_expiry[list_of(lease)], lease_expire_s(lease), ref);
    } else {
        discard(table, slot);
        status = store(table, lease, slot);
    }
    return status == 0 ? OUTCOME_HIT : OUTCOME_ERROR;
}

enum outcome lease_table_remove(struct lease_table *table, struct lease_address address,
                                int64_t expire_s, struct lease *removed)
{
    uint32_t *const slot = find(table, address);

    if (slot == NULL || lease_expire_s(fields_at(table, *slot)) != expire_s)
        return OUTCOME_MISS;
    read_record(record_at(table, *slot), removed);
    discard(table, slot);
    return OUTCOME_HIT;
}

int lease_table_replay(struct lease_table *table, const struct lease *lease, bool removed)
{
    uint32_t *const slot = address_index_make(&table->by_address, lease->address);

    if (slot == NULL)
        return -1;
    if (*slot != SLAB_NONE)
        discard(table, slot);
    return removed ? 0 : store(table, lease, slot);
}

static unsigned find_client(const struct lease_table *table, enum lookup by,
                            const struct lease *like, struct lease *found)
{
    const bool hwaddr = by == LOOKUP_HWADDR;
    const struct hash *const index = hwaddr ? &table->by_hwaddr : &table->by_client_id;
    const uint32_t hash =
        hwaddr ? hash_hwaddr(like, like->hwaddr) : hash_client_id(like, like->client_id);
    uint64_t at = table->indexed ? hash : 0;
    unsigned count = 0;

    if ((hwaddr ? like->hwaddr_length : like->client_id_length) == 0)
        return 0;
    while (count < 2) {
        const uint32_t ref = table->indexed ? hash_next(index, hash, &at)
                                            : address_index_next(&table->by_address, &at);

        if (ref == SLAB_NONE)
            break;
        if (has_client(record_at(table, ref), by, like) && count++ == 0)
            read_record(record_at(table, ref), found);
    }
    return count;
}

unsigned lease_table_find(const struct lease_table *table, enum lookup by, const struct lease *like,
                          struct lease *found)
{
    if (by != LOOKUP_ADDRESS)
        return find_client(table, by, like, found);
    const uint32_t *const slot = find(table, like->address);
    if (slot == NULL || fields_at(table, *slot)->type != like->type)
        return 0;
    read_record(record_at(table, *slot), found);
    return 1;
}

/* Inserts a lease into a sorted list of at most limit leases, unless the list is full of earlier
   ones.  Returns the new count. */
static size_t insert_sorted(struct lease *list, size_t count, size_t limit,
                            const struct record *record)
{
    const int64_t expire_s = lease_expire_s(fields_of(record));
    size_t at = count;

    while (at > 0 && lease_expire_s(&list[at - 1]) > expire_s)
        at--;
    if (at == limit)
        return count;
    if (count < limit)
        count++;
    memmove(&list[at + 1], &list[at], (count - 1 - at) * sizeof *list);
    read_record(record, &list[at]);
    return count;
}

/* Returns the next lease of a list that expires before a time; SLAB_NONE after the last.  Both
   cursors begin zeroed: *walk, in the order of time, is used with an index; *place, as in
   address_index_next, without. */
static uint32_t next_due(const struct lease_table *table, enum lease_table_list list,
                         int64_t before_s, struct expiry_walk *walk, uint64_t *place)
{
    uint32_t ref;

    if (table->indexed)
        return expiry_next(&table->by_expiry[list], before_s, walk);
    while ((ref = address_index_next(&table->by_address, place)) != SLAB_NONE) {
        const struct lease *const fields = fields_at(table, ref);

        if (list_of(fields) == list && lease_expire_s(fields) < before_s)
            break;
    }
    return ref;
}

size_t lease_table_expired(const struct lease_table *table, int64_t now_s, size_t limit,
                           struct lease *found)
{
    struct expiry_walk walk = { 0 };
    uint64_t place = 0;
    size_t count = 0;
    uint32_t ref;

    while ((count < limit || !table->indexed) &&
           (ref = next_due(table, LEASE_TABLE_EXPIRING, now_s, &walk, &place)) != SLAB_NONE)
        count = insert_sorted(found, count, limit, record_at(table, ref));
    return count;
}

bool lease_table_purge(struct lease_table *table, int64_t before_s, uint64_t *cursor,
                       struct lease *removed)
{
    struct expiry_walk walk = { 0 };
    const uint32_t ref = next_due(table, LEASE_TABLE_RECLAIMED, before_s, &walk, cursor);

    if (ref == SLAB_NONE)
        return false;
    read_record(record_at(table, ref), removed);
    discard(table, find(table, removed->address));
    return true;
}
