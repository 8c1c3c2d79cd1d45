/* SPDX-License-Identifier: ISC */
/* The half of lease_table.h that changes leases. */
#include "store/memfile/lease_table.h"

#include "store/memfile/lease_record.h"

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
    expiry_index_init(&table->by_expiry, &table->slab);
    expiry_index_init(&table->by_reclaimed, &table->slab);
    if (slab_init(&table->slab) == 0 && init_addresses(table) == 0 &&
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
    slab_release(&table->slab);
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
    slab_clear(&table->slab);
}

uint64_t lease_table_count(const struct lease_table *table)
{
    /* Counted by looking: a lease that fell out of the index is lost. */
    uint64_t count = 0;

    for (uint64_t i = 0; i < lease_table_places(table); i++)
        count += lease_table_at(table, i) != SLAB_NONE;
    return count;
}

/* Where a record belongs in the order of expiry; NULL: nowhere. */
static struct expiry_index *expiry_of(struct lease_table *table,
                                      const struct lease_record *record)
{
    if (record->state == LEASE_STATE_RECLAIMED)
        return &table->by_reclaimed;
    return record->valid_s == LEASE_VALID_FOREVER ? NULL : &table->by_expiry;
}

static int index_expiry(struct lease_table *table, uint32_t ref)
{
    const struct lease_record *const record = lease_record_at(table, ref);
    struct expiry_index *const index = expiry_of(table, record);

    return index == NULL
               ? 0
               : expiry_index_add(index, lease_record_expire_s(record), ref);
}

static void unindex_expiry(struct lease_table *table, uint32_t ref)
{
    const struct lease_record *const record = lease_record_at(table, ref);
    struct expiry_index *const index = expiry_of(table, record);

    if (index != NULL)
        expiry_index_remove(index, lease_record_expire_s(record), ref);
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
                                        const struct lease_record *record)
{
    const struct client_hashes hashes = {
        .has_hwaddr = record->hwaddr_length > 0,
        .has_client_id = record->client_id_length > 0,
        .hwaddr = lease_hash_bytes(lease_record_hwaddr(table, record),
                                   record->hwaddr_length),
        .client_id = lease_hash_client_id(
            table, lease_record_client_id(table, record),
            record->client_id_length, record->iaid, record->type),
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

/* Puts a lease into the slab and all indexes but those by address. */
static uint32_t store(struct lease_table *table, const struct lease *lease)
{
    const size_t size = lease_record_size_of(table, lease);
    const uint32_t ref = slab_take(&table->slab, size);

    if (ref == SLAB_NONE)
        return SLAB_NONE;
    struct lease_record *const record = lease_record_at(table, ref);
    lease_record_write(table, record, lease);
    if (!table->indexed)
        return ref;
    const struct client_hashes hashes = hash_client(table, record);
    if (index_expiry(table, ref) == 0) {
        if (index_client(table, hashes, ref) == 0)
            return ref;
        unindex_expiry(table, ref);
    }
    slab_give(&table->slab, ref, size);
    return SLAB_NONE;
}

/* The reverse of store. */
static void discard(struct lease_table *table, uint32_t ref)
{
    const struct lease_record *const record = lease_record_at(table, ref);

    if (table->indexed) {
        const struct client_hashes hashes = hash_client(table, record);

        unindex_expiry(table, ref);
        unindex_client(table, hashes, ref);
    }
    slab_give(&table->slab, ref, lease_record_size(table, record));
}

/* Both make find return ref, or what is there no more.  0, or -1 if there is no
   memory, which only adding can need. */

static int add_address(struct lease_table *table, struct lease_address address,
                       uint32_t ref)
{
    if (table->family == LEASE_FAMILY_V6)
        return hash_index_add(&table->by_v6_address,
                              lease_hash_address(address), ref);
    address_index_set(&table->by_address, (uint32_t)address.low, ref);
    return 0;
}

static void remove_address(struct lease_table *table,
                           struct lease_address address, uint32_t ref)
{
    if (table->family == LEASE_FAMILY_V6)
        hash_index_remove(&table->by_v6_address, lease_hash_address(address),
                          ref);
    else
        address_index_set(&table->by_address, (uint32_t)address.low, SLAB_NONE);
}

enum lease_table_change lease_table_add(struct lease_table *table,
                                        const struct lease *lease)
{
    if (lease_table_ref(table, lease->address) != SLAB_NONE)
        return LEASE_TABLE_UNCHANGED;
    const uint32_t ref = store(table, lease);
    if (ref == SLAB_NONE)
        return LEASE_TABLE_NO_MEMORY;
    if (add_address(table, lease->address, ref) != 0) {
        discard(table, ref);
        return LEASE_TABLE_NO_MEMORY;
    }
    return LEASE_TABLE_CHANGED;
}

static bool same_client(const struct lease_table *table,
                        const struct lease_record *record,
                        const struct lease *lease)
{
    return record->hwaddr_length == lease->hwaddr_length &&
           record->client_id_length == lease->client_id_length &&
           (table->family == LEASE_FAMILY_V4 ||
            (record->iaid == lease->iaid && record->type == lease->type)) &&
           memcmp(lease_record_hwaddr(table, record), lease->hwaddr,
                  lease->hwaddr_length) == 0 &&
           memcmp(lease_record_client_id(table, record), lease->client_id,
                  lease->client_id_length) == 0;
}

/* The usual renewal: the client and the record's size stay as they are. */
static enum lease_table_change rewrite(struct lease_table *table, uint32_t ref,
                                       const struct lease *lease)
{
    struct lease_record *const record = lease_record_at(table, ref);

    if (table->indexed)
        unindex_expiry(table, ref);
    lease_record_write(table, record, lease);
    return table->indexed && index_expiry(table, ref) != 0
               ? LEASE_TABLE_NO_MEMORY
               : LEASE_TABLE_CHANGED;
}

enum lease_table_change lease_table_update(struct lease_table *table,
                                           const struct lease *lease,
                                           int64_t expire_s)
{
    const uint32_t ref = lease_table_ref(table, lease->address);

    if (ref == SLAB_NONE)
        return LEASE_TABLE_UNCHANGED;
    const struct lease_record *const record = lease_record_at(table, ref);
    if (lease_record_expire_s(record) != expire_s)
        return LEASE_TABLE_UNCHANGED;
    if (record->hostname_length == lease->hostname_length &&
        same_client(table, record, lease))
        return rewrite(table, ref, lease);
    const uint32_t moved = store(table, lease);
    if (moved == SLAB_NONE)
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
    const uint32_t ref = lease_table_ref(table, address);

    if (ref == SLAB_NONE ||
        lease_record_expire_s(lease_record_at(table, ref)) != expire_s)
        return LEASE_TABLE_UNCHANGED;
    if (removed != NULL)
        lease_record_read(table, lease_record_at(table, ref), removed);
    remove_address(table, address, ref);
    discard(table, ref);
    return LEASE_TABLE_CHANGED;
}
