/* SPDX-License-Identifier: ISC */
/* The lease table: what there is in the database, and how it is made. */
#ifndef UBENCH_STORE_MYSQL_MYSQL_TABLE_H
#define UBENCH_STORE_MYSQL_MYSQL_TABLE_H

#include "store/mysql/mysql_connection.h"
#include "store/sql/ownership.h"

struct lease_table {
    struct sql_table base;
    char engine[SQL_FACT_SIZE];  /* read back */
    char options[SQL_FACT_SIZE]; /* of its CREATE TABLE, likewise */
    unsigned triggers;           /* Kea keeps statistics by them */
    char
        indexes[SQL_FACT_SIZE]; /* secondary ones: "(hwaddr, subnet_id), ..." */
};

/* Keeps other runs of ubench off the database, where two would empty each
   other's table: see connection_lock.  Returns 0, or -1 with err. */
int table_lock(struct connection *connection, struct lock_holder *holder,
               struct err *err);

/* Refuses what is not ours; touches nothing.  Returns 0, or -1 with err. */
int table_look(struct connection *connection, struct err *err);

/* Writes the server's name for the engine that is asked for.  Returns 0, or -1
   with err if it has none of that name. */
int table_engine(char *engine, size_t size, struct connection *connection,
                 struct err *err);

/* Looks again, makes what is missing, or empties what is there, unless it is to
   be kept, and fills in *table.  Returns 0, or -1 with err. */
int table_open(struct lease_table *table, const char *engine,
               struct connection *connection, struct err *err);

/* Removes every lease and every reservation.  Returns 0, or -1 with err. */
int table_empty(const struct lease_table *table, struct connection *connection,
                struct err *err);

void table_describe(const struct lease_table *table,
                    struct properties *properties);

#endif
