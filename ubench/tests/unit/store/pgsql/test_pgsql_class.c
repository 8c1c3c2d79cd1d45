/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_class.h"

#include <string.h>

#include "tests/lib/check.h"

struct change {
    const char *setting;
    const char *value; /* NULL: no more changes; "-": the server does not have it */
};

/* The settings of a durable server, and then those that a row changes; as they are read. */
static struct properties changed(const struct change *changes)
{
    static const struct change durable[] = {
        { "synchronous_commit", "on" },  { "fsync", "on" },
        { "full_page_writes", "on" },    { "wal_sync_method", "fdatasync" },
        { "wal_writer_delay", "200ms" }, { STANDBY_NAMES, "" },
    };
    struct properties settings = { 0 };

    for (size_t i = 0; i < COUNT_OF(durable); i++) {
        const char *value = durable[i].value;

        for (size_t k = 0; k < 4 && changes[k].value != NULL; k++) {
            if (strcmp(changes[k].setting, durable[i].setting) == 0)
                value = changes[k].value;
        }
        if (strcmp(value, "-") != 0)
            properties_add(&settings, durable[i].setting, "%s", value);
    }
    sql_settings_add_unread(pgsql_settings, &settings);
    return settings;
}

TEST(a_class_is_the_lowest_of_what_limits_it)
{
    static const struct {
        const char *persistence;
        struct change changes[4];
        enum durability class;
        double window_s; /* of a kill; 0: none is lost, or there is no bound */
        const char *reasons;
    } rows[] = {
        { "permanent", { { NULL, NULL } }, DURABILITY_POWER_SAFE, 0, "" },
        { "permanent", { { "synchronous_commit", "local" } }, DURABILITY_POWER_SAFE, 0, "" },
        { "permanent",
          { { "synchronous_commit", "off" } },
          DURABILITY_VOLATILE,
          0.6,
          "synchronous-commit-off " },
        { "permanent",
          { { "synchronous_commit", "off" }, { "wal_writer_delay", "10s" } },
          DURABILITY_VOLATILE,
          30,
          "synchronous-commit-off " },
        { "permanent", { { "fsync", "off" } }, DURABILITY_PROCESS_SAFE, 0, "fsync-off " },
        { "permanent",
          { { "full_page_writes", "off" } },
          DURABILITY_PROCESS_SAFE,
          0,
          "full-page-writes-off " },
        { "unlogged", { { NULL, NULL } }, DURABILITY_VOLATILE, 0, "unlogged-table " },
        /* All reasons are told, whatever the lowest limit is. */
        { "unlogged",
          { { "synchronous_commit", "off" }, { "fsync", "off" }, { "full_page_writes", "off" } },
          DURABILITY_VOLATILE,
          0,
          "unlogged-table synchronous-commit-off fsync-off full-page-writes-off " },
        { "permanent",
          { { "fsync", "off" }, { "full_page_writes", "off" } },
          DURABILITY_PROCESS_SAFE,
          0,
          "fsync-off full-page-writes-off " },
        /* What a server does not have or say is not taken for safe, and does not end a run. */
        { "permanent", { { "fsync", "-" } }, DURABILITY_PROCESS_SAFE, 0, "fsync-off " },
        { "permanent", { { "wal_sync_method", "-" } }, DURABILITY_POWER_SAFE, 0, "" },
        { "permanent",
          { { "synchronous_commit", "off" }, { "wal_writer_delay", "-" } },
          DURABILITY_VOLATILE,
          0.6,
          "synchronous-commit-off " },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct properties settings = changed(rows[i].changes);
        struct promise promise = { .stores_nothing = false };
        char reasons[512] = "";

        pgsql_promise(&settings, "lease4", rows[i].persistence, &promise);
        for (size_t k = 0; k < promise.reason_count; k++)
            (void)strcat(strcat(reasons, promise.reasons[k].code), " ");
        assert_string_equal(reasons, rows[i].reasons);
        if (promise_class(&promise) != rows[i].class)
            fail_msg("row %zu: class %d", i, (int)promise_class(&promise));
        assert_true(promise.kill.kind != LOSS_BOUNDED || promise.kill.window_s == rows[i].window_s);
    }
}

TEST(a_setting_of_some_versions_limits_nothing_where_it_is_not)
{
    static const struct sql_setting rows[] = {
        { "old", SQL_DECIDES, NULL, NULL },
        { "new", SQL_DECIDES | SQL_SOME_VERSIONS, NULL, NULL },
        { "reported", SQL_REPORTED, NULL, NULL },
        { NULL, 0, NULL, NULL },
    };
    static const struct durability_limit limits[] = {
        { .setting = "new",
          .values = " on ",
          .code = "new-off",
          .text = "",
          .power = { LOSS_UNBOUNDED, 0 } },
        { .setting = "old",
          .values = " on ",
          .code = "old-off",
          .text = "",
          .kill = { LOSS_UNBOUNDED, 0 } },
        { .code = NULL },
    };
    struct properties read = { 0 };
    struct promise promise = { .stores_nothing = false };

    sql_settings_add_unread(rows, &read);
    assert_int_equal(read.count, 1);
    promise_limits(&promise, limits, "", &read, 0);
    assert_int_equal(promise.reason_count, 1);
    assert_string_equal(promise.reasons[0].code, "old-off");
    properties_add(&read, "new", "off");
    promise_limits(&promise, limits, "", &read, 0);
    assert_int_equal(promise.reason_count, 3);
}

TEST(a_node_is_lost_with_what_no_standby_has)
{
    static const struct {
        const char *persistence;
        struct change before[4];
        struct change now[4];
        enum node_loss loss;
    } rows[] = {
        { "permanent", { { NULL, NULL } }, { { NULL, NULL } }, NODE_LOSS_NO },
        { "permanent", { { STANDBY_NAMES, "*" } }, { { STANDBY_NAMES, "*" } }, NODE_LOSS_YES },
        { "unlogged", { { STANDBY_NAMES, "*" } }, { { STANDBY_NAMES, "*" } }, NODE_LOSS_NO },
        { "permanent",
          { { STANDBY_NAMES, "*" }, { "synchronous_commit", "local" } },
          { { STANDBY_NAMES, "*" } },
          NODE_LOSS_NO },
        { "permanent", { { STANDBY_NAMES, "*" } }, { { NULL, NULL } }, NODE_LOSS_UNKNOWN },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct properties before = changed(rows[i].before);
        const struct properties now = changed(rows[i].now);

        if (pgsql_node_loss(&before, &now, rows[i].persistence) != rows[i].loss)
            fail_msg("row %zu: not %d", i, (int)rows[i].loss);
    }
}
