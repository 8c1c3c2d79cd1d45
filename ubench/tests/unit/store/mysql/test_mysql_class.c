/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_class.h"

#include <stdio.h>

#include "tests/lib/check.h"

/* What a server that is durable says; a row changes some of it. */
static const struct variables durable = { .value = {
                                              [VARIABLE_VERSION] = "12.3.1-MariaDB",
                                              [VARIABLE_FLUSH_LOG] = "1",
                                              [VARIABLE_LOG_BIN] = "OFF",
                                              [VARIABLE_SESSION_LOG_BIN] = "ON",
                                              [VARIABLE_SYNC_BINLOG] = "1",
                                              [VARIABLE_FLUSH_METHOD] = "O_DIRECT",
                                              [VARIABLE_DOUBLEWRITE] = "ON",
                                              [VARIABLE_AUTOCOMMIT] = "ON",
                                              [VARIABLE_ARIA_GROUP_COMMIT] = "none",
                                          } };

struct change {
    enum variable variable;
    const char *value; /* NULL: no more changes */
};

static struct variables changed(const struct change *changes)
{
    struct variables variables = durable;

    for (size_t i = 0; i < 5 && changes[i].value != NULL; i++)
        (void)snprintf(variables.value[changes[i].variable], VALUE_SIZE, "%s", changes[i].value);
    return variables;
}

TEST(a_class_is_the_lowest_of_what_limits_it)
{
    static const struct {
        const char *engine;
        const char *options;
        struct change changes[5];
        enum durability class;
        const char *says;
    } rows[] = {
        { "InnoDB", "", { { 0, NULL } }, DURABILITY_POWER_SAFE, "log_bin=OFF" },
        { "InnoDB", "", { { VARIABLE_FLUSH_LOG, "0" } }, DURABILITY_VOLATILE, "written once" },
        { "InnoDB", "", { { VARIABLE_FLUSH_LOG, "2" } }, DURABILITY_BOUNDED, "synced once" },
        { "InnoDB", "", { { VARIABLE_FLUSH_LOG, "4" } }, DURABILITY_VOLATILE, "does not know" },
        { "InnoDB",
          "",
          { { VARIABLE_LOG_BIN, "ON" } },
          DURABILITY_POWER_SAFE,
          "log_bin=ON, sync_binlog=1" },
        { "InnoDB",
          "",
          { { VARIABLE_LOG_BIN, "ON" }, { VARIABLE_SYNC_BINLOG, "0" } },
          DURABILITY_BOUNDED,
          "sync_binlog=0, so that power loss takes the last commits" },
        /* In InnoDB's log sync_binlog means nothing: MariaDB 12.3. */
        { "InnoDB",
          "",
          { { VARIABLE_LOG_BIN, "ON" },
            { VARIABLE_SYNC_BINLOG, "0" },
            { VARIABLE_BINLOG_ENGINE, "innodb" } },
          DURABILITY_POWER_SAFE,
          "log_bin=ON, binlog_storage_engine=innodb" },
        { "InnoDB",
          "",
          { { VARIABLE_LOG_BIN, "ON" },
            { VARIABLE_FLUSH_LOG, "2" },
            { VARIABLE_BINLOG_ENGINE, "InnoDB" } },
          DURABILITY_BOUNDED,
          "binlog_storage_engine=InnoDB, the log is synced once a second" },
        { "InnoDB", "", { { VARIABLE_REDO_LOG, "OFF" } }, DURABILITY_VOLATILE, "redo log" },
        { "InnoDB", "", { { VARIABLE_DOUBLEWRITE, "OFF" } }, DURABILITY_PROCESS_SAFE, "tear" },
        { "InnoDB", "", { { VARIABLE_DOUBLEWRITE, "fast" } }, DURABILITY_PROCESS_SAFE, "=fast" },
        { "InnoDB", "", { { VARIABLE_FLUSH_METHOD, "nosync" } },
          DURABILITY_PROCESS_SAFE, "nosync" },
        { "InnoDB", "", { { VARIABLE_FLUSH_METHOD, "new" } }, DURABILITY_PROCESS_SAFE, "=new" },
        { "InnoDB", "", { { VARIABLE_AUTOCOMMIT, "OFF" } }, DURABILITY_VOLATILE, "autocommit=OFF" },
        { "Aria", "", { { 0, NULL } }, DURABILITY_POWER_SAFE, "aria_group_commit=none" },
        { "Aria", "transactional=0", { { 0, NULL } }, DURABILITY_PROCESS_SAFE, "TRANSACTIONAL=0" },
        { "Aria", "", { { VARIABLE_ARIA_GROUP_COMMIT, "soft" } }, DURABILITY_BOUNDED, "later" },
        { "MyISAM", "", { { 0, NULL } }, DURABILITY_PROCESS_SAFE, "never syncs" },
        { "MEMORY", "", { { 0, NULL } }, DURABILITY_VOLATILE, "engine MEMORY" },
        { "ROCKSDB", "", { { 0, NULL } }, DURABILITY_VOLATILE, "does not know what it promises" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct variables variables = changed(rows[i].changes);
        char text[512];
        const enum durability class =
            mysql_class(&variables, rows[i].engine, rows[i].options, text, sizeof text);

        if (class != rows[i].class || strstr(text, rows[i].says) == NULL)
            fail_msg("row %zu: class %d: %s", i, (int)class, text);
    }
}

TEST(a_node_is_lost_with_what_no_other_has)
{
    static const struct {
        const char *engine;
        struct change before[5];
        struct change now[5];
        enum node_loss loss;
    } rows[] = {
#define GALERA(size, changes)                                                              \
    { { VARIABLE_GALERA, "ON" }, { VARIABLE_GALERA_SIZE, size },                           \
      { VARIABLE_GALERA_STATE, "Synced" }, { VARIABLE_GALERA_CHANGES, changes } }
#define SEMI_SYNC(status, missed)                                                          \
    { { VARIABLE_LOG_BIN, "ON" }, { VARIABLE_OLD_SEMI_SYNC, "ON" },                        \
      { VARIABLE_OLD_SEMI_SYNC_STATUS, status }, { VARIABLE_OLD_SEMI_SYNC_MISSED, missed } }
#define GROUP(members) { { VARIABLE_LOG_BIN, "ON" }, { VARIABLE_GROUP_MEMBERS, members } }
        { "InnoDB", { { 0, NULL } }, { { 0, NULL } }, NODE_LOSS_NO },
        { "InnoDB", GALERA("3", "7"), GALERA("3", "7"), NODE_LOSS_YES },
        { "InnoDB", GALERA("1", "7"), GALERA("1", "7"), NODE_LOSS_NO },
        { "InnoDB", GALERA("3", "7"), GALERA("3", "8"), NODE_LOSS_UNKNOWN },
        { "MyISAM", GALERA("3", "7"), GALERA("3", "7"), NODE_LOSS_NO },
        { "InnoDB", SEMI_SYNC("ON", "0"), SEMI_SYNC("ON", "0"), NODE_LOSS_YES },
        { "InnoDB", SEMI_SYNC("ON", "0"), SEMI_SYNC("ON", "1"), NODE_LOSS_NO },
        { "InnoDB", SEMI_SYNC("ON", "0"), SEMI_SYNC("OFF", "0"), NODE_LOSS_NO },
        { "InnoDB", GROUP("3"), GROUP("3"), NODE_LOSS_YES },
        { "InnoDB", GROUP("1"), GROUP("1"), NODE_LOSS_NO },
        { "InnoDB", GROUP("3"), GROUP("2"), NODE_LOSS_UNKNOWN },
        { "InnoDB", GROUP("unknown"), GROUP("unknown"), NODE_LOSS_UNKNOWN },
#undef GALERA
#undef SEMI_SYNC
#undef GROUP
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct variables before = changed(rows[i].before);
        const struct variables now = changed(rows[i].now);

        if (mysql_node_loss(&before, &now, rows[i].engine) != rows[i].loss)
            fail_msg("row %zu: not %d", i, (int)rows[i].loss);
    }
}
