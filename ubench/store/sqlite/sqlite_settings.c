/* SPDX-License-Identifier: ISC */
#include "store/sqlite/sqlite_settings.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/nearest.h"

/* Those that are always reported.  The locking mode comes before the journal
   mode: only then does WAL do without shared memory in an exclusive file. */
static const char *const reported[] = { "locking_mode", "journal_mode",
                                        "synchronous",  "page_size",
                                        "cache_size",   "wal_autocheckpoint",
                                        "mmap_size",    "secure_delete",
                                        "busy_timeout" };

/* SQLITE_SCOPE_FILE; all others are of the connection. */
static const char *const of_file[] = { "page_size", "auto_vacuum", "encoding" };

/* What is a PRAGMA, too, but acts, counts, or breaks the run. */
static const char *const no_settings[] = {
    "count_changes", "data_version",   "foreign_key_check",  "freelist_count",
    "hexkey",        "hexrekey",       "incremental_vacuum", "integrity_check",
    "key",           "optimize",       "page_count",         "quick_check",
    "rekey",         "schema_version", "shrink_memory",      "textkey",
    "textrekey",     "wal_checkpoint"
};

/* Words that SQLite takes for numbers and reads back as such. */
static const struct word {
    const char *setting; /* NULL: any */
    const char *word;
    const char *number;
} words[] = {
    { NULL, "on", "1" },
    { NULL, "yes", "1" },
    { NULL, "true", "1" },
    { NULL, "off", "0" },
    { NULL, "no", "0" },
    { NULL, "false", "0" },
    { "synchronous", "normal", "1" },
    { "synchronous", "full", "2" },
    { "synchronous", "extra", "3" },
    { "temp_store", "default", "0" },
    { "temp_store", "file", "1" },
    { "temp_store", "memory", "2" },
    { "auto_vacuum", "none", "0" },
    { "auto_vacuum", "full", "1" },
    { "auto_vacuum", "incremental", "2" },
    { "secure_delete", "fast", "2" },
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(names[i], name) == 0)
            return true;
    }
    return false;
}

struct sqlite_setting *sqlite_settings_find(struct sqlite_settings *settings,
                                            const char *name)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcasecmp(settings->items[i].name, name) == 0)
            return &settings->items[i];
    }
    return NULL;
}

const char *sqlite_settings_value(const struct sqlite_settings *settings,
                                  const char *name)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcasecmp(settings->items[i].name, name) == 0)
            return settings->items[i].read_back;
    }
    return "";
}

/* What is asked for last counts. */
static void ask(struct sqlite_settings *settings, const char *name,
                const char *value, bool by_user)
{
    struct sqlite_setting *setting = sqlite_settings_find(settings, name);

    if (setting == NULL) {
        assert(settings->count < COUNT_OF(settings->items));
        setting = &settings->items[settings->count++];
        setting->name = name;
    }
    setting->asked = value;
    setting->by_user = by_user;
}

static void ask_for_level(struct sqlite_settings *settings,
                          enum sync_level level)
{
    const char *synchronous = NULL;

    switch (level) {
    case SYNC_YES:
    case SYNC_POWER_SAFE:
        synchronous = "FULL";
        break;
    case SYNC_PROCESS_SAFE:
        synchronous = "NORMAL";
        break;
    case SYNC_NO:
        synchronous = "OFF";
        break;
    case SYNC_SERVER:
    case SYNC_VOLATILE:
    case SYNC_BOUNDED:
        return; /* SQLite's own; the last two are no levels of ours */
    }
    ask(settings, "journal_mode", "WAL", false);
    ask(settings, "synchronous", synchronous, false);
}

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (; *name != '\0'; name++) {
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    }
    return true;
}

static int usage(const struct opt_setting *item, const char *what,
                 struct err *err)
{
    return err_set_class(err, ERR_USAGE, "--set: %s=%s: %s", item->name,
                         item->value, what);
}

int sqlite_settings_choose(struct sqlite_settings *settings,
                           const struct store_config *config, struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(reported); i++)
        ask(settings, reported[i], NULL, false);
    ask_for_level(settings, config->sync);
    ask(settings, "busy_timeout", "60000", false);
    for (size_t i = 0; i < config->settings->count; i++) {
        const struct opt_setting *const item = &config->settings->items[i];

        if (!is_identifier(item->name))
            return usage(item, "that cannot be the name of a PRAGMA", err);
        if (is_among(no_settings, COUNT_OF(no_settings), item->name))
            return usage(item, "that PRAGMA is not a setting for a run", err);
        ask(settings, item->name, item->value, true);
    }
    return 0;
}

static int apply(const struct sqlite_setting *setting,
                 const struct database *database, sqlite3 *db, struct err *err)
{
    char *const sql =
        sqlite3_mprintf("PRAGMA %s = %Q", setting->name, setting->asked);

    if (sql == NULL)
        return err_set(err, "sqlite: out of memory");
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    if (code == SQLITE_OK)
        return 0;
    if (code == SQLITE_ERROR && setting->by_user)
        return err_set_class(err, ERR_USAGE, "--set: %s=%s: SQLite says: %s",
                             setting->name, setting->asked, sqlite3_errmsg(db));
    return database_failed(database, db, setting->name, err);
}

int sqlite_settings_apply(const struct sqlite_settings *settings,
                          const struct database *database, sqlite3 *db,
                          enum sqlite_scope scope, struct err *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct sqlite_setting *const setting = &settings->items[i];
        const enum sqlite_scope its_scope =
            is_among(of_file, COUNT_OF(of_file), setting->name)
                ? SQLITE_SCOPE_FILE
                : SQLITE_SCOPE_CONNECTION;

        if (setting->asked != NULL && its_scope == scope &&
            apply(setting, database, db, err) != 0)
            return -1;
    }
    return 0;
}

/* Reads one setting.  *known becomes false if there is none of that name: then
   SQLite answers nothing, or, asked for what is no setting, a table. */
static int read_one(struct sqlite_setting *setting,
                    const struct database *database, sqlite3 *db, bool *known,
                    struct err *err)
{
    sqlite3_stmt *statement = NULL;
    char *const sql = sqlite3_mprintf("PRAGMA %s", setting->name);
    int status = 0;

    if (sql == NULL)
        return err_set(err, "sqlite: out of memory");
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_free(sql);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    *known = code == SQLITE_ROW && sqlite3_column_count(statement) == 1 &&
             sqlite3_column_type(statement, 0) != SQLITE_NULL;
    if (*known)
        (void)snprintf(setting->read_back, sizeof setting->read_back, "%s",
                       (const char *)sqlite3_column_text(statement, 0));
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = database_failed(database, db, setting->name, err);
    (void)sqlite3_finalize(statement);
    return status;
}

static bool same_number(const char *a, const char *b)
{
    char *a_end;
    char *b_end;
    const long long x = strtoll(a, &a_end, 10);
    const long long y = strtoll(b, &b_end, 10);

    return a_end != a && *a_end == '\0' && b_end != b && *b_end == '\0' &&
           x == y;
}

/* True if what was read back is what was asked for. */
static bool was_taken(const struct sqlite_setting *setting)
{
    if (strcasecmp(setting->asked, setting->read_back) == 0 ||
        same_number(setting->asked, setting->read_back))
        return true;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if ((words[i].setting == NULL ||
             strcasecmp(words[i].setting, setting->name) == 0) &&
            strcasecmp(words[i].word, setting->asked) == 0 &&
            strcmp(words[i].number, setting->read_back) == 0)
            return true;
    }
    return false;
}

/* What SQLite has no setting for: its name is like one that is reported. */
static int refuse_unknown(const struct sqlite_settings *settings,
                          const struct sqlite_setting *setting,
                          const char *option, struct err *err)
{
    struct nearest nearest = { .typed = setting->name };
    char hint[NEAREST_HINT_SIZE];

    for (size_t i = 0; i < settings->count; i++) {
        if (&settings->items[i] != setting)
            nearest_try(&nearest, settings->items[i].name);
    }
    return err_set_class(err, setting->by_user ? ERR_USAGE : ERR_OTHER,
                         "%s: %s=%s: SQLite %s has no setting of that name%s",
                         option, setting->name, setting->asked,
                         sqlite3_libversion(),
                         nearest_hint(&nearest, "", hint));
}

static int check(const struct sqlite_settings *settings,
                 const struct sqlite_setting *setting, bool known,
                 struct err *err)
{
    const enum err_class class = setting->by_user ? ERR_USAGE : ERR_OTHER;
    const char *const option = setting->by_user ? "--set" : "--sync";

    if (setting->asked == NULL)
        return 0;
    if (!known)
        return refuse_unknown(settings, setting, option, err);
    if (!was_taken(setting))
        return err_set_class(err, class,
                             "%s: %s=%s: SQLite %s does not take that value; "
                             "read back, it is '%s'",
                             option, setting->name, setting->asked,
                             sqlite3_libversion(), setting->read_back);
    /* It takes any number up to 7, but gives a meaning to these alone. */
    if (strcasecmp(setting->name, "synchronous") == 0 &&
        strchr("0123", setting->read_back[0]) == NULL)
        return err_set_class(err, class,
                             "%s: %s=%s: what this promises is not known; the "
                             "levels are 0 to 3",
                             option, setting->name, setting->asked);
    return 0;
}

int sqlite_settings_read(struct sqlite_settings *settings,
                         const struct database *database, sqlite3 *db,
                         struct err *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        bool known = false;

        if (read_one(&settings->items[i], database, db, &known, err) != 0 ||
            check(settings, &settings->items[i], known, err) != 0)
            return -1;
    }
    return 0;
}

/*
 * What a journal mode promises at synchronous 0 to 3: measured by killing
 * processes and cutting the power of file systems.  For the warnings of
 * corruption the source is sqlite.org/pragma.html.
 */
static enum durability promise(const char *mode, int level, const char **remark)
{
    const bool wal = strcmp(mode, "wal") == 0;

    *remark = "";
    if (strcmp(mode, "memory") == 0 || strcmp(mode, "off") == 0) {
        *remark = ": unsafe: a kill in mid-transaction may corrupt the file";
        return DURABILITY_VOLATILE;
    }
    if (level == 0) {
        *remark = ": power loss may corrupt the file";
        return DURABILITY_PROCESS_SAFE;
    }
    if (wal && level == 1) {
        *remark = ": power loss undoes all since the last checkpoint";
        return DURABILITY_PROCESS_SAFE;
    }
    /* A disk that writes in another order was seen to damage it, once in 120
       crashes; sqlite.org/pragma.html has it that it may. */
    if (level == 1) {
        *remark = ": power loss may undo the last transaction and, rarely, "
                  "corrupt the file";
        return DURABILITY_BOUNDED;
    }
    /* FULL does not sync the end of a journal that ends by being deleted. */
    if (level == 3 || strcmp(mode, "delete") != 0)
        return DURABILITY_POWER_SAFE;
    *remark = ": power loss may undo the last transaction";
    return DURABILITY_BOUNDED;
}

/* From 3.7.0 on a checkpoint that another connection's commit meets may begin the
   log anew too early; see sqlite.org/wal.html, "the WAL-reset bug". */
bool sqlite_has_wal_reset_bug(int version)
{
    static const struct {
        int from;
        int before;
    } versions[] = {
        { 3007000, 3044006 },
        { 3045000, 3050007 },
        { 3051000, 3051003 },
    };
    size_t i = 0;

    while (i < COUNT_OF(versions) &&
           (version < versions[i].from || version >= versions[i].before))
        i++;
    return i < COUNT_OF(versions);
}

enum durability
sqlite_settings_durability(const struct sqlite_settings *settings,
                           uint64_t connections, const char *file_system,
                           char *text, size_t size)
{
    const bool may_corrupt =
        connections > 1 &&
        strcmp(sqlite_settings_value(settings, "journal_mode"), "wal") == 0 &&
        sqlite_has_wal_reset_bug(sqlite3_libversion_number());
    static const char *const names[] = { "OFF", "NORMAL", "FULL", "EXTRA" };
    const char *const mode = sqlite_settings_value(settings, "journal_mode");
    const int level = sqlite_settings_value(settings, "synchronous")[0] - '0';
    const char *remark;

    assert(level >= 0 && level <= 3); /* or reading it back had failed */
    const enum durability durability = promise(mode, level, &remark);
    (void)snprintf(text, size,
                   "journal_mode=%s, synchronous=%d (%s), on %s%s%s%s%s", mode,
                   level, names[level], file_system, remark,
                   may_corrupt ? "; SQLite " : "",
                   may_corrupt ? sqlite3_libversion() : "",
                   may_corrupt ? " may, rarely, corrupt a file in WAL mode that "
                                 "several connections write (WAL-reset bug)"
                               : "");
    return durability;
}
