/* SPDX-License-Identifier: ISC */
/* The operations on leases, as statements with parameters. */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/mysql/store.h"

/* The last second of a TIMESTAMP, in 2038. */
#define TIMESTAMP_MAX_S INT64_C(2147483647)
/* The last second of a year with four digits. */
#define YEAR_9999_S INT64_C(253402300799)

enum { V6_ADDRESS_SIZE = 16 };

enum sql_kind sql_kind(int param)
{
    switch (param) {
    case SQL_V6_ADDRESS:
    case SQL_HWADDR:
    case SQL_CLIENT_ID:
    case SQL_DUID:
        return SQL_BYTES;
    case SQL_V6_TEXT:
    case SQL_HOSTNAME:
        return SQL_TEXT;
    case SQL_EXPIRE:
    case SQL_OLD_EXPIRE:
        return SQL_TIME;
    case SQL_USER_CONTEXT:
    case SQL_RELAY_ID:
    case SQL_REMOTE_ID:
        return SQL_NULL;
    default:
        return SQL_NUMBER;
    }
}

unsigned long sql_column_size(int param)
{
    switch (param) {
    case SQL_V6_ADDRESS:
        return V6_ADDRESS_SIZE;
    case SQL_V6_TEXT:
        return LEASE_ADDRESS_TEXT_SIZE - 1;
    case SQL_HWADDR:
        return LEASE_HWADDR_MAX;
    case SQL_DUID:
        return LEASE_DUID_MAX;
    case SQL_CLIENT_ID:
        return LEASE_CLIENT_ID_MAX;
    case SQL_HOSTNAME:
        return LEASE_HOSTNAME_MAX;
    default:
        return 0;
    }
}

void sql_row_init(struct sql_row *row)
{
    *row = (struct sql_row){ .number = { 0 } };
    row->bytes[SQL_HWADDR] = row->hwaddr;
    row->bytes[SQL_V6_ADDRESS] = row->address;
    row->bytes[SQL_V6_TEXT] = row->address;
    row->bytes[SQL_CLIENT_ID] = row->client_id;
    row->bytes[SQL_DUID] = row->client_id;
    row->bytes[SQL_HOSTNAME] = row->hostname;
}

/* Wording */

static void append(struct sql_statement *statement, const char *text)
{
    const size_t length = strlen(statement->sql);

    (void)snprintf(statement->sql + length, sizeof statement->sql - length,
                   "%s", text);
}

static void append_param(struct sql_statement *statement, const char *before,
                         int param)
{
    append(statement, before);
    append(statement, "?");
    statement->params[statement->param_count++] = param;
}

static void append_columns(struct sql_statement *statement,
                           const struct sql_statements *all)
{
    for (size_t i = 0; i < all->column_count; i++) {
        append(statement, i == 0 ? "" : ", ");
        append(statement, sql_column_name(all->columns[i]));
    }
}

static void word_create(struct sql_statement *statement,
                        const struct sql_statements *all,
                        const struct sql_table *table)
{
    statement->action = "create";
    append(statement, "INSERT INTO ");
    append(statement, table->name);
    append(statement, " (");
    append_columns(statement, all);
    append(statement, ") VALUES (");
    for (size_t i = 0; i < all->column_count; i++)
        append_param(statement, i == 0 ? "" : ", ", (int)all->columns[i]);
    append(statement, ")");
}

static void word_find(struct sql_statement *statement,
                      const struct sql_statements *all,
                      const struct sql_table *table, const char *action,
                      const char *where, int param)
{
    statement->action = action;
    statement->finds = true;
    append(statement, "SELECT ");
    append_columns(statement, all);
    append(statement, " FROM ");
    append(statement, table->name);
    append(statement, " WHERE ");
    append_param(statement, where, param);
}

static void word_update(struct sql_statement *statement,
                        const struct sql_statements *all,
                        const struct sql_table *table)
{
    statement->action = "update";
    append(statement, "UPDATE ");
    append(statement, table->name);
    append(statement, " SET ");
    for (size_t i = 0; i < all->column_count; i++) {
        append(statement, i == 0 ? "" : ", ");
        append(statement, sql_column_name(all->columns[i]));
        append_param(statement, " = ", (int)all->columns[i]);
    }
    append_param(statement, " WHERE address = ", (int)table->address);
    append_param(statement, " AND expire = ", SQL_OLD_EXPIRE);
}

/* By address or by client: v6 wants the type, too. */
static void word_find_client(struct sql_statement *statement,
                             const struct sql_statements *all,
                             const struct sql_table *table)
{
    const bool v6 = table->client == SQL_DUID;

    word_find(statement, all, table,
              v6 ? "search by DUID" : "search by client-id",
              v6 ? "duid = " : "client_id = ", (int)table->client);
    if (!v6)
        return;
    append_param(statement, " AND iaid = ", SQL_IAID);
    append_param(statement, " AND lease_type = ", SQL_LEASE_TYPE);
}

static void word_searches(struct sql_statements *all,
                          const struct sql_table *table)
{
    struct sql_statement *const items = all->items;

    word_find(&items[SQL_BY_ADDRESS], all, table, "search",
              "address = ", (int)table->address);
    word_find(&items[SQL_BY_HWADDR], all, table, "search by hwaddr",
              "hwaddr = ", SQL_HWADDR);
    if (table->client == SQL_DUID)
        append_param(&items[SQL_BY_ADDRESS],
                     " AND lease_type = ", SQL_LEASE_TYPE);
    word_find_client(&items[SQL_BY_CLIENT_ID], all, table);
    word_find_client(&items[SQL_IN_SUBNET], all, table);
    append_param(&items[SQL_IN_SUBNET], " AND subnet_id = ", SQL_SUBNET_ID);
}

/* The statements are Kea's: see its MySqlLeaseMgr. */
void sql_statements_init(struct sql_statements *all,
                         const struct sql_table *table)
{
    struct sql_statement *const items = all->items;

    *all = (struct sql_statements){ .column_count = 0 };
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (table->has[i])
            all->columns[all->column_count++] = i;
    }
    word_create(&items[SQL_CREATE], all, table);
    word_searches(all, table);
    word_update(&items[SQL_UPDATE], all, table);
    items[SQL_REMOVE].action = "delete";
    append(&items[SQL_REMOVE], "DELETE FROM ");
    append(&items[SQL_REMOVE], table->name);
    append_param(&items[SQL_REMOVE], " WHERE address = ", (int)table->address);
    append_param(&items[SQL_REMOVE], " AND expire = ", SQL_OLD_EXPIRE);
    word_find(&items[SQL_LIST_EXPIRED], all, table, "list expired leases",
              "state != 2 AND valid_lifetime != 4294967295 AND expire < ",
              SQL_OLD_EXPIRE);
    append_param(&items[SQL_LIST_EXPIRED], " ORDER BY expire LIMIT ",
                 SQL_LIMIT);
    items[SQL_PURGE_RECLAIMED].action = "purge reclaimed leases";
    append(&items[SQL_PURGE_RECLAIMED], "DELETE FROM ");
    append(&items[SQL_PURGE_RECLAIMED], table->name);
    append_param(&items[SQL_PURGE_RECLAIMED], " WHERE state = 2 AND expire < ",
                 SQL_OLD_EXPIRE);
}

/* Times */

/* An infinite lease ends after the last TIMESTAMP; as Kea does, the store keeps
   the time of its beginning. */
static int64_t stored_s(int64_t expire_s)
{
    return expire_s > TIMESTAMP_MAX_S && expire_s >= UINT32_MAX
               ? expire_s - UINT32_MAX
               : expire_s;
}

static int put_time(struct session *session, int param, int64_t time_s,
                    enum sql_statement_name name, struct err *err)
{
    const time_t time = (time_t)time_s;
    struct tm utc;

    if (time_s < 0 || time_s > YEAR_9999_S || gmtime_r(&time, &utc) == NULL)
        return err_set(err,
                       "mysql: %s: the time %lld is not one of the "
                       "server's",
                       session->statements->items[name].action,
                       (long long)time_s);
    session->in.time[param] = (MYSQL_TIME){
        .year = (unsigned)utc.tm_year + 1900,
        .month = (unsigned)utc.tm_mon + 1,
        .day = (unsigned)utc.tm_mday,
        .hour = (unsigned)utc.tm_hour,
        .minute = (unsigned)utc.tm_min,
        .second = (unsigned)utc.tm_sec,
        .time_type = MYSQL_TIMESTAMP_DATETIME,
    };
    return 0;
}

static int64_t get_time(const MYSQL_TIME *time)
{
    struct tm utc = {
        .tm_year = (int)time->year - 1900,
        .tm_mon = (int)time->month - 1,
        .tm_mday = (int)time->day,
        .tm_hour = (int)time->hour,
        .tm_min = (int)time->minute,
        .tm_sec = (int)time->second,
    };

    return (int64_t)timegm(&utc);
}

/* The time that a lease is said to expire at.  MISS if none that is stored can
   do so, HIT if it has to be looked for. */
static enum outcome put_old_expire(struct session *session, int64_t expire_s,
                                   enum sql_statement_name name,
                                   struct err *err)
{
    const int64_t time_s = stored_s(expire_s);

    if (time_s < 1 || time_s > YEAR_9999_S)
        return OUTCOME_MISS;
    return put_time(session, SQL_OLD_EXPIRE, time_s, name, err) == 0
               ? OUTCOME_HIT
               : OUTCOME_ERROR;
}

/* Leases to rows and back */

/* An empty one is NULL, as in Kea. */
static void put_bytes(struct sql_row *row, enum sql_column column,
                      const void *bytes, size_t length)
{
    memcpy(row->bytes[column], bytes, length);
    row->length[column] = (unsigned long)length;
    row->is_null[column] = length == 0 && column != SQL_HOSTNAME ? 1 : 0;
}

static void put_address(struct session *session, struct lease_address address)
{
    const uint64_t v6[2] = { htobe64(address.high), htobe64(address.low) };
    struct sql_row *const row = &session->in;

    if (session->table->address == SQL_ADDRESS) {
        row->number[SQL_ADDRESS] = (uint32_t)address.low;
    } else if (session->table->address == SQL_V6_ADDRESS) {
        put_bytes(row, SQL_V6_ADDRESS, v6, sizeof v6);
    } else {
        (void)inet_ntop(AF_INET6, v6, row->address, sizeof row->address);
        row->length[SQL_V6_TEXT] = (unsigned long)strlen(row->address);
    }
}

/* What lease6 has beside lease4. */
static void put_v6(struct sql_row *row, const struct lease *lease)
{
    row->number[SQL_LEASE_TYPE] = lease->type;
    row->number[SQL_IAID] = lease->iaid;
    row->number[SQL_PREF_LIFETIME] = lease->preferred_s;
    row->number[SQL_PREFIX_LEN] = lease->prefix_length;
    row->number[SQL_HWTYPE] = LEASE_V6_HWTYPE;
    row->number[SQL_HWADDR_SOURCE] = LEASE_V6_HWADDR_SOURCE;
    row->is_null[SQL_HWTYPE] = lease->hwaddr_length == 0 ? 1 : 0;
    row->is_null[SQL_HWADDR_SOURCE] = row->is_null[SQL_HWTYPE];
}

static int put_lease(struct session *session, const struct lease *lease,
                     enum sql_statement_name name, struct err *err)
{
    struct sql_row *const row = &session->in;

    if (lease->pool_id != 0 && !session->table->has[SQL_POOL_ID])
        return err_set(err, "mysql: %s: %s has no column for pool_id %u",
                       session->statements->items[name].action,
                       session->table->name, lease->pool_id);
    put_address(session, lease->address);
    row->number[SQL_VALID_LIFETIME] = lease->valid_s;
    row->number[SQL_SUBNET_ID] = lease->subnet_id;
    row->number[SQL_FQDN_FWD] = lease->fqdn_fwd;
    row->number[SQL_FQDN_REV] = lease->fqdn_rev;
    row->number[SQL_STATE] = lease->state;
    row->number[SQL_POOL_ID] = lease->pool_id;
    put_bytes(row, SQL_HWADDR, lease->hwaddr, lease->hwaddr_length);
    put_bytes(row, session->table->client, lease->client_id,
              lease->client_id_length);
    if (session->table->client == SQL_DUID)
        put_v6(row, lease);
    put_bytes(row, SQL_HOSTNAME, lease->hostname, lease->hostname_length);
    return put_time(session, SQL_EXPIRE,
                    lease->valid_s == LEASE_VALID_FOREVER
                        ? lease->cltt_s
                        : lease_expire_s(lease),
                    name, err);
}

static uint8_t get_bytes(const struct sql_row *row, enum sql_column column,
                         void *bytes)
{
    const size_t length = row->is_null[column] ? 0 : row->length[column];

    memcpy(bytes, row->bytes[column], length);
    return (uint8_t)length;
}

/* What lease6 has in another way than lease4, or alone.  -1 if the address is
   none. */
static int get_v6(const struct sql_table *table, const struct sql_row *row,
                  struct lease *lease)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];
    uint64_t words[2] = { 0, 0 };

    lease->type = (uint8_t)row->number[SQL_LEASE_TYPE];
    lease->iaid = row->number[SQL_IAID];
    lease->preferred_s = row->number[SQL_PREF_LIFETIME];
    lease->prefix_length = (uint8_t)row->number[SQL_PREFIX_LEN];
    if (table->address == SQL_V6_ADDRESS) {
        memcpy(words, row->address, sizeof words);
    } else {
        memcpy(text, row->address, row->length[SQL_V6_TEXT]);
        text[row->length[SQL_V6_TEXT]] = '\0';
        if (inet_pton(AF_INET6, text, words) != 1)
            return -1;
    }
    lease->address = (struct lease_address){ .high = be64toh(words[0]),
                                             .low = be64toh(words[1]) };
    return 0;
}

static int get_address(const struct sql_table *table, const struct sql_row *row,
                       struct lease *lease)
{
    if (table->address != SQL_ADDRESS)
        return get_v6(table, row, lease);
    lease->type = LEASE_TYPE_V4;
    lease->address = lease_address_v4(row->number[SQL_ADDRESS]);
    return 0;
}

/* Returns 0, or -1 with err if it is no lease. */
static int get_lease(const struct sql_table *table, const struct sql_row *row,
                     struct lease *lease, struct err *err)
{
    const int64_t stored = get_time(&row->time[SQL_EXPIRE]);
    const uint32_t valid_s = row->number[SQL_VALID_LIFETIME];

    lease->valid_s = valid_s;
    lease->cltt_s = valid_s == LEASE_VALID_FOREVER ? stored : stored - valid_s;
    lease->subnet_id = row->number[SQL_SUBNET_ID];
    lease->pool_id = row->number[SQL_POOL_ID];
    lease->state = (uint8_t)row->number[SQL_STATE];
    lease->fqdn_fwd = row->number[SQL_FQDN_FWD] != 0;
    lease->fqdn_rev = row->number[SQL_FQDN_REV] != 0;
    lease->hwaddr_length = get_bytes(row, SQL_HWADDR, lease->hwaddr);
    lease->client_id_length = get_bytes(row, table->client, lease->client_id);
    lease->hostname_length = get_bytes(row, SQL_HOSTNAME, lease->hostname);
    return get_address(table, row, lease) == 0
               ? 0
               : err_set(err, "mysql: %s: a row has no address", table->name);
}

/* Running them */

static bool is_compiled(const struct session *session)
{
    return session->prepared[SQL_CREATE] != NULL;
}

static int execute(struct session *session, enum sql_statement_name name,
                   uint64_t *affected)
{
    return is_compiled(session) ? sql_bound_execute(session, name, affected)
                                : sql_text_execute(session, name, affected);
}

static int fetch(struct session *session, enum sql_statement_name name)
{
    return is_compiled(session) ? sql_bound_fetch(session, name)
                                : sql_text_fetch(session, name);
}

static unsigned code_of(const struct session *session,
                        enum sql_statement_name name)
{
    return is_compiled(session) ? mysql_stmt_errno(session->prepared[name])
                                : mysql_errno(session->link.mysql);
}

static int fail(struct session *session, enum sql_statement_name name,
                struct err *err)
{
    const unsigned code = code_of(session, name);
    const char *const action = session->statements->items[name].action;

    /* The one way to fail without the server having said so. */
    if (code == 0)
        return err_set(err, "mysql: %s: a value is longer than any of ours",
                       action);
    return sql_fail(&session->link, action, code,
                    is_compiled(session)
                        ? mysql_stmt_error(session->prepared[name])
                        : mysql_error(session->link.mysql),
                    err);
}

/* A statement that changes the one row with a key, or none. */
static enum outcome change(struct session *session,
                           enum sql_statement_name name, struct err *err)
{
    uint64_t affected;

    if (execute(session, name, &affected) != 0) {
        (void)fail(session, name, err);
        return OUTCOME_ERROR;
    }
    return affected == 0 ? OUTCOME_MISS : OUTCOME_HIT;
}

/* A statement that finds one row, or none. */
static enum outcome find(struct session *session, enum sql_statement_name name,
                         struct lease *found, struct err *err)
{
    if (execute(session, name, NULL) != 0) {
        (void)fail(session, name, err);
        return OUTCOME_ERROR;
    }
    int more = fetch(session, name);
    if (more == 0)
        return OUTCOME_MISS;
    if (more > 0) {
        const int read = get_lease(session->table, &session->out, found, err);

        more = fetch(session, name);
        if (more == 0)
            return read == 0 ? OUTCOME_HIT : OUTCOME_ERROR;
    }
    if (more < 0) {
        (void)fail(session, name, err);
        return OUTCOME_ERROR;
    }
    while (fetch(session, name) > 0) {
    }
    (void)err_set(err, "mysql: %s: more than one lease has that key",
                  session->statements->items[name].action);
    return OUTCOME_ERROR;
}

enum outcome sql_create(struct session *session, const struct lease *lease,
                        struct err *err)
{
    uint64_t affected;

    if (put_lease(session, lease, SQL_CREATE, err) != 0)
        return OUTCOME_ERROR;
    if (execute(session, SQL_CREATE, &affected) == 0)
        return OUTCOME_HIT;
    if (code_of(session, SQL_CREATE) == SQL_DUPLICATE)
        return OUTCOME_MISS;
    (void)fail(session, SQL_CREATE, err);
    return OUTCOME_ERROR;
}

enum outcome sql_find_by_address(struct session *session,
                                 struct lease_address address,
                                 enum lease_type type, struct lease *found,
                                 struct err *err)
{
    put_address(session, address);
    session->in.number[SQL_LEASE_TYPE] = type;
    return find(session, SQL_BY_ADDRESS, found, err);
}

enum outcome sql_find_by_hwaddr(struct session *session, const uint8_t *hwaddr,
                                size_t length, struct lease *found,
                                struct err *err)
{
    if (length > LEASE_HWADDR_MAX)
        return OUTCOME_MISS; /* it could not have been stored */
    put_bytes(&session->in, SQL_HWADDR, hwaddr, length);
    return find(session, SQL_BY_HWADDR, found, err);
}

enum outcome sql_find_by_client_id(struct session *session,
                                   const uint8_t *client_id, size_t length,
                                   struct lease *found, struct err *err)
{
    if (length > LEASE_CLIENT_ID_MAX)
        return OUTCOME_MISS;
    put_bytes(&session->in, SQL_CLIENT_ID, client_id, length);
    return find(session, SQL_BY_CLIENT_ID, found, err);
}

enum outcome sql_find_by_duid(struct session *session, const uint8_t *duid,
                              size_t length, uint32_t iaid,
                              enum lease_type type, uint32_t subnet_id,
                              struct lease *found, struct err *err)
{
    if (length > LEASE_DUID_MAX)
        return OUTCOME_MISS;
    put_bytes(&session->in, SQL_DUID, duid, length);
    session->in.number[SQL_IAID] = iaid;
    session->in.number[SQL_LEASE_TYPE] = type;
    session->in.number[SQL_SUBNET_ID] = subnet_id;
    return find(session,
                subnet_id == LEASE_SUBNET_ANY ? SQL_BY_CLIENT_ID
                                              : SQL_IN_SUBNET,
                found, err);
}

enum outcome sql_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err)
{
    if (put_lease(session, lease, SQL_UPDATE, err) != 0)
        return OUTCOME_ERROR;
    const enum outcome put = put_old_expire(session, expire_s, SQL_UPDATE, err);
    return put == OUTCOME_HIT ? change(session, SQL_UPDATE, err) : put;
}

enum outcome sql_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err)
{
    put_address(session, address);
    const enum outcome put = put_old_expire(session, expire_s, SQL_REMOVE, err);
    return put == OUTCOME_HIT ? change(session, SQL_REMOVE, err) : put;
}

/* A time to compare with, within what a TIMESTAMP is compared with. */
static int64_t clip_s(int64_t time_s)
{
    if (time_s < 1)
        return 1;
    return time_s < TIMESTAMP_MAX_S ? time_s : TIMESTAMP_MAX_S;
}

int sql_list_expired(struct session *session, int64_t now_s, size_t limit,
                     struct lease *found, size_t *count, struct err *err)
{
    int more = 0;
    int read = 0;

    *count = 0;
    session->in.number[SQL_LIMIT] =
        limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    if (put_time(session, SQL_OLD_EXPIRE, clip_s(now_s), SQL_LIST_EXPIRED,
                 err) != 0)
        return -1;
    if (execute(session, SQL_LIST_EXPIRED, NULL) != 0)
        return fail(session, SQL_LIST_EXPIRED, err);
    while ((more = fetch(session, SQL_LIST_EXPIRED)) > 0)
        read |=
            get_lease(session->table, &session->out, &found[(*count)++], err);
    return more == 0 ? read : fail(session, SQL_LIST_EXPIRED, err);
}

int sql_purge_reclaimed(struct session *session, int64_t before_s,
                        uint64_t *purged, struct err *err)
{
    if (put_time(session, SQL_OLD_EXPIRE, clip_s(before_s), SQL_PURGE_RECLAIMED,
                 err) != 0)
        return -1;
    if (execute(session, SQL_PURGE_RECLAIMED, purged) != 0)
        return fail(session, SQL_PURGE_RECLAIMED, err);
    return 0;
}
