/* SPDX-License-Identifier: ISC */
/* Statements in SQLite's dialect: prepared, bound and run. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/sql/candidates.h"
#include "store/sqlite/sqlite.h"

static const char begin_sql[] = "BEGIN IMMEDIATE";
static const char commit_sql[] = "COMMIT";

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
        return system_error == ENOSPC || system_error == EDQUOT ? ERR_FULL : ERR_OTHER;
    }
}

/* Returns the errno of a failure to open the file.  SQLite's own errno is that of its last attempt,
   to read a file that does not exist. */
static int why_not_opened(const struct connection *connection)
{
    char path[SQLITE_PATH_SIZE];

    memcpy(path, connection->store->path, sizeof path);
    return access(dirname(path), W_OK | X_OK) != 0 ? errno : sqlite3_system_errno(connection->db);
}

int sqlite_failed(const struct connection *connection, const char *action, struct err *err)
{
    const int extended = sqlite3_extended_errcode(connection->db);
    const int code = extended & 0xff;
    int system_error = 0;
    const char *more = "";

    if (code == SQLITE_CANTOPEN || extended == SQLITE_READONLY_DIRECTORY)
        system_error = why_not_opened(connection);
    else if (code == SQLITE_IOERR) /* for other codes errno is stale */
        system_error = sqlite3_system_errno(connection->db);
    if (system_error != 0)
        more = strerror(system_error);
    else if (code == SQLITE_BUSY)
        more = "another process or session has locked it";
    (void)err_set_class(err, class_of(code, system_error), "sqlite: %s: %s: %s%s%s (%d)",
                        connection->store->config.target, action, sqlite3_errmsg(connection->db),
                        more[0] != '\0' ? ": " : "", more, extended);
    if (err->kind == ERR_BUSY && atomic_load(&connection->store->canceled))
        err->kind = ERR_CANCELED;
    return -1;
}

int sqlite_execute(const struct connection *connection, const char *action, const char *sql,
                   struct err *err)
{
    return sqlite3_exec(connection->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : sqlite_failed(connection, action, err);
}

int sqlite_ask(const struct connection *connection, const char *action, const char *sql, char *text,
               size_t size, struct err *err)
{
    char **texts; /* the column's name, then its value */
    int rows;
    int columns;

    if (sqlite3_get_table(connection->db, sql, &texts, &rows, &columns, NULL) != SQLITE_OK)
        return sqlite_failed(connection, action, err);
    const bool answers = rows > 0 && columns == 1 && texts[1] != NULL;
    if (answers)
        (void)snprintf(text, size, "%s", texts[1]);
    sqlite3_free_table(texts);
    return answers;
}

static int prepare_one(struct sqlite_session *session, const char *sql, const char *action,
                       sqlite3_stmt **statement, struct err *err)
{
    const unsigned flags = session->base.compiled ? SQLITE_PREPARE_PERSISTENT : 0;

    return sqlite3_prepare_v3(session->connection.db, sql, -1, flags, statement, NULL) == SQLITE_OK
               ? 0
               : sqlite_failed(&session->connection, action, err);
}

int sqlite_prepare(struct sqlite_session *session, struct err *err)
{
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        const struct sql_statement *const statement = &session->base.statements->items[i];

        /* A statement that is not needed is empty and becomes NULL. */
        if (prepare_one(session, statement->sql, statement->label, &session->prepared[i], err) != 0)
            return -1;
    }
    return prepare_one(session, begin_sql, "begin", &session->begin, err) == 0
               ? prepare_one(session, commit_sql, "commit", &session->commit, err)
               : -1;
}

void sqlite_release(struct sqlite_session *session)
{
    for (int i = 0; i < SQL_STATEMENTS; i++)
        (void)sqlite3_finalize(session->prepared[i]);
    (void)sqlite3_finalize(session->begin);
    (void)sqlite3_finalize(session->commit);
}

/* Resets or finalises a statement.  Ignores SQLite's code, which repeats that of the last step. */
static void let_go(struct sqlite_session *session, sqlite3_stmt *statement)
{
    session->scanned +=
        (unsigned)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    if (session->base.compiled)
        (void)sqlite3_reset(statement);
    else
        (void)sqlite3_finalize(statement);
}

/* Binds a value.  Returns SQLite's code. */
static inline int bind(sqlite3_stmt *statement, int index, enum sql_kind kind,
                       const struct sql_value *value)
{
    const int length = (int)value->length;

    if (value->is_null)
        return sqlite3_bind_null(statement, index);
    if (kind == SQL_TEXT)
        return sqlite3_bind_text(statement, index, value->bytes, length, SQLITE_STATIC);
    if (kind == SQL_BYTES)
        return sqlite3_bind_blob(statement, index, value->bytes, length, SQLITE_STATIC);
    return sqlite3_bind_int64(statement, index, value->number);
}

/* Returns a statement that has its values and is ready to step, or NULL with err. */
static sqlite3_stmt *get_ready(struct sqlite_session *session,
                               const struct sql_statement *statement, struct err *err)
{
    sqlite3_stmt *prepared = session->prepared[statement->is];
    int code = SQLITE_OK;

    if (!session->base.compiled) {
        if (sql_write_text(&session->base, statement, err) > 0)
            (void)prepare_one(session, session->base.text, statement->label, &prepared, err);
        return prepared;
    }
    for (size_t i = 0; i < statement->param_count; i++) {
        const unsigned param = statement->params[i];

        code |= bind(prepared, (int)i + 1, session->base.kinds[param], &session->base.in[param]);
    }
    if (code == SQLITE_OK)
        return prepared;
    (void)sqlite_failed(&session->connection, statement->label, err);
    return NULL;
}

static enum outcome execute(struct session *base, const struct sql_statement *statement,
                            uint64_t *changed, struct err *err)
{
    struct sqlite_session *const session = sqlite_session_of(base);
    sqlite3 *const db = session->connection.db;
    sqlite3_stmt *const ready = get_ready(session, statement, err);
    enum outcome outcome = OUTCOME_MISS; /* key taken */

    if (ready == NULL)
        return OUTCOME_ERROR;
    if (changed == NULL) {
        session->running = ready; /* stepped by fetch */
        return OUTCOME_HIT;
    }
    const int code = sqlite3_step(ready);
    const int extended = code == SQLITE_DONE ? 0 : sqlite3_extended_errcode(db);
    const bool taken =
        (statement->is == SQL_CREATE && extended == SQLITE_CONSTRAINT_PRIMARYKEY) ||
        (statement->is == SQL_ADD_RESERVATION && extended == SQLITE_CONSTRAINT_UNIQUE);
    if (code == SQLITE_DONE) {
        *changed = (uint64_t)sqlite3_changes(db);
        outcome = OUTCOME_HIT;
    } else if (!taken) {
        outcome = (enum outcome)sqlite_failed(&session->connection, statement->label, err);
    }
    let_go(session, ready);
    return outcome;
}

static inline void read_value(sqlite3_stmt *statement, int index, enum sql_kind kind,
                              struct sql_value *value)
{
    if (kind == SQL_TEXT || kind == SQL_BYTES) {
        /* Called before the length is read: it converts text to UTF-8. */
        value->bytes = kind == SQL_TEXT ? sqlite3_column_text(statement, index)
                                        : sqlite3_column_blob(statement, index);
        value->length = (uint32_t)sqlite3_column_bytes(statement, index);
    } else if (kind != SQL_UNUSED) {
        value->number = sqlite3_column_int64(statement, index);
    }
}

static int fetch(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct sqlite_session *const session = sqlite_session_of(base);
    const int code = sqlite3_step(session->running);

    if (code == SQLITE_DONE)
        return 0;
    if (code != SQLITE_ROW)
        return sqlite_failed(&session->connection, statement->label, err);
    for (size_t i = 0; i < statement->column_count; i++) {
        const unsigned column = statement->columns[i];

        read_value(session->running, (int)i, base->kinds[column], &base->out[column]);
    }
    return 1;
}

static int finish(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct sqlite_session *const session = sqlite_session_of(base);

    (void)statement;
    (void)err;
    let_go(session, session->running);
    return 0;
}

static int transact(struct session *base, const char *action, const char *sql,
                    sqlite3_stmt *prepared, struct err *err)
{
    const struct connection *const connection = &sqlite_session_of(base)->connection;
    int status = 0;

    if (!base->compiled)
        return sqlite_execute(connection, action, sql, err);
    if (sqlite3_step(prepared) != SQLITE_DONE)
        status = sqlite_failed(connection, action, err);
    (void)sqlite3_reset(prepared);
    return status;
}

int sqlite_begin(struct session *base, struct err *err)
{
    return transact(base, "begin", begin_sql, sqlite_session_of(base)->begin, err);
}

int sqlite_commit(struct session *base, struct err *err)
{
    return transact(base, "commit", commit_sql, sqlite_session_of(base)->commit, err);
}

static char *quote(struct session *session, char *out, const char *string, size_t length)
{
    (void)session;
    /* A NUL would end the statement. */
    if (memchr(string, '\0', length) != NULL) {
        out = stpcpy(out, "CAST(x'");
        return stpcpy(sql_write_hex(out, string, length), "' AS TEXT)");
    }
    (void)sqlite3_snprintf((int)(2 * length + 32), out, "'%.*q'", (int)length, string);
    return out + strlen(out);
}

/* --- Candidates --- */

/* Returns the affinity of a column by its declared type; "" for an expression. */
static const char *affinity(const char *declared)
{
    static const struct {
        const char *pattern;
        const char *affinity;
    } rules[] = {
        /* https://www.sqlite.org/datatype3.html, 3.1 */
        { "%INT%", "an integer" }, { "%CHAR%", "text" },  { "%CLOB%", "text" },
        { "%TEXT%", "text" },      { "%BLOB%", "bytes" },
    };

    for (size_t i = 0; declared != NULL && i < sizeof rules / sizeof *rules; i++) {
        if (sqlite3_strlike(rules[i].pattern, declared, 0) == 0)
            return rules[i].affinity;
    }
    return "";
}

/* Prepares the only statement of an SQL text. */
static int prepare_single(struct connection *connection, const char *label, const char *sql,
                          sqlite3_stmt **prepared, struct err *err)
{
    sqlite3_stmt *second = NULL;
    const char *tail;

    if (sqlite3_prepare_v2(connection->db, sql, -1, prepared, &tail) != SQLITE_OK)
        return sqlite_failed(connection, label, err);
    /* A comment may follow. */
    const int code = sqlite3_prepare_v2(connection->db, tail, -1, &second, NULL);
    const bool single = code == SQLITE_OK && second == NULL;
    (void)sqlite3_finalize(second);
    if (single)
        return 0;
    (void)sqlite3_finalize(*prepared);
    *prepared = NULL;
    return err_usage(err, "sqlite: %s: expected one statement, not several", label);
}

static int change(struct connection *connection, const char *action, const char *sql,
                  struct err *err)
{
    sqlite3_stmt *prepared;

    if (prepare_single(connection, action, sql, &prepared, err) != 0)
        return -1;
    const int code = sqlite3_step(prepared);
    const int status =
        code == SQLITE_DONE || code == SQLITE_ROW ? 0 : sqlite_failed(connection, action, err);
    (void)sqlite3_finalize(prepared);
    return status;
}

/* Leaves the types of parameters unknown, as SQLite does. */
static int describe(struct connection *connection, const struct sql_statement *statement,
                    struct sql_shape *shape, struct err *err)
{
    sqlite3_stmt *prepared;

    *shape = (struct sql_shape){ .param_count = 0 };
    if (prepare_single(connection, statement->label, statement->sql, &prepared, err) != 0)
        return -1;
    shape->param_count = (size_t)sqlite3_bind_parameter_count(prepared);
    shape->column_count = (size_t)sqlite3_column_count(prepared);
    for (int i = 0; i < (int)shape->column_count && i < SQL_COLUMNS; i++)
        (void)snprintf(shape->columns[i], SQL_TYPE_SIZE, "%s",
                       affinity(sqlite3_column_decltype(prepared, i)));
    (void)sqlite3_finalize(prepared);
    return 0;
}

/* UPDATE does not set the address, which does not change: SQLite would delete the row and insert it
   again. */
const struct sql_dialect sqlite_dialect = {
    .store = "sqlite",
    .mark = '?',
    .bytes = "x'",
    .time_first_s = INT64_MIN,
    .time_last_s = INT64_MAX,
    .time_compared_s = INT64_MAX,
    .quote = quote,
    .execute = execute,
    .fetch = fetch,
    .finish = finish,
    .catalogue = &sqlite_catalogue,
    .rows = sqlite_rows,
    .change = change,
    .describe = describe,
};
