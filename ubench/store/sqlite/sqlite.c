/* SPDX-License-Identifier: ISC */
/*
 * Leases in a SQLite database: one file, one connection per session.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/file_system.h"
#include "store/sql/candidates.h"
#include "store/sqlite/sqlite.h"

/* The progress handler is called after this many steps of SQLite's virtual
   machine: some 20 operations on a lease. */
enum { STEPS_UNASKED = 1000 };

static void sqlite_library(char *text, size_t size)
{
    (void)snprintf(text, size, "SQLite %s", sqlite3_libversion());
}

/* Drops the objects of a --sql file.  Returns 0, or -1 with err. */
static int tear_down(struct store *store, struct err *err)
{
    struct connection connection;
    int status = -1;

    if (store->statements.before == NULL)
        return 0;
    if (sqlite_connect(&connection, store, err) == 0)
        status = sql_candidates_close(&store->statements, &connection, &store->config, err);
    (void)sqlite3_close(connection.db);
    free(store->statements.before);
    return status;
}

static int sqlite_close(struct store *store, struct err *err)
{
    if (store == NULL)
        return 0;
    const int status = tear_down(store, err);
    sqlite_syncs_release(&store->syncs);
    if (store->claim >= 0)
        (void)close(store->claim);
    free(store);
    return status;
}

static struct store *sqlite_open(const struct store_config *config, struct err *err)
{
    struct store *const store = err_calloc(1, sizeof *store, err);

    if (store == NULL)
        return NULL;
    store->config = *config;
    store->claim = -1;
    sql_table_init(&store->table, config, true);
    sql_statements_init(&store->statements, &sqlite_dialect, &store->table, config);
    sqlite_choose_settings(store);
    if (sqlite_syncs_init(&store->syncs, err) == 0 && sqlite_open_file(store, err) == 0) {
        store->busy_ms = atoi(sqlite_setting(store, "busy_timeout"));
        return store;
    }
    (void)sqlite_close(store, err);
    return NULL;
}

static void sqlite_describe(const struct store *store, struct properties *properties)
{
    properties_add(properties, "SQLite", "%s", sqlite3_libversion());
    for (const struct sqlite_setting *item = store->settings; item->name != NULL; item++)
        properties_add(properties, item->name, "%s", item->read_back);
    properties_add(properties, "compiled", "%s", store->config.compiled ? "yes" : "no");
    properties_add(properties, "file system", "%s", file_system_name(store->path));
}

static void sqlite_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", store->path);
}

/* The sessions: each has a connection, with the settings that open settled on. */

static void sqlite_cancel(struct store *store)
{
    atomic_store(&store->canceled, true);
}

/* The progress handler, called from time to time while SQLite works. */
static int is_canceled(void *store)
{
    return atomic_load(&((struct store *)store)->canceled);
}

/* A busy handler with the delays of SQLite's own (sqliteDefaultBusyCallback in
   its main.c), which can also be canceled. */
static int wait_for_lock(void *argument, int naps)
{
    static const int naps_ms[] = { 1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100 };
    enum { LAST = sizeof naps_ms / sizeof *naps_ms - 1 };
    struct sqlite_session *const session = argument;
    struct store *const store = session->base.store;
    int nap_ms = naps_ms[naps < LAST ? naps : LAST];

    if (naps == 0)
        session->waited_ms = 0;
    if (nap_ms > store->busy_ms - session->waited_ms)
        nap_ms = store->busy_ms - session->waited_ms;
    if (nap_ms <= 0 || is_canceled(store))
        return 0;
    session->waited_ms += sqlite3_sleep(nap_ms); /* longer on systems without usleep */
    return 1;
}

static void sqlite_session_close(struct session *base)
{
    struct sqlite_session *const session = sqlite_session_of(base);

    if (session == NULL)
        return;
    sqlite_release(session);
    const int code = sqlite3_close(session->connection.db);
    assert(code == SQLITE_OK); /* else a statement was not finalised */
    (void)code;
    free(session);
}

static struct session *sqlite_session_open(struct store *store, struct err *err)
{
    struct sqlite_session *const session = err_calloc(1, sizeof *session, err);

    if (session == NULL)
        return NULL;
    struct connection *const connection = &session->connection;
    sql_session_init(&session->base, store, &store->statements, store->config.compiled);
    if (sqlite_connect(connection, store, err) != 0 ||
        sqlite_apply_settings(connection, true, err) != 0 ||
        sqlite_read_settings(connection, err) != 0 ||
        /* Replaces the handler of busy_timeout. */
        sqlite3_busy_handler(connection->db, wait_for_lock, session) != SQLITE_OK ||
        (store->config.compiled && sqlite_prepare(session, err) != 0)) {
        sqlite_session_close(&session->base);
        return NULL;
    }
    sqlite3_progress_handler(connection->db, STEPS_UNASKED, is_canceled, store);
    return &session->base;
}

/* The functions below are not timed. */

static int sqlite_reset(struct session *session, struct err *err)
{
    const struct connection *const connection = &sqlite_session_of(session)->connection;
    char sql[64];

    (void)snprintf(sql, sizeof sql, "DELETE FROM %s", session->table->name);
    if (session->store->config.reservations &&
        sqlite_execute(connection, "remove all reservations", "DELETE FROM ubench_hosts", err) != 0)
        return -1;
    return sqlite_execute(connection, "remove all", sql, err);
}

static int sqlite_count(struct session *session, uint64_t *count, struct err *err)
{
    const struct connection *const connection = &sqlite_session_of(session)->connection;
    char sql[64];
    char text[24] = "";

    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s NOT INDEXED", session->table->name);
    if (sqlite_ask(connection, "count", sql, text, sizeof text, err) < 0)
        return -1;
    *count = strtoull(text, NULL, 10);
    return 0;
}

static enum outcome sqlite_check(struct session *session, char *text, size_t size, struct err *err)
{
    static const char sql[] = "PRAGMA integrity_check(1)";
    char found[256] = "";

    if (sqlite_ask(&sqlite_session_of(session)->connection, sql, sql, found, sizeof found, err) < 0)
        return OUTCOME_ERROR;
    (void)snprintf(text, size, "PRAGMA integrity_check: %s", found);
    return strcmp(found, "ok") == 0 ? OUTCOME_HIT : OUTCOME_MISS;
}

static void sqlite_used(struct session *const *sessions, size_t count, struct store_use *use)
{
    use->fdatasyncs = atomic_load_explicit(&sessions[0]->store->syncs.count, memory_order_relaxed);
    use->scanned = 0;
    for (size_t i = 0; i < count; i++)
        use->scanned += sqlite_session_of(sessions[i])->scanned;
}

/* Returns how often the write-ahead log began anew, which a checkpoint of all of it allows: a
   number in its header (SQLite's file format, 4.1).  The file carries no locks. */
static uint64_t checkpoints(const char *path)
{
    char name[SQLITE_PATH_SIZE + 8];
    unsigned char bytes[4];
    uint64_t number = ACTIVITY_UNKNOWN;

    (void)snprintf(name, sizeof name, "%s-wal", path);
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return number;
    if (pread(file, bytes, sizeof bytes, 12) == (ssize_t)sizeof bytes)
        number = (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 |
                 bytes[3];
    (void)close(file);
    return number;
}

static void sqlite_sample(struct store *store, struct activity_sample *sample)
{
    sample->figures[ACTIVITY_SYNCS] =
        atomic_load_explicit(&store->syncs.count, memory_order_relaxed);
    sample->figures[ACTIVITY_CHECKPOINTS] = checkpoints(store->path);
    sample->figures[ACTIVITY_DATA_BYTES] = activity_file_bytes(store->path, NULL);
    sample->figures[ACTIVITY_STORE_BYTES] = activity_file_bytes(store->path, sqlite_beside);
}

const struct backend the_backend = {
    .name = "sqlite",
    .default_target = "sqlite.db",
    .beside = sqlite_beside,
    .scope = OPT_SCOPE_FILE | OPT_SCOPE_SQL | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) | SYNC_BIT(SYNC_SERVER) |
                   SYNC_BIT(SYNC_PROCESS_SAFE) | SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .settings_help = "any PRAGMA that can be read back, such as cache_size, "
                     "journal_mode,\nmmap_size, page_size or "
                     "wal_autocheckpoint",
    .library = sqlite_library,
    .open = sqlite_open,
    .close = sqlite_close,
    .describe = sqlite_describe,
    .durability = sqlite_durability,
    .dialect = &sqlite_dialect,
    .limits = sqlite_limits,
    .data_path = sqlite_data_path,
    .session_open = sqlite_session_open,
    .session_close = sqlite_session_close,
    .reset = sqlite_reset,
    .count = sqlite_count,
    .check = sqlite_check,
    .used = sqlite_used,
    .sample = sqlite_sample,
    SQL_OPERATIONS(MEMBER).begin = sqlite_begin,
    .commit = sqlite_commit,
    .cancel = sqlite_cancel,
};
