/* SPDX-License-Identifier: ISC */
/* What is in the store after the last exchange: load/exchanges.h. */
#include "load/exchange_steps.h"

/* Some of the clients, evenly spread over those that have a lease and the
   others. */
static enum exchange_end check_clients(struct exchange_worker *worker,
                                       uint64_t sample)
{
    const struct clients *const clients = &worker->clients;
    const uint64_t count = clients->count < sample ? clients->count : sample;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 0; k < count && end == EXCHANGE_DONE; k++) {
        const struct client *const client =
            &clients->all[(k + 1) * clients->count / count - 1];

        client_make_lease(client, &worker->all->generator, &worker->lease);
        end = exchange_read_back(worker, &worker->lease,
                                 client->state == CLIENT_GONE ? OUTCOME_MISS
                                                              : OUTCOME_HIT);
    }
    return end;
}

/* The same of the leases that the server handled by itself. */
static enum exchange_end check_reserves(struct exchange_worker *worker,
                                        uint64_t sample)
{
    const struct exchanges *const all = worker->all;
    const uint64_t reserves = all->reclaimed + all->expired;
    const uint64_t count = reserves < sample ? reserves : sample;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 0; k < count && end == EXCHANGE_DONE; k++) {
        const uint64_t number = (k + 1) * reserves / count - 1;
        struct lease *const lease = &worker->lease;

        if (number < all->reclaimed) {
            exchange_make_reclaimed(all, number, lease);
        } else {
            exchange_make_expired(all, number, lease);
            if (number < all->reclaimed + all->reclaims_done)
                exchange_reclaim(lease);
        }
        end = exchange_read_back(worker, lease,
                                 number < all->purges_done ? OUTCOME_MISS
                                                           : OUTCOME_HIT);
    }
    return end;
}

/* The leases that there ought to be. */
static uint64_t leases_due(const struct exchanges *all)
{
    uint64_t due = all->reclaimed + all->expired + all->config.load.preload -
                   all->purges_done;

    for (size_t w = 0; w < all->config.load.threads; w++)
        due += all->workers[w].added - all->workers[w].removed;
    return due;
}

static int add_due(struct lease_counts *due, const struct lease *lease)
{
    const struct lease_kind kind = { .subnet_id = lease->subnet_id,
                                     .pool_id = lease->pool_id,
                                     .type = lease->type,
                                     .state = lease->state };

    return lease_counts_add(due, &kind, 1);
}

/* Counts each lease that there ought to be.  Returns 0, or -1 if there is no
   memory. */
static int count_due(const struct exchanges *all, struct lease_counts *due)
{
    struct lease lease;

    for (uint64_t n = all->reclaimed + all->reclaims_done;
         n < all->reclaimed + all->expired; n++) {
        exchange_make_expired(all, n, &lease);
        if (add_due(due, &lease) != 0)
            return -1;
    }
    for (size_t w = 0; w < all->config.load.threads; w++) {
        const struct clients *const clients = &all->workers[w].clients;

        for (size_t k = 0; k < clients->count; k++) {
            client_make_lease(&clients->all[k], &all->generator, &lease);
            if (clients->all[k].state != CLIENT_GONE &&
                add_due(due, &lease) != 0)
                return -1;
        }
    }
    return 0;
}

static enum load_end check_counters(const struct exchanges *all,
                                    struct err *err)
{
    struct lease_counts due = { .used = 0 };
    enum load_end end = LOAD_FAILED;

    if (!all->config.load.counted)
        return LOAD_DONE;
    if (count_due(all, &due) == 0)
        end = load_check_counters(&all->config.load, all->backend,
                                  all->workers[0].session, &due,
                                  "after the run", err);
    else
        (void)err_set(err, "out of memory");
    lease_counts_release(&due);
    return end;
}

enum load_end exchanges_verify(struct exchanges *exchanges,
                               struct load_result *result, struct err *err)
{
    enum { SAMPLE = 1000 };
    const uint64_t threads = exchanges->config.load.threads;
    struct exchange_worker *const first = &exchanges->workers[0];
    const uint64_t due = leases_due(exchanges);
    uint64_t counted = 0;
    enum exchange_end end = EXCHANGE_DONE;

    if (exchanges->backend->count(first->session, &counted, err) != 0)
        return LOAD_FAILED;
    if (!exchanges->backend->keeps_leases)
        return LOAD_DONE;
    result->left = counted - due;
    for (size_t w = 0; w < threads; w++) {
        exchanges->workers[w].exchange = NULL;
        exchanges->workers[w].step = NULL;
    }
    if (counted != due)
        end = exchange_wrong_number(first, counted, due);
    for (size_t w = 0; w < threads && end == EXCHANGE_DONE; w++) {
        struct exchange_worker *const worker = &exchanges->workers[w];

        end = check_clients(worker, (SAMPLE + threads - 1) / threads);
        if (end == EXCHANGE_DONE && w == 0)
            end = check_reserves(worker, SAMPLE);
        if (end != EXCHANGE_DONE)
            *err = worker->err;
    }
    if (counted != due)
        *err = first->err;
    if (end == EXCHANGE_DONE)
        return check_counters(exchanges, err);
    return end == EXCHANGE_WRONG ? LOAD_WRONG : LOAD_FAILED;
}
