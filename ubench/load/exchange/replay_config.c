/* SPDX-License-Identifier: ISC */
#include "load/exchange/replay_config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/units.h"
#include "lease/trace.h"
#include "measure/series.h"

/* The longest replay at a pace: its nanoseconds fit 64 bits. */
#define LONGEST_S 1e9

/* Memory limit, in bytes, of the counts of each second. */
#define MEMORY_MOST 1e9

#define HIT OUTCOME_HIT

static const struct {
    const char *name;
    const char *like; /* name in exchange_table, by family; NULL: has its own steps */
    const char *like_v6;
    struct step steps[STEPS_MAX];
    struct step steps_v6[STEPS_MAX];
} kinds[REPLAY_KINDS] = {
    [TRACE_NEW] = { .name = "replay-new", .like = "dora", .like_v6 = "sarr" },
    [TRACE_RETURN] = { "replay-return",
                       .steps = { { "discover client-id", STEP_FIND_CLIENT_ID, HIT },
                                  { "request client-id", STEP_FIND_CLIENT_ID, HIT },
                                  { "request address", STEP_FIND_ADDRESS, HIT },
                                  { "extend", STEP_RENEW, HIT } },
                       .steps_v6 = { { "solicit duid", STEP_FIND_DUID, HIT },
                                     { "request duid", STEP_FIND_DUID, HIT },
                                     { "request address", STEP_FIND_ADDRESS, HIT },
                                     { "extend", STEP_RENEW, HIT } } },
    [TRACE_RENEW] = { .name = "replay-renew", .like = "renew", .like_v6 = "renew" },
    [TRACE_RELEASE] = { .name = "replay-release", .like = "release", .like_v6 = "release" },
    [TRACE_DECLINE] = { .name = "replay-decline", .like = "decline", .like_v6 = "decline" },
    [TRACE_EXPIRE] = { "replay-expire", .steps = { { "reclaim", STEP_EXPIRE, HIT } },
                       .steps_v6 = { { "reclaim", STEP_EXPIRE, HIT } } },
    [TRACE_DELETE] = { .name = "replay-delete",
                       .like = "release-delete",
                       .like_v6 = "release-delete" },
    [REPLAY_RETURN_DECLINED] = { "replay-return-declined",
                                 .steps = { { "discover address", STEP_FIND_ADDRESS, HIT },
                                            { "request address", STEP_FIND_ADDRESS, HIT },
                                            { "extend", STEP_RENEW, HIT } },
                                 .steps_v6 = { { "solicit address", STEP_FIND_ADDRESS, HIT },
                                               { "request address", STEP_FIND_ADDRESS, HIT },
                                               { "extend", STEP_RENEW, HIT } } },
};

/* Adds a kind of exchange to the mix. */
static void add_kind(struct load_config *config, size_t kind, uint64_t count)
{
    const bool v6 = config->family == LEASE_FAMILY_V6;
    const char *const like = v6 ? kinds[kind].like_v6 : kinds[kind].like;
    struct exchange exchange = { .party = PARTY_KNOWN, .leases = 1 };

    if (like != NULL)
        exchange = *exchange_find(exchange_table, like, strlen(like), config->family);
    else
        memcpy(exchange.steps, v6 ? kinds[kind].steps_v6 : kinds[kind].steps,
               sizeof kinds[kind].steps);
    exchange.name = kinds[kind].name;
    exchange.families = 1U << config->family;
    mix_add(&config->mix, &exchange, count, config->family);
}

/* Counts the changes that return a declined address.  Returns UINT64_MAX with err if memory is
   short. */
static uint64_t count_declined_returns(const struct trace *trace, struct err *err)
{
    uint8_t *const declined = err_calloc((size_t)trace->leases + 1, 1, err);
    uint64_t count = 0;

    for (uint64_t i = 0; declined != NULL && i < trace->count; i++) {
        const struct trace_item *const item = &trace->items[i];

        count += item->change == TRACE_RETURN && declined[item->lease];
        declined[item->lease] = item->change == TRACE_DECLINE;
    }
    free(declined);
    return declined != NULL ? count : UINT64_MAX;
}

static int set_mix(struct load_config *config, struct err *err)
{
    const struct trace *const trace = config->replay.trace;
    const uint64_t declined = count_declined_returns(trace, err);

    if (declined == UINT64_MAX)
        return -1;
    for (size_t kind = 0; kind < TRACE_CHANGES; kind++) {
        const uint64_t count = trace->counts[kind] - (kind == TRACE_RETURN ? declined : 0);

        if (count > 0)
            add_kind(config, kind, count);
    }
    if (declined > 0)
        add_kind(config, REPLAY_RETURN_DECLINED, declined);
    mix_divide(&config->mix);
    return 0;
}

/* Refuses a pace at which the counts of each second do not fit into memory: those of each kind
   and worker, of each kind in the result, and of lateness.  Call it after set_mix. */
static int check_memory(const struct load_config *config, struct err *err)
{
    const struct replay_config *const replay = &config->replay;
    const double each =
        config->latency ? (double)config->mix.count * ((double)config->threads + 1) : 0;
    const double second = (each + 1) * (double)SERIES_SECOND_SIZE;

    if (replay->speed <= 0 ||
        ((double)replay->trace->seconds + 1) / replay->speed * second <= MEMORY_MOST)
        return 0;
    return err_usage(
        err,
        "--speed: %g times as fast, the seconds of '%s' take more than 1 GB of memory; "
        "use a larger number%s",
        replay->speed, replay->path, config->latency ? " or --latency=off" : "");
}

static int check_trace(const struct load_config *config, struct err *err)
{
    const struct trace *const trace = config->replay.trace;
    const char *const path = config->replay.path;

    if (trace->family != config->family)
        return err_usage(err, "--trace: '%s' has IPv%d leases; %s", path,
                         trace->family == LEASE_FAMILY_V4 ? 4 : 6,
                         trace->family == LEASE_FAMILY_V4 ? "leave --ipv6 out" : "add --ipv6");
    if (trace->count == 0)
        return err_usage(err, "--trace: '%s' has no changes", path);
    if (config->replay.speed > 0 && ((double)trace->seconds + 1) / config->replay.speed > LONGEST_S)
        return err_usage(err,
                         "--speed: %g times as fast, '%s' takes longer than 30 years; use a larger "
                         "number",
                         config->replay.speed, path);
    if (config->threads > trace->leases)
        return err_usage(err, "--threads: %" PRIu64 " exceeds the %" PRIu32 " leases of the trace",
                         config->threads, trace->leases);
    return 0;
}

/* Leaves out the changes after the span of --span. */
static int cut_trace(const struct replay_config *replay, struct err *err)
{
    const uint64_t seconds = replay->span_ns / NS_PER_S;

    if (seconds == 0)
        return 0;
    trace_cut(replay->trace, seconds);
    return replay->trace->count > 0
               ? 0
               : err_usage(err, "--span: '%s' has no changes so early; use a longer time",
                           replay->path);
}

/* Reads the file of --trace. */
static int read_trace(struct replay_config *replay, struct err *err)
{
    replay->trace = err_calloc(1, sizeof *replay->trace, err);
    if (replay->trace == NULL)
        return -1;
    if (trace_read(replay->path, replay->trace, err) == 0)
        return 0;
    const struct err why = *err;
    return err_set_class(err, why.kind, "--trace: %s", why.text);
}

int replay_resolve(struct load_config *config, const char *name, struct err *err)
{
    struct replay_config *const replay = &config->replay;

    if (replay->path == NULL)
        return err_usage(err,
                         "--trace is missing: --workload=%s needs a file that ubench_report trace "
                         "made",
                         name);
    if (read_trace(replay, err) != 0 || check_trace(config, err) != 0 ||
        cut_trace(replay, err) != 0 || set_mix(config, err) != 0 || check_memory(config, err) != 0)
        return -1;
    config->count = replay->trace->count;
    config->preload = replay->trace->active;
    return 0;
}

void replay_config_release(struct replay_config *replay)
{
    if (replay->trace != NULL)
        trace_release(replay->trace);
    free(replay->trace);
    replay->trace = NULL;
}

void replay_describe(const struct load_config *config, const char *name, char *text, size_t size)
{
    const struct trace *const trace = config->replay.trace;

    (void)name;
    (void)snprintf(text, size, "%s changes of a trace of %s", units_count(UNITS_TEXT, trace->count),
                   units_count(UNITS_TEXT, trace->leases));
}

void replay_find_places(const struct mix *mix, size_t places[static REPLAY_KINDS])
{
    for (size_t place = 0; place < mix->count; place++) {
        for (size_t kind = 0; kind < REPLAY_KINDS; kind++) {
            if (strcmp(mix->kinds[place].exchange.name, kinds[kind].name) == 0)
                places[kind] = place;
        }
    }
}
