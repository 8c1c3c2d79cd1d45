/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "store/mysql/mysql_settings.h"

enum {
    DECIDES = 1,  /* about durability */
    REPORTED = 2, /* as a property */
    STATUS = 4,   /* SHOW GLOBAL STATUS has it, and not SHOW VARIABLES */
    OTHER = 8,    /* neither has it */
    BOTH = DECIDES | REPORTED,
};

/* What is read back, if the server has it. */
static const struct {
    const char *name;
    unsigned is;
    const char *engine; /* only for tables of that one; NULL: for all */
    enum variable with; /* reported if that is on; VERSION, 0: always */
} rows[] = {
    [VARIABLE_VERSION] = { "version", 0, NULL, 0 },
    [VARIABLE_FLUSH_LOG] = { "innodb_flush_log_at_trx_commit", BOTH, "InnoDB", 0 },
    [VARIABLE_LOG_BIN] = { "log_bin", BOTH, NULL, 0 },
    [VARIABLE_SESSION_LOG_BIN] = { "sql_log_bin", DECIDES, NULL, 0 },
    [VARIABLE_SYNC_BINLOG] = { "sync_binlog", BOTH, NULL, 0 },
    [VARIABLE_BINLOG_ENGINE] = { "binlog_storage_engine", BOTH, NULL, VARIABLE_LOG_BIN },
    [VARIABLE_FLUSH_METHOD] = { "innodb_flush_method", BOTH, "InnoDB", 0 },
    [VARIABLE_DOUBLEWRITE] = { "innodb_doublewrite", BOTH, "InnoDB", 0 },
    [VARIABLE_NO_SYNC] = { "debug_no_sync", DECIDES, NULL, 0 },
    [VARIABLE_AUTOCOMMIT] = { "autocommit", DECIDES, NULL, 0 },
    [VARIABLE_ARIA_GROUP_COMMIT] = { "aria_group_commit", BOTH, "Aria", 0 },
    /* ALTER INSTANCE DISABLE INNODB REDO_LOG is no variable. */
    [VARIABLE_REDO_LOG] = { "innodb_redo_log_enabled", BOTH | STATUS, "InnoDB", 0 },

    [VARIABLE_GALERA] = { "wsrep_on", REPORTED, NULL, VARIABLE_GALERA },
    [VARIABLE_GALERA_SIZE] = { "wsrep_cluster_size", REPORTED | STATUS, NULL, VARIABLE_GALERA },
    [VARIABLE_GALERA_STATE] = { "wsrep_local_state_comment", REPORTED | STATUS, NULL,
                                VARIABLE_GALERA },
    /* How often nodes have come or gone. */
    [VARIABLE_GALERA_CHANGES] = { "wsrep_cluster_conf_id", STATUS, NULL, 0 },
    /* A name, which is its owner's affair. */
    [VARIABLE_GROUP] = { "group_replication_group_name", 0, NULL, 0 },
    [VARIABLE_GROUP_MEMBERS] = { "group_replication members online", REPORTED | OTHER, NULL,
                                 VARIABLE_GROUP },
    [VARIABLE_SEMI_SYNC] = { "rpl_semi_sync_source_enabled", REPORTED, NULL, VARIABLE_SEMI_SYNC },
    [VARIABLE_SEMI_SYNC_STATUS] = { "rpl_semi_sync_source_status", REPORTED | STATUS, NULL,
                                    VARIABLE_SEMI_SYNC },
    /* Commits that no replica had when they were acknowledged. */
    [VARIABLE_SEMI_SYNC_MISSED] = { "rpl_semi_sync_source_no_tx", STATUS, NULL, 0 },
    [VARIABLE_OLD_SEMI_SYNC_MISSED] = { "rpl_semi_sync_master_no_tx", STATUS, NULL, 0 },
    [VARIABLE_OLD_SEMI_SYNC] = { "rpl_semi_sync_master_enabled", REPORTED, NULL,
                                 VARIABLE_OLD_SEMI_SYNC },
    [VARIABLE_OLD_SEMI_SYNC_STATUS] = { "rpl_semi_sync_master_status", REPORTED | STATUS, NULL,
                                        VARIABLE_OLD_SEMI_SYNC },

    [VARIABLES_ASKED_FOR] = { "version_comment", REPORTED, NULL, 0 },
    { "innodb_flush_log_at_timeout", BOTH, "InnoDB", 0 },
    { "innodb_buffer_pool_size", REPORTED, "InnoDB", 0 },
    { "innodb_log_file_size", REPORTED, "InnoDB", 0 },
    { "innodb_redo_log_capacity", REPORTED, "InnoDB", 0 },
    /* What innodb_flush_method has become in MariaDB 11.0. */
    { "innodb_data_file_buffering", REPORTED, "InnoDB", 0 },
    { "innodb_data_file_write_through", REPORTED, "InnoDB", 0 },
    { "innodb_log_file_buffering", REPORTED, "InnoDB", 0 },
    { "innodb_log_file_write_through", REPORTED, "InnoDB", 0 },
    { "innodb_snapshot_isolation", REPORTED, "InnoDB", 0 },
    { "tx_isolation", REPORTED, NULL, 0 },
    { "transaction_isolation", REPORTED, NULL, 0 },
    { "aria_pagecache_buffer_size", REPORTED, "Aria", 0 },
    { "delay_key_write", REPORTED, "MyISAM", 0 },
    { "key_buffer_size", REPORTED, "MyISAM", 0 },
    { "query_cache_type", REPORTED, NULL, 0 },
    { "binlog_format", REPORTED, NULL, VARIABLE_LOG_BIN },
    { "binlog_row_image", REPORTED, NULL, VARIABLE_LOG_BIN },
    { "binlog_gtid_index", REPORTED, NULL, VARIABLE_LOG_BIN },
    { "wsrep_cluster_status", REPORTED | STATUS, NULL, VARIABLE_GALERA },
    { "wsrep_sync_wait", REPORTED, NULL, VARIABLE_GALERA },
    { "group_replication_consistency", REPORTED, NULL, VARIABLE_GROUP },
    { "rpl_semi_sync_source_timeout", REPORTED, NULL, VARIABLE_SEMI_SYNC },
    { "rpl_semi_sync_source_wait_point", REPORTED, NULL, VARIABLE_SEMI_SYNC },
    { "rpl_semi_sync_source_clients", REPORTED | STATUS, NULL, VARIABLE_SEMI_SYNC },
    { "rpl_semi_sync_master_timeout", REPORTED, NULL, VARIABLE_OLD_SEMI_SYNC },
    { "rpl_semi_sync_master_wait_point", REPORTED, NULL, VARIABLE_OLD_SEMI_SYNC },
    { "rpl_semi_sync_master_clients", REPORTED | STATUS, NULL, VARIABLE_OLD_SEMI_SYNC },
};
_Static_assert(sizeof rows / sizeof rows[0] == VARIABLES, "VARIABLES is the number of rows");

static const char action[] = "reading the settings back";

static void take_variable(void *context, const char *const *row)
{
    struct variables *const variables = context;

    for (size_t i = 0; i < VARIABLES; i++) {
        if (strcasecmp(row[0], rows[i].name) == 0 && row[1] != NULL)
            (void)snprintf(variables->value[i], VALUE_SIZE, "%s", row[1]);
    }
}

/* Reads those rows that are among SHOW VARIABLES or GLOBAL STATUS, and have that flag, if any. */
static int read_rows(struct variables *variables, bool status, unsigned flag,
                     struct connection *connection, struct err *err)
{
    char sql[VARIABLES * 40];
    size_t length = (size_t)snprintf(sql, sizeof sql, "SHOW %s WHERE variable_name IN (''",
                                     status ? "GLOBAL STATUS" : "VARIABLES");

    for (size_t i = 0; i < VARIABLES; i++) {
        if ((rows[i].is & flag) == flag && (rows[i].is & OTHER) == 0 &&
            status == ((rows[i].is & STATUS) != 0))
            length += (size_t)snprintf(sql + length, sizeof sql - length, ", '%s'", rows[i].name);
    }
    (void)snprintf(sql + length, sizeof sql - length, ")");
    return connection_rows(connection, action, sql, take_variable, variables, err);
}

int variables_read(struct variables *variables, struct connection *connection, struct err *err)
{
    char *const members = variables->value[VARIABLE_GROUP_MEMBERS];
    struct err ignored;

    *variables = (struct variables){ .value = { "" } };
    if (read_rows(variables, false, 0, connection, err) != 0 ||
        read_rows(variables, true, 0, connection, err) != 0)
        return -1;
    if (variables_on(variables, VARIABLE_GROUP) &&
        connection_value(connection, action, members, VALUE_SIZE, &ignored,
                         "SELECT COUNT(*) FROM performance_schema.replication_group_members"
                         " WHERE member_state = 'ONLINE'") != 0)
        (void)snprintf(members, VALUE_SIZE, "unknown to this user");
    return 0;
}

static bool concerns(size_t row, const char *engine)
{
    return rows[row].engine == NULL || strcmp(rows[row].engine, engine) == 0;
}

int variables_check(const struct variables *before, const char *engine,
                    struct connection *connection, struct err *err)
{
    struct variables now = { .value = { "" } };

    /* MariaDB has no status that decides. */
    if (read_rows(&now, false, DECIDES, connection, err) != 0 ||
        (!connection->mariadb && read_rows(&now, true, DECIDES, connection, err) != 0))
        return -1;
    for (size_t i = 0; i < VARIABLES; i++) {
        if ((rows[i].is & DECIDES) != 0 && concerns(i, engine) &&
            strcmp(now.value[i], before->value[i]) != 0)
            return server_settings_changed("mysql", rows[i].name, before->value[i], now.value[i],
                                           err);
    }
    return 0;
}

void variables_describe(const struct variables *variables, const char *engine,
                        struct properties *properties)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        if ((rows[i].is & REPORTED) != 0 && variables->value[i][0] != '\0' && concerns(i, engine) &&
            variables_on(variables, rows[i].with))
            properties_add(properties, rows[i].name, "%s", variables->value[i]);
    }
}

void variables_read_changed(struct properties *changed, struct connection *connection)
{
    static const char mariadb[] =
        "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES"
        " WHERE GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL')"
        " AND NOT (GLOBAL_VALUE <=> DEFAULT_VALUE) ORDER BY 1";
    /* It does not know its defaults, and also calls DYNAMIC what was set for a session alone, as
       mysql_connection.c does with these. */
    static const char mysql[] =
        "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM performance_schema.variables_info"
        " JOIN performance_schema.global_variables USING (VARIABLE_NAME)"
        " WHERE VARIABLE_SOURCE <> 'COMPILED' AND LOWER(VARIABLE_NAME)"
        " NOT IN ('sql_mode', 'sql_select_limit', 'wait_timeout') ORDER BY 1";
    struct err ignored;

    (void)connection_rows(connection, action, connection->mariadb ? mariadb : mysql,
                          server_settings_take, changed, &ignored);
}
