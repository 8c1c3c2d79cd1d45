/* SPDX-License-Identifier: ISC */
/* The operations on leases, as Kea's manager performs them; what each has to do
   is in backend.h. */
#ifndef UBENCH_STORE_KEA_OPERATIONS_HH
#define UBENCH_STORE_KEA_OPERATIONS_HH

extern "C" {
#include "store/backend.h"
}

enum outcome kea_create(struct session *session, const struct lease *lease,
                        struct err *err);
enum outcome kea_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err);
enum outcome kea_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err);
int kea_purge_reclaimed(struct session *session, int64_t before_s,
                        uint64_t *purged, struct err *err);
int kea_group(struct session *, struct err *);
enum outcome kea_find_by_address(struct session *session,
                                 struct lease_address address,
                                 enum lease_type type, struct lease *found,
                                 struct err *err);
enum outcome kea_find_by_hwaddr(struct session *session, const uint8_t *hwaddr,
                                size_t length, struct lease *found,
                                struct err *err);
enum outcome kea_find_by_client_id(struct session *session,
                                   const uint8_t *client_id, size_t length,
                                   struct lease *found, struct err *err);
enum outcome kea_find_by_duid(struct session *session, const uint8_t *duid,
                              size_t length, uint32_t iaid,
                              enum lease_type type, uint32_t subnet_id,
                              struct lease *found, struct err *err);
int kea_list_expired(struct session *session, int64_t now_s, size_t limit,
                     struct lease *found, size_t *count, struct err *err);
int kea_count(struct session *session, uint64_t *count, struct err *err);

#endif
