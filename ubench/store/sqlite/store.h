/* SPDX-License-Identifier: ISC */
/*
 * What the files of the SQLite store share, and nobody else includes:
 * sqlite_schema.c has the SQL, sqlite_statement.c makes a statement ready and
 * runs it, sqlite_session.c has the connections, sqlite_lease.c the operations
 * on leases, sqlite_reservation.c those on reservations, and sqlite.c puts the
 * store together.  Whose the file is stands in sqlite_database.c, and the
 * PRAGMAs in sqlite_settings.c: they know nothing of these.
 */
#ifndef UBENCH_STORE_SQLITE_STORE_H
#define UBENCH_STORE_SQLITE_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "store/backend.h"
#include "store/sqlite/database.h"
#include "store/sqlite/settings.h"

enum {
    SQLITE_V4_VALUES = 11, /* of a lease */
    SQLITE_VALUES_MAX = 17,
    SQLITE_V6_ADDRESS_SIZE = 16,
    /* The longest statement (700), its blobs in hexadecimal (2 x 275), a host
       name of quotes alone (2 x 255), nine numbers: below 2000. */
    SQLITE_TEXT_SIZE = 4096,
};

/* --- sqlite_schema.c: the SQL --- */

enum statement {
    STATEMENT_CREATE,
    STATEMENT_FIND_BY_ADDRESS,
    STATEMENT_FIND_BY_HWADDR,
    STATEMENT_FIND_BY_CLIENT_ID, /* v6: by DUID, IAID and type */
    STATEMENT_FIND_IN_SUBNET,    /* the same, of one subnet */
    STATEMENT_UPDATE,
    STATEMENT_REMOVE,
    STATEMENT_LIST_EXPIRED,
    STATEMENT_PURGE,
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_COUNT_LEASES,
    STATEMENT_RESET,
    STATEMENTS_OF_LEASES,
    /* Those below only if there are reservations. */
    STATEMENT_ADD_RESERVATION = STATEMENTS_OF_LEASES,
    STATEMENT_FIND_RESERVATION,
    STATEMENT_RESET_RESERVATIONS,
    STATEMENT_COUNT,
};

/* What of a statement's sentence is an error's action. */
extern const char *const sqlite_actions[STATEMENT_COUNT];

struct sqlite_schema {
    const char *table;  /* of the leases */
    const char *tables; /* makes them; safe to run twice */
    const char *const *statements;
    int values; /* of a lease, in the order of its columns */
};

const struct sqlite_schema *sqlite_schema_of(enum lease_family family,
                                             enum schema schema);

/* Makes the table of the reservations. */
extern const char sqlite_schema_hosts[];

/* --- The store and its sessions --- */

struct store {
    struct database database;
    struct sqlite_settings settings; /* as open read them back */
    enum lease_family family;
    const struct sqlite_schema *schema;
    bool compiled;
    bool reservations;
    int busy_ms; /* how long to wait for another's lock */
    atomic_bool canceled;
    pthread_mutex_t lock; /* for sessions and the links between them */
    struct session *sessions;
};

struct session {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENT_COUNT]; /* NULL unless compiled */
    const char *const *sql;
    enum lease_family family;
    int values;                              /* of a lease */
    uint8_t address[SQLITE_V6_ADDRESS_SIZE]; /* that is bound */
    struct store *store;
    struct session *next;
    bool compiled;
    char text[SQLITE_TEXT_SIZE]; /* of a statement, unless compiled */
};

/* --- sqlite_session.c --- */

struct session *sqlite_session_open(struct store *store, struct err *err);
void sqlite_session_close(struct session *session);
void sqlite_cancel(struct store *store);

/* --- sqlite_lease.c --- */

enum outcome sqlite_create(struct session *session, const struct lease *lease,
                           struct err *err);
enum outcome sqlite_find_by_address(struct session *session,
                                    struct lease_address address,
                                    enum lease_type type, struct lease *found,
                                    struct err *err);
enum outcome sqlite_find_by_hwaddr(struct session *session,
                                   const uint8_t *hwaddr, size_t length,
                                   struct lease *found, struct err *err);
enum outcome sqlite_find_by_client_id(struct session *session,
                                      const uint8_t *client_id, size_t length,
                                      struct lease *found, struct err *err);
enum outcome sqlite_find_by_duid(struct session *session, const uint8_t *duid,
                                 size_t length, uint32_t iaid,
                                 enum lease_type type, uint32_t subnet_id,
                                 struct lease *found, struct err *err);
enum outcome sqlite_update(struct session *session, const struct lease *lease,
                           int64_t expire_s, struct err *err);
enum outcome sqlite_remove(struct session *session,
                           struct lease_address address, int64_t expire_s,
                           struct err *err);
int sqlite_list_expired(struct session *session, int64_t now_s, size_t limit,
                        struct lease *found, size_t *count, struct err *err);
int sqlite_purge_reclaimed(struct session *session, int64_t before_s,
                           uint64_t *purged, struct err *err);

/* --- sqlite_reservation.c --- */

enum outcome sqlite_add_reservation(struct session *session,
                                    const struct reservation_key *key,
                                    struct lease_address address,
                                    struct err *err);
enum outcome sqlite_find_reservation(struct session *session,
                                     const struct reservation_key *key,
                                     struct lease_address *address,
                                     struct err *err);

#endif
