/* SPDX-License-Identifier: ISC */
#include "store/sqlite_database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPEN_BUSY_MS = 1000,
    PAGE_SIZE_MIN = 512, /* and so no database is smaller */
};

static const char not_a_database[] = "it is not a SQLite database";

/* What is in a database. */
struct contents {
    bool marked;     /* it has our marker */
    bool others;     /* it has more than our two tables and their indexes */
    char found[192]; /* the first thing but the marker, in words, or "" */
};

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
    default:
        return system_error == ENOSPC || system_error == EDQUOT ? ERR_FULL
                                                                : ERR_OTHER;
    }
}

int database_failed(const struct database *database, sqlite3 *db,
                    const char *action, struct err *err)
{
    const int extended = sqlite3_extended_errcode(db);
    const int code = extended & 0xff;
    int system_error = 0;
    const char *more = "";

    /* For other codes SQLite does not keep it, but leaves an old one. */
    if (code == SQLITE_CANTOPEN || code == SQLITE_IOERR)
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
    return err_set(err, "sqlite: %s: %s: %s (%d)", database->target, action,
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

/* Notes one thing that a database has. */
static void note(struct contents *contents, const char *type, const char *name,
                 const char *table)
{
    const bool is_table = strcmp(type, "table") == 0;

    if (is_table && strcmp(name, "ubench_marker") == 0) {
        contents->marked = true;
        return;
    }
    if (contents->found[0] == '\0')
        (void)snprintf(contents->found, sizeof contents->found,
                       "it has the %s '%s' and no table 'ubench_marker'", type,
                       name);
    if ((!is_table && strcmp(type, "index") != 0) ||
        strcmp(table, "lease4") != 0)
        contents->others = true;
}

/* Returns SQLite's code. */
static int inspect(sqlite3 *db, struct contents *contents)
{
    static const char sql[] = "SELECT type, name, tbl_name FROM sqlite_master"
                              " WHERE name NOT LIKE 'sqlite|_%' ESCAPE '|'"
                              " ORDER BY type != 'table', rowid";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    *contents = (struct contents){ .marked = false };
    if (code != SQLITE_OK)
        return code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        note(contents, (const char *)sqlite3_column_text(statement, 0),
             (const char *)sqlite3_column_text(statement, 1),
             (const char *)sqlite3_column_text(statement, 2));
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A URI for the path, with every byte escaped. */
static void write_uri(char uri[static 3 * DATABASE_PATH_SIZE + 32],
                      const char *path)
{
    static const char digits[] = "0123456789abcdef";
    static const char begin[] = "file:";
    static const char end[] = "?immutable=1";
    char *out = uri;

    memcpy(out, begin, sizeof begin - 1);
    out += sizeof begin - 1;
    for (; *path != '\0'; path++) {
        *out++ = '%';
        *out++ = digits[(unsigned char)*path >> 4];
        *out++ = digits[(unsigned char)*path & 15];
    }
    memcpy(out, end, sizeof end);
}

/*
 * Looks at a file without a lock, a journal or any other trace, and refuses
 * what is not ours.  Whatever this cannot tell (another process may be writing
 * at this moment) the look under a lock in empty_file will.
 */
static int look_from_afar(const struct database *database, struct err *err)
{
    char uri[3 * DATABASE_PATH_SIZE + 32];
    struct contents contents;
    sqlite3 *db = NULL;

    write_uri(uri, database->path);
    int code = sqlite3_open_v2(
        uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
        NULL);
    if (code == SQLITE_OK)
        code = inspect(db, &contents);
    (void)sqlite3_close(db);
    if (code == SQLITE_NOTADB)
        return refuse(database, not_a_database, err);
    if (code == SQLITE_OK && !contents.marked && contents.found[0] != '\0')
        return refuse(database, contents.found, err);
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

sqlite3 *database_connect(const struct database *database, int flags,
                          struct err *err)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(database->path, &db,
                        flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        (void)database_failed(database, db, "open", err);
    } else if (sqlite3_db_readonly(db, "main") == 1) {
        /* SQLite takes a file that cannot be written without a word. */
        const int error = access(database->path, W_OK) != 0 ? errno : EPERM;
        (void)system_failed(database, "open for writing", error, err);
    } else {
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

/* The same, and tells what is there. */
static int check_owner(const struct database *database, sqlite3 *db,
                       struct contents *contents, struct err *err)
{
    (void)sqlite3_busy_timeout(db, OPEN_BUSY_MS);
    if (inspect(db, contents) != SQLITE_OK)
        return database_failed(database, db, "look for our marker", err);
    if (!contents->marked && contents->found[0] != '\0')
        return refuse(database, contents->found, err);
    return 0;
}

int database_check_owner(const struct database *database, sqlite3 *db,
                         struct err *err)
{
    struct contents contents;

    return check_owner(database, db, &contents, err);
}

/*
 * Empties a file of ours.  Nothing of an earlier run is to be left, not even
 * its size or its journal mode, or else two runs would not be the same: the
 * file is cut to nothing.  Only where an owner has marked a file with other
 * tables in it, just ours are dropped.
 */
static int empty_file(const struct database *database, struct err *err)
{
    struct contents contents;
    int status = -1;
    sqlite3 *const db = database_connect(database, 0, err);

    if (db == NULL)
        return -1;
    /* If it is not ours after all, its write-ahead log stays what it is. */
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (check_owner(database, db, &contents, err) != 0)
        goto out;
    /* SQLite takes a file of one byte for a new database; somebody's database
       may have no table yet. */
    if (!contents.marked) {
        (void)refuse(database, "it has no table 'ubench_marker'", err);
        goto out;
    }
    /* Leaving WAL fails while others are at the file. */
    if (database_execute(database, db, "lock", "PRAGMA journal_mode = DELETE",
                         err) != 0 ||
        database_execute(database, db, "lock", "BEGIN EXCLUSIVE", err) != 0)
        goto out;
    if (contents.others)
        status = database_execute(database, db, "empty",
                                  "DROP TABLE IF EXISTS lease4;"
                                  "DROP TABLE IF EXISTS ubench_marker;"
                                  "COMMIT",
                                  err);
    else if (truncate(database->path, 0) == 0)
        status = database_execute(database, db, "unlock", "ROLLBACK", err);
    else
        (void)system_failed(database, "empty", errno, err);
out:
    (void)sqlite3_close(db);
    return status;
}

int database_take(struct database *database, const char *target,
                  struct err *err)
{
    const int length = snprintf(database->path, sizeof database->path, "%s%s",
                                target[0] == '/' ? "" : "./", target);

    database->target = target;
    if (length >= DATABASE_PATH_SIZE)
        return system_failed(database, "open", ENAMETOOLONG, err);
    if (look(database, err) != 0)
        return -1;
    if (database->before == DATABASE_FILLED &&
        (look_from_afar(database, err) != 0 || empty_file(database, err) != 0))
        return -1;
    return 0;
}

void database_undo(const struct database *database)
{
    static const char *const suffixes[] = { "-journal", "-wal", "-shm" };

    if (database->before == DATABASE_FILLED)
        return;
    if (database->before == DATABASE_ABSENT)
        (void)unlink(database->path);
    else
        (void)truncate(database->path, 0);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[DATABASE_PATH_SIZE + sizeof "-journal"];

        (void)snprintf(path, sizeof path, "%s%s", database->path, suffixes[i]);
        (void)unlink(path);
    }
}
