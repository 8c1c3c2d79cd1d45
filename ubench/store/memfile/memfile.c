/* SPDX-License-Identifier: ISC */
/*
 * The default store of ISC DHCP and of Kea: leases in memory, and a log of
 * every change in a file.
 *
 * A change is in the file before its operation returns: after write(2) (as in
 * Kea), on the disk (as in ISC DHCP), or, with -s volatile, in a buffer of this
 * process (as in the 2012 tool).
 */
#include "store/memfile/memfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/file_system.h"

static void memfile_describe(const struct store *store, struct properties *properties)
{
    const enum lease_file_format format = store->log.format;
    const bool isc = format == LEASE_FILE_ISC;

    properties_add(properties, "memfile", "%s", isc ? "dhcpd.leases text" : "Kea CSV text");
    properties_add(properties, "format", "%s", isc ? "isc" : "kea");
    properties_add(properties, "indexes", "%s",
                   !store->table.indexed       ? "address"
                   : format == LEASE_FILE_KEA6 ? "address hwaddr DUID-IAID-type expire"
                                               : "address hwaddr client-id expire");
    properties_add(properties, "buffer", "%" PRIu64, store->log.size);
    properties_add(properties, "file system", "%s", file_system_name(store->log.path));
}

static const struct durability_limit limits[] = {
    { NULL,
      "log",
      true,
      " buffered ",
      "log-buffered",
      { LOSS_UNBOUNDED, 0 },
      { LOSS_UNBOUNDED, 0 },
      "log ",
      "" },
    { NULL,
      "log",
      true,
      " written ",
      "log-not-synced",
      { LOSS_NOTHING, 0 },
      { LOSS_UNBOUNDED, 0 },
      "log ",
      "" },
    { .code = NULL },
};

static void memfile_durability(const struct store *store, struct promise *promise)
{
    static const struct {
        const char *value;
        const char *text;
    } how[] = {
        [DURABILITY_VOLATILE] = { "buffered", "buffered in the process" },
        [DURABILITY_PROCESS_SAFE] = { "written", "write(2) before each answer" },
        [DURABILITY_POWER_SAFE] = { "synced", "write(2) and fdatasync(2) before each answer" },
    };
    const struct lease_log *const log = &store->log;
    struct properties values = { .count = 0 };
    struct promise_setting *const setting =
        promise_set(promise, "log", how[log->level].value, NULL);

    (void)snprintf(setting->text, sizeof setting->text, "%s", how[log->level].text);
    properties_add(&values, setting->name, "%s", setting->value);
    promise_limits(promise, limits, "", &values, 0);
    file_system_promise(log->path, promise);
}

static void memfile_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", store->log.path);
}

static struct session *memfile_session_open(struct store *store, struct err *err)
{
    struct session *const session = err_calloc(1, sizeof *session, err);

    if (session == NULL)
        return NULL;
    session->store = store;
    session->waits = store->log.level != DURABILITY_VOLATILE;
    store->log.shared = ++store->sessions > 1;
    return session;
}

static void memfile_session_close(struct session *session)
{
    if (session != NULL)
        session->store->log.shared = --session->store->sessions > 1;
    free(session);
}

static void memfile_used(struct session *const *sessions, size_t count, struct store_use *use)
{
    (void)count;
    use->fdatasyncs = atomic_load_explicit(&sessions[0]->store->log.syncs, memory_order_relaxed);
}

static void memfile_sample(struct store *store, struct activity_sample *sample)
{
    const uint64_t bytes = activity_file_bytes(store->log.path, NULL);

    sample->figures[ACTIVITY_SYNCS] = atomic_load_explicit(&store->log.syncs, memory_order_relaxed);
    sample->figures[ACTIVITY_DATA_BYTES] = sample->figures[ACTIVITY_STORE_BYTES] = bytes;
}

/* Changes */

static struct lease_table *begin_change(struct session *session)
{
    struct store *const store = session->store;

    if (store->sessions > 1)
        (void)pthread_rwlock_wrlock(&store->lock);
    return &store->table;
}

static void unlock(struct store *store)
{
    if (store->sessions > 1)
        (void)pthread_rwlock_unlock(&store->lock);
}

/* Memory has changed first: if the file cannot be written, the run ends, and
   the change was not acknowledged. */
static enum outcome end_change(struct session *session, enum outcome outcome,
                               const struct lease *lease, bool removed, struct err *err)
{
    struct store *const store = session->store;
    int status = 0;

    if (outcome == OUTCOME_HIT)
        status = lease_log_append(&store->log, lease, removed, &session->position, err);
    else if (outcome == OUTCOME_ERROR)
        status = err_set(err, "memfile: out of memory at %" PRIu64 " leases",
                         lease_table_count(&store->table));
    unlock(store);
    if (status == 0 && outcome == OUTCOME_HIT && session->waits)
        status = lease_log_wait(&store->log, session->position, err);
    return status == 0 ? outcome : OUTCOME_ERROR;
}

static enum outcome memfile_create(struct session *session, const struct lease *lease,
                                   struct err *err)
{
    const enum outcome outcome = lease_table_add(begin_change(session), lease);

    return end_change(session, outcome, lease, false, err);
}

static enum outcome memfile_update(struct session *session, const struct lease *lease,
                                   int64_t expire_s, struct err *err)
{
    const enum outcome outcome = lease_table_update(begin_change(session), lease, expire_s);

    return end_change(session, outcome, lease, false, err);
}

static enum outcome memfile_remove(struct session *session, struct lease_address address,
                                   int64_t expire_s, struct err *err)
{
    const enum outcome outcome =
        lease_table_remove(begin_change(session), address, expire_s, &session->removed);

    return end_change(session, outcome, &session->removed, true, err);
}

/* The removals become durable together, at the end of the call. */
static int memfile_purge_reclaimed(struct session *session, int64_t before_s, uint64_t *purged,
                                   struct err *err)
{
    struct lease_table *const table = begin_change(session);
    struct lease_log *const log = &session->store->log;
    struct lease *const lease = &session->removed;
    uint64_t cursor = 0;
    int status = 0;

    *purged = 0;
    while (status == 0 && lease_table_purge(table, before_s, &cursor, lease)) {
        status = lease_log_append(log, lease, true, &session->position, err);
        ++*purged;
    }
    unlock(session->store);
    return status == 0 && session->waits ? lease_log_wait(log, session->position, err) : status;
}

static int memfile_begin(struct session *session, struct err *err)
{
    (void)err;
    session->waits = false;
    return 0;
}

static int memfile_commit(struct session *session, struct err *err)
{
    struct lease_log *const log = &session->store->log;

    session->waits = log->level != DURABILITY_VOLATILE;
    return session->waits ? lease_log_wait(log, session->position, err) : 0;
}

/* Searches */

static const struct lease_table *begin_search(struct session *session)
{
    struct store *const store = session->store;

    if (store->sessions > 1)
        (void)pthread_rwlock_rdlock(&store->lock);
    return &store->table;
}

static int memfile_count(struct session *session, uint64_t *count, struct err *err)
{
    (void)err;
    *count = lease_table_count(begin_search(session));
    unlock(session->store);
    return 0;
}

static enum outcome memfile_find(struct session *session, enum lookup by, const struct lease *like,
                                 struct lease *found, struct err *err)
{
    const unsigned count = lease_table_find(begin_search(session), by, like, found);

    unlock(session->store);
    if (count < 2)
        return count == 1 ? OUTCOME_HIT : OUTCOME_MISS;
    (void)err_set(err, "memfile: %s: more than one lease has that %s", session->store->log.path,
                  by == LOOKUP_HWADDR           ? "hwaddr"
                  : like->type == LEASE_TYPE_V4 ? "client-id"
                                                : "DUID and IAID");
    return OUTCOME_ERROR;
}

static int memfile_list_expired(struct session *session, int64_t now_s, size_t limit,
                                struct lease *found, size_t *count, struct err *err)
{
    (void)err;
    *count = lease_table_expired(begin_search(session), now_s, limit, found);
    unlock(session->store);
    return 0;
}

const struct backend the_backend = {
    .name = "memfile",
    .default_target = "dhcpd.leases",
    .default_v6_target = "dhcpd6.leases",
    .scope = OPT_SCOPE_FILE | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) | SYNC_BIT(SYNC_VOLATILE) |
                   SYNC_BIT(SYNC_PROCESS_SAFE) | SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .settings_help = "format=isc|kea (the format of the lease file) and\nbuffer=BYTES (the write "
                     "buffer of --sync=volatile and of batches)",
    .open = memfile_open,
    .close = memfile_close,
    .describe = memfile_describe,
    .durability = memfile_durability,
    .limits = limits,
    .data_path = memfile_data_path,
    .used = memfile_used,
    .sample = memfile_sample,
    .session_open = memfile_session_open,
    .session_close = memfile_session_close,
    .reset = memfile_reset,
    .count = memfile_count,
    .check = memfile_check,
    .create = memfile_create,
    .find = memfile_find,
    .update = memfile_update,
    .remove = memfile_remove,
    .list_expired = memfile_list_expired,
    .purge_reclaimed = memfile_purge_reclaimed,
    .add_reservation = memfile_add_reservation,
    .find_reservation = memfile_find_reservation,
    .begin = memfile_begin,
    .commit = memfile_commit,
};
