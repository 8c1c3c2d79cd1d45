/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"
#include "store/sql/settings.h"

bool mysql_binlog_file(const struct properties *variables)
{
    return sql_setting_on(variables, "log_bin") &&
           strcasecmp(sql_setting(variables, "binlog_storage_engine"), "innodb") != 0;
}

/* The highest class that a value of a variable allows a table of an engine.  A value that is not
   known is worth nothing, or what it is worth is not known. */
static const struct limit {
    const char *engine;
    const char *variable;
    bool holds;         /* if the value is one of those, else if it is none */
    const char *values; /* with blanks around each; "" is "  " */
    enum durability class;
    const char *why; /* if it ends with "=", the value follows */
} limits[] = {
    { "InnoDB", "innodb_flush_log_at_trx_commit", true, " 0 ", DURABILITY_VOLATILE,
      ", the log is written once a second" },
    { "InnoDB", "innodb_flush_log_at_trx_commit", true, " 2 ", DURABILITY_BOUNDED,
      ", the log is synced once a second" },
    { "InnoDB", "innodb_flush_log_at_trx_commit", false, " 0 1 2 3 ", DURABILITY_VOLATILE,
      ", a value that ubench does not know" },
    { "InnoDB", "innodb_redo_log_enabled", true, " OFF ", DURABILITY_VOLATILE,
      ", without a redo log no crash is survived" },
    { "InnoDB", "debug_no_sync", false, "  OFF 0 ", DURABILITY_PROCESS_SAFE, ", debug_no_sync=ON" },
    { "InnoDB", "innodb_flush_method", true, " nosync ", DURABILITY_PROCESS_SAFE,
      ", innodb_flush_method=nosync" },
    /* The log is synced, and forgets what it thinks is in the tables.  O_DIRECT_NO_FSYNC has become
       innodb_doublewrite=fast in MariaDB 11.0. */
    { "InnoDB", "innodb_flush_method", true, " littlesync O_DIRECT_NO_FSYNC ",
      DURABILITY_PROCESS_SAFE, ", innodb_flush_method never syncs the tables" },
    { "InnoDB", "innodb_flush_method", false,
      "  fsync O_DSYNC O_DIRECT nosync littlesync O_DIRECT_NO_FSYNC ", DURABILITY_PROCESS_SAFE,
      ", ubench does not know innodb_flush_method=" },
    { "InnoDB", "innodb_doublewrite", true, "  OFF 0 ", DURABILITY_PROCESS_SAFE,
      ", without innodb_doublewrite power loss can tear pages" },
    { "InnoDB", "innodb_doublewrite", false, "  OFF 0 ON DETECT_AND_RECOVER ",
      DURABILITY_PROCESS_SAFE, ", power loss can tear pages with innodb_doublewrite=" },
    { "Aria", "debug_no_sync", false, "  OFF 0 ", DURABILITY_PROCESS_SAFE, ", debug_no_sync=ON" },
    { "Aria", "aria_group_commit", true, " soft ", DURABILITY_BOUNDED,
      ", the log is synced later" },
};

/* True if the value is a word of the list. */
static bool is_one(const char *value, const char *list)
{
    const size_t length = strlen(value);

    while (*list == ' ' && list[1] != '\0' &&
           (strncasecmp(list + 1, value, length) != 0 || list[1 + length] != ' '))
        list += 1 + strcspn(list + 1, " ");
    return *list == ' ' && list[1] != '\0';
}

/* The lowest class of those limits, whose reasons are added to text. */
static enum durability lowest(const struct properties *variables, const char *engine, char *text,
                              size_t size)
{
    enum durability class = DURABILITY_POWER_SAFE;

    for (const struct limit *limit = limits; limit < limits + sizeof limits / sizeof *limits;
         limit++) {
        const char *const value = sql_setting(variables, limit->variable);

        if (strcmp(limit->engine, engine) != 0 || is_one(value, limit->values) != limit->holds)
            continue;
        class = limit->class < class ? limit->class : class;
        text_append(text, size, "%s%s", limit->why,
                    limit->why[strlen(limit->why) - 1] == '=' ? value : "");
    }
    return class;
}

static enum durability innodb_class(const struct properties *variables, char *text, size_t size)
{
    const char *const flush_log = sql_setting(variables, "innodb_flush_log_at_trx_commit");
    const char *const sync_binlog = sql_setting(variables, "sync_binlog");
    const bool binlog = sql_setting_on(variables, "log_bin") &&
                        strcmp(sql_setting(variables, "sql_log_bin"), "OFF") != 0;
    const bool file = binlog && mysql_binlog_file(variables);

    text_append(text, size, "innodb_flush_log_at_trx_commit=%s, log_bin=%s", flush_log,
                binlog ? "ON" : "OFF");
    if (file)
        text_append(text, size, ", sync_binlog=%s", sync_binlog);
    else if (binlog)
        text_append(text, size, ", binlog_storage_engine=%s",
                    sql_setting(variables, "binlog_storage_engine"));
    const enum durability class = lowest(variables, "InnoDB", text, size);
    if (!file || strcmp(sync_binlog, "1") == 0)
        return class;
    text_append(text, size, "%s",
                flush_log[0] == '1' ? ", so that power loss takes the last commits"
                                    : ", the binary log whenever the system does it");
    return class < DURABILITY_BOUNDED ? class : DURABILITY_BOUNDED;
}

static enum durability aria_class(const struct properties *variables, const char *options,
                                  char *text, size_t size)
{
    text_append(text, size, "engine Aria, aria_group_commit=%s",
                sql_setting(variables, "aria_group_commit"));
    const enum durability class = lowest(variables, "Aria", text, size);
    if (strstr(options, "transactional=0") == NULL)
        return class;
    /* Then it is as MyISAM is. */
    text_append(text, size,
                ", with TRANSACTIONAL=0 it never syncs, and power loss can damage the table");
    return DURABILITY_PROCESS_SAFE;
}

static enum durability engine_class(const struct properties *variables, const char *engine,
                                    const char *options, char *text, size_t size)
{
    const char *const autocommit = sql_setting(variables, "autocommit");
    const bool myisam = strcmp(engine, "MyISAM") == 0;

    if (strcmp(autocommit, "ON") != 0) {
        text_append(text, size, "autocommit=%s: nothing is committed", autocommit);
        return DURABILITY_VOLATILE;
    }
    if (strcmp(engine, "InnoDB") == 0)
        return innodb_class(variables, text, size);
    if (strcmp(engine, "Aria") == 0)
        return aria_class(variables, options, text, size);
    const char *const promise =
        myisam                          ? " never syncs, and power loss can damage the table"
        : strcmp(engine, "MEMORY") == 0 ? ""
                                        : ", of which ubench does not know what it promises";
    text_append(text, size, "engine %s%s", engine, promise);
    return myisam ? DURABILITY_PROCESS_SAFE : DURABILITY_VOLATILE;
}

/* A variable of semi-synchronous replication, which has another name in MariaDB and before MySQL
   8.0.26. */
static const char *semi_sync(const struct properties *variables, const char *name)
{
    char whole[64];

    (void)snprintf(
        whole, sizeof whole, "rpl_semi_sync_%s_%s",
        sql_setting_on(variables, "rpl_semi_sync_source_enabled") ? "source" : "master", name);
    return sql_setting(variables, whole);
}

enum durability mysql_class(const struct properties *variables, const char *engine,
                            const char *options, char *text, size_t size)
{
    text[0] = '\0';
    const enum durability class = engine_class(variables, engine, options, text, size);

    /* Other nodes are no part of the class. */
    if (sql_setting_on(variables, "wsrep_on"))
        text_append(text, size, ", a Galera cluster: nodes %s, this one %s",
                    sql_setting(variables, "wsrep_cluster_size"),
                    sql_setting(variables, "wsrep_local_state_comment"));
    if (sql_setting_on(variables, GROUP_MEMBERS))
        text_append(text, size, ", group replication: members online %s",
                    sql_setting(variables, GROUP_MEMBERS));
    if (strcmp(semi_sync(variables, "enabled"), "ON") == 0)
        text_append(text, size, ", semi-synchronous replication%s",
                    strcmp(semi_sync(variables, "status"), "ON") == 0
                        ? ""
                        : " that has fallen back to asynchronous");
    return class;
}

static enum node_loss survived_if(bool survived)
{
    return survived ? NODE_LOSS_YES : NODE_LOSS_NO;
}

/* True if that variable was the same. */
static bool is_same(const struct properties *before, const struct properties *now, const char *name)
{
    return strcmp(sql_setting(before, name), sql_setting(now, name)) == 0;
}

enum node_loss mysql_node_loss(const struct properties *before, const struct properties *now,
                               const char *engine)
{
    const bool innodb = strcmp(engine, "InnoDB") == 0;

    /* A commit has reached all nodes that were there when it is acknowledged. */
    if (innodb && sql_setting_on(now, "wsrep_on"))
        return !is_same(before, now, "wsrep_cluster_conf_id")
                   ? NODE_LOSS_UNKNOWN
                   : survived_if(
                         strtoul(sql_setting(now, "wsrep_cluster_size"), NULL, 10) > 1 &&
                         strcmp(sql_setting(now, "wsrep_local_state_comment"), "Synced") == 0);
    /* Others get only changes of InnoDB that are in the binary log. */
    if (!innodb || !sql_setting_on(now, "log_bin") || !sql_setting_on(now, "sql_log_bin"))
        return NODE_LOSS_NO;
    if (sql_setting_on(now, GROUP_MEMBERS)) {
        const unsigned long members = strtoul(sql_setting(now, GROUP_MEMBERS), NULL, 10);

        return members == 0 || !is_same(before, now, GROUP_MEMBERS) ? NODE_LOSS_UNKNOWN
                                                                    : survived_if(members > 1);
    }
    /* It goes on without a replica if none answers in time, and counts that. */
    return survived_if(strcmp(semi_sync(now, "enabled"), "ON") == 0 &&
                       strcmp(semi_sync(now, "status"), "ON") == 0 &&
                       strcmp(semi_sync(before, "no_tx"), semi_sync(now, "no_tx")) == 0);
}
