/* SPDX-License-Identifier: ISC */
/* The operations on leases. */
#include <endian.h>
#include <string.h>

#include "store/sqlite/statement.h"

/* In the order of sqlite_schema.c: of COLUMNS, or of COLUMNS6 and the next
   two. */
static void lease_values(struct session *session, const struct lease *lease,
                         struct sqlite_value values[static SQLITE_VALUES_MAX])
{
    values[0] = sqlite_address(session, lease->address);
    values[1] = sqlite_blob(lease->hwaddr, lease->hwaddr_length);
    values[2] = sqlite_blob(lease->client_id, lease->client_id_length);
    values[3] = sqlite_integer(lease->valid_s);
    values[4] = sqlite_integer(lease_expire_s(lease));
    values[5] = sqlite_integer(lease->subnet_id);
    values[6] = sqlite_integer(lease->fqdn_fwd);
    values[7] = sqlite_integer(lease->fqdn_rev);
    values[8] = sqlite_text(lease->hostname, lease->hostname_length);
    values[9] = sqlite_integer(lease->state);
    values[10] = sqlite_integer(lease->pool_id);
    if (session->family == LEASE_FAMILY_V4)
        return;
    values[11] = sqlite_integer(lease->type);
    values[12] = sqlite_integer(lease->iaid);
    values[13] = sqlite_integer(lease->preferred_s);
    values[14] = sqlite_integer(lease->prefix_length);
    values[15] = sqlite_integer(LEASE_V6_HWTYPE);
    values[16] = sqlite_integer(LEASE_V6_HWADDR_SOURCE);
    if (lease->hwaddr_length == 0)
        values[15] = values[16] = sqlite_blob(NULL, 0);
}

enum outcome sqlite_create(struct session *session, const struct lease *lease,
                           struct err *err)
{
    struct sqlite_value values[SQLITE_VALUES_MAX];
    enum outcome outcome = OUTCOME_HIT;

    lease_values(session, lease, values);
    sqlite3_stmt *const statement = sqlite_get_ready(
        session, STATEMENT_CREATE, values, session->values, err);
    if (statement == NULL)
        return OUTCOME_ERROR;
    if (sqlite3_step(statement) != SQLITE_DONE) {
        if (sqlite3_extended_errcode(session->db) ==
            SQLITE_CONSTRAINT_PRIMARYKEY)
            outcome = OUTCOME_MISS;
        else
            outcome = sqlite_failed(session, STATEMENT_CREATE, err);
    }
    sqlite_let_go(session, statement);
    return outcome;
}

static enum outcome to_outcome(int64_t changes)
{
    return changes < 0    ? OUTCOME_ERROR
           : changes == 0 ? OUTCOME_MISS
                          : OUTCOME_HIT;
}

enum outcome sqlite_update(struct session *session, const struct lease *lease,
                           int64_t expire_s, struct err *err)
{
    struct sqlite_value values[SQLITE_VALUES_MAX + 1];

    lease_values(session, lease, values);
    values[session->values] = sqlite_integer(expire_s);
    return to_outcome(sqlite_run(session, STATEMENT_UPDATE, values,
                                 session->values + 1, err));
}

enum outcome sqlite_remove(struct session *session,
                           struct lease_address address, int64_t expire_s,
                           struct err *err)
{
    const struct sqlite_value values[] = { sqlite_address(session, address),
                                           sqlite_integer(expire_s) };

    return to_outcome(sqlite_run(session, STATEMENT_REMOVE, values, 2, err));
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
    const bool fits = read_blob(statement, 0, (uint8_t *)words,
                                SQLITE_V6_ADDRESS_SIZE, &length) &&
                      length == SQLITE_V6_ADDRESS_SIZE;

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
                                const struct sqlite_value *key, int count,
                                struct lease *found, struct err *err)
{
    sqlite3_stmt *const statement =
        sqlite_get_ready(session, which, key, count, err);
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
        outcome =
            err_set(err, "sqlite: %s: %s: more than one lease",
                    session->store->database.target, sqlite_actions[which]);
    else if (code != SQLITE_DONE)
        outcome = sqlite_failed(session, which, err);
    sqlite_let_go(session, statement);
    return outcome;
}

enum outcome sqlite_find_by_address(struct session *session,
                                    struct lease_address address,
                                    enum lease_type type, struct lease *found,
                                    struct err *err)
{
    const struct sqlite_value key[] = { sqlite_address(session, address),
                                        sqlite_integer(type) };

    return find(session, STATEMENT_FIND_BY_ADDRESS, key,
                session->family == LEASE_FAMILY_V4 ? 1 : 2, found, err);
}

enum outcome sqlite_find_by_hwaddr(struct session *session,
                                   const uint8_t *hwaddr, size_t length,
                                   struct lease *found, struct err *err)
{
    const struct sqlite_value key = sqlite_blob(hwaddr, length);

    return length > LEASE_HWADDR_MAX
               ? OUTCOME_MISS
               : find(session, STATEMENT_FIND_BY_HWADDR, &key, 1, found, err);
}

enum outcome sqlite_find_by_client_id(struct session *session,
                                      const uint8_t *client_id, size_t length,
                                      struct lease *found, struct err *err)
{
    const struct sqlite_value key = sqlite_blob(client_id, length);

    return length > LEASE_CLIENT_ID_MAX
               ? OUTCOME_MISS
               : find(session, STATEMENT_FIND_BY_CLIENT_ID, &key, 1, found,
                      err);
}

enum outcome sqlite_find_by_duid(struct session *session, const uint8_t *duid,
                                 size_t length, uint32_t iaid,
                                 enum lease_type type, uint32_t subnet_id,
                                 struct lease *found, struct err *err)
{
    const struct sqlite_value key[] = { sqlite_blob(duid, length),
                                        sqlite_integer(iaid),
                                        sqlite_integer(type),
                                        sqlite_integer(subnet_id) };

    if (length > LEASE_DUID_MAX)
        return OUTCOME_MISS;
    return subnet_id == LEASE_SUBNET_ANY
               ? find(session, STATEMENT_FIND_BY_CLIENT_ID, key, 3, found, err)
               : find(session, STATEMENT_FIND_IN_SUBNET, key, 4, found, err);
}

int sqlite_list_expired(struct session *session, int64_t now_s, size_t limit,
                        struct lease *found, size_t *count, struct err *err)
{
    const struct sqlite_value values[] = { sqlite_integer(now_s),
                                           sqlite_integer((int64_t)limit) };
    sqlite3_stmt *const statement =
        sqlite_get_ready(session, STATEMENT_LIST_EXPIRED, values, 2, err);
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
        status = sqlite_failed(session, STATEMENT_LIST_EXPIRED, err);
    sqlite_let_go(session, statement);
    return status;
}

int sqlite_purge_reclaimed(struct session *session, int64_t before_s,
                           uint64_t *purged, struct err *err)
{
    const struct sqlite_value value = sqlite_integer(before_s);
    const int64_t changes =
        sqlite_run(session, STATEMENT_PURGE, &value, 1, err);

    if (changes < 0)
        return -1;
    *purged = (uint64_t)changes;
    return 0;
}
