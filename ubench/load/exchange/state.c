/* SPDX-License-Identifier: ISC */
#include "load/exchange/state.h"

void exchange_make_expired(const struct exchanges *all, uint64_t number,
                           struct lease *lease)
{
    generator_make(&all->generator, number, 0, lease);
    lease->cltt_s =
        EXPIRED_S + (int64_t)(number - all->reclaimed) - lease->valid_s;
}

/* Kea has by then sent the changes of DNS, and forgets the name. */
void exchange_reclaim(struct lease *lease)
{
    lease->state = LEASE_STATE_RECLAIMED;
    lease->hostname_length = 0;
    lease->fqdn_fwd = false;
    lease->fqdn_rev = false;
}

void exchange_make_reclaimed(const struct exchanges *all, uint64_t number,
                             struct lease *lease)
{
    generator_make(&all->generator, number, 0, lease);
    lease->cltt_s = RECLAIMED_S + (int64_t)number - lease->valid_s;
    exchange_reclaim(lease);
}

uint64_t exchange_client_number(const struct exchanges *all, size_t worker,
                                uint64_t k)
{
    return all->reclaimed + all->expired + worker + k * all->config.threads;
}

bool exchange_is_reserved(const struct exchanges *all, uint64_t number)
{
    const uint64_t client = number - all->reclaimed - all->expired;

    return all->config.reservations > 0 && client < all->reserved.count &&
           permutation_at(&all->reserved, client) < all->config.reservations;
}
