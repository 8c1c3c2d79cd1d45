/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_class.h"

#include <stdio.h>
#include <string.h>

#include "core/units.h"

/* --- The settings that are read back --- */

enum { BOTH = SQL_DECIDES | SQL_REPORTED, LISTED = BOTH | SQL_LISTED };

const struct sql_setting pgsql_settings[] = {
    { "synchronous_commit", BOTH, NULL, NULL },
    { "fsync", LISTED, NULL, NULL },
    { "full_page_writes", LISTED, NULL, NULL },
    { "wal_sync_method", LISTED, NULL, NULL },
    /* Names of servers are not published.  With several servers, the one that takes over has other
       standbys, which do not change the class. */
    { STANDBY_NAMES, SQL_OF_NODE, NULL, NULL },
    { "wal_level", SQL_REPORTED, NULL, NULL },
    { "wal_writer_delay", SQL_REPORTED, NULL, NULL },
    { "commit_delay", SQL_REPORTED, NULL, NULL },
    { "commit_siblings", SQL_REPORTED, NULL, NULL },
    { "shared_buffers", SQL_REPORTED, NULL, NULL },
    { "wal_buffers", SQL_REPORTED, NULL, NULL },
    { "max_wal_size", SQL_REPORTED, NULL, NULL },
    { "checkpoint_timeout", SQL_REPORTED, NULL, NULL },
    { "autovacuum", SQL_REPORTED, NULL, NULL },
    { "jit", SQL_REPORTED, NULL, NULL },
    { "data_checksums", SQL_REPORTED, NULL, NULL },
    { "io_method", SQL_REPORTED, NULL, NULL }, /* from PostgreSQL 18 on */
    { NULL, 0, NULL, NULL },
};

/* --- What they limit --- */

#define NOTHING         \
    {                   \
        LOSS_NOTHING, 0 \
    }
#define UNBOUNDED         \
    {                     \
        LOSS_UNBOUNDED, 0 \
    }
/* Until the log is written: wal_writer_delay. */
#define WINDOW                         \
    {                                  \
        LOSS_BOUNDED, LOSS_WINDOW_READ \
    }

const struct durability_limit pgsql_limits[] = {
    { NULL, "persistence", false, " permanent ", "unlogged-table", UNBOUNDED, UNBOUNDED, "unlogged",
      "a server crash empties it" },
    { NULL, "synchronous_commit", true, " off ", "synchronous-commit-off", WINDOW, WINDOW, NULL,
      "killing a server process loses the last commits" },
    { NULL, "fsync", false, " on ", "fsync-off", NOTHING, UNBOUNDED, "fsync ",
      "a power cut puts the whole cluster at risk" },
    { NULL, "full_page_writes", false, " on ", "full-page-writes-off", NOTHING, UNBOUNDED, "pages ",
      "a power cut may leave torn pages" },
    { .code = NULL },
};

/* Returns the time within which commits reach the disk: three times wal_writer_delay (the manual,
   Asynchronous Commit). */
static double window_of(const struct properties *read)
{
    uint64_t delay_ns;

    if (units_scan_duration(sql_setting(read, "wal_writer_delay"), &delay_ns) != 0)
        delay_ns = 200 * UINT64_C(1000000); /* the default */
    return 3 * (double)delay_ns / 1e9;
}

/* Returns true if the server acknowledges no commit without a synchronous standby. */
static bool waits_for_standby(const struct properties *read)
{
    const char *const sync = sql_setting(read, "synchronous_commit");

    return sql_setting(read, STANDBY_NAMES)[0] != '\0' && strcmp(sync, "off") != 0 &&
           strcmp(sync, "local") != 0;
}

void pgsql_promise(const struct properties *settings, const char *table, const char *persistence,
                   struct promise *promise)
{
    struct properties values = *settings;

    (void)promise_set(promise, "synchronous_commit", sql_setting(settings, "synchronous_commit"),
                      "sync");
    sql_settings_promise(pgsql_settings, "", settings, false, promise);
    struct promise_setting *setting = promise_set(promise, "persistence", persistence, NULL);
    (void)snprintf(setting->text, sizeof setting->text, "%.40s %.40s", table, persistence);
    /* Standbys do not change the class. */
    if (sql_setting(settings, STANDBY_NAMES)[0] != '\0') {
        setting = promise_set(promise, STANDBY_NAMES, "set", NULL);
        (void)snprintf(setting->text, sizeof setting->text, "%s commit waits for a standby",
                       waits_for_standby(settings) ? "each" : "no");
    }
    properties_add(&values, "persistence", "%s", persistence);
    promise_limits(promise, pgsql_limits, "", &values, window_of(settings));
}

enum node_loss pgsql_node_loss(const struct properties *before, const struct properties *now,
                               const char *persistence)
{
    /* After a failover, what the other node acknowledges is unknown. */
    if (strcmp(sql_setting(before, STANDBY_NAMES), sql_setting(now, STANDBY_NAMES)) != 0)
        return NODE_LOSS_UNKNOWN;
    return strcmp(persistence, "permanent") == 0 && waits_for_standby(before) ? NODE_LOSS_YES
                                                                              : NODE_LOSS_NO;
}
