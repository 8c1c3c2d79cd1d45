/* SPDX-License-Identifier: ISC */
/*
 * Statements, and how leases get into them.  Parameters are always laid out in
 * PostgreSQL's binary form.  Compiled, they go to the server as they are;
 * otherwise they are written into the text of the same statement.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/pgsql/pgsql.h"

/* Kea's mark of a lease that never expires. */
#define VALID_FOREVER "4294967295"

const char *const pgsql_statement_names[PGSQL_STATEMENTS] = {
    [PGSQL_CREATE] = "create",
    [PGSQL_CREATE_GROUPED] = "create_grouped",
    [PGSQL_BY_ADDRESS] = "find_by_address",
    [PGSQL_BY_HWADDR] = "find_by_hwaddr",
    [PGSQL_BY_CLIENT_ID] = "find_by_client_id", /* or by DUID */
    [PGSQL_IN_SUBNET] = "find_in_subnet",
    [PGSQL_UPDATE] = "update",
    [PGSQL_REMOVE] = "remove",
    [PGSQL_EXPIRED] = "list_expired",
    [PGSQL_PURGE] = "purge_reclaimed",
    [PGSQL_ADD_RESERVATION] = "add_reservation",
    [PGSQL_FIND_RESERVATION] = "find_reservation",
};

/* --- Wording the statements --- */

static void append(char sql[static PGSQL_SQL_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char sql[static PGSQL_SQL_SIZE], const char *format, ...)
{
    const size_t length = strlen(sql);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(sql + length, PGSQL_SQL_SIZE - length, format, args);
    va_end(args);
}

static void add_param(struct pgsql_statement *statement, enum pgsql_type type)
{
    statement->types[statement->param_count++] = (Oid)type;
}

static void word_create(struct pgsql_statement *create,
                        const struct pgsql_table *table)
{
    const char *comma = "";

    append(create->sql, "INSERT INTO %s (", table->name);
    for (int i = 0; i < PGSQL_COLUMNS; i++) {
        if (!table->has[i])
            continue;
        append(create->sql, "%s%s", comma, pgsql_column_name(table->family, i));
        add_param(create, table->types[i]);
        comma = ", ";
    }
    append(create->sql, ") VALUES (");
    for (int i = 1; i <= create->param_count; i++)
        append(create->sql, "%s$%d", i == 1 ? "" : ", ", i);
    append(create->sql, ")");
}

static void word_update(struct pgsql_statement *update,
                        const struct pgsql_table *table)
{
    const char *comma = "";

    append(update->sql, "UPDATE %s SET ", table->name);
    for (int i = 0; i < PGSQL_COLUMNS; i++) {
        if (!table->has[i])
            continue;
        add_param(update, table->types[i]);
        append(update->sql, "%s%s = $%d", comma,
               pgsql_column_name(table->family, i), update->param_count);
        comma = ", ";
    }
    add_param(update, PGSQL_TIMESTAMPTZ);
    append(update->sql, " WHERE address = $1 AND expire = $%d",
           update->param_count);
}

static void word_search(struct pgsql_statement *search,
                        const struct pgsql_table *table, const char *where,
                        enum pgsql_type type)
{
    const char *comma = "";

    append(search->sql, "SELECT ");
    for (int i = 0; i < PGSQL_COLUMNS; i++) {
        if (!table->has[i])
            continue;
        append(search->sql, "%s%s", comma, pgsql_column_name(table->family, i));
        comma = ", ";
    }
    append(search->sql, " FROM %s WHERE %s", table->name, where);
    add_param(search, type);
}

/* By address or by client: v6 wants the type, too. */
static void word_searches(struct pgsql_statement *items,
                          const struct pgsql_table *table)
{
    const enum pgsql_type address = table->types[PGSQL_ADDRESS];

    word_search(&items[PGSQL_BY_HWADDR], table, "hwaddr = $1", PGSQL_BYTEA);
    if (table->family == LEASE_FAMILY_V4) {
        word_search(&items[PGSQL_BY_ADDRESS], table, "address = $1", address);
        word_search(&items[PGSQL_BY_CLIENT_ID], table, "client_id = $1",
                    PGSQL_BYTEA);
        word_search(&items[PGSQL_IN_SUBNET], table,
                    "client_id = $1 AND subnet_id = $2", PGSQL_BYTEA);
        add_param(&items[PGSQL_IN_SUBNET], PGSQL_INT8);
        return;
    }
    word_search(&items[PGSQL_BY_ADDRESS], table,
                "address = $1 AND lease_type = $2", address);
    add_param(&items[PGSQL_BY_ADDRESS], PGSQL_INT2);
    word_search(&items[PGSQL_BY_CLIENT_ID], table,
                "duid = $1 AND iaid = $2 AND lease_type = $3", PGSQL_BYTEA);
    add_param(&items[PGSQL_BY_CLIENT_ID], PGSQL_INT4);
    add_param(&items[PGSQL_BY_CLIENT_ID], PGSQL_INT2);
    word_search(&items[PGSQL_IN_SUBNET], table,
                "duid = $1 AND iaid = $2 AND lease_type = $3"
                " AND subnet_id = $4",
                PGSQL_BYTEA);
    add_param(&items[PGSQL_IN_SUBNET], PGSQL_INT4);
    add_param(&items[PGSQL_IN_SUBNET], PGSQL_INT2);
    add_param(&items[PGSQL_IN_SUBNET], PGSQL_INT8);
}

static void word_reservations(struct pgsql_statement *items)
{
    struct pgsql_statement *const add = &items[PGSQL_ADD_RESERVATION];
    struct pgsql_statement *const find = &items[PGSQL_FIND_RESERVATION];

    append(add->sql, "INSERT INTO ubench_hosts (dhcp_identifier_type,"
                     " dhcp4_subnet_id, dhcp_identifier, ipv4_address)"
                     " VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING");
    append(find->sql, "SELECT ipv4_address, host_id, dhcp_identifier,"
                      " dhcp_identifier_type, dhcp4_subnet_id, hostname,"
                      " user_context FROM ubench_hosts"
                      " WHERE dhcp_identifier_type = $1"
                      " AND dhcp4_subnet_id = $2 AND dhcp_identifier = $3");
    for (struct pgsql_statement *s = add; s <= find; s++) {
        add_param(s, PGSQL_INT2);
        add_param(s, PGSQL_INT8);
        add_param(s, PGSQL_BYTEA);
    }
    add_param(add, PGSQL_INT8);
}

void pgsql_statements_init(struct pgsql_statements *statements,
                           const struct pgsql_table *table)
{
    struct pgsql_statement *const items = statements->items;

    *statements = (struct pgsql_statements){ .columns = 0 };
    for (int i = 0; i < PGSQL_COLUMNS; i++)
        statements->at[i] = table->has[i] ? statements->columns++ : -1;
    word_create(&items[PGSQL_CREATE], table);
    /* Within a transaction a duplicate key would take all that was done before
       with it; there the server is to say that nothing was inserted. */
    items[PGSQL_CREATE_GROUPED] = items[PGSQL_CREATE];
    append(items[PGSQL_CREATE_GROUPED].sql,
           " ON CONFLICT (address) DO NOTHING");
    word_update(&items[PGSQL_UPDATE], table);
    word_searches(items, table);
    word_search(&items[PGSQL_EXPIRED], table,
                "state != 2 AND valid_lifetime != " VALID_FOREVER
                " AND expire < $1 ORDER BY expire LIMIT $2",
                PGSQL_TIMESTAMPTZ);
    add_param(&items[PGSQL_EXPIRED], PGSQL_INT8);
    append(items[PGSQL_REMOVE].sql,
           "DELETE FROM %s WHERE address = $1 AND expire = $2", table->name);
    add_param(&items[PGSQL_REMOVE], table->types[PGSQL_ADDRESS]);
    add_param(&items[PGSQL_REMOVE], PGSQL_TIMESTAMPTZ);
    append(items[PGSQL_PURGE].sql,
           "DELETE FROM %s WHERE state = 2 AND expire < $1", table->name);
    add_param(&items[PGSQL_PURGE], PGSQL_TIMESTAMPTZ);
    word_reservations(items);
}

int pgsql_session_init(struct session *session, struct err *err)
{
    const int count = session->table->reservations ? PGSQL_STATEMENTS
                                                   : PGSQL_LEASE_STATEMENTS;

    for (int i = 0; i < PGSQL_PARAMS_MAX; i++)
        session->formats[i] = 1; /* binary */
    for (int i = 0; session->compiled && i < count; i++) {
        const struct pgsql_statement *const item =
            &session->statements->items[i];
        const int sent =
            PQsendPrepare(session->link.conn, pgsql_statement_names[i],
                          item->sql, item->param_count, item->types);
        PGresult *const result =
            pgsql_await(&session->link, "prepare", sent, err);

        if (result == NULL)
            return -1;
        if (PQresultStatus(result) != PGRES_COMMAND_OK) {
            (void)pgsql_fail(&session->link, "prepare", result, err);
            PQclear(result);
            return -1;
        }
        PQclear(result);
    }
    return 0;
}

/* --- Binding parameters --- */

void pgsql_bind_number(struct session *session, int at, int64_t number)
{
    session->numbers[at] = htobe64((uint64_t)number);
    session->values[at] = (const char *)&session->numbers[at];
    session->lengths[at] = (int)sizeof session->numbers[at];
}

void pgsql_bind_int(struct session *session, int at, enum pgsql_type type,
                    int64_t number)
{
    const int size = type == PGSQL_INT2 ? 2 : type == PGSQL_INT4 ? 4 : 8;

    pgsql_bind_number(session, at, number);
    session->values[at] += 8 - size; /* its last bytes */
    session->lengths[at] = size;
}

/* PostgreSQL's form of an INET (network.c): family, bits, whether it is a
   network, length, address. */
static int write_inet(char *out, const uint64_t address[static 2])
{
    static const uint8_t head[] = { 3, 128, 0, 16 };

    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, address, 16);
    return (int)sizeof head + 16;
}

void pgsql_bind_address(struct session *session, int at,
                        struct lease_address address)
{
    const uint64_t v6[2] = { htobe64(address.high), htobe64(address.low) };

    if (session->table->family == LEASE_FAMILY_V4) {
        pgsql_bind_number(session, at, (int64_t)address.low);
        return;
    }
    session->values[at] = session->address;
    if (session->compiled &&
        session->table->types[PGSQL_ADDRESS] == PGSQL_INET) {
        session->lengths[at] = write_inet(session->address, v6);
        return;
    }
    (void)inet_ntop(AF_INET6, v6, session->address, sizeof session->address);
    session->lengths[at] = (int)strlen(session->address);
}

void pgsql_bind_time(struct session *session, int at, int64_t time_s)
{
    pgsql_bind_number(session, at, (time_s - PGSQL_EPOCH_S) * PGSQL_US_PER_S);
}

static void bind_bool(struct session *session, int at, bool value)
{
    session->numbers[at] = htole64(value ? 1 : 0); /* in the first byte */
    session->values[at] = (const char *)&session->numbers[at];
    session->lengths[at] = 1;
}

void pgsql_bind_bytes(struct session *session, int at, const void *bytes,
                      size_t length)
{
    session->values[at] = bytes;
    session->lengths[at] = (int)length;
}

static void bind_null(struct session *session, int at)
{
    session->values[at] = NULL;
    session->lengths[at] = 0;
}

/* Kea stores a hwaddr or a client-id that a client does not have as NULL. */
static void bind_id(struct session *session, int at, const uint8_t *bytes,
                    size_t length)
{
    pgsql_bind_bytes(session, at, length == 0 ? NULL : bytes, length);
}

/* What lease6 has beside lease4.  An IAID is there as a signed number, as Kea
   writes it. */
static void bind_v6(struct session *session, const struct lease *lease)
{
    const int *const at = session->statements->at;

    pgsql_bind_int(session, at[PGSQL_LEASE_TYPE], PGSQL_INT2, lease->type);
    pgsql_bind_int(session, at[PGSQL_IAID], PGSQL_INT4, (int32_t)lease->iaid);
    pgsql_bind_number(session, at[PGSQL_PREF_LIFETIME], lease->preferred_s);
    pgsql_bind_int(session, at[PGSQL_PREFIX_LEN], PGSQL_INT2,
                   lease->prefix_length);
    if (at[PGSQL_HWTYPE] >= 0 && lease->hwaddr_length > 0) {
        pgsql_bind_int(session, at[PGSQL_HWTYPE], PGSQL_INT2, LEASE_V6_HWTYPE);
        pgsql_bind_int(session, at[PGSQL_HWADDR_SOURCE], PGSQL_INT2,
                       LEASE_V6_HWADDR_SOURCE);
    }
}

void pgsql_bind_lease(struct session *session, const struct lease *lease)
{
    const struct pgsql_statements *const statements = session->statements;

    pgsql_bind_address(session, PGSQL_ADDRESS, lease->address);
    bind_id(session, PGSQL_HWADDR, lease->hwaddr, lease->hwaddr_length);
    bind_id(session, PGSQL_CLIENT_ID, lease->client_id,
            lease->client_id_length);
    pgsql_bind_number(session, PGSQL_VALID_LIFETIME, lease->valid_s);
    pgsql_bind_time(session, PGSQL_EXPIRE, lease_expire_s(lease));
    pgsql_bind_number(session, PGSQL_SUBNET_ID, lease->subnet_id);
    bind_bool(session, PGSQL_FQDN_FWD, lease->fqdn_fwd);
    bind_bool(session, PGSQL_FQDN_REV, lease->fqdn_rev);
    pgsql_bind_bytes(session, PGSQL_HOSTNAME, lease->hostname,
                     lease->hostname_length);
    pgsql_bind_number(session, PGSQL_STATE, lease->state);
    for (int i = PGSQL_STATE + 1; i < statements->columns; i++)
        bind_null(session, i);
    if (statements->at[PGSQL_POOL_ID] >= 0)
        pgsql_bind_number(session, statements->at[PGSQL_POOL_ID],
                          lease->pool_id);
    if (session->table->family == LEASE_FAMILY_V6)
        bind_v6(session, lease);
}

/* --- Writing parameters into a statement's text --- */

static char *put_text(char *to, const char *text)
{
    while (*text != '\0')
        *to++ = *text++;
    return to;
}

static char *put_decimal(char *to, uint64_t number, int digits_min)
{
    char digits[20];
    int count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0 || count < digits_min);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static char *put_number(char *to, int64_t number)
{
    if (number < 0)
        *to++ = '-';
    return put_decimal(to, number < 0 ? 0 - (uint64_t)number : (uint64_t)number,
                       1);
}

static char *put_bytes(char *to, const uint8_t *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";

    to = put_text(to, "E'\\\\x"); /* whatever standard_conforming_strings is */
    for (size_t i = 0; i < length; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    *to++ = '\'';
    return to;
}

/* Writes '2030-03-17 17:46:40+00', which means the same in every time zone
   and date style.  Years from 1 on. */
static char *put_time(char *to, int64_t us_since_2000)
{
    enum { DAY_S = 86400, DAYS_400Y = 146097, DAYS_TO_2000_MARCH = 60 };
    const int64_t time_s =
        us_since_2000 / PGSQL_US_PER_S + INT64_C(5) * DAYS_400Y * DAY_S;
    const uint32_t second = (uint32_t)(time_s % DAY_S);
    /* Days since 1 March 0000, so that the odd day is a year's last one. */
    const uint32_t days = (uint32_t)(time_s / DAY_S) - DAYS_TO_2000_MARCH;
    const uint32_t day400 = days % DAYS_400Y;
    const uint32_t year400 =
        (day400 - day400 / 1460 + day400 / 36524 - day400 / 146096) / 365;
    const uint32_t day = day400 - (365 * year400 + year400 / 4 - year400 / 100);
    const uint32_t month = (5 * day + 2) / 153; /* 0: March */

    *to++ = '\'';
    to = put_decimal(
        to, days / DAYS_400Y * 400 + year400 + (month >= 10 ? 1 : 0), 4);
    *to++ = '-';
    to = put_decimal(to, month >= 10 ? month - 9 : month + 3, 2);
    *to++ = '-';
    to = put_decimal(to, day - (153 * month + 2) / 5 + 1, 2);
    *to++ = ' ';
    to = put_decimal(to, second / 3600, 2);
    *to++ = ':';
    to = put_decimal(to, second / 60 % 60, 2);
    *to++ = ':';
    to = put_decimal(to, second % 60, 2);
    return put_text(to, "+00'");
}

/* Returns NULL if PostgreSQL could not store that string. */
static char *put_string(struct session *session, char *to, const char *string,
                        size_t length)
{
    int error = 0;

    if (memchr(string, '\0', length) != NULL)
        return NULL;
    *to++ = '\'';
    to += PQescapeStringConn(session->link.conn, to, string, length, &error);
    *to++ = '\'';
    return error != 0 ? NULL : to;
}

static char *put_param(struct session *session, char *to, Oid type, int at)
{
    const char *const value = session->values[at];
    const size_t length = (size_t)session->lengths[at];
    const int64_t number = (int64_t)be64toh(session->numbers[at]);

    if (value == NULL)
        return put_text(to, "NULL");
    switch ((enum pgsql_type)type) {
    case PGSQL_INT2:
    case PGSQL_INT4:
    case PGSQL_INT8:
        return put_number(to, number);
    case PGSQL_TIMESTAMPTZ:
        return put_time(to, number);
    case PGSQL_BOOL:
        return put_text(to, *value != 0 ? "true" : "false");
    case PGSQL_BYTEA:
        return put_bytes(to, (const uint8_t *)value, length);
    case PGSQL_INET:
    case PGSQL_TEXT:
    case PGSQL_VARCHAR:
        return put_string(session, to, value, length);
    }
    return NULL;
}

/* Writes the statement with its parameters into session->text.  False if a
   parameter cannot be written. */
static bool write_text(struct session *session,
                       const struct pgsql_statement *statement)
{
    char *to = session->text;

    for (const char *from = statement->sql; *from != '\0';) {
        if (*from != '$') {
            *to++ = *from++;
            continue;
        }
        int number = 0;

        for (from++; *from >= '0' && *from <= '9'; from++)
            number = 10 * number + (*from - '0');
        to = put_param(session, to, statement->types[number - 1], number - 1);
        if (to == NULL)
            return false;
    }
    *to = '\0';
    return true;
}

/* --- Running a statement --- */

PGresult *pgsql_execute(struct session *session, enum pgsql_statement_name name,
                        struct err *err)
{
    const struct pgsql_statement *const statement =
        &session->statements->items[name];
    PGconn *const conn = session->link.conn;
    int sent;

    if (session->compiled) {
        sent = PQsendQueryPrepared(conn, pgsql_statement_names[name],
                                   statement->param_count, session->values,
                                   session->lengths, session->formats, 1);
    } else if (write_text(session, statement)) {
        sent = PQsendQuery(conn, session->text);
    } else {
        pgsql_roll_back(&session->link);
        (void)err_set(err,
                      "pgsql: %s: the host name is no text that the server "
                      "can store",
                      pgsql_statement_names[name]);
        return NULL;
    }
    return pgsql_await(&session->link, pgsql_statement_names[name], sent, err);
}

int pgsql_execute_failed(struct session *session,
                         enum pgsql_statement_name name, PGresult *result,
                         struct err *err)
{
    (void)pgsql_fail(&session->link, pgsql_statement_names[name], result, err);
    PQclear(result);
    return -1;
}
