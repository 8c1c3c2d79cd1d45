/* SPDX-License-Identifier: ISC */
/*
 * Leases in a SQLite database: one file, one connection per session.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/file_system.h"
#include "store/sql/operations.h"
#include "store/sqlite/sqlite.h"

static void sqlite_library(char *text, size_t size)
{
    (void)snprintf(text, size, "SQLite %s", sqlite3_libversion());
}

static const char *count_sql(const struct store *store)
{
    return store->table.family == LEASE_FAMILY_V4
               ? "SELECT count(*) FROM lease4 NOT INDEXED"
               : "SELECT count(*) FROM lease6 NOT INDEXED";
}

/* Makes the tables and settles the settings, through a connection that is
   closed again: a session may want to have the file for itself. */
static int fill_file(struct store *store, struct err *err)
{
    const unsigned later = ~(unsigned)SQLITE_BEFORE_TABLES;
    char count[24];
    int status = -1;
    sqlite3 *const db = sqlite_connect(store, err);

    if (db == NULL)
        return -1;
    if (sqlite_apply_settings(store, db, SQLITE_BEFORE_TABLES, err) == 0 &&
        (store->config->keep ? sqlite_check_owner(store, db, err)
                             : sqlite_fill(store, db, err)) == 0 &&
        sqlite_apply_settings(store, db, later, err) == 0 &&
        /* A new journal mode is put to work only now. */
        sqlite_ask(store, db, "read", count_sql(store), count, sizeof count,
                   err) >= 0)
        status = sqlite_read_settings(store, db, ~0U, err);
    (void)sqlite3_close(db);
    return status;
}

static int sqlite_close(struct store *store, struct err *err)
{
    (void)err;
    if (store == NULL)
        return 0;
    assert(store->sessions == NULL);
    sqlite_give_back(store);
    (void)pthread_mutex_destroy(&store->lock);
    free(store);
    return 0;
}

static struct store *sqlite_open(const struct store_config *config,
                                 struct err *err)
{
    struct store *const store = err_calloc(1, sizeof *store, err);

    if (store == NULL)
        return NULL;
    store->config = config;
    store->compiled = config->compiled;
    store->reservations = config->reservations;
    store->connections = config->threads;
    sql_table_init_whole(&store->table, config);
    sql_statements_init(&store->statements, &sqlite_dialect, &store->table,
                        config->reservations);
    store->claim = -1;
    (void)pthread_mutex_init(&store->lock, NULL);
    if (sqlite_choose_settings(store, err) != 0 || sqlite_take(store, err) != 0)
        goto failed;
    if (fill_file(store, err) != 0) {
        if (!config->keep)
            sqlite_undo(store);
        goto failed;
    }
    store->busy_ms = atoi(sqlite_setting(store, "busy_timeout"));
    return store;
failed:
    (void)sqlite_close(store, err);
    return NULL;
}

static void sqlite_describe(const struct store *store,
                            struct properties *properties)
{
    properties_add(properties, "SQLite", "%s", sqlite3_libversion());
    for (size_t i = 0; i < store->setting_count; i++)
        properties_add(properties, store->settings[i].name, "%s",
                       store->settings[i].read_back);
    properties_add(properties, "compiled", "%s",
                   store->compiled ? "yes" : "no");
    properties_add(properties, "file system", "%s",
                   file_system_name(store->path));
}

static enum durability sqlite_durability(const struct store *store, char *text,
                                         size_t size)
{
    return file_system_limit(store->path, sqlite_class(store, text, size));
}

static void sqlite_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", store->path);
}

/* The sessions: a connection each, with the settings that open settled on. */

static void sqlite_cancel(struct store *store)
{
    atomic_store(&store->canceled, true);
    (void)pthread_mutex_lock(&store->lock);
    for (const struct sqlite_session *s = store->sessions; s != NULL;
         s = s->next)
        sqlite3_interrupt(s->db);
    (void)pthread_mutex_unlock(&store->lock);
}

/* SQLite's own busy handler (sqliteDefaultBusyCallback in its main.c) with the
   same naps, but one that can be called off. */
static int wait_for_lock(void *argument, int naps)
{
    static const int naps_ms[] = {
        1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100
    };
    enum { LAST = sizeof naps_ms / sizeof *naps_ms - 1 };
    const struct store *const store = argument;
    int waited_ms = 0;

    for (int i = 0; i < naps && i < LAST; i++)
        waited_ms += naps_ms[i];
    if (naps > LAST)
        waited_ms += (naps - LAST) * naps_ms[LAST];
    int nap_ms = naps_ms[naps < LAST ? naps : LAST];
    if (nap_ms > store->busy_ms - waited_ms)
        nap_ms = store->busy_ms - waited_ms;
    if (nap_ms <= 0 || atomic_load(&store->canceled))
        return 0;
    const struct timespec nap = { .tv_nsec = nap_ms * 1000000L };
    (void)nanosleep(&nap, NULL);
    return 1;
}

/* Gives a session the settings that open settled on, and sees that it has all
   of them.  Not busy_timeout: it would put another handler in the place of the
   one above, which knows it. */
static int settle_session(const struct sqlite_session *session, struct err *err)
{
    struct store *const store = session->base.store;

    (void)sqlite3_busy_handler(session->db, wait_for_lock, store);
    return sqlite_apply_settings(store, session->db, SQLITE_IN_EACH, err) == 0
               ? sqlite_read_settings(store, session->db,
                                      ~(unsigned)SQLITE_WITHOUT_HANDLER, err)
               : -1;
}

static void link_session(struct sqlite_session *session)
{
    struct store *const store = session->base.store;

    (void)pthread_mutex_lock(&store->lock);
    session->next = store->sessions;
    store->sessions = session;
    (void)pthread_mutex_unlock(&store->lock);
}

static void unlink_session(const struct sqlite_session *session)
{
    struct store *const store = session->base.store;

    (void)pthread_mutex_lock(&store->lock);
    for (struct sqlite_session **s = &store->sessions; *s != NULL;
         s = &(*s)->next) {
        if (*s == session) {
            *s = session->next;
            break;
        }
    }
    (void)pthread_mutex_unlock(&store->lock);
}

static void sqlite_session_close(struct session *base)
{
    struct sqlite_session *const session = sqlite_session_of(base);

    if (session == NULL)
        return;
    unlink_session(session);
    sqlite_release(session);
    const int code = sqlite3_close(session->db);
    assert(code == SQLITE_OK); /* or a statement of ours was forgotten */
    (void)code;
    free(session);
}

static struct session *sqlite_session_open(struct store *store, struct err *err)
{
    struct sqlite_session *const session = err_calloc(1, sizeof *session, err);

    if (session == NULL)
        return NULL;
    sql_session_init(&session->base, store, &sqlite_dialect, &store->table,
                     &store->statements, store->compiled);
    session->db = sqlite_connect(store, err);
    if (session->db == NULL) {
        free(session);
        return NULL;
    }
    link_session(session);
    if (settle_session(session, err) != 0 ||
        (store->compiled && sqlite_prepare(session, err) != 0)) {
        sqlite_session_close(&session->base);
        return NULL;
    }
    return &session->base;
}

/* What is not timed. */

static int sqlite_reset(struct session *session, struct err *err)
{
    const struct store *const store = session->store;
    sqlite3 *const db = sqlite_session_of(session)->db;
    const char *const sql = store->table.family == LEASE_FAMILY_V4
                                ? "DELETE FROM lease4"
                                : "DELETE FROM lease6";

    if (store->reservations &&
        sqlite_execute(store, db, "remove all reservations",
                       "DELETE FROM ubench_hosts", err) != 0)
        return -1;
    return sqlite_execute(store, db, "remove all", sql, err);
}

static int sqlite_count(struct session *session, uint64_t *count,
                        struct err *err)
{
    const struct store *const store = session->store;
    char text[24] = "";

    if (sqlite_ask(store, sqlite_session_of(session)->db, "count",
                   count_sql(store), text, sizeof text, err) < 0)
        return -1;
    *count = strtoull(text, NULL, 10);
    return 0;
}

static enum outcome sqlite_check(struct session *session, char *text,
                                 size_t size, struct err *err)
{
    static const char sql[] = "PRAGMA integrity_check(1)";
    char found[256] = "";

    if (sqlite_ask(session->store, sqlite_session_of(session)->db, sql, sql,
                   found, sizeof found, err) < 0)
        return OUTCOME_ERROR;
    (void)snprintf(text, size, "PRAGMA integrity_check: %s", found);
    return strcmp(found, "ok") == 0 ? OUTCOME_HIT : OUTCOME_MISS;
}

const struct backend the_backend = {
    .name = "sqlite",
    .default_target = "sqlite.db",
    .beside = sqlite_beside,
    .scope = OPT_SCOPE_FILE | OPT_SCOPE_SQL | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_SERVER) | SYNC_BIT(SYNC_PROCESS_SAFE) |
                   SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .settings_help = "any PRAGMA that can be read back, such as cache_size, "
                     "journal_mode,\nmmap_size, page_size or "
                     "wal_autocheckpoint",
    .library = sqlite_library,
    .open = sqlite_open,
    .close = sqlite_close,
    .describe = sqlite_describe,
    .durability = sqlite_durability,
    .data_path = sqlite_data_path,
    .session_open = sqlite_session_open,
    .session_close = sqlite_session_close,
    .reset = sqlite_reset,
    .count = sqlite_count,
    .check = sqlite_check,
    SQL_OPERATIONS,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .cancel = sqlite_cancel,
};
