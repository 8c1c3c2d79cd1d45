/* SPDX-License-Identifier: ISC */
/* The operations on leases: what goes into a statement and what its answer
   means. */
#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/pgsql/pgsql.h"

/* --- Changing leases --- */

/* Runs a statement that changes rows.  0, or -1 with err. */
static int change(struct session *session, enum pgsql_statement_name name,
                  uint64_t *changed, struct err *err)
{
    PGresult *const result = pgsql_execute(session, name, err);

    if (result == NULL)
        return -1;
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        return pgsql_execute_failed(session, name, result, err);
    *changed = strtoull(PQcmdTuples(result), NULL, 10);
    PQclear(result);
    return 0;
}

static enum outcome changed_one(struct session *session,
                                enum pgsql_statement_name name,
                                uint64_t changed, struct err *err)
{
    if (changed <= 1)
        return changed == 1 ? OUTCOME_HIT : OUTCOME_MISS;
    pgsql_roll_back(&session->link);
    return (enum outcome)err_set(
        err, "pgsql: %s: %" PRIu64 " rows were changed, not one",
        pgsql_statement_names[name], changed);
}

/* Only the address makes a lease a duplicate: Kea's counters, which a trigger
   keeps, have keys too. */
static bool is_taken(const struct session *session, const PGresult *result)
{
    const char *const sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *const table = PQresultErrorField(result, PG_DIAG_TABLE_NAME);
    const char *const key = PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);

    return sqlstate != NULL && table != NULL && key != NULL &&
           strcmp(sqlstate, "23505") == 0 &&
           strcmp(table, session->table->name) == 0 &&
           strcmp(key, session->table->key_name) == 0;
}

enum outcome pgsql_create(struct session *session, const struct lease *lease,
                          struct err *err)
{
    const enum pgsql_statement_name name =
        session->link.in_transaction ? PGSQL_CREATE_GROUPED : PGSQL_CREATE;

    pgsql_bind_lease(session, lease);
    PGresult *const result = pgsql_execute(session, name, err);
    if (result == NULL)
        return OUTCOME_ERROR;
    if (PQresultStatus(result) == PGRES_COMMAND_OK) {
        const bool inserted = strcmp(PQcmdTuples(result), "1") == 0;

        PQclear(result);
        return inserted ? OUTCOME_HIT : OUTCOME_MISS;
    }
    if (!is_taken(session, result))
        return (enum outcome)pgsql_execute_failed(session, name, result, err);
    PQclear(result);
    return OUTCOME_MISS;
}

enum outcome pgsql_update(struct session *session, const struct lease *lease,
                          int64_t expire_s, struct err *err)
{
    uint64_t changed = 0;

    pgsql_bind_lease(session, lease);
    pgsql_bind_time(session, session->statements->columns, expire_s);
    if (change(session, PGSQL_UPDATE, &changed, err) != 0)
        return OUTCOME_ERROR;
    return changed_one(session, PGSQL_UPDATE, changed, err);
}

enum outcome pgsql_remove(struct session *session, struct lease_address address,
                          int64_t expire_s, struct err *err)
{
    uint64_t changed = 0;

    pgsql_bind_address(session, 0, address);
    pgsql_bind_time(session, 1, expire_s);
    if (change(session, PGSQL_REMOVE, &changed, err) != 0)
        return OUTCOME_ERROR;
    return changed_one(session, PGSQL_REMOVE, changed, err);
}

int pgsql_purge_reclaimed(struct session *session, int64_t before_s,
                          uint64_t *purged, struct err *err)
{
    pgsql_bind_time(session, 0, before_s);
    return change(session, PGSQL_PURGE, purged, err);
}

/* --- Reading leases --- */

/* One row of a result, read column by column. */
struct reader {
    const PGresult *result;
    int row;
    bool binary;
    bool wrong; /* something was not what a lease can hold */
};

static uint64_t read_decimal(struct reader *reader, const char *value,
                             int length)
{
    uint64_t number = 0;

    for (int i = 0; i < length; i++) {
        const unsigned digit = (unsigned char)value[i] - (unsigned)'0';

        reader->wrong |= digit > 9 || number > UINT64_MAX / 100;
        number = 10 * number + digit;
    }
    reader->wrong |= length == 0;
    return number;
}

static uint64_t read_number(struct reader *reader, int column, uint64_t max)
{
    const char *const value = PQgetvalue(reader->result, reader->row, column);
    const int length = PQgetlength(reader->result, reader->row, column);
    uint64_t number = 0;

    if (!reader->binary) {
        number = read_decimal(reader, value, length);
    } else if (length == (int)sizeof number) {
        memcpy(&number, value, sizeof number);
        number = be64toh(number);
    } else {
        reader->wrong = true;
    }
    reader->wrong |= number > max;
    return number;
}

/* A SMALLINT or an INTEGER, which may be negative: its low 32 bits. */
static uint32_t read_int(struct reader *reader, int column)
{
    const char *const value = PQgetvalue(reader->result, reader->row, column);
    const int length = PQgetlength(reader->result, reader->row, column);
    uint16_t small;
    uint32_t number;

    if (!reader->binary)
        return value[0] == '-'
                   ? 0 - (uint32_t)read_decimal(reader, value + 1, length - 1)
                   : (uint32_t)read_decimal(reader, value, length);
    if (length == (int)sizeof small) {
        memcpy(&small, value, sizeof small);
        return be16toh(small);
    }
    if (length == (int)sizeof number) {
        memcpy(&number, value, sizeof number);
        return be32toh(number);
    }
    reader->wrong = true;
    return 0;
}

/* An INET, or what a VARCHAR says. */
static struct lease_address read_v6_address(const struct session *session,
                                            struct reader *reader)
{
    enum { INET_HEAD = 4 }; /* see write_inet */
    const char *const value =
        PQgetvalue(reader->result, reader->row, PGSQL_ADDRESS);
    const int length = PQgetlength(reader->result, reader->row, PGSQL_ADDRESS);
    const bool binary =
        reader->binary && session->table->types[PGSQL_ADDRESS] == PGSQL_INET;
    uint64_t words[2] = { 0, 0 };

    if (binary && length == INET_HEAD + (int)sizeof words)
        memcpy(words, value + INET_HEAD, sizeof words);
    else if (binary || inet_pton(AF_INET6, value, words) != 1)
        reader->wrong = true;
    return (struct lease_address){ .high = be64toh(words[0]),
                                   .low = be64toh(words[1]) };
}

/* Reads count digits and moves on. */
static int64_t read_digits(struct reader *reader, const char **text, int count)
{
    int64_t number = 0;

    for (; count > 0; count--, (*text)++) {
        const unsigned digit = (unsigned char)**text - (unsigned)'0';

        if (digit > 9) {
            reader->wrong = true;
            return 0;
        }
        number = 10 * number + digit;
    }
    return number;
}

/* Reads "2030-03-17 18:46:40+00", with whatever offset from UTC there is.
   Years from 1 on. */
static int64_t read_iso_time_s(struct reader *reader, const char *text)
{
    const size_t year_length = strcspn(text, "-");
    const int64_t year =
        read_digits(reader, &text, year_length < 7 ? (int)year_length : 7);
    text += *text == '-' ? 1 : 0;
    const int64_t month = read_digits(reader, &text, 2);
    text += *text == '-' ? 1 : 0;
    const int64_t day = read_digits(reader, &text, 2);
    text += *text == ' ' ? 1 : 0;
    int64_t time_s = 3600 * read_digits(reader, &text, 2);
    text += *text == ':' ? 1 : 0;
    time_s += 60 * read_digits(reader, &text, 2);
    text += *text == ':' ? 1 : 0;
    time_s += read_digits(reader, &text, 2);
    const int64_t sign = *text == '-' ? -1 : 1;
    text += *text == '-' || *text == '+' ? 1 : 0;
    for (int64_t unit = 3600; unit > 0; unit /= 60) {
        time_s -= sign * unit * read_digits(reader, &text, 2);
        if (*text == '\0')
            break;
        text++; /* the offset has minutes, or seconds, too */
    }
    reader->wrong |= *text != '\0';
    /* Years begin in March here, so that the odd day is the last one. */
    const int64_t y = month > 2 ? year : year - 1;
    const int64_t days = 365 * y + y / 4 - y / 100 + y / 400 +
                         (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 +
                         day - 1;
    enum { DAYS_TO_1970 = 719468, DAY_S = 86400 };
    return (days - DAYS_TO_1970) * DAY_S + time_s;
}

static int64_t read_time_s(struct reader *reader, int column)
{
    if (!reader->binary)
        return read_iso_time_s(reader,
                               PQgetvalue(reader->result, reader->row, column));
    const uint64_t number = read_number(reader, column, UINT64_MAX);
    return (int64_t)number / PGSQL_US_PER_S + PGSQL_EPOCH_S;
}

static bool read_bool(struct reader *reader, int column)
{
    const char value = *PQgetvalue(reader->result, reader->row, column);

    return reader->binary ? value != 0 : value == 't';
}

static unsigned hex_digit(struct reader *reader, char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    reader->wrong = true;
    return 0;
}

/* Returns the length; a NULL has none. */
static uint8_t read_bytes(struct reader *reader, int column, uint8_t *bytes,
                          size_t max)
{
    const char *value = PQgetvalue(reader->result, reader->row, column);
    size_t length = (size_t)PQgetlength(reader->result, reader->row, column);

    if (length == 0)
        return 0;
    if (!reader->binary) {
        /* "\x" and digits: bytea_output is hex. */
        reader->wrong |= length % 2 != 0 || value[0] != '\\' || value[1] != 'x';
        length = length / 2 - 1;
        value += 2;
    }
    if (length > max || reader->wrong) {
        reader->wrong = true;
        return 0;
    }
    if (reader->binary)
        memcpy(bytes, value, length);
    else
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)(hex_digit(reader, value[2 * i]) << 4 |
                                 hex_digit(reader, value[2 * i + 1]));
    return (uint8_t)length;
}

static uint8_t read_string(struct reader *reader, int column, char *string,
                           size_t max)
{
    const size_t length =
        (size_t)PQgetlength(reader->result, reader->row, column);

    if (length > max) {
        reader->wrong = true;
        return 0;
    }
    memcpy(string, PQgetvalue(reader->result, reader->row, column), length);
    return (uint8_t)length;
}

/* What lease6 has in another way than lease4, or alone. */
static void read_v6(const struct session *session, struct reader *reader,
                    struct lease *found)
{
    const int *const at = session->statements->at;

    found->address = read_v6_address(session, reader);
    found->type = (uint8_t)read_int(reader, at[PGSQL_LEASE_TYPE]);
    found->iaid = read_int(reader, at[PGSQL_IAID]);
    found->preferred_s =
        (uint32_t)read_number(reader, at[PGSQL_PREF_LIFETIME], UINT32_MAX);
    found->prefix_length = (uint8_t)read_int(reader, at[PGSQL_PREFIX_LEN]);
}

static bool read_lease(const struct session *session, const PGresult *result,
                       int row, struct lease *found)
{
    struct reader reader = { result, row, session->compiled, false };
    const int pool_id_at = session->statements->at[PGSQL_POOL_ID];

    if (session->table->family == LEASE_FAMILY_V6) {
        read_v6(session, &reader, found);
    } else {
        found->type = LEASE_TYPE_V4;
        found->address = lease_address_v4(
            (uint32_t)read_number(&reader, PGSQL_ADDRESS, UINT32_MAX));
    }
    found->hwaddr_length =
        read_bytes(&reader, PGSQL_HWADDR, found->hwaddr, sizeof found->hwaddr);
    found->client_id_length = read_bytes(
        &reader, PGSQL_CLIENT_ID, found->client_id, sizeof found->client_id);
    found->valid_s =
        (uint32_t)read_number(&reader, PGSQL_VALID_LIFETIME, UINT32_MAX);
    found->cltt_s = read_time_s(&reader, PGSQL_EXPIRE) - found->valid_s;
    found->subnet_id =
        (uint32_t)read_number(&reader, PGSQL_SUBNET_ID, UINT32_MAX);
    found->fqdn_fwd = read_bool(&reader, PGSQL_FQDN_FWD);
    found->fqdn_rev = read_bool(&reader, PGSQL_FQDN_REV);
    found->hostname_length = read_string(
        &reader, PGSQL_HOSTNAME, found->hostname, sizeof found->hostname);
    found->state = (uint8_t)read_number(&reader, PGSQL_STATE, UINT8_MAX);
    found->pool_id =
        pool_id_at < 0 ? 0
                       : (uint32_t)read_number(&reader, pool_id_at, UINT32_MAX);
    return !reader.wrong;
}

static enum outcome search(struct session *session,
                           enum pgsql_statement_name name, struct lease *found,
                           struct err *err)
{
    PGresult *const result = pgsql_execute(session, name, err);

    if (result == NULL)
        return OUTCOME_ERROR;
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        return (enum outcome)pgsql_execute_failed(session, name, result, err);
    const int rows = PQntuples(result);
    const bool readable = rows != 1 || read_lease(session, result, 0, found);
    PQclear(result);
    if (rows > 1 || !readable)
        pgsql_roll_back(&session->link);
    if (rows > 1)
        return (enum outcome)err_set(err, "pgsql: %s: %d leases, not one",
                                     pgsql_statement_names[name], rows);
    if (!readable)
        return (enum outcome)err_set(
            err, "pgsql: %s: the row in %s is not a lease",
            pgsql_statement_names[name], session->table->name);
    return rows == 1 ? OUTCOME_HIT : OUTCOME_MISS;
}

enum outcome pgsql_find_by_address(struct session *session,
                                   struct lease_address address,
                                   enum lease_type type, struct lease *found,
                                   struct err *err)
{
    pgsql_bind_address(session, 0, address);
    if (session->table->family == LEASE_FAMILY_V6)
        pgsql_bind_int(session, 1, PGSQL_INT2, type);
    return search(session, PGSQL_BY_ADDRESS, found, err);
}

enum outcome pgsql_find_by_hwaddr(struct session *session,
                                  const uint8_t *hwaddr, size_t length,
                                  struct lease *found, struct err *err)
{
    if (length > LEASE_HWADDR_MAX)
        return OUTCOME_MISS;
    pgsql_bind_bytes(session, 0, hwaddr, length);
    return search(session, PGSQL_BY_HWADDR, found, err);
}

enum outcome pgsql_find_by_client_id(struct session *session,
                                     const uint8_t *client_id, size_t length,
                                     struct lease *found, struct err *err)
{
    if (length > LEASE_CLIENT_ID_MAX)
        return OUTCOME_MISS;
    pgsql_bind_bytes(session, 0, client_id, length);
    return search(session, PGSQL_BY_CLIENT_ID, found, err);
}

enum outcome pgsql_find_by_duid(struct session *session, const uint8_t *duid,
                                size_t length, uint32_t iaid,
                                enum lease_type type, uint32_t subnet_id,
                                struct lease *found, struct err *err)
{
    if (length > LEASE_DUID_MAX)
        return OUTCOME_MISS;
    pgsql_bind_bytes(session, 0, duid, length);
    pgsql_bind_int(session, 1, PGSQL_INT4, (int32_t)iaid);
    pgsql_bind_int(session, 2, PGSQL_INT2, type);
    if (subnet_id == LEASE_SUBNET_ANY)
        return search(session, PGSQL_BY_CLIENT_ID, found, err);
    pgsql_bind_number(session, 3, subnet_id);
    return search(session, PGSQL_IN_SUBNET, found, err);
}

int pgsql_list_expired(struct session *session, int64_t now_s, size_t limit,
                       struct lease *found, size_t *count, struct err *err)
{
    pgsql_bind_time(session, 0, now_s);
    pgsql_bind_number(session, 1, (int64_t)limit);
    PGresult *const result = pgsql_execute(session, PGSQL_EXPIRED, err);
    bool readable = true;

    if (result == NULL)
        return -1;
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        return pgsql_execute_failed(session, PGSQL_EXPIRED, result, err);
    *count = (size_t)PQntuples(result);
    for (size_t i = 0; i < *count; i++)
        readable &= read_lease(session, result, (int)i, &found[i]);
    PQclear(result);
    if (!readable)
        pgsql_roll_back(&session->link);
    return readable
               ? 0
               : err_set(err, "pgsql: list_expired: a row in %s is not a lease",
                         session->table->name);
}

/* --- Reservations --- */

static void bind_key(struct session *session, const struct reservation_key *key)
{
    pgsql_bind_int(session, 0, PGSQL_INT2, key->type);
    pgsql_bind_number(session, 1, key->subnet_id);
    pgsql_bind_bytes(session, 2, key->identifier, key->length);
}

enum outcome pgsql_add_reservation(struct session *session,
                                   const struct reservation_key *key,
                                   struct lease_address address,
                                   struct err *err)
{
    bind_key(session, key);
    pgsql_bind_number(session, 3, (int64_t)address.low);
    PGresult *const result = pgsql_execute(session, PGSQL_ADD_RESERVATION, err);

    if (result == NULL)
        return OUTCOME_ERROR;
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        return (enum outcome)pgsql_execute_failed(
            session, PGSQL_ADD_RESERVATION, result, err);
    const bool added = strcmp(PQcmdTuples(result), "1") == 0;
    PQclear(result);
    return added ? OUTCOME_HIT : OUTCOME_MISS;
}

enum outcome pgsql_find_reservation(struct session *session,
                                    const struct reservation_key *key,
                                    struct lease_address *address,
                                    struct err *err)
{
    bind_key(session, key);
    PGresult *const result =
        pgsql_execute(session, PGSQL_FIND_RESERVATION, err);

    if (result == NULL)
        return OUTCOME_ERROR;
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        return (enum outcome)pgsql_execute_failed(
            session, PGSQL_FIND_RESERVATION, result, err);
    struct reader reader = { .result = result,
                             .binary = PQfformat(result, 0) == 1 };
    const bool found = PQntuples(result) == 1;
    if (found)
        *address =
            lease_address_v4((uint32_t)read_number(&reader, 0, UINT32_MAX));
    PQclear(result);
    if (reader.wrong)
        return (enum outcome)err_set(
            err, "pgsql: find_reservation: the row is not a reservation");
    return found ? OUTCOME_HIT : OUTCOME_MISS;
}

/* --- Around the operations --- */

int pgsql_count(struct session *session, uint64_t *count, struct err *err)
{
    char sql[64];

    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s",
                   session->table->name);
    PGresult *const result =
        pgsql_query(&session->link, "count", sql, 0, NULL, err);

    if (result == NULL)
        return -1;
    *count = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return 0;
}

int pgsql_begin(struct session *session, struct err *err)
{
    if (pgsql_run(&session->link, "begin", "BEGIN", err) != 0)
        return -1;
    session->link.in_transaction = true;
    return 0;
}

int pgsql_commit(struct session *session, struct err *err)
{
    PGresult *const result =
        pgsql_query(&session->link, "commit", "COMMIT", 0, NULL, err);

    session->link.in_transaction = false;
    if (result == NULL)
        return -1;
    /* To COMMIT what has failed the server answers ROLLBACK, and no error. */
    const bool committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    PQclear(result);
    return committed ? 0
                     : err_set(err, "pgsql: commit: the server rolled back");
}
