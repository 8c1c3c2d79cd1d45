/* SPDX-License-Identifier: ISC */
/*
 * The contract's operations on leases and reservations, for every store that
 * uses SQL: a lease becomes the values of a statement, the dialect runs it,
 * and a row becomes a lease.  See store/backend.h for what each does.
 */
#ifndef UBENCH_STORE_SQL_OPERATIONS_H
#define UBENCH_STORE_SQL_OPERATIONS_H

#include "store/sql/session.h"

enum outcome sql_create(struct session *session, const struct lease *lease,
                        struct err *err);
enum outcome sql_find_by_address(struct session *session,
                                 struct lease_address address,
                                 enum lease_type type, struct lease *found,
                                 struct err *err);
enum outcome sql_find_by_hwaddr(struct session *session, const uint8_t *hwaddr,
                                size_t length, struct lease *found,
                                struct err *err);
enum outcome sql_find_by_client_id(struct session *session,
                                   const uint8_t *client_id, size_t length,
                                   struct lease *found, struct err *err);
enum outcome sql_find_by_duid(struct session *session, const uint8_t *duid,
                              size_t length, uint32_t iaid,
                              enum lease_type type, uint32_t subnet_id,
                              struct lease *found, struct err *err);
enum outcome sql_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err);
enum outcome sql_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err);
int sql_list_expired(struct session *session, int64_t now_s, size_t limit,
                     struct lease *found, size_t *count, struct err *err);
int sql_purge_reclaimed(struct session *session, int64_t before_s,
                        uint64_t *purged, struct err *err);
enum outcome sql_add_reservation(struct session *session,
                                 const struct reservation_key *key,
                                 struct lease_address address, struct err *err);
enum outcome sql_find_reservation(struct session *session,
                                  const struct reservation_key *key,
                                  struct lease_address *address,
                                  struct err *err);

/* The members of struct backend that these are. */
#define SQL_OPERATIONS                                            \
    .create = sql_create, .find_by_address = sql_find_by_address, \
    .find_by_hwaddr = sql_find_by_hwaddr,                         \
    .find_by_client_id = sql_find_by_client_id,                   \
    .find_by_duid = sql_find_by_duid, .update = sql_update,       \
    .remove = sql_remove, .list_expired = sql_list_expired,       \
    .purge_reclaimed = sql_purge_reclaimed,                       \
    .add_reservation = sql_add_reservation,                       \
    .find_reservation = sql_find_reservation

#endif
