/* SPDX-License-Identifier: ISC */
#include "store/server/server.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"
#include "store/sql/candidates.h"

int server_start(struct server *server, const struct store_config *config,
                 const struct sql_client *client, struct connection *connection, struct err *err)
{
    server->config = *config;
    server->client = client;
    server->connection = connection;
    if (endpoints_init(&server->endpoints, config, err) != 0 ||
        watchdog_start(&server->endpoints.watchdog, config->read_timeout_s, err) != 0)
        return -1;
    store_report_progress(config, OPEN_CONNECTING, (struct store *)server);
    if (connection_open(connection, client, &server->endpoints, false, config->connect_timeout_s,
                        err) != 0)
        return -1;
    store_report_progress(config, OPEN_WORKING, (struct store *)server);
    return 0;
}

void server_stop(struct server *server)
{
    connection_close(server->connection);
    watchdog_stop(&server->endpoints.watchdog);
}

int server_reconnect(struct server *server, struct err *err)
{
    connection_close(server->connection);
    return atomic_load(&server->endpoints.watchdog.canceled)
               ? err_set_class(err, ERR_CANCELED, "%s: canceled", server->client->store)
               : connection_open(server->connection, server->client, &server->endpoints, false,
                                 CLOSE_TIMEOUT_S, err);
}

int server_read(struct server *server, struct err *err)
{
    const struct sql_client *const client = server->client;

    if (client->read_settings(server->connection, 0, &server->settings, err) != 0)
        return -1;
    sql_settings_add_unread(client->settings, &server->settings);
    return client->read_made(server->connection, server->statements.table, server->made, err);
}

/* Sets err to what was changed during the run; by has who may have done it, with a leading blank,
   or is NULL.  Returns -1. */
static int fail_changed(const struct sql_client *client, const char *name, const char *before,
                        const char *now, const char *by, struct err *err)
{
    return err_set(
        err,
        "%s: %s was changed from %s to %s during the run%s, so the durability class is unknown",
        client->store, name, before[0] != '\0' ? before : "''", now[0] != '\0' ? now : "''",
        by != NULL ? by : "");
}

int server_check(const struct server *server, struct connection *connection, struct err *err)
{
    const struct sql_client *const client = server->client;
    const struct sql_table *const table = server->statements.table;
    const unsigned decides = SQL_DECIDES | (server->endpoints.count > 1 ? 0 : SQL_OF_NODE);
    struct properties now = { .count = 0 };
    char made[SQL_FACT_SIZE];

    if (client->read_settings(connection, SQL_DECIDES, &now, err) != 0)
        return -1;
    for (const struct sql_setting *row = client->settings; row->name != NULL; row++) {
        const char *const before = sql_setting(&server->settings, row->name);
        const char *const is = sql_setting(&now, row->name);

        if ((row->is & decides) != 0 && strcmp(before, is) != 0 &&
            (row->engine == NULL || strcmp(row->engine, table->facts[0]) == 0))
            return fail_changed(client, row->name, before, is, client->changed_by, err);
    }
    if (client->read_made(connection, table, made, err) != 0)
        return -1;
    return strcmp(made, server->made) == 0
               ? 0
               : fail_changed(client, table->name, server->made, made, NULL, err);
}

/* A lost connection proves no change, so the check is repeated on a new one.  If another run has
   taken the locks by then, this run must end. */
int server_check_class(struct store *store, struct err *err)
{
    struct server *const server = (struct server *)store;
    const atomic_uint *const cancels = &server->endpoints.cancels;

    if (connection_is_lost(server->connection)) {
        if (atomic_load(cancels) > 0 || server_reconnect(server, err) != 0)
            return 0;
        if (server->resume(store, err) != 0) {
            connection_close(server->connection);
            return err->kind == ERR_BUSY ? -1 : 0;
        }
    }
    return (server_check(server, server->connection, err) == 0 &&
            (server->check == NULL || server->check(store, err) == 0)) ||
                   connection_is_lost(server->connection) || atomic_load(cancels) > 0
               ? 0
               : -1;
}

int server_session_open(struct session *session, struct store *store, struct connection *connection,
                        struct err *err)
{
    struct server *const server = (struct server *)store;

    session->connection = connection;
    sql_session_init(session, store, &server->statements, server->config.compiled);
    return connection_open(connection, server->client, &server->endpoints, true,
                           server->config.connect_timeout_s, err);
}

int server_tear_down(struct server *server, struct err *err)
{
    struct connection *const connection = server->connection;
    struct endpoints *const endpoints = &server->endpoints;
    int status = -1;

    if (server->statements.before == NULL)
        return 0;
    /* Required after ^C also, which has ended connections and statements. */
    const unsigned cancels = atomic_exchange(&endpoints->cancels, 0);
    atomic_store(&endpoints->watchdog.canceled, false);
    if (!connection_is_lost(connection))
        status = sql_candidates_close(&server->statements, connection, &server->config, err);
    if (status != 0 && (connection_is_lost(connection) || err->kind == ERR_TIMEOUT) &&
        server_reconnect(server, err) == 0)
        status = sql_candidates_close(&server->statements, connection, &server->config, err);
    free(server->statements.before);
    server->statements.before = NULL;
    atomic_store(&endpoints->cancels, cancels);
    return status;
}

/* The tables of counters, by enum counters, and their columns besides subnet_id, state and
   leases. */
static const struct counter_table {
    const char *name;
    const char *columns;
} counters[][2] = {
    [LEASE_FAMILY_V4] = { { "ubench_lease4_stat", "" },
                          { "ubench_lease4_pool_stat", ", pool_id" } },
    [LEASE_FAMILY_V6] = { { "ubench_lease6_stat", ", lease_type" },
                          { "ubench_lease6_pool_stat", ", pool_id, lease_type" } },
};

int server_empty(struct connection *connection, const struct sql_table *table,
                 const struct store_config *config, struct err *err)
{
    static const char action[] = "emptying the lease table";

    if ((config->reservations && connection_run(connection, "emptying ubench_hosts", err,
                                                "TRUNCATE TABLE ubench_hosts") != 0) ||
        ((struct sql_link *)connection)->client->empty(connection, table, action, err) != 0)
        return -1;
    for (size_t i = 0; table->made_by_us && config->schema == SCHEMA_KEA_STATS && i < 2; i++) {
        const struct counter_table *const counts = &counters[config->family][i];

        /* Each subnet gets its rows now; otherwise its first leases would race to insert them.
           Subnets 2n and 2n + 1 are generated from subnet n; type 0 is LEASE_TYPE_NA. */
        if (connection_run(connection, action, err,
                           "TRUNCATE TABLE %s; INSERT INTO %s (subnet_id, state, leases%s)"
                           " WITH RECURSIVE bits AS (SELECT 0 AS b UNION ALL SELECT 1),"
                           " subnets AS (SELECT 1 AS id UNION ALL SELECT 2 * id + b"
                           " FROM subnets, bits WHERE 2 * id + b <= %" PRIu64 "),"
                           " zeros AS (SELECT 0 AS pool_id, 0 AS lease_type)"
                           " SELECT id, b, 0%s FROM subnets, bits, zeros",
                           counts->name, counts->name, counts->columns, config->subnets,
                           counts->columns) != 0)
            return -1;
    }
    return 0;
}
_Static_assert(LEASE_TYPE_NA == 0, "the zeros of server_empty");

int server_reset(struct session *session, struct err *err)
{
    const struct server *const server = (const struct server *)session->store;

    return server_empty(session->connection, session->table, &server->config, err);
}

int server_count(struct session *session, uint64_t *count, struct err *err)
{
    char text[24];

    const int status = connection_value(session->connection, "count", text, sizeof text, err,
                                        "SELECT COUNT(*) FROM %s", session->table->name);
    *count = strtoull(text, NULL, 10);
    return status;
}

struct counting {
    struct lease_counts *counts;
    int status;
};

static void count_row(void *context, const char *const *row)
{
    struct counting *const counting = context;
    const struct lease_kind kind = { .subnet_id = (uint32_t)strtoul(row[0], NULL, 10),
                                     .pool_id = (uint32_t)strtoul(row[1], NULL, 10),
                                     .type = (uint8_t)strtoul(row[2], NULL, 10),
                                     .state = (uint8_t)strtoul(row[3], NULL, 10) };

    counting->status |= lease_counts_add(counting->counts, &kind, strtoll(row[4], NULL, 10));
}

int server_read_counters(struct session *session, enum counters which, struct lease_counts *counts,
                         struct err *err)
{
    const enum lease_family family = session->table->family;
    const bool of_leases = which == COUNTERS_OF_LEASES;
    struct counting counting = { counts, 0 };
    char sql[256];

    (void)snprintf(sql, sizeof sql, "SELECT subnet_id, %s, %s, state, %s FROM %s%s",
                   which == COUNTERS_BY_SUBNET ? "0" : "pool_id",
                   family == LEASE_FAMILY_V4 ? "3" : "lease_type", /* LEASE_TYPE_V4 */
                   of_leases ? "COUNT(*)" : "leases",
                   of_leases ? session->table->name : counters[family][which].name,
                   of_leases ? " GROUP BY 1, 2, 3, 4" : "");
    if (connection_rows(session->connection, "reading the counters", sql, count_row, &counting,
                        err) != 0)
        return -1;
    return counting.status == 0 ? 0 : err_set(err, "out of memory");
}

void server_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", ((const struct server *)store)->log_path);
}

struct asking {
    struct store_use *use;
    struct index_use *indexes; /* ended by one without a name */
};

/* A call without facts sets the start of the counts. */
static void take_use(void *context, const char *const *row)
{
    const struct asking *const asking = context;
    struct store_use *const use = asking->use;
    struct index_use *index = asking->indexes;
    uint64_t *const sum = fnmatch("*syncs", row[0], 0) == 0      ? &use->server_syncs
                          : fnmatch("*rnd_next", row[0], 0) == 0 ? &use->scanned
                          : fnmatch("*written", row[0], 0) == 0  ? &use->log_bytes
                                                                 : NULL;

    if (row[1] == NULL)
        return;
    const int64_t now = strtoll(row[1], NULL, 10);
    if (sum != NULL) {
        *sum = (*sum != UINT64_MAX ? *sum : 0) + (uint64_t)now;
        return;
    }
    while (index->name[0] != '\0' && strcmp(index->name, row[0]) != 0)
        index++;
    if (index == &asking->indexes[INDEXES_MAX])
        return;
    if (use->facts == NULL || index->name[0] == '\0')
        index->since = now - index->times;
    index->times = now - index->since;
    (void)snprintf(index->name, sizeof index->name, "%s", row[0]);
}

void server_used(struct session *const *sessions, size_t count, struct store_use *use)
{
    static const char asks[] = "reading what the server did";
    struct server *const server = (struct server *)sessions[0]->store;
    struct connection *const last = sessions[count - 1]->connection;
    const struct sql_use sql = server->client->use(last);
    struct asking asking = { use, server->indexes };
    char text[INDEXES_MAX * 96] = "";
    struct err ignored;

    for (size_t i = 0; i < count && sql.flush != NULL; i++)
        (void)connection_run(sessions[i]->connection, asks, &ignored, "%s", sql.flush);
    for (size_t i = 0; i < 2 && sql.find[i] != NULL; i++)
        (void)connection_rows(last, asks, sql.find[i], take_use, &asking, &ignored);
    /* There may be many indexes: only the used ones are reported. */
    for (const struct index_use *index = server->indexes; index->name[0] != '\0'; index++) {
        if (index->times > 0)
            text_append(text, sizeof text, "%s%s %" PRId64, text[0] != '\0' ? ", " : "",
                        index->name, index->times);
    }
    if (use->facts != NULL && server->indexes[0].name[0] != '\0')
        properties_add(use->facts, "index use", "%s", text[0] != '\0' ? text : "none");
}

struct sampling {
    struct activity_sample *sample;
    const struct sql_figure *figures;
};

/* Adds up numbers of the same figure. */
static void take_figure(void *context, const char *const *row)
{
    const struct sampling *const sampling = context;
    size_t figure = 0;

    if (row[0] == NULL || row[1] == NULL)
        return;
    while (figure < ACTIVITY_FIGURES && strcmp(row[0], activity_names[figure]) != 0)
        figure++;
    for (const struct sql_figure *known = sampling->figures; known->name != NULL; known++) {
        if (strcasecmp(row[0], known->name) == 0)
            figure = known->figure;
    }
    if (figure == ACTIVITY_FIGURES)
        return;
    uint64_t *const sum = &sampling->sample->figures[figure];
    *sum = (*sum != ACTIVITY_UNKNOWN ? *sum : 0) + strtoull(row[1], NULL, 10);
}

/* Returns the bytes in the directory of the data, if it is on this machine and readable. */
static uint64_t data_folder_bytes(const struct server *server)
{
    const char *const below = server->client->log_below;
    const size_t length = strlen(server->log_path);
    char path[PATH_MAX];

    if (length < strlen(below))
        return ACTIVITY_UNKNOWN;
    (void)snprintf(path, sizeof path, "%.*s", (int)(length - strlen(below)), server->log_path);
    return activity_folder_bytes(path);
}

void server_sample(struct store *store, struct activity_sample *sample)
{
    const struct server *const server = (const struct server *)store;
    struct sampling sampling = { sample, server->client->figures };
    struct err ignored;

    if (connection_is_lost(server->connection))
        return;
    const struct sql_activity sql = server->client->activity(server->connection);
    for (size_t i = 0; i < sizeof sql.find / sizeof sql.find[0] && sql.find[i] != NULL; i++)
        (void)connection_rows(server->connection, "reading what the server does", sql.find[i],
                              take_figure, &sampling, &ignored);
    sample->figures[ACTIVITY_STORE_BYTES] = data_folder_bytes(server);
}
