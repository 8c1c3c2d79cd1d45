/* SPDX-License-Identifier: ISC */
/*
 * Several questions in one round trip.  The protocol answers one command before the next, but a
 * command may be a text of several statements, or the call of a procedure; either has a result for
 * each.  Prepared statements cannot be sent together.
 */
#include <string.h>

#include "store/mysql/mysql_store.h"

static int send_search(struct session *base, const struct sql_statement *statement, bool last,
                       struct err *err)
{
    struct mysql_session *const session = mysql_session_of(base);
    const size_t length = sql_write_text(base, statement, err);

    if (length == 0 || session->text_length + length + 1 > sizeof session->text) {
        session->text_length = 0;
        return length == 0 ? -1 : err_set(err, "mysql: %s: too long a text", statement->label);
    }
    if (session->text_length > 0)
        session->text[session->text_length++] = ';';
    memcpy(session->text + session->text_length, base->text, length);
    session->text_length += length;
    if (!last)
        return 0;
    connection_toggle(&session->connection);
    const int error = mysql_real_query(session->connection.mysql, session->text,
                                       (unsigned long)session->text_length);
    connection_toggle(&session->connection);
    session->text_length = 0;
    session->is_first = true;
    return error == 0 ? 0 : (int)session_fail(session, statement, err);
}

/* Goes on to the next result of the command.  Returns 1, 0 after the last one, or -1. */
static int next_result(struct mysql_session *session, const struct sql_statement *statement)
{
    MYSQL_STMT *const prepared = session->prepared[statement->is];
    MYSQL *const mysql = session->connection.mysql;

    if (!mysql_more_results(mysql))
        return 0;
    connection_toggle(&session->connection);
    const int status =
        prepared != NULL ? mysql_stmt_next_result(prepared) : mysql_next_result(mysql);
    connection_toggle(&session->connection);
    return status == 0 ? 1 : status < 0 ? 0 : -1;
}

static int receive(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct mysql_session *const session = mysql_session_of(base);
    const int more = session->is_first ? 1 : next_result(session, statement);

    session->is_first = false;
    session->rows = more > 0 ? mysql_use_result(session->connection.mysql) : NULL;
    return session->rows != NULL ? 0 : (int)session_fail(session, statement, err);
}

/* Reads the rest of a result set, which should be empty. */
static int end_rows(struct mysql_session *session, const struct sql_statement *statement,
                    struct err *err)
{
    int more = 1;

    while (more > 0 && (session->has_rows || session->rows != NULL)) {
        more = mysql_dialect.fetch(&session->base, statement, err);
        session->is_double |= more > 0;
        if (more <= 0) {
            mysql_free_result(session->rows);
            session->rows = NULL;
            session->has_rows = false;
        }
    }
    return more < 0 ? -1 : 0;
}

/* Makes the rows of a procedure's next result set ready. */
static int begin_rows(struct mysql_session *session, const struct sql_statement *statement,
                      struct err *err)
{
    bool ready = session->prepared[statement->is] != NULL;

    session->has_rows = ready;
    if (ready) {
        ready = session_bind_columns(session, statement) == 0;
    } else {
        session->rows = mysql_use_result(session->connection.mysql);
        ready = session->rows != NULL;
    }
    return ready ? 0 : (int)session_fail(session, statement, err);
}

/* The result that has no columns is the last one, that of the procedure itself.  MariaDB also
   counts the rows that triggers have changed.  A change by a function has a row instead. */
static enum outcome answer(struct session *base, const struct sql_statement *statement,
                           enum question_kind kind, size_t i, struct err *err)
{
    struct mysql_session *const session = mysql_session_of(base);
    MYSQL *const mysql = session->connection.mysql;

    if (i > 0) {
        if (end_rows(session, statement, err) != 0)
            return OUTCOME_ERROR;
        const int more = next_result(session, statement);
        if (more < 0)
            return session_fail(session, statement, err);
        if (more == 0 || mysql_field_count(mysql) == 0)
            return more > 0 && kind != QUESTION_FIND && mysql_affected_rows(mysql) > 0
                       ? OUTCOME_HIT
                       : OUTCOME_MISS;
        if (begin_rows(session, statement, err) != 0)
            return OUTCOME_ERROR;
    }
    const int found = mysql_dialect.fetch(base, statement, err);
    return found < 0 ? OUTCOME_ERROR : (enum outcome)found;
}

static int settle(struct session *base, const struct sql_statement *statement, bool *rest,
                  struct err *err)
{
    struct mysql_session *const session = mysql_session_of(base);
    int status = end_rows(session, statement, err);
    int more = 1;

    while (status == 0 && (more = next_result(session, statement)) > 0) {
        if (mysql_field_count(session->connection.mysql) == 0)
            continue;
        *rest = true;
        status = begin_rows(session, statement, err);
        if (status == 0)
            status = end_rows(session, statement, err);
    }
    *rest |= session->is_double;
    session->is_double = false;
    session->text_length = 0;
    return status == 0 && more < 0 ? (int)session_fail(session, statement, err) : status;
}

const struct sql_trips mysql_trips = {
    .send = send_search,
    .receive = receive,
    .answer = answer,
    .settle = settle,
};
