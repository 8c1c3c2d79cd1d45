/* SPDX-License-Identifier: ISC */
#include "load/exchange/pool.h"

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

/* Makes a server.  Each has its own random order; iterative allocators all begin with the first
   address. */
static int make_server(struct pool_server *server, const struct load_config *config, size_t i,
                       struct err *err)
{
    (void)pthread_mutex_init(&server->lock, NULL);
    server->looked_at = err_calloc(config->pool, sizeof *server->looked_at, err);
    if (server->looked_at == NULL)
        return -1;
    return allocator_init(&server->allocator, config->allocator, config->pool,
                          random_at(random_at(config->seed, SEQUENCE_ALLOCATOR), i), err);
}

static int make(struct shared_pool *pool, const struct load_config *config, struct err *err)
{
    const size_t servers = config->servers > 0 ? config->servers : 1;

    pool->size = config->pool;
    pool->workers = config->threads;
    pool->listed = allocator_free_list(config->allocator) != FREE_LIST_NONE;
    pool->order = shuffle(config->pool, random_at(config->seed, SEQUENCE_OTHERS), err);
    pool->holders = err_calloc(config->pool, sizeof *pool->holders, err);
    pool->offers = err_calloc(config->pool, sizeof *pool->offers, err);
    pool->servers = err_calloc(servers, sizeof *pool->servers, err);
    pool->claims =
        aligned_alloc(_Alignof(struct pool_claim), config->threads * sizeof *pool->claims);
    if (pool->claims == NULL)
        return err_set(err, "out of memory");
    if (pool->order == NULL || pool->holders == NULL || pool->offers == NULL ||
        pool->servers == NULL)
        return -1;
    for (size_t i = 0; i < config->threads; i++)
        atomic_init(&pool->claims[i].of, 0);
    while (pool->server_count < servers) {
        const size_t i = pool->server_count++;

        if (make_server(&pool->servers[i], config, i, err) != 0)
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
    free(pool->holders);
    free(pool->order);
    free(pool);
}

/* A claim: the client's number + 1, and the place. */
enum { CLAIM_CLIENT_BITS = 32 };

uint64_t pool_claimant(const struct shared_pool *pool, size_t worker, uint64_t place)
{
    const uint64_t claim = atomic_load(&pool->claims[worker].of);

    return claim != 0 && (uint32_t)claim == place ? (claim >> CLAIM_CLIENT_BITS) - 1 : POOL_NOBODY;
}

void pool_claim(struct shared_pool *pool, size_t worker, uint64_t place, uint64_t client)
{
    atomic_store(&pool->claims[worker].of, (client + 1) << CLAIM_CLIENT_BITS | place);
}

void pool_drop_claim(struct shared_pool *pool, size_t worker)
{
    atomic_store(&pool->claims[worker].of, 0);
}

static void tell(struct pool_server *server, uint64_t place, bool taken)
{
    (void)pthread_mutex_lock(&server->lock);
    allocator_set(&server->allocator, place, taken);
    (void)pthread_mutex_unlock(&server->lock);
}

bool pool_give(struct shared_pool *pool, struct pool_server *server, uint64_t place,
               uint64_t client)
{
    uint32_t nobody = 0;

    if (!atomic_compare_exchange_strong(&pool->holders[place], &nobody, (uint32_t)client + 1))
        return false;
    tell(server, place, true);
    return true;
}

void pool_take_before(struct shared_pool *pool, uint64_t place, uint64_t client)
{
    atomic_store(&pool->holders[place], (uint32_t)client + 1);
    for (size_t i = 0; i < pool->server_count; i++)
        tell(&pool->servers[i], place, true);
}

void pool_give_back(struct shared_pool *pool, uint64_t place)
{
    atomic_store(&pool->holders[place], 0);
    for (size_t i = 0; i < pool->server_count; i++)
        tell(&pool->servers[i], place, false);
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
