/* SPDX-License-Identifier: ISC */
/* Opening memfile, and what it says of itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "store/file_system.h"
#include "store/memfile/store.h"

/* The knobs of --set. */
struct knobs {
    enum lease_file_format format;
    uint64_t buffer_size;
};

static int read_format(const char *value, enum lease_family family,
                       enum lease_file_format *format, struct err *err)
{
    const bool isc = strcmp(value, "isc") == 0;

    if (!isc && strcmp(value, "kea") != 0)
        return err_set_class(err, ERR_USAGE,
                             "--set: format='%s' is not isc or kea", value);
    if (family == LEASE_FAMILY_V6 && isc)
        return err_set_class(err, ERR_USAGE,
                             "--set: format='isc' is for IPv4 leases, and "
                             "with --ipv6 it is kea");
    if (family == LEASE_FAMILY_V4)
        *format = isc ? LEASE_FILE_ISC : LEASE_FILE_KEA;
    return 0;
}

static int read_knobs(const struct store_config *config, struct knobs *knobs,
                      struct err *err)
{
    const struct opt_settings *const settings = config->settings;
    const uint64_t least = 1;
    const uint64_t most = UINT64_C(1) << 30;

    *knobs = (struct knobs){
        .format = config->family == LEASE_FAMILY_V6 ? LEASE_FILE_KEA6
                                                    : LEASE_FILE_ISC,
        .buffer_size = UINT64_C(256) << 10,
    };
    for (size_t i = 0; settings != NULL && i < settings->count; i++) {
        const char *const name = settings->items[i].name;
        const char *const value = settings->items[i].value;

        if (strcmp(name, "format") == 0) {
            if (read_format(value, config->family, &knobs->format, err) != 0)
                return -1;
        } else if (strcmp(name, "buffer") != 0)
            return err_set_class(err, ERR_USAGE,
                                 "--set: '%s' is not a knob of memfile, which "
                                 "has format and buffer",
                                 name);
        else if (units_scan_count(value, &knobs->buffer_size) != 0 ||
                 knobs->buffer_size < least || knobs->buffer_size > most)
            return err_set_class(err, ERR_USAGE,
                                 "--set: buffer='%s' is not a number of bytes "
                                 "in %" PRIu64 "..%" PRIu64,
                                 value, least, most);
    }
    return 0;
}

/* Kea's customary level is also the asynchronous one. */
static enum lease_log_level level_of(enum sync_level asked)
{
    switch (asked) {
    case SYNC_YES:
    case SYNC_POWER_SAFE:
        return LEASE_LOG_SYNC;
    case SYNC_VOLATILE:
        return LEASE_LOG_BUFFER;
    case SYNC_NO:
    case SYNC_SERVER:
    case SYNC_PROCESS_SAFE:
    case SYNC_BOUNDED:
        break;
    }
    return LEASE_LOG_WRITE;
}

static void free_store(struct store *store)
{
    (void)pthread_rwlock_destroy(&store->lock);
    lease_table_release(&store->table);
    reservations_release(&store->reservations);
    free(store);
}

/* Does to the table what a record of the file says. */
static int apply_record(void *context, const struct lease *lease, bool removed,
                        struct err *err)
{
    return lease_table_replay(context, lease, removed) == 0
               ? 0
               : err_set(err, "memfile: out of memory");
}

/* Reads the leases of a file that is there; the file is not written to. */
static int keep_leases(struct store *store, const struct store_config *config,
                       struct err *err)
{
    store->log = (struct lease_log){ .path = config->target, .file = -1 };
    if (lease_file_recover(config->target, apply_record, &store->table,
                           &store->kept, err) != 0) {
        const struct err cause = *err;

        return err_set_class(err, cause.class, "memfile: %s", cause.text);
    }
    if (store->kept.records > 0 && (store->kept.format == LEASE_FILE_KEA6) !=
                                       (config->family == LEASE_FAMILY_V6))
        return err_set(err, "memfile: %s: has IPv%c leases", config->target,
                       store->kept.format == LEASE_FILE_KEA6 ? '6' : '4');
    store->log.level = level_of(config->sync);
    store->log.writer.format = store->kept.format;
    return 0;
}

static int fill_store(struct store *store, const struct store_config *config,
                      const struct knobs *knobs, struct err *err)
{
    if (lease_table_init(&store->table, config->schema != SCHEMA_LEAN) != 0 ||
        (config->reservations && reservations_init(&store->reservations) != 0))
        return err_set(err, "memfile: out of memory");
    return config->keep ? keep_leases(store, config, err)
                        : lease_log_open(&store->log, config->target,
                                         knobs->format, level_of(config->sync),
                                         knobs->buffer_size, err);
}

struct store *memfile_open(const struct store_config *config, struct err *err)
{
    struct knobs knobs;

    if (read_knobs(config, &knobs, err) != 0)
        return NULL;
    struct store *const store = calloc(1, sizeof *store);
    if (store == NULL) {
        (void)err_set(err, "memfile: out of memory");
        return NULL;
    }
    (void)pthread_rwlock_init(&store->lock, NULL);
    store->family = config->family;
    if (fill_store(store, config, &knobs, err) == 0)
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

void memfile_describe(const struct store *store, struct properties *properties)
{
    const bool isc = store->log.writer.format == LEASE_FILE_ISC;

    properties_add(properties, "memfile", "%s",
                   isc ? "dhcpd.leases text" : "Kea CSV text");
    properties_add(properties, "format", "%s", isc ? "isc" : "kea");
    properties_add(properties, "indexes", "%s",
                   !store->table.indexed ? "address"
                   : store->family == LEASE_FAMILY_V6
                       ? "address hwaddr DUID-IAID-type expire"
                       : "address hwaddr client-id expire");
    properties_add(properties, "buffer", "%zu", store->log.size);
    properties_add(properties, "file system", "%s",
                   file_system_name(store->log.path));
}

enum durability memfile_durability(const struct store *store, char *text,
                                   size_t size)
{
    static const struct {
        enum durability durability;
        const char *how;
    } levels[] = {
        [LEASE_LOG_BUFFER] = { DURABILITY_VOLATILE, "buffered in the process" },
        [LEASE_LOG_WRITE] = { DURABILITY_PROCESS_SAFE,
                              "write(2) before each answer" },
        [LEASE_LOG_SYNC] = { DURABILITY_POWER_SAFE,
                             "write(2) and fdatasync(2) before each answer" },
    };
    const char *const path = store->log.path;

    (void)snprintf(text, size, "%s, on %s", levels[store->log.level].how,
                   file_system_name(path));
    return file_system_limit(path, levels[store->log.level].durability);
}

void memfile_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", store->log.path);
}
