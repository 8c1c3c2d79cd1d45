/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <inttypes.h>

/* Around each question to the store. */

static void begin_question(struct worker *worker)
{
    if (worker->engine->config.latency)
        worker->asked_ns = clock_now_ns();
}

/* Compares the outcome; the address is for the error's text.  If the rest of
   the answer is right, too, count_answer follows. */
static enum load_end end_question(struct worker *worker, struct lease_address address,
                                  enum outcome outcome, enum outcome expected)
{
    if (worker->engine->config.latency)
        worker->took_ns = clock_now_ns() - worker->asked_ns;
    return worker_expect(worker, address, outcome, expected);
}

/* An answer that was right in all.  Returns LOAD_DONE. */
static enum load_end count_answer(struct worker *worker, enum outcome expected)
{
    struct step_result *const step = worker->step_result;

    if (worker->engine->config.latency) {
        histogram_record(&step->latency, worker->took_ns);
        worker->store_ns += worker->took_ns;
    }
    step->hits += expected == OUTCOME_HIT;
    step->misses += expected == OUTCOME_MISS;
    worker->asked += expected == OUTCOME_HIT ? 1 << 16 : 1;
    worker->answered++;
    return LOAD_DONE;
}

/* Changes a lease, which expired at expire_s before. */
static enum load_end change(struct worker *worker, enum change change, const struct lease *lease,
                            int64_t expire_s)
{
    begin_question(worker);
    const enum outcome outcome = worker_change(worker, change, lease, expire_s);
    const enum load_end end = end_question(worker, lease->address, outcome, OUTCOME_HIT);

    return end == LOAD_DONE ? count_answer(worker, OUTCOME_HIT) : end;
}

/* A question about many leases: are there as many as there should be? */
static enum load_end end_list(struct worker *worker, int status, uint64_t found, uint64_t expected)
{
    const enum load_end end = end_question(worker, worker->lease.address,
                                           status == 0 ? OUTCOME_HIT : OUTCOME_ERROR, OUTCOME_HIT);

    return end != LOAD_DONE || found == expected || !worker->backend->keeps_leases
               ? end
               : worker_wrong(worker,
                              "gave %" PRIu64 " leases where a correct store "
                              "gives %" PRIu64,
                              found, expected);
}

/* Steps */

/* True if an active client's lease is as a correct store has it: what
   client_make_lease would make. */
static bool matches(const struct worker *worker, const struct client *client,
                    const struct lease *lease)
{
    struct lease first = *lease;

    first.cltt_s -= (int64_t)client->version * (lease->valid_s / 2);
    return generator_matches(&worker->engine->generator, client->number, 0, &first);
}

/* Looks for a client's lease, and compares it. */
static enum load_end find(struct worker *worker, enum lookup by, const struct client *client,
                          const struct lease *lease, enum outcome expected)
{
    begin_question(worker);
    const enum outcome outcome = worker_find(worker, by, lease);
    const enum load_end end = end_question(worker, lease->address, outcome, expected);

    if (end != LOAD_DONE)
        return end;
    if (expected != OUTCOME_HIT || !worker->backend->keeps_leases ||
        matches(worker, client, &worker->found))
        return count_answer(worker, expected);
    client_make_lease(worker, client, &worker->other);
    return worker_wrong_lease(worker, &worker->other, &worker->found);
}

static enum load_end run_find(struct worker *worker)
{
    return find(worker, step_kinds[worker->step->action].by, &worker->client, &worker->lease,
                worker->step->expected);
}

/* The k-th candidate of the worker's exchange that is taken. */
static const struct client *candidate(const struct worker *worker, uint64_t k)
{
    const struct exchanges *const all = all_of(worker);
    const struct clients *const clients = &worker->clients;

    if (worker->taken != NULL)
        return &worker->taken[k];
    const uint64_t draw = random_at(
        all->candidate_key, worker->exchange_number * all->engine.config.candidates + 1 + k);
    return &clients->all[random_below((uint32_t)draw, clients->active)];
}

/* True if the worker's client has a reservation: of its lease's address. */
static bool is_reserved(const struct worker *worker)
{
    const struct exchanges *const all = all_of(worker);
    const uint64_t client = worker->client.number - all->own;

    return all->engine.config.reservations > 0 && client < all->reserved.count &&
           permutation_at(&all->reserved, client) < all->engine.config.reservations;
}

/* The allocator's candidates: taken ones first, whose leases are other
   clients', then the free one. */
static enum load_end run_check_candidates(struct worker *worker)
{
    /* A reserved address is the only candidate of its client. */
    const uint64_t count = worker->taken != NULL ? worker->taken_count
                           : is_reserved(worker) ? 0
                                                 : worker->engine->config.candidates - 1;
    enum load_end end = LOAD_DONE;

    for (uint64_t k = worker->answered; k < count + !worker->refused && end == LOAD_DONE; k++) {
        const bool taken = k < count;
        const struct client *const client = taken ? candidate(worker, k) : &worker->client;

        if (taken && progress_stopped(worker->progress))
            return LOAD_INTERRUPTED;
        worker->other.address = generator_address(&worker->engine->generator, client->number);
        worker->other.type = worker->lease.type;
        end = find(worker, LOOKUP_ADDRESS, client, &worker->other,
                   taken ? OUTCOME_HIT : OUTCOME_MISS);
    }
    return end;
}

static enum load_end find_reservation(struct worker *worker, const struct reservation_key *key,
                                      enum outcome expected)
{
    const struct backend *const backend = worker->backend;
    struct lease_address found;
    enum outcome outcome;

    begin_question(worker);
    do {
        outcome = backend->find_reservation(worker->session, key, &found, &worker->err);
    } while (outcome == OUTCOME_ERROR && worker_reopen(worker));
    const enum load_end end = end_question(worker, worker->lease.address, outcome, expected);

    if (end != LOAD_DONE)
        return end;
    if (expected == OUTCOME_HIT && backend->keeps_leases && found.low != worker->lease.address.low)
        return worker_wrong(worker, "gave another client's address");
    return count_answer(worker, expected);
}

/* By one identifier after the other, until there is a reservation. */
static enum load_end run_find_reservation(struct worker *worker)
{
    const struct lease *const lease = &worker->lease;
    const bool reserved = is_reserved(worker);
    const struct reservation_key keys[] = {
        { RESERVATION_BY_HWADDR, lease->subnet_id, lease->hwaddr, lease->hwaddr_length },
        { RESERVATION_BY_CLIENT_ID, lease->subnet_id, lease->client_id, lease->client_id_length },
    };
    enum load_end end = LOAD_DONE;

    for (uint64_t k = worker->answered; k < (reserved ? 1 : 2) && end == LOAD_DONE; k++)
        end = find_reservation(worker, &keys[k], reserved ? OUTCOME_HIT : OUTCOME_MISS);
    return end;
}

/* Keeps the client as a change has left it, for other exchanges and for the steps that follow. */
static enum load_end keep_client(struct worker *worker, const struct step_kind *kind,
                                 const struct client *after)
{
    struct clients *const clients = &worker->clients;

    if (kind->change == CHANGE_CREATE) {
        if (clients_add(clients, after->number, &worker->err) != 0)
            return LOAD_FAILED;
        worker->picked = clients->active - 1;
        worker->added++;
    } else if (kind->leaves == CLIENT_ACTIVE) {
        clients->all[worker->picked] = *after;
    } else {
        clients_retire(clients, worker->picked, kind->leaves);
    }
    if (kind->change == CHANGE_UPDATE && worker->step[1].action != STEP_END) {
        worker->client = *after;
        worker->lease = worker->other;
    }
    return LOAD_DONE;
}

/* Creates the client's lease, deletes it, or rewrites it as that of the client
   as it is to be: renewed, or without the lease, whose row stays in another
   state. */
static enum load_end run_change(struct worker *worker)
{
    const struct step_kind *const kind = &step_kinds[worker->step->action];
    struct client after = worker->client;
    const struct lease *lease = &worker->lease;

    if (kind->change == CHANGE_UPDATE) {
        after.version = (uint16_t)(after.version + (kind->leaves == CLIENT_ACTIVE));
        after.state = (uint8_t)kind->leaves;
        client_make_lease(worker, &after, &worker->other);
        lease = &worker->other;
    }
    const enum load_end end = change(worker, kind->change, lease, lease_expire_s(&worker->lease));

    return end == LOAD_DONE ? keep_client(worker, kind, &after) : end;
}

/* Not of a young lease: its age is uniform up to that at a renewal. */
static enum load_end run_renew(struct worker *worker)
{
    const uint64_t draw = random_at(all_of(worker)->age_key, worker->exchange_number);
    const double age = worker->exchange->any_time ? (double)(draw >> 32) / 0x1p33 : 0.5;

    return age < worker->engine->config.cache_threshold ? LOAD_DONE : run_change(worker);
}

/* The leases that this cycle should find: one more than it takes, or what is
   left. */
static uint64_t expired_due(const struct exchanges *all)
{
    const uint64_t left = all->own - all->reclaimed - all->reclaims_done;

    return left < RECLAIM_LEASES + 1 ? left : RECLAIM_LEASES + 1;
}

static enum load_end run_list_expired(struct worker *worker)
{
    struct exchanges *const all = all_of(worker);
    const uint64_t due = expired_due(all);
    const uint64_t first = all->reclaimed + all->reclaims_done;
    size_t count = 0;
    int status;

    begin_question(worker);
    do {
        status = worker->backend->list_expired(worker->session,
                                               EXPIRED_S + (int64_t)(all->reclaims_done + due),
                                               RECLAIM_LEASES + 1, all->list, &count, &worker->err);
    } while (status != 0 && worker_reopen(worker));
    const enum load_end end = end_list(worker, status, count, due);
    if (end != LOAD_DONE)
        return end;
    for (size_t i = 0; i < count; i++) {
        exchange_make_preloaded(worker->engine, first + i, &worker->other);
        if (!lease_equal(&worker->other, &all->list[i]))
            return worker_wrong_lease(worker, &worker->other, &all->list[i]);
    }
    return count_answer(worker, OUTCOME_HIT);
}

/* Each lease on the list but the one that says that there are more. */
static enum load_end run_reclaim(struct worker *worker)
{
    struct exchanges *const all = all_of(worker);
    const uint64_t due = worker->answered + expired_due(all);
    enum load_end end = LOAD_DONE;

    for (uint64_t i = worker->answered; i < due && i < RECLAIM_LEASES && end == LOAD_DONE; i++) {
        exchange_make_preloaded(worker->engine, all->reclaimed + all->reclaims_done,
                                &worker->other);
        const int64_t expire_s = lease_expire_s(&worker->other);
        exchange_reclaim(&worker->other);
        end = change(worker, CHANGE_UPDATE, &worker->other, expire_s);
        all->reclaims_done += end == LOAD_DONE;
    }
    return end;
}

/* One statement, so that it was done or not, and what was done finds nothing
   more to do. */
static enum load_end run_purge(struct worker *worker)
{
    struct exchanges *const all = all_of(worker);
    struct reconnect *const reconnect = worker->reconnect;
    const uint64_t left = all->reclaimed - all->purges_done;
    const uint64_t due = left < PURGE_LEASES ? left : PURGE_LEASES;
    const int64_t before_s = RECLAIMED_S + (int64_t)(all->purges_done + due);
    bool in_doubt = false;
    uint64_t purged = 0;
    int status;

    begin_question(worker);
    do {
        status = worker->backend->purge_reclaimed(worker->session, before_s, &purged, &worker->err);
        if (status != 0 && reconnect != NULL && !in_doubt)
            in_doubt = reconnect_in_doubt(reconnect, &worker->err);
    } while (status != 0 && worker_reopen(worker));
    if (in_doubt && status == 0) {
        reconnect_settle(reconnect, purged == 0);
        purged = purged == 0 ? due : purged;
    }
    const enum load_end end = end_list(worker, status, purged, due);
    if (end != LOAD_DONE)
        return end;
    all->purges_done += due;
    return count_answer(worker, OUTCOME_HIT);
}

const struct step_kind step_kinds[] = {
    [STEP_FIND_CLIENT_ID] = { "find_by_client_id", run_find, .by = LOOKUP_CLIENT_ID },
    [STEP_FIND_HWADDR] = { "find_by_hwaddr", run_find, .by = LOOKUP_HWADDR },
    [STEP_FIND_DUID] = { "find_by_duid", run_find, .by = LOOKUP_CLIENT_ID },
    [STEP_FIND_IN_SUBNET] = { "find_by_duid", run_find, .by = LOOKUP_IN_SUBNET },
    [STEP_FIND_ADDRESS] = { "find_by_address", run_find, .by = LOOKUP_ADDRESS },
    [STEP_CHECK_CANDIDATES] = { "find_by_address", run_check_candidates, .changes = false },
    [STEP_FIND_RESERVATION] = { "find_reservation", run_find_reservation, .changes = false },
    [STEP_CREATE] = { "create", run_change, true, .change = CHANGE_CREATE },
    [STEP_RENEW] = { "update", run_renew, true, .change = CHANGE_UPDATE },
    [STEP_RELEASE] = { "update", run_change, true, .change = CHANGE_UPDATE,
                       .leaves = CLIENT_RELEASED },
    [STEP_DECLINE] = { "update", run_change, true, .change = CHANGE_UPDATE,
                       .leaves = CLIENT_DECLINED },
    [STEP_REMOVE] = { "remove", run_change, true, .change = CHANGE_DELETE, .leaves = CLIENT_GONE },
    [STEP_LIST_EXPIRED] = { "list_expired", run_list_expired, .changes = false },
    [STEP_RECLAIM] = { "update", run_reclaim, .changes = true },
    [STEP_PURGE] = { "purge_reclaimed", run_purge, .changes = true },
};

enum load_end exchange_run(struct worker *worker)
{
    struct tally *const tally = worker->tally;
    enum load_end end = LOAD_DONE;

    worker->asked = 0;
    worker->store_ns = 0;
    worker->step_result = tally->steps;
    for (worker->step = worker->exchange->steps;
         worker->step->action != STEP_END && end == LOAD_DONE;
         worker->step++, worker->step_result++) {
        const struct step_kind *const kind = &step_kinds[worker->step->action];

        worker->doing = worker->step->name;
        worker->caught_up = false;
        worker->answered = 0;
        /* After a stale answer a step goes on with the same question. */
        end = kind->run(worker);
        while (worker_was_stale(worker, &end)) {
            tally->counts.stale++;
            end = kind->run(worker);
        }
        if (worker->refused && worker->step->action == STEP_CHECK_CANDIDATES)
            break;
    }
    return end;
}
