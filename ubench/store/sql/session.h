/* SPDX-License-Identifier: ISC */
/*
 * A session of a store that uses SQL: its statements, and the operations that run them.  It is the
 * first member of each such store's session.  The differences between the stores are in one
 * constant per store, a struct sql_dialect.
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

/* The statements are Kea's: see its MySqlLeaseMgr and PgSqlLeaseMgr. */
enum sql_statement_name {
    SQL_CREATE,
    SQL_CREATE_IN_BATCH, /* only with on_conflict; chosen by the driver */
    SQL_FIND_BY_ADDRESS, /* FIND_BY_* and FIND_IN_SUBNET follow the order of enum lookup */
    SQL_FIND_BY_HWADDR,
    SQL_FIND_BY_CLIENT, /* by client-id; lease6: by DUID, IAID and type */
    SQL_FIND_IN_SUBNET, /* like FIND_BY_CLIENT, in one subnet; lease6 only */
    SQL_UPDATE,
    SQL_REMOVE,
    SQL_LIST_EXPIRED,
    SQL_PURGE_RECLAIMED,
    SQL_ADD_RESERVATION, /* these two only with reservations */
    SQL_FIND_RESERVATION,
    /* Only with a free list.  The first returns SQL_ADDRESS, the others SQL_CHANGED. */
    SQL_PICK_FREE,
    SQL_CREATE_LISTED,
    SQL_UPDATE_LISTED,
    SQL_REMOVE_LISTED,
    SQL_STATEMENTS,
    /* Calls of procedures, in the order of enum packet (trips.c); only with TRIPS_PROCEDURE. */
    SQL_CALLS = SQL_STATEMENTS,
    SQL_ALL_STATEMENTS = SQL_CALLS + PACKETS - PACKET_DISCOVER,
};

/* Returns true for the statements that need a free list. */
static inline bool sql_is_listed(enum sql_statement_name name)
{
    return name >= SQL_PICK_FREE && name <= SQL_REMOVE_LISTED;
}

enum {
    SQL_STATEMENT_SIZE = 4096,
    SQL_LABEL_SIZE = 160,
    SQL_PARAMS_MAX = SQL_COLUMNS + 2,
    SQL_MARKS_MAX = 40,
};

/* The position of a parameter in the text: "?" or "$12". */
struct sql_mark {
    unsigned short at;
    unsigned char length;
    unsigned char param; /* number, from 0 */
};

struct sql_statement {
    enum sql_statement_name is;
    const char *name;             /* on a server and in files of --sql: "create" */
    char label[SQL_LABEL_SIZE];   /* in errors: its name, with the file and line of a candidate */
    char sql[SQL_STATEMENT_SIZE]; /* "": not needed */
    size_t param_count;
    /* The values of its parameters, in their order, as enum sql_column. */
    unsigned char params[SQL_PARAMS_MAX];
    size_t column_count; /* 0: returns no rows */
    unsigned char columns[SQL_COLUMNS];
    size_t mark_count;
    struct sql_mark marks[SQL_MARKS_MAX];
    bool calls; /* CALL of a procedure */
};

struct sql_statements {
    const struct sql_dialect *dialect;
    const struct sql_table *table;
    enum free_list free_list;
    struct sql_statement items[SQL_ALL_STATEMENTS];
    /* The objects that existed before those of a --sql file; NULL: nothing to drop. */
    struct sql_objects *before;
    bool set_up; /* all objects of the file were created, and its statements are right */
};

/* Builds the statements for a table, which must outlive them. */
void sql_statements_init(struct sql_statements *statements, const struct sql_dialect *dialect,
                         const struct sql_table *table, const struct store_config *config);

/* Adds the calls of the procedures for each packet that these tables have. */
void sql_calls_init(struct sql_statements *statements);

/* Append to the text of a statement: the mark of its next parameter, and the names of the table's
   columns, separated by commas. */
void sql_statement_add_mark(struct sql_statement *statement, const struct sql_dialect *dialect,
                            unsigned value);
void sql_statement_add_columns(struct sql_statement *statement, const struct sql_statements *all);

/* Records the marks in a statement's text, outside quotes and comments.  Returns the number of
   parameters, or -1 for more than SQL_MARKS_MAX marks or a mark of another dialect. */
int sql_statement_find_marks(struct sql_statement *statement, char mark);

/* --- A session --- */

/* How questions share a round trip.  Those of a pipeline are sent and then received in the same
   order; those of a procedure are answered one after the other, after its call was executed.
   settle follows both, also an error.  Functions return 0, or -1 with err, unless they say
   otherwise. */
struct sql_trips {
    bool selects; /* a procedure is a function whose answers are the rows of one SELECT, a row of
                     NULL for a MISS; else they are result sets, one for each search, and the number
                     of rows that the call has changed */
    /* Sends a search with the values of session->in, at the latest with the last one. */
    int (*send)(struct session *session, const struct sql_statement *statement, bool last,
                struct err *err);
    /* Makes the rows of the next search ready for fetch; finish follows. */
    int (*receive)(struct session *session, const struct sql_statement *statement, struct err *err);
    /* Reads the answer to question i of a procedure.  HIT of a search: the row is in session->out.
       MISS also of what the procedure has not asked. */
    enum outcome (*answer)(struct session *session, const struct sql_statement *statement,
                           enum question_kind kind, size_t i, struct err *err);
    /* Leaves the connection ready for the next statement.  *rest is set if answers were left. */
    int (*settle)(struct session *session, const struct sql_statement *statement, bool *rest,
                  struct err *err);
};

struct sql_dialect {
    const char *store; /* name; prefix of its errors */

    /* The statements. */
    char mark;        /* parameter mark: '?', or '$' followed by a number */
    bool sets_key;    /* UPDATE also sets the address, as Kea's does */
    bool on_conflict; /* in a transaction, INSERT has ON CONFLICT DO NOTHING: a duplicate key would
                         abort the transaction */

    /* Literals, in statements that are not prepared. */
    const char *bytes;       /* prefix of hexadecimal digits, which end with ' */
    const char *time_suffix; /* suffix of a date and time; NULL: times are numbers */
    bool has_bool;           /* writes true and false, not 1 and 0 */
    bool iaid_is_signed;     /* the IAID is a signed 32-bit number */
    bool endless_by_start;   /* an infinite lease is stored with its start time */
    int64_t time_first_s;    /* first time that can be stored, Unix seconds */
    int64_t time_last_s;     /* last time that can be stored */
    int64_t time_compared_s; /* last time that can be compared with */
    /* Writes a string as a literal of at most 2 * length + 32 bytes and returns its end; NULL if
       the string cannot be a literal. */
    char *(*quote)(struct session *session, char *out, const char *string, size_t length);

    /* Runs a statement with the values of session->in, in one round trip.  HIT: it changed *changed
       rows; changed is NULL for a search.  MISS: the key to insert is taken. */
    enum outcome (*execute)(struct session *session, const struct sql_statement *statement,
                            uint64_t *changed, struct err *err);
    /* Stores the next row of a search in session->out, valid until the next call.  Returns 1, 0
       after the last row, or -1 with err. */
    int (*fetch)(struct session *session, const struct sql_statement *statement, struct err *err);
    /* Ends the search, even after an error of fetch.  Returns 0, or -1 with err. */
    int (*finish)(struct session *session, const struct sql_statement *statement, struct err *err);

    const struct sql_trips *trips; /* NULL: each statement has a round trip of its own */

    /* For free lists; NULL in a store without them. */
    const char *skips;   /* the start of a pick that skips locked rows */
    const char *call;    /* calls a routine without a result: "CALL" */
    const char *analyze; /* updates the statistics of a table: "ANALYZE" */
    /* Kea's update or delete of a lease in a free list is committed by itself.  The transaction
       that Kea begins for it comes afterwards, and is empty. */
    bool commits_first;

    /* Other SQL, on any connection of the store, such as that of candidates (candidates.h).  rows:
       runs SQL and passes its rows to take, unless that is NULL.  change: runs SQL that must be a
       single statement, as the database itself sees it.  describe: prepares a statement and reads
       the types of its parameters and columns.  All return 0, or -1 with err. */
    const char *const *catalogue; /* SQL that lists all objects: see ownership.h */
    int (*rows)(struct connection *connection, const char *action, const char *sql,
                sql_take_row *take, void *context, struct err *err);
    int (*change)(struct connection *connection, const char *action, const char *sql,
                  struct err *err);
    int (*describe)(struct connection *connection, const struct sql_statement *statement,
                    struct sql_shape *shape, struct err *err);
    bool counts_rows; /* for a change that returns rows, their number is the number of changes */
};

struct sql_value {
    int64_t number;    /* also a bool, or a time in Unix seconds */
    const void *bytes; /* bytes or text, not owned */
    uint32_t length;
    bool is_null;
};

enum {
    /* Longest value as text: a hostname of quotes only (2 x 255) or bytes in hexadecimal (2 x
       255). */
    SQL_VALUE_SIZE = 640,
    SQL_TEXT_SIZE = SQL_STATEMENT_SIZE + SQL_MARKS_MAX * SQL_VALUE_SIZE,
    SQL_TIME_SIZE = 96,
};

struct session {
    const struct sql_dialect *dialect;
    const struct sql_table *table;
    const struct sql_statements *statements;
    struct store *store;
    struct connection *connection; /* only for servers */
    bool compiled;
    bool grouped; /* between begin and commit; only for servers */
    enum sql_kind kinds[SQL_VALUES];
    /* The values of a statement (a lease and others), by enum sql_column; and those of a lease that
       was found. */
    struct sql_value in[SQL_VALUES];
    struct sql_value out[SQL_VALUES];
    char address[LEASE_ADDRESS_TEXT_SIZE]; /* of lease6, for in */
    char text[SQL_TEXT_SIZE];              /* of a statement that is not prepared */
};

/* Initialises a session.  The statements are owned by the store and must outlive the session. */
void sql_session_init(struct session *session, struct store *store,
                      const struct sql_statements *statements, bool compiled);

/* --- Values and rows of the operations (operations.c), for trips.c --- */

/* Sets the values of a lease.  Returns 0, or -1 with err if the store cannot keep it. */
int sql_put_lease(struct session *session, const struct lease *lease, enum sql_statement_name name,
                  struct err *err);
void sql_put_address(struct session *session, struct lease_address address);
void sql_put_pool(struct session *session, struct lease_address first, uint64_t count);

/* Sets the values of a search and returns its statement. */
const struct sql_statement *sql_put_search(struct session *session, enum lookup by,
                                           const struct lease *like);

/* Reads the rows of a search, which was executed, and finishes it.  ERROR with err if there are
   two. */
enum outcome sql_read_found(struct session *session, const struct sql_statement *statement,
                            enum lookup by, struct lease *found, struct err *err);

/* Makes a lease of session->out.  HIT, or ERROR with err. */
enum outcome sql_get_lease(const struct session *session, enum sql_statement_name name,
                           struct lease *lease, struct err *err);

/* --- Statements that are not prepared (literals.c) --- */

/* Writes a statement with the values of session->in to session->text, ended by NUL, and returns its
   length; 0 with err if a value cannot be written. */
size_t sql_write_text(struct session *session, const struct sql_statement *statement,
                      struct err *err);

/* Writes bytes as hexadecimal digits and returns the end. */
char *sql_write_hex(char *out, const void *bytes, size_t length);

/* Writes Unix seconds in UTC with the suffix, '2030-03-17 17:46:40+00', and NUL to SQL_TIME_SIZE
   bytes, and returns the end. */
char *sql_write_time(char *out, const char *suffix, int64_t time_s);

/* Parses a value that a server wrote as a string ended by NUL: a number, true or false, a date and
   time in UTC or with an offset at the end ("+00", "+05:30"), or raw bytes.  Returns 0, or -1 if
   the text does not match kind. */
int sql_read_text(struct sql_value *value, enum sql_kind kind, const char *text, size_t length);

/* --- The operations of store/backend.h on leases and reservations --- */

/* The operations that sql/ implements, each as what(sql, NAME); what is OPERATION or MEMBER,
   below. */
#define SQL_OPERATIONS(what)                                                                      \
    what(sql, create) what(sql, find) what(sql, update) what(sql, remove) what(sql, list_expired) \
        what(sql, purge_reclaimed) what(sql, add_reservation) what(sql, find_reservation)

/* The operations of a store with free lists, which sql/ implements too. */
#define SQL_FREE_LISTS(what) what(sql, make_free_list) what(sql, pick_free) what(sql, count_free)

/* OPERATION declares the function, with the type of its member of struct backend; MEMBER
   initialises that member in a store. */
#define OPERATION(store, member) __typeof__(*((struct backend *)NULL)->member) store##_##member;
#define MEMBER(store, member)    .member = store##_##member,

SQL_OPERATIONS(OPERATION)
SQL_FREE_LISTS(OPERATION) OPERATION(sql, ask_together) /* of stores whose dialect has trips */

#endif
