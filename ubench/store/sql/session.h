/* SPDX-License-Identifier: ISC */
/*
 * A session of a store that uses SQL: its statements, and the operations that
 * run them.  Each store has it as the first member of its own.  What the stores
 * differ in is one constant in each store's directory, a struct sql_dialect.
 */
#ifndef UBENCH_STORE_SQL_SESSION_H
#define UBENCH_STORE_SQL_SESSION_H

#include "store/backend.h"
#include "store/sql/columns.h"

struct connection;
struct sql_dialect;
struct sql_shape;
struct sql_objects;

/* --- The statements (statements.c) --- */

/* They are Kea's: see its MySqlLeaseMgr and PgSqlLeaseMgr. */
enum sql_statement_name {
    SQL_CREATE,
    SQL_CREATE_IN_BATCH, /* only where on_conflict; the driver's own choice */
    SQL_FIND_BY_ADDRESS, /* these as in enum lookup, and in its order */
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
    SQL_STATEMENT_SIZE = 4096,
    SQL_LABEL_SIZE = 160,
    SQL_PARAMS_MAX = SQL_COLUMNS + 2,
    SQL_MARKS_MAX = 40,
};

/* Where a parameter stands in the text: "?" or "$12". */
struct sql_mark {
    unsigned short at;
    unsigned char length;
    unsigned char param; /* from 0 */
};

struct sql_statement {
    enum sql_statement_name is;
    const char *name;             /* on a server and in files of --sql: "create" */
    char label[SQL_LABEL_SIZE];   /* in errors: its name, with the file and line of a candidate */
    char sql[SQL_STATEMENT_SIZE]; /* "": there is no need of it */
    size_t param_count;
    /* The values of its parameters in their order, as enum sql_column. */
    unsigned char params[SQL_PARAMS_MAX];
    size_t column_count; /* 0: it gives no rows */
    unsigned char columns[SQL_COLUMNS];
    size_t mark_count;
    struct sql_mark marks[SQL_MARKS_MAX];
    bool calls; /* a procedure of a user's: CALL ... */
};

struct sql_statements {
    const struct sql_dialect *dialect;
    const struct sql_table *table;
    struct sql_statement items[SQL_STATEMENTS];
    /* The objects that were there before those of a user's file; NULL: there is nothing to drop. */
    struct sql_objects *before;
};

/* Builds them for a table, which must outlive them. */
void sql_statements_init(struct sql_statements *statements, const struct sql_dialect *dialect,
                         const struct sql_table *table, bool reservations);

/* Notes the marks in the text of a statement, outside quotes and comments.  Returns the number of
   parameters that they stand for, or -1 if there are more than SQL_MARKS_MAX, or of a kind that
   is not the dialect's. */
int sql_statement_find_marks(struct sql_statement *statement, char mark);

/* --- A session --- */

struct sql_dialect {
    const char *store; /* its name, with which its errors begin */

    /* The statements. */
    char mark;        /* stands for a value: '?', or '$' with a number after it */
    bool sets_key;    /* UPDATE names the address, too, as Kea's */
    bool on_conflict; /* in a transaction, INSERT says that it may do nothing: a
                         duplicate key would spoil it */

    /* How values are written where statements are not prepared. */
    const char *bytes;       /* what begins hexadecimal digits and ' */
    const char *time_suffix; /* of a date and time; NULL: a time is a number */
    bool has_bool;           /* true and false, not 1 and 0 */
    bool iaid_is_signed;     /* as a number of 32 bits */
    bool endless_by_start;   /* a lease without end has the time when it began */
    int64_t time_first_s;    /* that can be stored, in Unix seconds, */
    int64_t time_last_s;     /* and the last one, */
    int64_t time_compared_s; /* also the last one to compare with */
    /* Writes a string as a literal and returns its end; NULL if it cannot be
       one.  There is room for 2 * length + 32. */
    char *(*quote)(struct session *session, char *out, const char *string, size_t length);

    /* Runs a statement with the values of session->in, in one round trip.  HIT:
       it has changed *changed rows, or changed is NULL, since it finds rows;
       MISS: it would have inserted a key that is taken. */
    enum outcome (*execute)(struct session *session, const struct sql_statement *statement,
                            uint64_t *changed, struct err *err);
    /* Puts the next row that it found into session->out, where it stays until
       the next call.  1, or 0 if there is none left, or -1 with err. */
    int (*fetch)(struct session *session, const struct sql_statement *statement, struct err *err);
    /* Ends the search, also after an error of fetch.  0, or -1 with err. */
    int (*finish)(struct session *session, const struct sql_statement *statement, struct err *err);

    /* For candidates (candidates.h), through the store's own connection.  rows: runs SQL, and
       gives its rows to take, unless that is NULL.  describe: prepares a statement, and asks for
       its parameters and columns.  0, or -1 with err. */
    const char *const *catalogue; /* SQL that lists all objects: see ownership.h */
    int (*rows)(struct connection *connection, const char *action, const char *sql,
                sql_take_row *take, void *context, struct err *err);
    int (*describe)(struct connection *connection, const struct sql_statement *statement,
                    struct sql_shape *shape, struct err *err);
    bool counts_rows; /* of a change that gives rows, their number is the number of changes */
};

struct sql_value {
    int64_t number;    /* also of a bool; of a time Unix seconds */
    const void *bytes; /* also of text; not ours */
    uint32_t length;
    bool is_null;
};

enum {
    /* A value as text: a host name of quotes alone (2 x 255) or bytes in hexadecimal (2 x 255). */
    SQL_VALUE_SIZE = 640,
    SQL_TEXT_SIZE = SQL_STATEMENT_SIZE + SQL_MARKS_MAX * SQL_VALUE_SIZE,
    SQL_TIME_SIZE = 96,
};

struct session {
    const struct sql_dialect *dialect;
    const struct sql_table *table;
    const struct sql_statements *statements;
    struct store *store;
    struct connection *connection; /* with a server */
    bool compiled;
    enum sql_kind kinds[SQL_VALUES];
    /* A lease, and what else a statement wants, by enum sql_column; and a lease that was found. */
    struct sql_value in[SQL_VALUES];
    struct sql_value out[SQL_VALUES];
    char address[LEASE_ADDRESS_TEXT_SIZE]; /* of lease6, for in */
    char text[SQL_TEXT_SIZE];              /* of a statement that is not compiled */
};

/* The statements are the store's, which must outlive the session. */
void sql_session_init(struct session *session, struct store *store,
                      const struct sql_statements *statements, bool compiled);

/* --- Statements that are not prepared (literals.c) --- */

/* Writes a statement with the values of session->in into session->text, with a
   NUL, and returns its length; 0 with err if a value cannot be written. */
size_t sql_write_text(struct session *session, const struct sql_statement *statement,
                      struct err *err);

/* Writes bytes as hexadecimal digits and returns their end. */
char *sql_write_hex(char *out, const void *bytes, size_t length);

/* Writes Unix seconds as '2030-03-17 17:46:40+00', in UTC and with that suffix,
   and a NUL, into SQL_TIME_SIZE bytes, and returns its end. */
char *sql_write_time(char *out, const char *suffix, int64_t time_s);

/* Reads a value that a server has written, a text with a NUL: a number, true or
   false, a date and time in UTC or with an offset from it at its end ("+00",
   "+05:30"), or bytes as they are.  Returns 0, or -1 if it is something else.
 */
int sql_read_text(struct sql_value *value, enum sql_kind kind, const char *text, size_t length);

/* --- The operations of store/backend.h on leases and reservations --- */

/* The operations that sql/ has, each as what(sql, NAME); what is OPERATION or MEMBER, below. */
#define SQL_OPERATIONS(what)                                                                      \
    what(sql, create) what(sql, find) what(sql, update) what(sql, remove) what(sql, list_expired) \
        what(sql, purge_reclaimed) what(sql, add_reservation) what(sql, find_reservation)

/* For such a list: the declaration of a function, with the type of its member of struct backend;
   and that member of a store's. */
#define OPERATION(store, member) __typeof__(*((struct backend *)NULL)->member) store##_##member;
#define MEMBER(store, member)    .member = store##_##member,

SQL_OPERATIONS(OPERATION)

#endif
