/* SPDX-License-Identifier: ISC */
#include "load/exchange/steps.h"

#include <inttypes.h>

#include "load/exchange/question.h"
#include "load/pool/pool.h"
#include "load/pool/pool_change.h"

/* Changes a lease whose expiry time before was expire_s. */
static enum load_end change(struct exchange_state *state, enum change change,
                            const struct lease *lease, int64_t expire_s)
{
    struct worker *const worker = state->worker;

    question_begin(state);
    const enum outcome outcome = worker_change(worker, change, lease, expire_s);
    const enum load_end end = question_expect(state, lease->address, outcome, OUTCOME_HIT);

    return end == LOAD_DONE ? question_count(state, OUTCOME_HIT) : end;
}

/* Ends a question about many leases: compares their number with the expected one. */
static enum load_end end_list(struct exchange_state *state, int status, uint64_t found,
                              uint64_t expected)
{
    struct worker *const worker = state->worker;
    const enum load_end end = question_expect(
        state, worker->lease.address, status == 0 ? OUTCOME_HIT : OUTCOME_ERROR, OUTCOME_HIT);

    return end != LOAD_DONE || found == expected || !worker->backend->keeps_leases
               ? end
               : worker_wrong(worker,
                              "gave %" PRIu64 " leases where a correct store "
                              "gives %" PRIu64,
                              found, expected);
}

/* Steps */

/* Returns true if lease is the client's as a correct store has it, as client_make_lease would
   make it. */
static bool matches(const struct exchange_state *state, const struct client *client,
                    const struct lease *lease)
{
    const struct worker *const worker = state->worker;
    struct lease first = *lease;

    if (client->state != CLIENT_ACTIVE || exchanges_of(worker)->pool != NULL) {
        exchange_make_lease(state, client, &first);
        return lease_equal(&first, lease);
    }
    first.cltt_s -= (int64_t)client->version * (lease->valid_s / 2);
    return generator_matches(&worker->engine->generator, client->number, 0, &first);
}

/* inline: most questions are searches, and find asks nearly all of them. */
static inline enum load_end check_search(struct exchange_state *state, const struct client *client,
                                         const struct lease *lease, const struct lease *found,
                                         enum outcome outcome, enum outcome expected)
{
    struct worker *const worker = state->worker;
    const enum load_end end = worker_expect(worker, lease->address, outcome, expected);

    if (end != LOAD_DONE)
        return end;
    if (expected != OUTCOME_HIT || !worker->backend->keeps_leases || matches(state, client, found))
        return question_count(state, expected);
    exchange_make_lease(state, client, &state->other);
    return worker_wrong_lease(worker, &state->other, found);
}

enum load_end step_check_search(struct exchange_state *state, const struct client *client,
                                const struct lease *lease, const struct lease *found,
                                enum outcome outcome, enum outcome expected)
{
    return check_search(state, client, lease, found, outcome, expected);
}

/* Searches for a client's lease and compares it. */
static enum load_end find(struct exchange_state *state, enum lookup by, const struct client *client,
                          const struct lease *lease, enum outcome expected)
{
    struct worker *const worker = state->worker;

    question_begin(state);
    const enum outcome outcome = worker_find(worker, by, lease);
    question_answered(state);
    return check_search(state, client, lease, &worker->found, outcome, expected);
}

static enum load_end run_find(struct exchange_state *state)
{
    struct worker *const worker = state->worker;

    return find(state, step_kinds[state->step->action].by, &state->client, &worker->lease,
                state->step->expected);
}

/* Looks up the allocator's candidates: taken ones, whose leases belong to other clients, then
   the free one, if any. */
static enum load_end run_check_candidates(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    candidate_source *const next = exchanges_of(worker)->candidates;
    const struct client *client;
    enum candidate candidate = CANDIDATE_TAKEN;
    enum load_end end = LOAD_DONE;

    while (candidate == CANDIDATE_TAKEN && end == LOAD_DONE) {
        client = &state->client;
        candidate = next(state, state->answered, &client);
        if (candidate == CANDIDATE_TAKEN && progress_stopped(worker->progress))
            return LOAD_INTERRUPTED;
        state->other.address = generator_address(&worker->engine->generator, client->number);
        state->other.type = worker->lease.type;
        end = find(state, LOOKUP_ADDRESS, client, &state->other,
                   candidate == CANDIDATE_TAKEN ? OUTCOME_HIT : OUTCOME_MISS);
    }
    return end;
}

static enum load_end find_reservation(struct exchange_state *state,
                                      const struct reservation_key *key, enum outcome expected)
{
    struct worker *const worker = state->worker;
    const struct backend *const backend = worker->backend;
    struct lease_address found;
    enum outcome outcome;

    question_begin(state);
    do {
        outcome = backend->find_reservation(worker->session, key, &found, &worker->err);
    } while (outcome == OUTCOME_ERROR && worker_reopen(worker));
    const enum load_end end = question_expect(state, worker->lease.address, outcome, expected);

    if (end != LOAD_DONE)
        return end;
    if (expected == OUTCOME_HIT && backend->keeps_leases && found.low != worker->lease.address.low)
        return worker_wrong(worker, "gave another client's address");
    return question_count(state, expected);
}

/* Looks up the reservation by one identifier after another until one has it. */
static enum load_end run_find_reservation(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    const struct lease *const lease = &worker->lease;
    const bool reserved = exchange_is_reserved(state);
    const struct reservation_key keys[] = {
        { RESERVATION_BY_HWADDR, lease->subnet_id, lease->hwaddr, lease->hwaddr_length },
        { RESERVATION_BY_CLIENT_ID, lease->subnet_id, lease->client_id, lease->client_id_length },
    };
    enum load_end end = LOAD_DONE;

    for (uint64_t k = state->answered; k < (reserved ? 1 : 2) && end == LOAD_DONE; k++)
        end = find_reservation(state, &keys[k], reserved ? OUTCOME_HIT : OUTCOME_MISS);
    return end;
}

/* Returns the change of the state's client that a step of that kind makes, before it is made. */
static struct client_change before_change(const struct exchange_state *state,
                                          const struct step_kind *kind)
{
    if (kind->change == CHANGE_CREATE)
        return (struct client_change){ .kind = CLIENT_ADDED };
    return (struct client_change){
        .kind = kind->leaves == CLIENT_ACTIVE ? CLIENT_CHANGED : CLIENT_RETIRED,
        .index = state->picked,
        .before = state->clients.all[state->picked],
    };
}

/* Records the client's state after a change, for other exchanges and for the steps that
   follow. */
static enum load_end keep_client(struct exchange_state *state, const struct step_kind *kind,
                                 const struct client *after)
{
    struct worker *const worker = state->worker;
    struct clients *const clients = &state->clients;
    struct client kept = *after;

    if (state->batch.open) {
        const struct client_change change = before_change(state, kind);

        if (batch_note(&state->batch, &change, &worker->err) != 0)
            return LOAD_FAILED;
    }
    if (exchanges_of(worker)->pool != NULL)
        kept.number = (uint32_t)state->place;
    if (clients->fixed) {
        clients->all[state->picked] = kept;
        clients->all[state->picked].state = (uint8_t)kind->leaves;
    } else if (kind->change == CHANGE_CREATE) {
        if (clients_add(clients, kept.number, &worker->err) != 0)
            return LOAD_FAILED;
        state->picked = clients->active - 1;
        state->next_new++;
    } else if (kind->leaves == CLIENT_ACTIVE) {
        clients->all[state->picked] = kept;
    } else {
        clients_retire(clients, state->picked, kind->leaves);
    }
    if (kind->change == CHANGE_UPDATE && state->step[1].action != STEP_END) {
        state->client = *after;
        worker->lease = state->other;
    }
    return LOAD_DONE;
}

const struct lease *step_make_change(struct exchange_state *state, struct client *after)
{
    struct worker *const worker = state->worker;
    const struct step_kind *const kind = &step_kinds[state->step->action];

    *after = state->client;
    if (kind->change != CHANGE_UPDATE)
        return &worker->lease;
    after->version = (uint16_t)(after->version + (kind->leaves == CLIENT_ACTIVE));
    after->state = (uint8_t)kind->leaves;
    exchange_make_lease(state, after, &state->other);
    return &state->other;
}

/* Changes a lease as change does.  In a shared pool, claims its address meanwhile, and makes after
   the occupant of the address; NULL: nobody is. */
static enum load_end change_claimed(struct exchange_state *state, enum change what,
                                    const struct lease *lease, int64_t expire_s,
                                    const struct client *after)
{
    if (exchanges_of(state->worker)->pool == NULL)
        return change(state, what, lease, expire_s);
    pool_begin_change(state, after);
    const enum load_end end = change(state, what, lease, expire_s);
    pool_end_change(state, end);
    return end;
}

/* Creates the client's lease, deletes it, or updates it: renewed, or ended, with its row in
   another state. */
static enum load_end run_change(struct exchange_state *state)
{
    const struct step_kind *const kind = &step_kinds[state->step->action];
    struct client after;
    const struct lease *const lease = step_make_change(state, &after);
    const int64_t expire_s = lease_expire_s(&state->worker->lease);
    const enum load_end end = change_claimed(state, kind->change, lease, expire_s,
                                             kind->leaves != CLIENT_GONE ? &after : NULL);

    return end == LOAD_DONE ? keep_client(state, kind, &after) : end;
}

enum load_end step_check_change(struct exchange_state *state, const struct lease *lease,
                                const struct client *after, enum outcome outcome)
{
    enum load_end end = worker_expect(state->worker, lease->address, outcome, OUTCOME_HIT);

    if (end == LOAD_DONE)
        end = question_count(state, OUTCOME_HIT);
    return end == LOAD_DONE ? keep_client(state, &step_kinds[state->step->action], after) : end;
}

/* Renews unless the lease is young: its age is uniform up to that of a renewal. */
static enum load_end run_renew(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    const uint64_t draw = random_at(exchanges_of(state->worker)->age_key, state->number);
    const double age = state->exchange->any_time ? (double)(draw >> 32) / 0x1p33 : 0.5;

    return age < worker->engine->config.cache_threshold ? LOAD_DONE : run_change(state);
}

/* Returns the number of leases that this cycle should find: one more than it takes, or what is
   left. */
static uint64_t expired_due(const struct exchanges *all)
{
    const uint64_t left = all->own - all->reclaimed - all->reclaims_done;

    return left < RECLAIM_LEASES + 1 ? left : RECLAIM_LEASES + 1;
}

static enum load_end run_list_expired(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    struct exchanges *const all = exchanges_of(state->worker);
    const uint64_t due = expired_due(all);
    const uint64_t first = all->reclaimed + all->reclaims_done;
    size_t count = 0;
    int status;

    question_begin(state);
    do {
        status = worker->backend->list_expired(worker->session,
                                               EXPIRED_S + (int64_t)(all->reclaims_done + due),
                                               RECLAIM_LEASES + 1, all->list, &count, &worker->err);
    } while (status != 0 && worker_reopen(worker));
    const enum load_end end = end_list(state, status, count, due);
    if (end != LOAD_DONE)
        return end;
    for (size_t i = 0; i < count; i++) {
        exchange_make_preloaded(worker->engine, first + i, &state->other);
        if (!lease_equal(&state->other, &all->list[i]))
            return worker_wrong_lease(worker, &state->other, &all->list[i]);
    }
    return question_count(state, OUTCOME_HIT);
}

/* Reclaims each lease on the list except the last one if it only says that more are left. */
static enum load_end run_reclaim(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    struct exchanges *const all = exchanges_of(state->worker);
    const uint64_t due = state->answered + expired_due(all);
    enum load_end end = LOAD_DONE;

    for (uint64_t i = state->answered; i < due && i < RECLAIM_LEASES && end == LOAD_DONE; i++) {
        const uint64_t number = all->reclaimed + all->reclaims_done;
        const struct client after = { .number = (uint32_t)number, .state = CLIENT_EXPIRED };

        exchange_make_preloaded(worker->engine, number, &state->other);
        const int64_t expire_s = lease_expire_s(&state->other);
        exchange_reclaim(&state->other);
        if (all->pool != NULL) {
            state->client = after;
            state->place = pool_own_place(all->pool, number);
        }
        end = change_claimed(state, CHANGE_UPDATE, &state->other, expire_s, &after);
        all->reclaims_done += end == LOAD_DONE;
    }
    return end;
}

/* Purges by one statement, which is done or not: if it was done before, it now finds
   nothing. */
static enum load_end run_purge(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    struct exchanges *const all = exchanges_of(state->worker);
    struct reconnect *const reconnect = worker->reconnect;
    const uint64_t left = all->reclaimed - all->purges_done;
    const uint64_t due = left < PURGE_LEASES ? left : PURGE_LEASES;
    const int64_t before_s = RECLAIMED_S + (int64_t)(all->purges_done + due);
    bool in_doubt = false;
    uint64_t purged = 0;
    int status;

    question_begin(state);
    do {
        status = worker->backend->purge_reclaimed(worker->session, before_s, &purged, &worker->err);
        if (status != 0 && reconnect != NULL && !in_doubt)
            in_doubt = reconnect_in_doubt(reconnect, &worker->err);
    } while (status != 0 && worker_reopen(worker));
    if (in_doubt && status == 0) {
        reconnect_settle(reconnect, purged == 0);
        purged = purged == 0 ? due : purged;
    }
    const enum load_end end = end_list(state, status, purged, due);
    if (end != LOAD_DONE)
        return end;
    all->purges_done += due;
    return question_count(state, OUTCOME_HIT);
}

const struct step_kind step_kinds[] = {
    [STEP_FIND_CLIENT_ID] = { "find_by_client_id", run_find, .phase = "search",
                              .by = LOOKUP_CLIENT_ID },
    [STEP_FIND_HWADDR] = { "find_by_hwaddr", run_find, .phase = "search", .by = LOOKUP_HWADDR },
    [STEP_FIND_DUID] = { "find_by_duid", run_find, .phase = "search", .by = LOOKUP_CLIENT_ID },
    [STEP_FIND_IN_SUBNET] = { "find_by_duid", run_find, .phase = "search", .by = LOOKUP_IN_SUBNET },
    [STEP_FIND_ADDRESS] = { "find_by_address", run_find, .phase = "search", .by = LOOKUP_ADDRESS },
    [STEP_CHECK_CANDIDATES] = { "find_by_address", run_check_candidates, .phase = "search" },
    [STEP_FIND_RESERVATION] = { "find_reservation", run_find_reservation, .phase = "search" },
    [STEP_CREATE] = { "create", run_change, true, .phase = "create", .change = CHANGE_CREATE },
    [STEP_RENEW] = { "update", run_renew, true, .phase = "update", .change = CHANGE_UPDATE },
    [STEP_RELEASE] = { "update", run_change, true, .phase = "update", .change = CHANGE_UPDATE,
                       .leaves = CLIENT_RELEASED },
    [STEP_DECLINE] = { "update", run_change, true, .phase = "update", .change = CHANGE_UPDATE,
                       .leaves = CLIENT_DECLINED },
    [STEP_EXPIRE] = { "update", run_change, true, .phase = "update", .change = CHANGE_UPDATE,
                      .leaves = CLIENT_EXPIRED },
    [STEP_REMOVE] = { "remove", run_change, true, .phase = "delete", .change = CHANGE_DELETE,
                      .leaves = CLIENT_GONE },
    [STEP_LIST_EXPIRED] = { "list_expired", run_list_expired, .phase = "search" },
    [STEP_RECLAIM] = { "update", run_reclaim, true, .phase = "update" },
    [STEP_PICK] = { "pick_free", .changes = true }, /* run: pool_steps.c */
    [STEP_PURGE] = { "purge_reclaimed", run_purge, .changes = true },
};

void exchange_steps_init(struct exchanges *all)
{
    const struct mix *const mix = &all->engine.config.mix;

    for (size_t action = 0; action < STEP_ACTIONS; action++)
        all->run[action] = step_kinds[action].run;
    for (size_t k = 0; k < mix->count; k++) {
        const struct exchange *const exchange = &mix->kinds[k].exchange;
        struct tally_kind *const kind = &all->tally_kinds[k];

        *kind = (struct tally_kind){ .steps = all->steps[k] };
        if (all->engine.kind->together)
            kind->name = exchange->name;
        for (const struct step *s = exchange->steps; s->action != STEP_END; s++)
            all->steps[k][kind->step_count++] = (struct step_result){
                .name = s->name,
                .operation = step_kinds[s->action].operation,
                .changes = step_kinds[s->action].changes,
            };
    }
    all->engine.tally_kinds = all->tally_kinds;
    all->engine.tallies = mix->count;
}

void exchange_begin(struct exchange_state *state)
{
    state->answers[OUTCOME_MISS] = state->answers[OUTCOME_HIT] = 0;
    state->denial = DENIAL_NONE;
    state->step = state->exchange->steps;
    state->step_result = state->worker->tally->counts.steps;
}

enum load_end exchange_run(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    const struct exchanges *const all = exchanges_of(worker);
    enum load_end end = LOAD_DONE;

    exchange_begin(state);
    for (; state->step->action != STEP_END && end == LOAD_DONE && state->denial == DENIAL_NONE;
         state->step++, state->step_result++) {
        step_run *const run = all->run[state->step->action];

        worker->doing = state->step->name;
        worker->caught_up = false;
        state->answered = 0;
        /* After a stale answer the step continues with the same question. */
        end = run(state);
        while (worker_was_stale(worker, &end)) {
            worker->tally->counts.stale++;
            end = run(state);
        }
    }
    return end;
}
