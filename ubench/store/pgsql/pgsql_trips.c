/* SPDX-License-Identifier: ISC */
/*
 * Several questions in one round trip: libpq's pipeline mode, and functions that return the
 * answers as rows.
 */
#include "store/pgsql/pgsql_store.h"

/* The searches are one transaction without a write, which PQpipelineSync ends. */
static int send_search(struct session *base, const struct sql_statement *statement, bool last,
                       struct err *err)
{
    struct pgsql_session *const session = pgsql_session_of(base);
    struct connection *const connection = &session->connection;
    PGconn *const conn = connection->conn;
    int sent = 1;

    if (connection->link.lost)
        return err_set_class(err, ERR_LOST, "pgsql: %s: the connection is lost", statement->label);
    if (PQpipelineStatus(conn) == PQ_PIPELINE_OFF) {
        session->synced = false;
        sent = PQenterPipelineMode(conn);
    }
    if (sent > 0)
        sent = session_send(session, statement, err);
    if (sent > 0 && last) {
        session->synced = true;
        sent = PQpipelineSync(conn);
    }
    if (sent > 0)
        return 0;
    return sent < 0 ? -1 : connection_fail(connection, statement->label, NULL, err);
}

static int receive(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct pgsql_session *const session = pgsql_session_of(base);

    /* In a pipeline, no result follows those of one statement. */
    session->found = connection_result(&session->connection, statement->label, 1, err);
    session->row = 0;
    return session->found != NULL ? 0 : -1;
}

/* A row whose address is NULL is a MISS; that of a change is the lease as it was stored. */
static enum outcome answer(struct session *base, const struct sql_statement *statement,
                           enum question_kind kind, size_t i, struct err *err)
{
    const int more = pgsql_dialect.fetch(base, statement, err);

    (void)kind;
    (void)i;
    if (more < 0)
        return OUTCOME_ERROR;
    return more > 0 && !base->out[SQL_ADDRESS].is_null ? OUTCOME_HIT : OUTCOME_MISS;
}

/* Reads the results of a pipeline up to its end, which also follows an error. */
static void drain(struct pgsql_session *session)
{
    struct connection *const connection = &session->connection;
    PGconn *const conn = connection->conn;
    ExecStatusType status = PGRES_EMPTY_QUERY;

    if (!session->synced)
        (void)PQpipelineSync(conn);
    watchdog_toggle(&connection->link.watched);
    while (status != PGRES_PIPELINE_SYNC && PQstatus(conn) == CONNECTION_OK) {
        PGresult *const result = PQgetResult(conn);

        status = PQresultStatus(result);
        PQclear(result);
    }
    watchdog_toggle(&connection->link.watched);
    (void)PQexitPipelineMode(conn);
}

static int settle(struct session *base, const struct sql_statement *statement, bool *rest,
                  struct err *err)
{
    struct pgsql_session *const session = pgsql_session_of(base);
    PGconn *const conn = session->connection.conn;

    *rest = session->found != NULL && session->row < PQntuples(session->found);
    PQclear(session->found);
    session->found = NULL;
    if (PQpipelineStatus(conn) == PQ_PIPELINE_OFF)
        return 0;
    drain(session);
    return PQstatus(conn) == CONNECTION_OK
               ? 0
               : connection_fail(&session->connection, statement->label, NULL, err);
}

const struct sql_trips pgsql_trips = {
    .selects = true,
    .send = send_search,
    .receive = receive,
    .answer = answer,
    .settle = settle,
};
