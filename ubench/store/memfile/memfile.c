/* SPDX-License-Identifier: ISC */
/*
 * The store of ISC DHCP and of Kea by default: leases in memory, and a log of
 * every change in a file.
 *
 * A change is in the file before its operation returns: as far as write(2)
 * (what Kea does), as far as the disk (what ISC DHCP does), or, where it was
 * asked to be volatile, as far as a buffer of ours (what the 2012 tool did).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/memfile/store.h"

static void memfile_library(char *text, size_t size)
{
    (void)snprintf(text, size, "no library");
}

/* Locking */

static void begin_reading(struct session *session)
{
    if (session->store->shared)
        (void)pthread_mutex_lock(&session->stripe->reading);
}

static void end_reading(struct session *session)
{
    if (session->store->shared)
        (void)pthread_mutex_unlock(&session->stripe->reading);
}

/* Returns 0, or -1 with err if the file could not be written before. */
static int begin_change(struct store *store, struct err *err)
{
    if (!store->shared)
        return 0;
    if (lease_log_lock(&store->log, err) != 0)
        return -1;
    for (int i = 0; i < MEMFILE_STRIPES; i++)
        (void)pthread_mutex_lock(&store->stripes[i].reading);
    return 0;
}

static void end_change(struct store *store)
{
    if (!store->shared)
        return;
    for (int i = MEMFILE_STRIPES - 1; i >= 0; i--)
        (void)pthread_mutex_unlock(&store->stripes[i].reading);
    lease_log_unlock(&store->log);
}

/* Makes the session's records as safe as the level asks for. */
static int settle(struct session *session, struct err *err)
{
    struct lease_log *const log = &session->store->log;

    return session->store->shared ? lease_log_wait(log, session->position, err)
                                  : lease_log_flush(log, err);
}

/* The second half of a change: the record, the end of the lock, the file. */
static enum outcome log_change(struct session *session,
                               const struct lease *lease, bool removed,
                               struct err *err)
{
    struct store *const store = session->store;
    int status =
        lease_log_append(&store->log, lease, removed, &session->position, err);

    end_change(store);
    if (status == 0 && !session->grouped)
        status = settle(session, err);
    return status == 0 ? OUTCOME_HIT : OUTCOME_ERROR;
}

static enum outcome no_memory(struct store *store, struct err *err)
{
    (void)err_set(err, "memfile: out of memory at %" PRIu64 " leases",
                  lease_table_count(&store->table));
    end_change(store);
    return OUTCOME_ERROR;
}

/* Ends a change that changed nothing. */
static enum outcome unchanged(struct store *store)
{
    end_change(store);
    return OUTCOME_MISS;
}

static struct session *memfile_session_open(struct store *store,
                                            struct err *err)
{
    struct session *const session = calloc(1, sizeof *session);

    if (session == NULL) {
        (void)err_set(err, "memfile: out of memory");
        return NULL;
    }
    session->store = store;
    session->stripe = &store->stripes[store->opened++ % MEMFILE_STRIPES];
    store->session_count++;
    store->shared = store->session_count > 1;
    return session;
}

static void memfile_session_close(struct session *session)
{
    if (session == NULL)
        return;
    session->store->session_count--;
    session->store->shared = session->store->session_count > 1;
    free(session);
}

static uint64_t memfile_syncs(const struct session *session)
{
    return atomic_load(&session->store->log.syncs);
}

static int memfile_reset(struct session *session, struct err *err)
{
    if (session->store->reservations.by_key.buckets != NULL)
        reservation_table_clear(&session->store->reservations);
    lease_table_clear(&session->store->table);
    return lease_log_reset(&session->store->log, err);
}

static int memfile_count(struct session *session, uint64_t *count,
                         struct err *err)
{
    (void)err;
    begin_reading(session);
    *count = lease_table_count(&session->store->table);
    end_reading(session);
    return 0;
}

static enum outcome memfile_check(struct session *session, char *text,
                                  size_t size, struct err *err)
{
    const struct lease_file_stats *const kept = &session->store->kept;

    (void)err;
    if (kept->complaint != NULL)
        (void)snprintf(text, size,
                       "%" PRIu64 " whole records; the %" PRIu64
                       " bytes from byte %" PRIu64
                       " on are dropped, for line %" PRIu64 " is %s",
                       kept->records, kept->dropped_bytes, kept->good_bytes,
                       kept->bad_line, kept->complaint);
    else
        (void)snprintf(text, size,
                       "%" PRIu64 " whole records and a torn one of %" PRIu64
                       " bytes",
                       kept->records, kept->torn_bytes);
    return OUTCOME_HIT; /* whether anything is missing, the ledger knows */
}

/* The timed operations.  Memory changes first: if the file then cannot be
   written the run is over, and nothing was acknowledged. */

static enum outcome memfile_create(struct session *session,
                                   const struct lease *lease, struct err *err)
{
    struct store *const store = session->store;

    if (begin_change(store, err) != 0)
        return OUTCOME_ERROR;
    switch (lease_table_add(&store->table, lease)) {
    case LEASE_TABLE_NO_MEMORY:
        return no_memory(store, err);
    case LEASE_TABLE_UNCHANGED:
        return unchanged(store);
    case LEASE_TABLE_CHANGED:
        break;
    }
    return log_change(session, lease, false, err);
}

static enum outcome memfile_find_by_address(struct session *session,
                                            struct lease_address address,
                                            enum lease_type type,
                                            struct lease *found,
                                            struct err *err)
{
    (void)err;
    begin_reading(session);
    const unsigned count =
        lease_table_find_address(&session->store->table, address, type, found);
    end_reading(session);
    return count == 1 ? OUTCOME_HIT : OUTCOME_MISS;
}

static enum outcome found_one(const struct session *session, unsigned count,
                              const char *what, struct err *err)
{
    if (count < 2)
        return count == 1 ? OUTCOME_HIT : OUTCOME_MISS;
    (void)err_set(err, "memfile: %s: more than one lease has that %s",
                  session->store->log.path, what);
    return OUTCOME_ERROR;
}

static enum outcome memfile_find_by_hwaddr(struct session *session,
                                           const uint8_t *hwaddr, size_t length,
                                           struct lease *found, struct err *err)
{
    begin_reading(session);
    const unsigned count =
        lease_table_find_hwaddr(&session->store->table, hwaddr, length, found);
    end_reading(session);
    return found_one(session, count, "hwaddr", err);
}

static enum outcome
memfile_find_by_client_id(struct session *session, const uint8_t *client_id,
                          size_t length, struct lease *found, struct err *err)
{
    begin_reading(session);
    const unsigned count = lease_table_find_client_id(&session->store->table,
                                                      client_id, length, found);
    end_reading(session);
    return found_one(session, count, "client-id", err);
}

static enum outcome memfile_find_by_duid(struct session *session,
                                         const uint8_t *duid, size_t length,
                                         uint32_t iaid, enum lease_type type,
                                         uint32_t subnet_id,
                                         struct lease *found, struct err *err)
{
    begin_reading(session);
    const unsigned count = lease_table_find_duid(
        &session->store->table, duid, length, iaid, type, subnet_id, found);
    end_reading(session);
    return found_one(session, count, "DUID and IAID", err);
}

static enum outcome memfile_update(struct session *session,
                                   const struct lease *lease, int64_t expire_s,
                                   struct err *err)
{
    struct store *const store = session->store;

    if (begin_change(store, err) != 0)
        return OUTCOME_ERROR;
    switch (lease_table_update(&store->table, lease, expire_s)) {
    case LEASE_TABLE_NO_MEMORY:
        return no_memory(store, err);
    case LEASE_TABLE_UNCHANGED:
        return unchanged(store);
    case LEASE_TABLE_CHANGED:
        break;
    }
    return log_change(session, lease, false, err);
}

static enum outcome memfile_remove(struct session *session,
                                   struct lease_address address,
                                   int64_t expire_s, struct err *err)
{
    struct store *const store = session->store;

    if (begin_change(store, err) != 0)
        return OUTCOME_ERROR;
    if (lease_table_remove(&store->table, address, expire_s,
                           &session->removed) != LEASE_TABLE_CHANGED)
        return unchanged(store);
    return log_change(session, &session->removed, true, err);
}

static int memfile_list_expired(struct session *session, int64_t now_s,
                                size_t limit, struct lease *found,
                                size_t *count, struct err *err)
{
    (void)err;
    begin_reading(session);
    *count = lease_table_expired(&session->store->table, now_s, limit, found);
    end_reading(session);
    return 0;
}

/* No lock: nobody adds while others look. */

static enum outcome memfile_add_reservation(struct session *session,
                                            const struct reservation_key *key,
                                            struct lease_address address,
                                            struct err *err)
{
    struct reservation_table *const table = &session->store->reservations;

    if (reservation_table_find(table, key, NULL))
        return OUTCOME_MISS;
    if (reservation_table_add(table, key, address) == 0)
        return OUTCOME_HIT;
    (void)err_set(err, "memfile: out of memory");
    return OUTCOME_ERROR;
}

static enum outcome memfile_find_reservation(struct session *session,
                                             const struct reservation_key *key,
                                             struct lease_address *address,
                                             struct err *err)
{
    (void)err;
    return reservation_table_find(&session->store->reservations, key, address)
               ? OUTCOME_HIT
               : OUTCOME_MISS;
}

static int memfile_begin(struct session *session, struct err *err)
{
    (void)err;
    session->grouped = true;
    return 0;
}

static int memfile_commit(struct session *session, struct err *err)
{
    session->grouped = false;
    return settle(session, err);
}

/* The removals become durable together, at the end. */
static int purge_all(struct session *session, int64_t before_s,
                     uint64_t *purged, struct err *err)
{
    struct lease lease;
    uint64_t cursor = 0;

    for (;;) {
        begin_reading(session);
        const bool found = lease_table_reclaimed(&session->store->table,
                                                 before_s, &cursor, &lease);
        end_reading(session);
        if (!found)
            return 0;
        switch (memfile_remove(session, lease.address, lease_expire_s(&lease),
                               err)) {
        case OUTCOME_ERROR:
            return -1;
        case OUTCOME_MISS: /* another session was faster */
            break;
        case OUTCOME_HIT:
            ++*purged;
            break;
        }
    }
}

static int memfile_purge_reclaimed(struct session *session, int64_t before_s,
                                   uint64_t *purged, struct err *err)
{
    const bool grouped = session->grouped;

    *purged = 0;
    session->grouped = true;
    const int status = purge_all(session, before_s, purged, err);
    session->grouped = grouped;
    return status != 0 || grouped ? status : settle(session, err);
}

const struct backend the_backend = {
    .name = "memfile",
    .default_target = "dhcpd.leases",
    .default_v6_target = "dhcpd6.leases",
    .scope = OPT_SCOPE_FILE | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_VOLATILE) | SYNC_BIT(SYNC_PROCESS_SAFE) |
                   SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .settings_help = "format=isc|kea (the lease file's text) and\n"
                     "buffer=BYTES (what --sync=volatile and groups gather)",
    .library = memfile_library,
    .open = memfile_open,
    .close = memfile_close,
    .describe = memfile_describe,
    .durability = memfile_durability,
    .data_path = memfile_data_path,
    .syncs = memfile_syncs,
    .session_open = memfile_session_open,
    .session_close = memfile_session_close,
    .reset = memfile_reset,
    .count = memfile_count,
    .check = memfile_check,
    .create = memfile_create,
    .find_by_address = memfile_find_by_address,
    .find_by_hwaddr = memfile_find_by_hwaddr,
    .find_by_client_id = memfile_find_by_client_id,
    .find_by_duid = memfile_find_by_duid,
    .update = memfile_update,
    .remove = memfile_remove,
    .list_expired = memfile_list_expired,
    .purge_reclaimed = memfile_purge_reclaimed,
    .add_reservation = memfile_add_reservation,
    .find_reservation = memfile_find_reservation,
    .begin = memfile_begin,
    .commit = memfile_commit,
};
