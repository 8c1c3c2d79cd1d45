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

static void add(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text);

    (void)snprintf(text + length, size - length, "%s", more);
}

/* What a value of a variable allows a table of an engine at most.  A value that is not known is
   worth nothing, or what it is worth is not known. */
static const struct limit {
    const char *engine;
    enum variable variable;
    bool holds;         /* if the value is one of those, else if it is none */
    const char *values; /* with blanks around each; "" is "  " */
    enum durability class;
    const char *why; /* if it ends with "=", the value follows */
} limits[] = {
    { "InnoDB", VARIABLE_FLUSH_LOG, true, " 0 ", DURABILITY_VOLATILE,
      ", the log is written once a second" },
    { "InnoDB", VARIABLE_FLUSH_LOG, true, " 2 ", DURABILITY_BOUNDED,
      ", the log is synced once a second" },
    { "InnoDB", VARIABLE_FLUSH_LOG, false, " 0 1 2 3 ", DURABILITY_VOLATILE,
      ", a value that ubench does not know" },
    { "InnoDB", VARIABLE_REDO_LOG, true, " OFF ", DURABILITY_VOLATILE,
      ", without a redo log no crash is survived" },
    { "InnoDB", VARIABLE_NO_SYNC, false, "  OFF 0 ", DURABILITY_PROCESS_SAFE,
      ", debug_no_sync=ON" },
    { "InnoDB", VARIABLE_FLUSH_METHOD, true, " nosync ", DURABILITY_PROCESS_SAFE,
      ", innodb_flush_method=nosync" },
    /* The log is synced, and forgets what it thinks is in the tables.  O_DIRECT_NO_FSYNC has become
       innodb_doublewrite=fast in MariaDB 11.0. */
    { "InnoDB", VARIABLE_FLUSH_METHOD, true, " littlesync O_DIRECT_NO_FSYNC ",
      DURABILITY_PROCESS_SAFE, ", innodb_flush_method never syncs the tables" },
    { "InnoDB", VARIABLE_FLUSH_METHOD, false,
      "  fsync O_DSYNC O_DIRECT nosync littlesync O_DIRECT_NO_FSYNC ", DURABILITY_PROCESS_SAFE,
      ", ubench does not know innodb_flush_method=" },
    { "InnoDB", VARIABLE_DOUBLEWRITE, true, "  OFF 0 ", DURABILITY_PROCESS_SAFE,
      ", without innodb_doublewrite power loss can tear pages" },
    { "InnoDB", VARIABLE_DOUBLEWRITE, false, "  OFF 0 ON DETECT_AND_RECOVER ",
      DURABILITY_PROCESS_SAFE, ", power loss can tear pages with innodb_doublewrite=" },
    { "Aria", VARIABLE_NO_SYNC, false, "  OFF 0 ", DURABILITY_PROCESS_SAFE, ", debug_no_sync=ON" },
    { "Aria", VARIABLE_ARIA_GROUP_COMMIT, true, " soft ", DURABILITY_BOUNDED,
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
static enum durability lowest(const struct variables *variables, const char *engine, char *text,
                              size_t size)
{
    enum durability class = DURABILITY_POWER_SAFE;

    for (const struct limit *limit = limits; limit < limits + sizeof limits / sizeof *limits;
         limit++) {
        const char *const value = variables->value[limit->variable];

        if (strcmp(limit->engine, engine) != 0 || is_one(value, limit->values) != limit->holds)
            continue;
        class = limit->class < class ? limit->class : class;
        add(text, size, limit->why);
        if (limit->why[strlen(limit->why) - 1] == '=')
            add(text, size, value);
    }
    return class;
}

static enum durability innodb_class(const struct variables *variables, char *text, size_t size)
{
    const char(*const value)[VALUE_SIZE] = variables->value;
    const bool binlog = variables_on(variables, VARIABLE_LOG_BIN) &&
                        strcmp(value[VARIABLE_SESSION_LOG_BIN], "OFF") != 0;
    const bool file = binlog && variables_binlog_file(variables);
    const bool unsynced = file && strcmp(value[VARIABLE_SYNC_BINLOG], "1") != 0;

    (void)snprintf(text, size, "innodb_flush_log_at_trx_commit=%s, log_bin=%s%s%s",
                   value[VARIABLE_FLUSH_LOG], binlog ? "ON" : "OFF",
                   file     ? ", sync_binlog="
                   : binlog ? ", binlog_storage_engine="
                            : "",
                   file     ? value[VARIABLE_SYNC_BINLOG]
                   : binlog ? value[VARIABLE_BINLOG_ENGINE]
                            : "");
    const enum durability class = lowest(variables, "InnoDB", text, size);
    if (!unsynced)
        return class;
    add(text, size,
        value[VARIABLE_FLUSH_LOG][0] == '1' ? ", so that power loss takes the last commits"
                                            : ", the binary log whenever the system does it");
    return class < DURABILITY_BOUNDED ? class : DURABILITY_BOUNDED;
}

static enum durability aria_class(const struct variables *variables, const char *options,
                                  char *text, size_t size)
{
    (void)snprintf(text, size, "engine Aria, aria_group_commit=%s",
                   variables->value[VARIABLE_ARIA_GROUP_COMMIT]);
    const enum durability class = lowest(variables, "Aria", text, size);
    if (strstr(options, "transactional=0") == NULL)
        return class;
    /* Then it is as MyISAM is. */
    add(text, size, ", with TRANSACTIONAL=0 it never syncs, and power loss can damage the table");
    return DURABILITY_PROCESS_SAFE;
}

static enum durability engine_class(const struct variables *variables, const char *engine,
                                    const char *options, char *text, size_t size)
{
    const char *const autocommit = variables->value[VARIABLE_AUTOCOMMIT];
    const bool myisam = strcmp(engine, "MyISAM") == 0;

    if (strcmp(autocommit, "ON") != 0) {
        (void)snprintf(text, size, "autocommit=%s: nothing is committed", autocommit);
        return DURABILITY_VOLATILE;
    }
    if (strcmp(engine, "InnoDB") == 0)
        return innodb_class(variables, text, size);
    if (strcmp(engine, "Aria") == 0)
        return aria_class(variables, options, text, size);
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
