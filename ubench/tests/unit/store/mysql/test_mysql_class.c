/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_class.h"

#include "tests/lib/check.h"

#define FLUSH_LOG "innodb_flush_log_at_trx_commit"

struct change {
    const char *variable;
    const char *value; /* NULL: no more changes */
};

/* The variables of a durable server, and then those that a row changes. */
static struct properties changed(const struct change *changes)
{
    static const struct change durable[] = {
        { FLUSH_LOG, "1" },
        { "log_bin", "OFF" },
        { "sql_log_bin", "ON" },
        { "sync_binlog", "1" },
        { "innodb_flush_method", "O_DIRECT" },
        { "innodb_doublewrite", "ON" },
        { "autocommit", "ON" },
        { "aria_group_commit", "none" },
    };
    struct properties variables = { 0 };

    for (size_t i = 0; i < COUNT_OF(durable); i++)
        properties_add(&variables, durable[i].variable, "%s", durable[i].value);
    for (size_t i = 0; i < 5 && changes[i].value != NULL; i++)
        properties_add(&variables, changes[i].variable, "%s", changes[i].value);
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
        { "InnoDB", "", { { NULL, NULL } }, DURABILITY_POWER_SAFE, "log_bin=OFF" },
        { "InnoDB", "", { { FLUSH_LOG, "0" } }, DURABILITY_VOLATILE, "written once" },
        { "InnoDB", "", { { FLUSH_LOG, "2" } }, DURABILITY_BOUNDED, "synced once" },
        { "InnoDB", "", { { FLUSH_LOG, "4" } }, DURABILITY_VOLATILE, "does not know" },
        { "InnoDB",
          "",
          { { "log_bin", "ON" } },
          DURABILITY_POWER_SAFE,
          "log_bin=ON, sync_binlog=1" },
        { "InnoDB",
          "",
          { { "log_bin", "ON" }, { "sync_binlog", "0" } },
          DURABILITY_BOUNDED,
          "sync_binlog=0: power loss loses the last commits" },
        /* In InnoDB's log sync_binlog means nothing: MariaDB 12.3. */
        { "InnoDB",
          "",
          { { "log_bin", "ON" }, { "sync_binlog", "0" }, { "binlog_storage_engine", "innodb" } },
          DURABILITY_POWER_SAFE,
          "log_bin=ON, binlog_storage_engine=innodb" },
        { "InnoDB",
          "",
          { { "log_bin", "ON" }, { FLUSH_LOG, "2" }, { "binlog_storage_engine", "InnoDB" } },
          DURABILITY_BOUNDED,
          "binlog_storage_engine=InnoDB: the log is synced once a second" },
        { "InnoDB", "", { { "innodb_redo_log_enabled", "OFF" } }, DURABILITY_VOLATILE, "redo log" },
        { "InnoDB", "", { { "innodb_doublewrite", "OFF" } }, DURABILITY_PROCESS_SAFE, "tear" },
        { "InnoDB", "", { { "innodb_doublewrite", "fast" } }, DURABILITY_PROCESS_SAFE, "=fast" },
        { "InnoDB",
          "",
          { { "innodb_flush_method", "nosync" } },
          DURABILITY_PROCESS_SAFE,
          "nosync" },
        { "InnoDB", "", { { "innodb_flush_method", "new" } }, DURABILITY_PROCESS_SAFE, "=new" },
        { "InnoDB", "", { { "autocommit", "OFF" } }, DURABILITY_VOLATILE, "autocommit=OFF" },
        { "Aria", "", { { NULL, NULL } }, DURABILITY_POWER_SAFE, "aria_group_commit=none" },
        { "Aria",
          "transactional=0",
          { { NULL, NULL } },
          DURABILITY_PROCESS_SAFE,
          "TRANSACTIONAL=0" },
        { "Aria", "", { { "aria_group_commit", "soft" } }, DURABILITY_BOUNDED, "after the commit" },
        { "MyISAM", "", { { NULL, NULL } }, DURABILITY_PROCESS_SAFE, "never syncs" },
        { "MEMORY", "", { { NULL, NULL } }, DURABILITY_VOLATILE, "engine MEMORY" },
        { "ROCKSDB", "", { { NULL, NULL } }, DURABILITY_VOLATILE, "not know this engine" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct properties variables = changed(rows[i].changes);
        struct promise promise = { .stores_nothing = false };
        char text[512];

        mysql_promise(&variables, rows[i].engine, rows[i].options, &promise);
        const enum durability class = promise_class(&promise);
        promise_text(&promise, text, sizeof text);

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
#define GALERA(size, changes)                    \
    { { "wsrep_on", "ON" },                      \
      { "wsrep_cluster_size", size },            \
      { "wsrep_local_state_comment", "Synced" }, \
      { "wsrep_cluster_conf_id", changes } }
#define SEMI_SYNC(status, missed)                                      \
    {                                                                  \
        { "log_bin", "ON" }, { "rpl_semi_sync_master_enabled", "ON" }, \
            { "rpl_semi_sync_master_status", status },                 \
        {                                                              \
            "rpl_semi_sync_master_no_tx", missed                       \
        }                                                              \
    }
#define GROUP(members)             \
    {                              \
        { "log_bin", "ON" },       \
        {                          \
            GROUP_MEMBERS, members \
        }                          \
    }
        { "InnoDB", { { NULL, NULL } }, { { NULL, NULL } }, NODE_LOSS_NO },
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
        const struct properties before = changed(rows[i].before);
        const struct properties now = changed(rows[i].now);

        if (mysql_node_loss(&before, &now, rows[i].engine) != rows[i].loss)
            fail_msg("row %zu: not %d", i, (int)rows[i].loss);
    }
}

/* Lines are told apart by them, also from lines of earlier versions. */
TEST(a_promise_lists_its_settings_in_one_order)
{
    static const struct {
        const char *engine;
        struct change changes[5];
        const char *names;
    } rows[] = {
        { "InnoDB",
          { { "innodb_redo_log_enabled", "ON" }, { "debug_no_sync", "OFF" } },
          "engine " FLUSH_LOG " log_bin innodb_redo_log_enabled innodb_doublewrite "
          "innodb_flush_method debug_no_sync autocommit " },
        { "InnoDB",
          { { "log_bin", "ON" } },
          "engine " FLUSH_LOG " log_bin sync_binlog innodb_doublewrite innodb_flush_method "
          "autocommit " },
        { "Aria", { { NULL, NULL } }, "engine aria_group_commit transactional autocommit " },
        { "MyISAM", { { NULL, NULL } }, "engine autocommit " },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct properties variables = changed(rows[i].changes);
        struct promise promise = { .stores_nothing = false };
        char names[512] = "";

        mysql_promise(&variables, rows[i].engine, "", &promise);
        for (size_t k = 0; k < promise.setting_count; k++)
            (void)strcat(strcat(names, promise.settings[k].name), " ");
        check_text(rows[i].engine, names, rows[i].names);
    }
}
