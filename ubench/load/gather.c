/* SPDX-License-Identifier: ISC */
#include "load/gather.h"

static void gather_histogram(struct ranks *ranks, struct histogram *histogram)
{
    ranks_sum(ranks, &histogram->count, 1);
    ranks_sum(ranks, &histogram->sum_ns, 1);
    ranks_least(ranks, &histogram->min_ns, 1);
    ranks_most(ranks, &histogram->max_ns, 1);
    ranks_sum(ranks, histogram->counts, HISTOGRAM_BUCKETS);
}

/* The sum is as long as the longest series, unless memory is short in a rank. */
static void gather_series(struct ranks *ranks, struct series *series)
{
    uint64_t longest = series->count;
    uint64_t failed = 0;
    size_t count = 0;

    ranks_most(ranks, &longest, 1);
    if (!series_extend(series, longest))
        failed = 1;
    ranks_most(ranks, &failed, 1);
    series->failed = series->failed || failed != 0;
    if (failed != 0)
        return;
    uint32_t *const counters = series_counters(series, &count);
    ranks_sum_32(ranks, counters, count);
}

/* The sum is unknown if the value of any rank is. */
static void gather_usage(struct ranks *ranks, struct usage *usage)
{
    uint64_t *const own[] = {
        &usage->user_ns,
        &usage->system_ns,
        &usage->voluntary_switches,
        &usage->involuntary_switches,
        &usage->written_bytes,
        &usage->disk_bytes,
        &usage->max_rss_bytes,
        &usage->instructions,
        &usage->cycles,
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        uint64_t most = *own[i];

        ranks_most(ranks, &most, 1);
        ranks_sum(ranks, own[i], 1);
        if (most == USAGE_UNKNOWN)
            *own[i] = USAGE_UNKNOWN;
    }
}

/* The phase lasts from the first operation to the last of any rank. */
static void gather_times(struct ranks *ranks, struct phase_result *phase)
{
    const bool reached = phase->begun_ns != 0;
    uint64_t begun_ns = reached ? ranks_common_ns(ranks, phase->begun_ns) : UINT64_MAX;
    uint64_t ended_ns = reached ? ranks_common_ns(ranks, phase->ended_ns) : 0;

    ranks_least(ranks, &begun_ns, 1);
    ranks_most(ranks, &ended_ns, 1);
    if (begun_ns == UINT64_MAX)
        return; /* no rank reached it */
    phase->begun_ns = begun_ns;
    phase->ended_ns = ended_ns;
}

static void gather_phase(struct ranks *ranks, struct phase_result *phase)
{
    struct allocation_counts *const allocation = &phase->allocation;
    uint64_t *const counts[] = {
        &phase->done,         &phase->hits,
        &phase->misses,       &phase->commits_due,
        &phase->deadlocks,    &phase->conflicts,
        &phase->stale,        &phase->round_trips,
        &allocation->offered, &allocation->offered_twice,
        &allocation->lost,    &allocation->lost_on_insert,
    };

    uint64_t complete = phase->complete;

    gather_times(ranks, phase);
    ranks_least(ranks, &complete, 1);
    phase->complete = complete != 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ranks_sum(ranks, counts[i], 1);
    gather_histogram(ranks, &phase->operations);
    gather_histogram(ranks, &phase->commits);
    gather_series(ranks, &phase->series);
    gather_usage(ranks, &phase->usage);
    for (size_t i = 0; i < phase->step_count; i++) {
        ranks_sum(ranks, &phase->steps[i].hits, 1);
        ranks_sum(ranks, &phase->steps[i].misses, 1);
        gather_histogram(ranks, &phase->steps[i].latency);
    }
}

void gather(struct ranks *ranks, struct load_result *result)
{
    uint64_t phases = result->phase_count; /* 0 in a rank that did not begin */

    if (ranks_count(ranks) == 1)
        return;
    ranks_least(ranks, &phases, 1);
    for (size_t i = 0; i < phases; i++)
        gather_phase(ranks, &result->phases[i]);
    ranks_sum(ranks, &result->read_back, 1);
    ranks_sum(ranks, &result->read_back_of, 1);
    ranks_sum(ranks, &result->digest, 1);
}
