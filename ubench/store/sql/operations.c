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

static enum outcome fail(const struct session *session, enum sql_statement_name name,
                         const char *what, struct err *err)
{
    (void)err_set(err, "%s: %s: %s", session->dialect->store,
                  session->statements->items[name].label, what);
    return OUTCOME_ERROR;
}

/* True for an infinite lease in a store that keeps its start time instead of the expiry. */
static bool is_by_start(const struct session *session, uint32_t valid_s)
{
    return session->dialect->endless_by_start && valid_s == LEASE_VALID_FOREVER;
}

/* --- Leases become values --- */

static void put_bytes(struct sql_value *value, const void *bytes, size_t length)
{
    value->bytes = bytes;
    value->length = (uint32_t)length;
}

/* An identifier that a client does not have is NULL, as in Kea. */
static void put_id(struct sql_value *value, const uint8_t *bytes, size_t length)
{
    put_bytes(value, bytes, length);
    value->is_null = length == 0;
}

void sql_put_address(struct session *session, struct lease_address address)
{
    const uint64_t words[2] = { htobe64(address.high), htobe64(address.low) };
    struct sql_value *const value = &session->in[SQL_ADDRESS];
    char *const bytes = session->address;

    if (session->kinds[SQL_ADDRESS] == SQL_BYTES) {
        memcpy(bytes, words, sizeof words);
        put_bytes(value, bytes, sizeof words);
    } else if (session->kinds[SQL_ADDRESS] == SQL_TEXT) {
        (void)inet_ntop(AF_INET6, words, bytes, LEASE_ADDRESS_TEXT_SIZE);
        put_bytes(value, bytes, strlen(bytes));
    } else {
        value->number = (int64_t)address.low;
    }
}

void sql_put_pool(struct session *session, struct lease_address first, uint64_t count)
{
    session->in[SQL_POOL_FIRST].number = (int64_t)first.low;
    session->in[SQL_POOL_LAST].number = (int64_t)(first.low + count - 1);
}

static void put_iaid(struct session *session, uint32_t iaid)
{
    session->in[SQL_IAID].number = session->dialect->iaid_is_signed ? (int32_t)iaid : (int64_t)iaid;
}

/* Sets the values that lease6 has besides those of lease4. */
static void put_v6(struct session *session, const struct lease *lease)
{
    struct sql_value *const in = session->in;

    in[SQL_LEASE_TYPE].number = lease->type;
    put_iaid(session, lease->iaid);
    in[SQL_PREF_LIFETIME].number = lease->preferred_s;
    in[SQL_PREFIX_LEN].number = lease->prefix_length;
    in[SQL_HWTYPE].number = LEASE_V6_HWTYPE;
    in[SQL_HWADDR_SOURCE].number = LEASE_V6_HWADDR_SOURCE;
    in[SQL_HWTYPE].is_null = lease->hwaddr_length == 0;
    in[SQL_HWADDR_SOURCE].is_null = lease->hwaddr_length == 0;
}

/* Sets a time; returns false if it cannot be stored. */
static bool put_time(struct session *session, enum sql_column column, int64_t time_s)
{
    session->in[column].number = time_s;
    return time_s >= session->dialect->time_first_s && time_s <= session->dialect->time_last_s;
}

int sql_put_lease(struct session *session, const struct lease *lease, enum sql_statement_name name,
                  struct err *err)
{
    struct sql_value *const in = session->in;

    if (!put_time(session, SQL_EXPIRE,
                  is_by_start(session, lease->valid_s) ? lease->cltt_s : lease_expire_s(lease)))
        return fail(session, name, "the server cannot store this time", err);
    if (lease->pool_id != 0 && !session->table->has[SQL_POOL_ID])
        return fail(session, name, "the table has no column for a pool_id", err);
    sql_put_address(session, lease->address);
    put_id(&in[SQL_HWADDR], lease->hwaddr, lease->hwaddr_length);
    put_id(&in[SQL_CLIENT_ID], lease->client_id, lease->client_id_length);
    in[SQL_VALID_LIFETIME].number = lease->valid_s;
    in[SQL_SUBNET_ID].number = lease->subnet_id;
    in[SQL_FQDN_FWD].number = lease->fqdn_fwd;
    in[SQL_FQDN_REV].number = lease->fqdn_rev;
    put_bytes(&in[SQL_HOSTNAME], lease->hostname, lease->hostname_length);
    in[SQL_STATE].number = lease->state;
    in[SQL_POOL_ID].number = lease->pool_id;
    if (session->table->family == LEASE_FAMILY_V6)
        put_v6(session, lease);
    return 0;
}

/* Sets the expiry that the caller expects the lease to have; returns false if no stored lease can
   have it. */
static bool put_old_expire(struct session *session, int64_t expire_s)
{
    const bool endless = session->dialect->endless_by_start &&
                         expire_s > session->dialect->time_compared_s && expire_s >= UINT32_MAX;

    return put_time(session, SQL_TIME_ASKED, endless ? expire_s - UINT32_MAX : expire_s);
}

/* Sets a time to compare with. */
static void put_limit(struct session *session, int64_t time_s)
{
    const struct sql_dialect *const dialect = session->dialect;

    if (time_s < dialect->time_first_s)
        time_s = dialect->time_first_s;
    if (time_s > dialect->time_compared_s)
        time_s = dialect->time_compared_s;
    session->in[SQL_TIME_ASKED].number = time_s;
}

/* --- Values become leases --- */

static uint32_t get_number(const struct session *session, enum sql_column column)
{
    return (uint32_t)session->out[column].number;
}

/* Copies bytes and returns their length, or -1 if they are too long. */
static int get_bytes(const struct session *session, enum sql_column column, void *bytes,
                     uint32_t max)
{
    const struct sql_value *const value = &session->out[column];

    if (value->is_null || value->length == 0)
        return 0;
    if (value->length > max)
        return -1;
    memcpy(bytes, value->bytes, value->length);
    return (int)value->length;
}

static bool get_address(const struct session *session, struct lease *lease)
{
    uint64_t words[2] = { 0, 0 };
    char text[LEASE_ADDRESS_TEXT_SIZE] = "";

    if (session->table->family == LEASE_FAMILY_V4) {
        lease->type = LEASE_TYPE_V4;
        lease->address = lease_address_v4(get_number(session, SQL_ADDRESS));
        return true;
    }
    lease->type = (uint8_t)get_number(session, SQL_LEASE_TYPE);
    lease->iaid = get_number(session, SQL_IAID);
    lease->preferred_s = get_number(session, SQL_PREF_LIFETIME);
    lease->prefix_length = (uint8_t)get_number(session, SQL_PREFIX_LEN);
    const bool read = session->kinds[SQL_ADDRESS] == SQL_BYTES
                          ? get_bytes(session, SQL_ADDRESS, words, sizeof words) == sizeof words
                          : get_bytes(session, SQL_ADDRESS, text, sizeof text - 1) > 0 &&
                                inet_pton(AF_INET6, text, words) == 1;
    lease->address = (struct lease_address){ .high = be64toh(words[0]), .low = be64toh(words[1]) };
    return read;
}

enum outcome sql_get_lease(const struct session *session, enum sql_statement_name name,
                           struct lease *lease, struct err *err)
{
    const uint32_t valid_s = get_number(session, SQL_VALID_LIFETIME);
    const int64_t expire_s = session->out[SQL_EXPIRE].number;
    const int hwaddr = get_bytes(session, SQL_HWADDR, lease->hwaddr, LEASE_HWADDR_MAX);
    const int client_id = get_bytes(session, SQL_CLIENT_ID, lease->client_id, LEASE_CLIENT_ID_MAX);
    const int hostname = get_bytes(session, SQL_HOSTNAME, lease->hostname, LEASE_HOSTNAME_MAX);

    if (!get_address(session, lease) || hwaddr < 0 || client_id < 0 || hostname < 0)
        return fail(session, name, "a row does not fit into a lease", err);
    lease->hwaddr_length = (uint8_t)hwaddr;
    lease->client_id_length = (uint8_t)client_id;
    lease->hostname_length = (uint8_t)hostname;
    lease->valid_s = valid_s;
    lease->cltt_s = is_by_start(session, valid_s) ? expire_s : expire_s - valid_s;
    lease->subnet_id = get_number(session, SQL_SUBNET_ID);
    lease->pool_id = session->table->has[SQL_POOL_ID] ? get_number(session, SQL_POOL_ID) : 0;
    lease->state = (uint8_t)get_number(session, SQL_STATE);
    lease->fqdn_fwd = get_number(session, SQL_FQDN_FWD) != 0;
    lease->fqdn_rev = get_number(session, SQL_FQDN_REV) != 0;
    return OUTCOME_HIT;
}

/* --- The operations --- */

/* Runs a statement that inserts a row or changes the row with a key. */
static enum outcome change_one(struct session *session, enum sql_statement_name name,
                               struct err *err)
{
    uint64_t changed = 0;
    const enum outcome outcome =
        session->dialect->execute(session, &session->statements->items[name], &changed, err);

    if (outcome != OUTCOME_HIT || changed == 1)
        return outcome;
    return changed == 0 ? OUTCOME_MISS : fail(session, name, "more than one row was changed", err);
}

/* Reads at most *count rows of a search and sets *count to their number.  Converts the first size
   rows to leases; of a reservation only the address is read.  Returns 0, or -1 with err. */
static int read_rows(struct session *session, const struct sql_statement *statement,
                     struct lease *found, size_t size, size_t *count, struct err *err)
{
    const struct sql_dialect *const dialect = session->dialect;
    const enum sql_statement_name name = statement->is;
    const size_t most = *count;
    enum outcome outcome = OUTCOME_HIT;
    int more = 1;

    *count = 0;
    while (outcome == OUTCOME_HIT && *count < most &&
           (more = dialect->fetch(session, statement, err)) > 0) {
        if (name == SQL_FIND_RESERVATION)
            found->address = lease_address_v4(get_number(session, SQL_HOST_ADDRESS));
        else if (*count < size)
            outcome = sql_get_lease(session, name, &found[*count], err);
        ++*count;
    }
    return dialect->finish(session, statement, err) == 0 && more >= 0 && outcome == OUTCOME_HIT
               ? 0
               : -1;
}

/* Runs a search and reads its rows. */
static int find_rows(struct session *session, enum sql_statement_name name, struct lease *found,
                     size_t size, size_t *count, struct err *err)
{
    const struct sql_statement *const statement = &session->statements->items[name];

    return session->dialect->execute(session, statement, NULL, err) == OUTCOME_HIT
               ? read_rows(session, statement, found, size, count, err)
               : -1;
}

/* Runs a function, and sets session->out to its only row.  MISS: the key to insert is taken. */
static enum outcome call(struct session *session, enum sql_statement_name name, struct err *err)
{
    const struct sql_dialect *const dialect = session->dialect;
    const struct sql_statement *const statement = &session->statements->items[name];
    const enum outcome outcome = dialect->execute(session, statement, NULL, err);

    if (outcome != OUTCOME_HIT)
        return outcome;
    const int rows = dialect->fetch(session, statement, err);
    return dialect->finish(session, statement, err) == 0 ? (enum outcome)rows : OUTCOME_ERROR;
}

static int transact(struct session *session, const char *sql, struct err *err)
{
    return session->dialect->rows(session->connection, sql, sql, NULL, NULL, err);
}

/* Changes a lease and the free list by one function. */
static enum outcome change_listed(struct session *session, enum sql_statement_name name,
                                  struct err *err)
{
    const enum outcome outcome = call(session, name, err);

    if (outcome != OUTCOME_HIT || session->out[SQL_CHANGED].number == 1)
        return outcome;
    return session->out[SQL_CHANGED].number == 0
               ? OUTCOME_MISS
               : fail(session, name, "more than one row was changed", err);
}

/* The same in the three round trips of Kea. */
static enum outcome change_as_kea(struct session *session, enum sql_statement_name name,
                                  struct err *err)
{
    const bool commits_first = session->dialect->commits_first && name != SQL_CREATE_LISTED;
    struct err ignored;

    if (!commits_first && transact(session, "START TRANSACTION", err) != 0)
        return OUTCOME_ERROR;
    const enum outcome outcome = change_listed(session, name, err);
    if (commits_first && outcome != OUTCOME_ERROR &&
        transact(session, "START TRANSACTION", err) != 0)
        return OUTCOME_ERROR;
    if (outcome == OUTCOME_HIT)
        return transact(session, "COMMIT", err) == 0 ? OUTCOME_HIT : OUTCOME_ERROR;
    if (!commits_first || outcome == OUTCOME_MISS)
        (void)transact(session, "ROLLBACK", &ignored);
    return outcome;
}

/* Runs the statement that changes a lease, or if there is a free list the other one. */
static enum outcome change(struct session *session, enum sql_statement_name name,
                           enum sql_statement_name listed, struct err *err)
{
    const enum free_list list = session->statements->free_list;

    if (list == FREE_LIST_NONE || session->grouped)
        return change_one(session, name, err);
    return list == FREE_LIST_SHARED_FLQ ? change_as_kea(session, listed, err)
                                        : change_listed(session, listed, err);
}

enum outcome sql_create(struct session *session, const struct lease *lease, struct err *err)
{
    return sql_put_lease(session, lease, SQL_CREATE, err) == 0
               ? change(session, SQL_CREATE, SQL_CREATE_LISTED, err)
               : OUTCOME_ERROR;
}

enum outcome sql_pick_free(struct session *session, struct lease_address first, uint64_t count,
                           struct lease_address *address, struct err *err)
{
    sql_put_pool(session, first, count);
    const enum outcome outcome = call(session, SQL_PICK_FREE, err);

    *address = lease_address_v4(outcome == OUTCOME_HIT ? get_number(session, SQL_ADDRESS) : 0);
    return outcome == OUTCOME_HIT && address->low == 0 ? OUTCOME_MISS : outcome;
}

const struct sql_statement *sql_put_search(struct session *session, enum lookup by,
                                           const struct lease *like)
{
    if (by == LOOKUP_ADDRESS) {
        sql_put_address(session, like->address);
    } else if (by == LOOKUP_HWADDR) {
        put_id(&session->in[SQL_HWADDR], like->hwaddr, like->hwaddr_length);
    } else {
        put_id(&session->in[SQL_CLIENT_ID], like->client_id, like->client_id_length);
        put_iaid(session, like->iaid);
        session->in[SQL_SUBNET_ID].number = like->subnet_id;
    }
    session->in[SQL_LEASE_TYPE].number = like->type;
    return &session->statements->items[SQL_FIND_BY_ADDRESS + (unsigned)by];
}

enum outcome sql_read_found(struct session *session, const struct sql_statement *statement,
                            enum lookup by, struct lease *found, struct err *err)
{
    /* At most one lease has an address; a second lease with the same client is an error. */
    size_t count = by == LOOKUP_ADDRESS ? 1 : 2;

    if (read_rows(session, statement, found, 1, &count, err) != 0)
        return OUTCOME_ERROR;
    return count <= 1 ? (enum outcome)count
                      : fail(session, statement->is, "more than one lease has that key", err);
}

enum outcome sql_find(struct session *session, enum lookup by, const struct lease *like,
                      struct lease *found, struct err *err)
{
    const struct sql_statement *const statement = sql_put_search(session, by, like);

    return session->dialect->execute(session, statement, NULL, err) == OUTCOME_HIT
               ? sql_read_found(session, statement, by, found, err)
               : OUTCOME_ERROR;
}

enum outcome sql_update(struct session *session, const struct lease *lease, int64_t expire_s,
                        struct err *err)
{
    if (sql_put_lease(session, lease, SQL_UPDATE, err) != 0)
        return OUTCOME_ERROR;
    return put_old_expire(session, expire_s) ? change(session, SQL_UPDATE, SQL_UPDATE_LISTED, err)
                                             : OUTCOME_MISS;
}

enum outcome sql_remove(struct session *session, struct lease_address address, int64_t expire_s,
                        struct err *err)
{
    sql_put_address(session, address);
    return put_old_expire(session, expire_s) ? change(session, SQL_REMOVE, SQL_REMOVE_LISTED, err)
                                             : OUTCOME_MISS;
}

int sql_list_expired(struct session *session, int64_t now_s, size_t limit, struct lease *found,
                     size_t *count, struct err *err)
{
    put_limit(session, now_s);
    session->in[SQL_LIMIT].number = limit < UINT32_MAX ? (int64_t)limit : UINT32_MAX;
    *count = limit;
    return find_rows(session, SQL_LIST_EXPIRED, found, limit, count, err);
}

int sql_purge_reclaimed(struct session *session, int64_t before_s, uint64_t *purged,
                        struct err *err)
{
    put_limit(session, before_s);
    return session->dialect->execute(session, &session->statements->items[SQL_PURGE_RECLAIMED],
                                     purged, err) == OUTCOME_HIT
               ? 0
               : -1;
}

static void put_host(struct session *session, const struct reservation_key *key)
{
    session->in[SQL_HOST_TYPE].number = key->type;
    session->in[SQL_HOST_SUBNET].number = key->subnet_id;
    put_bytes(&session->in[SQL_HOST_IDENTIFIER], key->identifier, key->length);
}

enum outcome sql_add_reservation(struct session *session, const struct reservation_key *key,
                                 struct lease_address address, struct err *err)
{
    put_host(session, key);
    session->in[SQL_HOST_ADDRESS].number = (int64_t)address.low;
    return change_one(session, SQL_ADD_RESERVATION, err);
}

enum outcome sql_find_reservation(struct session *session, const struct reservation_key *key,
                                  struct lease_address *address, struct err *err)
{
    struct lease found;
    size_t count = 1;

    put_host(session, key);
    if (find_rows(session, SQL_FIND_RESERVATION, &found, 1, &count, err) != 0)
        return OUTCOME_ERROR;
    if (count == 1)
        *address = found.address;
    return (enum outcome)count;
}
