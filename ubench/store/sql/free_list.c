/* SPDX-License-Identifier: ISC */
/* The list of free addresses that servers share: what is not timed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sql/session.h"

enum {
    FREE_LIST_SQL_SIZE = 256,
    BATCH = 50000, /* addresses in a statement, which must end within the read timeout */
};

static const char action[] = "make_free_list";

static int run(struct session *session, const char *sql, struct err *err)
{
    return session->dialect->rows(session->connection, action, sql, NULL, NULL, err);
}

/* Calls a procedure for a range of addresses. */
static int call(struct session *session, const char *procedure, uint64_t first, uint64_t last,
                struct err *err)
{
    char sql[FREE_LIST_SQL_SIZE];

    (void)snprintf(sql, sizeof sql, "%s %s(%" PRIu64 ", %" PRIu64 ")", session->dialect->call,
                   procedure, first, last);
    return run(session, sql, err);
}

int sql_make_free_list(struct session *session, struct lease_address first, uint64_t count,
                       struct err *err)
{
    const uint64_t end = first.low + count;
    char analyze[FREE_LIST_SQL_SIZE];
    int status = run(session, "TRUNCATE TABLE free_lease4", err);

    if (status == 0)
        status = call(session, "ubench_flq_create", first.low, end - 1, err);
    for (uint64_t at = first.low; at < end && status == 0; at += BATCH)
        status =
            call(session, "ubench_flq_fill", at, at + BATCH < end ? at + BATCH - 1 : end - 1, err);
    (void)snprintf(analyze, sizeof analyze, "%s free_lease4", session->dialect->analyze);
    return status == 0 ? run(session, analyze, err) : -1;
}

struct counts {
    uint64_t free;
    uint64_t leased;
};

static void take_counts(void *context, const char *const *row)
{
    struct counts *const counts = context;

    counts->free = strtoull(row[0], NULL, 10);
    counts->leased = strtoull(row[1], NULL, 10);
}

int sql_count_free(struct session *session, uint64_t *free, uint64_t *leased, struct err *err)
{
    struct counts counts = { 0 };

    if (session->dialect->rows(session->connection, "count_free",
                               "SELECT COUNT(*), COUNT(lease4.address) FROM free_lease4"
                               " LEFT JOIN lease4 ON lease4.address = free_lease4.address"
                               " AND lease4.state <> 2",
                               take_counts, &counts, err) != 0)
        return -1;
    *free = counts.free;
    *leased = counts.leased;
    return 0;
}
