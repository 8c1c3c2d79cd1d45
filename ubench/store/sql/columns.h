/* SPDX-License-Identifier: ISC */
/*
 * The columns of lease4 and lease6, once for all stores that speak SQL, and
 * what else a statement may have as a value.
 */
#ifndef UBENCH_STORE_SQL_COLUMNS_H
#define UBENCH_STORE_SQL_COLUMNS_H

#include <stdbool.h>

#include "core/err.h"
#include "store/backend.h"

/* In the order of the statements. */
enum sql_column {
    SQL_ADDRESS,
    SQL_HWADDR,
    SQL_CLIENT_ID, /* of lease6: duid */
    SQL_VALID_LIFETIME,
    SQL_EXPIRE,
    SQL_SUBNET_ID,
    SQL_FQDN_FWD,
    SQL_FQDN_REV,
    SQL_HOSTNAME,
    SQL_STATE,
    SQL_LEASE_TYPE,
    SQL_IAID,
    SQL_PREF_LIFETIME,
    SQL_PREFIX_LEN,
    SQL_USER_CONTEXT,
    SQL_RELAY_ID,
    SQL_REMOTE_ID,
    SQL_HWTYPE,
    SQL_HWADDR_SOURCE,
    SQL_POOL_ID,
    SQL_COLUMNS,
    /* Values that no column of a lease has: the time that a statement asks by
       (a lease's old expire, now, before), LIMIT, */
    SQL_TIME_ASKED = SQL_COLUMNS,
    SQL_LIMIT,
    /* and the columns of ubench_hosts. */
    SQL_HOST_ADDRESS,
    SQL_HOST_ID,
    SQL_HOST_IDENTIFIER,
    SQL_HOST_TYPE,
    SQL_HOST_SUBNET,
    SQL_HOST_NAME,
    SQL_HOST_CONTEXT,
    SQL_VALUES,
};

enum sql_kind {
    SQL_NUMBER,
    SQL_BOOL,
    SQL_TIME,
    SQL_BYTES,
    SQL_TEXT,
    SQL_UNUSED, /* Kea has it, a lease here does not: it is NULL */
};

enum sql_dialect_name {
    SQL_SQLITE,
    SQL_MYSQL,
    SQL_PGSQL,
    SQL_DIALECT_NAMES,
};

/* Gets a row as text; NULL is SQL's. */
typedef void sql_take_row(void *context, const char *const *row);

enum { SQL_FACTS = 5, SQL_FACT_SIZE = 256 };

/* A lease table. */
struct sql_table {
    enum lease_family family;
    enum schema schema;
    const char *name; /* lease4 or lease6 */
    bool has[SQL_COLUMNS];
    enum sql_kind kinds[SQL_VALUES]; /* an address of lease6 is bytes or text */
    /* On a server. */
    const char *prefix; /* goes before its name: "public." */
    bool made_by_us;    /* else the owner of the database made it */
    unsigned triggers;
    char facts[SQL_FACTS][SQL_FACT_SIZE]; /* each store's own */
};

/* With all columns of its schema, or without any. */
void sql_table_init(struct sql_table *table, const struct store_config *config, bool whole);

/* "lease4", "lease6" and "lean", "kea", "kea+stats". */
const char *sql_table_name(enum lease_family family);
const char *sql_schema_name(enum schema schema);

/* The name of a value's column; NULL if the lease table or ubench_hosts has no such. */
const char *sql_column_name(enum lease_family family, unsigned value);

/* A word for any value: the name of its column, "time" or "limit". */
const char *sql_value_name(enum lease_family family, unsigned value);

/* The type of a value in a server's catalogue; NULL in SQLite's. */
const char *sql_column_type(const struct sql_table *table, unsigned value,
                            enum sql_dialect_name dialect);

/* Notes that the table has a column of that name and type.  NULL, or the type
   that it should have, or "" if its schema has none of that name. */
const char *sql_table_add(struct sql_table *table, enum sql_dialect_name dialect, const char *name,
                          const char *type);

/* The names of the columns of Kea's that it lacks, with commas between, or of
   those alone that are needed: one that an owner made may lack what older
   versions of Kea lack. */
void sql_table_missing(const struct sql_table *table, bool needed, char *text, size_t size);

#endif
