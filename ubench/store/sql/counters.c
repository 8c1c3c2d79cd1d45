/* SPDX-License-Identifier: ISC */
#include "store/sql/counters.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* Of lease4 and of lease6. */
static const struct names {
    const char *leases;
    const char *by_subnet;
    const char *by_pool;
    const char *type;       /* what a row says of its type */
    const char *and_type;   /* the same, if it is a column */
    const char *type_first; /* the type that rows are made for */
} names_of[] = {
    [LEASE_FAMILY_V4] = { "lease4", "ubench_lease4_stat",
                          "ubench_lease4_pool_stat", "3", "", "" },
    [LEASE_FAMILY_V6] = { "lease6", "ubench_lease6_stat",
                          "ubench_lease6_pool_stat", "lease_type",
                          ", lease_type", ", 0" },
};
_Static_assert(LEASE_TYPE_V4 == 3 && LEASE_TYPE_NA == 0, "see above");

/* The rows of subnet 1, then as many again until there are enough. */
static size_t seed_table(char *sql, size_t size, const char *table,
                         const char *more_columns, const char *more_values,
                         uint64_t subnets, const char *empty)
{
    size_t used = (size_t)snprintf(sql, size,
                                   "%s %s;"
                                   "INSERT INTO %s (subnet_id%s, state, leases)"
                                   " VALUES (1%s, 0, 0), (1%s, 1, 0);",
                                   empty, table, table, more_columns,
                                   more_values, more_values);

    for (uint64_t have = 1; have < subnets && used < size; have *= 2)
        used += (size_t)snprintf(
            sql + used, size - used,
            "INSERT INTO %s (subnet_id%s, state, leases)"
            " SELECT subnet_id + %" PRIu64 "%s, state, leases FROM %s"
            " WHERE subnet_id + %" PRIu64 " <= %" PRIu64 ";",
            table, more_columns, have, more_columns, table, have, subnets);
    assert(used < size);
    return used;
}

void counter_sql_seed(char sql[static COUNTER_SQL_SIZE],
                      enum lease_family family, uint64_t subnets,
                      const char *empty)
{
    const struct names *const names = &names_of[family];
    char columns[32];
    char values[16];
    const size_t used =
        seed_table(sql, COUNTER_SQL_SIZE, names->by_subnet, names->and_type,
                   names->type_first, subnets, empty);

    (void)snprintf(columns, sizeof columns, ", pool_id%s", names->and_type);
    (void)snprintf(values, sizeof values, ", 0%s", names->type_first);
    (void)seed_table(sql + used, COUNTER_SQL_SIZE - used, names->by_pool,
                     columns, values, subnets, empty);
}

void counter_sql_read(char sql[static COUNTER_SQL_SIZE],
                      enum lease_family family, enum counters which)
{
    const struct names *const names = &names_of[family];

    if (which == COUNTERS_OF_LEASES)
        (void)snprintf(sql, COUNTER_SQL_SIZE,
                       "SELECT subnet_id, pool_id, %s, state, COUNT(*)"
                       " FROM %s GROUP BY subnet_id, pool_id%s, state",
                       names->type, names->leases, names->and_type);
    else
        (void)snprintf(
            sql, COUNTER_SQL_SIZE,
            "SELECT subnet_id, %s, %s, state, leases FROM %s",
            which == COUNTERS_BY_SUBNET ? "0" : "pool_id", names->type,
            which == COUNTERS_BY_SUBNET ? names->by_subnet : names->by_pool);
}

int counter_sql_add(struct lease_counts *counts,
                    const int64_t row[static COUNTER_SQL_COLUMNS],
                    const char *store, struct err *err)
{
    const struct lease_kind kind = { .subnet_id = (uint32_t)row[0],
                                     .pool_id = (uint32_t)row[1],
                                     .type = (uint8_t)row[2],
                                     .state = (uint8_t)row[3] };

    return lease_counts_add(counts, &kind, row[4]) == 0
               ? 0
               : err_set(err, "%s: out of memory", store);
}
