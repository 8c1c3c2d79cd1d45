/* SPDX-License-Identifier: ISC */
#include "load/exchange/steps.h"

#include "load/exchange/questions.h"

/* Leases */

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

bool exchange_is_reserved(const struct exchanges *all, uint64_t number)
{
    const uint64_t client = number - all->reclaimed - all->expired;

    return all->config.reservations > 0 && client < all->reserved.count &&
           permutation_at(&all->reserved, client) < all->config.reservations;
}

/* Steps.  Each asks once or more, and says how it went. */

/* Looks up the lease of a client, which is as it should be. */
static enum exchange_end find(struct exchange_worker *worker,
                              enum step_action action,
                              const struct client *client,
                              const struct lease *lease, enum outcome expected)
{
    exchange_begin_question(worker);
    const enum outcome outcome = exchange_ask(worker, action, lease);
    const enum exchange_end end =
        exchange_end_question(worker, lease, outcome, expected);

    if (end == EXCHANGE_DONE && expected == OUTCOME_HIT &&
        worker->all->backend->keeps_leases &&
        !client_matches(client, &worker->all->generator, &worker->found)) {
        client_make_lease(client, &worker->all->generator, &worker->other);
        return exchange_wrong_lease(worker, &worker->other, &worker->found);
    }
    return end;
}

static enum exchange_end run_find(struct exchange_worker *worker)
{
    return find(worker, worker->step->action, &worker->client, &worker->lease,
                worker->step->expected);
}

/* The allocator's candidates: taken ones first, then the free one. */
static enum exchange_end run_probe(struct exchange_worker *worker)
{
    const struct exchanges *const all = worker->all;
    /* To whom an address is reserved no other one is offered. */
    const uint64_t probes = exchange_is_reserved(all, worker->client.number)
                                ? 1
                                : all->config.probes;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 1; k < probes && end == EXCHANGE_DONE; k++) {
        const uint64_t draw =
            random_at(all->probe_key, worker->number * all->config.probes + k);
        const struct client *const taken =
            &worker->clients
                 .all[random_below((uint32_t)draw, worker->clients.active)];

        worker->other.address =
            generator_address(&all->generator, taken->number);
        worker->other.type = worker->lease.type;
        end =
            find(worker, STEP_FIND_ADDRESS, taken, &worker->other, OUTCOME_HIT);
    }
    if (end == EXCHANGE_DONE)
        end = find(worker, STEP_FIND_ADDRESS, &worker->client, &worker->lease,
                   OUTCOME_MISS);
    return end;
}

static enum exchange_end find_reservation(struct exchange_worker *worker,
                                          const struct reservation_key *key,
                                          enum outcome expected)
{
    const struct lease *const lease = &worker->lease;
    const struct backend *const backend = worker->all->backend;
    struct lease_address found;

    enum outcome outcome;

    exchange_begin_question(worker);
    do {
        outcome = backend->find_reservation(worker->session, key, &found,
                                            &worker->err);
    } while (outcome == OUTCOME_ERROR && exchange_reconnect(worker));
    const enum exchange_end end =
        exchange_end_question(worker, lease, outcome, expected);

    if (end != EXCHANGE_DONE || expected == OUTCOME_MISS ||
        !backend->keeps_leases || found.low == lease->address.low)
        return end;
    return exchange_wrong_reservation(worker);
}

/* By one identifier after the other, until there is a reservation. */
static enum exchange_end run_find_reservation(struct exchange_worker *worker)
{
    const struct lease *const lease = &worker->lease;
    const bool reserved =
        exchange_is_reserved(worker->all, worker->client.number);
    const struct reservation_key by_hwaddr = { RESERVATION_BY_HWADDR,
                                               lease->subnet_id, lease->hwaddr,
                                               lease->hwaddr_length };
    const struct reservation_key by_client_id = { RESERVATION_BY_CLIENT_ID,
                                                  lease->subnet_id,
                                                  lease->client_id,
                                                  lease->client_id_length };
    const enum exchange_end end = find_reservation(
        worker, &by_hwaddr, reserved ? OUTCOME_HIT : OUTCOME_MISS);

    return end != EXCHANGE_DONE || reserved
               ? end
               : find_reservation(worker, &by_client_id, OUTCOME_MISS);
}

static enum exchange_end run_create(struct exchange_worker *worker)
{
    const struct lease *const lease = &worker->lease;

    exchange_begin_question(worker);
    enum outcome outcome =
        worker->all->backend->create(worker->session, lease, &worker->err);
    if (outcome == OUTCOME_ERROR)
        outcome = exchange_settle(
            worker, &(const struct change){ .kind = CHANGE_CREATE,
                                            .lease = lease,
                                            .address = lease->address,
                                            .type = lease->type });
    const enum exchange_end end =
        exchange_end_question(worker, lease, outcome, OUTCOME_HIT);

    if (end != EXCHANGE_DONE)
        return end;
    if (clients_add(&worker->clients, worker->client.number) != 0) {
        (void)err_set(&worker->err, "out of memory");
        return EXCHANGE_FAILED;
    }
    worker->added++;
    return end;
}

/* Rewrites a lease that expires when the one before did. */
static enum exchange_end update(struct exchange_worker *worker,
                                const struct lease *before,
                                const struct lease *after)
{
    const int64_t expire_s = lease_expire_s(before);

    exchange_begin_question(worker);
    enum outcome outcome = worker->all->backend->update(worker->session, after,
                                                        expire_s, &worker->err);
    if (outcome == OUTCOME_ERROR)
        outcome = exchange_settle(
            worker, &(const struct change){ .kind = CHANGE_UPDATE,
                                            .lease = after,
                                            .address = after->address,
                                            .type = after->type,
                                            .expire_s = expire_s });
    return exchange_end_question(worker, after, outcome, OUTCOME_HIT);
}

static enum exchange_end run_renew(struct exchange_worker *worker)
{
    struct client renewed = worker->client;

    renewed.version++;
    client_make_lease(&renewed, &worker->all->generator, &worker->other);
    const enum exchange_end end =
        update(worker, &worker->lease, &worker->other);
    if (end == EXCHANGE_DONE)
        worker->clients.all[worker->picked] = renewed;
    return end;
}

/* The client loses its lease, and the row stays in another state. */
static enum exchange_end run_retire(struct exchange_worker *worker)
{
    struct client retired = worker->client;

    retired.state = worker->step->action == STEP_RELEASE ? CLIENT_RELEASED
                                                         : CLIENT_DECLINED;
    client_make_lease(&retired, &worker->all->generator, &worker->other);
    const enum exchange_end end =
        update(worker, &worker->lease, &worker->other);
    if (end == EXCHANGE_DONE)
        clients_retire(&worker->clients, worker->picked,
                       (enum client_state)retired.state);
    return end;
}

static enum exchange_end run_remove(struct exchange_worker *worker)
{
    const struct lease *const lease = &worker->lease;
    const int64_t expire_s = lease_expire_s(lease);

    exchange_begin_question(worker);
    enum outcome outcome = worker->all->backend->remove(
        worker->session, lease->address, expire_s, &worker->err);
    if (outcome == OUTCOME_ERROR)
        outcome = exchange_settle(
            worker, &(const struct change){ .kind = CHANGE_REMOVE,
                                            .address = lease->address,
                                            .type = lease->type,
                                            .expire_s = expire_s });
    const enum exchange_end end =
        exchange_end_question(worker, lease, outcome, OUTCOME_HIT);

    if (end == EXCHANGE_DONE) {
        clients_retire(&worker->clients, worker->picked, CLIENT_GONE);
        worker->removed++;
    }
    return end;
}

/* The leases that this cycle should find: one more than it takes, or what is
   left. */
static uint64_t expired_due(const struct exchanges *all)
{
    const uint64_t left = all->expired - all->reclaims_done;

    return left < RECLAIM_LEASES + 1 ? left : RECLAIM_LEASES + 1;
}

static enum exchange_end run_list_expired(struct exchange_worker *worker)
{
    struct exchanges *const all = worker->all;
    const uint64_t due = expired_due(all);
    const uint64_t first = all->reclaimed + all->reclaims_done;
    size_t count = 0;

    int status;

    exchange_begin_question(worker);
    do {
        status = all->backend->list_expired(
            worker->session, EXPIRED_S + (int64_t)(all->reclaims_done + due),
            RECLAIM_LEASES + 1, all->list, &count, &worker->err);
    } while (status != 0 && exchange_reconnect(worker));
    const enum exchange_end end = exchange_end_question(
        worker, &worker->lease, status == 0 ? OUTCOME_HIT : OUTCOME_ERROR,
        OUTCOME_HIT);
    if (end != EXCHANGE_DONE || !all->backend->keeps_leases)
        return end;
    if (count != due)
        return exchange_wrong_number(worker, count, due);
    for (size_t i = 0; i < count; i++) {
        exchange_make_expired(all, first + i, &worker->other);
        if (!lease_equal(&worker->other, &all->list[i]))
            return exchange_wrong_lease(worker, &worker->other, &all->list[i]);
    }
    return end;
}

/* Each lease on the list but the one that says that there are more. */
static enum exchange_end run_reclaim(struct exchange_worker *worker)
{
    struct exchanges *const all = worker->all;
    const uint64_t due = expired_due(all);
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t i = 0; i < due && i < RECLAIM_LEASES && end == EXCHANGE_DONE;
         i++) {
        exchange_make_expired(all, all->reclaimed + all->reclaims_done,
                              &worker->lease);
        worker->other = worker->lease;
        exchange_reclaim(&worker->other);
        end = update(worker, &worker->lease, &worker->other);
        all->reclaims_done += end == EXCHANGE_DONE;
    }
    return end;
}

/* One statement, so that it was done or not, and what was done finds nothing
   more to do. */
static int purge(struct exchange_worker *worker, uint64_t due, uint64_t *purged)
{
    struct exchanges *const all = worker->all;
    struct reconnect *const reconnect = all->config.reconnect;
    const int64_t before_s = RECLAIMED_S + (int64_t)(all->purges_done + due);
    int status = all->backend->purge_reclaimed(worker->session, before_s,
                                               purged, &worker->err);

    if (status == 0 || reconnect == NULL || !reconnect_is_loss(&worker->err))
        return status;
    reconnect_note_unknown(reconnect);
    while (status != 0 && exchange_reconnect(worker))
        status = all->backend->purge_reclaimed(worker->session, before_s,
                                               purged, &worker->err);
    if (status != 0)
        return status;
    reconnect_note_outcome(reconnect, *purged == 0);
    if (*purged == 0)
        *purged = due;
    return 0;
}

static enum exchange_end run_purge(struct exchange_worker *worker)
{
    struct exchanges *const all = worker->all;
    const uint64_t left = all->reclaimed - all->purges_done;
    const uint64_t due = left < PURGE_LEASES ? left : PURGE_LEASES;
    uint64_t purged = 0;

    exchange_begin_question(worker);
    const int status = purge(worker, due, &purged);
    const enum exchange_end end = exchange_end_question(
        worker, &worker->lease, status == 0 ? OUTCOME_HIT : OUTCOME_ERROR,
        OUTCOME_HIT);
    if (end != EXCHANGE_DONE)
        return end;
    if (purged != due && all->backend->keeps_leases)
        return exchange_wrong_number(worker, purged, due);
    all->purges_done += due;
    return end;
}

enum exchange_end exchange_run_step(struct exchange_worker *worker)
{
    static enum exchange_end (*const steps[])(struct exchange_worker *) = {
        [STEP_FIND_CLIENT_ID] = run_find,
        [STEP_FIND_HWADDR] = run_find,
        [STEP_FIND_DUID] = run_find,
        [STEP_FIND_IN_SUBNET] = run_find,
        [STEP_FIND_ADDRESS] = run_find,
        [STEP_PROBE] = run_probe,
        [STEP_FIND_RESERVATION] = run_find_reservation,
        [STEP_CREATE] = run_create,
        [STEP_RENEW] = run_renew,
        [STEP_RELEASE] = run_retire,
        [STEP_DECLINE] = run_retire,
        [STEP_REMOVE] = run_remove,
        [STEP_LIST_EXPIRED] = run_list_expired,
        [STEP_RECLAIM] = run_reclaim,
        [STEP_PURGE] = run_purge,
    };

    return steps[worker->step->action](worker);
}
