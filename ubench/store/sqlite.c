/* SPDX-License-Identifier: ISC */
/*
 * Leases in a SQLite database: one file, one connection per session.  This
 * file has the statements and runs them; whose the file is stands in
 * sqlite_database.c, and the PRAGMAs in sqlite_settings.c.
 */
#include <assert.h>
#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#include "store/backend.h"
#include "store/counter_sql.h"
#include "store/file_system.h"
#include "store/sqlite_database.h"
#include "store/sqlite_settings.h"

enum {
    V4_VALUES = 11, /* of a lease */
    LEASE_VALUES_MAX = 17,
    V6_ADDRESS_SIZE = 16,
    /* The longest statement (700), its blobs in hexadecimal (2 x 275), a host
       name of quotes alone (2 x 255), nine numbers: below 2000. */
    TEXT_SIZE = 4096,
};

static const char schema_lean[] = {
#include "schema/sqlite-lean.inc"
    0
};

static const char schema_kea[] = {
#include "schema/sqlite-kea.inc"
    0
};

static const char schema_kea_stats[] = {
#include "schema/sqlite-kea.inc"

#include "schema/sqlite-kea-stats.inc"
    0
};

static const char schema_lean6[] = {
#include "schema/sqlite-lean6.inc"
    0
};

static const char schema_kea6[] = {
#include "schema/sqlite-kea6.inc"
    0
};

static const char schema_kea6_stats[] = {
#include "schema/sqlite-kea6.inc"

#include "schema/sqlite-kea6-stats.inc"
    0
};

static const char schema_hosts[] = {
#include "schema/sqlite-hosts.inc"
    0
};

/* The statements. */

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
static const char *const actions[STATEMENT_COUNT] = {
    [STATEMENT_CREATE] = "create",
    [STATEMENT_FIND_BY_ADDRESS] = "find by address",
    [STATEMENT_FIND_BY_HWADDR] = "find by hwaddr",
    [STATEMENT_FIND_BY_CLIENT_ID] = "find by client-id",
    [STATEMENT_FIND_IN_SUBNET] = "find by client-id and subnet",
    [STATEMENT_UPDATE] = "update",
    [STATEMENT_REMOVE] = "remove",
    [STATEMENT_LIST_EXPIRED] = "list expired leases",
    [STATEMENT_PURGE] = "purge reclaimed leases",
    [STATEMENT_BEGIN] = "begin",
    [STATEMENT_COMMIT] = "commit",
    [STATEMENT_COUNT_LEASES] = "count",
    [STATEMENT_RESET] = "remove all",
    [STATEMENT_ADD_RESERVATION] = "add a reservation",
    [STATEMENT_FIND_RESERVATION] = "find a reservation",
    [STATEMENT_RESET_RESERVATIONS] = "remove all reservations",
};

/*
 * ?1 to ?11 are a lease's values in the order of COLUMNS (see lease_values),
 * what follows is said where it stands.  Kea's other three columns have
 * parameters too, as in its own statements; nothing is ever bound to them, and
 * so they are NULL.  UPDATE leaves out the address, which does not change:
 * SQLite would take the row out and put it in again.  A v6 lease has its values
 * in the order of COLUMNS6, of which the first have the places of v4.
 */
#define COLUMNS                                                      \
    "address, hwaddr, client_id, valid_lifetime, expire, subnet_id," \
    " fqdn_fwd, fqdn_rev, hostname, state, pool_id"
#define KEA_COLUMNS COLUMNS ", user_context, relay_id, remote_id"
#define MARKS       "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11"
#define SET                                                       \
    "hwaddr = ?2, client_id = ?3, valid_lifetime = ?4,"           \
    " expire = ?5, subnet_id = ?6, fqdn_fwd = ?7, fqdn_rev = ?8," \
    " hostname = ?9, state = ?10, pool_id = ?11"
#define KEA_SET SET ", user_context = ?13, relay_id = ?14, remote_id = ?15"

#define COLUMNS6                                                \
    "address, hwaddr, duid, valid_lifetime, expire, subnet_id," \
    " fqdn_fwd, fqdn_rev, hostname, state, pool_id,"            \
    " lease_type, iaid, pref_lifetime, prefix_len"
#define KEA_COLUMNS6 COLUMNS6 ", hwtype, hwaddr_source, user_context"
#define MARKS6       MARKS ", ?12, ?13, ?14, ?15"
#define SET6                                                      \
    "hwaddr = ?2, duid = ?3, valid_lifetime = ?4,"                \
    " expire = ?5, subnet_id = ?6, fqdn_fwd = ?7, fqdn_rev = ?8," \
    " hostname = ?9, state = ?10, pool_id = ?11,"                 \
    " lease_type = ?12, iaid = ?13, pref_lifetime = ?14,"         \
    " prefix_len = ?15"
#define KEA_SET6 SET6 ", hwtype = ?16, hwaddr_source = ?17, user_context = ?19"

#define V4_ADDRESS "address = ?1"
#define V4_CLIENT  "client_id = ?1"
#define V6_ADDRESS "address = ?1 AND lease_type = ?2"
#define V6_CLIENT  "duid = ?1 AND iaid = ?2 AND lease_type = ?3"

#define STATEMENTS(table, columns, marks, set, old_expire, address, client)    \
    {                                                                          \
        [STATEMENT_CREATE] =                                                   \
            ("INSERT INTO " table " (" columns ") VALUES (" marks ")"),        \
        [STATEMENT_FIND_BY_ADDRESS] =                                          \
            ("SELECT " columns " FROM " table " WHERE " address),              \
        [STATEMENT_FIND_BY_HWADDR] =                                           \
            ("SELECT " columns " FROM " table " WHERE hwaddr = ?1"),           \
        [STATEMENT_FIND_BY_CLIENT_ID] =                                        \
            ("SELECT " columns " FROM " table " WHERE " client),               \
        [STATEMENT_FIND_IN_SUBNET] = ("SELECT " columns " FROM " table         \
                                      " WHERE " client " AND subnet_id = ?4"), \
        [STATEMENT_UPDATE] = ("UPDATE " table " SET " set                      \
                              " WHERE address = ?1 AND expire = " old_expire), \
        [STATEMENT_REMOVE] =                                                   \
            ("DELETE FROM " table " WHERE address = ?1 AND expire = ?2"),      \
        [STATEMENT_LIST_EXPIRED] =                                             \
            ("SELECT " columns " FROM " table " WHERE state != 2"              \
             " AND valid_lifetime != 4294967295 AND expire < ?1"               \
             " ORDER BY expire LIMIT ?2"),                                     \
        [STATEMENT_PURGE] =                                                    \
            ("DELETE FROM " table " WHERE state = 2 AND expire < ?1"),         \
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE", [STATEMENT_COMMIT] = "COMMIT",  \
        [STATEMENT_COUNT_LEASES] =                                             \
            ("SELECT count(*) FROM " table " NOT INDEXED"),                    \
        [STATEMENT_RESET] = ("DELETE FROM " table),                            \
        [STATEMENT_ADD_RESERVATION] =                                          \
            "INSERT INTO ubench_hosts (dhcp_identifier_type,"                  \
            " dhcp4_subnet_id, dhcp_identifier, ipv4_address)"                 \
            " VALUES (?1, ?2, ?3, ?4)",                                        \
        [STATEMENT_FIND_RESERVATION] =                                         \
            "SELECT ipv4_address, host_id, dhcp_identifier,"                   \
            " dhcp_identifier_type, dhcp4_subnet_id, hostname, user_context"   \
            " FROM ubench_hosts WHERE dhcp_identifier_type = ?1"               \
            " AND dhcp4_subnet_id = ?2 AND dhcp_identifier = ?3",              \
        [STATEMENT_RESET_RESERVATIONS] = "DELETE FROM ubench_hosts",           \
    }

static const char *const lean_statements[STATEMENT_COUNT] =
    STATEMENTS("lease4", COLUMNS, MARKS, SET, "?12", V4_ADDRESS, V4_CLIENT);
static const char *const kea_statements[STATEMENT_COUNT] =
    STATEMENTS("lease4", KEA_COLUMNS, MARKS ", ?12, ?13, ?14", KEA_SET, "?12",
               V4_ADDRESS, V4_CLIENT);
static const char *const lean6_statements[STATEMENT_COUNT] =
    STATEMENTS("lease6", COLUMNS6, MARKS6, SET6, "?16", V6_ADDRESS, V6_CLIENT);
static const char *const kea6_statements[STATEMENT_COUNT] =
    STATEMENTS("lease6", KEA_COLUMNS6, MARKS6 ", ?16, ?17, ?18", KEA_SET6,
               "?18", V6_ADDRESS, V6_CLIENT);

static const struct schema_text {
    const char *tables; /* safe to run twice */
    const char *const *statements;
    int values; /* of a lease */
} schemas[][SCHEMA_KEA_STATS + 1] = {
    [LEASE_FAMILY_V4] = {
        [SCHEMA_LEAN] = { schema_lean, lean_statements, V4_VALUES },
        [SCHEMA_KEA] = { schema_kea, kea_statements, V4_VALUES },
        [SCHEMA_KEA_STATS] = { schema_kea_stats, kea_statements, V4_VALUES },
    },
    [LEASE_FAMILY_V6] = {
        [SCHEMA_LEAN] = { schema_lean6, lean6_statements, 15 },
        [SCHEMA_KEA] = { schema_kea6, kea6_statements, LEASE_VALUES_MAX },
        [SCHEMA_KEA_STATS] = { schema_kea6_stats, kea6_statements,
                               LEASE_VALUES_MAX },
    },
};

static const char *const tables[] = {
    [LEASE_FAMILY_V4] = "lease4", [LEASE_FAMILY_V6] = "lease6"
};

struct store {
    struct database database;
    struct sqlite_settings settings; /* as open read them back */
    enum lease_family family;
    const struct schema_text *schema;
    bool compiled;
    bool counted; /* schema kea+stats */
    bool reservations;
    uint64_t subnets;
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
    int values;                       /* of a lease */
    uint8_t address[V6_ADDRESS_SIZE]; /* that is bound */
    struct store *store;
    struct session *next;
    bool compiled;
    char text[TEXT_SIZE]; /* a statement with its values, unless compiled */
};

/* Opening and closing the store. */

static void sqlite_library(char *text, size_t size)
{
    (void)snprintf(text, size, "SQLite %s", sqlite3_libversion());
}

static int make_tables(struct store *store, sqlite3 *db, struct err *err)
{
    struct database *const database = &store->database;
    char sql[COUNTER_SQL_SIZE];

    if (database_fill(database, db, tables[store->family],
                      store->schema->tables, err) != 0)
        return -1;
    if (store->reservations &&
        database_execute(database, db, "create tables", schema_hosts, err) != 0)
        return -1;
    if (!store->counted)
        return 0;
    counter_sql_seed(sql, store->family, store->subnets, "DELETE FROM");
    return database_execute(database, db, "make counters", sql, err);
}

/* Makes the tables and settles the settings, through a connection that is
   closed again: a session may want to have the file for itself. */
static int fill_file(struct store *store, bool keep, struct err *err)
{
    struct database *const database = &store->database;
    struct sqlite_settings *const settings = &store->settings;
    int status = -1;
    sqlite3 *const db = database_connect(database, err);

    if (db == NULL)
        return -1;
    if (sqlite_settings_apply(settings, database, db, SQLITE_SCOPE_FILE, err) ==
            0 &&
        (keep ? database_check_owner(database, db, err)
              : make_tables(store, db, err)) == 0 &&
        sqlite_settings_apply(settings, database, db, SQLITE_SCOPE_CONNECTION,
                              err) == 0 &&
        /* A new journal mode is put to work only now. */
        database_execute(database, db, "read",
                         store->schema->statements[STATEMENT_COUNT_LEASES],
                         err) == 0)
        status = sqlite_settings_read(settings, database, db, err);
    (void)sqlite3_close(db);
    return status;
}

static int sqlite_close(struct store *store, struct err *err)
{
    (void)err;
    if (store == NULL)
        return 0;
    assert(store->sessions == NULL);
    database_release(&store->database);
    (void)pthread_mutex_destroy(&store->lock);
    free(store);
    return 0;
}

static struct store *sqlite_open(const struct store_config *config,
                                 struct err *err)
{
    struct store *const store = calloc(1, sizeof *store);

    if (store == NULL) {
        (void)err_set(err, "sqlite: out of memory");
        return NULL;
    }
    store->compiled = config->compiled;
    store->counted = config->schema == SCHEMA_KEA_STATS;
    store->subnets = config->subnets;
    store->reservations = config->reservations;
    store->family = config->family;
    store->schema = &schemas[config->family][config->schema];
    store->database.claim = -1;
    (void)pthread_mutex_init(&store->lock, NULL);
    if (sqlite_settings_choose(&store->settings, config, err) != 0 ||
        (config->keep ? database_keep : database_take)(
            &store->database, config->target, err) != 0)
        goto failed;
    if (fill_file(store, config->keep, err) != 0) {
        if (!config->keep)
            database_undo(&store->database);
        goto failed;
    }
    store->busy_ms =
        atoi(sqlite_settings_value(&store->settings, "busy_timeout"));
    return store;
failed:
    (void)sqlite_close(store, err);
    return NULL;
}

static void sqlite_describe(const struct store *store, struct facts *facts)
{
    facts_add(facts, "SQLite", "%s", sqlite3_libversion());
    for (size_t i = 0; i < store->settings.count; i++)
        facts_add(facts, store->settings.items[i].name, "%s",
                  store->settings.items[i].read_back);
    facts_add(facts, "compiled", "%s", store->compiled ? "yes" : "no");
    facts_add(facts, "file system", "%s",
              file_system_name(store->database.path));
}

static enum durability sqlite_durability(const struct store *store, char *text,
                                         size_t size)
{
    const char *const path = store->database.path;

    return file_system_limit(
        path, sqlite_settings_durability(&store->settings,
                                         file_system_name(path), text, size));
}

static void sqlite_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", store->database.path);
}

static void sqlite_cancel(struct store *store)
{
    atomic_store(&store->canceled, true);
    (void)pthread_mutex_lock(&store->lock);
    for (const struct session *s = store->sessions; s != NULL; s = s->next)
        sqlite3_interrupt(s->db);
    (void)pthread_mutex_unlock(&store->lock);
}

/* Sessions. */

/* SQLite's own busy handler (sqliteDefaultBusyCallback in its main.c) with the
   same naps, but one that can be called off. */
static int wait_for_lock(void *argument, int naps)
{
    static const int naps_ms[] = {
        1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100
    };
    enum { LAST = sizeof naps_ms / sizeof *naps_ms - 1 };
    const struct store *const store = argument;
    int waited_ms = 0;

    for (int i = 0; i < naps && i < LAST; i++)
        waited_ms += naps_ms[i];
    if (naps > LAST)
        waited_ms += (naps - LAST) * naps_ms[LAST];
    int nap_ms = naps_ms[naps < LAST ? naps : LAST];
    if (nap_ms > store->busy_ms - waited_ms)
        nap_ms = store->busy_ms - waited_ms;
    if (nap_ms <= 0 || atomic_load(&store->canceled))
        return 0;
    const struct timespec nap = { .tv_nsec = nap_ms * 1000000L };
    (void)nanosleep(&nap, NULL);
    return 1;
}

/* Gives a session the settings that open settled on, and sees that it has all
   of them.  Not busy_timeout: it would put another handler in the place of the
   one above, which knows it. */
static int settle_session(const struct session *session, struct err *err)
{
    const struct store *const store = session->store;
    const struct database *const database = &store->database;
    struct sqlite_settings mine = store->settings;
    struct sqlite_setting *const busy_timeout =
        sqlite_settings_find(&mine, "busy_timeout");

    busy_timeout->asked = NULL;
    if (sqlite_settings_apply(&mine, database, session->db,
                              SQLITE_SCOPE_CONNECTION, err) != 0 ||
        sqlite_settings_read(&mine, database, session->db, err) != 0)
        return -1;
    for (size_t i = 0; i < mine.count; i++) {
        const struct sqlite_setting *const first = &store->settings.items[i];
        const struct sqlite_setting *const second = &mine.items[i];

        if (second != busy_timeout &&
            strcmp(first->read_back, second->read_back) != 0)
            return err_set(err,
                           "sqlite: %s: %s is '%s' in one connection and '%s' "
                           "in another",
                           database->target, first->name, first->read_back,
                           second->read_back);
    }
    return 0;
}

/* Says what SQLite could not do.  Returns -1, which is OUTCOME_ERROR, too. */
static int failed(const struct session *session, enum statement which,
                  struct err *err)
{
    (void)database_failed(&session->store->database, session->db,
                          actions[which], err);
    if (err->class == ERR_BUSY && atomic_load(&session->store->canceled))
        err->class = ERR_CANCELED;
    return -1;
}

static int prepare_all(struct session *session, struct err *err)
{
    const int count =
        session->store->reservations ? STATEMENT_COUNT : STATEMENTS_OF_LEASES;

    for (int i = 0; i < count; i++) {
        if (sqlite3_prepare_v3(session->db, session->sql[i], -1,
                               SQLITE_PREPARE_PERSISTENT,
                               &session->statements[i], NULL) != SQLITE_OK)
            return failed(session, (enum statement)i, err);
    }
    return 0;
}

static void link_session(struct session *session)
{
    struct store *const store = session->store;

    (void)pthread_mutex_lock(&store->lock);
    session->next = store->sessions;
    store->sessions = session;
    (void)pthread_mutex_unlock(&store->lock);
}

static void unlink_session(const struct session *session)
{
    struct store *const store = session->store;

    (void)pthread_mutex_lock(&store->lock);
    for (struct session **s = &store->sessions; *s != NULL; s = &(*s)->next) {
        if (*s == session) {
            *s = session->next;
            break;
        }
    }
    (void)pthread_mutex_unlock(&store->lock);
}

static void sqlite_session_close(struct session *session)
{
    if (session == NULL)
        return;
    unlink_session(session);
    for (int i = 0; i < STATEMENT_COUNT; i++)
        (void)sqlite3_finalize(session->statements[i]);
    const int code = sqlite3_close(session->db);
    assert(code == SQLITE_OK); /* or a statement of ours was forgotten */
    (void)code;
    free(session);
}

static struct session *sqlite_session_open(struct store *store, struct err *err)
{
    struct session *const session = calloc(1, sizeof *session);

    if (session == NULL) {
        (void)err_set(err, "sqlite: out of memory");
        return NULL;
    }
    session->store = store;
    session->compiled = store->compiled;
    session->sql = store->schema->statements;
    session->family = store->family;
    session->values = store->schema->values;
    session->db = database_connect(&store->database, err);
    if (session->db == NULL) {
        free(session);
        return NULL;
    }
    link_session(session);
    (void)sqlite3_busy_handler(session->db, wait_for_lock, store);
    if (settle_session(session, err) != 0 ||
        (session->compiled && prepare_all(session, err) != 0)) {
        sqlite_session_close(session);
        return NULL;
    }
    return session;
}

/* Values, and how they get into a statement: bound, or as text. */

struct value {
    enum value_kind { VALUE_INTEGER, VALUE_TEXT, VALUE_BLOB } kind;
    int length; /* of bytes */
    union {
        int64_t integer;
        const void *bytes; /* NULL: NULL */
    };
};

static inline struct value integer(int64_t number)
{
    return (struct value){ .kind = VALUE_INTEGER, .integer = number };
}

/* As in Kea, a client without one has NULL there. */
static struct value blob(const uint8_t *bytes, size_t length)
{
    return (struct value){ .kind = VALUE_BLOB,
                           .length = (int)length,
                           .bytes = length > 0 ? bytes : NULL };
}

static struct value text(const char *bytes, size_t length)
{
    return (struct value){ .kind = VALUE_TEXT,
                           .length = (int)length,
                           .bytes = bytes };
}

static inline struct value address_value(struct session *session,
                                         struct lease_address address)
{
    const uint64_t v6[2] = { htobe64(address.high), htobe64(address.low) };

    if (session->family == LEASE_FAMILY_V4)
        return integer((int64_t)address.low);
    memcpy(session->address, v6, sizeof v6);
    return blob(session->address, sizeof v6);
}

/* In the order of COLUMNS, or of COLUMNS6 and the next two. */
static void lease_values(struct session *session, const struct lease *lease,
                         struct value values[static LEASE_VALUES_MAX])
{
    values[0] = address_value(session, lease->address);
    values[1] = blob(lease->hwaddr, lease->hwaddr_length);
    values[2] = blob(lease->client_id, lease->client_id_length);
    values[3] = integer(lease->valid_s);
    values[4] = integer(lease_expire_s(lease));
    values[5] = integer(lease->subnet_id);
    values[6] = integer(lease->fqdn_fwd);
    values[7] = integer(lease->fqdn_rev);
    values[8] = text(lease->hostname, lease->hostname_length);
    values[9] = integer(lease->state);
    values[10] = integer(lease->pool_id);
    if (session->family == LEASE_FAMILY_V4)
        return;
    values[11] = integer(lease->type);
    values[12] = integer(lease->iaid);
    values[13] = integer(lease->preferred_s);
    values[14] = integer(lease->prefix_length);
    values[15] = integer(LEASE_V6_HWTYPE);
    values[16] = integer(LEASE_V6_HWADDR_SOURCE);
    if (lease->hwaddr_length == 0)
        values[15] = values[16] = blob(NULL, 0);
}

/* Returns SQLite's code. */
static inline int bind_value(sqlite3_stmt *statement, int index,
                             const struct value *value)
{
    switch (value->kind) {
    case VALUE_TEXT:
        return sqlite3_bind_text(statement, index, value->bytes, value->length,
                                 SQLITE_STATIC);
    case VALUE_BLOB:
        return sqlite3_bind_blob(statement, index, value->bytes, value->length,
                                 SQLITE_STATIC);
    case VALUE_INTEGER:
        break;
    }
    return sqlite3_bind_int64(statement, index, value->integer);
}

static char *append_word(char *out, const char *word)
{
    while (*word != '\0')
        *out++ = *word++;
    return out;
}

static char *append_integer(char *out, int64_t number)
{
    char digits[24];
    char *first = digits + sizeof digits;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;

    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        *--first = '-';
    const size_t length = (size_t)(digits + sizeof digits - first);
    memcpy(out, first, length);
    return out + length;
}

static char *append_blob(char *out, const uint8_t *bytes, int length)
{
    static const char digits[] = "0123456789abcdef";

    *out++ = 'x';
    *out++ = '\'';
    for (int i = 0; i < length; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out++ = '\'';
    return out;
}

static char *append_text(char *out, const char *bytes, int length)
{
    /* NUL would end the statement. */
    if (memchr(bytes, '\0', (size_t)length) != NULL) {
        out = append_word(out, "CAST(");
        out = append_blob(out, (const uint8_t *)bytes, length);
        return append_word(out, " AS TEXT)");
    }
    *out++ = '\'';
    for (int i = 0; i < length; i++) {
        if (bytes[i] == '\'')
            *out++ = '\'';
        *out++ = bytes[i];
    }
    *out++ = '\'';
    return out;
}

static char *append_value(char *out, const struct value *value)
{
    if (value->kind == VALUE_INTEGER)
        return append_integer(out, value->integer);
    if (value->bytes == NULL)
        return append_word(out, "NULL");
    return value->kind == VALUE_BLOB
               ? append_blob(out, value->bytes, value->length)
               : append_text(out, value->bytes, value->length);
}

/* Writes a statement with values where its parameters stand; those that have
   none become NULL, as they would be if nothing was bound to them.  Returns
   its length with the NUL. */
static int write_statement(char *out, const char *sql,
                           const struct value *values, int count)
{
    static const struct value null = { .kind = VALUE_BLOB };
    const char *const begin = out;

    for (const char *mark; (mark = strchr(sql, '?')) != NULL;) {
        memcpy(out, sql, (size_t)(mark - sql));
        out += mark - sql;
        int index = 0;
        for (sql = mark + 1; *sql >= '0' && *sql <= '9'; sql++)
            index = 10 * index + (*sql - '0');
        out = append_value(
            out, index >= 1 && index <= count ? &values[index - 1] : &null);
    }
    const size_t length = strlen(sql) + 1;
    memcpy(out, sql, length);
    return (int)(out - begin) + (int)length;
}

static sqlite3_stmt *prepare_text(struct session *session, enum statement which,
                                  const struct value *values, int count,
                                  struct err *err)
{
    sqlite3_stmt *statement = NULL;
    const int length =
        write_statement(session->text, session->sql[which], values, count);

    if (sqlite3_prepare_v3(session->db, session->text, length, 0, &statement,
                           NULL) != SQLITE_OK)
        (void)failed(session, which, err);
    return statement;
}

/* A statement that can be stepped, or NULL with err.  Inline, like what it
   calls: 40 ns of a search's 2700. */
static inline sqlite3_stmt *get_ready(struct session *session,
                                      enum statement which,
                                      const struct value *values, int count,
                                      struct err *err)
{
    sqlite3_stmt *const statement = session->statements[which];
    int code = SQLITE_OK;

    if (!session->compiled)
        return prepare_text(session, which, values, count, err);
    for (int i = 0; i < count; i++)
        code |= bind_value(statement, i + 1, &values[i]);
    if (code == SQLITE_OK)
        return statement;
    (void)failed(session, which, err);
    return NULL;
}

static inline void let_go(const struct session *session,
                          sqlite3_stmt *statement)
{
    /* Their code is that of the last step, which has been looked at. */
    if (session->compiled)
        (void)sqlite3_reset(statement);
    else
        (void)sqlite3_finalize(statement);
}

/* The operations. */

/* Runs a statement without an answer.  Returns how many rows it changed, or -1
   with err. */
static int64_t run(struct session *session, enum statement which,
                   const struct value *values, int count, struct err *err)
{
    sqlite3_stmt *const statement =
        get_ready(session, which, values, count, err);
    int64_t changes = -1;

    if (statement == NULL)
        return -1;
    if (sqlite3_step(statement) == SQLITE_DONE)
        changes = sqlite3_changes(session->db);
    else
        (void)failed(session, which, err);
    let_go(session, statement);
    return changes;
}

static enum outcome sqlite_create(struct session *session,
                                  const struct lease *lease, struct err *err)
{
    struct value values[LEASE_VALUES_MAX];
    enum outcome outcome = OUTCOME_HIT;

    lease_values(session, lease, values);
    sqlite3_stmt *const statement =
        get_ready(session, STATEMENT_CREATE, values, session->values, err);
    if (statement == NULL)
        return OUTCOME_ERROR;
    if (sqlite3_step(statement) != SQLITE_DONE) {
        if (sqlite3_extended_errcode(session->db) ==
            SQLITE_CONSTRAINT_PRIMARYKEY)
            outcome = OUTCOME_MISS;
        else
            outcome = failed(session, STATEMENT_CREATE, err);
    }
    let_go(session, statement);
    return outcome;
}

static enum outcome to_outcome(int64_t changes)
{
    return changes < 0    ? OUTCOME_ERROR
           : changes == 0 ? OUTCOME_MISS
                          : OUTCOME_HIT;
}

static enum outcome sqlite_update(struct session *session,
                                  const struct lease *lease, int64_t expire_s,
                                  struct err *err)
{
    struct value values[LEASE_VALUES_MAX + 1];

    lease_values(session, lease, values);
    values[session->values] = integer(expire_s);
    return to_outcome(
        run(session, STATEMENT_UPDATE, values, session->values + 1, err));
}

static enum outcome sqlite_remove(struct session *session,
                                  struct lease_address address,
                                  int64_t expire_s, struct err *err)
{
    const struct value values[] = { address_value(session, address),
                                    integer(expire_s) };

    return to_outcome(run(session, STATEMENT_REMOVE, values, 2, err));
}

/* Copies a blob; false if it is longer than it can be in a lease. */
static inline bool read_blob(sqlite3_stmt *statement, int column,
                             uint8_t *bytes, int max, uint8_t *length)
{
    const void *const source = sqlite3_column_blob(statement, column);
    const int source_length = sqlite3_column_bytes(statement, column);

    if (source_length > max)
        return false;
    *length = (uint8_t)source_length;
    if (source_length > 0)
        memcpy(bytes, source, (size_t)source_length);
    return true;
}

/* What v6 has in another way, or alone. */
static bool read_v6(sqlite3_stmt *statement, struct lease *lease)
{
    uint64_t words[2] = { 0, 0 };
    uint8_t length = 0;
    const bool fits =
        read_blob(statement, 0, (uint8_t *)words, V6_ADDRESS_SIZE, &length) &&
        length == V6_ADDRESS_SIZE;

    lease->address = (struct lease_address){ .high = be64toh(words[0]),
                                             .low = be64toh(words[1]) };
    lease->type = (uint8_t)sqlite3_column_int(statement, 11);
    lease->iaid = (uint32_t)sqlite3_column_int64(statement, 12);
    lease->preferred_s = (uint32_t)sqlite3_column_int64(statement, 13);
    lease->prefix_length = (uint8_t)sqlite3_column_int(statement, 14);
    return fits;
}

static bool read_address(const struct session *session, sqlite3_stmt *statement,
                         struct lease *lease)
{
    if (session->family == LEASE_FAMILY_V6)
        return read_v6(statement, lease);
    lease->type = LEASE_TYPE_V4;
    lease->address =
        lease_address_v4((uint32_t)sqlite3_column_int64(statement, 0));
    return true;
}

/* Reads the row at which a statement stands, in the order of COLUMNS or
   COLUMNS6. */
static enum outcome read_lease(const struct session *session,
                               sqlite3_stmt *statement, struct lease *lease,
                               struct err *err)
{
    const bool fits = read_address(session, statement, lease);

    lease->valid_s = (uint32_t)sqlite3_column_int64(statement, 3);
    lease->cltt_s =
        sqlite3_column_int64(statement, 4) - (int64_t)lease->valid_s;
    lease->subnet_id = (uint32_t)sqlite3_column_int64(statement, 5);
    lease->fqdn_fwd = sqlite3_column_int(statement, 6) != 0;
    lease->fqdn_rev = sqlite3_column_int(statement, 7) != 0;
    lease->state = (uint8_t)sqlite3_column_int(statement, 9);
    lease->pool_id = (uint32_t)sqlite3_column_int64(statement, 10);

    /* Before its length is asked for: this makes it UTF-8. */
    const unsigned char *const hostname = sqlite3_column_text(statement, 8);
    const int length = sqlite3_column_bytes(statement, 8);
    if (!fits || length > LEASE_HOSTNAME_MAX ||
        !read_blob(statement, 1, lease->hwaddr, LEASE_HWADDR_MAX,
                   &lease->hwaddr_length) ||
        !read_blob(statement, 2, lease->client_id, LEASE_CLIENT_ID_MAX,
                   &lease->client_id_length)) {
        char address[LEASE_ADDRESS_TEXT_SIZE];

        return err_set(
            err, "sqlite: %s: the row of %s does not fit into a lease",
            session->store->database.target,
            lease_address_text(address, lease->address, lease->type));
    }
    lease->hostname_length = (uint8_t)length;
    if (length > 0)
        memcpy(lease->hostname, hostname, (size_t)length);
    return OUTCOME_HIT;
}

static inline enum outcome find(struct session *session, enum statement which,
                                const struct value *key, int count,
                                struct lease *found, struct err *err)
{
    sqlite3_stmt *const statement = get_ready(session, which, key, count, err);
    enum outcome outcome = OUTCOME_MISS;

    if (statement == NULL)
        return OUTCOME_ERROR;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        outcome = read_lease(session, statement, found, err);
        /* An address is unique; of the others a second one may be there. */
        code = which == STATEMENT_FIND_BY_ADDRESS ? SQLITE_DONE
                                                  : sqlite3_step(statement);
    }
    if (code == SQLITE_ROW)
        outcome = err_set(err, "sqlite: %s: %s: more than one lease",
                          session->store->database.target, actions[which]);
    else if (code != SQLITE_DONE)
        outcome = failed(session, which, err);
    let_go(session, statement);
    return outcome;
}

static enum outcome sqlite_find_by_address(struct session *session,
                                           struct lease_address address,
                                           enum lease_type type,
                                           struct lease *found, struct err *err)
{
    const struct value key[] = { address_value(session, address),
                                 integer(type) };

    return find(session, STATEMENT_FIND_BY_ADDRESS, key,
                session->family == LEASE_FAMILY_V4 ? 1 : 2, found, err);
}

static enum outcome sqlite_find_by_hwaddr(struct session *session,
                                          const uint8_t *hwaddr, size_t length,
                                          struct lease *found, struct err *err)
{
    const struct value key = blob(hwaddr, length);

    return length > LEASE_HWADDR_MAX
               ? OUTCOME_MISS
               : find(session, STATEMENT_FIND_BY_HWADDR, &key, 1, found, err);
}

static enum outcome sqlite_find_by_client_id(struct session *session,
                                             const uint8_t *client_id,
                                             size_t length, struct lease *found,
                                             struct err *err)
{
    const struct value key = blob(client_id, length);

    return length > LEASE_CLIENT_ID_MAX
               ? OUTCOME_MISS
               : find(session, STATEMENT_FIND_BY_CLIENT_ID, &key, 1, found,
                      err);
}

static enum outcome sqlite_find_by_duid(struct session *session,
                                        const uint8_t *duid, size_t length,
                                        uint32_t iaid, enum lease_type type,
                                        uint32_t subnet_id, struct lease *found,
                                        struct err *err)
{
    const struct value key[] = { blob(duid, length), integer(iaid),
                                 integer(type), integer(subnet_id) };

    if (length > LEASE_DUID_MAX)
        return OUTCOME_MISS;
    return subnet_id == LEASE_SUBNET_ANY
               ? find(session, STATEMENT_FIND_BY_CLIENT_ID, key, 3, found, err)
               : find(session, STATEMENT_FIND_IN_SUBNET, key, 4, found, err);
}

static enum outcome sqlite_add_reservation(struct session *session,
                                           const struct reservation_key *key,
                                           struct lease_address address,
                                           struct err *err)
{
    const struct value values[] = { integer(key->type), integer(key->subnet_id),
                                    blob(key->identifier, key->length),
                                    integer((int64_t)address.low) };
    enum outcome outcome = OUTCOME_HIT;
    sqlite3_stmt *const statement =
        get_ready(session, STATEMENT_ADD_RESERVATION, values, 4, err);

    if (statement == NULL)
        return OUTCOME_ERROR;
    if (sqlite3_step(statement) != SQLITE_DONE)
        outcome =
            sqlite3_extended_errcode(session->db) == SQLITE_CONSTRAINT_UNIQUE
                ? OUTCOME_MISS
                : (enum outcome)failed(session, STATEMENT_ADD_RESERVATION, err);
    let_go(session, statement);
    return outcome;
}

static enum outcome sqlite_find_reservation(struct session *session,
                                            const struct reservation_key *key,
                                            struct lease_address *address,
                                            struct err *err)
{
    const struct value values[] = { integer(key->type), integer(key->subnet_id),
                                    blob(key->identifier, key->length) };
    enum outcome outcome = OUTCOME_MISS;
    sqlite3_stmt *const statement =
        get_ready(session, STATEMENT_FIND_RESERVATION, values, 3, err);

    if (statement == NULL)
        return OUTCOME_ERROR;
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        outcome = OUTCOME_HIT;
        *address =
            lease_address_v4((uint32_t)sqlite3_column_int64(statement, 0));
    } else if (code != SQLITE_DONE) {
        outcome =
            (enum outcome)failed(session, STATEMENT_FIND_RESERVATION, err);
    }
    let_go(session, statement);
    return outcome;
}

static int sqlite_list_expired(struct session *session, int64_t now_s,
                               size_t limit, struct lease *found, size_t *count,
                               struct err *err)
{
    const struct value values[] = { integer(now_s), integer((int64_t)limit) };
    sqlite3_stmt *const statement =
        get_ready(session, STATEMENT_LIST_EXPIRED, values, 2, err);
    int code = SQLITE_DONE;
    int status = 0;

    *count = 0;
    if (statement == NULL)
        return -1;
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (read_lease(session, statement, &found[*count], err) == OUTCOME_HIT)
            ++*count;
        else
            status = -1;
    }
    if (status == 0 && code != SQLITE_DONE)
        status = failed(session, STATEMENT_LIST_EXPIRED, err);
    let_go(session, statement);
    return status;
}

static int sqlite_purge_reclaimed(struct session *session, int64_t before_s,
                                  uint64_t *purged, struct err *err)
{
    const struct value value = integer(before_s);
    const int64_t changes = run(session, STATEMENT_PURGE, &value, 1, err);

    if (changes < 0)
        return -1;
    *purged = (uint64_t)changes;
    return 0;
}

static int sqlite_reset(struct session *session, struct err *err)
{
    if (session->store->reservations &&
        run(session, STATEMENT_RESET_RESERVATIONS, NULL, 0, err) < 0)
        return -1;
    return run(session, STATEMENT_RESET, NULL, 0, err) < 0 ? -1 : 0;
}

static int sqlite_begin(struct session *session, struct err *err)
{
    return run(session, STATEMENT_BEGIN, NULL, 0, err) < 0 ? -1 : 0;
}

static int sqlite_commit(struct session *session, struct err *err)
{
    return run(session, STATEMENT_COMMIT, NULL, 0, err) < 0 ? -1 : 0;
}

static int sqlite_count(struct session *session, uint64_t *count,
                        struct err *err)
{
    sqlite3_stmt *const statement =
        get_ready(session, STATEMENT_COUNT_LEASES, NULL, 0, err);
    int status = 0;

    if (statement == NULL)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *count = (uint64_t)sqlite3_column_int64(statement, 0);
    else
        status = failed(session, STATEMENT_COUNT_LEASES, err);
    let_go(session, statement);
    return status;
}

static int sqlite_read_counters(struct session *session, enum counters which,
                                struct lease_counts *counts, struct err *err)
{
    const struct database *const database = &session->store->database;
    char sql[COUNTER_SQL_SIZE];
    int64_t row[COUNTER_SQL_COLUMNS];
    sqlite3_stmt *statement = NULL;
    int status = 0;

    counter_sql_read(sql, session->family, which);
    int code = sqlite3_prepare_v2(session->db, sql, -1, &statement, NULL);
    while (code == SQLITE_OK && status == 0 &&
           (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < COUNTER_SQL_COLUMNS; i++)
            row[i] = sqlite3_column_int64(statement, i);
        status = counter_sql_add(counts, row, "sqlite", err);
        code = SQLITE_OK;
    }
    if (status == 0 && code != SQLITE_DONE)
        status =
            database_failed(database, session->db, "read the counters", err);
    (void)sqlite3_finalize(statement);
    return status;
}

static enum outcome sqlite_check(struct session *session, char *text,
                                 size_t size, struct err *err)
{
    static const char sql[] = "PRAGMA integrity_check(1)";
    const struct database *const database = &session->store->database;
    enum outcome outcome = OUTCOME_MISS;
    sqlite3_stmt *statement = NULL;

    int code = sqlite3_prepare_v2(session->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code != SQLITE_ROW) {
        outcome = OUTCOME_ERROR;
        (void)database_failed(database, session->db, sql, err);
    } else {
        const char *const found =
            (const char *)sqlite3_column_text(statement, 0);

        (void)snprintf(text, size, "PRAGMA integrity_check: %s", found);
        if (strcmp(found, "ok") == 0)
            outcome = OUTCOME_HIT;
    }
    (void)sqlite3_finalize(statement);
    return outcome;
}

const struct backend the_backend = {
    .name = "sqlite",
    .default_target = "sqlite.db",
    .scope = OPT_SCOPE_FILE | OPT_SCOPE_SQL | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_SERVER) | SYNC_BIT(SYNC_PROCESS_SAFE) |
                   SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .settings_help = "any PRAGMA that can be read back, such as cache_size, "
                     "journal_mode,\nmmap_size, page_size or "
                     "wal_autocheckpoint",
    .library = sqlite_library,
    .open = sqlite_open,
    .close = sqlite_close,
    .describe = sqlite_describe,
    .durability = sqlite_durability,
    .data_path = sqlite_data_path,
    .session_open = sqlite_session_open,
    .session_close = sqlite_session_close,
    .reset = sqlite_reset,
    .count = sqlite_count,
    .read_counters = sqlite_read_counters,
    .check = sqlite_check,
    .create = sqlite_create,
    .find_by_address = sqlite_find_by_address,
    .find_by_hwaddr = sqlite_find_by_hwaddr,
    .find_by_client_id = sqlite_find_by_client_id,
    .find_by_duid = sqlite_find_by_duid,
    .update = sqlite_update,
    .remove = sqlite_remove,
    .list_expired = sqlite_list_expired,
    .purge_reclaimed = sqlite_purge_reclaimed,
    .add_reservation = sqlite_add_reservation,
    .find_reservation = sqlite_find_reservation,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .cancel = sqlite_cancel,
};
