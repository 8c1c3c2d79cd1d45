/* SPDX-License-Identifier: ISC */
#include "load/pool/pool.h"

#include <assert.h>
#include <stdlib.h>

/* Each kind of random choice has a sequence of its own. */
enum sequence { SEQUENCE_ALLOCATOR = 201, SEQUENCE_OTHERS };

/* Returns the places in a truly random order: a permutation that only looks random leaves
   clumps, which the allocators would meet.  NULL with err if memory is short. */
static uint32_t *shuffle(uint64_t pool, uint64_t key, struct err *err)
{
    uint32_t *const order = err_calloc(pool, sizeof *order, err);

    for (uint32_t i = 0; order != NULL && i < pool; i++) {
        const uint64_t at = random_below((uint32_t)random_at(key, i), i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

/* Makes server i of all ranks.  Each has its own random order; iterative allocators all begin with
   the first address. */
static int make_server(struct pool_server *server, const struct load_config *config, size_t i,
                       struct err *err)
{
    (void)pthread_mutex_init(&server->lock, NULL);
    server->looked_at = err_calloc(config->pool.size, sizeof *server->looked_at, err);
    if (server->looked_at == NULL)
        return -1;
    return allocator_init(&server->allocator, config->pool.allocator, config->pool.size,
                          random_at(random_at(config->seed, SEQUENCE_ALLOCATOR), i), err);
}

static int make(struct shared_pool *pool, const struct load_config *config, struct err *err)
{
    const uint64_t ranks = load_ranks(config);
    const size_t servers = config->pool.servers > ranks ? config->pool.servers / ranks : 1;
    const size_t threads = load_threads(config);

    pool->size = config->pool.size;
    pool->workers = threads;
    pool->listed = allocator_free_list(config->pool.allocator) != FREE_LIST_NONE;
    pool->order = shuffle(config->pool.size, random_at(config->seed, SEQUENCE_OTHERS), err);
    pool->occupants = err_calloc(config->pool.size, sizeof *pool->occupants, err);
    pool->elsewhere = err_calloc(ranks > 1 ? config->pool.size : 1, sizeof *pool->elsewhere, err);
    pool->offers = err_calloc(config->pool.size, sizeof *pool->offers, err);
    pool->servers = err_calloc(servers, sizeof *pool->servers, err);
    pool->claims = aligned_alloc(_Alignof(struct pool_claim), threads * sizeof *pool->claims);
    if (pool->claims == NULL)
        return err_set(err, "out of memory");
    if (pool->order == NULL || pool->occupants == NULL || pool->elsewhere == NULL ||
        pool->offers == NULL || pool->servers == NULL)
        return -1;
    for (size_t i = 0; i < threads; i++)
        atomic_init(&pool->claims[i].packed, 0);
    while (pool->server_count < servers) {
        const size_t i = pool->server_count++;

        if (make_server(&pool->servers[i], config, config->rank * servers + i, err) != 0)
            return -1;
    }
    return 0;
}

struct shared_pool *pool_new(const struct load_config *config, struct err *err)
{
    struct shared_pool *const pool = err_calloc(1, sizeof *pool, err);

    if (pool != NULL && make(pool, config, err) != 0) {
        pool_free(pool);
        return NULL;
    }
    return pool;
}

void pool_free(struct shared_pool *pool)
{
    if (pool == NULL)
        return;
    for (size_t i = 0; i < pool->server_count; i++) {
        struct pool_server *const server = &pool->servers[i];

        (void)pthread_mutex_destroy(&server->lock);
        allocator_release(&server->allocator);
        free(server->looked_at);
    }
    free(pool->servers);
    free(pool->claims);
    free(pool->offers);
    free(pool->elsewhere);
    free(pool->occupants);
    free(pool->order);
    free(pool);
}

/* An occupant: the client's number + 1 (0: none), its version, its state, and how often that has
   changed, so that no occupant is taken for one that came back. */
enum {
    OCCUPANT_VERSION_SHIFT = 32,
    OCCUPANT_STATE_SHIFT = 48,
    OCCUPANT_CHANGES_SHIFT = 56,
};

bool occupant_client(occupant now, struct client *client)
{
    const uint32_t number = (uint32_t)now;

    if (number != 0 && client != NULL)
        *client = (struct client){
            .number = number - 1,
            .version = (uint16_t)(now >> OCCUPANT_VERSION_SHIFT),
            .state = (uint8_t)(now >> OCCUPANT_STATE_SHIFT),
        };
    return number != 0;
}

bool occupant_keeps(occupant now)
{
    struct client client;

    return occupant_client(now, &client) && client.state != CLIENT_EXPIRED;
}

void pool_make_lease(const struct engine *engine, uint64_t place, occupant now, struct lease *lease)
{
    const struct exchanges *const all = (const struct exchanges *)engine;
    struct client client = { .number = 0 };

    (void)occupant_client(now, &client);
    if (client.number >= all->own) {
        client_make_lease(&engine->generator, &client, lease);
    } else {
        exchange_make_preloaded(engine, client.number, lease);
        if (client.state == CLIENT_EXPIRED)
            exchange_reclaim(lease);
    }
    lease->address = generator_address(&engine->generator, place);
}

/* Returns the occupant after the one before. */
static occupant next_occupant(occupant before, const struct client *client)
{
    const occupant changes = ((before >> OCCUPANT_CHANGES_SHIFT) + 1) << OCCUPANT_CHANGES_SHIFT;

    if (client == NULL)
        return changes;
    assert(client->state != CLIENT_GONE);
    return changes | (occupant)client->state << OCCUPANT_STATE_SHIFT |
           (occupant)client->version << OCCUPANT_VERSION_SHIFT | (client->number + UINT32_C(1));
}

occupant pool_occupy(struct shared_pool *pool, uint64_t place, const struct client *client)
{
    occupant before = pool_occupant(pool, place);

    while (!atomic_compare_exchange_weak(&pool->occupants[place], &before,
                                         next_occupant(before, client)))
        continue;
    return before;
}

/* Where the client begins in a packed claim. */
enum { CLAIM_CLIENT_BITS = 32 };

uint64_t pool_claimant(const struct shared_pool *pool, size_t worker, uint64_t place)
{
    const uint64_t claim = atomic_load(&pool->claims[worker].packed);

    return claim != 0 && (uint32_t)claim == place ? (claim >> CLAIM_CLIENT_BITS) - 1 : POOL_NOBODY;
}

bool pool_is_claimed(const struct shared_pool *pool, size_t worker, uint64_t place)
{
    bool claimed = false;

    for (size_t i = 0; i < pool->workers && !claimed; i++)
        claimed = i != worker && pool_claimant(pool, i, place) != POOL_NOBODY;
    return claimed;
}

void pool_claim(struct shared_pool *pool, size_t worker, uint64_t place, uint64_t client)
{
    atomic_store(&pool->claims[worker].packed, (client + 1) << CLAIM_CLIENT_BITS | place);
}

void pool_drop_claim(struct shared_pool *pool, size_t worker)
{
    atomic_store(&pool->claims[worker].packed, 0);
}

static void tell(struct pool_server *server, uint64_t place, bool taken)
{
    (void)pthread_mutex_lock(&server->lock);
    allocator_set(&server->allocator, place, taken);
    (void)pthread_mutex_unlock(&server->lock);
}

bool pool_give(struct shared_pool *pool, struct pool_server *server, uint64_t place,
               const struct client *client)
{
    occupant before = pool_occupant(pool, place);

    do {
        if (occupant_keeps(before))
            return false;
    } while (!atomic_compare_exchange_weak(&pool->occupants[place], &before,
                                           next_occupant(before, client)));
    tell(server, place, true);
    return true;
}

void pool_take_before(struct shared_pool *pool, uint64_t place, uint64_t client)
{
    (void)pool_occupy(pool, place, &(struct client){ .number = (uint32_t)client });
    for (size_t i = 0; i < pool->server_count; i++)
        tell(&pool->servers[i], place, true);
}

void pool_give_back(struct shared_pool *pool, uint64_t place)
{
    (void)pool_occupy(pool, place, NULL);
    for (size_t i = 0; i < pool->server_count; i++)
        tell(&pool->servers[i], place, false);
}

void pool_clear(struct shared_pool *pool)
{
    for (uint64_t place = 0; place < pool->size; place++)
        pool_give_back(pool, place);
    pool->others = 0;
}

uint64_t pool_candidate(struct pool_server *server)
{
    (void)pthread_mutex_lock(&server->lock);
    const uint64_t place = allocator_candidate(&server->allocator);
    (void)pthread_mutex_unlock(&server->lock);
    return place;
}

bool pool_begin_look(struct pool_server *server, uint64_t place)
{
    return !atomic_exchange(&server->looked_at[place], true);
}

void pool_end_look(struct pool_server *server, uint64_t place)
{
    atomic_store(&server->looked_at[place], false);
}
