/* SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>

#include "core/clock.h"
#include "core/random.h"
#include "core/units.h"
#include "load/exchange/plan.h"
#include "load/openloop/open_load.h"

static double requests_mean(double per_s, uint64_t duration_ns)
{
    return per_s * (double)duration_ns / (double)NS_PER_S;
}

/* How many requests there can be, at most, but for one in a thousand million
   cases: for the memory that is taken before. */
static uint64_t requests_max(double per_s, uint64_t duration_ns)
{
    const double mean = requests_mean(per_s, duration_ns);

    return (uint64_t)(mean + 6 * sqrt(mean)) + 20;
}

/* Makes a trial, whose times and rate are set, by the draws of seed. */
static enum load_end try_rate(struct open_run *run, struct trial *trial,
                              uint64_t seed)
{
    const uint64_t offered_ns = trial->warmup_ns + trial->duration_ns;
    struct arrivals arrivals;

    arrivals_init(&arrivals, run->config.open.arrivals, trial->per_s,
                  offered_ns, seed);
    trial->source = arrivals_source(&arrivals);
    return open_load_trial(run, trial, requests_max(trial->per_s, offered_ns),
                           (uint64_t)requests_mean(trial->per_s, offered_ns) +
                               1);
}

/* The rate of this part of the run.  Each part has draws of its own: together
   they are one Poisson process again. */
static double part_per_s(const struct load_config *config)
{
    return config->open.per_s / (double)load_parts(config);
}

static uint64_t part_seed(const struct load_config *config)
{
    return config->part > 0 ? random_at(config->seed, config->part)
                            : config->seed;
}

static void begin_schedule(const struct load_config *config,
                           struct arrivals *arrivals)
{
    arrivals_init(arrivals, config->open.arrivals, part_per_s(config),
                  config->open.duration_ns, part_seed(config));
}

static void set_up(const struct load_config *config, struct trial *trial)
{
    trial->per_s = part_per_s(config);
    trial->duration_ns = config->open.duration_ns;
    trial->deadline_ns = config->open.deadline_ns;
    trial->drain_ns = config->open.deadline_ns;
}

static enum load_end run_at_rate(struct open_run *run)
{
    const struct load_config *const load = &run->config;
    struct trial *const predicted = &run->open->predicted;
    struct arrivals arrivals;

    set_up(load, predicted);
    begin_schedule(load, &arrivals);
    predicted->source = arrivals_source(&arrivals);
    const enum load_end end = open_load_predict(run);
    if (end != LOAD_DONE)
        return end;
    struct trial *const trial = open_load_add_trial(run);
    if (trial == NULL)
        return LOAD_FAILED;
    set_up(load, trial);
    return try_rate(run, trial, part_seed(load));
}

/* Refuses before the run what the options tell. */
static int resolve_rate(struct load_config *config, const char *workload,
                        struct err *err)
{
    struct load_config trial;
    struct arrivals arrivals;

    if (exchange_plan_resolve(config, workload, err) != 0)
        return -1;
    begin_schedule(config, &arrivals);
    const struct arrival_source source = arrivals_source(&arrivals);
    if (source.due_ns(source.context) == ARRIVALS_NEVER)
        return err_set_class(
            err, ERR_USAGE,
            "--duration: no request comes in %s at "
            "--rate=%g; take a longer one",
            units_duration(UNITS_TEXT, config->open.duration_ns),
            config->open.per_s);
    trial = *config;
    if (open_load_plan(
            &trial, requests_max(part_per_s(config), config->open.duration_ns),
            NULL, err) == 0)
        return 0;
    err->kind = ERR_USAGE;
    return -1;
}

const struct workload workload_rate = {
    .option = "rate",
    .kind = WORKLOAD_RATE,
    .open = OPEN_RATE,
    .exchanges = true,
    .warm_up = &workload_exchanges,
    .resolve = resolve_rate,
    .trials = run_at_rate,
    .run = open_load_run,
};

/* The search for the highest rate */

struct search {
    struct open_run *run;
    enum load_end end; /* the worst of all trials */
};

static bool make_trial(void *context, uint64_t number, struct trial *trial)
{
    struct search *const search = context;
    struct open_run *const run = search->run;

    search->end = try_rate(run, trial, random_at(run->config.seed, number));
    return search->end == LOAD_DONE;
}

/* Begins with about what is possible: what the store can do, or the blocking
   call if that is less. */
static enum load_end find_rate(struct open_run *run)
{
    struct search search = { .run = run };
    const struct open_result *const open = run->open;
    const double blocked_per_s =
        (double)open->servers * (double)NS_PER_S / (double)open->service_ns;
    const struct rate_search_config config = {
        .start_per_s = run->config.open.hook_delay_ns > 0
                           ? fmin(blocked_per_s, open->capacity.per_s)
                           : open->capacity.per_s,
        .fine_ns = run->config.open.duration_ns,
        .make = make_trial,
        .context = &search,
    };

    return rate_search_run(&config, &run->open->search, run->err) == 0
               ? search.end
               : LOAD_FAILED;
}

static void announce(const struct load_config *config, FILE *out)
{
    const double expected_ns =
        (double)rate_search_expected_ns(config->open.duration_ns);

    (void)fprintf(out,
                  "search      takes about %.0f min, and a preload before each "
                  "trial\n",
                  ceil(expected_ns / (60.0 * (double)NS_PER_S)));
}

const struct workload workload_find_rate = {
    .option = "find-rate",
    .kind = WORKLOAD_FIND_RATE,
    .open = OPEN_SEARCH,
    .exchanges = true,
    .warm_up = &workload_exchanges,
    .resolve = exchange_plan_resolve,
    .announce = announce,
    .trials = find_rate,
    .run = open_load_run,
};
