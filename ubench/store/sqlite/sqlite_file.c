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

#include "store/sql/candidates.h"
#include "store/sql/lease_table.h"
#include "store/sqlite/sqlite.h"

/* The build makes it from the files in schema/. */
#include "schema/sqlite.h"

enum {
    OPEN_BUSY_MS = 1000,
    OPEN_TRIES = 100,
    PAGE_SIZE_MIN = 512,        /* and so no database is smaller */
    JOURNAL_HEADER_MAX = 65536, /* MAX_SECTOR_SIZE of SQLite's pager.c */
    BESIDE_PATH_SIZE = SQLITE_PATH_SIZE + 16,
};

const char *const sqlite_beside[] = { "-journal", "-shm", "-wal", NULL };

const char *const sqlite_catalogue = catalogue_sql;

static const char not_a_database[] = "it is not a SQLite database";

static int system_failed(const struct store *store, const char *action, int error, struct err *err)
{
    return err_set_class(err, error == ENOSPC || error == EDQUOT ? ERR_FULL : ERR_OTHER,
                         "sqlite: %s: %s: %s (%d)", store->config.target, action, strerror(error),
                         error);
}

static int refuse(const struct store *store, const char *found, struct err *err)
{
    return err_set(
        err, "sqlite: '%s': ubench did not create this and changed nothing: %s; name another file",
        store->config.target, found);
}

/* --- Whose it is --- */

int sqlite_rows(struct connection *connection, const char *action, const char *sql,
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

enum { AGAIN_SIZE = SQLITE_PATH_SIZE + 8 };

static struct sql_database describe_database(struct connection *connection,
                                             char again[static AGAIN_SIZE])
{
    (void)snprintf(again, AGAIN_SIZE, "rm %s", connection->store->config.target);
    return (struct sql_database){
        .store = "sqlite",
        .transactional = true,
        .locked = true,
        .prefix = "",
        .quote = "",
        .catalogue = catalogue_sql,
        .marker = marker_sql,
        .schemas = schemas,
        .hosts = hosts_sql,
        .again = again,
        .connection = connection,
        .read = sqlite_rows,
    };
}

/* Refuses what ubench did not make; marked: also a file that has settings and no
   tables. */
static int check_owner(struct connection *connection, bool marked, struct err *err)
{
    struct store *const store = connection->store;
    char again[AGAIN_SIZE];
    const struct sql_database database = describe_database(connection, again);
    struct sql_contents contents;
    struct stat status;

    const enum sql_owner owner = sql_look(&contents, &database, &store->config, err);
    /* Not PRAGMA page_count: within a transaction that may write, an empty file has one. */
    if (owner == SQL_NOBODY && marked && stat(store->path, &status) == 0 && status.st_size > 0)
        return refuse(store, "it has no table 'ubench_marker'", err);
    return owner == SQL_REFUSED ? -1 : 0;
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

/*
 * True if a journal holds no page of any database: SQLite wrote it when the database was still
 * empty, and was killed before its first transaction ended.  Its header has the size of the
 * database before the transaction, in pages (see writeJournalHdr of SQLite's pager.c), and
 * nothing follows the header.
 */
static bool is_journal_of_nothing(FILE *file)
{
    /* The magic and the count of pages are zeros until the journal is synced. */
    static const unsigned char magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    static const unsigned char zeros[sizeof magic];
    enum { PAGES_AT = 16, FIELDS_END = 28 };
    char journal[JOURNAL_HEADER_MAX + 1];

    rewind(file);
    const size_t size = fread(journal, 1, sizeof journal, file);
    if (size == sizeof journal || size < FIELDS_END)
        return false;
    for (size_t i = FIELDS_END; i < size; i++) {
        if (journal[i] != 0)
            return false;
    }
    return (memcmp(journal, magic, sizeof magic) == 0 ||
            memcmp(journal, zeros, sizeof magic) == 0) &&
           memcmp(journal + PAGES_AT, zeros, 4) == 0;
}

/* Each companion is empty, or begins as a journal, a log or the index of one does (see
   aJournalMagic of SQLite's pager.c, WAL_MAGIC and WALINDEX_MAX_VERSION of its wal.c), or is
   zeroed.  Beside a database that is empty or not there, none of them can be its own but a
   journal that holds nothing. */
static bool is_companion(const struct store *store, const char *ending, FILE *file)
{
    static const char beginnings[][5] = {
        "\0\0\0\0",         "\xd9\xd5\x05\xf9", "\x37\x7f\x06\x82",
        "\x37\x7f\x06\x83", "\x18\xe2\x2d\0",   "\0\x2d\xe2\x18",
    };
    char head[4] = "?";

    if (store->size_before <= 0)
        return strcmp(ending, "-journal") == 0 && is_journal_of_nothing(file);
    (void)fread(head, 1, sizeof head, file);
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (memcmp(head, beginnings[i], sizeof head) == 0)
            return true;
    }
    return false;
}

/* The files with the names of SQLite's companions are removed with the file:
   none of them may be another's. */
static int look_beside(const struct store *store, struct err *err)
{
    for (const char *const *ending = sqlite_beside; *ending != NULL; ending++) {
        char path[BESIDE_PATH_SIZE];
        char text[64];

        if (size_beside(store, *ending, path) <= 0)
            continue;
        FILE *const file = fopen(path, "re");
        const bool ours = file != NULL && is_companion(store, *ending, file);
        if (file != NULL)
            (void)fclose(file);
        (void)snprintf(text, sizeof text, "the file %s beside it belongs to another database",
                       *ending);
        if (!ours)
            return refuse(store, text, err);
    }
    return 0;
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

/* Opens what is at the path, or makes it if it is not there and may be made (SQLite would not
   tell why it could not).  Returns a descriptor, or -1 with err. */
static int open_or_make(const struct store *store, bool *made, struct err *err)
{
    /* A pipe may wait to be opened. */
    const int flags = O_CLOEXEC | O_NONBLOCK;
    struct stat status;
    int file = -1;

    *made = false;
    /* Another run may make or remove it between two of these calls. */
    for (int i = 0; i < OPEN_TRIES && file < 0; i++) {
        file = open(store->path, flags);
        if (file >= 0 || errno != ENOENT || store->config.keep)
            break;
        file = open(store->path, flags | O_RDWR | O_CREAT | O_EXCL, 0644);
        *made = file >= 0;
        if (file < 0 && errno != EEXIST)
            break;
        if (file < 0 && lstat(store->path, &status) == 0 && S_ISLNK(status.st_mode))
            return refuse(store, "it is a symbolic link to nothing", err);
    }
    return file >= 0 ? file : system_failed(store, "open", errno, err);
}

/* True if that is the status of what is at the path. */
static bool is_at_path(const struct store *store, const struct stat *status)
{
    struct stat there;

    return stat(store->path, &there) == 0 && there.st_dev == status->st_dev &&
           there.st_ino == status->st_ino;
}

/*
 * Keeps other runs away until the end, and finds out what is at the path.  The lock comes before
 * the first look at the contents, which another run may be writing at this moment.  SQLite's own
 * locks do not outlast a transaction, but in WAL; they do not see this one, nor does it see them.
 * Where there is no such lock (some network file systems), so be it.
 */
static int claim(struct store *store, struct err *err)
{
    struct stat status;
    bool made;

    if (stat(store->path, &status) == 0 && !S_ISREG(status.st_mode))
        return refuse(store, "it is not a regular file", err);
    for (;;) {
        store->claim = open_or_make(store, &made, err);
        if (store->claim < 0)
            return -1;
        if (flock(store->claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return err_set_class(err, ERR_BUSY, "sqlite: '%s' is in use by another run of ubench",
                                 store->config.target);
        if (fstat(store->claim, &status) != 0)
            return system_failed(store, "open", errno, err);
        if (is_at_path(store, &status))
            break;
        /* A run that had the lock has removed the file at its end. */
        (void)close(store->claim);
    }
    store->size_before = made ? -1 : status.st_size;
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
 */
static int empty_file(struct store *store, struct err *err)
{
    /* Everybody else is locked out until the connection is closed, also in WAL,
       where a transaction alone would stop only writers. */
    static const char lock[] = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
    /* Until its last page is in the file, so that a run that is killed before it is cut leaves one
       that is whole, with its marker and without a log, and not a log without its database. */
    static const char settle[] = "ROLLBACK; PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE";
    struct connection connection;
    struct err ignored;
    int status = -1;

    if (sqlite_connect(&connection, store, err) != 0)
        return -1;
    /* A file of another's stays as it is; ours will be empty. */
    (void)sqlite3_db_config(connection.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (sqlite_execute(&connection, "lock", lock, err) == 0 &&
        check_owner(&connection, true, err) == 0) {
        /* On a full disk this may fail. */
        (void)sqlite_execute(&connection, "settle", settle, &ignored);
        remove_companions(store);
        status = truncate(store->path, 0) == 0 ? 0 : system_failed(store, "empty", errno, err);
    }
    (void)sqlite3_close(connection.db);
    return status;
}

/* Afterwards the file is there and empty, or, with keep, is as it was. */
static int take(struct store *store, struct err *err)
{
    /* SQLite would take a file of one byte for an empty one. */
    if (store->size_before > 0 && store->size_before < PAGE_SIZE_MIN)
        return refuse(store, not_a_database, err);
    if (store->config.keep)
        return 0;
    if (look_beside(store, err) != 0)
        return -1;
    if (store->size_before <= 0)
        return 0;
    return inspect_read_only(store, err) == 0 ? empty_file(store, err) : -1;
}

/* Creates the tables, if the file is still nobody's. */
static int make_tables(struct connection *connection, struct err *err)
{
    static const char action[] = "create tables";
    const struct store_config *const config = &connection->store->config;
    char again[AGAIN_SIZE];
    const struct sql_database database = describe_database(connection, again);
    struct sql_contents contents;

    if (sqlite_execute(connection, "lock", "BEGIN IMMEDIATE", err) != 0 ||
        sql_look(&contents, &database, config, err) == SQL_REFUSED ||
        sql_create_tables(&contents, &database, config, err) != 0 ||
        sqlite_execute(connection, action, "COMMIT", err) != 0)
        return -1; /* closing the connection rolls it back */
    connection->store->filled = true;
    connection->store->table.made_by_us = true;
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
        sqlite_execute(&connection, "read", count, err) == 0 &&
        sqlite_read_settings(&connection, err) == 0 &&
        sql_candidates_open(&store->statements, &connection, &store->config, err) == 0)
        status = 0;
    (void)sqlite3_close(connection.db);
    return status;
}

/* After a failure: leaves nothing behind that was not there before.  If there is something that
   we have not put in, another process wrote it. */
static void undo(const struct store *store)
{
    struct stat status;
    const bool empty = stat(store->path, &status) == 0 && status.st_size == 0;

    if (store->size_before > 0 || store->config.keep || !(store->filled || empty))
        return;
    if (store->filled)
        remove_companions(store);
    if (store->size_before < 0)
        (void)unlink(store->path);
    else if (!empty)
        (void)truncate(store->path, 0);
}

int sqlite_open_file(struct store *store, struct err *err)
{
    const char *const target = store->config.target;
    const int length =
        snprintf(store->path, sizeof store->path, "%s%s", target[0] == '/' ? "" : "./", target);

    if (length >= SQLITE_PATH_SIZE)
        return system_failed(store, "open", ENAMETOOLONG, err);
    if (claim(store, err) != 0)
        return -1;
    if (take(store, err) == 0 && fill(store, err) == 0)
        return 0;
    undo(store);
    return -1;
}
