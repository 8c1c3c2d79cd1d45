/* SPDX-License-Identifier: ISC */
#include "load/pool/pool_agree.h"

#include <stdlib.h>

#include "load/pool/pool.h"
#include "load/ranks.h"

enum { PLACES = 65536 }; /* that are compared at a time */

/* Writes the clients that this rank has given addresses to, by their number + 1: 0 and none where
   it has not. */
static void list_given(const struct exchanges *all, uint64_t first, uint64_t count, uint64_t *given,
                       uint64_t none)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t holder = pool_holder(all->pool, first + i);

        given[i] = holder != POOL_NOBODY ? holder + 1 : none;
    }
}

static enum load_end judge(struct worker *worker, uint64_t place, uint64_t least, uint64_t most)
{
    const struct shared_pool *const pool = exchanges_of(worker)->pool;
    const uint64_t met = atomic_load(&pool->elsewhere[place]);
    char text[LEASE_ADDRESS_TEXT_SIZE];

    (void)lease_address_text(text, generator_address(&worker->engine->generator, place),
                             worker->type);
    if (most != 0 && least != most)
        return worker_wrong(worker, "%s was given to two clients", text);
    if (met == 0 || (met == POOL_SOMEBODY ? most != 0 : most == met))
        return LOAD_DONE;
    return worker_wrong(worker, "%s had a lease that no client was given", text);
}

/* Compares count places from the first on; both arrays have room for them. */
static enum load_end compare(struct worker *worker, uint64_t first, uint64_t count, uint64_t *least,
                             uint64_t *most)
{
    const struct exchanges *const all = exchanges_of(worker);
    struct ranks *const ranks = worker->engine->context.ranks;
    enum load_end end = LOAD_DONE;

    list_given(all, first, count, least, UINT64_MAX);
    list_given(all, first, count, most, 0);
    ranks_least(ranks, least, count);
    ranks_most(ranks, most, count);
    for (uint64_t i = 0; i < count && end == LOAD_DONE && !ranks_are_lost(ranks); i++)
        end = judge(worker, first + i, least[i], most[i]);
    return end;
}

enum load_end pool_agree(struct engine *engine)
{
    const struct shared_pool *const pool = ((const struct exchanges *)engine)->pool;
    struct ranks *const ranks = engine->context.ranks;
    struct worker *const worker = &engine->workers[0];
    enum load_end end = LOAD_DONE;

    if (ranks_count(ranks) == 1)
        return LOAD_DONE;
    uint64_t *const least = err_calloc(2 * PLACES, sizeof *least, &worker->err);
    if (least == NULL)
        return LOAD_FAILED;
    if (!ranks_meet(ranks, 0, NULL))
        end = LOAD_INTERRUPTED;
    worker->what = NULL;
    worker->doing = "comparing the ranks:";
    /* All ranks compare all places, also after one that is wrong. */
    for (uint64_t first = 0; first < pool->size && end != LOAD_INTERRUPTED; first += PLACES) {
        const uint64_t left = pool->size - first;
        const enum load_end one =
            compare(worker, first, left < PLACES ? left : PLACES, least, least + PLACES);

        end = one > end ? one : end;
    }
    free(least);
    return ranks_are_lost(ranks) && end == LOAD_DONE ? LOAD_FAILED : end;
}
