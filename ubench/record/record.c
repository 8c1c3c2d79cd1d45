/* SPDX-License-Identifier: ISC */
#include "record/record.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"
#include "measure/queue_growth.h"

const char *record_copy_text(struct arena *memory, const char *text)
{
    char *const copy = arena_text(memory, text);

    text_clean(copy);
    return copy;
}

struct record_properties
record_copy_properties(struct arena *memory,
                       const struct properties *properties)
{
    struct record_property *const items =
        arena_alloc(memory, properties->count, sizeof *items);
    size_t count = 0;

    for (size_t i = 0; i < properties->count; i++) {
        const char *const key =
            record_copy_text(memory, properties->items[i].key);
        size_t k = 0;

        while (k < count && strcmp(items[k].key, key) != 0)
            k++;
        items[k].key = key;
        items[k].value = record_copy_text(memory, properties->items[i].value);
        count += k == count;
    }
    return (struct record_properties){ count, items };
}

static double known_quantile(const struct histogram *histogram, double q)
{
    return histogram_quantile_known(histogram, q)
               ? histogram_quantile(histogram, q)
               : NAN;
}

static void copy_buckets(struct arena *memory,
                         const struct histogram *histogram,
                         struct record_histogram *to)
{
    size_t filled = 0;

    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        filled += histogram->counts[i] > 0;
    struct record_bucket *const buckets =
        arena_alloc(memory, filled, sizeof *buckets);
    to->buckets = buckets;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (histogram->counts[i] > 0)
            buckets[to->bucket_count++] =
                (struct record_bucket){ histogram_bucket_low_ns(i),
                                        histogram->counts[i] };
    }
}

void record_histogram_fill(struct record_histogram *to,
                           const struct histogram *histogram)
{
    to->count = histogram->count;
    to->sum_ns = histogram->sum_ns;
    to->min_ns = histogram->min_ns;
    to->max_ns = histogram->max_ns;
    to->mean_ns = histogram_mean(histogram);
    to->sd_ns = histogram_sd(histogram);
    to->p50_ns = known_quantile(histogram, 0.5);
    to->p95_ns = known_quantile(histogram, 0.95);
    to->p99_ns = known_quantile(histogram, 0.99);
    to->p99_9_ns = known_quantile(histogram, 0.999);
    to->p99_99_ns = known_quantile(histogram, 0.9999);
}

struct record_histogram record_histogram_of(struct arena *memory,
                                            const struct histogram *histogram)
{
    struct record_histogram to = { .count = 0 };

    if (histogram->count == 0)
        return to;
    record_histogram_fill(&to, histogram);
    copy_buckets(memory, histogram, &to);
    return to;
}

const char *record_properties_find(const struct record_properties *properties,
                                   const char *key)
{
    for (size_t i = 0; i < properties->count; i++) {
        if (strcmp(properties->items[i].key, key) == 0)
            return properties->items[i].value;
    }
    return NULL;
}

bool record_is_reference(const struct record *record)
{
    const char *const role = record_properties_find(&record->labels, "role");

    return role != NULL && strcmp(role, "reference") == 0;
}

bool record_is_fill(const struct record *record)
{
    return strcmp(record_parameter(record, "workload"), "fill") == 0;
}

bool record_is_of_exchanges(const struct record *record)
{
    const char *const workload = record_parameter(record, "workload");

    /* Before the first run, and of lines that do not name their workload. */
    if (record->run_count == 0 || workload[0] != '\0')
        return workload[0] != '\0' && strcmp(workload, "phases") != 0 &&
               strcmp(workload, "churn") != 0;
    return record->runs[0].together || record->runs[0].open != NULL;
}

const char *record_parameter(const struct record *record, const char *name)
{
    const char *const value = record_properties_find(&record->parameters, name);

    return value != NULL ? value : "";
}

bool record_is_v6(const struct record *record)
{
    return strcmp(record_parameter(record, "ipv6"), "yes") == 0;
}

uint64_t record_parameter_count(const struct record *record, const char *name,
                                uint64_t fallback)
{
    uint64_t count;

    return units_scan_count(record_parameter(record, name), &count) == 0 &&
                   count > 0 && count <= RECORD_NUMBER_MAX
               ? count
               : fallback;
}

size_t record_complete_runs(const struct record *record)
{
    size_t count = 0;

    while (count < record->run_count && !record->runs[count].incomplete)
        count++;
    return count;
}

double record_trial_bad_share(const struct record_trial *trial,
                              uint64_t deadline_ns)
{
    uint64_t bad = trial->dropped + trial->failed + trial->unanswered;

    if (deadline_ns == trial->deadline_ns)
        bad += trial->late;
    for (size_t i = 0;
         deadline_ns != trial->deadline_ns && i < trial->response.bucket_count;
         i++) {
        const struct record_bucket *const bucket = &trial->response.buckets[i];

        if (histogram_bucket_of(bucket->low_ns) >
            histogram_bucket_of(deadline_ns))
            bad += bucket->count;
    }
    return trial->offered > 0 ? (double)bad / (double)trial->offered : 0;
}

bool record_trial_queue_growing(const struct record_trial *trial,
                                uint64_t deadline_ns)
{
    const struct queue_growth seen = {
        .size = trial->queue,
        .elapsed_ns = trial->elapsed_ns,
        .answered = trial->answered,
        .dropped = trial->dropped,
        .first_wait_ns = trial->wait_ns[0],
        .last_wait_ns = trial->wait_ns[2],
    };

    return queue_growth_goes_on(&seen, deadline_ns);
}

double record_phase_rate(const struct record_phase *phase)
{
    return phase->elapsed_ns > 0
               ? (double)phase->operations * 1e9 / (double)phase->elapsed_ns
               : 0;
}

uint64_t record_run_elapsed_ns(const struct record_run *run)
{
    uint64_t sum = 0;
    uint64_t longest = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        const uint64_t elapsed_ns = run->phases[i].elapsed_ns;

        sum += elapsed_ns;
        longest = elapsed_ns > longest ? elapsed_ns : longest;
    }
    return run->together ? longest : sum;
}

uint64_t record_run_operations(const struct record_run *run)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        sum += run->phases[i].operations;
    return sum;
}

uint64_t record_run_steps(const struct record_run *run)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        for (size_t k = 0; k < run->phases[i].step_count; k++)
            sum += run->phases[i].steps[k].count;
    }
    return sum;
}

double record_run_rate(const struct record_run *run)
{
    const uint64_t elapsed_ns = record_run_elapsed_ns(run);

    return elapsed_ns > 0
               ? (double)record_run_operations(run) * 1e9 / (double)elapsed_ns
               : 0;
}

double record_run_mean_time_ns(const struct record_run *run)
{
    return (double)record_run_elapsed_ns(run) / (double)run->phase_count;
}

double record_run_mean_rate(const struct record_run *run)
{
    double sum = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        sum += record_phase_rate(&run->phases[i]);
    return sum / (double)run->phase_count;
}

const struct record_phase *record_run_phase(const struct record_run *run,
                                            const char *name)
{
    for (size_t i = 0; i < run->phase_count; i++) {
        if (strcmp(run->phases[i].name, name) == 0)
            return &run->phases[i];
    }
    return NULL;
}

static int restore(const struct record_histogram *from,
                   struct histogram *restored)
{
    histogram_init(restored);
    for (size_t i = 0; i < from->bucket_count; i++) {
        if (histogram_bucket_add(restored, from->buckets[i].low_ns,
                                 from->buckets[i].count) != 0)
            return -1;
    }
    return restored->count == from->count
               ? histogram_restore(restored, from->sum_ns, from->min_ns,
                                   from->max_ns)
               : -1;
}

int record_histogram_restore(const struct record_histogram *from,
                             struct histogram *histogram)
{
    struct histogram restored;

    if (from->count == 0)
        return 0;
    if (restore(from, &restored) != 0)
        return -1;
    histogram_add(histogram, &restored);
    return 0;
}

double latency_figure(const struct record_histogram *histogram,
                      enum latency_figure figure)
{
    const double figures[LATENCY_FIGURES] = {
        [LATENCY_P50] = histogram->p50_ns,
        [LATENCY_P95] = histogram->p95_ns,
        [LATENCY_P99] = histogram->p99_ns,
        [LATENCY_P99_9] = histogram->p99_9_ns,
        [LATENCY_P99_99] = histogram->p99_99_ns,
        [LATENCY_MAX] = (double)histogram->max_ns,
        [LATENCY_MIN] = (double)histogram->min_ns,
        [LATENCY_MEAN] = histogram->mean_ns,
        [LATENCY_SD] = histogram->sd_ns,
    };

    return histogram->count > 0 ? figures[figure] : (double)NAN;
}

bool record_is_of_2012(const struct record *record)
{
    return !record_is_of_exchanges(record) &&
           record->runs[0].phase_count == RECORD_GUIDE_PHASES;
}
