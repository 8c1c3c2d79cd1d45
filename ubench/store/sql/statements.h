/* SPDX-License-Identifier: ISC */
/* The statements on leases and reservations, which are Kea's (see its
   MySqlLeaseMgr and PgSqlLeaseMgr), in one dialect or another. */
#ifndef UBENCH_STORE_SQL_STATEMENTS_H
#define UBENCH_STORE_SQL_STATEMENTS_H

#include <stddef.h>

#include "store/sql/columns.h"

struct sql_dialect;

enum sql_statement_name {
    SQL_CREATE,
    SQL_CREATE_IN_BATCH, /* only where on_conflict; the driver's own choice */
    SQL_FIND_BY_ADDRESS,
    SQL_FIND_BY_HWADDR,
    SQL_FIND_BY_CLIENT, /* by client-id; lease6: by DUID, IAID and type */
    SQL_FIND_IN_SUBNET, /* the same, of one subnet; lease6 alone */
    SQL_UPDATE,
    SQL_REMOVE,
    SQL_LIST_EXPIRED,
    SQL_PURGE_RECLAIMED,
    SQL_ADD_RESERVATION, /* these two only if there are reservations */
    SQL_FIND_RESERVATION,
    SQL_STATEMENTS,
};

enum {
    SQL_STATEMENT_SIZE = 1024,
    SQL_PARAMS_MAX = SQL_COLUMNS + 2,
};

struct sql_statement {
    char sql[SQL_STATEMENT_SIZE]; /* "": there is no need of it */
    size_t param_count;
    /* The values of its marks in their order, as enum sql_column. */
    unsigned char params[SQL_PARAMS_MAX];
    size_t column_count; /* 0: it gives no rows */
    unsigned char columns[SQL_COLUMNS];
};

struct sql_statements {
    struct sql_statement items[SQL_STATEMENTS];
};

/* The name of a statement in errors and on a server: "create". */
extern const char *const sql_statement_names[SQL_STATEMENTS];

/* Builds them for a table. */
void sql_statements_init(struct sql_statements *statements,
                         const struct sql_dialect *dialect,
                         const struct sql_table *table, bool reservations);

#endif
