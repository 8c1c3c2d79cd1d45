/* SPDX-License-Identifier: ISC */
#include "load/queueing/simulation.h"

#include <assert.h>
#include <stdlib.h>

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

static void run(struct server_pool *pool, uint64_t *free_ns, size_t servers,
                uint64_t service_ns, struct progress *progress,
                struct server_tally *tally)
{
    uint64_t *server = first_free(free_ns, servers);
    struct arrival arrival;

    while (!progress_stopped(progress) && find_next(pool, server, &arrival)) {
        const uint64_t begun_ns = *server;
        const uint64_t ended_ns = begun_ns + service_ns;

        server_tally_served(tally, &pool->config, &arrival, begun_ns, ended_ns,
                            true);
        server_pool_answered(pool, &arrival, ended_ns);
        *server = ended_ns;
        server = first_free(free_ns, servers);
    }
    if (*server != ARRIVALS_NEVER && !progress_stopped(progress))
        server_pool_admit(pool, server_pool_closes_ns(&pool->config));
}

int simulation_run(const struct server_pool_config *config, size_t servers,
                   uint64_t service_ns, struct progress *progress,
                   struct trial *trial, struct err *err)
{
    struct server_pool pool = { .seconds = NULL };
    struct server_tally *const tally = malloc(sizeof *tally);
    uint64_t *const free_ns = calloc(servers, sizeof *free_ns);
    int status = -1;

    assert(servers >= 1);
    *trial = (struct trial){ .stage = TRIAL_SINGLE };
    if (tally == NULL || free_ns == NULL) {
        (void)err_set(err, "no memory for a simulation");
    } else if (server_pool_init(&pool, config, err) == 0) {
        server_tally_init(tally);
        run(&pool, free_ns, servers, service_ns, progress, tally);
        trial_fill(trial, &pool, tally, server_pool_closes_ns(config),
                   !progress_stopped(progress));
        status = 0;
    }
    server_pool_release(&pool);
    free(free_ns);
    free(tally);
    return status;
}
