/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_variables.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "store/sql/server_settings.h"

enum {
    DECIDES = 1,   /* about durability */
    TOLD = 2,      /* in the report */
    STATUS = 4,    /* SHOW GLOBAL STATUS has it */
    ELSEWHERE = 8, /* neither that nor SHOW VARIABLES */
    OF_MYSQL = 16, /* MariaDB never has it, and need not be asked */
};

/* What is read back, if the server has it. */
static const struct {
    const char *name;
    unsigned is;
    const char *engine;     /* told of tables of that one; NULL: of all */
    enum variable together; /* told if that is on; VERSION, 0: always */
} rows[] = {
    [VARIABLE_VERSION] = { "version", 0, NULL, 0 },
    [VARIABLE_FLUSH_LOG] = { "innodb_flush_log_at_trx_commit", DECIDES | TOLD,
                             "InnoDB", 0 },
    [VARIABLE_LOG_BIN] = { "log_bin", DECIDES | TOLD, NULL, 0 },
    [VARIABLE_SESSION_LOG_BIN] = { "sql_log_bin", DECIDES, NULL, 0 },
    [VARIABLE_SYNC_BINLOG] = { "sync_binlog", DECIDES | TOLD, NULL, 0 },
    /* Then sync_binlog is ignored. */
    [VARIABLE_BINLOG_ENGINE] = { "binlog_storage_engine", DECIDES | TOLD, NULL,
                                 VARIABLE_LOG_BIN },
    [VARIABLE_FLUSH_METHOD] = { "innodb_flush_method", DECIDES | TOLD, "InnoDB",
                                0 },
    [VARIABLE_DOUBLEWRITE] = { "innodb_doublewrite", DECIDES | TOLD, "InnoDB",
                               0 },
    [VARIABLE_NO_SYNC] = { "debug_no_sync", DECIDES, NULL, 0 },
    [VARIABLE_AUTOCOMMIT] = { "autocommit", DECIDES, NULL, 0 },
    [VARIABLE_ARIA_GROUP_COMMIT] = { "aria_group_commit", DECIDES | TOLD,
                                     "Aria", 0 },
    /* ALTER INSTANCE DISABLE INNODB REDO_LOG is no variable. */
    [VARIABLE_REDO_LOG] = { "innodb_redo_log_enabled",
                            DECIDES | TOLD | STATUS | OF_MYSQL, "InnoDB", 0 },

    [VARIABLE_GALERA] = { "wsrep_on", TOLD, NULL, VARIABLE_GALERA },
    [VARIABLE_GALERA_SIZE] = { "wsrep_cluster_size", TOLD | STATUS, NULL,
                               VARIABLE_GALERA },
    [VARIABLE_GALERA_STATE] = { "wsrep_local_state_comment", TOLD | STATUS,
                                NULL, VARIABLE_GALERA },
    /* How often nodes have come or gone. */
    [VARIABLE_GALERA_CHANGES] = { "wsrep_cluster_conf_id", STATUS, NULL, 0 },
    /* A name, which is its owner's affair. */
    [VARIABLE_GROUP] = { "group_replication_group_name", OF_MYSQL, NULL, 0 },
    [VARIABLE_GROUP_MEMBERS] = { "group_replication members online",
                                 TOLD | ELSEWHERE, NULL, VARIABLE_GROUP },
    [VARIABLE_SEMI_SYNC] = { "rpl_semi_sync_source_enabled", TOLD | OF_MYSQL,
                             NULL, VARIABLE_SEMI_SYNC },
    [VARIABLE_SEMI_SYNC_STATUS] = { "rpl_semi_sync_source_status",
                                    TOLD | STATUS | OF_MYSQL, NULL,
                                    VARIABLE_SEMI_SYNC },
    /* Commits that no replica had when they were acknowledged. */
    [VARIABLE_SEMI_SYNC_MISSED] = { "rpl_semi_sync_source_no_tx",
                                    STATUS | OF_MYSQL, NULL, 0 },
    [VARIABLE_OLD_SEMI_SYNC_MISSED] = { "rpl_semi_sync_master_no_tx", STATUS,
                                        NULL, 0 },
    [VARIABLE_OLD_SEMI_SYNC] = { "rpl_semi_sync_master_enabled", TOLD, NULL,
                                 VARIABLE_OLD_SEMI_SYNC },
    [VARIABLE_OLD_SEMI_SYNC_STATUS] = { "rpl_semi_sync_master_status",
                                        TOLD | STATUS, NULL,
                                        VARIABLE_OLD_SEMI_SYNC },

    [VARIABLES_ASKED_FOR] = { "version_comment", TOLD, NULL, 0 },
    { "innodb_flush_log_at_timeout", DECIDES | TOLD, "InnoDB", 0 },
    { "innodb_buffer_pool_size", TOLD, "InnoDB", 0 },
    { "innodb_log_file_size", TOLD, "InnoDB", 0 },
    { "innodb_redo_log_capacity", TOLD, "InnoDB", 0 },
    /* What innodb_flush_method has become in MariaDB 11.0. */
    { "innodb_data_file_buffering", TOLD, "InnoDB", 0 },
    { "innodb_data_file_write_through", TOLD, "InnoDB", 0 },
    { "innodb_log_file_buffering", TOLD, "InnoDB", 0 },
    { "innodb_log_file_write_through", TOLD, "InnoDB", 0 },
    { "innodb_snapshot_isolation", TOLD, "InnoDB", 0 },
    { "tx_isolation", TOLD, NULL, 0 },
    { "transaction_isolation", TOLD, NULL, 0 },
    { "aria_pagecache_buffer_size", TOLD, "Aria", 0 },
    { "delay_key_write", TOLD, "MyISAM", 0 },
    { "key_buffer_size", TOLD, "MyISAM", 0 },
    { "query_cache_type", TOLD, NULL, 0 },
    { "binlog_format", TOLD, NULL, VARIABLE_LOG_BIN },
    { "binlog_row_image", TOLD, NULL, VARIABLE_LOG_BIN },
    { "binlog_gtid_index", TOLD, NULL, VARIABLE_LOG_BIN },
    { "wsrep_cluster_status", TOLD | STATUS, NULL, VARIABLE_GALERA },
    { "wsrep_sync_wait", TOLD, NULL, VARIABLE_GALERA },
    { "group_replication_consistency", TOLD | OF_MYSQL, NULL, VARIABLE_GROUP },
    { "rpl_semi_sync_source_timeout", TOLD | OF_MYSQL, NULL,
      VARIABLE_SEMI_SYNC },
    { "rpl_semi_sync_source_wait_point", TOLD | OF_MYSQL, NULL,
      VARIABLE_SEMI_SYNC },
    { "rpl_semi_sync_source_clients", TOLD | STATUS | OF_MYSQL, NULL,
      VARIABLE_SEMI_SYNC },
    { "rpl_semi_sync_master_timeout", TOLD, NULL, VARIABLE_OLD_SEMI_SYNC },
    { "rpl_semi_sync_master_wait_point", TOLD, NULL, VARIABLE_OLD_SEMI_SYNC },
    { "rpl_semi_sync_master_clients", TOLD | STATUS, NULL,
      VARIABLE_OLD_SEMI_SYNC },
};
_Static_assert(sizeof rows / sizeof rows[0] == VARIABLES,
               "VARIABLES is the number of rows");

static const char action[] = "reading the settings back";

bool variables_are_mariadbs(const struct variables *variables)
{
    return strstr(variables->value[VARIABLE_VERSION], "MariaDB") != NULL;
}

bool variables_on(const struct variables *variables, enum variable variable)
{
    const char *const value = variables->value[variable];

    return value[0] != '\0' && strcmp(value, "OFF") != 0 &&
           strcmp(value, "0") != 0;
}

bool variables_binlog_in_innodb(const struct variables *variables)
{
    return strcasecmp(variables->value[VARIABLE_BINLOG_ENGINE], "innodb") == 0;
}

static void take_rows(struct variables *variables, MYSQL_RES *result)
{
    MYSQL_ROW row;

    while ((row = mysql_fetch_row(result)) != NULL) {
        for (size_t i = 0; i < VARIABLES; i++) {
            if (strcasecmp(row[0], rows[i].name) == 0 && row[1] != NULL)
                (void)snprintf(variables->value[i], VALUE_SIZE, "%s", row[1]);
        }
    }
    mysql_free_result(result);
}

/* Reads those rows that have all of `with` and none of `without`. */
static int read_rows(struct variables *variables, unsigned with,
                     unsigned without, struct connection *connection,
                     struct err *err)
{
    char names[VARIABLES * 40] = "";
    size_t length = 0;

    for (size_t i = 0; i < VARIABLES; i++) {
        if ((rows[i].is & with) == with && (rows[i].is & without) == 0)
            length += (size_t)snprintf(names + length, sizeof names - length,
                                       "%s'%s'", length == 0 ? "" : ", ",
                                       rows[i].name);
    }
    if (length == 0)
        return 0;
    MYSQL_RES *const result = connection_query(
        connection, action, err, "SHOW %s WHERE variable_name IN (%s)",
        (with & STATUS) != 0 ? "GLOBAL STATUS" : "VARIABLES", names);
    if (result == NULL)
        return -1;
    take_rows(variables, result);
    return 0;
}

/* A user needs a privilege for it. */
static void read_group_members(struct variables *variables,
                               struct connection *connection)
{
    char *const value = variables->value[VARIABLE_GROUP_MEMBERS];
    struct err ignored;

    if (variables_on(variables, VARIABLE_GROUP) &&
        connection_value(
            connection_query(connection, action, &ignored,
                             "SELECT COUNT(*) FROM"
                             " performance_schema.replication_group_members"
                             " WHERE member_state = 'ONLINE'"),
            value, VALUE_SIZE) != 0)
        (void)snprintf(value, VALUE_SIZE, "unknown to this user");
}

int variables_read(struct variables *variables, struct connection *connection,
                   struct err *err)
{
    *variables = (struct variables){ .value = { "" } };
    if (read_rows(variables, 0, STATUS | ELSEWHERE, connection, err) != 0 ||
        read_rows(variables, STATUS,
                  variables_are_mariadbs(variables) ? OF_MYSQL : 0, connection,
                  err) != 0)
        return -1;
    read_group_members(variables, connection);
    return 0;
}

static bool concerns(size_t row, const char *engine)
{
    return rows[row].engine == NULL || strcmp(rows[row].engine, engine) == 0;
}

int variables_check(const struct variables *before, const char *engine,
                    struct connection *connection, struct err *err)
{
    const unsigned not_there = variables_are_mariadbs(before) ? OF_MYSQL : 0;
    struct variables now = { .value = { "" } };

    if (read_rows(&now, DECIDES, STATUS, connection, err) != 0 ||
        read_rows(&now, DECIDES | STATUS, not_there, connection, err) != 0)
        return -1;
    for (size_t i = 0; i < VARIABLES; i++) {
        if ((rows[i].is & DECIDES) != 0 && concerns(i, engine) &&
            strcmp(now.value[i], before->value[i]) != 0)
            return server_settings_changed("mysql", rows[i].name,
                                           before->value[i], now.value[i], err);
    }
    return 0;
}

void variables_describe(const struct variables *variables, const char *engine,
                        struct properties *properties)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        if ((rows[i].is & TOLD) != 0 && variables->value[i][0] != '\0' &&
            concerns(i, engine) && variables_on(variables, rows[i].together))
            properties_add(properties, rows[i].name, "%s", variables->value[i]);
    }
}
