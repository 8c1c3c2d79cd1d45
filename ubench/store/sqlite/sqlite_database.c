/* SPDX-License-Identifier: ISC */
#include "store/sqlite/sqlite_database.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sql/ownership.h"

/* What the build made of the files in schema/. */
#include "schema/sqlite.h"

enum {
    OPEN_BUSY_MS = 1000,
    PAGE_SIZE_MIN = 512, /* and so no database is smaller */
    COMPANION_PATH_SIZE = DATABASE_PATH_SIZE + 16,
};

enum { JOURNAL, SHM, WAL, BESIDE };
const char *const database_beside[] = {
    [JOURNAL] = "-journal",
    [SHM] = "-shm",
    [WAL] = "-wal",
    [BESIDE] = NULL,
};

static const char not_a_database[] = "it is not a SQLite database";

static enum err_class class_of(int code, int system_error)
{
    switch (code) {
    case SQLITE_FULL:
        return ERR_FULL;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ERR_BUSY;
    case SQLITE_INTERRUPT:
        return ERR_CANCELED;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ERR_CORRUPT;
    default:
        return system_error == ENOSPC || system_error == EDQUOT ? ERR_FULL
                                                                : ERR_OTHER;
    }
}

/* Why a file could not be opened, as errno.  That of SQLite is of its last
   attempt, to read a file that is not there. */
static int why_not_opened(const struct database *database, sqlite3 *db)
{
    char path[DATABASE_PATH_SIZE];

    memcpy(path, database->path, sizeof path);
    return access(dirname(path), W_OK | X_OK) != 0 ? errno
                                                   : sqlite3_system_errno(db);
}

int database_failed(const struct database *database, sqlite3 *db,
                    const char *action, struct err *err)
{
    const int extended = sqlite3_extended_errcode(db);
    const int code = extended & 0xff;
    int system_error = 0;
    const char *more = "";

    if (code == SQLITE_CANTOPEN || extended == SQLITE_READONLY_DIRECTORY)
        system_error = why_not_opened(database, db);
    else if (code == SQLITE_IOERR) /* for other codes it is an old one */
        system_error = sqlite3_system_errno(db);
    if (system_error != 0)
        more = strerror(system_error);
    else if (code == SQLITE_BUSY)
        more = "another process or session has it";
    return err_set_class(err, class_of(code, system_error),
                         "sqlite: %s: %s: %s%s%s (%d)", database->target,
                         action, sqlite3_errmsg(db),
                         more[0] != '\0' ? ": " : "", more, extended);
}

static int system_failed(const struct database *database, const char *action,
                         int error, struct err *err)
{
    return err_set_class(err, class_of(SQLITE_OK, error),
                         "sqlite: %s: %s: %s (%d)", database->target, action,
                         strerror(error), error);
}

static int refuse(const struct database *database, const char *found,
                  struct err *err)
{
    return err_set(err,
                   "sqlite: %s: ubench did not make this and leaves it alone: "
                   "%s; name another file",
                   database->target, found);
}

/* --- Whose it is --- */

/* A connection, as sql_door has it. */
struct link {
    const struct database *database;
    sqlite3 *db;
};

static int run(void *connection, const char *action, const char *sql,
               struct err *err)
{
    const struct link *const link = connection;

    return database_execute(link->database, link->db, action, sql, err);
}

static int read_rows(void *connection, const char *action, const char *sql,
                     void (*take)(void *context, const char *const *row),
                     void *context, struct err *err)
{
    const struct link *const link = connection;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(link->db, sql, -1, &statement, NULL);

    while (code == SQLITE_OK &&
           (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *row[SQL_LISTED] = { NULL };

        for (int i = 0; i < sqlite3_column_count(statement); i++)
            row[i] = (const char *)sqlite3_column_text(statement, i);
        code = sqlite3_errcode(link->db) == SQLITE_NOMEM ? SQLITE_NOMEM
                                                         : SQLITE_OK;
        if (code == SQLITE_OK)
            take(context, row);
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE
               ? 0
               : database_failed(link->database, link->db, action, err);
}

/* The rows of sql_listing. */
static const char catalogue[] =
    "SELECT 'r', name, name, 'a ' || type, '' FROM sqlite_master"
    " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite|_%' ESCAPE '|'"
    " UNION ALL SELECT 'c', m.name, c.name, '', ''"
    " FROM sqlite_master m, pragma_table_info(m.name) c"
    " WHERE m.name LIKE 'lease%' OR m.name LIKE 'ubench%'"
    " UNION ALL SELECT 'i', tbl_name, name, 'an index', '' FROM sqlite_master"
    " WHERE type = 'index' AND name NOT LIKE 'sqlite|_%' ESCAPE '|'"
    " UNION ALL SELECT 't', lower(tbl_name), name, 'the trigger', ''"
    " FROM sqlite_master WHERE type = 'trigger'"
    " UNION ALL SELECT 'f', lower(f.\"table\"), 'of ' || m.name,"
    " 'the foreign key', ''"
    " FROM sqlite_master m, pragma_foreign_key_list(m.name) f"
    " WHERE m.type = 'table' ORDER BY 1 DESC";

/* Refuses a database in which a lease table or anything else of ubench's names
   is not ubench's.  No table is used as it is but to be kept.  *foreign: there
   are other tables. */
static int check_owner(const struct database *database, sqlite3 *db,
                       bool *foreign, struct err *err)
{
    struct link link = { database, db };
    const struct sql_door door = {
        .store = "sqlite",
        .prefix = "",
        .catalogue = catalogue,
        .schemas = schemas,
        .hosts = hosts_sql,
        .connection = &link,
        .run = run,
        .read = read_rows,
    };
    struct store_config config = *database->config;
    struct sql_contents contents;

    *foreign = false;
    for (enum lease_family i = LEASE_FAMILY_V4; i <= LEASE_FAMILY_V6; i++) {
        if (config.keep && i != database->config->family)
            continue;
        config.family = i;
        if (sql_look(&contents, &door, &config, err) != 0 ||
            sql_judge(&contents, false, err) == SQL_REFUSE)
            return -1;
        *foreign |= contents.foreign > 0;
    }
    return 0;
}

int database_check_owner(const struct database *database, sqlite3 *db,
                         struct err *err)
{
    bool foreign;

    return check_owner(database, db, &foreign, err);
}

/* Refuses a file that has settings and no tables. */
static int check_marked(const struct database *database, sqlite3 *db,
                        struct err *err)
{
    static const char sql[] = "SELECT p.page_count > 0 AND NOT EXISTS (SELECT 1"
                              " FROM sqlite_master WHERE name ="
                              " 'ubench_marker') FROM pragma_page_count p";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const bool unmarked =
        code == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    (void)sqlite3_finalize(statement);
    if (code != SQLITE_ROW)
        return database_failed(database, db, "look for our marker", err);
    return unmarked ? refuse(database, "it has no table 'ubench_marker'", err)
                    : 0;
}

/* A URI for the path, with every byte escaped. */
static void write_uri(char uri[static 3 * DATABASE_PATH_SIZE + 32],
                      const char *path)
{
    char *out = uri + sprintf(uri, "file:");

    for (; *path != '\0'; path++)
        out += sprintf(out, "%%%02x", (unsigned char)*path);
    (void)sprintf(out, "?immutable=1");
}

/* The path of a file beside it, and its size; -1 if it is not there. */
static long long size_beside(const struct database *database, size_t which,
                             char path[static COMPANION_PATH_SIZE])
{
    struct stat status;

    (void)snprintf(path, COMPANION_PATH_SIZE, "%s%s", database->path,
                   database_beside[which]);
    return stat(path, &status) == 0 ? (long long)status.st_size : -1;
}

/*
 * Looks at a file without a lock, a journal or any other trace, and refuses
 * what is not ours.  What this cannot tell, since a journal or log beside it
 * has more, or another process is writing at this moment, the look under a lock
 * in empty_file will.
 */
static int look_from_afar(const struct database *database, struct err *err)
{
    char path[COMPANION_PATH_SIZE];
    char uri[3 * DATABASE_PATH_SIZE + 32];
    const bool has_journal = size_beside(database, JOURNAL, path) > 0;
    const bool has_log = size_beside(database, WAL, path) > 0;
    sqlite3 *db = NULL;
    bool foreign;
    int status = -1;

    write_uri(uri, database->path);
    if (sqlite3_open_v2(uri, &db,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
                            SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        (void)database_failed(database, db, "open", err);
    else if (check_owner(database, db, &foreign, err) == 0)
        status = has_journal ? 0 : check_marked(database, db, err);
    const int code = sqlite3_errcode(db);
    (void)sqlite3_close(db);
    if (code == SQLITE_NOTADB)
        return refuse(database, not_a_database, err);
    return code == SQLITE_CORRUPT && (has_journal || has_log) ? 0 : status;
}

/* True if a file begins as SQLite's journals, logs and indexes of logs do, or
   is zeroed. */
static bool begins_as_companion(const char *path)
{
    static const unsigned char beginnings[][4] = {
        { 0, 0, 0, 0 },
        { 0xd9, 0xd5, 0x05, 0xf9 }, /* journal: pager.c, aJournalMagic */
        { 0x37, 0x7f, 0x06, 0x82 }, /* log: wal.c, WAL_MAGIC */
        { 0x37, 0x7f, 0x06, 0x83 },
        { 0x18, 0xe2, 0x2d, 0x00 }, /* its index: wal.c, WALINDEX_MAX_VERSION */
        { 0x00, 0x2d, 0xe2, 0x18 },
    };
    unsigned char head[4] = { 1 };
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (file < 0 || read(file, head, sizeof head) < 0)
        head[0] = 1;
    if (file >= 0)
        (void)close(file);
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (memcmp(head, beginnings[i], sizeof head) == 0)
            return true;
    }
    return false;
}

/* What is beside the file by the names of SQLite's companions is removed with
   it: it must not be another's. */
static int look_beside(const struct database *database, struct err *err)
{
    for (size_t i = 0; database_beside[i] != NULL; i++) {
        char path[COMPANION_PATH_SIZE];
        char reason[64];

        if (size_beside(database, i, path) <= 0 ||
            (begins_as_companion(path) && database->before == DATABASE_FILLED))
            continue;
        (void)snprintf(reason, sizeof reason,
                       "a file %s beside it is not its own",
                       database_beside[i]);
        return refuse(database, reason, err);
    }
    return 0;
}

/* Finds out what is at the path. */
static int look(struct database *database, struct err *err)
{
    struct stat status;

    if (stat(database->path, &status) != 0) {
        if (errno != ENOENT)
            return system_failed(database, "open", errno, err);
        if (lstat(database->path, &status) == 0)
            return refuse(database, "it is a symbolic link to nothing", err);
        database->before = DATABASE_ABSENT;
        return 0;
    }
    if (S_ISDIR(status.st_mode))
        return refuse(database, "it is a directory", err);
    if (!S_ISREG(status.st_mode))
        return refuse(database, "it is not a regular file", err);
    /* SQLite would take a file of one byte for an empty one. */
    if (status.st_size > 0 && status.st_size < PAGE_SIZE_MIN)
        return refuse(database, not_a_database, err);
    database->before = status.st_size == 0 ? DATABASE_EMPTY : DATABASE_FILLED;
    return 0;
}

sqlite3 *database_connect(const struct database *database, struct err *err)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(database->path, &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        (void)database_failed(database, db, "open", err);
    } else if (sqlite3_db_readonly(db, "main") == 1) {
        /* SQLite takes a file that cannot be written without a word. */
        const int error = access(database->path, W_OK) != 0 ? errno : EPERM;
        (void)system_failed(database, "open for writing", error, err);
    } else {
        (void)sqlite3_busy_timeout(db, OPEN_BUSY_MS);
        return db;
    }
    (void)sqlite3_close(db);
    return NULL;
}

int database_execute(const struct database *database, sqlite3 *db,
                     const char *action, const char *sql, struct err *err)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return database_failed(database, db, action, err);
    return 0;
}

/*
 * Makes the file if it is not there (SQLite would not tell why it could not),
 * and keeps other runs away until the end: SQLite's own locks do not outlast a
 * transaction, but in WAL.  They do not see this one, nor does it see them.
 * Where there is no such lock (some network file systems), so be it.
 */
static int claim(struct database *database, struct err *err)
{
    const int flags =
        database->before == DATABASE_ABSENT ? O_RDWR | O_CREAT | O_EXCL : 0;

    database->claim = open(database->path, O_CLOEXEC | flags, 0644);
    if (database->claim < 0)
        return system_failed(database, "open", errno, err);
    if (flock(database->claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return err_set_class(err, ERR_BUSY,
                             "sqlite: %s: lock: another run of ubench has it",
                             database->target);
    return 0;
}

/* Removes what SQLite keeps beside the file. */
static void remove_companions(const struct database *database)
{
    for (size_t i = 0; database_beside[i] != NULL; i++) {
        char path[COMPANION_PATH_SIZE];

        (void)size_beside(database, i, path);
        (void)unlink(path);
    }
}

/* Locks everybody else out, whatever the journal mode: in WAL, what SQL can
   say stops writers alone.  The lock lasts until the connection is closed. */
static int lock(const struct database *database, sqlite3 *db, struct err *err)
{
    sqlite3_file *file = NULL;

    if (database_execute(database, db, "lock", "BEGIN EXCLUSIVE", err) != 0)
        return -1;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
        SQLITE_OK)
        return database_failed(database, db, "lock", err);
    const int code = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
    if (code != SQLITE_OK)
        return err_set_class(err, ERR_BUSY,
                             "sqlite: %s: lock: another process or session "
                             "has it open: %s (%d)",
                             database->target, sqlite3_errstr(code), code);
    return 0;
}

/*
 * Empties a file of ours.  Nothing of an earlier run is to be left, not even
 * its size or its journal mode, or else two runs would not be the same: the
 * file is cut to nothing, which is quick and needs no room on a full disk.
 * Only where an owner has marked a file with other tables in it, it stays, and
 * database_fill drops just ours.
 */
static int empty_file(const struct database *database, struct err *err)
{
    bool foreign;
    int status = -1;
    sqlite3 *const db = database_connect(database, err);

    if (db == NULL)
        return -1;
    /* What is not ours stays as it is; what is ours will be gone. */
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (check_owner(database, db, &foreign, err) != 0 ||
        check_marked(database, db, err) != 0) {
        /* status is -1 */
    } else if (foreign) {
        status = database_execute(database, db, "lock",
                                  "PRAGMA journal_mode = DELETE", err);
    } else if (lock(database, db, err) == 0) {
        status = truncate(database->path, 0);
        if (status == 0)
            remove_companions(database);
        else
            (void)system_failed(database, "empty", errno, err);
    }
    (void)sqlite3_close(db);
    return status;
}

int database_take(struct database *database, const struct store_config *config,
                  struct err *err)
{
    const int length =
        snprintf(database->path, sizeof database->path, "%s%s",
                 config->target[0] == '/' ? "" : "./", config->target);

    database->config = config;
    database->target = config->target;
    if (length >= DATABASE_PATH_SIZE)
        return system_failed(database, "open", ENAMETOOLONG, err);
    if (look(database, err) != 0)
        return -1;
    if (config->keep)
        return database->before == DATABASE_ABSENT
                   ? system_failed(database, "open", ENOENT, err)
                   : claim(database, err);
    if (look_beside(database, err) != 0 ||
        (database->before == DATABASE_FILLED &&
         look_from_afar(database, err) != 0) ||
        claim(database, err) != 0)
        return -1;
    return database->before == DATABASE_FILLED ? empty_file(database, err) : 0;
}

int database_fill(struct database *database, sqlite3 *db, struct err *err)
{
    static const char drop[] = "DROP TABLE IF EXISTS lease4;"
                               "DROP TABLE IF EXISTS lease6;"
                               "DROP TABLE IF EXISTS ubench_marker";
    static const char action[] = "create tables";
    const struct store_config *const config = database->config;
    const char *const hosts = config->reservations ? hosts_sql : "";

    if (database_execute(database, db, "lock", "BEGIN IMMEDIATE", err) != 0 ||
        database_check_owner(database, db, err) != 0 ||
        database_execute(database, db, "drop our tables", drop, err) != 0 ||
        database_execute(database, db, action,
                         schemas[config->family][config->schema], err) != 0 ||
        database_execute(database, db, action, hosts, err) != 0 ||
        database_execute(database, db, action, "COMMIT", err) != 0)
        return -1; /* closing the connection rolls it back */
    database->filled = true;
    return 0;
}

void database_undo(const struct database *database)
{
    struct stat status;

    if (database->before == DATABASE_FILLED)
        return;
    /* What is in it now without our doing is another process's. */
    if (!database->filled &&
        (stat(database->path, &status) != 0 || status.st_size > 0))
        return;
    if (database->before == DATABASE_ABSENT)
        (void)unlink(database->path);
    else if (truncate(database->path, 0) != 0)
        return;
    if (database->filled)
        remove_companions(database);
}

void database_release(struct database *database)
{
    if (database->claim >= 0)
        (void)close(database->claim);
    database->claim = -1;
}
