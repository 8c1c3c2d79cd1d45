/* SPDX-License-Identifier: ISC */
#include "load/exchange/state.h"

#include <assert.h>
#include <stdlib.h>

#include "load/pool/pool.h"

/* Clients */

static void swap(struct clients *clients, size_t a, size_t b)
{
    const struct client kept = clients->all[a];

    clients->all[a] = clients->all[b];
    clients->all[b] = kept;
}

int clients_add(struct clients *clients, uint32_t number, struct err *err)
{
    if (clients->count == clients->capacity) {
        const size_t capacity = clients->capacity + clients->capacity / 2 + 1;
        struct client *const all = realloc(clients->all, capacity * sizeof *clients->all);

        if (all == NULL)
            return err_set(err, "out of memory");
        clients->all = all;
        clients->capacity = capacity;
    }
    clients->all[clients->count] = (struct client){ .number = number };
    swap(clients, clients->active++, clients->count++);
    return 0;
}

void clients_retire(struct clients *clients, size_t index, enum client_state state)
{
    assert(index < clients->active);
    clients->all[index].state = (uint8_t)state;
    swap(clients, index, --clients->active);
}

void clients_take_back(struct clients *clients, const struct client_change *change)
{
    if (change->kind == CLIENT_ADDED) {
        swap(clients, --clients->active, --clients->count);
        return;
    }
    if (change->kind == CLIENT_RETIRED)
        swap(clients, change->index, clients->active++);
    clients->all[change->index] = change->before;
}

void client_make_lease(const struct generator *generator, const struct client *client,
                       struct lease *lease)
{
    generator_make(generator, client->number, 0, lease);
    /* Each renewal comes after half the lifetime, which is the same for all clients of a
       profile. */
    lease->cltt_s += (int64_t)client->version * (lease->valid_s / 2);
    if (client->state == CLIENT_RELEASED) {
        lease->valid_s = 0;
        lease->preferred_s = 0;
        lease->state = LEASE_STATE_RELEASED;
    } else if (client->state == CLIENT_EXPIRED) {
        exchange_reclaim(lease);
    } else if (client->state == CLIENT_DECLINED) {
        lease->valid_s = DECLINE_PROBATION_S;
        lease->preferred_s = 0;
        lease->state = LEASE_STATE_DECLINED;
        lease->fqdn_fwd = false;
        lease->fqdn_rev = false;
        lease->hwaddr_length = 0;
        lease->hostname_length = 0;
        /* Kea's empty DUID is one zero. */
        lease->client_id[0] = 0;
        lease->client_id_length = lease->type != LEASE_TYPE_V4;
    }
}

/* Workers */

int batch_note(struct batch *batch, const struct client_change *change, struct err *err)
{
    if (batch->change_count == batch->change_capacity) {
        const size_t capacity = 2 * batch->change_capacity + BATCH_FIRST;
        struct client_change *const changes = realloc(batch->changes, capacity * sizeof *changes);

        if (changes == NULL)
            return err_set(err, "out of memory");
        batch->changes = changes;
        batch->change_capacity = capacity;
    }
    batch->changes[batch->change_count++] = *change;
    return 0;
}

void exchange_make_lease(const struct exchange_state *state, const struct client *client,
                         struct lease *lease)
{
    const struct exchanges *const all = exchanges_of(state->worker);

    client_make_lease(&all->engine.generator, client, lease);
    if (all->pool != NULL)
        lease->address = generator_address(&all->engine.generator, state->place);
}

bool exchange_is_reserved(const struct exchange_state *state)
{
    const struct exchanges *const all = exchanges_of(state->worker);
    const uint64_t client = state->client.number - all->own;

    return all->engine.config.reservations > 0 && client < all->reserved.count &&
           permutation_at(&all->reserved, client) < all->engine.config.reservations;
}

int exchange_states_init(struct exchanges *all)
{
    struct engine *const engine = &all->engine;

    all->states = err_calloc(engine->threads, sizeof *all->states, engine->err);
    for (size_t i = 0; all->states != NULL && i < engine->threads; i++)
        all->states[i] = (struct exchange_state){
            .worker = &engine->workers[i],
            .latency = engine->config.latency,
            .next_new = worker_share(&engine->workers[i], engine->config.preload),
        };
    return all->states != NULL ? 0 : -1;
}

void exchange_states_release(struct exchanges *all)
{
    for (size_t i = 0; all->states != NULL && i < all->engine.threads; i++) {
        free(all->states[i].clients.all);
        free(all->states[i].batch.parked);
        free(all->states[i].batch.changes);
        free(all->states[i].trip);
    }
    free(all->states);
}

/* Leases */

/* By then Kea has sent the DNS updates, and it removes the name. */
void exchange_reclaim(struct lease *lease)
{
    lease->state = LEASE_STATE_RECLAIMED;
    lease->hostname_length = 0;
    lease->fqdn_fwd = false;
    lease->fqdn_rev = false;
}

void exchange_make_preloaded(const struct engine *engine, uint64_t number, struct lease *lease)
{
    const struct exchanges *const all = (const struct exchanges *)engine;
    const bool reclaimed = number < all->reclaimed;
    const uint64_t since = reclaimed ? number : number - all->reclaimed;

    generator_make(&engine->generator, number, 0, lease);
    if (number >= all->own)
        return;
    if (all->pool != NULL)
        lease->address = generator_address(&engine->generator, pool_own_place(all->pool, number));
    lease->cltt_s = (reclaimed ? RECLAIMED_S : EXPIRED_S) + (int64_t)since - lease->valid_s;
    if (reclaimed)
        exchange_reclaim(lease);
}
