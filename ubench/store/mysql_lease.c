/* SPDX-License-Identifier: ISC */
/* The operations on leases, as statements with parameters. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/mysql_store.h"

/* The last second of a TIMESTAMP, in 2038. */
#define TIMESTAMP_MAX_S INT64_C(2147483647)
/* The last second of a year with four digits. */
#define YEAR_9999_S INT64_C(253402300799)

enum sql_kind sql_kind(int param)
{
    switch (param) {
    case SQL_HWADDR:
    case SQL_CLIENT_ID:
        return SQL_BYTES;
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
    case SQL_HWADDR:
        return LEASE_HWADDR_MAX;
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
    row->bytes[SQL_CLIENT_ID] = row->client_id;
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
                        const struct sql_statements *all)
{
    statement->action = "create";
    append(statement, "INSERT INTO lease4 (");
    append_columns(statement, all);
    append(statement, ") VALUES (");
    for (size_t i = 0; i < all->column_count; i++)
        append_param(statement, i == 0 ? "" : ", ", (int)all->columns[i]);
    append(statement, ")");
}

static void word_find(struct sql_statement *statement,
                      const struct sql_statements *all, const char *action,
                      const char *where, int param)
{
    statement->action = action;
    statement->finds = true;
    append(statement, "SELECT ");
    append_columns(statement, all);
    append(statement, " FROM lease4 WHERE ");
    append_param(statement, where, param);
}

static void word_update(struct sql_statement *statement,
                        const struct sql_statements *all)
{
    statement->action = "update";
    append(statement, "UPDATE lease4 SET ");
    for (size_t i = 0; i < all->column_count; i++) {
        append(statement, i == 0 ? "" : ", ");
        append(statement, sql_column_name(all->columns[i]));
        append_param(statement, " = ", (int)all->columns[i]);
    }
    append_param(statement, " WHERE address = ", SQL_ADDRESS);
    append_param(statement, " AND expire = ", SQL_OLD_EXPIRE);
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
    word_create(&items[SQL_CREATE], all);
    word_find(&items[SQL_BY_ADDRESS], all, "search", "address = ", SQL_ADDRESS);
    word_find(&items[SQL_BY_HWADDR], all, "search by hwaddr",
              "hwaddr = ", SQL_HWADDR);
    word_find(&items[SQL_BY_CLIENT_ID], all, "search by client-id",
              "client_id = ", SQL_CLIENT_ID);
    word_update(&items[SQL_UPDATE], all);
    items[SQL_REMOVE].action = "delete";
    append_param(&items[SQL_REMOVE],
                 "DELETE FROM lease4 WHERE address = ", SQL_ADDRESS);
    append_param(&items[SQL_REMOVE], " AND expire = ", SQL_OLD_EXPIRE);
    word_find(&items[SQL_LIST_EXPIRED], all, "list expired leases",
              "state != 2 AND valid_lifetime != 4294967295 AND expire < ",
              SQL_OLD_EXPIRE);
    append_param(&items[SQL_LIST_EXPIRED], " ORDER BY expire LIMIT ",
                 SQL_LIMIT);
    items[SQL_PURGE_RECLAIMED].action = "purge reclaimed leases";
    append_param(&items[SQL_PURGE_RECLAIMED],
                 "DELETE FROM lease4 WHERE state = 2 AND expire < ",
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

/* Leases to rows and back */

/* An empty one is NULL, as in Kea. */
static void put_bytes(struct sql_row *row, enum sql_column column,
                      const void *bytes, size_t length)
{
    memcpy(row->bytes[column], bytes, length);
    row->length[column] = (unsigned long)length;
    row->is_null[column] = length == 0 && column != SQL_HOSTNAME ? 1 : 0;
}

static int put_lease(struct session *session, const struct lease *lease,
                     enum sql_statement_name name, struct err *err)
{
    struct sql_row *const row = &session->in;

    if (lease->pool_id != 0 && !session->table->has[SQL_POOL_ID])
        return err_set(err, "mysql: %s: lease4 has no column for pool_id %u",
                       session->statements->items[name].action, lease->pool_id);
    row->number[SQL_ADDRESS] = (uint32_t)lease->address.low;
    row->number[SQL_VALID_LIFETIME] = lease->valid_s;
    row->number[SQL_SUBNET_ID] = lease->subnet_id;
    row->number[SQL_FQDN_FWD] = lease->fqdn_fwd;
    row->number[SQL_FQDN_REV] = lease->fqdn_rev;
    row->number[SQL_STATE] = lease->state;
    row->number[SQL_POOL_ID] = lease->pool_id;
    put_bytes(row, SQL_HWADDR, lease->hwaddr, lease->hwaddr_length);
    put_bytes(row, SQL_CLIENT_ID, lease->client_id, lease->client_id_length);
    put_bytes(row, SQL_HOSTNAME, lease->hostname, lease->hostname_length);
    return put_time(session, SQL_EXPIRE,
                    lease->valid_s == UINT32_MAX ? lease->cltt_s
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

static void get_lease(const struct sql_row *row, struct lease *lease)
{
    const int64_t stored = get_time(&row->time[SQL_EXPIRE]);
    const uint32_t valid_s = row->number[SQL_VALID_LIFETIME];

    lease->type = LEASE_TYPE_V4;
    lease->address = lease_address_v4(row->number[SQL_ADDRESS]);
    lease->valid_s = valid_s;
    lease->cltt_s = valid_s == UINT32_MAX ? stored : stored - valid_s;
    lease->subnet_id = row->number[SQL_SUBNET_ID];
    lease->pool_id = row->number[SQL_POOL_ID];
    lease->state = (uint8_t)row->number[SQL_STATE];
    lease->fqdn_fwd = row->number[SQL_FQDN_FWD] != 0;
    lease->fqdn_rev = row->number[SQL_FQDN_REV] != 0;
    lease->hwaddr_length = get_bytes(row, SQL_HWADDR, lease->hwaddr);
    lease->client_id_length = get_bytes(row, SQL_CLIENT_ID, lease->client_id);
    lease->hostname_length = get_bytes(row, SQL_HOSTNAME, lease->hostname);
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
        get_lease(&session->out, found);
        more = fetch(session, name);
        if (more == 0)
            return OUTCOME_HIT;
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
    (void)type;
    session->in.number[SQL_ADDRESS] = (uint32_t)address.low;
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

enum outcome sql_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err)
{
    if (put_lease(session, lease, SQL_UPDATE, err) != 0 ||
        put_time(session, SQL_OLD_EXPIRE, stored_s(expire_s), SQL_UPDATE,
                 err) != 0)
        return OUTCOME_ERROR;
    return change(session, SQL_UPDATE, err);
}

enum outcome sql_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err)
{
    session->in.number[SQL_ADDRESS] = (uint32_t)address.low;
    if (put_time(session, SQL_OLD_EXPIRE, stored_s(expire_s), SQL_REMOVE,
                 err) != 0)
        return OUTCOME_ERROR;
    return change(session, SQL_REMOVE, err);
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

    *count = 0;
    session->in.number[SQL_LIMIT] =
        limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    if (put_time(session, SQL_OLD_EXPIRE, clip_s(now_s), SQL_LIST_EXPIRED,
                 err) != 0)
        return -1;
    if (execute(session, SQL_LIST_EXPIRED, NULL) != 0)
        return fail(session, SQL_LIST_EXPIRED, err);
    while ((more = fetch(session, SQL_LIST_EXPIRED)) > 0)
        get_lease(&session->out, &found[(*count)++]);
    return more == 0 ? 0 : fail(session, SQL_LIST_EXPIRED, err);
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
