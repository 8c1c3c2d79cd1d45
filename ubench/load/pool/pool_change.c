/* SPDX-License-Identifier: ISC */
#include "load/pool/pool_change.h"

#include "load/pool/pool.h"

static struct shared_pool *pool_of(const struct exchange_state *state)
{
    return exchanges_of(state->worker)->pool;
}

/* Returns true if it is known whether a change was done, after an error that it was not. */
static bool is_settled(enum load_end end, const struct err *err)
{
    return end == LOAD_DONE || err->kind == ERR_DEADLOCK || err->kind == ERR_CONFLICT;
}

/* Otherwise the run ends, and until then others may find the lease. */
void pool_end_claim(struct exchange_state *state, enum load_end end)
{
    if (is_settled(end, &state->worker->err))
        pool_drop_claim(pool_of(state), state->worker->index);
}

void pool_pick_client(struct exchange_state *state)
{
    struct client now;

    state->place = state->client.number;
    if (occupant_client(pool_occupant(pool_of(state), state->place), &now))
        state->client.number = now.number;
}

void pool_begin_change(struct exchange_state *state, const struct client *after)
{
    struct shared_pool *const pool = pool_of(state);

    pool_claim(pool, state->worker->index, state->place, state->client.number);
    state->seen = pool_occupy(pool, state->place, after);
}

void pool_end_change(struct exchange_state *state, enum load_end end)
{
    struct shared_pool *const pool = pool_of(state);
    struct client before;

    if (end != LOAD_DONE && is_settled(end, &state->worker->err) &&
        occupant_client(state->seen, &before))
        (void)pool_occupy(pool, state->place, &before);
    pool_end_claim(state, end);
}
