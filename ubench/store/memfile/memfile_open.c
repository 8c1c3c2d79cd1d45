/* SPDX-License-Identifier: ISC */
/* Opens the store with the settings of the command line, empties it and closes it.  For --verify
   (keep) it opens a file as a crash left it, and reads its leases. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "store/memfile/memfile.h"

/* Maps --sync to a level; the default is Kea's, process-safe. */
static enum durability level_of(enum sync_level asked)
{
    if (asked == SYNC_VOLATILE)
        return DURABILITY_VOLATILE;
    return asked == SYNC_YES || asked == SYNC_POWER_SAFE ? DURABILITY_POWER_SAFE
                                                         : DURABILITY_PROCESS_SAFE;
}

/* Applies the settings of --set to the log. */
static int read_settings(const struct store_config *config, struct lease_log *log, struct err *err)
{
    const struct opt_settings *const settings = config->settings;
    const bool v4 = config->family == LEASE_FAMILY_V4;

    log->format = v4 ? LEASE_FILE_ISC : LEASE_FILE_KEA6;
    log->size = UINT64_C(256) << 10;
    for (size_t i = 0; i < settings->count; i++) {
        const char *const name = settings->items[i].name;
        const char *const value = settings->items[i].value;

        if (strcmp(name, "format") == 0) {
            const bool isc = v4 && strcmp(value, "isc") == 0;

            if (!isc && strcmp(value, "kea") != 0)
                return err_usage(err, "--set: format='%s' is not %s", value,
                                 v4 ? "isc or kea" : "kea, the only one with --ipv6");
            if (v4)
                log->format = isc ? LEASE_FILE_ISC : LEASE_FILE_KEA;
        } else if (strcmp(name, "buffer") != 0)
            return err_usage(err,
                             "--set: '%s' is not a setting of memfile; "
                             "expected format or buffer",
                             name);
        else if (units_scan_count(value, &log->size) != 0 || log->size < 1 || log->size > 1 << 30)
            return err_usage(err,
                             "--set: buffer='%s' is not a number of bytes "
                             "in 1..1073741824",
                             value);
        else if (config->alone && log->level != DURABILITY_VOLATILE)
            return err_usage(err,
                             "--set: buffer can only be used with --batch or --threads above 1, or "
                             "with --sync=volatile, as each change is otherwise written by itself");
    }
    return 0;
}

static void free_store(struct store *store)
{
    (void)pthread_rwlock_destroy(&store->lock);
    lease_table_release(&store->table);
    hash_release(&store->reservations);
    free(store);
}

/* Applies a record of the file to the table. */
static int apply_record(void *context, const struct lease *lease, bool removed, struct err *err)
{
    return lease_table_replay(context, lease, removed) == 0
               ? 0
               : err_set(err, "memfile: out of memory");
}

/* Reads the leases of an existing file, which is not written to. */
static int keep_leases(struct store *store, const struct store_config *config, struct err *err)
{
    if (lease_file_recover(config->target, apply_record, &store->table, &store->kept, err) != 0) {
        const struct err cause = *err;

        return err_set_class(err, cause.kind, "memfile: %s", cause.text);
    }
    if (store->kept.records > 0 &&
        (store->kept.format == LEASE_FILE_KEA6) != (config->family == LEASE_FAMILY_V6))
        return err_set(err, "memfile: %s: has IPv%c leases", config->target,
                       store->kept.format == LEASE_FILE_KEA6 ? '6' : '4');
    store->log.format = store->kept.format;
    return 0;
}

/* Replaces the table by an empty one, and removes the reservations. */
static int empty_memory(struct store *store, bool indexed, struct err *err)
{
    lease_table_release(&store->table);
    hash_release(&store->reservations);
    return lease_table_init(&store->table, indexed) == 0 && hash_init(&store->reservations) == 0
               ? 0
               : err_set(err, "memfile: out of memory");
}

struct store *memfile_open(const struct store_config *config, struct err *err)
{
    struct store *const store = err_calloc(1, sizeof *store, err);

    if (store == NULL)
        return NULL;
    (void)pthread_rwlock_init(&store->lock, NULL);
    store->log.path = config->target;
    store->log.level = level_of(config->sync);
    if (read_settings(config, &store->log, err) == 0 &&
        empty_memory(store, config->schema != SCHEMA_LEAN, err) == 0 &&
        (config->keep ? keep_leases(store, config, err) : lease_log_open(&store->log, err)) == 0)
        return store;
    free_store(store);
    return NULL;
}

int memfile_close(struct store *store, struct err *err)
{
    if (store == NULL)
        return 0;
    const int status = lease_log_close(&store->log, err);
    free_store(store);
    return status;
}

int memfile_reset(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    return empty_memory(store, store->table.indexed, err) == 0 ? lease_log_reset(&store->log, err)
                                                               : -1;
}

enum outcome memfile_check(struct session *session, char *text, size_t size, struct err *err)
{
    const struct lease_file_stats *const kept = &session->store->kept;

    (void)err;
    if (kept->complaint != NULL)
        (void)snprintf(text, size,
                       "%" PRIu64 " whole records; the %" PRIu64 " bytes from byte %" PRIu64
                       " are dropped, because line %" PRIu64 " is %s",
                       kept->records, kept->dropped_bytes, kept->good_bytes, kept->bad_line,
                       kept->complaint);
    else
        (void)snprintf(text, size,
                       "%" PRIu64 " whole records and an incomplete one of %" PRIu64 " bytes",
                       kept->records, kept->torn_bytes);
    return OUTCOME_HIT; /* missing leases are found by comparison with the ledger */
}
