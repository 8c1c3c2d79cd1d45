/* SPDX-License-Identifier: ISC */
/* Every way in which one lease can differ from another by one field. */
#ifndef UBENCH_TESTS_LIB_LEASE_FIELDS_H
#define UBENCH_TESTS_LIB_LEASE_FIELDS_H

#include "lease/lease.h"

enum { LEASE_CHANGES = 14, LEASE_V6_CHANGES = 18 };

/* Makes change number 0..LEASE_CHANGES-1, or of a v6 lease
   0..LEASE_V6_CHANGES-1, and returns the field's name as lease_difference gives
   it.  Leases need two bytes of each text. */
static inline const char *lease_change(struct lease *lease, int change)
{
    switch (change) {
    case 0:
        lease->address.low++;
        return "address";
    case 1:
        lease->hwaddr[lease->hwaddr_length - 1]++;
        return "hwaddr";
    case 2:
        lease->hwaddr_length--;
        return "hwaddr";
    case 3:
        lease->client_id[0]++;
        return "client_id";
    case 4:
        lease->client_id_length--;
        return "client_id";
    case 5:
        lease->valid_s++;
        return "valid_lifetime";
    case 6:
        lease->cltt_s--;
        return "cltt";
    case 7:
        lease->subnet_id += 0x10000;
        return "subnet_id";
    case 8:
        lease->pool_id++;
        return "pool_id";
    case 9:
        lease->state = LEASE_STATE_DECLINED;
        return "state";
    case 10:
        lease->fqdn_fwd = !lease->fqdn_fwd;
        return "fqdn_fwd";
    case 11:
        lease->fqdn_rev = !lease->fqdn_rev;
        return "fqdn_rev";
    case 12:
        lease->hostname[0] = (char)(lease->hostname[0] ^ 0x20);
        return "hostname";
    case 13:
        lease->hostname_length--;
        return "hostname";
    case 14:
        lease->type = lease->type == LEASE_TYPE_NA ? LEASE_TYPE_PD : LEASE_TYPE_NA;
        return "lease_type";
    case 15:
        lease->iaid++;
        return "iaid";
    case 16:
        lease->preferred_s--;
        return "pref_lifetime";
    default:
        lease->prefix_length--;
        return "prefix_len";
    }
}

#endif
