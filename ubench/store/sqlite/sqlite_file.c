/* SPDX-License-Identifier: ISC */
/* Ownership of a SQLite file, and opening it.  This code knows ubench's tables by name and nothing
   about leases. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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
    PAGE_SIZE_MIN = 512,        /* bytes; the smallest database */
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
    char **texts; /* the names of the columns, then the rows */
    int rows;
    int columns;

    if (sqlite3_get_table(connection->db, sql, &texts, &rows, &columns, NULL) != SQLITE_OK)
        return sqlite_failed(connection, action, err);
    for (int i = 1; take != NULL && i <= rows; i++)
        take(context, (const char *const *)texts + (ptrdiff_t)i * columns);
    sqlite3_free_table(texts);
    return 0;
}

enum { AGAIN_SIZE = 4 * SQLITE_PATH_SIZE + 16 };

/* Writes the command that removes a file, for a shell. */
static void write_removal(char again[static AGAIN_SIZE], const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@";
    const char *const quote = path[strspn(path, plain)] != '\0' ? "'" : "";
    char *out = again + sprintf(again, "rm %s%s", quote, path[0] == '-' ? "./" : "");

    for (; *path != '\0' && out < again + AGAIN_SIZE - 8; path++)
        out += sprintf(out, *path == '\'' ? "'\\''" : "%c", *path);
    (void)sprintf(out, "%s", quote);
}

static struct sql_database describe_database(struct connection *connection,
                                             char again[static AGAIN_SIZE])
{
    write_removal(again, connection->store->config.target);
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

/* Refuses a file that ubench did not create; with marked, also a file that has settings but no
   tables. */
static int check_owner(struct connection *connection, bool marked, struct err *err)
{
    struct store *const store = connection->store;
    char again[AGAIN_SIZE];
    const struct sql_database database = describe_database(connection, again);
    struct sql_contents contents;
    struct stat status;

    const enum sql_owner owner = sql_look(&contents, &database, &store->config, err);
    /* Not PRAGMA page_count: within a transaction that may write, an empty file has one page. */
    if (owner == SQL_NOBODY && marked && stat(store->path, &status) == 0 && status.st_size > 0)
        return refuse(store, "it has no table 'ubench_marker'", err);
    return owner == SQL_REFUSED ? -1 : 0;
}

/* Writes the path of a file beside the database, and returns its size; -1 if it does not exist. */
static long long size_beside(const struct store *store, const char *ending,
                             char path[static BESIDE_PATH_SIZE])
{
    struct stat status;

    (void)snprintf(path, BESIDE_PATH_SIZE, "%s%s", store->path, ending);
    return stat(path, &status) == 0 ? (long long)status.st_size : -1;
}

/*
 * Inspects a file without a lock, a journal or any other trace, and refuses it if ubench did not
 * create it.  If a journal or log beside it has more, or another process is writing, this may miss
 * something; empty_file checks again under a lock.
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
 * Returns true if a journal holds no page of any database: SQLite wrote it while the database was
 * still empty, and was killed before its first transaction ended.  The header has the size of the
 * database before the transaction, in pages (see writeJournalHdr of SQLite's pager.c), and nothing
 * follows the header.
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

/* Returns true if a file can be the database's own companion.  A companion is empty, or begins as a
   journal, a log or a log's index does (see aJournalMagic of SQLite's pager.c, WAL_MAGIC and
   WALINDEX_MAX_VERSION of its wal.c), or is zeroed.  Beside an empty or absent database, only a
   journal that holds nothing can be its own. */
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

/* Checks the files that have the names of SQLite's companions: they are removed with the database,
   so each must be its own. */
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
    if (sqlite3_open_v2(store->path, &connection->db, flags, store->syncs.name) != SQLITE_OK)
        (void)sqlite_failed(connection, "open", err);
    else if (sqlite3_db_readonly(connection->db, "main") == 1)
        /* SQLite silently opens a read-only file. */
        (void)system_failed(store, "open for writing",
                            access(store->path, W_OK) != 0 ? errno : EPERM, err);
    else
        return sqlite3_busy_timeout(connection->db, OPEN_BUSY_MS);
    (void)sqlite3_close(connection->db);
    connection->db = NULL;
    return -1;
}

/* Opens the file at the path, or creates it if it does not exist and may be created; SQLite would
   not report why creation fails.  Returns a descriptor, or -1 with err. */
static int open_or_make(const struct store *store, bool *made, struct err *err)
{
    /* Opening a pipe may block. */
    const int flags = O_CLOEXEC | O_NONBLOCK;
    struct stat status;
    int file = -1;

    *made = false;
    /* Another run may create or remove the file between two of these calls. */
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

/* Returns true if status is that of the file at the path. */
static bool is_at_path(const struct store *store, const struct stat *status)
{
    struct stat there;

    return stat(store->path, &there) == 0 && there.st_dev == status->st_dev &&
           there.st_ino == status->st_ino;
}

/*
 * Locks the file for the whole run, and inspects it.  The lock precedes the first look at the
 * contents, which another run may be writing.  SQLite's own locks end with a transaction, except in
 * WAL; they and this lock do not affect each other.  If the file system has no such lock (some
 * network file systems), the run continues without one.
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
        /* The run that had the lock removed the file when it ended. */
        (void)close(store->claim);
    }
    store->size_before = made ? -1 : status.st_size;
    return 0;
}

/* Removes SQLite's companions of the file. */
static void remove_companions(const struct store *store)
{
    for (size_t i = 0; sqlite_beside[i] != NULL; i++) {
        char path[BESIDE_PATH_SIZE];

        (void)size_beside(store, sqlite_beside[i], path);
        (void)unlink(path);
    }
}

/*
 * Empties a file that ubench created, by truncating it.  Nothing of an earlier run may remain, not
 * even its size or journal mode, or two runs would differ.  Truncation is quick and needs no space
 * on a full disk.
 */
static int empty_file(struct store *store, struct err *err)
{
    /* Locks out all other connections until this one is closed, also in WAL, where a transaction
       alone would exclude only writers. */
    static const char lock[] = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
    /* Writes all pages to the file first: a run that is killed before the truncation then leaves an
       intact database with its marker and without a log, instead of a log without its database. */
    static const char settle[] = "ROLLBACK; PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE";
    struct connection connection;
    struct err ignored;
    int status = -1;

    if (sqlite_connect(&connection, store, err) != 0)
        return -1;
    /* Without a checkpoint on close: a file that is refused stays unchanged, and ubench's own is
       emptied. */
    (void)sqlite3_db_config(connection.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (sqlite_execute(&connection, "lock", lock, err) == 0 &&
        check_owner(&connection, true, err) == 0) {
        /* May fail on a full disk. */
        (void)sqlite_execute(&connection, "settle", settle, &ignored);
        remove_companions(store);
        status = truncate(store->path, 0) == 0 ? 0 : system_failed(store, "empty", errno, err);
    }
    (void)sqlite3_close(connection.db);
    return status;
}

/* Claims the file.  Afterwards it exists and is empty or, with keep, is unchanged. */
static int take(struct store *store, struct err *err)
{
    /* SQLite would treat a file of one byte as empty. */
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

/* Creates the tables, if the file is still empty. */
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

/* Drops what a --sql file has created, after another failure. */
static void drop_created(struct store *store, struct connection *connection, struct err *err)
{
    struct err left;

    if (store->statements.before == NULL)
        return;
    if (sql_candidates_close(&store->statements, connection, &store->config, &left) != 0)
        err_add(err, "; and %s", left.text);
    free(store->statements.before);
    store->statements.before = NULL;
}

/* Creates the tables and settles the settings through a connection that is then closed: a session
   may need the file exclusively. */
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
        /* A new journal mode takes effect only now.  This also detects damage. */
        sqlite_execute(&connection, "read", count, err) == 0 &&
        sqlite_read_settings(&connection, err) == 0 &&
        sql_candidates_open(&store->statements, &connection, &store->config, err) == 0)
        status = 0;
    else
        drop_created(store, &connection, err);
    (void)sqlite3_close(connection.db);
    return status;
}

/* Cleans up after a failure: leaves nothing behind that was not there before.  Keeps contents that
   this run did not write: they are another process's. */
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
