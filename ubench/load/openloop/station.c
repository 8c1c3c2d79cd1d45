/* SPDX-License-Identifier: ISC */
#include "load/openloop/station.h"

#include <stdlib.h>

#include "core/clock.h"

int station_init(struct station *station, const struct station_config *config,
                 struct err *err)
{
    const uint64_t counted_ns = config->duration_ns + config->drain_ns;

    *station = (struct station){ .config = *config,
                                 .second_count = counted_ns / NS_PER_S + 1 };
    station->seconds = calloc(station->second_count, sizeof *station->seconds);
    if (station->seconds == NULL)
        return err_set(err, "no memory for so long a duration");
    return queue_init(&station->queue, config->queue_size, config->policy,
                      config->numbers, err);
}

void station_release(struct station *station)
{
    queue_release(&station->queue);
    free(station->seconds);
    *station = (struct station){ 0 };
}

static void admit_one(struct station *station, const struct arrival *arrival)
{
    const struct station_config *const config = &station->config;
    struct arrival displaced;

    station->offered += station_counts(config, arrival);
    switch (queue_push(&station->queue, arrival, &displaced)) {
    case QUEUE_TAKEN:
        break;
    case QUEUE_DISPLACED:
        station->dropped += station_counts(config, &displaced);
        break;
    case QUEUE_DROPPED:
        station->dropped += station_counts(config, arrival);
        break;
    case QUEUE_MERGED:
        station->merged += station_counts(config, arrival);
        break;
    }
}

void station_admit(struct station *station, uint64_t now_ns)
{
    const struct arrival_source *const source = &station->config.source;
    struct arrival arrival;

    while (source->due_ns(source->context) <= now_ns) {
        if (source->take(source->context, &arrival))
            admit_one(station, &arrival);
    }
}

bool station_take(struct station *station, struct arrival *arrival)
{
    return queue_pop(&station->queue, arrival);
}

void station_answered(struct station *station, const struct arrival *arrival,
                      uint64_t ended_ns)
{
    const struct station_config *const config = &station->config;
    const struct arrival_source *const source = &config->source;

    if (source->answered != NULL)
        source->answered(source->context, arrival, ended_ns);
    if (!station_counts(config, arrival))
        return;
    const uint64_t second = (ended_ns - config->warmup_ns) / NS_PER_S;
    if (second >= station->second_count)
        return; /* begun in time, and ended after the closing */
    struct station_second *const s = &station->seconds[second];
    const uint64_t response_ns = ended_ns - arrival->at_ns;
    s->answered++;
    s->late += response_ns > config->deadline_ns;
    if (response_ns > s->longest_ns)
        s->longest_ns = response_ns;
}

void tally_init(struct station_tally *tally)
{
    *tally = (struct station_tally){ 0 };
    histogram_init(&tally->response);
    histogram_init(&tally->service);
    histogram_init(&tally->lag);
}

void tally_waited(struct station_tally *tally,
                  const struct station_config *config,
                  const struct arrival *arrival, uint64_t until_ns)
{
    const uint64_t third_ns = config->duration_ns / STATION_THIRDS + 1;
    const uint64_t third = (arrival->at_ns - config->warmup_ns) / third_ns;

    if (third >= STATION_THIRDS)
        return;
    tally->waits[third]++;
    tally->wait_ns[third] += (double)(until_ns - arrival->at_ns);
}

void tally_served(struct station_tally *tally,
                  const struct station_config *config,
                  const struct arrival *arrival, uint64_t begun_ns,
                  uint64_t ended_ns, bool answered)
{
    const uint64_t response_ns = ended_ns - arrival->at_ns;

    if (!station_counts(config, arrival))
        return;
    tally_waited(tally, config, arrival, begun_ns);
    if (!answered) {
        tally->failed++;
        return;
    }
    histogram_record(&tally->response, response_ns);
    histogram_record(&tally->service, ended_ns - begun_ns);
    tally->late += response_ns > config->deadline_ns;
}

void tally_add(struct station_tally *tally, const struct station_tally *more)
{
    histogram_add(&tally->response, &more->response);
    histogram_add(&tally->service, &more->service);
    histogram_add(&tally->lag, &more->lag);
    tally->late += more->late;
    tally->failed += more->failed;
    tally->overhead_ns += more->overhead_ns;
    for (int i = 0; i < STATION_THIRDS; i++) {
        tally->waits[i] += more->waits[i];
        tally->wait_ns[i] += more->wait_ns[i];
    }
}
