/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FLUSH_LOG "innodb_flush_log_at_trx_commit"

/* --- The variables that are read back --- */

enum {
    DECIDES = SQL_DECIDES,
    REPORTED = SQL_REPORTED,
    STATUS = SQL_STATUS, /* listed by SHOW GLOBAL STATUS, not by SHOW VARIABLES */
    BOTH = DECIDES | REPORTED,
    SOME = SQL_SOME_VERSIONS,
    LISTED = SQL_LISTED,
};

#define SOURCE "rpl_semi_sync_source_enabled"
#define MASTER "rpl_semi_sync_master_enabled"

const struct sql_setting mysql_variables[] = {
    { "version", 0, NULL, NULL },
    { "innodb_flush_log_at_trx_commit", BOTH, "InnoDB", NULL },
    { "log_bin", BOTH, NULL, NULL },
    { "sql_log_bin", DECIDES, NULL, NULL },
    { "sync_binlog", BOTH, NULL, NULL },
    { "binlog_storage_engine", BOTH | SOME, NULL, "log_bin" },
    /* ALTER INSTANCE DISABLE INNODB REDO_LOG sets no variable. */
    { "innodb_redo_log_enabled", BOTH | LISTED | STATUS | SOME, "InnoDB", NULL },
    { "innodb_doublewrite", BOTH | LISTED, "InnoDB", NULL },
    { "innodb_flush_method", BOTH | LISTED | SOME, "InnoDB", NULL },
    { "debug_no_sync", DECIDES | LISTED | SOME, NULL, NULL },
    { "autocommit", DECIDES | LISTED, NULL, NULL },
    { "aria_group_commit", BOTH | SOME, "Aria", NULL },

    { "wsrep_on", REPORTED, NULL, "wsrep_on" },
    { "wsrep_cluster_size", REPORTED | STATUS, NULL, "wsrep_on" },
    { "wsrep_local_state_comment", REPORTED | STATUS, NULL, "wsrep_on" },
    /* Counts changes of the cluster's nodes. */
    { "wsrep_cluster_conf_id", STATUS, NULL, NULL },
    /* A name, which is not published. */
    { GROUP_NAME, 0, NULL, NULL },
    { GROUP_MEMBERS, REPORTED, NULL, GROUP_NAME },
    { SOURCE, REPORTED, NULL, SOURCE },
    { "rpl_semi_sync_source_status", REPORTED | STATUS, NULL, SOURCE },
    /* Number of commits that no replica had when they were acknowledged. */
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
    /* MySQL only; since 9.5 both are ON by default. */
    { "gtid_mode", REPORTED, NULL, NULL },
    { "enforce_gtid_consistency", REPORTED, NULL, NULL },
    { "wsrep_cluster_status", REPORTED | STATUS, NULL, "wsrep_on" },
    { "wsrep_sync_wait", REPORTED, NULL, "wsrep_on" },
    { "group_replication_consistency", REPORTED, NULL, GROUP_NAME },
    { "rpl_semi_sync_source_timeout", REPORTED, NULL, SOURCE },
    { "rpl_semi_sync_source_wait_point", REPORTED, NULL, SOURCE },
    { "rpl_semi_sync_source_clients", REPORTED | STATUS, NULL, SOURCE },
    { "rpl_semi_sync_master_timeout", REPORTED, NULL, MASTER },
    { "rpl_semi_sync_master_wait_point", REPORTED, NULL, MASTER },
    { "rpl_semi_sync_master_clients", REPORTED | STATUS, NULL, MASTER },
    { NULL, 0, NULL, NULL },
};

/* --- What they limit --- */

bool mysql_binlog_file(const struct properties *variables)
{
    return sql_setting_on(variables, "log_bin") &&
           strcasecmp(sql_setting(variables, "binlog_storage_engine"), "innodb") != 0;
}

#define INNODB "InnoDB"
#define NOTHING         \
    {                   \
        LOSS_NOTHING, 0 \
    }
#define UNBOUNDED         \
    {                     \
        LOSS_UNBOUNDED, 0 \
    }
/* Until the log is written again: innodb_flush_log_at_timeout. */
#define WINDOW                         \
    {                                  \
        LOSS_BOUNDED, LOSS_WINDOW_READ \
    }
/* The commits in progress. */
#define LAST            \
    {                   \
        LOSS_BOUNDED, 0 \
    }

/* An unknown value promises nothing. */
const struct durability_limit mysql_limits[] = {
    { NULL, "autocommit", false, " ON 1 ", "autocommit-off", UNBOUNDED, UNBOUNDED, "no commit",
      "nothing is committed with autocommit=" },
    { NULL, "engine", true, " MyISAM ", "engine-not-transactional", NOTHING, UNBOUNDED, NULL,
      "the engine never syncs, and power loss can damage the table" },
    { NULL, "engine", true, " MEMORY ", "engine-in-memory", UNBOUNDED, UNBOUNDED, NULL, "" },
    { NULL, "engine", false, " InnoDB Aria MyISAM MEMORY ", "engine-unknown", UNBOUNDED, UNBOUNDED,
      NULL, "ubench does not know this engine" },
    { INNODB, FLUSH_LOG, true, " 0 ", "flush-0", WINDOW, WINDOW, NULL,
      "the log is written once a second" },
    { INNODB, FLUSH_LOG, true, " 2 ", "flush-2", NOTHING, WINDOW, NULL,
      "the log is synced once a second" },
    { INNODB, FLUSH_LOG, false, " 0 1 2 3 ", "flush-unknown", UNBOUNDED, UNBOUNDED, NULL,
      "ubench does not know " FLUSH_LOG "=" },
    { INNODB, "innodb_redo_log_enabled", true, " OFF ", "redo-log-off", UNBOUNDED, UNBOUNDED,
      "no redo log", "without a redo log no crash is survived" },
    { INNODB, "sync_binlog", false, " 1 ", "binlog-not-synced", NOTHING, LAST, "binlog ",
      "power loss loses the last commits, as the binary log is not synced at each commit" },
    { INNODB, "debug_no_sync", false, "  OFF 0 ", "debug-no-sync", NOTHING, UNBOUNDED, "no sync",
      "debug_no_sync=" },
    { INNODB, "innodb_flush_method", true, " nosync ", "flush-method-nosync", NOTHING, UNBOUNDED,
      "method ", "innodb_flush_method=" },
    /* The log is synced, but InnoDB discards log records that it assumes are in the tables.
       MariaDB 11.0 replaced O_DIRECT_NO_FSYNC by innodb_doublewrite=fast. */
    { INNODB, "innodb_flush_method", true, " littlesync O_DIRECT_NO_FSYNC ",
      "flush-method-no-table-sync", NOTHING, UNBOUNDED, "method ",
      "the tables are never synced with innodb_flush_method=" },
    { INNODB, "innodb_flush_method", false,
      "  fsync O_DSYNC O_DIRECT nosync littlesync O_DIRECT_NO_FSYNC ", "flush-method-unknown",
      NOTHING, UNBOUNDED, "method ", "ubench does not know innodb_flush_method=" },
    { INNODB, "innodb_doublewrite", true, "  OFF 0 ", "doublewrite-off", NOTHING, UNBOUNDED,
      "no doublewrite", "without innodb_doublewrite power loss can tear pages" },
    { INNODB, "innodb_doublewrite", false, "  OFF 0 ON DETECT_AND_RECOVER ", "doublewrite-partial",
      NOTHING, UNBOUNDED, "doublewrite ", "power loss can tear pages with innodb_doublewrite=" },
    { "Aria", "debug_no_sync", false, "  OFF 0 ", "debug-no-sync", NOTHING, UNBOUNDED, "no sync",
      "debug_no_sync=" },
    { "Aria", "aria_group_commit", true, " soft ", "group-commit-soft", NOTHING, LAST, "commit ",
      "the log is synced after the commit" },
    /* A table without transactions is like MyISAM. */
    { "Aria", "transactional", true, " 0 ", "engine-not-transactional", NOTHING, UNBOUNDED,
      "transactional ",
      "with TRANSACTIONAL=0 it never syncs, and power loss can damage the table" },
    { .code = NULL },
};

/* Adds the settings that decide the durability of InnoDB's commits.  For the limits, sync_binlog
   counts only with a binary log in a file. */
static void add_innodb(struct promise *promise, struct properties *variables)
{
    const bool binlog = sql_setting_on(variables, "log_bin") &&
                        strcmp(sql_setting(variables, "sql_log_bin"), "OFF") != 0;
    const bool file = binlog && mysql_binlog_file(variables);
    const char *const sync_binlog = sql_setting(variables, "sync_binlog");

    (void)promise_set(promise, FLUSH_LOG, sql_setting(variables, FLUSH_LOG), "flush");
    (void)promise_set(promise, "log_bin", binlog ? "ON" : "OFF", NULL);
    if (file)
        promise_set(promise, "sync_binlog", sync_binlog, NULL)->decisive =
            strcmp(sync_binlog, "1") == 0;
    else
        properties_add(variables, "sync_binlog", "1");
    if (binlog && !file)
        (void)promise_set(promise, "binlog_storage_engine",
                          sql_setting(variables, "binlog_storage_engine"), NULL);
}

static void add_engine(struct promise *promise, struct properties *variables, const char *engine,
                       const char *options)
{
    const bool innodb = strcmp(engine, INNODB) == 0;
    struct promise_setting *const setting =
        promise_set(promise, "engine", engine, innodb ? NULL : "engine");

    (void)snprintf(setting->text, sizeof setting->text, "engine %.48s", setting->value);
    setting->quiet = innodb;
    properties_add(variables, "engine", "%s", engine);
    if (innodb)
        add_innodb(promise, variables);
    if (strcmp(engine, "Aria") == 0) {
        (void)promise_set(promise, "aria_group_commit", sql_setting(variables, "aria_group_commit"),
                          NULL);
        properties_add(variables, "transactional",
                       strstr(options, "transactional=0") != NULL ? "0" : "1");
        promise_set(promise, "transactional", sql_setting(variables, "transactional"), NULL)
            ->quiet = true;
    }
    sql_settings_promise(mysql_variables, engine, variables, true, promise);
}

/* Returns innodb_flush_log_at_timeout in seconds; its default is 1. */
static double window_of(const struct properties *variables)
{
    const double timeout_s = strtod(sql_setting(variables, "innodb_flush_log_at_timeout"), NULL);

    return timeout_s > 0 ? timeout_s : 1;
}

/* Returns a variable of semi-synchronous replication, which has another name in MariaDB and before
   MySQL 8.0.26. */
static const char *semi_sync(const struct properties *variables, const char *name)
{
    char whole[64];

    (void)snprintf(whole, sizeof whole, "rpl_semi_sync_%s_%s",
                   sql_setting_on(variables, "rpl_semi_sync_source_enabled") ? "source" : "master",
                   name);
    return sql_setting(variables, whole);
}

/* Adds the other nodes, which do not change the class. */
static void add_nodes(struct promise *promise, const struct properties *variables)
{
    struct promise_setting *setting;

    if (sql_setting_on(variables, "wsrep_on")) {
        setting = promise_set(promise, "wsrep_cluster_size",
                              sql_setting(variables, "wsrep_cluster_size"), NULL);
        (void)snprintf(setting->text, sizeof setting->text,
                       "a Galera cluster: nodes %.20s, this one %.40s", setting->value,
                       sql_setting(variables, "wsrep_local_state_comment"));
    }
    if (sql_setting_on(variables, GROUP_MEMBERS)) {
        setting = promise_set(promise, GROUP_MEMBERS, sql_setting(variables, GROUP_MEMBERS), NULL);
        (void)snprintf(setting->text, sizeof setting->text,
                       "group replication: members online %.40s", setting->value);
    }
    if (strcmp(semi_sync(variables, "enabled"), "ON") == 0) {
        const bool works = strcmp(semi_sync(variables, "status"), "ON") == 0;

        setting = promise_set(promise, "semi-synchronous replication", works ? "ON" : "OFF", NULL);
        (void)snprintf(setting->text, sizeof setting->text, "semi-synchronous replication%s",
                       works ? "" : " that has fallen back to asynchronous");
    }
}

void mysql_promise(const struct properties *variables, const char *engine, const char *options,
                   struct promise *promise)
{
    struct properties values = *variables;

    add_engine(promise, &values, engine, options);
    add_nodes(promise, variables);
    promise_limits(promise, mysql_limits, engine, &values, window_of(variables));
}

static enum node_loss survived_if(bool survived)
{
    return survived ? NODE_LOSS_YES : NODE_LOSS_NO;
}

/* Returns true if both readings of a variable are equal. */
static bool is_same(const struct properties *before, const struct properties *now, const char *name)
{
    return strcmp(sql_setting(before, name), sql_setting(now, name)) == 0;
}

enum node_loss mysql_node_loss(const struct properties *before, const struct properties *now,
                               const char *engine)
{
    const bool innodb = strcmp(engine, "InnoDB") == 0;

    /* An acknowledged commit has reached all nodes that were in the cluster. */
    if (innodb && sql_setting_on(now, "wsrep_on"))
        return !is_same(before, now, "wsrep_cluster_conf_id")
                   ? NODE_LOSS_UNKNOWN
                   : survived_if(strtoul(sql_setting(now, "wsrep_cluster_size"), NULL, 10) > 1 &&
                                 strcmp(sql_setting(now, "wsrep_local_state_comment"), "Synced") ==
                                     0);
    /* Other nodes receive only changes of InnoDB that are in the binary log. */
    if (!innodb || !sql_setting_on(now, "log_bin") || !sql_setting_on(now, "sql_log_bin"))
        return NODE_LOSS_NO;
    if (sql_setting_on(now, GROUP_MEMBERS)) {
        const unsigned long members = strtoul(sql_setting(now, GROUP_MEMBERS), NULL, 10);

        return members == 0 || !is_same(before, now, GROUP_MEMBERS) ? NODE_LOSS_UNKNOWN
                                                                    : survived_if(members > 1);
    }
    /* If no replica answers in time, the source continues without one and counts the commit. */
    return survived_if(strcmp(semi_sync(now, "enabled"), "ON") == 0 &&
                       strcmp(semi_sync(now, "status"), "ON") == 0 &&
                       strcmp(semi_sync(before, "no_tx"), semi_sync(now, "no_tx")) == 0);
}
