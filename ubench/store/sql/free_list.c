/* SPDX-License-Identifier: ISC */
/* The list of free addresses that servers share: what is not timed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sql/session.h"

enum { FREE_LIST_SQL_SIZE = 256 };

int sql_make_free_list(struct session *session, struct lease_address first, uint64_t count,
                       struct err *err)
{
    const struct sql_dialect *const dialect = session->dialect;
    char sql[FREE_LIST_SQL_SIZE];

    (void)snprintf(sql, sizeof sql, "%s ubench_flq_create(%" PRIu64 ", %" PRIu64 ")", dialect->call,
                   first.low, first.low + count - 1);
    if (dialect->rows(session->connection, "make_free_list", sql, NULL, NULL, err) != 0)
        return -1;
    (void)snprintf(sql, sizeof sql, "%s free_lease4", dialect->analyze);
    return dialect->rows(session->connection, "make_free_list", sql, NULL, NULL, err);
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
