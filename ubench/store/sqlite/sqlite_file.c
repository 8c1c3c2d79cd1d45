/* SPDX-License-Identifier: ISC */
/* A SQLite file: whose it is, and how to get at it.  This knows of our tables
   by name and nothing of leases. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sql/ownership.h"
#include "store/sqlite/sqlite.h"

/* The build makes it from the files in schema/. */
#include "schema/sqlite.h"

enum {
    OPEN_BUSY_MS = 1000,
    PAGE_SIZE_MIN = 512, /* and so no database is smaller */
    BESIDE_PATH_SIZE = SQLITE_PATH_SIZE + 16,
};

const char *const sqlite_beside[] = { "-journal", "-shm", "-wal", NULL };

static const char not_a_database[] = "it is not a SQLite database";

static int system_failed(const struct store *store, const char *action, int error,
                         struct err *err)
{
    return err_set_class(err, error == ENOSPC || error == EDQUOT ? ERR_FULL : ERR_OTHER,
                         "sqlite: %s: %s: %s (%d)", store->config.target, action, strerror(error),
                         error);
}

static int refuse(const struct store *store, const char *found, struct err *err)
{
    return err_set(err,
                   "sqlite: %s: ubench did not make this and leaves it alone: %s; name another "
                   "file",
                   store->config.target, found);
}

/* --- Whose it is --- */

/* For sql_database. */
static int read_rows(struct connection *connection, const char *action, const char *sql,
                     sql_take_row *take, void *context, struct err *err)
{
    char **texts; /* the names of the columns, and then the rows */
    int rows;
    int columns;

    if (sqlite3_get_table(connection->db, sql, &texts, &rows, &columns, NULL) != SQLITE_OK)
        return sqlite_failed(connection, action, err);
    for (int i = 1; take != NULL && i <= rows; i++)
        take(context, (const char *const *)texts + (ptrdiff_t)i * columns);
    sqlite3_free_table(texts);
    return 0;
}

/* Refuses what ubench did not make; marked: also a file that has settings and no
   tables. */
static int check_owner(struct connection *connection, bool marked, struct err *err)
{
    struct store *const store = connection->store;
    const struct sql_database database = {
        .store = "sqlite",
        .prefix = "",
        .catalogue = catalogue_sql,
        .schemas = schemas,
        .hosts = hosts_sql,
        .connection = connection,
        .read = read_rows,
    };
    struct sql_contents contents;
    char pages[24] = "0";

    if (sql_look(&contents, &database, &store->config, NULL, err) == SQL_REFUSE)
        return -1;
    store->foreign = contents.foreign;
    if (marked && contents.count == 0 &&
        sqlite_ask(connection, "look for our marker", "PRAGMA page_count", pages, sizeof pages,
                   err) < 0)
        return -1;
    return strcmp(pages, "0") != 0 ? refuse(store, "it has no table 'ubench_marker'", err) : 0;
}

/* The path of a file beside it, and its size; -1 if it is not there. */
static long long size_beside(const struct store *store, const char *ending,
                             char path[static BESIDE_PATH_SIZE])
{
    struct stat status;

    (void)snprintf(path, BESIDE_PATH_SIZE, "%s%s", store->path, ending);
    return stat(path, &status) == 0 ? (long long)status.st_size : -1;
}

/*
 * Looks at a file without a lock, a journal or any other trace, and refuses
 * what is not ours.  What this cannot tell, since a journal or log beside it
 * has more, or another process is writing at this moment, the look under a lock
 * in empty_file will.
 */
static int inspect_read_only(struct store *store, struct err *err)
{
    char path[BESIDE_PATH_SIZE];
    char uri[3 * SQLITE_PATH_SIZE + 32];
    const bool has_journal = size_beside(store, "-journal", path) > 0;
    const bool has_log = size_beside(store, "-wal", path) > 0;
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    struct connection connection = { .store = store };
    char *out = uri + sprintf(uri, "file:");
    int status = -1;

    for (const char *in = store->path; *in != '\0'; in++)
        out += sprintf(out, "%%%02x", (unsigned char)*in);
    (void)sprintf(out, "?immutable=1");
    if (sqlite3_open_v2(uri, &connection.db, flags, NULL) != SQLITE_OK)
        (void)sqlite_failed(&connection, "open", err);
    else
        status = check_owner(&connection, !has_journal, err);
    const int code = sqlite3_errcode(connection.db);
    (void)sqlite3_close(connection.db);
    if (code == SQLITE_NOTADB)
        return refuse(store, not_a_database, err);
    return code == SQLITE_CORRUPT && (has_journal || has_log) ? 0 : status;
}

/* The files with the names of SQLite's companions are removed with the file:
   none of them may be another's.  Each is empty, or begins as a journal, a log
   or the index of one does (see aJournalMagic of SQLite's pager.c, WAL_MAGIC
   and WALINDEX_MAX_VERSION of its wal.c), or is zeroed. */
static int look_beside(const struct store *store, struct err *err)
{
    static const char beginnings[][5] = {
        "\0\0\0\0",         "\xd9\xd5\x05\xf9", "\x37\x7f\x06\x82",
        "\x37\x7f\x06\x83", "\x18\xe2\x2d\0",   "\0\x2d\xe2\x18",
    };

    for (const char *const *ending = sqlite_beside; *ending != NULL; ending++) {
        char path[BESIDE_PATH_SIZE];
        char text[64];
        char head[4] = "?";
        bool ours = size_beside(store, *ending, path) <= 0;
        FILE *const file = fopen(path, "re");

        if (file != NULL) {
            (void)fread(head, 1, sizeof head, file);
            (void)fclose(file);
        }
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
            ours |= store->size_before > 0 && memcmp(head, beginnings[i], sizeof head) == 0;
        (void)snprintf(text, sizeof text, "the file %s beside it belongs to another database",
                       *ending);
        if (!ours)
            return refuse(store, text, err);
    }
    return 0;
}

/* Finds out what is at the path. */
static int look(struct store *store, struct err *err)
{
    struct stat status;

    store->size_before = -1;
    if (stat(store->path, &status) != 0) {
        if (errno != ENOENT)
            return system_failed(store, "open", errno, err);
        return lstat(store->path, &status) == 0
                   ? refuse(store, "it is a symbolic link to nothing", err)
                   : 0;
    }
    store->size_before = status.st_size;
    if (!S_ISREG(status.st_mode))
        return refuse(store, "it is not a regular file", err);
    /* SQLite would take a file of one byte for an empty one. */
    return status.st_size > 0 && status.st_size < PAGE_SIZE_MIN
               ? refuse(store, not_a_database, err)
               : 0;
}

int sqlite_connect(struct connection *connection, struct store *store, struct err *err)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

    *connection = (struct connection){ .store = store };
    if (sqlite3_open_v2(store->path, &connection->db, flags, NULL) != SQLITE_OK)
        (void)sqlite_failed(connection, "open", err);
    else if (sqlite3_db_readonly(connection->db, "main") == 1)
        /* SQLite takes a file that cannot be written without a word. */
        (void)system_failed(store, "open for writing",
                            access(store->path, W_OK) != 0 ? errno : EPERM, err);
    else
        return sqlite3_busy_timeout(connection->db, OPEN_BUSY_MS);
    (void)sqlite3_close(connection->db);
    connection->db = NULL;
    return -1;
}

/*
 * Makes the file if it is not there (SQLite would not tell why it could not),
 * and keeps other runs away until the end: SQLite's own locks do not outlast a
 * transaction, but in WAL.  They do not see this one, nor does it see them.
 * Where there is no such lock (some network file systems), so be it.
 */
static int claim(struct store *store, struct err *err)
{
    const bool makes = store->size_before < 0 && !store->config.keep;

    store->claim = open(store->path, O_CLOEXEC | (makes ? O_RDWR | O_CREAT | O_EXCL : 0), 0644);
    if (store->claim < 0)
        return system_failed(store, "open", errno, err);
    if (flock(store->claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return err_set_class(err, ERR_BUSY, "sqlite: %s: another run of ubench has locked it",
                             store->config.target);
    return 0;
}

/* Removes what SQLite keeps beside the file. */
static void remove_companions(const struct store *store)
{
    for (size_t i = 0; sqlite_beside[i] != NULL; i++) {
        char path[BESIDE_PATH_SIZE];

        (void)size_beside(store, sqlite_beside[i], path);
        (void)unlink(path);
    }
}

/*
 * Empties a file of ours.  Nothing of an earlier run is to be left, not even
 * its size or its journal mode, or else two runs would not be the same: the
 * file is cut to nothing, which is quick and needs no room on a full disk.
 * Only where an owner has marked a file with other tables in it, it stays, and
 * make_tables drops just ours.
 */
static int empty_file(struct store *store, struct err *err)
{
    /* Everybody else is locked out until the connection is closed, also in WAL,
       where a transaction alone would stop only writers. */
    static const char lock[] = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
    struct connection connection;
    int status = -1;

    if (sqlite_connect(&connection, store, err) != 0)
        return -1;
    /* A file of another's stays as it is; ours will be empty. */
    (void)sqlite3_db_config(connection.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (sqlite_execute(&connection, "lock", lock, err) == 0 &&
        check_owner(&connection, true, err) == 0) {
        if (store->foreign)
            status = sqlite_execute(&connection, "lock", "COMMIT; PRAGMA journal_mode=DELETE", err);
        else if ((status = truncate(store->path, 0)) == 0)
            remove_companions(store);
        else
            (void)system_failed(store, "empty", errno, err);
    }
    (void)sqlite3_close(connection.db);
    return status;
}

/* Afterwards the file is there and empty, or has a marker and others' tables in
   it, or, with keep, is as it was. */
static int take(struct store *store, struct err *err)
{
    const char *const target = store->config.target;
    const int length = snprintf(store->path, sizeof store->path, "%s%s",
                                target[0] == '/' ? "" : "./", target);

    if (length >= SQLITE_PATH_SIZE)
        return system_failed(store, "open", ENAMETOOLONG, err);
    if (look(store, err) != 0 || (!store->config.keep && look_beside(store, err) != 0))
        return -1;
    const bool empties = store->size_before > 0 && !store->config.keep;
    if ((empties && inspect_read_only(store, err) != 0) || claim(store, err) != 0)
        return -1;
    return empties ? empty_file(store, err) : 0;
}

/* In the place of those that are there, if the file is still ours to fill. */
static int make_tables(struct connection *connection, struct err *err)
{
    static const char drop[] = "DROP TABLE IF EXISTS lease4;"
                               "DROP TABLE IF EXISTS lease6;"
                               "DROP TABLE IF EXISTS ubench_marker";
    static const char action[] = "create tables";
    const struct store_config *const config = &connection->store->config;
    const char *const schema = schemas[config->family][config->schema];

    if (sqlite_execute(connection, "lock", "BEGIN IMMEDIATE", err) != 0 ||
        check_owner(connection, false, err) != 0 ||
        sqlite_execute(connection, "drop our tables", drop, err) != 0 ||
        sqlite_execute(connection, action, schema, err) != 0 ||
        (config->reservations && sqlite_execute(connection, action, hosts_sql, err) != 0) ||
        sqlite_execute(connection, action, "COMMIT", err) != 0)
        return -1; /* closing the connection rolls it back */
    connection->store->filled = true;
    return 0;
}

/* Makes the tables and settles the settings, through a connection that is
   closed again: a session may want to have the file for itself. */
static int fill(struct store *store, struct err *err)
{
    struct connection connection;
    char count[64];
    int status = -1;

    (void)snprintf(count, sizeof count, "SELECT count(*) FROM %s NOT INDEXED", store->table.name);
    if (sqlite_connect(&connection, store, err) != 0)
        return -1;
    if (sqlite_apply_settings(&connection, false, err) == 0 &&
        (store->config.keep ? check_owner(&connection, false, err)
                            : make_tables(&connection, err)) == 0 &&
        sqlite_apply_settings(&connection, true, err) == 0 &&
        /* A new journal mode is put to work only now.  What is damaged shows. */
        sqlite_execute(&connection, "read", count, err) == 0)
        status = sqlite_read_settings(&connection, err);
    (void)sqlite3_close(connection.db);
    return status;
}

/* After a failure to fill it: leaves nothing behind that was not there before.  If
   there is something that we have not put in, another process wrote it. */
static void undo(const struct store *store)
{
    struct stat status;
    const bool ours = store->filled || (stat(store->path, &status) == 0 && status.st_size == 0);

    if (!ours || store->size_before > 0 || store->config.keep ||
        (store->size_before < 0 ? unlink(store->path) : truncate(store->path, 0)) != 0)
        return;
    if (store->filled)
        remove_companions(store);
}

int sqlite_open_file(struct store *store, struct err *err)
{
    if (take(store, err) != 0)
        return -1;
    if (fill(store, err) == 0)
        return 0;
    undo(store);
    return -1;
}
