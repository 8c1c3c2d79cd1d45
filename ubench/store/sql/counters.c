/* SPDX-License-Identifier: ISC */
#include "store/sql/session.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

_Static_assert(LEASE_TYPE_NA == 0, "it is in the SQL");

/* The rows of subnet 1, then as many again until there are enough. */
static size_t seed_table(char *sql, size_t size, const char *table,
                         const char *columns, const char *zeros,
                         uint64_t subnets)
{
    size_t used = (size_t)snprintf(
        sql, size,
        "TRUNCATE TABLE %s; INSERT INTO %s (subnet_id, state, leases%s)"
        " VALUES (1, 0, 0%s), (1, 1, 0%s);",
        table, table, columns, zeros, zeros);

    for (uint64_t have = 1; have < subnets && used < size; have *= 2)
        used += (size_t)snprintf(
            sql + used, size - used,
            "INSERT INTO %s (subnet_id, state, leases%s)"
            " SELECT subnet_id + %" PRIu64 ", state, leases%s FROM %s"
            " WHERE subnet_id + %" PRIu64 " <= %" PRIu64 ";",
            table, columns, have, columns, table, have, subnets);
    assert(used < size);
    return used;
}

void sql_seed_counters(char sql[static COUNTER_SQL_SIZE],
                       enum lease_family family, uint64_t subnets)
{
    const bool v4 = family == LEASE_FAMILY_V4;
    const size_t used = seed_table(
        sql, COUNTER_SQL_SIZE, v4 ? "ubench_lease4_stat" : "ubench_lease6_stat",
        v4 ? "" : ", lease_type", v4 ? "" : ", 0", subnets);

    (void)seed_table(sql + used, COUNTER_SQL_SIZE - used,
                     v4 ? "ubench_lease4_pool_stat" : "ubench_lease6_pool_stat",
                     v4 ? ", pool_id" : ", pool_id, lease_type",
                     v4 ? ", 0" : ", 0, 0", subnets);
}
