/* SPDX-License-Identifier: ISC */
/*
 * Leases in MySQL or MariaDB, through either client library.  Each session has
 * a connection of its own; the store has one more, for what is everybody's:
 * the table, the settings and the way back.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "store/mysql_store.h"

struct store {
    struct store_config config;
    struct sql_link link;
    struct sql_settings settings;
    struct sql_table table;
    struct sql_statements statements;
    char transport[128];
    atomic_bool canceled;
    pthread_mutex_t lock; /* for what follows, and so that no session is closed
                             while it is being canceled */
    struct session *sessions;
    bool troubled; /* the server did not answer, or not in time */
};

static void read_transport(struct store *store)
{
    MYSQL *const mysql = store->link.mysql;
    const char *const cipher = mysql_get_ssl_cipher(mysql);

    (void)snprintf(store->transport, sizeof store->transport, "%s%s%s",
                   mysql_get_host_info(mysql), cipher != NULL ? ", TLS " : "",
                   cipher != NULL ? cipher : "");
}

/* First what only looks, then what is put back on failure, then the table. */
static int open_store(struct store *store, struct err *err)
{
    struct sql_link *const link = &store->link;
    struct sql_found found;
    char engine[sizeof store->table.engine];

    if (sql_connect(link, &store->config, &store->canceled, err) != 0)
        return -1;
    read_transport(store);
    if (sql_table_look(&found, link, err) != 0 ||
        sql_engine(engine, sizeof engine, link, err) != 0 ||
        sql_settings_sync(&store->settings, engine, link, err) != 0 ||
        sql_settings_set(&store->settings, link, err) != 0 ||
        sql_table_open(&store->table, engine, &found, link, err) != 0 ||
        sql_settings_read(&store->settings, link, err) != 0)
        return -1;
    sql_statements_init(&store->statements, &store->table);
    return 0;
}

/* Puts settings back, over a new connection if the old one is lost or nobody
   knows how long it would take to answer. */
static int put_back(struct store *store, struct err *err)
{
    enum { PATIENCE_S = 2 };
    struct sql_link *const link = &store->link;

    if (store->settings.saved_count == 0)
        return 0;
    if (!store->troubled && link->mysql != NULL &&
        sql_settings_put_back(&store->settings, link, err) == 0)
        return 0;
    sql_disconnect(link);
    store->config.connect_timeout_s = PATIENCE_S;
    store->config.read_timeout_s = PATIENCE_S;
    if (sql_connect(link, &store->config, &store->canceled, err) == 0 &&
        sql_settings_put_back(&store->settings, link, err) == 0)
        return 0;
    const struct err cause = *err;
    char sql[512] = "";
    sql_settings_sql(&store->settings, sql, sizeof sql);
    return err_set_class(err, cause.class,
                         "%.300s; so a setting is not as it was before, which "
                         "this puts right: %s",
                         cause.text, sql);
}

static void free_store(struct store *store)
{
    sql_disconnect(&store->link);
    (void)pthread_mutex_destroy(&store->lock);
    free(store);
}

static struct store *mysql_store_open(const struct store_config *config,
                                      struct err *err)
{
    struct store *const store = calloc(1, sizeof *store);

    if (store == NULL || mysql_library_init(0, NULL, NULL) != 0) {
        (void)err_set(err, "mysql: out of memory");
        free(store);
        return NULL;
    }
    store->config = *config;
    atomic_init(&store->canceled, false);
    (void)pthread_mutex_init(&store->lock, NULL);
    if (open_store(store, err) != 0) {
        struct err second;

        if (put_back(store, &second) != 0) {
            const struct err first = *err;
            (void)err_set_class(err, first.class, "%.380s; and %.380s",
                                first.text, second.text);
        }
        free_store(store);
        return NULL;
    }
    return store;
}

/* The figures stand for the class in the report only if nobody changed it. */
static int check_settings(struct store *store, struct err *err)
{
    if (store->troubled ||
        sql_settings_check(&store->settings, &store->link, err) == 0)
        return 0;
    /* A lost connection is no proof of anything. */
    return sql_is_lost(mysql_errno(store->link.mysql)) ? 0 : -1;
}

static int mysql_store_close(struct store *store, struct err *err)
{
    if (store == NULL)
        return 0;
    if (atomic_exchange(&store->canceled, false))
        store->troubled = true;
    const int checked = check_settings(store, err);
    struct err second;
    const int put = put_back(store, &second);
    if (put != 0)
        *err = second;
    free_store(store);
    return checked != 0 || put != 0 ? -1 : 0;
}

static void mysql_describe(const struct store *store, struct facts *facts)
{
    const char *const version = store->settings.variables.value[SQL_VERSION];

    facts_add(facts, sql_is_mariadb(&store->settings) ? "MariaDB" : "MySQL",
              "%.*s (client %s), %s", (int)strspn(version, "0123456789."),
              version, mysql_get_client_info(), store->table.engine);
    sql_table_describe(&store->table, &store->config, facts);
    sql_settings_describe(&store->settings, store->table.engine, &store->config,
                          facts);
    facts_add(facts, "connection", "%s", store->transport);
}

static enum durability mysql_durability(const struct store *store, char *text,
                                        size_t size)
{
    return sql_settings_durability(&store->settings, store->table.engine, text,
                                   size);
}

static void enter(struct store *store, struct session *session)
{
    (void)pthread_mutex_lock(&store->lock);
    session->next = store->sessions;
    store->sessions = session;
    (void)pthread_mutex_unlock(&store->lock);
}

static void leave(struct store *store, struct session *session)
{
    (void)pthread_mutex_lock(&store->lock);
    struct session **at = &store->sessions;
    while (*at != NULL && *at != session)
        at = &(*at)->next;
    if (*at != NULL)
        *at = session->next;
    store->troubled = store->troubled || session->lost;
    (void)pthread_mutex_unlock(&store->lock);
}

static void mysql_session_close(struct session *session)
{
    if (session == NULL)
        return;
    leave(session->store, session);
    if (session->rows != NULL)
        mysql_free_result(session->rows);
    sql_bound_release(session);
    sql_disconnect(&session->link);
    free(session);
}

static struct session *mysql_session_open(struct store *store, struct err *err)
{
    struct session *const session = calloc(1, sizeof *session);

    if (session == NULL) {
        (void)err_set(err, "mysql: out of memory");
        return NULL;
    }
    session->store = store;
    session->table = &store->table;
    session->statements = &store->statements;
    sql_row_init(&session->in);
    sql_row_init(&session->out);
    if (sql_connect(&session->link, &store->config, &store->canceled, err) !=
        0) {
        free(session);
        return NULL;
    }
    session->socket = sql_socket(&session->link);
    enter(store, session);
    if (sql_settings_set_session(&store->settings, &session->link, err) != 0 ||
        (store->config.compiled && sql_bound_init(session, err) != 0)) {
        mysql_session_close(session);
        return NULL;
    }
    return session;
}

static int mysql_reset(struct session *session, struct err *err)
{
    return sql_table_empty(session->table, &session->link, err);
}

static int mysql_count(struct session *session, uint64_t *count,
                       struct err *err)
{
    char text[24];

    if (sql_value(&session->link, "count", text, sizeof text, err,
                  "SELECT COUNT(*) FROM lease4") != 0)
        return -1;
    *count = strtoull(text, NULL, 10);
    return 0;
}

static int mysql_begin(struct session *session, struct err *err)
{
    return sql_run(&session->link, "begin", err, "START TRANSACTION");
}

static int mysql_commit_group(struct session *session, struct err *err)
{
    return sql_run(&session->link, "commit", err, "COMMIT");
}

/* Whoever waits on such a socket is told that there is nothing more to come. */
static void mysql_cancel(struct store *store)
{
    (void)pthread_mutex_lock(&store->lock);
    atomic_store(&store->canceled, true);
    for (const struct session *session = store->sessions; session != NULL;
         session = session->next)
        (void)shutdown(session->socket, SHUT_RDWR);
    (void)pthread_mutex_unlock(&store->lock);
}

const struct backend the_backend = {
    .name = "mysql",
    .default_target = "ubench",
    .scope =
        OPT_SCOPE_SQL | OPT_SCOPE_SERVER | OPT_SCOPE_ENGINE | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_SERVER) | SYNC_BIT(SYNC_VOLATILE) |
                   SYNC_BIT(SYNC_BOUNDED) | SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .settings_help = "a variable of the server: set for the session, or else "
                     "for all and put\nback at the end",
    .library = sql_library,
    .open = mysql_store_open,
    .close = mysql_store_close,
    .describe = mysql_describe,
    .durability = mysql_durability,
    .session_open = mysql_session_open,
    .session_close = mysql_session_close,
    .reset = mysql_reset,
    .count = mysql_count,
    .create = sql_create,
    .find_by_address = sql_find_by_address,
    .find_by_hwaddr = sql_find_by_hwaddr,
    .find_by_client_id = sql_find_by_client_id,
    .update = sql_update,
    .remove = sql_remove,
    .list_expired = sql_list_expired,
    .purge_reclaimed = sql_purge_reclaimed,
    .begin = mysql_begin,
    .commit = mysql_commit_group,
    .cancel = mysql_cancel,
};
