/* SPDX-License-Identifier: ISC */
#include "load/openloop/trial.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"

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

void trial_fill(struct trial *trial, struct server_pool *pool,
                const struct server_tally *tally, uint64_t now_ns,
                bool complete)
{
    const struct server_pool_config *const config = &pool->config;
    const uint64_t since_ns =
        now_ns > config->warmup_ns ? now_ns - config->warmup_ns : 0;

    trial->tally = *tally;
    const uint64_t waiting = count_waiting(pool, &trial->tally, now_ns);
    trial->warmup_ns = config->warmup_ns;
    trial->duration_ns = config->duration_ns;
    trial->deadline_ns = config->deadline_ns;
    trial->queue_size = config->queue_size;
    trial->complete = complete;
    trial->elapsed_ns = complete || since_ns > config->duration_ns
                            ? config->duration_ns
                            : since_ns;
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

/* The server that becomes free first. */
static uint64_t *first_free(uint64_t *free_ns, size_t servers)
{
    uint64_t *first = &free_ns[0];

    for (size_t i = 1; i < servers; i++) {
        if (free_ns[i] < *first)
            first = &free_ns[i];
    }
    return first;
}

/* The next request for a server that is free from *now_ns on, which becomes the
   time when it begins.  False if there is none before the closing. */
static bool find_next(struct server_pool *pool, uint64_t *now_ns,
                      struct arrival *arrival)
{
    const struct arrival_source *const source = &pool->config.source;
    const uint64_t closes_ns = server_pool_closes_ns(&pool->config);

    while (*now_ns < closes_ns) {
        server_pool_admit(pool, *now_ns);
        if (server_pool_take(pool, arrival))
            return true;
        *now_ns = source->due_ns(source->context);
    }
    return false;
}

static void serve_all(struct server_pool *pool, uint64_t *free_ns,
                      size_t servers, uint64_t service_ns,
                      struct progress *progress, struct server_tally *tally)
{
    uint64_t *server = first_free(free_ns, servers);
    struct arrival arrival;

    while (!progress_stopped(progress) && find_next(pool, server, &arrival)) {
        const uint64_t begun_ns = *server;

        *server += service_ns;
        server_tally_served(tally, &pool->config, &arrival, begun_ns, *server,
                            true);
        server_pool_answered(pool, &arrival, *server);
        server = first_free(free_ns, servers);
    }
    if (*server != ARRIVALS_NEVER && !progress_stopped(progress))
        server_pool_admit(pool, server_pool_closes_ns(&pool->config));
}

int trial_simulate(const struct server_pool_config *config, size_t servers,
                   uint64_t service_ns, struct progress *progress,
                   struct trial *trial, struct err *err)
{
    struct server_pool pool = { .seconds = NULL };
    struct server_tally *const tally = err_calloc(1, sizeof *tally, err);
    uint64_t *const free_ns = err_calloc(servers, sizeof *free_ns, err);
    int status = -1;

    assert(servers >= 1);
    *trial = (struct trial){ .stage = TRIAL_SINGLE };
    if (tally != NULL && free_ns != NULL &&
        server_pool_init(&pool, config, err) == 0) {
        server_tally_init(tally);
        serve_all(&pool, free_ns, servers, service_ns, progress, tally);
        trial_fill(trial, &pool, tally, server_pool_closes_ns(config),
                   !progress_stopped(progress));
        status = 0;
    }
    server_pool_release(&pool);
    free(free_ns);
    free(tally);
    return status;
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
    /* How long the last request in a full queue waits; at most for ever. */
    const double full_wait_ns = (double)trial->queue_size *
                                (double)trial->elapsed_ns /
                                (double)(trial_answered(trial) + 1);

    return (full_wait_ns > (double)deadline_ns || trial->dropped == 0) &&
           trial_wait_ns(trial, SERVER_THIRDS - 1) >
               trial_wait_ns(trial, 0) + 0.05 * (double)deadline_ns;
}

const char *trial_invalid(const struct trial *trial)
{
    const struct server_tally *const tally = &trial->tally;
    const double lag_limit_ns = fmax((double)trial->deadline_ns / 100, 1e6);

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
