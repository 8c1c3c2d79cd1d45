/* SPDX-License-Identifier: ISC */
/* The SQL of the tables and the statements. */
#include "store/sqlite/store.h"

static const char schema_lean[] = {
#include "schema/sqlite-lean.inc"
    0
};

static const char schema_kea[] = {
#include "schema/sqlite-kea.inc"
    0
};

static const char schema_lean6[] = {
#include "schema/sqlite-lean6.inc"
    0
};

static const char schema_kea6[] = {
#include "schema/sqlite-kea6.inc"
    0
};

const char sqlite_schema_hosts[] = {
#include "schema/sqlite-hosts.inc"
    0
};

const char *const sqlite_actions[STATEMENT_COUNT] = {
    [STATEMENT_CREATE] = "create",
    [STATEMENT_FIND_BY_ADDRESS] = "find by address",
    [STATEMENT_FIND_BY_HWADDR] = "find by hwaddr",
    [STATEMENT_FIND_BY_CLIENT_ID] = "find by client-id",
    [STATEMENT_FIND_IN_SUBNET] = "find by client-id and subnet",
    [STATEMENT_UPDATE] = "update",
    [STATEMENT_REMOVE] = "remove",
    [STATEMENT_LIST_EXPIRED] = "list expired leases",
    [STATEMENT_PURGE] = "purge reclaimed leases",
    [STATEMENT_BEGIN] = "begin",
    [STATEMENT_COMMIT] = "commit",
    [STATEMENT_COUNT_LEASES] = "count",
    [STATEMENT_RESET] = "remove all",
    [STATEMENT_ADD_RESERVATION] = "add a reservation",
    [STATEMENT_FIND_RESERVATION] = "find a reservation",
    [STATEMENT_RESET_RESERVATIONS] = "remove all reservations",
};

/*
 * ?1 to ?11 are a lease's values in the order of COLUMNS (see lease_values),
 * what follows is said where it stands.  Kea's other three columns have
 * parameters too, as in its own statements; nothing is ever bound to them, and
 * so they are NULL.  UPDATE leaves out the address, which does not change:
 * SQLite would take the row out and put it in again.  A v6 lease has its values
 * in the order of COLUMNS6, of which the first have the places of v4.
 */
#define COLUMNS                                                      \
    "address, hwaddr, client_id, valid_lifetime, expire, subnet_id," \
    " fqdn_fwd, fqdn_rev, hostname, state, pool_id"
#define KEA_COLUMNS COLUMNS ", user_context, relay_id, remote_id"
#define MARKS       "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11"
#define SET                                                       \
    "hwaddr = ?2, client_id = ?3, valid_lifetime = ?4,"           \
    " expire = ?5, subnet_id = ?6, fqdn_fwd = ?7, fqdn_rev = ?8," \
    " hostname = ?9, state = ?10, pool_id = ?11"
#define KEA_SET SET ", user_context = ?13, relay_id = ?14, remote_id = ?15"

#define COLUMNS6                                                \
    "address, hwaddr, duid, valid_lifetime, expire, subnet_id," \
    " fqdn_fwd, fqdn_rev, hostname, state, pool_id,"            \
    " lease_type, iaid, pref_lifetime, prefix_len"
#define KEA_COLUMNS6 COLUMNS6 ", hwtype, hwaddr_source, user_context"
#define MARKS6       MARKS ", ?12, ?13, ?14, ?15"
#define SET6                                                      \
    "hwaddr = ?2, duid = ?3, valid_lifetime = ?4,"                \
    " expire = ?5, subnet_id = ?6, fqdn_fwd = ?7, fqdn_rev = ?8," \
    " hostname = ?9, state = ?10, pool_id = ?11,"                 \
    " lease_type = ?12, iaid = ?13, pref_lifetime = ?14,"         \
    " prefix_len = ?15"
#define KEA_SET6 SET6 ", hwtype = ?16, hwaddr_source = ?17, user_context = ?19"

#define V4_ADDRESS "address = ?1"
#define V4_CLIENT  "client_id = ?1"
#define V6_ADDRESS "address = ?1 AND lease_type = ?2"
#define V6_CLIENT  "duid = ?1 AND iaid = ?2 AND lease_type = ?3"

#define STATEMENTS(table, columns, marks, set, old_expire, address, client)    \
    {                                                                          \
        [STATEMENT_CREATE] =                                                   \
            ("INSERT INTO " table " (" columns ") VALUES (" marks ")"),        \
        [STATEMENT_FIND_BY_ADDRESS] =                                          \
            ("SELECT " columns " FROM " table " WHERE " address),              \
        [STATEMENT_FIND_BY_HWADDR] =                                           \
            ("SELECT " columns " FROM " table " WHERE hwaddr = ?1"),           \
        [STATEMENT_FIND_BY_CLIENT_ID] =                                        \
            ("SELECT " columns " FROM " table " WHERE " client),               \
        [STATEMENT_FIND_IN_SUBNET] = ("SELECT " columns " FROM " table         \
                                      " WHERE " client " AND subnet_id = ?4"), \
        [STATEMENT_UPDATE] = ("UPDATE " table " SET " set                      \
                              " WHERE address = ?1 AND expire = " old_expire), \
        [STATEMENT_REMOVE] =                                                   \
            ("DELETE FROM " table " WHERE address = ?1 AND expire = ?2"),      \
        [STATEMENT_LIST_EXPIRED] =                                             \
            ("SELECT " columns " FROM " table " WHERE state != 2"              \
             " AND valid_lifetime != 4294967295 AND expire < ?1"               \
             " ORDER BY expire LIMIT ?2"),                                     \
        [STATEMENT_PURGE] =                                                    \
            ("DELETE FROM " table " WHERE state = 2 AND expire < ?1"),         \
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE", [STATEMENT_COMMIT] = "COMMIT",  \
        [STATEMENT_COUNT_LEASES] =                                             \
            ("SELECT count(*) FROM " table " NOT INDEXED"),                    \
        [STATEMENT_RESET] = ("DELETE FROM " table),                            \
        [STATEMENT_ADD_RESERVATION] =                                          \
            "INSERT INTO ubench_hosts (dhcp_identifier_type,"                  \
            " dhcp4_subnet_id, dhcp_identifier, ipv4_address)"                 \
            " VALUES (?1, ?2, ?3, ?4)",                                        \
        [STATEMENT_FIND_RESERVATION] =                                         \
            "SELECT ipv4_address, host_id, dhcp_identifier,"                   \
            " dhcp_identifier_type, dhcp4_subnet_id, hostname, user_context"   \
            " FROM ubench_hosts WHERE dhcp_identifier_type = ?1"               \
            " AND dhcp4_subnet_id = ?2 AND dhcp_identifier = ?3",              \
        [STATEMENT_RESET_RESERVATIONS] = "DELETE FROM ubench_hosts",           \
    }

static const char *const lean_statements[STATEMENT_COUNT] =
    STATEMENTS("lease4", COLUMNS, MARKS, SET, "?12", V4_ADDRESS, V4_CLIENT);
static const char *const kea_statements[STATEMENT_COUNT] =
    STATEMENTS("lease4", KEA_COLUMNS, MARKS ", ?12, ?13, ?14", KEA_SET, "?12",
               V4_ADDRESS, V4_CLIENT);
static const char *const lean6_statements[STATEMENT_COUNT] =
    STATEMENTS("lease6", COLUMNS6, MARKS6, SET6, "?16", V6_ADDRESS, V6_CLIENT);
static const char *const kea6_statements[STATEMENT_COUNT] =
    STATEMENTS("lease6", KEA_COLUMNS6, MARKS6 ", ?16, ?17, ?18", KEA_SET6,
               "?18", V6_ADDRESS, V6_CLIENT);

const struct sqlite_schema *sqlite_schema_of(enum lease_family family,
                                             enum schema schema)
{
    static const struct sqlite_schema v4[] = {
        [SCHEMA_LEAN] = { "lease4", schema_lean, lean_statements,
                          SQLITE_V4_VALUES },
        [SCHEMA_KEA] = { "lease4", schema_kea, kea_statements,
                         SQLITE_V4_VALUES },
    };
    static const struct sqlite_schema v6[] = {
        [SCHEMA_LEAN] = { "lease6", schema_lean6, lean6_statements, 15 },
        [SCHEMA_KEA] = { "lease6", schema_kea6, kea6_statements,
                         SQLITE_VALUES_MAX },
    };

    const enum schema known = schema == SCHEMA_LEAN ? SCHEMA_LEAN : SCHEMA_KEA;

    return family == LEASE_FAMILY_V4 ? &v4[known] : &v6[known];
}
