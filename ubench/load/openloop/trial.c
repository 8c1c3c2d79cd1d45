/* SPDX-License-Identifier: ISC */
#include "load/openloop/trial.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"

const char *const trial_stage_names[] = { [TRIAL_SINGLE] = "single", [TRIAL_SEARCH] = "search" };

int trial_begin(struct trial *trial, struct err *err)
{
    const bool dedup = trial->policy == QUEUE_DEDUP;

    assert(trial->queue_size >= 1 && (trial->numbers >= 1 || !dedup));
    server_tally_init(&trial->tally);
    trial->second_count = (trial->duration_ns + trial->drain_ns) / NS_PER_S + 1;
    trial->seconds = err_calloc(trial->second_count, sizeof *trial->seconds, err);
    trial->queue = err_calloc(trial->queue_size, sizeof *trial->queue, err);
    if (dedup)
        trial->waits = err_calloc(trial->numbers, 1, err);
    return trial->seconds != NULL && trial->queue != NULL && (trial->waits != NULL || !dedup) ? 0
                                                                                              : -1;
}

/* Frees what readers of the figures do not need. */
static void release_queue(struct trial *trial)
{
    free(trial->queue);
    free(trial->waits);
    trial->queue = NULL;
    trial->waits = NULL;
}

void trial_release(struct trial *trial)
{
    release_queue(trial);
    free(trial->seconds);
    trial->seconds = NULL;
}

bool trial_take(struct trial *trial, struct arrival *arrival)
{
    if (trial->length == 0)
        return false;
    *arrival = trial->queue[trial->first];
    trial->first = (trial->first + 1) % trial->queue_size;
    trial->length--;
    if (trial->waits != NULL)
        trial->waits[arrival->number] = 0;
    return true;
}

static void admit_one(struct trial *trial, const struct arrival *arrival)
{
    const bool counts = trial_counts(trial, arrival);
    struct arrival oldest = { .number = 0 };

    assert(trial->waits == NULL || arrival->number < trial->numbers);
    trial->offered += counts;
    if (trial->waits != NULL && trial->waits[arrival->number]) {
        trial->merged += counts;
        return;
    }
    if (trial->length == trial->queue_size) {
        if (trial->policy != QUEUE_DROP_OLDEST) {
            trial->dropped += counts;
            return;
        }
        (void)trial_take(trial, &oldest);
        trial->dropped += trial_counts(trial, &oldest);
    }
    trial->queue[(trial->first + trial->length++) % trial->queue_size] = *arrival;
    if (trial->waits != NULL)
        trial->waits[arrival->number] = 1;
}

void trial_admit(struct trial *trial, uint64_t now_ns)
{
    struct arrival_source *const source = trial->source;
    struct arrival arrival;

    while (source->due_ns(source) <= now_ns) {
        if (source->take(source, &arrival))
            admit_one(trial, &arrival);
    }
}

void server_tally_init(struct server_tally *tally)
{
    *tally = (struct server_tally){ 0 };
    histogram_init(&tally->response);
    histogram_init(&tally->service);
    histogram_init(&tally->lag);
}

/* Counts how long a request waited until until_ns, when a server took it or the trial ended. */
static void count_wait(struct server_tally *tally, const struct trial *trial,
                       const struct arrival *arrival, uint64_t until_ns)
{
    const uint64_t third_ns = trial->duration_ns / SERVER_THIRDS + 1;
    const uint64_t third = (arrival->at_ns - trial->warmup_ns) / third_ns;

    if (third >= SERVER_THIRDS)
        return;
    tally->waits[third]++;
    tally->wait_ns[third] += (double)(until_ns - arrival->at_ns);
}

void trial_served(struct trial *trial, struct server_tally *tally, const struct arrival *arrival,
                  uint64_t begun_ns, uint64_t ended_ns, bool answered)
{
    struct arrival_source *const source = trial->source;
    const uint64_t response_ns = ended_ns - arrival->at_ns;
    const bool late = response_ns > trial->deadline_ns;

    if (answered && source->answered != NULL)
        source->answered(source, arrival, ended_ns);
    if (!trial_counts(trial, arrival))
        return;
    count_wait(tally, trial, arrival, begun_ns);
    if (!answered) {
        tally->failed++;
        return;
    }
    histogram_record(&tally->response, response_ns);
    histogram_record(&tally->service, ended_ns - begun_ns);
    tally->late += late;
    const uint64_t second = (ended_ns - trial->warmup_ns) / NS_PER_S;
    if (second >= trial->second_count)
        return; /* begun in time, but ended after the closing */
    struct trial_second *const s = &trial->seconds[second];
    s->answered++;
    s->late += late;
    if (response_ns > s->longest_ns)
        s->longest_ns = response_ns;
}

void trial_end(struct trial *trial, uint64_t now_ns, bool complete)
{
    const uint64_t since_ns = now_ns > trial->warmup_ns ? now_ns - trial->warmup_ns : 0;
    struct arrival arrival;

    while (trial_take(trial, &arrival)) {
        if (!trial_counts(trial, &arrival))
            continue;
        count_wait(&trial->tally, trial, &arrival, now_ns);
        trial->unanswered += complete;
        trial->offered -= !complete;
    }
    trial->complete = complete;
    /* A storm ends when no client waits. */
    trial->elapsed_ns = (complete && trial->per_s > 0) || since_ns > trial->duration_ns
                            ? trial->duration_ns
                            : since_ns;
    release_queue(trial);
}

enum load_end trial_simulate(struct trial *trial, size_t servers, uint64_t service_ns,
                             struct progress *progress, struct err *err)
{
    uint64_t *const free_ns = err_calloc(servers, sizeof *free_ns, err);
    struct arrival arrival;

    assert(servers >= 1);
    if (free_ns == NULL || trial_begin(trial, err) != 0) {
        free(free_ns);
        return LOAD_FAILED;
    }
    uint64_t *server = free_ns; /* first free server, and the time from which it is free */
    while (!progress_stopped(progress) && *server < trial_closes_ns(trial)) {
        trial_admit(trial, *server);
        if (!trial_take(trial, &arrival)) {
            *server = trial->source->due_ns(trial->source);
            continue;
        }
        /* Two requests may come in one nanosecond, and the time of an idle server may lag. */
        const uint64_t begun_ns = *server > arrival.at_ns ? *server : arrival.at_ns;
        *server = begun_ns + service_ns;
        trial_served(trial, &trial->tally, &arrival, begun_ns, *server, true);
        for (size_t i = 0; i < servers; i++) {
            if (free_ns[i] < *server)
                server = &free_ns[i];
        }
    }
    const bool complete = !progress_stopped(progress);
    if (complete && *server != ARRIVALS_NEVER)
        trial_admit(trial, trial_closes_ns(trial));
    trial_end(trial, trial_closes_ns(trial), complete);
    free(free_ns);
    return complete ? LOAD_DONE : LOAD_INTERRUPTED;
}

uint64_t trial_late(const struct trial *trial, uint64_t deadline_ns)
{
    const struct histogram *const response = &trial->tally.response;
    uint64_t late = 0;

    if (deadline_ns == trial->deadline_ns)
        return trial->tally.late;
    for (size_t i = histogram_bucket_of(deadline_ns) + 1; i < HISTOGRAM_BUCKETS; i++)
        late += response->counts[i];
    return late;
}

uint64_t trial_bad(const struct trial *trial, uint64_t deadline_ns)
{
    return trial_late(trial, deadline_ns) + trial->dropped + trial->unanswered +
           trial->tally.failed;
}

double trial_bad_share(const struct trial *trial, uint64_t deadline_ns)
{
    return trial->offered > 0 ? (double)trial_bad(trial, deadline_ns) / (double)trial->offered : 0;
}

double trial_good_per_s(const struct trial *trial, uint64_t deadline_ns)
{
    const uint64_t good = trial_answered(trial) - trial_late(trial, deadline_ns);

    return trial->elapsed_ns > 0 ? (double)good * (double)NS_PER_S / (double)trial->elapsed_ns : 0;
}

double trial_wait_ns(const struct trial *trial, int third)
{
    const uint64_t waits = trial->tally.waits[third];

    return waits > 0 ? trial->tally.wait_ns[third] / (double)waits : 0;
}

bool trial_queue_growing(const struct trial *trial, uint64_t deadline_ns)
{
    /* Waiting time of the last request in a full queue, if the rate of answers stays; never
       infinite. */
    const double full_wait_ns =
        (double)trial->queue_size * (double)trial->elapsed_ns / (double)(trial_answered(trial) + 1);

    return (full_wait_ns > (double)deadline_ns || trial->dropped == 0) &&
           trial_wait_ns(trial, SERVER_THIRDS - 1) >
               trial_wait_ns(trial, 0) + 0.05 * (double)deadline_ns;
}

const char *trial_invalid(const struct trial *trial)
{
    const struct server_tally *const tally = &trial->tally;
    const double lag_limit_ns = fmax((double)trial->deadline_ns / 100, 1e6);

    /* With fewer than a hundred values, p99 would be the highest one. */
    if (tally->lag.count >= 100 && histogram_quantile(&tally->lag, 0.99) > lag_limit_ns)
        return "idle threads started requests late: this machine was too busy to keep the schedule";
    if (trial_bad(trial, trial->deadline_ns) > 0 &&
        (double)tally->overhead_ns > 0.1 * (double)tally->service.sum_ns)
        return "the harness was the bottleneck, not the store";
    return NULL;
}
