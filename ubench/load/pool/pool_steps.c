/* SPDX-License-Identifier: ISC */
#include "load/pool/pool_steps.h"

#include "load/exchange/question.h"
#include "load/exchange/steps.h"
#include "load/pool/pool.h"
#include "load/pool/pool_change.h"

static struct shared_pool *pool_of(const struct exchange_state *state)
{
    return exchanges_of(state->worker)->pool;
}

static struct pool_server *server_of(const struct exchange_state *state)
{
    return pool_server_of(pool_of(state), state->worker->index);
}

static struct allocation_counts *counts_of(const struct exchange_state *state)
{
    return &state->worker->tally->counts.allocation;
}

/* Returns true if a lease is that of a client, as it was created, at a place of the pool. */
static bool is_of(const struct exchange_state *state, uint64_t client, uint64_t place,
                  const struct lease *lease)
{
    const struct generator *const generator = &state->worker->engine->generator;
    struct lease moved = *lease;

    if (client == POOL_NOBODY || moved.address.high != generator->base.high ||
        moved.address.low != generator_address(generator, place).low)
        return false;
    moved.address = generator_address(generator, client);
    return generator_matches(generator, client, 0, &moved);
}

/* Returns true if a lease is that of the occupant of a place. */
static bool is_of_occupant(const struct exchange_state *state, occupant now, uint64_t place,
                           const struct lease *lease)
{
    const struct engine *const engine = state->worker->engine;
    struct client client;
    struct lease whole;

    if (!occupant_client(now, &client))
        return false;
    if (client.state == CLIENT_ACTIVE && client.version == 0 &&
        client.number >= exchanges_of(state->worker)->own)
        return is_of(state, client.number, place, lease);
    pool_make_lease(engine, place, now, &whole);
    return lease_equal(&whole, lease);
}

/* With several ranks: notes whose lease was found; returns true if it is a new client's of another
   rank. */
static bool is_of_elsewhere(const struct exchange_state *state, uint64_t place,
                            const struct lease *found)
{
    const struct shared_pool *const pool = pool_of(state);
    const struct engine *const engine = state->worker->engine;
    const struct load_config *const config = &engine->config;
    const uint64_t client = generator_find(&engine->generator, found);

    if (load_ranks(config) == 1 || client < config->preload || client >= GENERATOR_LEASES_MAX ||
        client % config->threads / engine->threads == config->rank ||
        !is_of(state, client, place, found))
        return false;
    atomic_store(&pool->elsewhere[place], (uint32_t)client + 1);
    return true;
}

/* Returns true if the lease that was found is that of a client that may have the place: its
   occupant before or after the question, or a client for whom it is claimed.  If leases change
   during the load, it may also be that of an occupant in between, who was not noted. */
static bool is_known(const struct exchange_state *state, const struct lease *found)
{
    const struct shared_pool *const pool = pool_of(state);
    const uint64_t place = state->place;
    bool known = is_of_occupant(state, state->seen, place, found);

    for (size_t i = 0; i < pool->workers && !known; i++)
        known = is_of(state, pool_claimant(pool, i, place), place, found);
    return known || is_of_occupant(state, pool_occupant(pool, place), place, found) ||
           (!occupant_keeps(state->seen) && is_of_elsewhere(state, place, found)) ||
           (pool->gives_back && !state->settled);
}

static enum load_end wrong_lease(struct exchange_state *state, const struct lease *found)
{
    struct worker *const worker = state->worker;
    const occupant now = pool_occupant(pool_of(state), state->place);
    const struct lease_address address =
        generator_address(&worker->engine->generator, state->place);
    char text[LEASE_ADDRESS_TEXT_SIZE];

    if (!occupant_client(now, NULL))
        return worker_wrong(worker, "%s returned a lease that no client was given",
                            lease_address_text(text, address, worker->type));
    pool_make_lease(worker->engine, state->place, now, &state->other);
    return worker_wrong_lease(worker, &state->other, found);
}

/* Notes who has a place, before it is looked up.  pool.h says why in this order. */
static void note_occupant(struct exchange_state *state, uint64_t place)
{
    const struct shared_pool *const pool = pool_of(state);

    state->place = place;
    state->seen = pool_occupant(pool, place);
    state->settled = !pool_is_claimed(pool, state->worker->index, place);
}

/* Judges the answer to the look-up of a place, which was noted before; *outcome becomes HIT if its
   lease keeps the address from others. */
static enum load_end judge_look(struct exchange_state *state, enum outcome found,
                                const struct lease *lease, enum outcome *outcome)
{
    struct worker *const worker = state->worker;
    const struct shared_pool *const pool = pool_of(state);
    const uint64_t place = state->place;
    const bool keeps_leases = worker->backend->keeps_leases;
    const bool there = occupant_client(state->seen, NULL);

    state->settled = state->settled && !pool_is_claimed(pool, worker->index, place) &&
                     pool_occupant(pool, place) == state->seen;
    if (!keeps_leases && found != OUTCOME_ERROR)
        found = there ? OUTCOME_HIT : OUTCOME_MISS;
    const bool must_be = there && (state->settled || !pool->gives_back);
    const enum load_end end =
        worker_expect(worker, generator_address(&worker->engine->generator, place), found,
                      must_be || found == OUTCOME_HIT ? OUTCOME_HIT : OUTCOME_MISS);

    if (end != LOAD_DONE)
        return end;
    if (found == OUTCOME_HIT && keeps_leases && !is_known(state, lease))
        return wrong_lease(state, lease);
    state->reuses = found == OUTCOME_HIT && (keeps_leases ? lease->state == LEASE_STATE_RECLAIMED
                                                          : !occupant_keeps(state->seen));
    state->old_expire_s = state->reuses && keeps_leases ? lease_expire_s(lease) : 0;
    *outcome = state->reuses ? OUTCOME_MISS : found;
    return question_count(state, found);
}

/* Searches for a lease at a place, as judge_look has it. */
static enum load_end look_up(struct exchange_state *state, uint64_t place, enum outcome *outcome)
{
    struct worker *const worker = state->worker;

    note_occupant(state, place);
    state->other.address = generator_address(&worker->engine->generator, place);
    state->other.type = worker->lease.type;
    question_begin(state);
    const enum outcome found = worker_find(worker, LOOKUP_ADDRESS, &state->other);
    question_answered(state);
    return judge_look(state, found, &worker->found, outcome);
}

/* Offers the state's place to its client.  An offer is withdrawn only after its client has become
   the occupant, so that another client's offer meets one or the other. */
static void offer(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    struct shared_pool *const pool = pool_of(state);
    struct allocation_counts *const counts = counts_of(state);
    const uint64_t place = state->place;

    state->offered = true;
    worker->lease.address = generator_address(&worker->engine->generator, place);
    counts->offered++;
    state->offered_twice =
        atomic_fetch_add(&pool->offers[place], 1) > 0 || occupant_keeps(pool_occupant(pool, place));
    counts->offered_twice += state->offered_twice;
}

void pool_withdraw_offer(struct exchange_state *state)
{
    if (state->offered)
        (void)atomic_fetch_sub(&pool_of(state)->offers[state->place], 1);
    state->offered = false;
}

static enum load_end judge_pick(struct exchange_state *state, enum outcome outcome,
                                struct lease_address picked)
{
    struct worker *const worker = state->worker;
    const struct shared_pool *const pool = pool_of(state);
    const struct lease_address first = worker->engine->generator.base;
    const enum load_end end =
        worker_expect(worker, first, outcome, outcome == OUTCOME_MISS ? OUTCOME_MISS : OUTCOME_HIT);

    if (end != LOAD_DONE)
        return end;
    state->place = outcome == OUTCOME_HIT ? picked.low - first.low : ALLOCATOR_NO_CANDIDATE;
    if (outcome == OUTCOME_MISS)
        state->denial = DENIAL_REFUSED;
    if (outcome == OUTCOME_HIT && state->place >= pool->size)
        return worker_wrong(worker, "gave an address that is not in the pool");
    return question_count(state, outcome);
}

/* STEP_PICK, which is before STEP_CHECK_CANDIDATES: the store picks the first candidate; or the
   client is refused. */
static enum load_end pick(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    const struct lease_address first = worker->engine->generator.base;
    struct lease_address picked = { 0 };
    enum outcome outcome;

    question_begin(state);
    do {
        outcome = worker->backend->pick_free(worker->session, first, pool_of(state)->size, &picked,
                                             &worker->err);
    } while (outcome == OUTCOME_ERROR && worker_reopen(worker));
    question_answered(state);
    return judge_pick(state, outcome, picked);
}

/* Sets *place to candidate number i of a search; ALLOCATOR_NO_CANDIDATE: there is none. */
static enum load_end next_candidate(struct exchange_state *state, uint64_t i, uint64_t *place)
{
    enum load_end end = LOAD_DONE;

    if (!pool_of(state)->listed) {
        *place = pool_candidate(server_of(state));
        return LOAD_DONE;
    }
    /* The step before has picked the first one, and counts the others. */
    if (i > 0) {
        state->step_result--;
        end = pick(state);
        state->step_result++;
    }
    *place = state->place;
    return end;
}

/* Looks up candidates from number i on until one is free, which is offered.  As Kea's
   allocateUnreservedLease4: as often as the pool has addresses; an address that another thread of
   the server is looking up counts as one. */
static enum load_end look_up_from(struct exchange_state *state, uint64_t i)
{
    struct pool_server *const server = server_of(state);
    const uint64_t most = pool_of(state)->size;
    enum outcome outcome = OUTCOME_HIT;
    enum load_end end = LOAD_DONE;
    uint64_t place = 0;

    for (; i < most && outcome == OUTCOME_HIT && end == LOAD_DONE; i++) {
        if (progress_stopped(state->worker->progress))
            return LOAD_INTERRUPTED;
        end = next_candidate(state, i, &place);
        if (end != LOAD_DONE || place == ALLOCATOR_NO_CANDIDATE)
            break;
        if (!pool_begin_look(server, place))
            continue;
        end = look_up(state, place, &outcome);
        pool_end_look(server, place);
    }
    if (end == LOAD_DONE && outcome == OUTCOME_HIT)
        state->denial = DENIAL_REFUSED;
    else if (end == LOAD_DONE)
        offer(state);
    return end;
}

/* STEP_CHECK_CANDIDATES: looks up candidates until one is free, and offers that; refuses the client
   if none is.  After a stale answer, it continues with the next candidate. */
static enum load_end check_candidates(struct exchange_state *state)
{
    return look_up_from(state, 0);
}

/* Another client has the offered address.  If it is one of another rank, whose offers are not known
   here, the address was also offered twice. */
static void lose(struct exchange_state *state)
{
    struct allocation_counts *const counts = counts_of(state);

    state->denial = DENIAL_LOST;
    counts->lost++;
    counts->offered_twice +=
        load_ranks(&state->worker->engine->config) > 1 && !state->offered_twice;
}

/* STEP_FIND_ADDRESS of the offered address: if another client has it now, the offer is lost.  The
   address of a known client is searched for as without a pool. */
static enum load_end find_offered(struct exchange_state *state)
{
    enum outcome outcome;

    if (state->exchange->party != PARTY_NEW)
        return step_kinds[STEP_FIND_ADDRESS].run(state);
    const enum load_end end = look_up(state, state->place, &outcome);

    if (end == LOAD_DONE && outcome == OUTCOME_HIT)
        lose(state);
    return end;
}

/* A node that lags behind others does not explain this, so the answer is not stale. */
static enum load_end given_twice(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    char text[LEASE_ADDRESS_TEXT_SIZE];

    worker->caught_up = true;
    return worker_wrong(worker, "%s was given to two clients",
                        lease_address_text(text, worker->lease.address, worker->type));
}

/* Makes the client the occupant, after the store has acknowledged its lease.  *lost becomes true if
   another client is the occupant and the store cannot know it, as it keeps no leases. */
static enum load_end keep_lease(struct exchange_state *state, bool *lost)
{
    struct worker *const worker = state->worker;

    if (!pool_give(pool_of(state), server_of(state), state->place, &state->client)) {
        *lost = !worker->backend->keeps_leases;
        return *lost ? LOAD_DONE : given_twice(state);
    }
    if (clients_add(&state->clients, (uint32_t)state->place, &worker->err) != 0)
        return LOAD_FAILED;
    state->next_new++;
    return LOAD_DONE;
}

/* Returns true if another client may have the place, or may have had it since it was looked up. */
static bool may_be_taken(const struct exchange_state *state)
{
    struct shared_pool *const pool = pool_of(state);
    const bool claimed = pool_is_claimed(pool, state->worker->index, state->place);

    if (claimed || pool_occupant(pool, state->place) != state->seen)
        return true;
    if (load_ranks(&state->worker->engine->config) == 1)
        return false;
    uint32_t nobody = 0;
    (void)atomic_compare_exchange_strong(&pool->elsewhere[state->place], &nobody, POOL_SOMEBODY);
    return true;
}

/* Judges the answer to the change that gives the offered address to the client, who claims it. */
static enum load_end judge_create(struct exchange_state *state, enum outcome outcome)
{
    struct worker *const worker = state->worker;
    bool lost = outcome == OUTCOME_MISS && may_be_taken(state);
    enum load_end end =
        worker_expect(worker, worker->lease.address, outcome, lost ? OUTCOME_MISS : OUTCOME_HIT);

    if (end == LOAD_DONE && !lost)
        end = keep_lease(state, &lost);
    if (end != LOAD_DONE)
        return end;
    if (lost)
        lose(state);
    counts_of(state)->lost_on_insert += lost;
    return question_count(state, lost ? OUTCOME_MISS : OUTCOME_HIT);
}

/* STEP_CREATE: if the address is taken, the offer is lost.  A reclaimed lease is updated. */
static enum load_end create(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    const enum change change = state->reuses ? CHANGE_UPDATE : CHANGE_CREATE;

    pool_claim(pool_of(state), worker->index, state->place, state->client.number);
    question_begin(state);
    const enum outcome outcome = worker_change(worker, change, &worker->lease, state->old_expire_s);
    question_answered(state);
    const enum load_end end = judge_create(state, outcome);
    pool_end_claim(state, end);
    return end;
}

/* Several questions in a round trip.  The address to look up is not known when they are asked, if
   one of them picks it. */

void pool_put_question(struct exchange_state *state, struct question *question)
{
    struct worker *const worker = state->worker;
    const enum step_action action = state->step->action;

    if (action == STEP_PICK) {
        state->other.address = worker->engine->generator.base;
        question->kind = QUESTION_PICK;
        question->lease = &state->other;
        question->count = pool_of(state)->size;
    } else if (action == STEP_CHECK_CANDIDATES) {
        question->by = LOOKUP_ADDRESS;
    } else if (action == STEP_FIND_ADDRESS) {
        note_occupant(state, state->place);
    } else if (action == STEP_CREATE) {
        pool_claim(pool_of(state), worker->index, state->place, state->client.number);
        question->kind = QUESTION_CREATE;
    }
}

/* Judges the look-up of the picked address; if it is taken, the next candidates are looked up one
   by one. */
static enum load_end check_picked(struct exchange_state *state, const struct question *question)
{
    enum outcome outcome = OUTCOME_MISS;

    state->seen = 0;
    state->settled = false;
    enum load_end end = judge_look(state, question->outcome, question->found, &outcome);
    if (end != LOAD_DONE)
        return end;
    if (outcome == OUTCOME_MISS) {
        offer(state);
        return LOAD_DONE;
    }
    state->shares_trip = false;
    end = look_up_from(state, 1);
    state->worker->tally->counts.round_trips += state->answered - 1;
    return end;
}

/* Judges one of the look-ups of the offered address. */
static enum load_end check_offered(struct exchange_state *state, enum outcome found,
                                   const struct lease *lease)
{
    enum outcome outcome = OUTCOME_MISS;
    const enum load_end end = judge_look(state, found, lease, &outcome);

    if (end == LOAD_DONE && outcome == OUTCOME_HIT)
        lose(state);
    return end;
}

enum load_end pool_check_answer(struct exchange_state *state, const struct question *question)
{
    const enum step_action action = state->step->action;

    if (action == STEP_PICK)
        return judge_pick(state, question->outcome, question->found->address);
    if (action == STEP_CHECK_CANDIDATES)
        return check_picked(state, question);
    if (action == STEP_FIND_ADDRESS)
        return check_offered(state, question->outcome, question->found);
    if (action == STEP_CREATE)
        return judge_create(state, question->outcome);
    return step_check_search(state, &state->client, question->lease, question->found,
                             question->outcome, state->step->expected);
}

void pool_steps_init(struct exchanges *all)
{
    all->run[STEP_PICK] = pick;
    all->run[STEP_CHECK_CANDIDATES] = check_candidates;
    all->run[STEP_FIND_ADDRESS] = find_offered;
    all->run[STEP_CREATE] = create;
}
