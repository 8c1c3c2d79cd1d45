/* SPDX-License-Identifier: ISC */
/*
 * What the stores that speak SQL differ in, one constant in each store's directory;
 * all else of statements.h, literals.h and operations.h is the same for them.
 */
#ifndef UBENCH_STORE_SQL_DIALECT_H
#define UBENCH_STORE_SQL_DIALECT_H

#include "store/backend.h"
#include "store/sql/columns.h"

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

struct sql_dialect {
    const char *store; /* its name, with which its errors begin */

    /* The statements. */
    char mark;     /* stands for a value: '?' or '$' */
    bool numbered; /* with a number after it, so that a value stands once */
    bool unused_is_null; /* unused columns are NULL in the text, not bound */
    bool sets_key;       /* UPDATE names the address, too, as Kea's */
    /* A duplicate key spoils a transaction: in one, INSERT says that it may do
       nothing. */
    bool on_conflict;

    /* The values, and how they are written where statements are not prepared.
     */
    const char *bytes;       /* what begins hexadecimal digits and ' */
    const char *time_suffix; /* of a date and time; NULL: a time is a number */
    bool has_bool;           /* true and false, not 1 and 0 */
    bool iaid_is_signed;     /* as a number of 32 bits */
    /* A lease without end has the time when it began, as in Kea. */
    bool endless_by_start;
    /* What a time may be, in Unix seconds, and what one is compared with at
       most. */
    int64_t time_first_s;
    int64_t time_last_s;
    int64_t time_compared_s;
    /* Writes a string as a literal and returns its end; NULL if it cannot be
       one.  There is room for 2 * length + 32. */
    char *(*quote)(struct session *session, char *out, const char *string,
                   size_t length);

    /*
     * Runs a statement with the values of session->in, in one round trip.  HIT:
     * it is done, and *changed says how many rows it changed; MISS: it would
     * have inserted a key that is taken.  changed is NULL for one that finds
     * rows.
     */
    enum outcome (*execute)(struct session *session,
                            enum sql_statement_name name, uint64_t *changed,
                            struct err *err);
    /* Puts the next row that it found into session->out, where it stays until
       the next call.  1, or 0 if there is none left, or -1 with err. */
    int (*fetch)(struct session *session, enum sql_statement_name name,
                 struct err *err);
    /* Ends the search, also after an error of fetch.  0, or -1 with err. */
    int (*finish)(struct session *session, enum sql_statement_name name,
                  struct err *err);
};

#endif
