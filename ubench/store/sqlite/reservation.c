/* SPDX-License-Identifier: ISC */
/* Host reservations: a table beside the leases. */
#include "store/sqlite/statement.h"

enum outcome sqlite_add_reservation(struct session *session,
                                    const struct reservation_key *key,
                                    struct lease_address address,
                                    struct err *err)
{
    const struct sqlite_value values[] = {
        sqlite_integer(key->type), sqlite_integer(key->subnet_id),
        sqlite_blob(key->identifier, key->length),
        sqlite_integer((int64_t)address.low)
    };
    enum outcome outcome = OUTCOME_HIT;
    sqlite3_stmt *const statement =
        sqlite_get_ready(session, STATEMENT_ADD_RESERVATION, values, 4, err);

    if (statement == NULL)
        return OUTCOME_ERROR;
    if (sqlite3_step(statement) != SQLITE_DONE)
        outcome =
            sqlite3_extended_errcode(session->db) == SQLITE_CONSTRAINT_UNIQUE
                ? OUTCOME_MISS
                : (enum outcome)sqlite_failed(session,
                                              STATEMENT_ADD_RESERVATION, err);
    sqlite_let_go(session, statement);
    return outcome;
}

enum outcome sqlite_find_reservation(struct session *session,
                                     const struct reservation_key *key,
                                     struct lease_address *address,
                                     struct err *err)
{
    const struct sqlite_value values[] = {
        sqlite_integer(key->type), sqlite_integer(key->subnet_id),
        sqlite_blob(key->identifier, key->length)
    };
    enum outcome outcome = OUTCOME_MISS;
    sqlite3_stmt *const statement =
        sqlite_get_ready(session, STATEMENT_FIND_RESERVATION, values, 3, err);

    if (statement == NULL)
        return OUTCOME_ERROR;
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        outcome = OUTCOME_HIT;
        *address =
            lease_address_v4((uint32_t)sqlite3_column_int64(statement, 0));
    } else if (code != SQLITE_DONE) {
        outcome = (enum outcome)sqlite_failed(session,
                                              STATEMENT_FIND_RESERVATION, err);
    }
    sqlite_let_go(session, statement);
    return outcome;
}
