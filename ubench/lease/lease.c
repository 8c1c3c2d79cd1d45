/* SPDX-License-Identifier: ISC */
#include "lease/lease.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stddef.h>
#include <string.h>

const char *lease_difference(const struct lease *a, const struct lease *b)
{
    if (!lease_address_equal(a->address, b->address))
        return "address";
    if (a->type != b->type)
        return "lease_type";
    if (a->hwaddr_length != b->hwaddr_length || memcmp(a->hwaddr, b->hwaddr, a->hwaddr_length) != 0)
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
    if (a->type == LEASE_TYPE_V4)
        return NULL;
    if (a->iaid != b->iaid)
        return "iaid";
    if (a->preferred_s != b->preferred_s)
        return "pref_lifetime";
    return a->prefix_length == b->prefix_length ? NULL : "prefix_len";
}

char *lease_address_text(char text[LEASE_ADDRESS_TEXT_SIZE], struct lease_address address,
                         enum lease_type type)
{
    const uint32_t v4 = htobe32((uint32_t)address.low);
    const uint64_t v6[2] = { htobe64(address.high), htobe64(address.low) };

    if (type == LEASE_TYPE_V4)
        (void)inet_ntop(AF_INET, &v4, text, LEASE_ADDRESS_TEXT_SIZE);
    else
        (void)inet_ntop(AF_INET6, v6, text, LEASE_ADDRESS_TEXT_SIZE);
    return text;
}
