/* SPDX-License-Identifier: ISC */
/*
 * What the files of the PostgreSQL store share, and nobody else includes:
 * pgsql_link.c talks to the server, pgsql_table.c sees to it that only our own
 * tables are touched, pgsql_settings.c sets what is asked for and reads it
 * back, pgsql_statement.c words, binds and runs statements, pgsql_lease.c has
 * the operations on leases and pgsql.c puts the store together.
 */
#ifndef UBENCH_STORE_PGSQL_PGSQL_H
#define UBENCH_STORE_PGSQL_PGSQL_H

#include <stdatomic.h>

#include <libpq-fe.h>

#include "store/backend.h"
#include "store/sql/server_settings.h"
#include "store/sql/watchdog.h"

/* The types that lease4 and lease6 are made of, by PostgreSQL's own numbers for
   them, which are the same on every server (pg_type.dat). */
enum pgsql_type {
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

/* --- pgsql_link.c: one connection --- */

struct pgsql_link {
    PGconn *conn;
    struct watchdog *watchdog;
    struct watched watched;
    const atomic_uint *cancels; /* how often the store was told to cancel */
    bool in_transaction;
    bool given_up;        /* for want of an answer; it has been shut down */
    char last_words[160]; /* why the server hung up, if it said so too early */
    char last_sqlstate[8];
};

/* Returns 0, or -1 with err.  pgsql_disconnect is needed only after 0.  The
   link must stay where it is. */
int pgsql_connect(struct pgsql_link *link, const struct store_config *config,
                  struct watchdog *watchdog, const atomic_uint *cancels,
                  struct err *err);
void pgsql_disconnect(struct pgsql_link *link);

/*
 * After one of the PQsend functions, whose result is sent: the server's answer,
 * which may well be an error of its own, to be freed with PQclear.  NULL with
 * err if there is none in time.  Of several results it is the first error, or
 * the last.
 */
PGresult *pgsql_await(struct pgsql_link *link, const char *action, int sent,
                      struct err *err);

/* Writes the sentence and its class: what was done, what the server says to it
   and the SQLSTATE.  Ends a transaction that is open.  Always returns -1. */
int pgsql_fail(struct pgsql_link *link, const char *action,
               const PGresult *result, struct err *err);

/* Ends a transaction, if one is open, that an error has spoilt. */
void pgsql_roll_back(struct pgsql_link *link);

/* Runs SQL with parameters as text.  NULL with err if the server does not like
   it, else a result to be freed with PQclear. */
PGresult *pgsql_query(struct pgsql_link *link, const char *action,
                      const char *sql, int param_count,
                      const char *const *params, struct err *err);

/* The same for SQL whose result nobody needs; there may be several statements.
   Returns 0, or -1 with err. */
int pgsql_run(struct pgsql_link *link, const char *action, const char *sql,
              struct err *err);

/* One round trip for nothing.  0, or -1 with err. */
int pgsql_ping(struct pgsql_link *link, struct err *err);

/* Writes a path in the folder of the write-ahead log, which is what is synced
   when a change is acknowledged, or "" if it cannot be told. */
void pgsql_log_path(struct pgsql_link *link, char *path, size_t size);

/* --- pgsql_table.c: the lease table, and whose it is --- */

enum pgsql_column {
    PGSQL_ADDRESS,
    PGSQL_HWADDR,
    PGSQL_CLIENT_ID, /* lease6: duid */
    PGSQL_VALID_LIFETIME,
    PGSQL_EXPIRE,
    PGSQL_SUBNET_ID,
    PGSQL_FQDN_FWD,
    PGSQL_FQDN_REV,
    PGSQL_HOSTNAME,
    PGSQL_STATE, /* down to here every table has them, in this order */
    PGSQL_LEASE_TYPE,
    PGSQL_IAID,
    PGSQL_PREF_LIFETIME,
    PGSQL_PREFIX_LEN, /* down to here every lease6 */
    PGSQL_USER_CONTEXT,
    PGSQL_RELAY_ID,
    PGSQL_REMOTE_ID,
    PGSQL_HWTYPE,
    PGSQL_HWADDR_SOURCE,
    PGSQL_POOL_ID,
    PGSQL_COLUMNS,
};

struct pgsql_table {
    enum lease_family family;
    const char *name; /* lease4 or lease6 */
    enum schema schema;
    uint64_t subnets;
    bool reservations; /* and a table of them */
    bool made_by_us;   /* else the owner of a marked copy did */
    char oid[16];
    char schema_name[132]; /* its schema, quoted where it has to be */
    char key_name[64];     /* of the primary key */
    char persistence;      /* pg_class.relpersistence: p, u or t */
    bool can_truncate;     /* and nothing would go unnoticed by it */
    unsigned secondary_indexes;
    unsigned triggers;
    bool has[PGSQL_COLUMNS];
    enum pgsql_type types[PGSQL_COLUMNS]; /* of those */
};

/* The name of a column; NULL if the family has no such one. */
const char *pgsql_column_name(enum lease_family family, int column);

/*
 * Refuses what is not ours, makes what is missing and empties the rest, unless
 * it is to be kept, and fills in *table.  Keeps
 * other runs of ubench off these tables for as long as the link lives.
 * Returns 0, or -1 with err.
 */
int pgsql_table_open(struct pgsql_table *table, struct pgsql_link *link,
                     const struct store_config *config, bool unlogged,
                     struct err *err);
void pgsql_table_close(struct pgsql_link *link);

/* Returns 0 if the table's name means that table on this link, else -1. */
int pgsql_table_check(const struct pgsql_table *table, struct pgsql_link *link,
                      struct err *err);

/* Removes every lease and what they leave behind.  0, or -1 with err. */
int pgsql_table_empty(const struct pgsql_table *table, struct pgsql_link *link,
                      struct err *err);

/* "permanent", "unlogged" or "temporary". */
const char *pgsql_persistence_name(const struct pgsql_table *table);

/* --- pgsql_settings.c: settings, and what they promise --- */

/* What is read back at open; from those with a name here the durability class
   is computed. */
enum pgsql_setting {
    PGSQL_SYNCHRONOUS_COMMIT,
    PGSQL_FSYNC,
    PGSQL_FULL_PAGE_WRITES,
    PGSQL_WAL_SYNC_METHOD,
    PGSQL_DECISIVE_SETTINGS,
};
enum { PGSQL_SETTINGS = PGSQL_DECISIVE_SETTINGS + 11, PGSQL_SETTING_SIZE = 96 };

struct pgsql_settings {
    char value[PGSQL_SETTINGS][PGSQL_SETTING_SIZE];   /* "": not known here */
    char given[OPT_SETTINGS_MAX][PGSQL_SETTING_SIZE]; /* of --set, read back */
    struct server_settings changed; /* what else is not a default */
};

/* Takes our own knob, unlogged, from those of --set.  0, or -1 with err. */
int pgsql_settings_unlogged(const struct opt_settings *settings, bool *unlogged,
                            struct err *err);

/* Makes a connection what the command line asks for.  What --set came to is
   noted in settings, unless that is NULL.  0, or -1 with err. */
int pgsql_settings_set(struct pgsql_settings *settings, struct pgsql_link *link,
                       const struct store_config *config, struct err *err);

/* Reads the settings back.  0, or -1 with err if a decisive one is unknown. */
int pgsql_settings_read(struct pgsql_settings *settings,
                        struct pgsql_link *link, struct err *err);

/* What else the server, the database or the user has that is not a default, and
   what the environment asks for.  It is no error if nobody may know. */
void pgsql_settings_read_changed(struct pgsql_settings *settings,
                                 struct pgsql_link *link);

/* The figures stand for the class in the report only if it still is the
   server's: a reload or another start may have changed it.  0, or -1. */
int pgsql_settings_check(const struct pgsql_settings *settings,
                         struct pgsql_link *link, struct err *err);

/* The class, and in text what it was computed from. */
enum durability pgsql_settings_durability(const struct pgsql_settings *settings,
                                          const struct pgsql_table *table,
                                          char *text, size_t size);

void pgsql_settings_describe(const struct pgsql_settings *settings,
                             const struct opt_settings *given,
                             struct properties *properties);

/* --- pgsql_statement.c: statements and their parameters --- */

/* 2000-01-01, where PostgreSQL's time begins, in Unix seconds. */
#define PGSQL_EPOCH_S  INT64_C(946684800)
#define PGSQL_US_PER_S INT64_C(1000000)

enum {
    PGSQL_PARAMS_MAX = PGSQL_COLUMNS + 1,
    PGSQL_ADDRESS_SIZE = LEASE_ADDRESS_TEXT_SIZE,
    PGSQL_SQL_SIZE = 1024,  /* of a statement with its parameters' numbers */
    PGSQL_TEXT_SIZE = 4096, /* of one with the largest lease written into it */
};

enum pgsql_statement_name {
    PGSQL_CREATE,
    PGSQL_CREATE_GROUPED,
    PGSQL_BY_ADDRESS,
    PGSQL_BY_HWADDR,
    PGSQL_BY_CLIENT_ID, /* v6: by DUID, IAID and type */
    PGSQL_IN_SUBNET,    /* the same, of one subnet */
    PGSQL_UPDATE,
    PGSQL_REMOVE,
    PGSQL_EXPIRED,
    PGSQL_PURGE,
    PGSQL_LEASE_STATEMENTS,
    /* Those below only if there are reservations. */
    PGSQL_ADD_RESERVATION = PGSQL_LEASE_STATEMENTS,
    PGSQL_FIND_RESERVATION,
    PGSQL_STATEMENTS,
};

struct pgsql_statement {
    char sql[PGSQL_SQL_SIZE]; /* with $1, $2 and so on */
    int param_count;
    Oid types[PGSQL_PARAMS_MAX];
};

struct pgsql_statements {
    struct pgsql_statement items[PGSQL_STATEMENTS];
    int columns;           /* of the table that we use */
    int at[PGSQL_COLUMNS]; /* each one's place among them, or -1 */
};

extern const char *const pgsql_statement_names[PGSQL_STATEMENTS];

/* Words the statements for a table. */
void pgsql_statements_init(struct pgsql_statements *statements,
                           const struct pgsql_table *table);

struct session {
    struct pgsql_link link;
    struct store *store;
    const struct pgsql_statements *statements;
    const struct pgsql_table *table;
    struct session *next; /* of the store's, under its lock */
    bool compiled;
    /* The parameters, in PostgreSQL's binary form: most significant byte
       first.  A NULL in values is SQL's NULL. */
    const char *values[PGSQL_PARAMS_MAX];
    int lengths[PGSQL_PARAMS_MAX];
    int formats[PGSQL_PARAMS_MAX];
    uint64_t numbers[PGSQL_PARAMS_MAX];
    char address[PGSQL_ADDRESS_SIZE]; /* of lease6 */
    char text[PGSQL_TEXT_SIZE];       /* of a statement that is not compiled */
};

/* Prepares the session's statements and its parameters.  0, or -1 with err. */
int pgsql_session_init(struct session *session, struct err *err);

/* Parameters, from 0 on.  Bytes are not copied, but an address is. */
void pgsql_bind_number(struct session *session, int at, int64_t number);
void pgsql_bind_int(struct session *session, int at, enum pgsql_type type,
                    int64_t number); /* of that width */
void pgsql_bind_address(struct session *session, int at,
                        struct lease_address address);
void pgsql_bind_time(struct session *session, int at, int64_t time_s);
void pgsql_bind_bytes(struct session *session, int at, const void *bytes,
                      size_t length);

/* All columns of a lease, in the order of the table. */
void pgsql_bind_lease(struct session *session, const struct lease *lease);

/* Runs a statement with what was bound, in one round trip.  NULL with err, or
   a result of whatever kind, to be freed with PQclear. */
PGresult *pgsql_execute(struct session *session, enum pgsql_statement_name name,
                        struct err *err);

/* For a result that is an error: frees it, writes err, returns -1. */
int pgsql_execute_failed(struct session *session,
                         enum pgsql_statement_name name, PGresult *result,
                         struct err *err);

/* --- pgsql_lease.c: the operations of the contract --- */

int pgsql_count(struct session *session, uint64_t *count, struct err *err);
enum outcome pgsql_create(struct session *session, const struct lease *lease,
                          struct err *err);
enum outcome pgsql_find_by_address(struct session *session,
                                   struct lease_address address,
                                   enum lease_type type, struct lease *found,
                                   struct err *err);
enum outcome pgsql_find_by_hwaddr(struct session *session,
                                  const uint8_t *hwaddr, size_t length,
                                  struct lease *found, struct err *err);
enum outcome pgsql_find_by_client_id(struct session *session,
                                     const uint8_t *client_id, size_t length,
                                     struct lease *found, struct err *err);
enum outcome pgsql_find_by_duid(struct session *session, const uint8_t *duid,
                                size_t length, uint32_t iaid,
                                enum lease_type type, uint32_t subnet_id,
                                struct lease *found, struct err *err);
enum outcome pgsql_update(struct session *session, const struct lease *lease,
                          int64_t expire_s, struct err *err);
enum outcome pgsql_remove(struct session *session, struct lease_address address,
                          int64_t expire_s, struct err *err);
int pgsql_list_expired(struct session *session, int64_t now_s, size_t limit,
                       struct lease *found, size_t *count, struct err *err);
int pgsql_purge_reclaimed(struct session *session, int64_t before_s,
                          uint64_t *purged, struct err *err);
enum outcome pgsql_add_reservation(struct session *session,
                                   const struct reservation_key *key,
                                   struct lease_address address,
                                   struct err *err);
enum outcome pgsql_find_reservation(struct session *session,
                                    const struct reservation_key *key,
                                    struct lease_address *address,
                                    struct err *err);
int pgsql_begin(struct session *session, struct err *err);
int pgsql_commit(struct session *session, struct err *err);

#endif
