/* SPDX-License-Identifier: ISC */
/*
 * Statements in PostgreSQL's dialect.  Prepared statements exchange values with the server in
 * PostgreSQL's binary form, all others as text.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "lease/lease_text.h"
#include "store/pgsql/pgsql_store.h"
#include "store/sql/candidates.h"

/* 2000-01-01, the epoch of PostgreSQL's times, in Unix seconds. */
#define EPOCH_S  INT64_C(946684800)
#define US_PER_S INT64_C(1000000)
/* From the year 1 to PostgreSQL's last year, 294276. */
#define FIRST_S INT64_C(-62135596800)
#define LAST_S  INT64_C(9224318015999)

/* The bytes before an INET's address (network.c): family, bits, whether it is a network, length. */
static const uint8_t inet_head[] = { 3, 128, 0, 16 };

int session_prepare(struct pgsql_session *session, struct err *err)
{
    PGconn *const conn = session->connection.conn;

    for (int i = 0; i < SQL_PARAMS_MAX; i++)
        session->formats[i] = 1; /* binary */
    for (unsigned i = 0; i < SQL_VALUES; i++) {
        const char *const type = sql_column_type(session->base.table, i, SQL_PGSQL);

        session->widths[i] = strcmp(type, "int2") == 0 ? 2 : strcmp(type, "int4") == 0 ? 4 : 8;
    }
    for (int i = 0; session->base.compiled && i < SQL_ALL_STATEMENTS; i++) {
        const struct sql_statement *const statement = &session->base.statements->items[i];

        if (statement->sql[0] == '\0')
            continue;
        PGresult *const result =
            connection_result(&session->connection, "prepare",
                              PQsendPrepare(conn, statement->name, statement->sql, 0, NULL), err);
        if (result == NULL)
            return -1;
        PQclear(result);
    }
    return 0;
}

/* --- Values in binary form --- */

static void put(struct pgsql_session *session, size_t at, const char *bytes, size_t length)
{
    session->values[at] = bytes;
    session->lengths[at] = (int)length;
}

static void put_number(struct pgsql_session *session, size_t at, int64_t number, size_t size)
{
    session->numbers[at] = htobe64((uint64_t)number);
    /* Its last bytes. */
    put(session, at, (const char *)&session->numbers[at] + 8 - size, size);
}

static void bind(struct pgsql_session *session, size_t at, unsigned param)
{
    const struct sql_value *const value = &session->base.in[param];
    const enum sql_kind kind = session->base.kinds[param];

    if (value->is_null) {
        put(session, at, NULL, 0);
    } else if (kind == SQL_NUMBER) {
        put_number(session, at, value->number, session->widths[param]);
    } else if (kind == SQL_BOOL) {
        put_number(session, at, value->number, 1);
    } else if (kind == SQL_TIME) {
        put_number(session, at, (value->number - EPOCH_S) * US_PER_S, 8);
    } else if (kind == SQL_BYTES && param == SQL_ADDRESS) {
        memcpy(session->inet, inet_head, sizeof inet_head);
        memcpy(session->inet + sizeof inet_head, value->bytes, value->length);
        put(session, at, session->inet, sizeof session->inet);
    } else {
        put(session, at, value->bytes, value->length);
    }
}

static int64_t read_binary_number(const char *bytes, uint32_t length)
{
    uint64_t eight = 0;
    uint32_t four;
    uint16_t two;

    switch (length) {
    case sizeof eight:
        memcpy(&eight, bytes, sizeof eight);
        return (int64_t)be64toh(eight);
    case sizeof four:
        memcpy(&four, bytes, sizeof four);
        return be32toh(four);
    case sizeof two:
        memcpy(&two, bytes, sizeof two);
        return be16toh(two);
    default:
        return (uint8_t)bytes[0]; /* a BOOLEAN */
    }
}

/* Reads a value in binary form.  The numbers of a lease and of a host have 32 bits; only an IAID
   may be negative here, and its low 32 bits are its value. */
static int read_binary(struct sql_value *value, enum sql_kind kind, bool is_address)
{
    const char *const bytes = value->bytes;

    if (kind == SQL_BYTES && is_address) {
        if (value->length != sizeof inet_head + 16)
            return -1;
        value->bytes = bytes + sizeof inet_head;
        value->length = 16;
    } else if (kind != SQL_BYTES && kind != SQL_TEXT) {
        value->number = read_binary_number(bytes, value->length);
    }
    if (kind == SQL_TIME)
        value->number = value->number / US_PER_S + EPOCH_S;
    return 0;
}

/* --- Values as text --- */

/* Decodes "\x" and hexadecimal digits (bytea_output is hex) to bytes; -1 if the value has another
   form or exceeds the size left. */
static int read_hex(struct sql_value *value, uint8_t *bytes, size_t size)
{
    const char *text = value->bytes;
    const size_t length = value->length / 2;

    if (length < 1 || value->length % 2 != 0 || lease_take_word(&text, "\\x") != 0 ||
        length - 1 > size)
        return -1;
    for (size_t i = 0; i + 1 < length; i++) {
        if (lease_take_hex_byte(&text, &bytes[i]) != 0)
            return -1;
    }
    value->bytes = bytes;
    value->length = (uint32_t)length - 1;
    return (int)value->length;
}

/* --- The dialect --- */

/* Returns true if the address is a duplicate.  Kea's counters, which a trigger keeps, have keys
   also; a duplicate there does not count. */
static bool is_taken(const struct pgsql_session *session, const PGresult *result)
{
    const char *const sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *const table = PQresultErrorField(result, PG_DIAG_TABLE_NAME);
    const char *const key = PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);

    return sqlstate != NULL && table != NULL && key != NULL && strcmp(sqlstate, "23505") == 0 &&
           strcmp(table, session->base.table->name) == 0 &&
           strcmp(key, session->base.table->facts[KEY_NAME]) == 0;
}

int session_send(struct pgsql_session *session, const struct sql_statement *statement,
                 struct err *err)
{
    PGconn *const conn = session->connection.conn;

    if (session->base.compiled) {
        for (size_t i = 0; i < statement->param_count; i++)
            bind(session, i, statement->params[i]);
        return PQsendQueryPrepared(conn, statement->name, (int)statement->param_count,
                                   session->values, session->lengths, session->formats, 1);
    }
    if (sql_write_text(&session->base, statement, err) == 0)
        return -1;
    /* A pipeline needs the extended protocol. */
    return PQpipelineStatus(conn) == PQ_PIPELINE_OFF
               ? PQsendQuery(conn, session->base.text)
               : PQsendQueryParams(conn, session->base.text, 0, NULL, NULL, NULL, NULL, 0);
}

/* Runs a statement.  Returns a result of any kind, or NULL with err. */
static PGresult *run(struct pgsql_session *session, const struct sql_statement *statement,
                     struct err *err)
{
    const int sent = session_send(session, statement, err);

    if (sent >= 0)
        return connection_await(&session->connection, statement->label, sent, err);
    connection_roll_back(&session->connection);
    return NULL;
}

static enum outcome execute(struct session *base, const struct sql_statement *statement,
                            uint64_t *changed, struct err *err)
{
    struct pgsql_session *const session = pgsql_session_of(base);
    enum outcome outcome = OUTCOME_HIT;

    if (statement->is == SQL_CREATE && session->connection.in_transaction)
        statement = &base->statements->items[SQL_CREATE_IN_BATCH];
    PGresult *const result = run(session, statement, err);
    const ExecStatusType status = PQresultStatus(result);

    if (result != NULL && changed == NULL && status == PGRES_TUPLES_OK) {
        session->found = result;
        session->row = 0;
        return OUTCOME_HIT;
    }
    if (result == NULL)
        outcome = OUTCOME_ERROR;
    else if (changed != NULL && (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK))
        *changed = strtoull(PQcmdTuples(result), NULL, 10);
    else if ((statement->is == SQL_CREATE || statement->is == SQL_CREATE_LISTED) &&
             is_taken(session, result))
        outcome = OUTCOME_MISS;
    else
        outcome =
            (enum outcome)connection_fail(&session->connection, statement->label, result, err);
    PQclear(result);
    return outcome;
}

static int fetch(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct pgsql_session *const session = pgsql_session_of(base);
    PGresult *const found = session->found;
    const int row = session->row++;
    size_t used = 0;
    int read = 0;

    if (row >= PQntuples(found))
        return 0;
    for (int i = 0; i < (int)statement->column_count && read >= 0; i++) {
        const unsigned column = statement->columns[i];
        struct sql_value *const value = &base->out[column];
        const enum sql_kind kind = base->kinds[column];

        if (kind == SQL_UNUSED)
            continue;
        value->bytes = PQgetvalue(found, row, i);
        value->length = (uint32_t)PQgetlength(found, row, i);
        value->is_null = value->length == 0; /* "" counts as NULL */
        if (value->is_null)
            continue;
        read = base->compiled ? read_binary(value, kind, column == SQL_ADDRESS)
               : kind == SQL_BYTES
                   ? read_hex(value, session->bytes + used, sizeof session->bytes - used)
                   : sql_read_text(value, kind, value->bytes, value->length);
        used += read > 0 ? (size_t)read : 0;
    }
    if (read >= 0)
        return 1;
    connection_roll_back(&session->connection);
    return err_set(err, "pgsql: %s: a value does not fit a lease", statement->label);
}

static int finish(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct pgsql_session *const session = pgsql_session_of(base);

    (void)statement;
    (void)err;
    PQclear(session->found);
    session->found = NULL;
    return 0;
}

/* --- Candidates --- */

/* Returns the name of a type by its number in PostgreSQL's pg_type.dat.  A column's integer may
   have any size: the length of a value tells it. */
static const char *type_name(Oid type, bool of_column)
{
    switch (type) {
    case 16:
        return "boolean";
    case 17:
        return "bytea";
    case 20:
        return of_column ? "an integer" : "bigint";
    case 21:
        return of_column ? "an integer" : "smallint";
    case 23:
        return of_column ? "an integer" : "integer";
    case 25:
    case 1042:
    case 1043:
        return "text";
    case 869:
        return "inet";
    case 1184:
        return "timestamp with time zone";
    default:
        return "another type";
    }
}

static int describe(struct connection *connection, const struct sql_statement *statement,
                    struct sql_shape *shape, struct err *err)
{
    PGconn *const conn = connection->conn;
    PGresult *result = connection_result(connection, statement->label,
                                         PQsendPrepare(conn, "", statement->sql, 0, NULL), err);

    *shape = (struct sql_shape){ .param_count = 0 };
    if (result == NULL)
        return -1;
    PQclear(result);
    result = connection_result(connection, statement->label, PQsendDescribePrepared(conn, ""), err);
    if (result == NULL)
        return -1;
    shape->param_count = (size_t)PQnparams(result);
    shape->column_count = (size_t)PQnfields(result);
    for (int i = 0; i < (int)shape->param_count && i < SQL_PARAMS_MAX; i++)
        (void)strcpy(shape->params[i], type_name(PQparamtype(result, i), false));
    for (int i = 0; i < (int)shape->column_count && i < SQL_COLUMNS; i++)
        (void)strcpy(shape->columns[i], type_name(PQftype(result, i), true));
    PQclear(result);
    return 0;
}

/* Returns NULL if PostgreSQL cannot store the string. */
static char *quote(struct session *session, char *out, const char *string, size_t length)
{
    int error = 0;

    if (memchr(string, '\0', length) != NULL)
        return NULL;
    *out++ = '\'';
    out +=
        PQescapeStringConn(pgsql_session_of(session)->connection.conn, out, string, length, &error);
    *out++ = '\'';
    return error != 0 ? NULL : out;
}

const struct sql_dialect pgsql_dialect = {
    .store = "pgsql",
    .mark = '$',
    .sets_key = true,
    .on_conflict = true,
    .bytes = "E'\\\\x", /* for any standard_conforming_strings */
    .time_suffix = "+00",
    .has_bool = true,
    .iaid_is_signed = true,
    .time_first_s = FIRST_S,
    .time_last_s = LAST_S,
    .time_compared_s = LAST_S,
    .quote = quote,
    .execute = execute,
    .fetch = fetch,
    .finish = finish,
    .commits_first = true,
    .skips = "SELECT ubench_flq_pick_skipping",
    .call = "SELECT",
    .analyze = "ANALYZE",
    .trips = &pgsql_trips,
    .catalogue = &pgsql_catalogue,
    .rows = connection_rows,
    .change = connection_change,
    .describe = describe,
    .counts_rows = true,
};
