/* SPDX-License-Identifier: ISC */
/*
 * What the files of the MySQL and MariaDB store share, and nobody else
 * includes: mysql_link.c talks to the server, mysql_table.c sees to it that
 * only our own tables are touched, mysql_settings.c changes settings and puts
 * them back, mysql_lease.c has the operations on leases with prepared
 * statements and mysql_text.c without, and mysql.c puts the store together.
 *
 * The client library may be libmysqlclient or MariaDB Connector/C.  What they
 * differ in is in mysql_link.c and in sql_bool.  mysql_ is their prefix, so
 * ours is sql_.
 */
#ifndef UBENCH_STORE_MYSQL_STORE_H
#define UBENCH_STORE_MYSQL_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <mysql.h>

#include "store/backend.h"
#include "store/sql/server_settings.h"
#include "store/sql/watchdog.h"

/* MySQL 8.0.1 took my_bool away. */
#if defined MARIADB_PACKAGE_VERSION || MYSQL_VERSION_ID < 80001
typedef my_bool sql_bool;
#else
typedef bool sql_bool;
#endif

/* --- mysql_link.c: one connection --- */

/* Errors that are acted upon.  By number, since each library's mysqld_error.h
   lacks some of the other's. */
enum sql_error {
    SQL_TOO_MANY_CONNECTIONS = 1040,
    SQL_DATABASE_ACCESS_DENIED = 1044,
    SQL_ACCESS_DENIED = 1045,
    SQL_UNKNOWN_DATABASE = 1049,
    SQL_SHUTDOWN = 1053,
    SQL_DUPLICATE = 1062,
    SQL_DISK_FULL = 1021,
    SQL_CANNOT_WRITE = 1026,
    SQL_TABLE_FULL = 1114,
    SQL_NOT_BEHIND_INDEX = 1032, /* a search's: the index knows a row that is
                                    not there */
    SQL_BAD_INDEX = 1034,        /* and what else a table needs REPAIR for */
    SQL_CRASHED = 1194,
    SQL_CRASHED_BY_REPAIR = 1195,
    SQL_CORRUPT = 1877,
    SQL_UNKNOWN_VARIABLE = 1193,
    SQL_LOCK_TIMEOUT = 1205,
    SQL_DEADLOCK = 1213,
    SQL_NO_PRIVILEGE = 1227,
    SQL_GLOBAL_VARIABLE = 1229,
    SQL_WRONG_VALUE = 1231,
    SQL_WRONG_TYPE = 1232,
    SQL_READ_ONLY_VARIABLE = 1238,
    SQL_UNKNOWN_ENGINE = 1286,
    SQL_TRUNCATED_VALUE = 1292,
    SQL_CONNECTION_KILLED = 1927,
    SQL_STATEMENT_TIMEOUT = 1969,       /* MariaDB: max_statement_time */
    SQL_STATEMENT_TIMEOUT_MYSQL = 3024, /* MySQL: max_execution_time */
    SQL_NO_SOCKET = 2002,
    SQL_NO_HOST = 2003,
    SQL_GONE = 2006,
    SQL_LOST = 2013,
    SQL_LOST_TLS = 2026, /* the end of a connection, to TLS */
    SQL_LOST_EXTENDED = 2055,
};

struct sql_link {
    MYSQL *mysql;
    const struct store_config *config;
    struct watchdog *watchdog;
    struct watched watched;
    bool lost; /* the server, at least once */
};

/* Around everything that waits for the server. */
static inline void sql_turn(struct sql_link *link)
{
    watchdog_toggle(&link->watched);
}

/* Connects, in the way in which Kea does.  sql_disconnect is needed only after
   0; -1 with err.  The link must stay where it is. */
int sql_connect(struct sql_link *link, const struct store_config *config,
                struct watchdog *watchdog, struct err *err);
void sql_disconnect(struct sql_link *link);

/* Writes the sentence and its class: what was done, what the server says to it
   and its number.  Always returns -1. */
int sql_fail(struct sql_link *link, const char *action, unsigned code,
             const char *text, struct err *err);
int sql_fail_link(struct sql_link *link, const char *action, struct err *err);

/* True if there is no use in talking to the server any more. */
bool sql_is_lost(unsigned code);

/* Runs SQL that gives no rows.  Returns 0, or -1 with err. */
int sql_run(struct sql_link *link, const char *action, struct err *err,
            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Runs SQL that gives rows, to be freed with mysql_free_result.  NULL with err
   on failure. */
MYSQL_RES *sql_query(struct sql_link *link, const char *action, struct err *err,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The first column of the first row, as text; "" if there is none or it is
   NULL.  Returns 0, or -1 with err. */
int sql_value(struct sql_link *link, const char *action, char *value,
              size_t size, struct err *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Runs several statements.  Returns 0, or -1 with err. */
int sql_script(struct sql_link *link, const char *action, const char *sql,
               struct err *err);

/* One empty round trip.  0, or -1 with err. */
int sql_ping(struct sql_link *link, struct err *err);

/* Writes a path in the folder of InnoDB's log, which is what is synced when a
   change is acknowledged, or "" if it is another machine's or cannot be told.
 */
void sql_log_path(struct sql_link *link, char *path, size_t size);

/* Writes text as an SQL literal, quotes included, and returns quoted; the room
   must be for twice its length and 3 more. */
char *sql_quote(const struct sql_link *link, char *quoted, const char *text);

/* The client library's name and version. */
void sql_library(char *text, size_t size);

/* --- mysql_table.c: the lease table, and whose it is --- */

enum sql_column {
    SQL_ADDRESS, /* of lease4, a number */
    SQL_V6_ADDRESS,
    SQL_V6_TEXT, /* the same up to Kea 2.2 */
    SQL_HWADDR,
    SQL_CLIENT_ID,
    SQL_DUID,
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
};

struct sql_table {
    const char *name;        /* lease4 or lease6 */
    enum sql_column address; /* which of the three it has */
    enum sql_column client;  /* client_id or duid */
    bool made_by_us;         /* else the owner of a marked copy did */
    char engine[64];         /* read back */
    bool has[SQL_COLUMNS];   /* older versions of Kea lack some */
    unsigned triggers;       /* Kea keeps statistics by them */
    unsigned indexes;        /* secondary ones */
};

const char *sql_column_name(enum sql_column column);

/* The name of the lease table. */
const char *sql_table_name(const struct store_config *config);

/* What there is in a database, and whether we may use it. */
struct sql_found {
    bool marker;
    bool lease; /* the lease table */
    bool lease_state;
    bool types;   /* lease6_types */
    bool sources; /* lease_hwaddr_source */
    bool says;    /* the marker, with which schema we made it */
    bool made_by_us;
    enum schema made_as; /* if made_by_us */
};

/* Refuses what is not ours; touches nothing.  Keeps other runs of ubench off
   for as long as the link lives.  Returns 0, or -1 with err. */
int sql_table_look(struct sql_found *found, struct sql_link *link,
                   struct err *err);

/* Writes the server's name for the engine that is asked for.  Returns 0, or -1
   with err if it has none of that name. */
int sql_engine(char *engine, size_t size, struct sql_link *link,
               struct err *err);

/* Makes what is missing, or empties what is there, unless it is to be kept, and
   fills in *table.  Returns 0, or -1 with err. */
int sql_table_open(struct sql_table *table, const char *engine,
                   const struct sql_found *found, struct sql_link *link,
                   struct err *err);

/* Removes every lease.  Returns 0, or -1 with err. */
int sql_table_empty(const struct sql_table *table, struct sql_link *link,
                    struct err *err);

void sql_table_describe(const struct sql_table *table,
                        const struct store_config *config,
                        struct properties *properties);

/* --- mysql_settings.c: settings, and the class that they make --- */

enum { SQL_VALUE_SIZE = 208 };

/* One that was changed for everybody, and what it was before. */
struct sql_saved {
    const char *name;
    char value[SQL_VALUE_SIZE];
};

/* One of --set, as the server has it now. */
struct sql_set {
    bool global;
    char value[SQL_VALUE_SIZE];
};

/* The variables that are read back; mysql_settings.c has their names. */
enum sql_variable {
    SQL_VERSION,
    SQL_VERSION_COMMENT,
    SQL_FLUSH_LOG,
    SQL_FLUSH_LOG_TIMEOUT,
    SQL_LOG_BIN,
    SQL_SESSION_LOG_BIN,
    SQL_SYNC_BINLOG,
    SQL_FLUSH_METHOD,
    SQL_DOUBLEWRITE,
    SQL_NO_SYNC,
    SQL_AUTOCOMMIT,
    SQL_BUFFER_POOL,
    SQL_LOG_FILE_SIZE,
    SQL_REDO_LOG_CAPACITY,
    SQL_ARIA_GROUP_COMMIT,
    SQL_ARIA_PAGE_CACHE,
    SQL_KEY_BUFFER,
    SQL_TX_ISOLATION,
    SQL_TRANSACTION_ISOLATION,
    SQL_QUERY_CACHE,
    SQL_VARIABLES,
};

struct sql_variables {
    char value[SQL_VARIABLES][SQL_VALUE_SIZE]; /* "": the server has none */
};

struct sql_settings {
    size_t saved_count;
    struct sql_saved saved[OPT_SETTINGS_MAX + 2];
    struct sql_set set[OPT_SETTINGS_MAX]; /* as in config->settings */
    struct sql_variables variables;       /* read back */
    struct server_settings changed;
};

/* Applies --sync for tables of that engine.  What was changed is in settings
   even after a failure.  0, or -1 with err. */
int sql_settings_sync(struct sql_settings *settings, const char *engine,
                      struct sql_link *link, struct err *err);

/* Applies --set and reads it back.  0, or -1 with err. */
int sql_settings_set(struct sql_settings *settings, struct sql_link *link,
                     struct err *err);

/* The same on another link, for what belongs to sessions. */
int sql_settings_set_session(const struct sql_settings *settings,
                             struct sql_link *link, struct err *err);

/* Reads all variables back.  0, or -1 with err. */
int sql_settings_read(struct sql_settings *settings, struct sql_link *link,
                      struct err *err);

/* Returns 0 if all that decides about durability is as it was read before,
   else -1 with err. */
int sql_settings_check(const struct sql_settings *settings,
                       struct sql_link *link, struct err *err);

/* Puts back what was changed for everybody.  0, or -1 with err, which has the
   SQL that does it. */
int sql_settings_put_back(const struct sql_settings *settings,
                          struct sql_link *link, struct err *err);
/* Writes that SQL, after what is in text. */
void sql_settings_sql(const struct sql_settings *settings, char *text,
                      size_t size);

/* The class of a table of that engine, and why. */
enum durability sql_settings_durability(const struct sql_settings *settings,
                                        const char *engine, char *text,
                                        size_t size);

/* The server's product and version. */
bool sql_is_mariadb(const struct sql_settings *settings);

/* Reads what else differs from the server's defaults.  It is no error if nobody
   may know. */
void sql_settings_read_changed(struct sql_settings *settings,
                               struct sql_link *link);

void sql_settings_describe(const struct sql_settings *settings,
                           const char *engine,
                           const struct store_config *config,
                           struct properties *properties);

/* --- mysql_lease.c: the operations; mysql_bound.c and mysql_text.c run their
   statements, prepared or not --- */

enum sql_statement_name {
    SQL_CREATE,
    SQL_BY_ADDRESS,
    SQL_BY_HWADDR,
    SQL_BY_CLIENT_ID, /* v6: by DUID, IAID and type */
    SQL_IN_SUBNET,    /* the same, of one subnet */
    SQL_UPDATE,
    SQL_REMOVE,
    SQL_LIST_EXPIRED,
    SQL_PURGE_RECLAIMED,
    SQL_STATEMENTS,
};

/* What a parameter may be besides the value of a column. */
enum { SQL_OLD_EXPIRE = SQL_COLUMNS, SQL_LIMIT };

enum {
    SQL_PARAMS_MAX = SQL_COLUMNS + 2,
    SQL_STATEMENT_SIZE = 1024,
    SQL_TEXT_SIZE = 4096, /* of a statement with the largest lease in it */
};

/* A statement and what stands for its question marks. */
struct sql_statement {
    char sql[SQL_STATEMENT_SIZE];
    const char *action;
    bool finds; /* gives rows, of the columns below */
    size_t param_count;
    int params[SQL_PARAMS_MAX]; /* enum sql_column, or one of the above */
};

struct sql_statements {
    struct sql_statement items[SQL_STATEMENTS];
    size_t column_count;
    enum sql_column columns[SQL_COLUMNS]; /* those that the table has */
};

/* Words the statements for a table. */
void sql_statements_init(struct sql_statements *statements,
                         const struct sql_table *table);

/* What a column or a parameter is made of. */
enum sql_kind { SQL_NUMBER, SQL_BYTES, SQL_TEXT, SQL_TIME, SQL_NULL };
enum sql_kind sql_kind(int param);

/* The most bytes of a column that a lease has room for. */
unsigned long sql_column_size(int param);

/* A lease, and what else a statement wants, on its way to or from the server;
   each member is indexed by parameter. */
struct sql_row {
    uint32_t number[SQL_LIMIT + 1];
    MYSQL_TIME time[SQL_OLD_EXPIRE + 1]; /* UTC */
    char *bytes[SQL_COLUMNS];            /* into the arrays below */
    unsigned long length[SQL_COLUMNS];
    sql_bool is_null[SQL_COLUMNS];
    char address[LEASE_ADDRESS_TEXT_SIZE]; /* of lease6 */
    char hwaddr[LEASE_HWADDR_MAX];
    char client_id[LEASE_CLIENT_ID_MAX];
    char hostname[LEASE_HOSTNAME_MAX];
};

/* A session's reservations: what its two statements are bound to. */
struct sql_reservations {
    MYSQL_STMT *add; /* both NULL if they are not compiled */
    MYSQL_STMT *find;
    uint32_t type;
    uint32_t subnet_id;
    uint32_t address;
    uint32_t found; /* address */
    unsigned long length;
    uint8_t identifier[LEASE_CLIENT_ID_MAX];
    char hex[2 * LEASE_CLIENT_ID_MAX + 1]; /* that, if not compiled */
    char rest[6][LEASE_CLIENT_ID_SIZE];    /* of the row that was found */
    unsigned long rest_length[6];
    sql_bool rest_is_null[6];
};

struct session {
    struct sql_link link;
    struct store *store;
    const struct sql_table *table;
    const struct sql_statements *statements;
    struct sql_row in;
    struct sql_row out;
    /* Prepared statements; all NULL if they are not compiled. */
    MYSQL_STMT *prepared[SQL_STATEMENTS];
    /* The text of one that is not, and its result. */
    char text[SQL_TEXT_SIZE];
    MYSQL_RES *rows;
    struct sql_reservations reservations;
};

/* Prepares all statements and binds them to session->in and out.  Returns 0, or
   -1 with err; sql_bound_release is fine after both. */
int sql_bound_init(struct session *session, struct err *err);
void sql_bound_release(struct session *session);

/*
 * Runs a statement on session->in, in one round trip.  One that changes rows
 * gives their number in *affected.  One that finds rows gives them, one by one,
 * in session->out: 1 if there is one, 0 if there is none left, else -1; it has
 * to be asked until it is not 1.  The library knows why it was -1; if it does
 * not, a value had no room.
 */
int sql_bound_execute(struct session *session, enum sql_statement_name name,
                      uint64_t *affected);
int sql_bound_fetch(struct session *session, enum sql_statement_name name);
int sql_text_execute(struct session *session, enum sql_statement_name name,
                     uint64_t *affected);
int sql_text_fetch(struct session *session, enum sql_statement_name name);

/* Prepares the rows of a session. */
void sql_row_init(struct sql_row *row);

/* --- mysql_reservation.c: a table beside the leases --- */

/* Makes the table anew, empties it.  Both return 0, or -1 with err. */
int sql_reservations_make(struct sql_link *link, struct err *err);
int sql_reservations_empty(struct sql_link *link, struct err *err);

/* Prepares the session's two statements.  0, or -1 with err; release is fine
   after both, and without. */
int sql_reservations_prepare(struct session *session, struct err *err);
void sql_reservations_release(struct session *session);

enum outcome sql_add_reservation(struct session *session,
                                 const struct reservation_key *key,
                                 struct lease_address address, struct err *err);
enum outcome sql_find_reservation(struct session *session,
                                  const struct reservation_key *key,
                                  struct lease_address *address,
                                  struct err *err);

/* The operations of the contract. */
enum outcome sql_create(struct session *session, const struct lease *lease,
                        struct err *err);
enum outcome sql_find_by_address(struct session *session,
                                 struct lease_address address,
                                 enum lease_type type, struct lease *found,
                                 struct err *err);
enum outcome sql_find_by_hwaddr(struct session *session, const uint8_t *hwaddr,
                                size_t length, struct lease *found,
                                struct err *err);
enum outcome sql_find_by_client_id(struct session *session,
                                   const uint8_t *client_id, size_t length,
                                   struct lease *found, struct err *err);
enum outcome sql_find_by_duid(struct session *session, const uint8_t *duid,
                              size_t length, uint32_t iaid,
                              enum lease_type type, uint32_t subnet_id,
                              struct lease *found, struct err *err);
enum outcome sql_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err);
enum outcome sql_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err);
int sql_list_expired(struct session *session, int64_t now_s, size_t limit,
                     struct lease *found, size_t *count, struct err *err);
int sql_purge_reclaimed(struct session *session, int64_t before_s,
                        uint64_t *purged, struct err *err);

#endif
