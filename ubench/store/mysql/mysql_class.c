/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool variables_on(const struct variables *variables, enum variable variable)
{
    const char *const value = variables->value[variable];

    return value[0] != '\0' && strcmp(value, "OFF") != 0 && strcmp(value, "0") != 0;
}

bool variables_binlog_file(const struct variables *variables)
{
    return variables_on(variables, VARIABLE_LOG_BIN) &&
           strcasecmp(variables->value[VARIABLE_BINLOG_ENGINE], "innodb") != 0;
}

/* The class that a thing which is so allows at most, and what there is to say
   of it. */
struct limit {
    bool holds;
    enum durability class;
    const char *why;
    const char *value; /* the end of that; NULL: none */
};

static void add(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text);

    if (more != NULL)
        (void)snprintf(text + length, size - length, "%s", more);
}

static enum durability lowest(const struct limit *limits, size_t count,
                              char *text, size_t size)
{
    enum durability class = DURABILITY_POWER_SAFE;

    for (size_t i = 0; i < count; i++) {
        if (!limits[i].holds)
            continue;
        if (limits[i].class < class)
            class = limits[i].class;
        add(text, size, limits[i].why);
        add(text, size, limits[i].value);
    }
    return class;
}

/* True if value is one of those names, of which NULL is the last. */
static bool is_one(const char *value, const char *const *names)
{
    while (*names != NULL && strcasecmp(value, *names) != 0)
        names++;
    return *names != NULL;
}

/* What the redo log is worth; a value that is not known is worth nothing. */
static enum durability redo_log_class(const struct variables *variables, bool unsynced_binlog,
                                      char *text, size_t size)
{
    static const char *const known[] = { "0", "1", "2", "3", NULL };
    const char *const value = variables->value[VARIABLE_FLUSH_LOG];
    const char flush = value[0];
    const struct limit limits[] = {
        { flush == '0', DURABILITY_VOLATILE, ", the log is written once a second", NULL },
        { flush == '2', DURABILITY_BOUNDED, ", the log is synced once a second", NULL },
        { !is_one(value, known), DURABILITY_VOLATILE, ", a value that ubench does not know", NULL },
        { strcmp(variables->value[VARIABLE_REDO_LOG], "OFF") == 0, DURABILITY_VOLATILE,
          ", without a redo log no crash is survived", NULL },
        { unsynced_binlog && flush == '1', DURABILITY_BOUNDED,
          ", so that power loss takes the last commits", NULL },
        { unsynced_binlog && flush != '1', DURABILITY_BOUNDED,
          ", the binary log whenever the system does it", NULL },
    };

    return lowest(limits, sizeof limits / sizeof limits[0], text, size);
}

/* What a power cut does to the tables.  O_DIRECT_NO_FSYNC has become innodb_doublewrite=fast in
   MariaDB 11.0. */
static enum durability pages_class(const struct variables *variables, char *text, size_t size)
{
    static const char *const syncing[] = { "", "fsync", "O_DSYNC", "O_DIRECT", NULL };
    static const char *const careless[] = { "littlesync", "O_DIRECT_NO_FSYNC", NULL };
    static const char *const whole[] = { "ON", "DETECT_AND_RECOVER", NULL };
    const char *const method = variables->value[VARIABLE_FLUSH_METHOD];
    const char *const doublewrite = variables->value[VARIABLE_DOUBLEWRITE];
    const bool off = !variables_on(variables, VARIABLE_DOUBLEWRITE);
    const bool nosync = strcasecmp(method, "nosync") == 0;
    const bool known = nosync || is_one(method, careless) || is_one(method, syncing);
    const struct limit limits[] = {
        { variables_on(variables, VARIABLE_NO_SYNC), DURABILITY_PROCESS_SAFE, ", debug_no_sync=ON",
          NULL },
        { nosync, DURABILITY_PROCESS_SAFE, ", innodb_flush_method=nosync", NULL },
        /* The log is synced, and forgets what it thinks is in the tables. */
        { is_one(method, careless), DURABILITY_PROCESS_SAFE,
          ", innodb_flush_method never syncs the tables", NULL },
        { !known, DURABILITY_PROCESS_SAFE, ", ubench does not know innodb_flush_method=", method },
        { off, DURABILITY_PROCESS_SAFE,
          ", without innodb_doublewrite power loss can tear pages", NULL },
        { !off && !is_one(doublewrite, whole), DURABILITY_PROCESS_SAFE,
          ", power loss can tear pages with innodb_doublewrite=", doublewrite },
    };

    return lowest(limits, sizeof limits / sizeof limits[0], text, size);
}

static enum durability innodb_class(const struct variables *variables, char *text, size_t size)
{
    const char(*const value)[VALUE_SIZE] = variables->value;
    const bool binlog = variables_on(variables, VARIABLE_LOG_BIN) &&
                        strcmp(value[VARIABLE_SESSION_LOG_BIN], "OFF") != 0;
    const bool file = binlog && variables_binlog_file(variables);
    const bool unsynced = file && strcmp(value[VARIABLE_SYNC_BINLOG], "1") != 0;

    (void)snprintf(text, size, "innodb_flush_log_at_trx_commit=%s, log_bin=%s",
                   value[VARIABLE_FLUSH_LOG], binlog ? "ON" : "OFF");
    if (binlog) {
        add(text, size, file ? ", sync_binlog=" : ", binlog_storage_engine=");
        add(text, size, value[file ? VARIABLE_SYNC_BINLOG : VARIABLE_BINLOG_ENGINE]);
    }
    const enum durability log = redo_log_class(variables, unsynced, text, size);
    const enum durability pages = pages_class(variables, text, size);
    return log < pages ? log : pages;
}

static enum durability aria_class(const struct variables *variables, const char *options,
                                  char *text, size_t size)
{
    const char *const group = variables->value[VARIABLE_ARIA_GROUP_COMMIT];
    const struct limit limits[] = {
        { variables_on(variables, VARIABLE_NO_SYNC), DURABILITY_PROCESS_SAFE, ", debug_no_sync=ON",
          NULL },
        { strcmp(group, "soft") == 0, DURABILITY_BOUNDED, ", the log is synced later", NULL },
        /* Then it is as MyISAM is. */
        { strstr(options, "transactional=0") != NULL, DURABILITY_PROCESS_SAFE,
          ", with TRANSACTIONAL=0 it never syncs, and power loss can damage the table", NULL },
    };

    (void)snprintf(text, size, "engine Aria, aria_group_commit=%s", group);
    return lowest(limits, sizeof limits / sizeof limits[0], text, size);
}

static enum durability engine_class(const struct variables *variables, const char *engine,
                                    const char *options, char *text, size_t size)
{
    const char *const autocommit = variables->value[VARIABLE_AUTOCOMMIT];

    if (strcmp(autocommit, "ON") != 0) {
        (void)snprintf(text, size, "autocommit=%s: nothing is committed", autocommit);
        return DURABILITY_VOLATILE;
    }
    if (strcmp(engine, "InnoDB") == 0)
        return innodb_class(variables, text, size);
    if (strcmp(engine, "Aria") == 0)
        return aria_class(variables, options, text, size);
    const bool myisam = strcmp(engine, "MyISAM") == 0;
    (void)snprintf(text, size, "engine %s%s", engine,
                   myisam ? " never syncs, and power loss can damage the table"
                   : strcmp(engine, "MEMORY") == 0
                       ? ""
                       : ", of which ubench does not know what it promises");
    return myisam ? DURABILITY_PROCESS_SAFE : DURABILITY_VOLATILE;
}

static void add_semi_sync(const struct variables *variables, enum variable enabled,
                          enum variable status, char *text, size_t size)
{
    if (!variables_on(variables, enabled))
        return;
    add(text, size, ", semi-synchronous replication");
    if (!variables_on(variables, status))
        add(text, size, " that has fallen back to asynchronous");
}

/* What else has the changes; it is no part of the class. */
static void add_nodes(const struct variables *variables, char *text, size_t size)
{
    const char(*const value)[VALUE_SIZE] = variables->value;

    if (variables_on(variables, VARIABLE_GALERA)) {
        add(text, size, ", a Galera cluster: nodes ");
        add(text, size, value[VARIABLE_GALERA_SIZE]);
        add(text, size, ", this one ");
        add(text, size, value[VARIABLE_GALERA_STATE]);
    }
    if (variables_on(variables, VARIABLE_GROUP_MEMBERS)) {
        add(text, size, ", group replication: members online ");
        add(text, size, value[VARIABLE_GROUP_MEMBERS]);
    }
    add_semi_sync(variables, VARIABLE_SEMI_SYNC, VARIABLE_SEMI_SYNC_STATUS, text, size);
    add_semi_sync(variables, VARIABLE_OLD_SEMI_SYNC, VARIABLE_OLD_SEMI_SYNC_STATUS, text, size);
}

enum durability mysql_class(const struct variables *variables, const char *engine,
                            const char *options, char *text, size_t size)
{
    const enum durability class = engine_class(variables, engine, options, text, size);

    add_nodes(variables, text, size);
    return class;
}

static enum node_loss survived_if(bool survived)
{
    return survived ? NODE_LOSS_YES : NODE_LOSS_NO;
}

enum node_loss mysql_node_loss(const struct variables *before, const struct variables *now,
                               const char *engine)
{
    const char(*const was)[VALUE_SIZE] = before->value;
    const char(*const is)[VALUE_SIZE] = now->value;
    const bool innodb = strcmp(engine, "InnoDB") == 0;
    const bool old = !variables_on(now, VARIABLE_SEMI_SYNC);
    const enum variable status = old ? VARIABLE_OLD_SEMI_SYNC_STATUS : VARIABLE_SEMI_SYNC_STATUS;
    const enum variable missed = old ? VARIABLE_OLD_SEMI_SYNC_MISSED : VARIABLE_SEMI_SYNC_MISSED;

    /* A commit has reached all nodes that were there when it is acknowledged. */
    if (innodb && variables_on(now, VARIABLE_GALERA))
        return strcmp(was[VARIABLE_GALERA_CHANGES], is[VARIABLE_GALERA_CHANGES]) != 0
                   ? NODE_LOSS_UNKNOWN
                   : survived_if(strtoul(is[VARIABLE_GALERA_SIZE], NULL, 10) > 1 &&
                                 strcmp(is[VARIABLE_GALERA_STATE], "Synced") == 0);
    /* What is not in the binary log or is no InnoDB does not get there. */
    if (!innodb || !variables_on(now, VARIABLE_LOG_BIN) ||
        !variables_on(now, VARIABLE_SESSION_LOG_BIN))
        return NODE_LOSS_NO;
    if (variables_on(now, VARIABLE_GROUP_MEMBERS)) {
        const unsigned long members = strtoul(is[VARIABLE_GROUP_MEMBERS], NULL, 10);

        return members == 0 || strcmp(was[VARIABLE_GROUP_MEMBERS], is[VARIABLE_GROUP_MEMBERS]) != 0
                   ? NODE_LOSS_UNKNOWN
                   : survived_if(members > 1);
    }
    /* It goes on without a replica if none answers in time, and counts that. */
    return survived_if((!old || variables_on(now, VARIABLE_OLD_SEMI_SYNC)) &&
                       variables_on(now, status) && strcmp(was[missed], is[missed]) == 0);
}
