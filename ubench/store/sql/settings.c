/* SPDX-License-Identifier: ISC */
#include "store/sql/settings.h"

#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"

void sql_settings_list(const struct sql_setting *rows, unsigned is, bool status, char *sql,
                       size_t size)
{
    sql[0] = '\0';
    for (; rows->name != NULL; rows++) {
        if ((rows->is & is) == is && status == ((rows->is & SQL_STATUS) != 0))
            text_append(sql, size, "%s'%s'", sql[0] != '\0' ? ", " : "", rows->name);
    }
    assert(strlen(sql) + 1 < size); /* not truncated */
}

void sql_settings_take(void *context, const char *const *row)
{
    struct properties *const read = context;

    if (row[1] == NULL)
        return;
    properties_add(read, row[0], "%s", row[1]);
    /* MySQL returns some names in mixed case. */
    for (char *c = read->items[read->count - 1].key; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
}

const char *sql_setting(const struct properties *read, const char *name)
{
    const char *const value = properties_find(read, name);

    return value != NULL ? value : "";
}

bool sql_setting_on(const struct properties *read, const char *name)
{
    const char *const value = sql_setting(read, name);

    return value[0] != '\0' && strcmp(value, "OFF") != 0 && strcmp(value, "0") != 0;
}

void sql_settings_add_unread(const struct sql_setting *rows, struct properties *read)
{
    for (; rows->name != NULL; rows++) {
        if ((rows->is & SQL_DECIDES) != 0 && (rows->is & SQL_SOME_VERSIONS) == 0 &&
            properties_find(read, rows->name) == NULL)
            properties_add(read, rows->name, "%s", "");
    }
}

static bool is_of(const struct sql_setting *row, const char *engine)
{
    return row->engine == NULL || strcmp(row->engine, engine) == 0;
}

void sql_settings_promise(const struct sql_setting *rows, const char *engine,
                          const struct properties *read, bool quiet, struct promise *promise)
{
    for (; rows->name != NULL; rows++) {
        const char *const value = sql_setting(read, rows->name);

        if ((rows->is & SQL_LISTED) != 0 && value[0] != '\0' && is_of(rows, engine))
            promise_set(promise, rows->name, value, NULL)->quiet = quiet;
    }
}

void sql_settings_report(const struct sql_setting *rows, const char *engine,
                         const struct properties *read, struct properties *properties)
{
    for (; rows->name != NULL; rows++) {
        const char *const value = sql_setting(read, rows->name);

        if ((rows->is & SQL_REPORTED) != 0 && value[0] != '\0' && is_of(rows, engine) &&
            (rows->with == NULL || sql_setting_on(read, rows->with)))
            properties_add(properties, rows->name, "%s", value);
    }
}

/* --- Those that differ from the defaults --- */

enum { SHOWN_MAX = 24 };

/* Names of settings of PostgreSQL, MariaDB and MySQL whose values are sizes, numbers, times or
   keywords of the server.  Settings of later versions or plugins are unknown and not published. */
static const char *const harmless[] = {
    "*_size", "*_buffers", "*_mem", "*_cost", "*_limit", "*_timeout", "*_delay", "*_threads",
    "*_workers", "*_concurrency", "*_instances", "*_isolation", "max_*", "min_*",
    /* how changes reach the disk */
    "autovacuum*", "bgwriter_*", "binlog_[!d]*", "checkpoint_*", "commit_*", "fsync",
    "full_page_writes", "log_bin", "sync_*", "synchronous_commit", "vacuum_*", "wal_*",
    "innodb_adaptive_*", "innodb_*_capacity*", "innodb_*_pct*", "innodb_doublewrite",
    "innodb_flush*", "innodb_*_buffering", "innodb_*_through", "innodb_use_*", "aria_group_*",
    "aria_checkpoint_*", "delay_key_write",
    /* how statements are executed */
    "back_log", "effective_*", "enable_*", "event_scheduler", "huge_pages", "jit",
    "plan_cache_mode", "innodb_*_lock*", "innodb_*purge*", "innodb_file_per_table",
    "innodb_open_files", "innodb_stats_*", "optimizer_*", "performance_schema", "query_cache_*",
    "skip_name_resolve", "sql_mode", "table_*cache", "track_*", "general_log", "slow_query_log"
};

/* True for numbers with units and for words separated by commas: no path, address or user@host. */
static bool is_harmless(const char *name, const char *value)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,.=+-% ";
    const char *const dot = strchr(value, '.');
    bool known = false;

    for (size_t i = 0; i < sizeof harmless / sizeof *harmless && !known; i++)
        known = fnmatch(harmless[i], name, 0) == 0;
    /* A name with a dot was chosen by an extension or an owner. */
    return known && strchr(name, '.') == NULL && value[strspn(value, plain)] == '\0' &&
           (dot == NULL || strchr(dot + 1, '.') == NULL);
}

void sql_changed_take(void *context, const char *const *row)
{
    struct properties *const changed = context;
    const char *const value = row[1];

    if (value == NULL || changed->count == PROPERTIES_MAX || !is_harmless(row[0], value))
        return;
    const bool is_long = strlen(value) >= sizeof changed->items[0].value;
    properties_add(changed, row[0], "%.*s%s", is_long ? 200 : -1, value, is_long ? "..." : "");
}

/* Also as "session NAME" or "global NAME". */
static bool is_reported(const struct properties *properties, const char *name)
{
    for (size_t i = 0; i < properties->count; i++) {
        const char *const key = properties->items[i].key;
        const char *const scope_end = strchr(key, ' ');

        if (strcasecmp(scope_end != NULL ? scope_end + 1 : key, name) == 0)
            return true;
    }
    return false;
}

void sql_changed_describe(const struct properties *changed, struct properties *properties)
{
    const size_t before = properties->count;
    size_t more = 0;

    for (size_t i = 0; i < changed->count; i++) {
        const struct property *const item = &changed->items[i];

        if (is_reported(properties, item->key))
            continue;
        /* The next place is for the number of the rest; other properties follow it. */
        if (properties->count - before < SHOWN_MAX && properties->count + 4 < PROPERTIES_MAX)
            properties_add(properties, item->key, "%s", item->value);
        else
            more++;
    }
    if (more > 0 && properties->count < PROPERTIES_MAX)
        properties_add(properties, "more changed settings", "%zu", more);
}
