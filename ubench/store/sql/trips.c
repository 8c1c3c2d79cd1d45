/* SPDX-License-Identifier: ISC */
/* Several questions in one round trip: in a pipeline, or as a call of a stored procedure. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "store/sql/session.h"

/* The procedures, by packet: their names without the family, and their parameters; none: all
   columns of the lease. */
static const struct call {
    const char *name;
    unsigned families;
    unsigned char params[LEASE_FAMILY_V6 + 1][4];
    size_t counts[LEASE_FAMILY_V6 + 1];
    bool picks; /* its last argument says whether the pick skips locked rows */
} calls[PACKETS] = {
    [PACKET_DISCOVER] = { "ubench_discover",
                          1u << LEASE_FAMILY_V4 | 1u << LEASE_FAMILY_V6,
                          { { SQL_CLIENT_ID, SQL_HWADDR, SQL_ADDRESS },
                            { SQL_CLIENT_ID, SQL_IAID, SQL_LEASE_TYPE, SQL_ADDRESS } },
                          { 3, 4 } },
    [PACKET_REQUEST] = { .name = "ubench_request",
                         .families = 1u << LEASE_FAMILY_V4 | 1u << LEASE_FAMILY_V6 },
    [PACKET_REBOOT] = { .name = "ubench_reboot", .families = 1u << LEASE_FAMILY_V4 },
    [PACKET_RENEW] = { .name = "ubench_renew", .families = 1u << LEASE_FAMILY_V6 },
    [PACKET_END] = { .name = "ubench_end",
                     .families = 1u << LEASE_FAMILY_V4 | 1u << LEASE_FAMILY_V6 },
    [PACKET_REMOVE] = { "ubench_remove",
                        1u << LEASE_FAMILY_V4 | 1u << LEASE_FAMILY_V6,
                        { { SQL_ADDRESS }, { SQL_ADDRESS, SQL_LEASE_TYPE } },
                        { 1, 2 } },
};

/* The procedures for tables with a free list. */
static const struct call listed_calls[PACKETS] = {
    [PACKET_DISCOVER] = { "ubench_discover_listed",
                          1u << LEASE_FAMILY_V4,
                          { { SQL_CLIENT_ID, SQL_HWADDR, SQL_POOL_FIRST, SQL_POOL_LAST } },
                          { 4 },
                          true },
    [PACKET_REQUEST] = { .name = "ubench_request_listed", .families = 1u << LEASE_FAMILY_V4 },
};

/* Appends the marks of the parameters; for a function each with its type, by which the function is
   found: a literal does not show it. */
static void add_params(struct sql_statement *statement, const struct sql_statements *all,
                       const unsigned char *params, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_append(statement->sql, SQL_STATEMENT_SIZE, ", ");
        sql_statement_add_mark(statement, all->dialect, params[i]);
        if (all->dialect->trips->selects)
            text_append(statement->sql, SQL_STATEMENT_SIZE, "::%s",
                        sql_column_type(all->table,
                                        params[i] < SQL_COLUMNS ? params[i] : SQL_ADDRESS,
                                        SQL_PGSQL));
    }
}

static void build(struct sql_statement *statement, const struct sql_statements *all,
                  const struct call *call)
{
    const enum lease_family family = all->table->family;
    unsigned char columns[SQL_COLUMNS];
    size_t count = 0;

    for (unsigned i = 0; i < SQL_COLUMNS; i++) {
        if (all->table->has[i])
            columns[count++] = (unsigned char)i;
    }
    text_append(statement->sql, SQL_STATEMENT_SIZE, "SELECT ");
    sql_statement_add_columns(statement, all);
    text_append(statement->sql, SQL_STATEMENT_SIZE, " FROM ");
    /* A CALL does not name the columns of its result sets. */
    statement->calls = !all->dialect->trips->selects;
    if (statement->calls)
        (void)strcpy(statement->sql, "CALL ");
    text_append(statement->sql, SQL_STATEMENT_SIZE, "%s%c(", call->name,
                family == LEASE_FAMILY_V6 ? '6' : '4');
    if (call->counts[family] > 0)
        add_params(statement, all, call->params[family], call->counts[family]);
    else
        add_params(statement, all, columns, count);
    if (call->picks)
        text_append(statement->sql, SQL_STATEMENT_SIZE, ", %s",
                    all->free_list == FREE_LIST_SKIP_LOCKED ? "TRUE" : "FALSE");
    text_append(statement->sql, SQL_STATEMENT_SIZE, ")");
    const int params = sql_statement_find_marks(statement, all->dialect->mark);
    assert((size_t)params == statement->param_count);
    (void)params;
}

void sql_calls_init(struct sql_statements *statements)
{
    const bool listed = statements->free_list != FREE_LIST_NONE;

    for (int packet = PACKET_DISCOVER; packet < PACKETS; packet++) {
        const int is = SQL_CALLS + packet - PACKET_DISCOVER;
        struct sql_statement *const statement = &statements->items[is];
        const struct call *const call = listed ? &listed_calls[packet] : &calls[packet];

        statement->is = (enum sql_statement_name)is;
        statement->name = calls[packet].name;
        (void)snprintf(statement->label, sizeof statement->label, "%s", statement->name);
        if ((call->families & 1u << statements->table->family) != 0)
            build(statement, statements, call);
    }
}

/* --- Asking --- */

static int fail(const struct session *session, const struct sql_statement *statement,
                const char *what, struct err *err)
{
    return err_set(err, "%s: %s: %s", session->dialect->store, statement->label, what);
}

/* Ends a round trip.  Returns status, or -1 with err if only this failed. */
static int settle(struct session *session, const struct sql_statement *statement, int status,
                  bool *rest, struct err *err)
{
    struct err second;
    const int settled =
        session->dialect->trips->settle(session, statement, rest, status == 0 ? err : &second);

    return status == 0 ? settled : status;
}

static int ask_in_pipeline(struct session *session, struct question *questions, size_t count,
                           struct err *err)
{
    const struct sql_trips *const trips = session->dialect->trips;
    const struct sql_statement *statement = NULL;
    bool rest = false;
    int status = 0;

    for (size_t i = 0; i < count && status == 0; i++) {
        statement = sql_put_search(session, questions[i].by, questions[i].lease);
        status = trips->send(session, statement, i + 1 == count, err);
    }
    for (size_t i = 0; i < count && status == 0; i++) {
        struct question *const question = &questions[i];

        statement = &session->statements->items[SQL_FIND_BY_ADDRESS + (unsigned)question->by];
        status = trips->receive(session, statement, err);
        if (status == 0)
            question->outcome =
                sql_read_found(session, statement, question->by, question->found, err);
        if (status == 0 && question->outcome == OUTCOME_ERROR)
            status = -1;
    }
    return settle(session, statement, status, &rest, err);
}

/* Returns the pick among the questions, or NULL. */
static const struct question *find_pick(const struct question *questions, size_t count)
{
    size_t i = 0;

    while (i < count && questions[i].kind != QUESTION_PICK)
        i++;
    return i < count ? &questions[i] : NULL;
}

static bool is_change(const struct question *question)
{
    return question->kind != QUESTION_FIND && question->kind != QUESTION_PICK;
}

/* Sets the values of a call: of the lease to be stored or removed, or of the client and the address
   that it may get or the pool. */
static int put_call(struct session *session, const struct sql_statement *statement,
                    const struct question *questions, size_t count, struct err *err)
{
    const struct question *const last = &questions[count - 1];
    const struct question *const pick = find_pick(questions, count);

    if (is_change(last))
        return sql_put_lease(session, last->lease, statement->is, err);
    if (sql_put_lease(session, questions->lease, statement->is, err) != 0)
        return -1;
    if (pick != NULL)
        sql_put_pool(session, pick->lease->address, pick->count);
    else
        sql_put_address(session, last->lease->address);
    return 0;
}

static int read_answers(struct session *session, const struct sql_statement *statement,
                        struct question *questions, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        struct question *const question = &questions[i];

        question->outcome =
            session->dialect->trips->answer(session, statement, question->kind, i, err);
        if (question->outcome == OUTCOME_HIT && question->kind == QUESTION_PICK)
            question->found->address = lease_address_v4((uint32_t)session->out[SQL_ADDRESS].number);
        if (question->outcome == OUTCOME_HIT && question->kind == QUESTION_FIND)
            question->outcome = sql_get_lease(session, statement->is, question->found, err);
        if (question->outcome == OUTCOME_ERROR)
            return -1;
    }
    return 0;
}

static int ask_procedure(struct session *session, enum packet packet, struct question *questions,
                         size_t count, struct err *err)
{
    const struct sql_statement *const statement =
        &session->statements->items[SQL_CALLS + (int)packet - PACKET_DISCOVER];
    bool rest = false;

    if (put_call(session, statement, questions, count, err) != 0 ||
        session->dialect->execute(session, statement, NULL, err) == OUTCOME_ERROR)
        return -1;
    int status = read_answers(session, statement, questions, count, err);
    status = settle(session, statement, status, &rest, err);
    /* After a MISS the procedure may have gone on otherwise; the caller judges the MISS. */
    return status == 0 && rest && questions[count - 1].outcome == OUTCOME_HIT
               ? fail(session, statement, "more than one lease has that key", err)
               : status;
}

int sql_ask_together(struct session *session, enum packet packet, struct question *questions,
                     size_t count, struct err *err)
{
    return packet == PACKET_NONE ? ask_in_pipeline(session, questions, count, err)
                                 : ask_procedure(session, packet, questions, count, err);
}
