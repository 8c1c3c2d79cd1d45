/* SPDX-License-Identifier: ISC */
#include "load/openloop/trial.h"

#include <stdlib.h>

#include "core/clock.h"
#include "measure/queue_growth.h"

const char *trial_stage_name(enum trial_stage stage)
{
    static const char *const names[] = { [TRIAL_SINGLE] = "single",
                                         [TRIAL_COARSE] = "coarse",
                                         [TRIAL_FINE] = "fine",
                                         [TRIAL_VERIFY] = "verify" };

    return names[stage];
}

/* Empties the queue; counts the requests in it that count. */
static uint64_t count_waiting(struct server_pool *pool,
                              struct server_tally *tally, uint64_t now_ns)
{
    struct arrival arrival;
    uint64_t count = 0;

    while (server_pool_take(pool, &arrival)) {
        if (!server_pool_counts(&pool->config, &arrival))
            continue;
        server_tally_waited(tally, &pool->config, &arrival, now_ns);
        count++;
    }
    return count;
}

static uint64_t elapsed_ns(const struct server_pool_config *config,
                           uint64_t now_ns)
{
    if (now_ns < config->warmup_ns)
        return 0;
    const uint64_t since_ns = now_ns - config->warmup_ns;
    return since_ns < config->duration_ns ? since_ns : config->duration_ns;
}

void trial_fill(struct trial *trial, struct server_pool *pool,
                const struct server_tally *tally, uint64_t now_ns,
                bool complete)
{
    const struct server_pool_config *const config = &pool->config;

    trial->tally = *tally;
    const uint64_t waiting = count_waiting(pool, &trial->tally, now_ns);
    trial->warmup_ns = config->warmup_ns;
    trial->duration_ns = config->duration_ns;
    trial->deadline_ns = config->deadline_ns;
    trial->queue_size = config->queue_size;
    trial->complete = complete;
    trial->elapsed_ns =
        complete ? config->duration_ns : elapsed_ns(config, now_ns);
    trial->offered = pool->offered - (complete ? 0 : waiting);
    trial->unanswered = complete ? waiting : 0;
    trial->dropped = pool->dropped;
    trial->merged = pool->merged;
    trial->seconds = pool->seconds;
    trial->second_count = pool->second_count;
    pool->seconds = NULL;
}

void trial_release(struct trial *trial)
{
    free(trial->seconds);
    trial->seconds = NULL;
}

uint64_t trial_late(const struct trial *trial, uint64_t deadline_ns)
{
    const struct histogram *const response = &trial->tally.response;
    uint64_t late = 0;

    if (deadline_ns == trial->deadline_ns)
        return trial->tally.late;
    for (size_t i = histogram_bucket_of(deadline_ns) + 1; i < HISTOGRAM_BUCKETS;
         i++)
        late += response->counts[i];
    return late;
}

static uint64_t bad(const struct trial *trial, uint64_t deadline_ns)
{
    return trial_late(trial, deadline_ns) + trial->dropped + trial->unanswered +
           trial->tally.failed;
}

double trial_bad_share(const struct trial *trial, uint64_t deadline_ns)
{
    return trial->offered > 0
               ? (double)bad(trial, deadline_ns) / (double)trial->offered
               : 0;
}

double trial_good_per_s(const struct trial *trial, uint64_t deadline_ns)
{
    const uint64_t good =
        trial_answered(trial) - trial_late(trial, deadline_ns);

    return trial->elapsed_ns > 0
               ? (double)good * (double)NS_PER_S / (double)trial->elapsed_ns
               : 0;
}

double trial_wait_ns(const struct trial *trial, int third)
{
    const uint64_t waits = trial->tally.waits[third];

    return waits > 0 ? trial->tally.wait_ns[third] / (double)waits : 0;
}

bool trial_queue_growing(const struct trial *trial, uint64_t deadline_ns)
{
    const struct queue_growth seen = {
        .size = trial->queue_size,
        .elapsed_ns = trial->elapsed_ns,
        .answered = trial_answered(trial),
        .dropped = trial->dropped,
        .first_wait_ns = trial_wait_ns(trial, 0),
        .last_wait_ns = trial_wait_ns(trial, SERVER_THIRDS - 1),
    };

    return queue_growth_goes_on(&seen, deadline_ns);
}

const char *trial_invalid(const struct trial *trial)
{
    const struct server_tally *const tally = &trial->tally;
    const double lag_limit_ns = (double)trial->deadline_ns / 100 > 1e6
                                    ? (double)trial->deadline_ns / 100
                                    : 1e6;

    /* Below a hundred values, p99 is one of them. */
    if (tally->lag.count >= 100 &&
        histogram_quantile(&tally->lag, 0.99) > lag_limit_ns)
        return "idle threads began late: this machine was too busy to keep "
               "the schedule";
    if (bad(trial, trial->deadline_ns) > 0 &&
        (double)tally->overhead_ns > 0.1 * (double)tally->service.sum_ns)
        return "the harness was the bottleneck, and not the store";
    return NULL;
}
