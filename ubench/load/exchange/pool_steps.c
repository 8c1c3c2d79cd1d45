/* SPDX-License-Identifier: ISC */
#include "load/exchange/pool_steps.h"

#include "load/exchange/pool.h"
#include "load/exchange/question.h"

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

/* Returns true if a lease is that of a client, at a place of the pool. */
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

/* True if the lease that was found is of the client that holds the place, or of one that claims
   it.  A claim that was there when the store answered is there still, or its client is the holder
   by now. */
static bool is_known(const struct exchange_state *state, uint64_t place)
{
    const struct shared_pool *const pool = pool_of(state);
    const struct lease *const found = &state->worker->found;
    bool known = is_of(state, pool_holder(pool, place), place, found);

    for (size_t i = 0; i < pool->workers && !known; i++)
        known = is_of(state, pool_claimant(pool, i, place), place, found);
    return known || is_of(state, pool_holder(pool, place), place, found);
}

/* Returns true if another client has the place or is being given it. */
static bool is_taken(const struct exchange_state *state, uint64_t place)
{
    const struct shared_pool *const pool = pool_of(state);
    bool taken = pool_holder(pool, place) != POOL_NOBODY;

    for (size_t i = 0; i < pool->workers && !taken; i++)
        taken = i != state->worker->index && pool_claimant(pool, i, place) != POOL_NOBODY;
    return taken || pool_holder(pool, place) != POOL_NOBODY;
}

static enum load_end wrong_lease(struct exchange_state *state, uint64_t place)
{
    struct worker *const worker = state->worker;
    const uint64_t holder = pool_holder(pool_of(state), place);
    char text[LEASE_ADDRESS_TEXT_SIZE];

    if (holder == POOL_NOBODY)
        return worker_wrong(worker, "%s returned a lease that no client was given",
                            lease_address_text(text, state->other.address, worker->type));
    generator_make(&worker->engine->generator, holder, 0, &state->other);
    state->other.address = generator_address(&worker->engine->generator, place);
    return worker_wrong_lease(worker, &state->other, &worker->found);
}

/* Searches for a lease at a place; *outcome becomes the answer of the store. */
static enum load_end look_up(struct exchange_state *state, uint64_t place, enum outcome *outcome)
{
    struct worker *const worker = state->worker;
    const bool keeps_leases = worker->backend->keeps_leases;
    const bool taken = pool_holder(pool_of(state), place) != POOL_NOBODY;

    state->other.address = generator_address(&worker->engine->generator, place);
    state->other.type = worker->lease.type;
    question_begin(state);
    *outcome = worker_find(worker, LOOKUP_ADDRESS, &state->other);
    if (!keeps_leases && *outcome != OUTCOME_ERROR)
        *outcome = taken ? OUTCOME_HIT : OUTCOME_MISS;
    const enum outcome expected = taken || *outcome == OUTCOME_HIT ? OUTCOME_HIT : OUTCOME_MISS;
    const enum load_end end = question_expect(state, state->other.address, *outcome, expected);

    if (end != LOAD_DONE)
        return end;
    if (*outcome == OUTCOME_HIT && keeps_leases && !is_known(state, place))
        return wrong_lease(state, place);
    return question_count(state, *outcome);
}

/* A client that another one's offer meets is the address's holder before its own is withdrawn. */
static void offer(struct exchange_state *state, uint64_t place)
{
    struct shared_pool *const pool = pool_of(state);
    struct allocation_counts *const counts = counts_of(state);

    state->place = place;
    state->offered = true;
    state->worker->lease.address = state->other.address;
    counts->offered++;
    counts->offered_twice +=
        atomic_fetch_add(&pool->offers[place], 1) > 0 || pool_holder(pool, place) != POOL_NOBODY;
}

void pool_withdraw_offer(struct exchange_state *state)
{
    if (state->offered)
        (void)atomic_fetch_sub(&pool_of(state)->offers[state->place], 1);
    state->offered = false;
}

/* STEP_PICK, which is before STEP_CHECK_CANDIDATES: the store picks the first candidate; or the
   client is refused. */
static enum load_end pick(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    const struct shared_pool *const pool = pool_of(state);
    const struct lease_address first = worker->engine->generator.base;
    struct lease_address picked = { 0 };
    enum outcome outcome;

    question_begin(state);
    do {
        outcome =
            worker->backend->pick_free(worker->session, first, pool->size, &picked, &worker->err);
    } while (outcome == OUTCOME_ERROR && worker_reopen(worker));
    const enum load_end end = question_expect(state, first, outcome,
                                              outcome == OUTCOME_MISS ? OUTCOME_MISS : OUTCOME_HIT);
    if (end != LOAD_DONE)
        return end;
    state->place = outcome == OUTCOME_HIT ? picked.low - first.low : ALLOCATOR_NO_CANDIDATE;
    if (outcome == OUTCOME_MISS)
        state->denial = DENIAL_REFUSED;
    if (outcome == OUTCOME_HIT && state->place >= pool->size)
        return worker_wrong(worker, "gave an address that is not in the pool");
    return question_count(state, outcome);
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

/* STEP_CHECK_CANDIDATES: until one is free, which is offered; or the client is refused.  As Kea's
   allocateUnreservedLease4: as often as the pool has addresses; an address that another thread of
   the server is looking up counts as one.  After a stale answer, from the next candidate on. */
static enum load_end check_candidates(struct exchange_state *state)
{
    struct pool_server *const server = server_of(state);
    const uint64_t most = pool_of(state)->size;
    enum outcome outcome = OUTCOME_HIT;
    enum load_end end = LOAD_DONE;
    uint64_t place = 0;

    for (uint64_t i = 0; i < most && outcome == OUTCOME_HIT && end == LOAD_DONE; i++) {
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
        offer(state, place);
    return end;
}

/* Counts that another client has the address. */
static void lose_offer(struct exchange_state *state)
{
    state->denial = DENIAL_LOST;
    counts_of(state)->lost++;
}

/* STEP_FIND_ADDRESS of the offered address: if another client has it now, the offer is lost. */
static enum load_end find_offered(struct exchange_state *state)
{
    enum outcome outcome;
    const enum load_end end = look_up(state, state->place, &outcome);

    if (end == LOAD_DONE && outcome == OUTCOME_HIT)
        lose_offer(state);
    return end;
}

/* The answer of a node that is behind another does not explain it. */
static enum load_end given_twice(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    char text[LEASE_ADDRESS_TEXT_SIZE];

    worker->caught_up = true;
    return worker_wrong(worker, "%s was given to two clients",
                        lease_address_text(text, worker->lease.address, worker->type));
}

/* The store says that it has the lease.  One that keeps none does not know that it is taken: then
 *lost becomes true. */
static enum load_end keep_lease(struct exchange_state *state, bool *lost)
{
    struct worker *const worker = state->worker;

    if (!pool_give(pool_of(state), server_of(state), state->place, state->client.number)) {
        *lost = !worker->backend->keeps_leases;
        return *lost ? LOAD_DONE : given_twice(state);
    }
    if (clients_add(&state->clients, (uint32_t)state->place, &worker->err) != 0)
        return LOAD_FAILED;
    state->next_new++;
    return LOAD_DONE;
}

/* Returns true if it is known whether a change was done, after an error that it was not. */
static bool is_settled(enum outcome outcome, const struct err *err)
{
    return outcome != OUTCOME_ERROR || err->kind == ERR_DEADLOCK || err->kind == ERR_CONFLICT;
}

/* STEP_CREATE: if the address is taken, the offer is lost. */
static enum load_end create(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    struct shared_pool *const pool = pool_of(state);

    pool_claim(pool, worker->index, state->place, state->client.number);
    question_begin(state);
    const enum outcome outcome = worker_change(worker, CHANGE_CREATE, &worker->lease, 0);
    question_answered(state);
    bool lost = outcome == OUTCOME_MISS && is_taken(state, state->place);
    enum load_end end =
        worker_expect(worker, worker->lease.address, outcome, lost ? OUTCOME_MISS : OUTCOME_HIT);
    if (end == LOAD_DONE && !lost)
        end = keep_lease(state, &lost);
    /* Else the run ends, and until then others may find the lease. */
    if (is_settled(outcome, &worker->err))
        pool_drop_claim(pool, worker->index);
    if (end != LOAD_DONE)
        return end;
    if (lost) {
        lose_offer(state);
        counts_of(state)->lost_on_insert++;
    }
    return question_count(state, lost ? OUTCOME_MISS : OUTCOME_HIT);
}

void pool_steps_init(struct exchanges *all)
{
    all->run[STEP_PICK] = pick;
    all->run[STEP_CHECK_CANDIDATES] = check_candidates;
    all->run[STEP_FIND_ADDRESS] = find_offered;
    all->run[STEP_CREATE] = create;
}
