/* SPDX-License-Identifier: ISC */
#include "store/sql/session.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

void sql_session_init(struct session *session, struct store *store,
                      const struct sql_statements *statements, bool compiled)
{
    session->store = store;
    session->dialect = statements->dialect;
    session->table = statements->table;
    session->statements = statements;
    session->compiled = compiled;
    memcpy(session->kinds, statements->table->kinds, sizeof session->kinds);
    for (unsigned i = 0; i < SQL_VALUES; i++)
        session->in[i].is_null = session->kinds[i] == SQL_UNUSED;
}

static int fail(const struct session *session, enum sql_statement_name name,
                const char *what, struct err *err)
{
    return err_set(err, "%s: %s: %s", session->dialect->store,
                   session->statements->items[name].name, what);
}

/* --- Leases become values --- */

static void put_number(struct session *session, enum sql_column column,
                       int64_t number)
{
    session->in[column].number = number;
}

static void put_bytes(struct session *session, enum sql_column column,
                      const void *bytes, size_t length)
{
    struct sql_value *const value = &session->in[column];

    value->bytes = bytes;
    value->length = (uint32_t)length;
}

/* An identifier that a client does not have is NULL, as in Kea. */
static void put_id(struct session *session, enum sql_column column,
                   const uint8_t *bytes, size_t length)
{
    put_bytes(session, column, bytes, length);
    session->in[column].is_null = length == 0;
}

static void put_address(struct session *session, struct lease_address address)
{
    const uint64_t words[2] = { htobe64(address.high), htobe64(address.low) };
    char *const bytes = session->address;

    if (session->kinds[SQL_ADDRESS] == SQL_BYTES) {
        memcpy(bytes, words, sizeof words);
        put_bytes(session, SQL_ADDRESS, bytes, sizeof words);
    } else if (session->kinds[SQL_ADDRESS] == SQL_TEXT) {
        (void)inet_ntop(AF_INET6, words, bytes, LEASE_ADDRESS_TEXT_SIZE);
        put_bytes(session, SQL_ADDRESS, bytes, strlen(bytes));
    } else {
        put_number(session, SQL_ADDRESS, (int64_t)address.low);
    }
}

static void put_iaid(struct session *session, uint32_t iaid)
{
    put_number(session, SQL_IAID,
               session->dialect->iaid_is_signed ? (int32_t)iaid
                                                : (int64_t)iaid);
}

/* The values that lease6 has beside those of lease4. */
static void put_v6(struct session *session, const struct lease *lease)
{
    put_number(session, SQL_LEASE_TYPE, lease->type);
    put_iaid(session, lease->iaid);
    put_number(session, SQL_PREF_LIFETIME, lease->preferred_s);
    put_number(session, SQL_PREFIX_LEN, lease->prefix_length);
    put_number(session, SQL_HWTYPE, LEASE_V6_HWTYPE);
    put_number(session, SQL_HWADDR_SOURCE, LEASE_V6_HWADDR_SOURCE);
    session->in[SQL_HWTYPE].is_null = lease->hwaddr_length == 0;
    session->in[SQL_HWADDR_SOURCE].is_null = lease->hwaddr_length == 0;
}

static bool is_storable(const struct session *session, int64_t time_s)
{
    return time_s >= session->dialect->time_first_s &&
           time_s <= session->dialect->time_last_s;
}

static int put_lease(struct session *session, const struct lease *lease,
                     enum sql_statement_name name, struct err *err)
{
    const bool by_start = session->dialect->endless_by_start &&
                          lease->valid_s == LEASE_VALID_FOREVER;
    const int64_t expire_s = by_start ? lease->cltt_s : lease_expire_s(lease);

    if (!is_storable(session, expire_s))
        return fail(session, name, "the server cannot store this time", err);
    if (lease->pool_id != 0 && !session->table->has[SQL_POOL_ID])
        return fail(session, name, "the table has no column for a pool_id",
                    err);
    put_address(session, lease->address);
    put_id(session, SQL_HWADDR, lease->hwaddr, lease->hwaddr_length);
    put_id(session, SQL_CLIENT_ID, lease->client_id, lease->client_id_length);
    put_number(session, SQL_VALID_LIFETIME, lease->valid_s);
    put_number(session, SQL_EXPIRE, expire_s);
    put_number(session, SQL_SUBNET_ID, lease->subnet_id);
    put_number(session, SQL_FQDN_FWD, lease->fqdn_fwd);
    put_number(session, SQL_FQDN_REV, lease->fqdn_rev);
    put_bytes(session, SQL_HOSTNAME, lease->hostname, lease->hostname_length);
    put_number(session, SQL_STATE, lease->state);
    put_number(session, SQL_POOL_ID, lease->pool_id);
    if (session->table->family == LEASE_FAMILY_V6)
        put_v6(session, lease);
    return 0;
}

/* The time that a lease is said to expire at; false if none can. */
static bool put_old_expire(struct session *session, int64_t expire_s)
{
    const bool endless = session->dialect->endless_by_start &&
                         expire_s > session->dialect->time_compared_s &&
                         expire_s >= UINT32_MAX;
    const int64_t stored_s = endless ? expire_s - UINT32_MAX : expire_s;

    put_number(session, SQL_TIME_ASKED, stored_s);
    return is_storable(session, stored_s);
}

/* A time to compare with. */
static void put_limit(struct session *session, int64_t time_s)
{
    const struct sql_dialect *const dialect = session->dialect;

    if (time_s < dialect->time_first_s)
        time_s = dialect->time_first_s;
    if (time_s > dialect->time_compared_s)
        time_s = dialect->time_compared_s;
    put_number(session, SQL_TIME_ASKED, time_s);
}

/* --- Values become leases --- */

static uint32_t get_number(const struct session *session,
                           enum sql_column column)
{
    return (uint32_t)session->out[column].number;
}

/* Returns the length, or -1 if there is no room for it. */
static int get_bytes(const struct session *session, enum sql_column column,
                     void *bytes, uint32_t max)
{
    const struct sql_value *const value = &session->out[column];

    if (value->is_null || value->length == 0)
        return 0;
    if (value->length > max)
        return -1;
    memcpy(bytes, value->bytes, value->length);
    return (int)value->length;
}

static bool get_v6_address(const struct session *session,
                           struct lease_address *address)
{
    uint64_t words[2] = { 0, 0 };
    char text[LEASE_ADDRESS_TEXT_SIZE] = "";
    const bool read =
        session->kinds[SQL_ADDRESS] == SQL_BYTES
            ? get_bytes(session, SQL_ADDRESS, words, sizeof words) ==
                  sizeof words
            : get_bytes(session, SQL_ADDRESS, text, sizeof text - 1) > 0 &&
                  inet_pton(AF_INET6, text, words) == 1;

    *address = (struct lease_address){ .high = be64toh(words[0]),
                                       .low = be64toh(words[1]) };
    return read;
}

static bool get_address(const struct session *session, struct lease *lease)
{
    if (session->table->family == LEASE_FAMILY_V4) {
        lease->type = LEASE_TYPE_V4;
        lease->address = lease_address_v4(get_number(session, SQL_ADDRESS));
        return true;
    }
    lease->type = (uint8_t)get_number(session, SQL_LEASE_TYPE);
    lease->iaid = get_number(session, SQL_IAID);
    lease->preferred_s = get_number(session, SQL_PREF_LIFETIME);
    lease->prefix_length = (uint8_t)get_number(session, SQL_PREFIX_LEN);
    return get_v6_address(session, &lease->address);
}

static enum outcome get_lease(const struct session *session,
                              enum sql_statement_name name, struct lease *lease,
                              struct err *err)
{
    const uint32_t valid_s = get_number(session, SQL_VALID_LIFETIME);
    const int64_t expire_s = session->out[SQL_EXPIRE].number;
    const bool by_start =
        session->dialect->endless_by_start && valid_s == LEASE_VALID_FOREVER;
    const int hwaddr =
        get_bytes(session, SQL_HWADDR, lease->hwaddr, LEASE_HWADDR_MAX);
    const int client_id = get_bytes(session, SQL_CLIENT_ID, lease->client_id,
                                    LEASE_CLIENT_ID_MAX);
    const int hostname =
        get_bytes(session, SQL_HOSTNAME, lease->hostname, LEASE_HOSTNAME_MAX);

    if (!get_address(session, lease) || hwaddr < 0 || client_id < 0 ||
        hostname < 0)
        return (enum outcome)fail(session, name,
                                  "a row does not fit into a lease", err);
    lease->hwaddr_length = (uint8_t)hwaddr;
    lease->client_id_length = (uint8_t)client_id;
    lease->hostname_length = (uint8_t)hostname;
    lease->valid_s = valid_s;
    lease->cltt_s = by_start ? expire_s : expire_s - valid_s;
    lease->subnet_id = get_number(session, SQL_SUBNET_ID);
    lease->pool_id =
        session->table->has[SQL_POOL_ID] ? get_number(session, SQL_POOL_ID) : 0;
    lease->state = (uint8_t)get_number(session, SQL_STATE);
    lease->fqdn_fwd = get_number(session, SQL_FQDN_FWD) != 0;
    lease->fqdn_rev = get_number(session, SQL_FQDN_REV) != 0;
    return OUTCOME_HIT;
}

/* --- The operations --- */

/* A statement that inserts one row, or changes the one with a key, or none. */
static enum outcome change_one(struct session *session,
                               enum sql_statement_name name, struct err *err)
{
    uint64_t changed = 0;
    const enum outcome outcome =
        session->dialect->execute(session, &session->statements->items[name], &changed, err);

    if (outcome != OUTCOME_HIT || changed == 1)
        return outcome;
    return changed == 0
               ? OUTCOME_MISS
               : (enum outcome)fail(session, name,
                                    "more than one row was changed", err);
}

/* A statement that finds one row, or none; of a reservation just the address is
   looked at. */
static enum outcome find_one(struct session *session,
                             enum sql_statement_name name, struct lease *found,
                             struct err *err)
{
    const struct sql_dialect *const dialect = session->dialect;
    const struct sql_statement *const statement = &session->statements->items[name];
    const bool is_host = name == SQL_FIND_RESERVATION;
    enum outcome outcome = OUTCOME_MISS;

    if (dialect->execute(session, statement, NULL, err) != OUTCOME_HIT)
        return OUTCOME_ERROR;
    int more = dialect->fetch(session, statement, err);
    if (more > 0 && is_host)
        found->address =
            lease_address_v4(get_number(session, SQL_HOST_ADDRESS));
    if (more > 0)
        outcome = is_host ? OUTCOME_HIT : get_lease(session, name, found, err);
    /* An address is unique; of the others a second one may be there. */
    if (outcome == OUTCOME_HIT && name != SQL_FIND_BY_ADDRESS && !is_host) {
        more = dialect->fetch(session, statement, err);
        if (more > 0)
            outcome = (enum outcome)fail(
                session, name, "more than one lease has that key", err);
    }
    return dialect->finish(session, statement, err) == 0 && more >= 0 ? outcome : OUTCOME_ERROR;
}

enum outcome sql_create(struct session *session, const struct lease *lease,
                        struct err *err)
{
    return put_lease(session, lease, SQL_CREATE, err) == 0 ? change_one(session, SQL_CREATE, err)
                                                           : OUTCOME_ERROR;
}

enum outcome sql_find(struct session *session, enum lookup by,
                      const struct lease *like, struct lease *found,
                      struct err *err)
{
    static const enum sql_statement_name names[] = {
        [LOOKUP_ADDRESS] = SQL_FIND_BY_ADDRESS,
        [LOOKUP_HWADDR] = SQL_FIND_BY_HWADDR,
        [LOOKUP_CLIENT_ID] = SQL_FIND_BY_CLIENT,
        [LOOKUP_IN_SUBNET] = SQL_FIND_IN_SUBNET,
    };

    if (by == LOOKUP_ADDRESS) {
        put_address(session, like->address);
    } else if (by == LOOKUP_HWADDR) {
        put_id(session, SQL_HWADDR, like->hwaddr, like->hwaddr_length);
    } else {
        put_id(session, SQL_CLIENT_ID, like->client_id, like->client_id_length);
        put_iaid(session, like->iaid);
        put_number(session, SQL_SUBNET_ID, like->subnet_id);
    }
    put_number(session, SQL_LEASE_TYPE, like->type);
    return find_one(session, names[by], found, err);
}

enum outcome sql_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err)
{
    if (put_lease(session, lease, SQL_UPDATE, err) != 0)
        return OUTCOME_ERROR;
    if (!put_old_expire(session, expire_s))
        return OUTCOME_MISS;
    return change_one(session, SQL_UPDATE, err);
}

enum outcome sql_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err)
{
    put_address(session, address);
    if (!put_old_expire(session, expire_s))
        return OUTCOME_MISS;
    return change_one(session, SQL_REMOVE, err);
}

int sql_list_expired(struct session *session, int64_t now_s, size_t limit,
                     struct lease *found, size_t *count, struct err *err)
{
    const struct sql_dialect *const dialect = session->dialect;
    const struct sql_statement *const statement = &session->statements->items[SQL_LIST_EXPIRED];
    int more;

    *count = 0;
    put_limit(session, now_s);
    put_number(session, SQL_LIMIT,
               limit < UINT32_MAX ? (int64_t)limit : UINT32_MAX);
    if (dialect->execute(session, statement, NULL, err) != OUTCOME_HIT)
        return -1;
    while ((more = dialect->fetch(session, statement, err)) > 0) {
        if (get_lease(session, SQL_LIST_EXPIRED, &found[*count], err) != OUTCOME_HIT)
            break;
        ++*count;
    }
    return dialect->finish(session, statement, err) == 0 && more == 0 ? 0 : -1;
}

int sql_purge_reclaimed(struct session *session, int64_t before_s,
                        uint64_t *purged, struct err *err)
{
    put_limit(session, before_s);
    return session->dialect->execute(session, &session->statements->items[SQL_PURGE_RECLAIMED],
                                     purged, err) == OUTCOME_HIT
               ? 0
               : -1;
}

static void put_host(struct session *session, const struct reservation_key *key)
{
    put_number(session, SQL_HOST_TYPE, key->type);
    put_number(session, SQL_HOST_SUBNET, key->subnet_id);
    put_bytes(session, SQL_HOST_IDENTIFIER, key->identifier, key->length);
}

enum outcome sql_add_reservation(struct session *session,
                                 const struct reservation_key *key,
                                 struct lease_address address, struct err *err)
{
    put_host(session, key);
    put_number(session, SQL_HOST_ADDRESS, (int64_t)address.low);
    return change_one(session, SQL_ADD_RESERVATION, err);
}

enum outcome sql_find_reservation(struct session *session,
                                  const struct reservation_key *key,
                                  struct lease_address *address,
                                  struct err *err)
{
    struct lease found;

    put_host(session, key);
    const enum outcome outcome =
        find_one(session, SQL_FIND_RESERVATION, &found, err);
    if (outcome == OUTCOME_HIT)
        *address = found.address;
    return outcome;
}
