/* SPDX-License-Identifier: ISC */
#include "load/openloop/server_pool.h"

#include <assert.h>
#include <stdlib.h>

#include "core/clock.h"

int server_pool_init(struct server_pool *pool,
                     const struct server_pool_config *config, struct err *err)
{
    const uint64_t counted_ns = config->duration_ns + config->drain_ns;
    const bool dedup = config->policy == QUEUE_DEDUP;

    assert(config->queue_size >= 1 && (config->numbers >= 1 || !dedup));
    *pool = (struct server_pool){ .config = *config,
                                  .second_count = counted_ns / NS_PER_S + 1 };
    pool->seconds = err_calloc(pool->second_count, sizeof *pool->seconds, err);
    pool->queue = err_calloc(config->queue_size, sizeof *pool->queue, err);
    if (dedup)
        pool->waits = err_calloc(config->numbers, 1, err);
    return pool->seconds != NULL && pool->queue != NULL &&
                   (pool->waits != NULL || !dedup)
               ? 0
               : -1;
}

void server_pool_release(struct server_pool *pool)
{
    free(pool->queue);
    free(pool->waits);
    free(pool->seconds);
    *pool = (struct server_pool){ 0 };
}

bool server_pool_take(struct server_pool *pool, struct arrival *arrival)
{
    if (pool->length == 0)
        return false;
    *arrival = pool->queue[pool->first];
    pool->first = (pool->first + 1) % pool->config.queue_size;
    pool->length--;
    if (pool->waits != NULL)
        pool->waits[arrival->number] = 0;
    return true;
}

static void admit_one(struct server_pool *pool, const struct arrival *arrival)
{
    const struct server_pool_config *const config = &pool->config;
    const bool counts = server_pool_counts(config, arrival);
    struct arrival oldest = { .number = 0 };

    assert(pool->waits == NULL || arrival->number < config->numbers);
    pool->offered += counts;
    if (pool->waits != NULL && pool->waits[arrival->number]) {
        pool->merged += counts;
        return;
    }
    if (pool->length == config->queue_size) {
        if (config->policy != QUEUE_DROP_OLDEST) {
            pool->dropped += counts;
            return;
        }
        (void)server_pool_take(pool, &oldest);
        pool->dropped += server_pool_counts(config, &oldest);
    }
    pool->queue[(pool->first + pool->length++) % config->queue_size] = *arrival;
    if (pool->waits != NULL)
        pool->waits[arrival->number] = 1;
}

void server_pool_admit(struct server_pool *pool, uint64_t now_ns)
{
    const struct arrival_source *const source = &pool->config.source;
    struct arrival arrival;

    while (source->due_ns(source->context) <= now_ns) {
        if (source->take(source->context, &arrival))
            admit_one(pool, &arrival);
    }
}

void server_pool_answered(struct server_pool *pool,
                          const struct arrival *arrival, uint64_t ended_ns)
{
    const struct server_pool_config *const config = &pool->config;
    const struct arrival_source *const source = &config->source;

    if (source->answered != NULL)
        source->answered(source->context, arrival, ended_ns);
    if (!server_pool_counts(config, arrival))
        return;
    const uint64_t second = (ended_ns - config->warmup_ns) / NS_PER_S;
    if (second >= pool->second_count)
        return; /* begun in time, and ended after the closing */
    struct server_pool_second *const s = &pool->seconds[second];
    const uint64_t response_ns = ended_ns - arrival->at_ns;
    s->answered++;
    s->late += response_ns > config->deadline_ns;
    if (response_ns > s->longest_ns)
        s->longest_ns = response_ns;
}

void server_tally_init(struct server_tally *tally)
{
    *tally = (struct server_tally){ 0 };
    histogram_init(&tally->response);
    histogram_init(&tally->service);
    histogram_init(&tally->lag);
}

void server_tally_waited(struct server_tally *tally,
                         const struct server_pool_config *config,
                         const struct arrival *arrival, uint64_t until_ns)
{
    const uint64_t third_ns = config->duration_ns / SERVER_THIRDS + 1;
    const uint64_t third = (arrival->at_ns - config->warmup_ns) / third_ns;

    if (third >= SERVER_THIRDS)
        return;
    tally->waits[third]++;
    tally->wait_ns[third] += (double)(until_ns - arrival->at_ns);
}

void server_tally_served(struct server_tally *tally,
                         const struct server_pool_config *config,
                         const struct arrival *arrival, uint64_t begun_ns,
                         uint64_t ended_ns, bool answered)
{
    const uint64_t response_ns = ended_ns - arrival->at_ns;

    if (!server_pool_counts(config, arrival))
        return;
    server_tally_waited(tally, config, arrival, begun_ns);
    if (!answered) {
        tally->failed++;
        return;
    }
    histogram_record(&tally->response, response_ns);
    histogram_record(&tally->service, ended_ns - begun_ns);
    tally->late += response_ns > config->deadline_ns;
}

void server_tally_add(struct server_tally *tally,
                      const struct server_tally *more)
{
    histogram_add(&tally->response, &more->response);
    histogram_add(&tally->service, &more->service);
    histogram_add(&tally->lag, &more->lag);
    tally->late += more->late;
    tally->failed += more->failed;
    tally->overhead_ns += more->overhead_ns;
    for (int i = 0; i < SERVER_THIRDS; i++) {
        tally->waits[i] += more->waits[i];
        tally->wait_ns[i] += more->wait_ns[i];
    }
}
