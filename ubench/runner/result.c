/* SPDX-License-Identifier: ISC */
#include "runner/result.h"

#include <math.h>
#include <stdlib.h>

#include "core/clock.h"

size_t result_complete_runs(const struct result *result)
{
    size_t count = 0;

    while (count < result->run_count && result->runs[count].complete)
        count++;
    return count;
}

uint64_t result_at_risk(const struct result *result)
{
    const struct workload *const workload = result->config->workload;
    /* Exchanges are acknowledged after the commit. */
    const bool waits = workload != NULL && workload->exchanges;
    const struct load_config *const load = &result->config->load;
    const uint64_t share = /* with --turns count may be 0 */
        load->count > 0 ? (load->count + load->threads - 1) / load->threads : load->batch;
    const uint64_t group = load->batch < share ? load->batch : share;

    return load->batch > 1 && !waits ? group * load->threads : 0;
}

uint64_t run_operations(const struct load_result *run)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        sum += run->phases[i].done;
    return sum;
}

uint64_t run_store_operations(const struct load_result *run)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        for (size_t k = 0; k < run->phases[i].step_count; k++)
            sum += run->phases[i].steps[k].hits + run->phases[i].steps[k].misses;
    }
    return sum;
}

double run_rate_per_s(const struct runner_config *config, const struct load_result *run,
                      uint64_t operations)
{
    const uint64_t elapsed_ns = load_result_elapsed_ns(run);

    return run->open == NULL && (!config->workload->exchanges || run->together) && elapsed_ns > 0
               ? (double)operations * (double)NS_PER_S / (double)elapsed_ns
               : (double)NAN;
}

double run_sustained_per_s(const struct load_result *run)
{
    double lowest = INFINITY;

    for (size_t i = 0; i < RATE_GOALS; i++) {
        const struct rate_bracket *const found = &run->open->search.brackets[i];

        if (!found->verified || !(found->good_per_s > 0))
            return NAN;
        lowest = fmin(lowest, found->good_per_s);
    }
    return lowest;
}

struct verdict trial_verdict(const struct trial *trial)
{
    const bool bad = trial_bad(trial, trial->deadline_ns) > 0;
    const char *const invalid = trial_invalid(trial);

    if (!trial->complete)
        return (struct verdict){ "interrupted", "interrupted" };
    if (invalid != NULL)
        return (struct verdict){ "invalid", invalid };
    if (trial_queue_growing(trial, trial->deadline_ns))
        return bad ? (struct verdict){ "saturated", "saturated: the queue kept growing, so a "
                                                    "longer trial would drop more" }
                   : (struct verdict){ "growing",
                                       "undecided: the queue grew; use a longer --duration" };
    if (bad)
        return (struct verdict){ "not-in-time", "not all requests were answered in time" };
    return (struct verdict){ "sustained",
                             "sustained: nothing was dropped, and the queue did not grow" };
}

double hook_limit_per_s(const struct runner_config *config, const struct open_result *open)
{
    const struct load_config *const load = &config->load;
    const uint64_t servers = load->open.hook_pool > 0 ? load->open.hook_pool : load->threads;
    const double each_ns =
        histogram_mean(&open->closed.operations) + (double)load->open.hook_delay_ns;

    return (double)servers * (double)NS_PER_S / each_ns;
}

const struct quantile quantiles[QUANTILES] = {
    { "p50", 0.5, "p50_ns", true },           { "p95", 0.95, "p95_ns", false },
    { "p99", 0.99, "p99_ns", true },          { "p99.9", 0.999, "p99.9_ns", true },
    { "p99.99", 0.9999, "p99.99_ns", false },
};

double quantile_ns(const struct histogram *histogram, const struct quantile *quantile)
{
    return histogram_quantile_known(histogram, quantile->q)
               ? histogram_quantile(histogram, quantile->q)
               : (double)NAN;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double headline(double *values, size_t count)
{
    const size_t dropped = count >= 3 ? 1 : 0;
    double sum = 0;

    qsort(values, count, sizeof *values, compare);
    for (size_t i = dropped; i < count - dropped; i++)
        sum += values[i];
    return sum / (double)(count - 2 * dropped);
}

double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
