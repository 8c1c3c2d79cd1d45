/* SPDX-License-Identifier: ISC */
/*
 * The columns of lease4 and lease6 for all stores that use SQL, and the other values of statements.
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
    SQL_CLIENT_ID, /* lease6: duid */
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
    /* Values without a column in a lease table.  First the time that a statement compares with: the
       lease's old expire, or now. */
    SQL_TIME_ASKED = SQL_COLUMNS,
    SQL_LIMIT,
    SQL_POOL_FIRST, /* the first and the last address of a pool */
    SQL_POOL_LAST,
    SQL_CHANGED, /* the number of rows that a function has changed */
    /* The columns of ubench_hosts. */
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
    SQL_UNUSED, /* a column of Kea's that ubench leaves NULL */
};

enum sql_dialect_name {
    SQL_SQLITE,
    SQL_MYSQL,
    SQL_PGSQL,
    SQL_DIALECT_NAMES,
};

/* Receives a row as strings; NULL is SQL's NULL. */
typedef void sql_take_row(void *context, const char *const *row);

enum { SQL_FACTS = 5, SQL_FACT_SIZE = 256 };

/* A lease table. */
struct sql_table {
    enum lease_family family;
    enum schema schema;
    const char *name; /* lease4 or lease6 */
    bool has[SQL_COLUMNS];
    enum sql_kind kinds[SQL_VALUES]; /* the address of lease6 is bytes or text */
    /* Servers only: */
    const char *prefix; /* prefix of its name */
    bool made_by_us;    /* created by ubench, not by the database's owner */
    unsigned triggers;
    char facts[SQL_FACTS][SQL_FACT_SIZE]; /* defined by each store */
};

/* Initialises a table of config's family and schema, with all columns (whole) or none. */
void sql_table_init(struct sql_table *table, const struct store_config *config, bool whole);

/* Return "lease4" or "lease6", and "lean", "kea" or "kea+stats". */
const char *sql_table_name(enum lease_family family);
const char *sql_schema_name(enum schema schema);

/* Returns the name of a value's column; NULL if the lease table and ubench_hosts have none for
   it. */
const char *sql_column_name(enum lease_family family, unsigned value);

/* Returns a name for any value: that of its column, "time" or "limit". */
const char *sql_value_name(enum lease_family family, unsigned value);

/* Returns the type of a value in a server's catalogue; NULL for SQLite. */
const char *sql_column_type(const struct sql_table *table, unsigned value,
                            enum sql_dialect_name dialect);

/* Records a column of the table.  Returns NULL; the type that it should have; or "" if the schema
   has no column of that name. */
const char *sql_table_add(struct sql_table *table, enum sql_dialect_name dialect, const char *name,
                          const char *type);

/* Writes the names of Kea's columns that the table lacks, separated by commas; with needed, only of
   those that statements need: a table that its owner created may lack columns that older versions
   of Kea lack. */
void sql_table_missing(const struct sql_table *table, bool needed, char *text, size_t size);

#endif
