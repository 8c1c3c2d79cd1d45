/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_store.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The build makes it from the files in schema/. */
#include "schema/mysql.h"

const char *const mysql_catalogue = catalogue_sql;

int table_lock(struct connection *connection, uint64_t *holder, struct err *err)
{
    char busy[SQL_NAME_SIZE];

    (void)snprintf(busy, sizeof busy, "database %s is in use by another run of ubench",
                   connection->config->target);
    return connection_lock(connection, "CONCAT('ubench.', LEFT(SHA2(DATABASE(), 256), 32))", busy,
                           holder, err);
}

enum { AGAIN_SIZE = 256 };

const char *const table_marker = marker_sql;

static struct sql_database describe_database(struct connection *connection,
                                             char again[static AGAIN_SIZE])
{
    const char *const name = connection->config->target;

    (void)snprintf(again, AGAIN_SIZE, "DROP DATABASE %s; CREATE DATABASE %s", name, name);
    return (struct sql_database){
        .store = "mysql",
        .dialect = SQL_MYSQL,
        .prefix = "",
        .quote = "`",
        .catalogue = catalogue_sql,
        .tables = tables_sql,
        .marker = marker_sql,
        .schemas = schemas,
        .hosts = hosts_sql,
        /* A replication group, among others, refuses a table without a key. */
        .scratch = "CREATE TABLE ubench_marker (row_id INT AUTO_INCREMENT PRIMARY KEY)",
        .again = again,
        .option = "--engine",
        .connection = connection,
        .read = connection_rows,
    };
}

/* Before the settings are changed. */
int table_look(struct connection *connection, struct err *err)
{
    char again[AGAIN_SIZE];
    const struct sql_database db = describe_database(connection, again);
    struct sql_contents contents;

    return sql_look(&contents, &db, connection->config, err) != SQL_REFUSED ? 0 : -1;
}

int table_engine(char *engine, size_t size, struct connection *connection, struct err *err)
{
    const char *const asked = connection->config->engine;
    char literal[LITERAL_SIZE];

    if (strlen(asked) >= VALUE_SIZE)
        return err_usage(err, "--engine: '%.20s...' is too long", asked);
    if (connection_run(connection, "--engine", err, "SET SESSION default_storage_engine = %s",
                       settings_literal(literal, asked)) != 0) {
        if (mysql_errno(connection->mysql) == CODE_UNKNOWN_ENGINE)
            err->kind = ERR_USAGE;
        return -1;
    }
    return connection_value(connection, "--engine", engine, size, err,
                            "SELECT @@SESSION.default_storage_engine");
}

int table_open(struct sql_table *table, const char *engine, struct connection *connection,
               struct err *err)
{
    const struct store_config *const config = connection->config;
    char again[AGAIN_SIZE];
    const struct sql_database db = describe_database(connection, again);

    if (sql_open_table(table, &db, config, engine, err) != 0)
        return -1;
    return config->keep || config->joins ? 0 : server_empty(connection, table, config, err);
}

/* While the server cannot open a table, because it is being emptied say, its
   engine is NULL: then it is asked again, for a second. */
int table_read_made(struct connection *connection, const struct sql_table *table,
                    char made[static SQL_FACT_SIZE], struct err *err)
{
    const struct timespec nap = { .tv_nsec = 10 * 1000 * 1000 };

    for (int tries = 0; tries < 100; tries++) {
        if (connection_value(connection, "looking at the lease table", made, SQL_FACT_SIZE, err,
                             "SELECT CONCAT_WS(' ', COALESCE(engine, table_type),"
                             " NULLIF(create_options, '')) FROM information_schema.tables"
                             " WHERE table_schema = DATABASE() AND table_name = '%s'",
                             table->name) != 0)
            return -1;
        if (strstr(made, "BASE TABLE") != made)
            break;
        (void)nanosleep(&nap, NULL);
    }
    return 0;
}

/* TRUNCATE would leave Kea's statistics behind: it fires no trigger. */
int table_empty(struct connection *connection, const struct sql_table *table, const char *action,
                struct err *err)
{
    enum { GROUP = 10000 };

    if (table->made_by_us)
        return connection_run(connection, action, err, "TRUNCATE TABLE %s", table->name);
    do {
        if (connection_run(connection, action, err, "DELETE FROM %s LIMIT %d", table->name,
                           (int)GROUP) != 0)
            return -1;
    } while (mysql_affected_rows(connection->mysql) > 0);
    return 0;
}

void table_describe(const struct sql_table *table, struct properties *properties)
{
    const char *const options = table->facts[OPTIONS];
    const char *const indexes = table->facts[INDEXES];
    char missing[128];

    sql_table_missing(table, false, missing, sizeof missing);
    properties_add(properties, table->name, "%s, %s%s%s, %u triggers%s%s",
                   table->made_by_us ? "made by ubench" : "not made by ubench",
                   table->facts[ENGINE], options[0] != '\0' ? " " : "", options, table->triggers,
                   missing[0] != '\0' ? ", without " : "", missing);
    properties_add(properties, "secondary indexes", "%s", indexes[0] != '\0' ? indexes : "none");
}
