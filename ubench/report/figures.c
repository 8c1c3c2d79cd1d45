/* SPDX-License-Identifier: ISC */
#include "report/figures.h"

#include "core/clock.h"
#include "load/phases.h"
#include "measure/statistics.h"

double phase_time_s(const struct phase_result *phase)
{
    return (double)phase_elapsed_ns(phase) / (double)NS_PER_S;
}

/* Operations per second; 0 if there is nothing to divide by. */
static double rate(uint64_t operations, double time_s)
{
    return time_s > 0 ? (double)operations / time_s : 0;
}

double phase_rate(const struct phase_result *phase)
{
    return rate(phase->done, phase_time_s(phase));
}

struct figures figures_of_phase(const struct result *result, size_t phase,
                                phase_figure *figure)
{
    struct figures figures = { .count = result_complete_runs(result) };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&result->runs[i].phases[phase]);
    return figures;
}

double run_time_s(const struct load_result *run)
{
    return (double)load_result_elapsed_ns(run) / (double)NS_PER_S;
}

uint64_t run_done(const struct load_result *run)
{
    uint64_t done = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        done += run->phases[i].done;
    return done;
}

double run_rate(const struct load_result *run)
{
    return rate(run_done(run), run_time_s(run));
}

double run_mean_time_s(const struct load_result *run)
{
    return run_time_s(run) / (double)run->phase_count;
}

double run_mean_rate(const struct load_result *run)
{
    double sum = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        sum += phase_rate(&run->phases[i]);
    return sum / (double)run->phase_count;
}

uint64_t run_steps_done(const struct load_result *run)
{
    uint64_t done = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        for (size_t k = 0; k < run->phases[i].step_count; k++)
            done +=
                run->phases[i].steps[k].hits + run->phases[i].steps[k].misses;
    }
    return done;
}

double run_step_rate(const struct load_result *run)
{
    return rate(run_steps_done(run), run_time_s(run));
}

struct figures figures_of_runs(const struct result *result, run_figure *figure)
{
    struct figures figures = { .count = result_complete_runs(result) };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&result->runs[i]);
    return figures;
}

double figures_headline(const struct figures *figures)
{
    return statistics_headline(figures->values, figures->count).mean;
}

bool figures_of_2012(const struct result *result)
{
    return !result->exchanges && result->runs[0].phase_count == PHASE_COUNT;
}

bool figures_have_overall(const struct result *result)
{
    return !result->exchanges || result->runs[0].together;
}
