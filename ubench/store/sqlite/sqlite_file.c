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

enum { JOURNAL, SHM, WAL, BESIDE };
const char *const sqlite_beside[] = {
    [JOURNAL] = "-journal",
    [SHM] = "-shm",
    [WAL] = "-wal",
    [BESIDE] = NULL,
};

static const char not_a_database[] = "it is not a SQLite database";

static int system_failed(const struct store *store, const char *action,
                         int error, struct err *err)
{
    return err_set_class(
        err, error == ENOSPC || error == EDQUOT ? ERR_FULL : ERR_OTHER,
        "sqlite: %s: %s: %s (%d)", store->target, action, strerror(error),
        error);
}

static int refuse(const struct store *store, const char *found, struct err *err)
{
    return err_set(err,
                   "sqlite: %s: ubench did not make this and leaves it alone: "
                   "%s; name another file",
                   store->target, found);
}

/* --- Whose it is --- */

/* A connection, as sql_database has it, and who takes its rows. */
struct connection {
    const struct store *store;
    sqlite3 *db;
    void (*take)(void *context, const char *const *row);
    void *context;
};

static int take_row(void *argument, int count, char **row, char **names)
{
    const struct connection *const connection = argument;

    (void)count;
    (void)names;
    connection->take(connection->context, (const char *const *)row);
    return 0;
}

static int read_rows(struct connection *connection, const char *action,
                     const char *sql, sql_take_row *take, void *context,
                     struct err *err)
{
    connection->take = take;
    connection->context = context;
    return sqlite3_exec(connection->db, sql, take_row, connection, NULL) ==
                   SQLITE_OK
               ? 0
               : sqlite_failed(connection->store, connection->db, action, err);
}

int sqlite_check_owner(struct store *store, sqlite3 *db, struct err *err)
{
    struct connection connection = { .store = store, .db = db };
    const struct sql_database database = {
        .store = "sqlite",
        .prefix = "",
        .catalogue = catalogue_sql,
        .schemas = schemas,
        .hosts = hosts_sql,
        .connection = &connection,
        .read = read_rows,
    };
    struct sql_contents contents;

    if (sql_look(&contents, &database, store->config, NULL, err) == SQL_REFUSE)
        return -1;
    store->foreign = contents.foreign;
    return 0;
}

/* Refuses a file that has settings and no tables. */
static int check_marked(const struct store *store, sqlite3 *db, struct err *err)
{
    static const char sql[] = "SELECT p.page_count > 0 AND NOT EXISTS (SELECT 1"
                              " FROM sqlite_master WHERE name ="
                              " 'ubench_marker') FROM pragma_page_count p";
    char unmarked[2] = "";

    if (sqlite_ask(store, db, "look for our marker", sql, unmarked,
                   sizeof unmarked, err) < 0)
        return -1;
    return unmarked[0] == '1'
               ? refuse(store, "it has no table 'ubench_marker'", err)
               : 0;
}

/* A URI for the path, with every byte escaped. */
static void write_uri(char uri[static 3 * SQLITE_PATH_SIZE + 32],
                      const char *path)
{
    char *out = uri + sprintf(uri, "file:");

    for (; *path != '\0'; path++)
        out += sprintf(out, "%%%02x", (unsigned char)*path);
    (void)sprintf(out, "?immutable=1");
}

/* The path of a file beside it, and its size; -1 if it is not there. */
static long long size_beside(const struct store *store, size_t which,
                             char path[static BESIDE_PATH_SIZE])
{
    struct stat status;

    (void)snprintf(path, BESIDE_PATH_SIZE, "%s%s", store->path,
                   sqlite_beside[which]);
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
    const bool has_journal = size_beside(store, JOURNAL, path) > 0;
    const bool has_log = size_beside(store, WAL, path) > 0;
    sqlite3 *db = NULL;
    int status = -1;

    write_uri(uri, store->path);
    if (sqlite3_open_v2(uri, &db,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
                            SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        (void)sqlite_failed(store, db, "open", err);
    else if (sqlite_check_owner(store, db, err) == 0)
        status = has_journal ? 0 : check_marked(store, db, err);
    const int code = sqlite3_errcode(db);
    (void)sqlite3_close(db);
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

    for (size_t i = 0; sqlite_beside[i] != NULL; i++) {
        char path[BESIDE_PATH_SIZE];
        char text[64];
        char head[4] = "?";
        bool ours = size_beside(store, i, path) <= 0;
        FILE *const file = fopen(path, "re");

        if (file != NULL) {
            (void)fread(head, 1, sizeof head, file);
            (void)fclose(file);
        }
        for (size_t j = 0; j < sizeof beginnings / sizeof *beginnings; j++)
            ours |= store->before == SQLITE_FILLED &&
                    memcmp(head, beginnings[j], sizeof head) == 0;
        (void)snprintf(text, sizeof text,
                       "the file %s beside it belongs to another database",
                       sqlite_beside[i]);
        if (!ours)
            return refuse(store, text, err);
    }
    return 0;
}

/* Finds out what is at the path. */
static int look(struct store *store, struct err *err)
{
    struct stat status;

    if (stat(store->path, &status) != 0) {
        if (errno != ENOENT)
            return system_failed(store, "open", errno, err);
        if (lstat(store->path, &status) == 0)
            return refuse(store, "it is a symbolic link to nothing", err);
        store->before = SQLITE_ABSENT;
        return 0;
    }
    if (!S_ISREG(status.st_mode))
        return refuse(store, "it is not a regular file", err);
    /* SQLite would take a file of one byte for an empty one. */
    if (status.st_size > 0 && status.st_size < PAGE_SIZE_MIN)
        return refuse(store, not_a_database, err);
    store->before = status.st_size == 0 ? SQLITE_WITHOUT_BYTES : SQLITE_FILLED;
    return 0;
}

sqlite3 *sqlite_connect(const struct store *store, struct err *err)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(store->path, &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        (void)sqlite_failed(store, db, "open", err);
    } else if (sqlite3_db_readonly(db, "main") == 1) {
        /* SQLite takes a file that cannot be written without a word. */
        const int error = access(store->path, W_OK) != 0 ? errno : EPERM;
        (void)system_failed(store, "open for writing", error, err);
    } else {
        (void)sqlite3_busy_timeout(db, OPEN_BUSY_MS);
        return db;
    }
    (void)sqlite3_close(db);
    return NULL;
}

/*
 * Makes the file if it is not there (SQLite would not tell why it could not),
 * and keeps other runs away until the end: SQLite's own locks do not outlast a
 * transaction, but in WAL.  They do not see this one, nor does it see them.
 * Where there is no such lock (some network file systems), so be it.
 */
static int claim(struct store *store, struct err *err)
{
    const int flags =
        store->before == SQLITE_ABSENT ? O_RDWR | O_CREAT | O_EXCL : 0;

    store->claim = open(store->path, O_CLOEXEC | flags, 0644);
    if (store->claim < 0)
        return system_failed(store, "open", errno, err);
    if (flock(store->claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return err_set_class(err, ERR_BUSY,
                             "sqlite: %s: another run of ubench has locked it",
                             store->target);
    return 0;
}

/* Removes what SQLite keeps beside the file. */
static void remove_companions(const struct store *store)
{
    for (size_t i = 0; sqlite_beside[i] != NULL; i++) {
        char path[BESIDE_PATH_SIZE];

        (void)size_beside(store, i, path);
        (void)unlink(path);
    }
}

/*
 * Empties a file of ours.  Nothing of an earlier run is to be left, not even
 * its size or its journal mode, or else two runs would not be the same: the
 * file is cut to nothing, which is quick and needs no room on a full disk.
 * Only where an owner has marked a file with other tables in it, it stays, and
 * sqlite_fill drops just ours.
 */
static int empty_file(struct store *store, struct err *err)
{
    /* Everybody else is locked out until the connection is closed, also in WAL,
       where a transaction alone would stop only writers. */
    static const char lock[] = "PRAGMA locking_mode = EXCLUSIVE;"
                               "BEGIN EXCLUSIVE";
    int status = -1;
    sqlite3 *const db = sqlite_connect(store, err);

    if (db == NULL)
        return -1;
    /* A file of another's stays as it is; ours will be empty. */
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (sqlite_execute(store, db, "lock", lock, err) != 0 ||
        sqlite_check_owner(store, db, err) != 0 ||
        check_marked(store, db, err) != 0) {
        /* status is -1 */
    } else if (store->foreign) {
        status = sqlite_execute(store, db, "lock",
                                "COMMIT; PRAGMA journal_mode = DELETE", err);
    } else {
        status = truncate(store->path, 0);
        if (status == 0)
            remove_companions(store);
        else
            (void)system_failed(store, "empty", errno, err);
    }
    (void)sqlite3_close(db);
    return status;
}

int sqlite_take(struct store *store, struct err *err)
{
    const struct store_config *const config = store->config;
    const int length =
        snprintf(store->path, sizeof store->path, "%s%s",
                 config->target[0] == '/' ? "" : "./", config->target);

    store->target = config->target;
    if (length >= SQLITE_PATH_SIZE)
        return system_failed(store, "open", ENAMETOOLONG, err);
    if (look(store, err) != 0)
        return -1;
    if (config->keep)
        return store->before == SQLITE_ABSENT
                   ? system_failed(store, "open", ENOENT, err)
                   : claim(store, err);
    if (look_beside(store, err) != 0 ||
        (store->before == SQLITE_FILLED &&
         inspect_read_only(store, err) != 0) ||
        claim(store, err) != 0)
        return -1;
    return store->before == SQLITE_FILLED ? empty_file(store, err) : 0;
}

int sqlite_fill(struct store *store, sqlite3 *db, struct err *err)
{
    static const char drop[] = "DROP TABLE IF EXISTS lease4;"
                               "DROP TABLE IF EXISTS lease6;"
                               "DROP TABLE IF EXISTS ubench_marker";
    static const char action[] = "create tables";
    const struct store_config *const config = store->config;
    const char *const hosts = config->reservations ? hosts_sql : "";

    if (sqlite_execute(store, db, "lock", "BEGIN IMMEDIATE", err) != 0 ||
        sqlite_check_owner(store, db, err) != 0 ||
        sqlite_execute(store, db, "drop our tables", drop, err) != 0 ||
        sqlite_execute(store, db, action,
                       schemas[config->family][config->schema], err) != 0 ||
        sqlite_execute(store, db, action, hosts, err) != 0 ||
        sqlite_execute(store, db, action, "COMMIT", err) != 0)
        return -1; /* closing the connection rolls it back */
    store->filled = true;
    return 0;
}

void sqlite_undo(const struct store *store)
{
    struct stat status;

    if (store->before == SQLITE_FILLED)
        return;
    /* If it has something now, another process wrote it. */
    if (!store->filled &&
        (stat(store->path, &status) != 0 || status.st_size > 0))
        return;
    if (store->before == SQLITE_ABSENT)
        (void)unlink(store->path);
    else if (truncate(store->path, 0) != 0)
        return;
    if (store->filled)
        remove_companions(store);
}
