/* SPDX-License-Identifier: ISC */
#include "lease/lease.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool lease_equal(const struct lease *a, const struct lease *b)
{
    return lease_difference(a, b) == NULL;
}

const char *lease_difference(const struct lease *a, const struct lease *b)
{
    if (a->address != b->address)
        return "address";
    if (a->hwaddr_length != b->hwaddr_length ||
        memcmp(a->hwaddr, b->hwaddr, a->hwaddr_length) != 0)
        return "hwaddr";
    if (a->client_id_length != b->client_id_length ||
        memcmp(a->client_id, b->client_id, a->client_id_length) != 0)
        return "client_id";
    if (a->valid_s != b->valid_s)
        return "valid_lifetime";
    if (a->cltt_s != b->cltt_s)
        return "cltt";
    if (a->subnet_id != b->subnet_id)
        return "subnet_id";
    if (a->pool_id != b->pool_id)
        return "pool_id";
    if (a->state != b->state)
        return "state";
    if (a->fqdn_fwd != b->fqdn_fwd)
        return "fqdn_fwd";
    if (a->fqdn_rev != b->fqdn_rev)
        return "fqdn_rev";
    if (a->hostname_length != b->hostname_length ||
        memcmp(a->hostname, b->hostname, a->hostname_length) != 0)
        return "hostname";
    return NULL;
}

char *lease_address_text(char text[static LEASE_ADDRESS_TEXT_SIZE],
                         uint32_t address)
{
    (void)snprintf(text, LEASE_ADDRESS_TEXT_SIZE, "%u.%u.%u.%u", address >> 24,
                   (address >> 16) & 255, (address >> 8) & 255, address & 255);
    return text;
}
