/* SPDX-License-Identifier: ISC */
#include <stdio.h>

#include "store/mysql/mysql_store.h"

enum {
    DECIDES = SQL_DECIDES,
    REPORTED = SQL_REPORTED,
    STATUS = SQL_STATUS, /* SHOW GLOBAL STATUS has it, and not SHOW VARIABLES */
    BOTH = DECIDES | REPORTED,
};

#define SOURCE "rpl_semi_sync_source_enabled"
#define MASTER "rpl_semi_sync_master_enabled"
#define GROUP  "group_replication_group_name"

/* The variables that are read back, if the server has them. */
const struct sql_setting mysql_variables[] = {
    { "version", 0, NULL, NULL },
    { "innodb_flush_log_at_trx_commit", BOTH, "InnoDB", NULL },
    { "log_bin", BOTH, NULL, NULL },
    { "sql_log_bin", DECIDES, NULL, NULL },
    { "sync_binlog", BOTH, NULL, NULL },
    { "binlog_storage_engine", BOTH, NULL, "log_bin" },
    { "innodb_flush_method", BOTH, "InnoDB", NULL },
    { "innodb_doublewrite", BOTH, "InnoDB", NULL },
    { "debug_no_sync", DECIDES, NULL, NULL },
    { "autocommit", DECIDES, NULL, NULL },
    { "aria_group_commit", BOTH, "Aria", NULL },
    /* ALTER INSTANCE DISABLE INNODB REDO_LOG is no variable. */
    { "innodb_redo_log_enabled", BOTH | STATUS, "InnoDB", NULL },

    { "wsrep_on", REPORTED, NULL, "wsrep_on" },
    { "wsrep_cluster_size", REPORTED | STATUS, NULL, "wsrep_on" },
    { "wsrep_local_state_comment", REPORTED | STATUS, NULL, "wsrep_on" },
    /* How often nodes have come or gone. */
    { "wsrep_cluster_conf_id", STATUS, NULL, NULL },
    /* A name, which is its owner's affair. */
    { GROUP, 0, NULL, NULL },
    { GROUP_MEMBERS, REPORTED, NULL, GROUP },
    { SOURCE, REPORTED, NULL, SOURCE },
    { "rpl_semi_sync_source_status", REPORTED | STATUS, NULL, SOURCE },
    /* Commits that no replica had when they were acknowledged. */
    { "rpl_semi_sync_source_no_tx", STATUS, NULL, NULL },
    { "rpl_semi_sync_master_no_tx", STATUS, NULL, NULL },
    { MASTER, REPORTED, NULL, MASTER },
    { "rpl_semi_sync_master_status", REPORTED | STATUS, NULL, MASTER },

    { "version_comment", REPORTED, NULL, NULL },
    { "innodb_flush_log_at_timeout", BOTH, "InnoDB", NULL },
    { "innodb_buffer_pool_size", REPORTED, "InnoDB", NULL },
    { "innodb_log_file_size", REPORTED, "InnoDB", NULL },
    { "innodb_redo_log_capacity", REPORTED, "InnoDB", NULL },
    /* MariaDB 11.0 has these instead of innodb_flush_method. */
    { "innodb_data_file_buffering", REPORTED, "InnoDB", NULL },
    { "innodb_data_file_write_through", REPORTED, "InnoDB", NULL },
    { "innodb_log_file_buffering", REPORTED, "InnoDB", NULL },
    { "innodb_log_file_write_through", REPORTED, "InnoDB", NULL },
    { "innodb_snapshot_isolation", REPORTED, "InnoDB", NULL },
    { "tx_isolation", REPORTED, NULL, NULL },
    { "transaction_isolation", REPORTED, NULL, NULL },
    { "aria_pagecache_buffer_size", REPORTED, "Aria", NULL },
    { "delay_key_write", REPORTED, "MyISAM", NULL },
    { "key_buffer_size", REPORTED, "MyISAM", NULL },
    { "query_cache_type", REPORTED, NULL, NULL },
    { "binlog_format", REPORTED, NULL, "log_bin" },
    { "binlog_row_image", REPORTED, NULL, "log_bin" },
    { "binlog_gtid_index", REPORTED, NULL, "log_bin" },
    /* MySQL's; since 9.5 both are ON by default. */
    { "gtid_mode", REPORTED, NULL, NULL },
    { "enforce_gtid_consistency", REPORTED, NULL, NULL },
    { "wsrep_cluster_status", REPORTED | STATUS, NULL, "wsrep_on" },
    { "wsrep_sync_wait", REPORTED, NULL, "wsrep_on" },
    { "group_replication_consistency", REPORTED, NULL, GROUP },
    { "rpl_semi_sync_source_timeout", REPORTED, NULL, SOURCE },
    { "rpl_semi_sync_source_wait_point", REPORTED, NULL, SOURCE },
    { "rpl_semi_sync_source_clients", REPORTED | STATUS, NULL, SOURCE },
    { "rpl_semi_sync_master_timeout", REPORTED, NULL, MASTER },
    { "rpl_semi_sync_master_wait_point", REPORTED, NULL, MASTER },
    { "rpl_semi_sync_master_clients", REPORTED | STATUS, NULL, MASTER },
    { NULL, 0, NULL, NULL },
};

static const char action[] = "reading the settings back";

/* Reads those rows that are among SHOW VARIABLES or GLOBAL STATUS, and are
 * that. */
static int read_rows(struct properties *variables, bool status, unsigned is,
                     struct connection *connection, struct err *err)
{
    char names[2048];
    char sql[sizeof names + 64];

    sql_settings_list(mysql_variables, is, status, names, sizeof names);
    (void)snprintf(sql, sizeof sql, "SHOW %s WHERE variable_name IN (%s)",
                   status ? "GLOBAL STATUS" : "VARIABLES", names);
    return connection_rows(connection, action, sql, sql_settings_take, variables, err);
}

int variables_read(struct connection *connection, unsigned is, struct properties *read,
                   struct err *err)
{
    char members[24];
    struct err ignored;

    read->count = 0;
    /* MariaDB has no status that decides. */
    if (read_rows(read, false, is, connection, err) != 0 ||
        (!(connection->mariadb && is == SQL_DECIDES) &&
         read_rows(read, true, is, connection, err) != 0))
        return -1;
    if (sql_setting_on(read, GROUP))
        properties_add(read, GROUP_MEMBERS, "%s",
                       connection_value(connection, action, members, sizeof members, &ignored,
                                        "SELECT COUNT(*)"
                                        " FROM performance_schema.replication_group_members"
                                        " WHERE member_state = 'ONLINE'") == 0
                           ? members
                           : "unknown to this user");
    return 0;
}

void variables_read_changed(struct properties *changed, struct connection *connection)
{
    static const char mariadb[] = "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM "
                                  "information_schema.SYSTEM_VARIABLES"
                                  " WHERE GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL')"
                                  " AND NOT (GLOBAL_VALUE <=> DEFAULT_VALUE) ORDER BY 1";
    /* It does not know its defaults, and also calls DYNAMIC what was set for a
       session alone, as mysql_connection.c does with these. */
    static const char mysql[] =
        "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM "
        "performance_schema.variables_info"
        " JOIN performance_schema.global_variables USING (VARIABLE_NAME)"
        " WHERE VARIABLE_SOURCE <> 'COMPILED' AND LOWER(VARIABLE_NAME)"
        " NOT IN ('sql_mode', 'sql_select_limit', 'wait_timeout') ORDER BY 1";
    struct err ignored;

    (void)connection_rows(connection, action, connection->mariadb ? mariadb : mysql,
                          sql_changed_take, changed, &ignored);
}
