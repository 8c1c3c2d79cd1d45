/* SPDX-License-Identifier: ISC */
/* The ways in which a server looks for a client's lease. */
#ifndef UBENCH_LOAD_EXCHANGE_LOOKUP_H
#define UBENCH_LOAD_EXCHANGE_LOOKUP_H

#include "store/backend.h"

enum lookup {
    LOOKUP_ADDRESS,
    LOOKUP_HWADDR,
    LOOKUP_CLIENT_ID, /* IPv6: the DUID, with IAID and type */
    LOOKUP_IN_SUBNET, /* IPv6: the same in the lease's subnet alone */
};

/* Looks for the lease that has what this one has.  For the timed path. */
static inline enum outcome lookup_lease(const struct backend *backend,
                                        struct session *session, enum lookup by,
                                        const struct lease *lease,
                                        struct lease *found, struct err *err)
{
    const enum lease_type type = (enum lease_type)lease->type;

    if (by == LOOKUP_ADDRESS)
        return backend->find_by_address(session, lease->address, type, found,
                                        err);
    if (by == LOOKUP_HWADDR)
        return backend->find_by_hwaddr(session, lease->hwaddr,
                                       lease->hwaddr_length, found, err);
    if (type == LEASE_TYPE_V4)
        return backend->find_by_client_id(session, lease->client_id,
                                          lease->client_id_length, found, err);
    return backend->find_by_duid(
        session, lease->client_id, lease->client_id_length, lease->iaid, type,
        by == LOOKUP_IN_SUBNET ? lease->subnet_id : LEASE_SUBNET_ANY, found,
        err);
}

#endif
