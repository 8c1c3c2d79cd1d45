/* SPDX-License-Identifier: ISC */
/*
 * A session of a store with SQL: what operations.h runs a statement
 * with.  Each store has it as the first member of its own.
 */
#ifndef UBENCH_STORE_SQL_SESSION_H
#define UBENCH_STORE_SQL_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "lease/lease.h"
#include "store/sql/columns.h"
#include "store/sql/dialect.h"
#include "store/sql/statements.h"

struct connection;

struct sql_value {
    int64_t number;    /* also of a bool; of a time Unix seconds */
    const void *bytes; /* also of text; not ours */
    uint32_t length;
    bool is_null;
};

/* A lease, and what else a statement wants, by enum sql_column. */
struct sql_row {
    struct sql_value values[SQL_VALUES];
    char address[LEASE_ADDRESS_TEXT_SIZE]; /* of lease6, for values */
};

enum {
    /* A statement, its bytes in hexadecimal (2 x 275), a host name of quotes
       alone (2 x 255), numbers and times: below 3000. */
    SQL_TEXT_SIZE = 4096,
};

struct session {
    const struct sql_dialect *dialect;
    const struct sql_table *table;
    const struct sql_statements *statements;
    struct store *store;
    struct connection *connection; /* with a server */
    bool compiled;
    enum sql_kind kinds[SQL_VALUES];
    struct sql_row in;
    struct sql_row out;
    char text[SQL_TEXT_SIZE]; /* of a statement that is not compiled */
};

/* The members are the store's, which must outlive the session. */
void sql_session_init(struct session *session, struct store *store,
                      const struct sql_dialect *dialect,
                      const struct sql_table *table,
                      const struct sql_statements *statements, bool compiled);

#endif
