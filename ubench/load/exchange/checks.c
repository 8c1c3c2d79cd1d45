/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include "load/exchange/state.h"

/* Reads a lease by its address and compares it, or that it is not there. */
static enum load_end read_back(struct exchange_worker *worker, bool there)
{
    struct handle *const handle = &worker->handle;
    const enum outcome expected = there ? OUTCOME_HIT : OUTCOME_MISS;
    const enum outcome outcome =
        handle_find(handle, LOOKUP_ADDRESS, &worker->lease, &worker->found);

    if (outcome != expected)
        return handle_wrong_outcome(handle, worker->lease.address, outcome,
                                    expected);
    handle_acknowledge(handle);
    if (there && !lease_equal(&worker->lease, &worker->found))
        return handle_wrong_lease(handle, &worker->lease, &worker->found);
    return LOAD_DONE;
}

/* Some of the clients, evenly spread over those that have a lease and the
   others. */
static enum load_end check_clients(struct exchange_worker *worker,
                                   uint64_t sample)
{
    const struct clients *const clients = &worker->clients;
    const uint64_t count = clients->count < sample ? clients->count : sample;
    enum load_end end = LOAD_DONE;

    for (uint64_t k = 0; k < count && end == LOAD_DONE; k++) {
        const struct client *const client =
            &clients->all[(k + 1) * clients->count / count - 1];

        client_make_lease(client, &worker->all->generator, &worker->lease);
        end = read_back(worker, client->state != CLIENT_GONE);
    }
    return end;
}

/* The same of the leases that the server handled by itself. */
static enum load_end check_reserves(struct exchange_worker *worker,
                                    uint64_t sample)
{
    const struct exchanges *const all = worker->all;
    const uint64_t reserves = all->reclaimed + all->expired;
    const uint64_t count = reserves < sample ? reserves : sample;
    enum load_end end = LOAD_DONE;

    for (uint64_t k = 0; k < count && end == LOAD_DONE; k++) {
        const uint64_t number = (k + 1) * reserves / count - 1;
        struct lease *const lease = &worker->lease;

        if (number < all->reclaimed) {
            exchange_make_reclaimed(all, number, lease);
        } else {
            exchange_make_expired(all, number, lease);
            if (number < all->reclaimed + all->reclaims_done)
                exchange_reclaim(lease);
        }
        end = read_back(worker, number >= all->purges_done);
    }
    return end;
}

/* The leases that there ought to be, when all parts have done their work.
   False if one of them is not coming. */
static bool leases_due(const struct exchanges *all, uint64_t *due)
{
    int64_t gained = 0;

    for (size_t w = 0; w < load_threads(&all->config); w++)
        gained += (int64_t)(all->workers[w].added - all->workers[w].removed);
    if (!meeting_wait(all->context.meeting, gained, &gained))
        return false;
    *due = all->reclaimed + all->expired + all->config.preload -
           all->purges_done + (uint64_t)gained;
    return true;
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
    for (size_t w = 0; w < load_threads(&all->config); w++) {
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

static enum load_end check_counters(struct exchange_worker *worker)
{
    struct lease_counts due = { .used = 0 };
    enum load_end end;

    if (!worker->all->config.counted)
        return LOAD_DONE;
    end = count_due(worker->all, &due) == 0
              ? handle_check_counters(&worker->handle, &due, "after the run")
              : handle_no_memory(&worker->handle);
    lease_counts_release(&due);
    return end;
}

enum load_end exchanges_check_after(struct exchanges *all,
                                    struct load_result *result, struct err *err)
{
    enum { SAMPLE = 1000 };
    const uint64_t threads = load_threads(&all->config);
    struct exchange_worker *worker = &all->workers[0];
    uint64_t due;

    for (size_t w = 0; w < threads; w++) {
        all->workers[w].handle.what = "after the run";
        all->workers[w].handle.step = "reading back";
    }
    if (!leases_due(all, &due))
        return LOAD_INTERRUPTED;
    enum load_end end = handle_catch_up(&worker->handle);
    if (end == LOAD_DONE)
        end = handle_check_count(&worker->handle, due, "after the run", result);
    if (end == LOAD_DONE && !all->context.backend->keeps_leases)
        return LOAD_DONE;
    if (end == LOAD_DONE)
        end = check_reserves(worker, SAMPLE);
    for (size_t w = 0; w < threads && end == LOAD_DONE; w++) {
        worker = &all->workers[w];
        end = check_clients(worker, (SAMPLE + threads - 1) / threads);
    }
    if (end == LOAD_DONE)
        end = check_counters(worker);
    if (end != LOAD_DONE)
        *err = worker->handle.err;
    return end;
}
