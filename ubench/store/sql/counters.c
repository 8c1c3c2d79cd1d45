/* SPDX-License-Identifier: ISC */
#include "store/sql/counters.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* The counters of lease4 and of lease6. */
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

/* The rows of subnet 1, then as many again until there are enough.  pool and
   no_pool: the column of the pool and its value, or "". */
static size_t seed_table(char *sql, size_t size, const struct names *names,
                         const char *pool, const char *no_pool,
                         uint64_t subnets)
{
    const char *const table =
        pool[0] != '\0' ? names->by_pool : names->by_subnet;
    const char *const type = names->and_type;
    const char *const first = names->type_first;
    size_t used = (size_t)snprintf(
        sql, size,
        "TRUNCATE TABLE %s; INSERT INTO %s (subnet_id, state, leases%s%s)"
        " VALUES (1, 0, 0%s%s), (1, 1, 0%s%s);",
        table, table, pool, type, no_pool, first, no_pool, first);

    for (uint64_t have = 1; have < subnets && used < size; have *= 2)
        used += (size_t)snprintf(
            sql + used, size - used,
            "INSERT INTO %s (subnet_id, state, leases%s%s)"
            " SELECT subnet_id + %" PRIu64 ", state, leases%s%s FROM %s"
            " WHERE subnet_id + %" PRIu64 " <= %" PRIu64 ";",
            table, pool, type, have, pool, type, table, have, subnets);
    assert(used < size);
    return used;
}

void counter_sql_seed(char sql[static COUNTER_SQL_SIZE],
                      enum lease_family family, uint64_t subnets)
{
    const struct names *const names = &names_of[family];
    const size_t used =
        seed_table(sql, COUNTER_SQL_SIZE, names, "", "", subnets);

    (void)seed_table(sql + used, COUNTER_SQL_SIZE - used, names, ", pool_id",
                     ", 0", subnets);
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
