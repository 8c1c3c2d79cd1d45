/* SPDX-License-Identifier: ISC */
#include "runner/json/json_phase.h"

#include "runner/result.h"

_Static_assert(JSON_UNKNOWN == USAGE_UNKNOWN, "both are null");

void json_histogram(struct json *out, const char *name, const struct histogram *histogram)
{
    if (histogram->count == 0) {
        json_null(out, name);
        return;
    }
    json_begin(out, name, '{');
    json_count(out, "count", histogram->count);
    json_count(out, "sum_ns", histogram->sum_ns);
    json_count(out, "min_ns", histogram->min_ns);
    json_count(out, "max_ns", histogram->max_ns);
    json_real(out, "mean_ns", histogram_mean(histogram));
    json_real(out, "sd_ns", histogram_sd(histogram));
    json_begin(out, "buckets", '[');
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (histogram->counts[i] == 0)
            continue;
        json_begin(out, NULL, '[');
        json_count(out, NULL, histogram_bucket_low_ns(i));
        json_count(out, NULL, histogram->counts[i]);
        json_end(out, ']');
    }
    json_end(out, ']');
    for (size_t i = 0; i < QUANTILES; i++)
        json_real(out, quantiles[i].member, quantile_ns(histogram, &quantiles[i]));
    json_end(out, '}');
}

void json_series(struct json *out, const struct series *series)
{
    json_begin(out, "series", '[');
    for (size_t i = 0; i < series->count; i++) {
        json_begin(out, NULL, '[');
        json_count(out, NULL, series_operations(series, i));
        json_real(out, NULL, series_quantile(series, i, 0.99));
        json_end(out, ']');
    }
    json_end(out, ']');
}

static void write_steps(struct json *out, const struct phase_result *phase)
{
    json_begin(out, "steps", '[');
    for (size_t i = 0; i < phase->step_count; i++) {
        const struct step_result *const step = &phase->steps[i];

        json_begin(out, NULL, '{');
        json_text(out, "name", step->name);
        json_text(out, "operation", step->operation);
        json_count(out, "count", step->hits + step->misses);
        json_count(out, "hits", step->hits);
        json_count(out, "misses", step->misses);
        json_histogram(out, "latency", &step->latency);
        if (step->predicted > 0)
            json_real(out, "predicted", step->predicted);
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void write_usage(struct json *out, const struct usage *usage)
{
    json_begin(out, "usage", '{');
    json_count(out, "user_ns", usage->user_ns);
    json_count(out, "system_ns", usage->system_ns);
    json_count(out, "voluntary_switches", usage->voluntary_switches);
    json_count(out, "involuntary_switches", usage->involuntary_switches);
    json_count(out, "written_bytes", usage->written_bytes);
    json_count(out, "disk_bytes", usage->disk_bytes);
    json_count(out, "fdatasyncs", usage->fdatasyncs);
    json_count(out, "max_rss_bytes", usage->max_rss_bytes);
    json_count(out, "instructions", usage->instructions);
    json_count(out, "cycles", usage->cycles);
    json_count(out, "server_cpu_ns", usage->server_cpu_ns);
    json_count(out, "server_syncs", usage->server_syncs);
    json_count(out, "server_log_bytes", usage->server_log_bytes);
    json_count(out, "server_scanned_rows", usage->server_scanned);
    json_count(out, "server_instructions", usage->server_instructions);
    json_count(out, "server_cycles", usage->server_cycles);
    json_end(out, '}');
}

static void write_allocation(struct json *out, const struct allocation_counts *counts)
{
    json_begin(out, "allocation", '{');
    json_count(out, "offered", counts->offered);
    json_count(out, "offered_twice", counts->offered_twice);
    json_count(out, "lost", counts->lost);
    json_count(out, "lost_on_insert", counts->lost_on_insert);
    json_end(out, '}');
}

void json_phase(struct json *out, const struct phase_result *phase, uint64_t zero_ns,
                bool shares_pool)
{
    const bool reached = phase->begun_ns != 0;

    json_begin(out, NULL, '{');
    json_text(out, "name", phase->name);
    json_flag(out, "incomplete", !phase->complete);
    json_count(out, "operations", phase->done);
    json_count(out, "hits", phase->hits);
    json_count(out, "misses", phase->misses);
    json_count(out, "begun_ns", reached ? phase->begun_ns - zero_ns : JSON_UNKNOWN);
    json_count(out, "elapsed_ns", phase_elapsed_ns(phase));
    json_real(out, "rate_per_s", phase_rate_per_s(phase));
    json_histogram(out, "latency", &phase->operations);
    json_histogram(out, "commit", &phase->commits);
    json_series(out, &phase->series);
    if (reached)
        write_usage(out, &phase->usage);
    else
        json_null(out, "usage");
    if (phase->steps != NULL)
        json_count(out, "deadlocks", phase->deadlocks);
    if (phase->conflicts > 0)
        json_count(out, "conflicts", phase->conflicts);
    if (phase->stale > 0)
        json_count(out, "stale", phase->stale);
    if (shares_pool)
        write_allocation(out, &phase->allocation);
    if (phase->round_trips > 0)
        json_count(out, "round_trips", phase->round_trips);
    if (phase->steps != NULL)
        write_steps(out, phase);
    json_end(out, '}');
}
