/* SPDX-License-Identifier: ISC */
/*
 * The store of ISC DHCP and of Kea by default: leases in memory, and a log of
 * every change in a file.
 *
 * A change is in the file before its operation returns: as far as write(2)
 * (what Kea does), as far as the disk (what ISC DHCP does), or, where it was
 * asked to be volatile, as far as a buffer of ours (what the 2012 tool did).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/units.h"
#include "lease/lease_file.h"
#include "store/backend.h"
#include "store/file_system.h"
#include "store/lease_table.h"

struct store {
    const char *path;
    int file;
    enum sync_level sync; /* volatile, process-safe or power-safe */
    enum schema schema;
    struct lease_writer writer;
    struct lease_table table;
    /* The log: records that were not written yet. */
    char *buffer;
    size_t buffered;
    size_t buffer_size; /* it is written when it holds as much */
    bool grouped;       /* between begin and commit */
    /* Once writing failed nothing is certain: after a failed fsync the kernel
       may have dropped the data and a later one may succeed.  So no later
       operation succeeds either. */
    bool broken;
};

/* One at a time so far; what it works on is the store's. */
struct session {
    struct store *store;
    struct lease removed;
};

static void memfile_library(char *text, size_t size)
{
    (void)snprintf(text, size, "no library");
}

/* The log */

static int log_failed(struct store *store, const char *action, struct err *err)
{
    const int error = errno;
    const enum err_class class =
        error == ENOSPC || error == EDQUOT ? ERR_FULL : ERR_OTHER;

    store->broken = true;
    return err_set_class(err, class, "memfile: %s %s: %s", action, store->path,
                         strerror(error));
}

static int log_write(struct store *store, struct err *err)
{
    const char *at = store->buffer;
    size_t left = store->buffered;

    store->buffered = 0;
    while (left > 0) {
        const ssize_t written = write(store->file, at, left);

        /* A short write is a failure whose reason the next one tells. */
        if (written < 0)
            return log_failed(store, "writing", err);
        at += written;
        left -= (size_t)written;
    }
    return 0;
}

static int log_sync(struct store *store, struct err *err)
{
    if (log_write(store, err) != 0)
        return -1;
    if (store->sync == SYNC_POWER_SAFE && fdatasync(store->file) != 0)
        return log_failed(store, "syncing", err);
    return 0;
}

/* Where the next record goes. */
static char *log_end(const struct store *store)
{
    return store->buffer + store->buffered;
}

/* Brings a record that was put at log_end as far as the level asks for. */
static enum outcome log_record(struct store *store, size_t length,
                               struct err *err)
{
    int status = 0;

    store->buffered += length;
    if (!store->grouped && store->sync != SYNC_VOLATILE)
        status = log_sync(store, err);
    else if (store->buffered >= store->buffer_size)
        status = log_write(store, err);
    return status == 0 ? OUTCOME_HIT : OUTCOME_ERROR;
}

static enum outcome broken(const struct store *store, struct err *err)
{
    (void)err_set(err, "memfile: %s: writing it has failed before",
                  store->path);
    return OUTCOME_ERROR;
}

static enum outcome no_memory(const struct lease_table *table, struct err *err)
{
    (void)err_set(err, "memfile: out of memory at %" PRIu64 " leases",
                  lease_table_count(table));
    return OUTCOME_ERROR;
}

/* Opening: nobody's data is touched. */

static int refuse(const char *path, const char *found, struct err *err)
{
    return err_set(err,
                   "memfile: %s: %s; ubench only writes to files that it "
                   "made: name another one with --file",
                   path, found);
}

/* Makes sure that an open file is ours to empty. */
static int check_ours(int file, const char *path, struct err *err)
{
    char start[LEASE_FILE_HEADER_MAX];
    struct stat status;

    if (fstat(file, &status) != 0)
        return err_set(err, "memfile: %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return refuse(path, "is not a regular file", err);
    if (flock(file, LOCK_EX | LOCK_NB) != 0)
        return err_set_class(err, ERR_BUSY,
                             "memfile: %s: is in use by another process", path);
    const ssize_t length = pread(file, start, sizeof start, 0);
    if (length < 0)
        return err_set(err, "memfile: reading %s: %s", path, strerror(errno));
    if (length > 0 && !lease_file_is_ours(start, (size_t)length))
        return refuse(path, "was not written by ubench", err);
    return 0;
}

/* Opens or makes the file.  Returns it, or -1 with err. */
static int open_file(const char *path, bool *made, struct err *err)
{
    /* A device or a pipe may wait to be opened: O_NONBLOCK. */
    const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK;
    int file = open(path, flags | O_CREAT | O_EXCL, 0644);

    *made = file >= 0;
    if (file < 0 && errno == EEXIST)
        file = open(path, flags);
    if (file < 0 && errno == EISDIR)
        return refuse(path, "is a directory", err);
    if (file < 0)
        return err_set(err, "memfile: opening %s: %s", path, strerror(errno));
    if (!*made && check_ours(file, path, err) != 0) {
        (void)close(file);
        return -1;
    }
    if (*made)
        (void)flock(file, LOCK_EX | LOCK_NB);
    return file;
}

/* Empties the file down to its header. */
static int begin_file(struct store *store, struct err *err)
{
    if (ftruncate(store->file, 0) != 0 || lseek(store->file, 0, SEEK_SET) != 0)
        return log_failed(store, "emptying", err);
    store->buffered = lease_writer_header(&store->writer, store->buffer);
    if (log_sync(store, err) != 0)
        return -1;
    if (store->sync == SYNC_POWER_SAFE &&
        file_system_sync_folder(store->path) != 0)
        return log_failed(store, "syncing the folder of", err);
    return 0;
}

/* The knobs of --set. */
struct knobs {
    enum lease_file_format format;
    uint64_t buffer_size;
};

static int read_knobs(const struct opt_settings *settings, struct knobs *knobs,
                      struct err *err)
{
    const uint64_t least = 1;
    const uint64_t most = UINT64_C(1) << 30;

    *knobs = (struct knobs){ .format = LEASE_FILE_ISC,
                             .buffer_size = UINT64_C(256) << 10 };
    for (size_t i = 0; settings != NULL && i < settings->count; i++) {
        const char *const name = settings->items[i].name;
        const char *const value = settings->items[i].value;

        if (strcmp(name, "format") == 0 && strcmp(value, "isc") == 0)
            knobs->format = LEASE_FILE_ISC;
        else if (strcmp(name, "format") == 0 && strcmp(value, "kea") == 0)
            knobs->format = LEASE_FILE_KEA;
        else if (strcmp(name, "format") == 0)
            return err_set_class(err, ERR_USAGE,
                                 "--set: format='%s' is not isc or kea", value);
        else if (strcmp(name, "buffer") != 0)
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
static enum sync_level resolve(enum sync_level asked)
{
    switch (asked) {
    case SYNC_YES:
    case SYNC_POWER_SAFE:
        return SYNC_POWER_SAFE;
    case SYNC_VOLATILE:
        return SYNC_VOLATILE;
    case SYNC_NO:
    case SYNC_SERVER:
    case SYNC_PROCESS_SAFE:
    case SYNC_BOUNDED:
        break;
    }
    return SYNC_PROCESS_SAFE;
}

static void free_store(struct store *store)
{
    if (store->file >= 0)
        (void)close(store->file);
    lease_table_release(&store->table);
    free(store->buffer);
    free(store);
}

static struct store *memfile_open(const struct store_config *config,
                                  struct err *err)
{
    struct knobs knobs;
    bool made = false;

    if (read_knobs(config->settings, &knobs, err) != 0)
        return NULL;
    struct store *const store = calloc(1, sizeof *store);
    if (store == NULL) {
        (void)err_set(err, "memfile: out of memory");
        return NULL;
    }
    store->path = config->target;
    store->sync = resolve(config->sync);
    store->schema = config->schema;
    store->buffer_size = knobs.buffer_size;
    store->buffer = malloc(knobs.buffer_size + LEASE_FILE_RECORD_MAX);
    lease_writer_init(&store->writer, knobs.format);
    store->file = -1;
    if (store->buffer == NULL ||
        lease_table_init(&store->table, config->schema == SCHEMA_KEA) != 0) {
        (void)err_set(err, "memfile: out of memory");
        goto failed;
    }
    store->file = open_file(store->path, &made, err);
    if (store->file >= 0 && begin_file(store, err) == 0)
        return store;
    if (made)
        (void)unlink(store->path);
failed:
    free_store(store);
    return NULL;
}

static int memfile_close(struct store *store, struct err *err)
{
    int status = 0;

    if (store == NULL)
        return 0;
    if (!store->broken)
        status = log_write(store, err);
    free_store(store);
    return status;
}

static void memfile_describe(const struct store *store, struct facts *facts)
{
    const bool isc = store->writer.format == LEASE_FILE_ISC;

    facts_add(facts, "memfile", "%s",
              isc ? "dhcpd.leases text" : "Kea CSV text");
    facts_add(facts, "format", "%s", isc ? "isc" : "kea");
    facts_add(facts, "indexes", "%s",
              store->schema == SCHEMA_KEA ? "address hwaddr client-id expire"
                                          : "address");
    if (store->sync == SYNC_VOLATILE)
        facts_add(facts, "buffer", "%zu", store->buffer_size);
    facts_add(facts, "file system", "%s", file_system_name(store->path));
}

static enum durability memfile_durability(const struct store *store, char *text,
                                          size_t size)
{
    enum durability durability = DURABILITY_PROCESS_SAFE;
    const char *how = "write(2) before each answer";

    if (store->sync == SYNC_VOLATILE) {
        durability = DURABILITY_VOLATILE;
        how = "buffered in the process";
    } else if (store->sync == SYNC_POWER_SAFE) {
        durability = DURABILITY_POWER_SAFE;
        how = "write(2) and fdatasync(2) before each answer";
    }
    (void)snprintf(text, size, "%s, on %s", how, file_system_name(store->path));
    return file_system_limit(store->path, durability);
}

static struct session *memfile_session_open(struct store *store,
                                            struct err *err)
{
    struct session *const session = calloc(1, sizeof *session);

    if (session == NULL)
        (void)err_set(err, "memfile: out of memory");
    else
        session->store = store;
    return session;
}

static void memfile_session_close(struct session *session)
{
    free(session);
}

static int memfile_reset(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    lease_table_clear(&store->table);
    return begin_file(store, err);
}

static int memfile_count(struct session *session, uint64_t *count,
                         struct err *err)
{
    (void)err;
    *count = lease_table_count(&session->store->table);
    return 0;
}

/* The timed operations.  Memory changes first: if the file then cannot be
   written the run is over, and nothing was acknowledged. */

static enum outcome memfile_create(struct session *session,
                                   const struct lease *lease, struct err *err)
{
    struct store *const store = session->store;

    if (store->broken)
        return broken(store, err);
    switch (lease_table_add(&store->table, lease)) {
    case LEASE_TABLE_NO_MEMORY:
        return no_memory(&store->table, err);
    case LEASE_TABLE_UNCHANGED:
        return OUTCOME_MISS;
    case LEASE_TABLE_CHANGED:
        break;
    }
    return log_record(
        store, lease_writer_lease(&store->writer, lease, log_end(store)), err);
}

static enum outcome found_one(const struct session *session, unsigned count,
                              const char *what, struct err *err)
{
    if (count < 2)
        return count == 1 ? OUTCOME_HIT : OUTCOME_MISS;
    (void)err_set(err, "memfile: %s: more than one lease has that %s",
                  session->store->path, what);
    return OUTCOME_ERROR;
}

static enum outcome memfile_find_by_address(struct session *session,
                                            uint32_t address,
                                            struct lease *found,
                                            struct err *err)
{
    (void)err;
    return lease_table_find_address(&session->store->table, address, found) == 1
               ? OUTCOME_HIT
               : OUTCOME_MISS;
}

static enum outcome memfile_find_by_hwaddr(struct session *session,
                                           const uint8_t *hwaddr, size_t length,
                                           struct lease *found, struct err *err)
{
    return found_one(
        session,
        lease_table_find_hwaddr(&session->store->table, hwaddr, length, found),
        "hwaddr", err);
}

static enum outcome
memfile_find_by_client_id(struct session *session, const uint8_t *client_id,
                          size_t length, struct lease *found, struct err *err)
{
    return found_one(session,
                     lease_table_find_client_id(&session->store->table,
                                                client_id, length, found),
                     "client-id", err);
}

static enum outcome memfile_update(struct session *session,
                                   const struct lease *lease, int64_t expire_s,
                                   struct err *err)
{
    struct store *const store = session->store;

    if (store->broken)
        return broken(store, err);
    switch (lease_table_update(&store->table, lease, expire_s)) {
    case LEASE_TABLE_NO_MEMORY:
        return no_memory(&store->table, err);
    case LEASE_TABLE_UNCHANGED:
        return OUTCOME_MISS;
    case LEASE_TABLE_CHANGED:
        break;
    }
    return log_record(
        store, lease_writer_lease(&store->writer, lease, log_end(store)), err);
}

static enum outcome memfile_remove(struct session *session, uint32_t address,
                                   int64_t expire_s, struct err *err)
{
    struct store *const store = session->store;

    if (store->broken)
        return broken(store, err);
    if (lease_table_remove(&store->table, address, expire_s,
                           &session->removed) != LEASE_TABLE_CHANGED)
        return OUTCOME_MISS;
    return log_record(
        store,
        lease_writer_removal(&store->writer, &session->removed, log_end(store)),
        err);
}

static int memfile_list_expired(struct session *session, int64_t now_s,
                                size_t limit, struct lease *found,
                                size_t *count, struct err *err)
{
    (void)err;
    *count = lease_table_expired(&session->store->table, now_s, limit, found);
    return 0;
}

static int memfile_begin(struct session *session, struct err *err)
{
    (void)err;
    session->store->grouped = true;
    return 0;
}

static int memfile_commit(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    store->grouped = false;
    if (store->broken)
        return (int)broken(store, err);
    return store->sync == SYNC_VOLATILE ? 0 : log_sync(store, err);
}

/* All removals become durable together, at the end. */
static int memfile_purge_reclaimed(struct session *session, int64_t before_s,
                                   uint64_t *purged, struct err *err)
{
    struct store *const store = session->store;
    const bool grouped = store->grouped;
    struct lease lease;
    uint64_t cursor = 0;

    *purged = 0;
    store->grouped = true;
    while (lease_table_reclaimed(&store->table, before_s, &cursor, &lease)) {
        if (memfile_remove(session, lease.address, lease_expire_s(&lease),
                           err) != OUTCOME_HIT) {
            store->grouped = grouped;
            return -1;
        }
        ++*purged;
    }
    return grouped ? 0 : memfile_commit(session, err);
}

const struct backend the_backend = {
    .name = "memfile",
    .default_target = "dhcpd.leases",
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
    .session_open = memfile_session_open,
    .session_close = memfile_session_close,
    .reset = memfile_reset,
    .count = memfile_count,
    .create = memfile_create,
    .find_by_address = memfile_find_by_address,
    .find_by_hwaddr = memfile_find_by_hwaddr,
    .find_by_client_id = memfile_find_by_client_id,
    .update = memfile_update,
    .remove = memfile_remove,
    .list_expired = memfile_list_expired,
    .purge_reclaimed = memfile_purge_reclaimed,
    .begin = memfile_begin,
    .commit = memfile_commit,
};
