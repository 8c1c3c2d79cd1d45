/* SPDX-License-Identifier: ISC */
/*
 * SQLite's settings, its PRAGMAs, and the durability that they promise: the
 * settings known here, and any other that --set names.  All are read back,
 * because SQLite ignores an unknown name or value.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/nearest.h"
#include "store/file_system.h"
#include "store/sqlite/sqlite.h"

/* Settings that only take effect before a file's first table. */
static const char before_tables[] = "page_size auto_vacuum encoding";

/* Words that a setting accepts for 0, 1, 2 and 3, and reads back as numbers. */
static const char *const number_words[] = {
    "off no false none default",
    "on yes true normal file full",
    "full memory incremental fast",
    "extra",
};

/* Returns true if word is in words, which are separated by blanks. */
static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    while (strncasecmp(words, word, length) != 0 ||
           (words[length] != ' ' && words[length] != '\0')) {
        words = strchr(words, ' ');
        if (words == NULL)
            return false;
        words++;
    }
    return true;
}

/* Returns the index of the setting of that name, or of the first free entry. */
static size_t find(const struct store *store, const char *name)
{
    size_t i = 0;

    while (store->settings[i].name != NULL && strcasecmp(store->settings[i].name, name) != 0)
        i++;
    return i;
}

const char *sqlite_setting(const struct store *store, const char *name)
{
    return store->settings[find(store, name)].read_back;
}

void sqlite_choose_settings(struct store *store)
{
    /* A level without a value keeps SQLite's default. */
    static const char *const synchronous[] = {
        [SYNC_YES] = "FULL",
        [SYNC_NO] = "OFF",
        [SYNC_POWER_SAFE] = "FULL",
        [SYNC_PROCESS_SAFE] = "NORMAL",
    };
    const struct opt_settings *const wanted = store->config.settings;
    const char *const level = synchronous[store->config.sync];
    /* The locking mode is set before the journal mode: only then does WAL work
       without shared memory in an exclusive file. */
    const struct sqlite_setting reported[] = {
        { .name = "locking_mode" },
        { .name = "journal_mode", .asked = level != NULL ? "WAL" : NULL },
        { .name = "synchronous", .asked = level },
        { .name = "page_size" },
        { .name = "cache_size" },
        { .name = "wal_autocheckpoint" },
        { .name = "mmap_size" },
        { .name = "secure_delete" },
        { .name = "busy_timeout", .asked = "60000" },
    };

    memcpy(store->settings, reported, sizeof reported);
    /* The last request for a name wins. */
    for (size_t i = 0; i < wanted->count; i++) {
        const char *const name = wanted->items[i].name;

        store->settings[find(store, name)] = (struct sqlite_setting){
            .name = name, .asked = wanted->items[i].value, .by_user = true
        };
    }
}

int sqlite_apply_settings(const struct connection *connection, bool has_tables, struct err *err)
{
    sqlite3 *const db = connection->db;

    for (const struct sqlite_setting *item = connection->store->settings; item->name != NULL;
         item++) {
        if (item->asked == NULL || has_word(before_tables, item->name) == has_tables)
            continue;
        /* Quoted: user input can only be a name and a value. */
        char *const sql = sqlite3_mprintf("PRAGMA \"%w\" = %Q", item->name, item->asked);
        if (sql == NULL)
            return err_set(err, "sqlite: out of memory");
        const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
        if (code == SQLITE_ERROR && item->by_user)
            return err_usage(err, "--set: %s=%s: SQLite says: %s", item->name, item->asked,
                             sqlite3_errmsg(db));
        if (code != SQLITE_OK)
            return sqlite_failed(connection, item->name, err);
    }
    return 0;
}

/* Returns true if the value that was read back is the requested one. */
static bool was_taken(const struct sqlite_setting *setting)
{
    const char *const asked = setting->asked;
    char *asked_end;
    char *now_end;
    const long long x = strtoll(asked, &asked_end, 10);
    const long long y = strtoll(setting->read_back, &now_end, 10);

    if (now_end == setting->read_back || *now_end != '\0')
        return strcasecmp(asked, setting->read_back) == 0;
    /* SQLite accepts any number up to 7 but defines only 0 to 3. */
    if (strcasecmp(setting->name, "synchronous") == 0 && y > 3)
        return false;
    if (asked_end != asked && *asked_end == '\0')
        return x == y;
    return y >= 0 && (size_t)y < sizeof number_words / sizeof *number_words &&
           has_word(number_words[y], asked);
}

static int refuse_unknown(const struct store *store, const struct sqlite_setting *setting,
                          struct err *err)
{
    struct nearest nearest = { .typed = setting->name };

    for (size_t i = 0; store->settings[i].name != NULL; i++)
        nearest_try(&nearest, store->settings[i].name);
    (void)err_usage(err, "--set: %s=%s: SQLite %s has no setting of that name", setting->name,
                    setting->asked, sqlite3_libversion());
    return nearest_add(&nearest, "", err);
}

int sqlite_read_settings(const struct connection *connection, struct err *err)
{
    struct store *const store = connection->store;

    for (struct sqlite_setting *item = store->settings; item->name != NULL; item++) {
        char sql[2 * OPT_SETTING_NAME_MAX + 16];
        char now[sizeof item->read_back] = "";

        (void)sqlite3_snprintf(sizeof sql, sql, "PRAGMA \"%w\"", item->name);
        const int known = sqlite_ask(connection, item->name, sql, now, sizeof now, err);
        if (known < 0)
            return -1;
        if (item->read_back[0] != '\0' && strcmp(item->read_back, now) != 0)
            return err_set(err, "sqlite: %s: %s is '%s' in one connection and '%s' in another",
                           store->config.target, item->name, item->read_back, now);
        memcpy(item->read_back, now, sizeof now);
        if (item->asked != NULL && known == 0)
            return refuse_unknown(store, item, err);
        if (item->asked != NULL && !was_taken(item))
            return err_set_class(
                err, item->by_user ? ERR_USAGE : ERR_OTHER,
                "%s: %s=%s: SQLite %s did not accept this value; read back, it is '%s'",
                item->by_user ? "--set" : "--sync", item->name, item->asked, sqlite3_libversion(),
                now);
    }
    return 0;
}

/*
 * The losses, by journal mode and synchronous, measured by killing processes
 * and by cutting the power of file systems.  The source for warnings of
 * corruption is sqlite.org/pragma.html; at NORMAL, a disk that reorders writes
 * damaged the file once in 120 crashes.  FULL does not sync the end of a
 * journal that ends by being deleted.
 */
#define ROLLBACK_NORMAL(mode)                                                             \
    {                                                                                     \
        mode, "synchronous", true, " NORMAL ", "synchronous-normal", { LOSS_NOTHING, 0 }, \
            { LOSS_BOUNDED, 0 }, NULL,                                                    \
            "power loss may undo the last transaction and, rarely, corrupt the file"      \
    }

const struct durability_limit sqlite_limits[] = {
    { NULL,
      "journal_mode",
      true,
      " memory off ",
      "journal-not-on-disk",
      { LOSS_UNBOUNDED, 0 },
      { LOSS_UNBOUNDED, 0 },
      NULL,
      "killing a process during a transaction may corrupt the file" },
    { NULL,
      "synchronous",
      true,
      " OFF ",
      "synchronous-off",
      { LOSS_NOTHING, 0 },
      { LOSS_UNBOUNDED, 0 },
      NULL,
      "power loss may corrupt the file" },
    { "wal",
      "synchronous",
      true,
      " NORMAL ",
      "log-not-synced",
      { LOSS_NOTHING, 0 },
      { LOSS_UNBOUNDED, 0 },
      NULL,
      "power loss undoes everything since the last checkpoint" },
    ROLLBACK_NORMAL("delete"),
    ROLLBACK_NORMAL("truncate"),
    ROLLBACK_NORMAL("persist"),
    { "delete",
      "synchronous",
      true,
      " FULL ",
      "journal-removal-not-synced",
      { LOSS_NOTHING, 0 },
      { LOSS_BOUNDED, 0 },
      NULL,
      "power loss may undo the last transaction" },
    { .code = NULL },
};

/* Returns true for 3.7.0 to 3.51.2 except 3.44.6 and 3.50.7: a checkpoint that
   coincides with another connection's commit may restart the log too early; see
   sqlite.org/wal.html, "the WAL-reset bug". */
static bool has_wal_reset_bug(int version)
{
    return version >= 3007000 && version < 3051003 && (version < 3044006 || version >= 3045000) &&
           (version < 3050007 || version >= 3051000);
}

/* Adds a limit that no setting removes. */
static void add_wal_reset_bug(struct promise *promise)
{
    char text[sizeof promise->reasons[0].text];
    const struct durability_limit bug = { .code = "wal-reset-bug", .text = text };

    (void)snprintf(text, sizeof text,
                   "SQLite %s may, in rare cases, corrupt a WAL-mode file that several connections "
                   "write (WAL-reset bug)",
                   sqlite3_libversion());
    promise_limit(promise, &bug, "");
}

void sqlite_durability(const struct store *store, struct promise *promise)
{
    static const char *const names[] = { "OFF", "NORMAL", "FULL", "EXTRA" };
    const char *const mode = sqlite_setting(store, "journal_mode");
    const char level = sqlite_setting(store, "synchronous")[0];
    struct properties values = { .count = 0 };

    assert(level >= '0' && level <= '3'); /* else reading it back would have failed */
    properties_add(&values, "journal_mode", "%s", mode);
    properties_add(&values, "synchronous", "%s", names[level - '0']);
    (void)promise_set(promise, "journal_mode", mode, NULL);
    struct promise_setting *const synchronous =
        promise_set(promise, "synchronous", names[level - '0'], NULL);
    (void)snprintf(synchronous->label, sizeof synchronous->label, "%s", names[level - '0']);
    for (char *c = synchronous->label; *c != '\0'; c++)
        *c = (char)(*c - 'A' + 'a');
    (void)snprintf(synchronous->text, sizeof synchronous->text, "synchronous=%c (%s)", level,
                   names[level - '0']);
    file_system_promise(store->path, promise);
    promise_limits(promise, sqlite_limits, mode, &values, 0);
    if (store->config.threads > 1 && strcmp(mode, "wal") == 0 &&
        has_wal_reset_bug(sqlite3_libversion_number()))
        add_wal_reset_bug(promise);
}
