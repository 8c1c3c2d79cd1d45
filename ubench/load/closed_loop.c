/* SPDX-License-Identifier: ISC */
#include "load/closed_loop.h"

#include <stdlib.h>

#include "core/clock.h"

struct lane {
    struct exchanges *exchanges;
    struct progress *progress;
    uint64_t count; /* of all lanes */
    uint64_t step;  /* the number of lanes */
    uint64_t begun_ns;
    uint64_t ended_ns;
    enum load_end end;
};

static void run_lane(void *context, size_t index)
{
    struct lane *const lane = &((struct lane *)context)[index];
    uint64_t done = 0;
    size_t part;

    lane->begun_ns = clock_now_ns();
    for (uint64_t i = index; i < lane->count && lane->end == LOAD_DONE;
         i += lane->step) {
        if (progress_stopped(lane->progress)) {
            lane->end = LOAD_INTERRUPTED;
            break;
        }
        lane->end = exchange_load_end(
            exchanges_perform(lane->exchanges, index, i, &part));
        progress_set_done(&lane->progress->lanes[index], ++done);
    }
    lane->ended_ns = clock_now_ns();
    /* The others need not go on with what cannot be finished. */
    if (lane->end > LOAD_INTERRUPTED)
        atomic_store(&lane->progress->stop, 1);
}

/* The worst end of all lanes, and why. */
static enum load_end worst_end(const struct lane *lanes, size_t count,
                               struct err *err)
{
    enum load_end end = LOAD_DONE;

    for (size_t i = 0; i < count; i++) {
        if (lanes[i].end <= end)
            continue;
        end = lanes[i].end;
        if (end > LOAD_INTERRUPTED)
            *err = *exchanges_error(lanes[i].exchanges, i);
    }
    return end;
}

/* What all parts have in common, as they ran together. */
static void share(struct load_result *result, const struct lane *lanes,
                  size_t count, const struct usage *usage, uint64_t syncs)
{
    uint64_t begun_ns = lanes[0].begun_ns;
    uint64_t ended_ns = lanes[0].ended_ns;

    for (size_t i = 1; i < count; i++) {
        if (lanes[i].begun_ns < begun_ns)
            begun_ns = lanes[i].begun_ns;
        if (lanes[i].ended_ns > ended_ns)
            ended_ns = lanes[i].ended_ns;
    }
    for (size_t p = 0; p < result->phase_count; p++) {
        result->phases[p].begun_ns = begun_ns;
        result->phases[p].ended_ns = ended_ns;
        result->phases[p].usage = *usage;
        result->phases[p].syncs = syncs;
    }
}

static enum load_end run_lanes(struct lane *lanes,
                               const struct exchanges_config *config,
                               const struct backend *backend,
                               struct session *const *sessions,
                               struct load_result *result, struct err *err)
{
    const size_t threads = config->load.threads;
    struct exchanges *const exchanges = lanes[0].exchanges;
    struct progress *const progress = lanes[0].progress;
    struct usage before;
    struct usage after;

    exchanges_begin(exchanges);
    progress_begin(progress, "exchange", config->load.count, threads);
    const uint64_t syncs = load_syncs(backend, sessions[0]);
    usage_sample(&before);
    const int status = workers_run(threads, run_lane, lanes, err);
    usage_sample(&after);
    atomic_store(&progress->phase, NULL);
    if (status != 0 || exchanges_collect(exchanges, result, err) != 0)
        return LOAD_FAILED;
    const struct usage usage = usage_difference(&before, &after);
    share(result, lanes, threads, &usage,
          syncs == USAGE_UNKNOWN ? USAGE_UNKNOWN
                                 : load_syncs(backend, sessions[0]) - syncs);
    const enum load_end end = worst_end(lanes, threads, err);
    return end == LOAD_DONE ? exchanges_verify(exchanges, result, err) : end;
}

enum load_end closed_loop_run(const struct exchanges_config *config,
                              const struct backend *backend,
                              struct session *const *sessions,
                              struct progress *progress,
                              struct load_result *result, struct err *err)
{
    struct lane *const lanes = calloc(config->load.threads, sizeof *lanes);
    struct exchanges *exchanges = NULL;
    enum load_end end = LOAD_FAILED;

    *result = (struct load_result){ .together = true };
    if (lanes == NULL)
        (void)err_set(err, "out of memory");
    else
        end = exchanges_open(&exchanges, config, backend, sessions, progress,
                             err);
    for (size_t i = 0; end == LOAD_DONE && i < config->load.threads; i++)
        lanes[i] = (struct lane){
            .exchanges = exchanges,
            .progress = progress,
            .count = config->load.count,
            .step = config->load.threads,
        };
    if (end == LOAD_DONE)
        end = run_lanes(lanes, config, backend, sessions, result, err);
    exchanges_close(exchanges);
    free(lanes);
    load_note_reconnect(result, config->reconnect);
    return end;
}
