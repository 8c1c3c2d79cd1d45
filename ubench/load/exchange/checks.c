/* SPDX-License-Identifier: ISC */
/* What is in the store after the last exchange: load/exchanges.h. */
#include "load/exchange/questions.h"

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

static enum load_end compare_counters(struct exchange_worker *worker,
                                      const struct lease_counts *due)
{
    const struct exchanges *const all = worker->all;
    enum load_end end;

    while ((end = load_check_counters(&all->config.load, all->backend,
                                      worker->session, due, "after the run",
                                      &worker->err)) == LOAD_FAILED) {
        if (!exchange_reconnect(worker))
            return exchange_load_end(exchange_failed(worker));
    }
    if (end == LOAD_DONE)
        exchange_acknowledge(worker);
    return end;
}

static enum load_end check_counters(struct exchange_worker *worker)
{
    struct lease_counts due = { .used = 0 };
    enum load_end end = LOAD_FAILED;

    if (!worker->all->config.load.counted)
        return LOAD_DONE;
    if (count_due(worker->all, &due) == 0)
        end = compare_counters(worker, &due);
    else
        (void)err_set(&worker->err, "out of memory");
    lease_counts_release(&due);
    return end;
}

static enum exchange_end check_count(struct exchange_worker *worker,
                                     struct load_result *result)
{
    const struct backend *const backend = worker->all->backend;
    const uint64_t due = leases_due(worker->all);
    uint64_t counted = 0;

    while (backend->count(worker->session, &counted, &worker->err) != 0) {
        if (!exchange_reconnect(worker))
            return exchange_failed(worker);
    }
    exchange_acknowledge(worker);
    if (!backend->keeps_leases)
        return EXCHANGE_DONE;
    result->left = counted - due;
    return counted == due ? EXCHANGE_DONE
                          : exchange_wrong_number(worker, counted, due);
}

enum load_end exchanges_verify(struct exchanges *exchanges,
                               struct load_result *result, struct err *err)
{
    enum { SAMPLE = 1000 };
    const uint64_t threads = exchanges->config.load.threads;
    struct exchange_worker *worker = &exchanges->workers[0];

    for (size_t w = 0; w < threads; w++) {
        exchanges->workers[w].exchange = NULL;
        exchanges->workers[w].step = NULL;
    }
    enum exchange_end end = check_count(worker, result);
    if (end == EXCHANGE_DONE && !exchanges->backend->keeps_leases)
        return LOAD_DONE;
    if (end == EXCHANGE_DONE)
        end = check_reserves(worker, SAMPLE);
    for (size_t w = 0; w < threads && end == EXCHANGE_DONE; w++) {
        worker = &exchanges->workers[w];
        end = check_clients(worker, (SAMPLE + threads - 1) / threads);
    }
    const enum load_end load_end =
        end == EXCHANGE_DONE ? check_counters(worker) : exchange_load_end(end);
    if (load_end != LOAD_DONE)
        *err = worker->err;
    return load_end;
}
