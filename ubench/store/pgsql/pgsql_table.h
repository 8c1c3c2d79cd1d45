/* SPDX-License-Identifier: ISC */
/* The lease table: what there is in the database, and how it is made. */
#ifndef UBENCH_STORE_PGSQL_PGSQL_TABLE_H
#define UBENCH_STORE_PGSQL_PGSQL_TABLE_H

#include "store/pgsql/pgsql_connection.h"
#include "store/sql/ownership.h"

/* The types of columns, by PostgreSQL's own numbers for them, which are the
   same on every server (pg_type.dat). */
enum {
    PGSQL_BOOL = 16,
    PGSQL_BYTEA = 17,
    PGSQL_INT8 = 20,
    PGSQL_INT2 = 21,
    PGSQL_INT4 = 23,
    PGSQL_TEXT = 25,
    PGSQL_INET = 869,
    PGSQL_VARCHAR = 1043,
    PGSQL_TIMESTAMPTZ = 1184,
};

struct lease_table {
    struct sql_table base;
    uint64_t subnets;
    bool reservations; /* and a table of them */
    char oid[SQL_FACT_SIZE];
    char prefix[134]; /* its schema, quoted where it has to be, and a
                         dot */
    char key_name[SQL_FACT_SIZE]; /* of the primary key */
    Oid types[SQL_VALUES];        /* of the statements' values */
    char persistence;             /* pg_class.relpersistence: p, u or t */
    bool can_truncate;            /* and nothing would go unnoticed by it */
    char
        indexes[SQL_FACT_SIZE]; /* secondary ones: "(hwaddr, subnet_id), ..." */
    unsigned triggers;
};

/*
 * Keeps other runs of ubench off these tables for as long as the connection
 * lives: each of two would take the other's leases for wrong answers.  A run
 * that just ended may need a moment to let go.  *holder is the server's process
 * for the connection that has the lock, 0 at first: one that is lost, and whose
 * process has not noticed, loses it.  Returns 0, or -1 with err: ERR_BUSY, if
 * another run has it.
 */
int table_lock(struct connection *connection, int *holder, struct err *err);

/*
 * Refuses what is not ours, makes what is missing and empties the rest, unless
 * it is to be kept, and fills in *table.  Returns 0, or -1 with err.
 */
int table_open(struct lease_table *table, struct connection *connection,
               const struct store_config *config, bool unlogged,
               struct err *err);

void table_close(struct connection *connection);

/* Returns 0 if the table's name means that table on this connection, else -1
   with err. */
int table_check(const struct lease_table *table, struct connection *connection,
                struct err *err);

/* Removes every lease and what they leave behind.  0, or -1 with err. */
int table_empty(const struct lease_table *table, struct connection *connection,
                struct err *err);

/* "permanent", "unlogged" or "temporary". */
const char *table_persistence(const struct lease_table *table);

#endif
