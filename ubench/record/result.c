/* SPDX-License-Identifier: ISC */
#include "record/result.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "record/result_json.h"

static const char format_name[] = "ubench-result/1";

/* A text as JSON.  One that is not UTF-8, such as a file's name may be, gets a
   question mark for each of its bytes that is not ASCII. */
static json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    char copy[1024];

    if (json != NULL)
        return json;
    (void)snprintf(copy, sizeof copy, "%s", text);
    for (char *c = copy; *c != '\0'; c++) {
        if ((unsigned char)*c > 127)
            *c = '?';
    }
    return json_string(copy);
}

static json_t *properties_json(const struct properties *properties)
{
    json_t *const object = json_object();

    for (size_t i = 0; i < properties->count; i++)
        (void)json_object_set_new(object, properties->items[i].key,
                                  text_json(properties->items[i].value));
    return object;
}

/* A number that JSON has; where there is none, null. */
json_t *real_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *quantiles_json(const struct histogram *histogram)
{
    static const struct {
        const char *name;
        double quantile;
    } quantiles[] = { { "p50_ns", 0.5 },
                      { "p95_ns", 0.95 },
                      { "p99_ns", 0.99 },
                      { "p99.9_ns", 0.999 },
                      { "p99.99_ns", 0.9999 } };
    json_t *const object = json_object();

    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        const double q = quantiles[i].quantile;

        (void)json_object_set_new(
            object, quantiles[i].name,
            histogram_quantile_known(histogram, q)
                ? real_json(histogram_quantile(histogram, q))
                : json_null());
    }
    return object;
}

/* [lowest value in ns, count] of each bucket that is not empty. */
static json_t *buckets_json(const struct histogram *histogram)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (histogram->counts[i] > 0)
            (void)json_array_append_new(
                array,
                json_pack("[I, I]", (json_int_t)histogram_bucket_low_ns(i),
                          (json_int_t)histogram->counts[i]));
    }
    return array;
}

/* null if nothing was recorded. */
json_t *histogram_json(const struct histogram *histogram)
{
    if (histogram->count == 0)
        return json_null();
    json_t *const object = json_pack(
        "{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "count",
        (json_int_t)histogram->count, "sum_ns", (json_int_t)histogram->sum_ns,
        "min_ns", (json_int_t)histogram->min_ns, "max_ns",
        (json_int_t)histogram->max_ns, "mean_ns",
        real_json(histogram_mean(histogram)), "sd_ns",
        real_json(histogram_sd(histogram)), "buckets", buckets_json(histogram));
    json_t *const quantiles = quantiles_json(histogram);

    (void)json_object_update(object, quantiles);
    json_decref(quantiles);
    return object;
}

/* [operations, p99 in ns] of each second. */
static json_t *series_json(const struct series *series)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < series->count; i++)
        (void)json_array_append_new(
            array, json_pack("[I, o]", (json_int_t)series_operations(series, i),
                             real_json(series_quantile(series, i, 0.99))));
    return array;
}

static json_t *known_json(uint64_t value)
{
    return value == USAGE_UNKNOWN ? json_null()
                                  : json_integer((json_int_t)value);
}

static json_t *usage_json(const struct phase_result *phase)
{
    const struct usage *const usage = &phase->usage;

    return json_pack(
        "{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:I}", "user_ns",
        (json_int_t)usage->user_ns, "system_ns", (json_int_t)usage->system_ns,
        "voluntary_switches", (json_int_t)usage->voluntary_switches,
        "involuntary_switches", (json_int_t)usage->involuntary_switches,
        "written_bytes", known_json(usage->written_bytes), "disk_bytes",
        known_json(usage->disk_bytes), "fdatasyncs", known_json(phase->syncs),
        "max_rss_bytes", (json_int_t)usage->max_rss_bytes);
}

static json_t *steps_json(const struct phase_result *phase)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < phase->step_count; i++) {
        const struct step_result *const step = &phase->steps[i];
        const uint64_t count = step->hits + step->misses;
        json_t *const json = json_pack(
            "{s:s, s:s, s:I, s:I, s:I, s:o}", "name", step->name, "operation",
            step->operation, "count", (json_int_t)count, "hits",
            (json_int_t)step->hits, "misses", (json_int_t)step->misses,
            "latency", histogram_json(&step->latency));
        if (step->predicted > 0)
            (void)json_object_set_new(json, "predicted",
                                      real_json(step->predicted));
        (void)json_array_append_new(array, json);
    }
    return array;
}

static json_t *phase_json(const struct load_result *run, size_t i)
{
    const struct phase_result *const phase = &run->phases[i];
    const uint64_t zero_ns = run->phases[0].begun_ns;
    const bool reached = phase->begun_ns != 0;

    json_t *const json = json_pack(
        "{s:s, s:b, s:I, s:I, s:I, s:o, s:I, s:o, s:o, s:o, s:o}", "name",
        phase->name, "incomplete",
        phase->done + phase->deadlocks != phase->planned, "operations",
        (json_int_t)phase->done, "hits", (json_int_t)phase->hits, "misses",
        (json_int_t)phase->misses, "begun_ns",
        reached ? json_integer((json_int_t)(phase->begun_ns - zero_ns))
                : json_null(),
        "elapsed_ns", (json_int_t)phase_elapsed_ns(phase), "latency",
        histogram_json(&phase->operations), "commit",
        histogram_json(&phase->commits), "series", series_json(&phase->series),
        "usage", reached ? usage_json(phase) : json_null());
    if (phase->steps != NULL) {
        (void)json_object_set_new(json, "deadlocks",
                                  json_integer((json_int_t)phase->deadlocks));
        (void)json_object_set_new(json, "steps", steps_json(phase));
    }
    return json;
}

static json_t *baseline_json(double ns)
{
    return ns > 0 ? real_json(ns) : json_null();
}

static json_t *baselines_json(const struct record_baselines *baselines)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "clock_ns",
                     baseline_json(baselines->clock_ns), "fdatasync_ns",
                     baseline_json(baselines->fdatasync_ns), "fdatasync_min_ns",
                     baseline_json(baselines->fdatasync_min_ns),
                     "round_trip_ns", baseline_json(baselines->round_trip_ns),
                     "harness_ns", baseline_json(baselines->harness_ns));
}

static json_t *reconnect_json(const struct reconnect_tally *tally)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "outages",
        (json_int_t)tally->outages, "ended", (json_int_t)tally->ended,
        "outage_ns", (json_int_t)tally->outage_ns, "longest_ns",
        (json_int_t)tally->longest_ns, "connections",
        (json_int_t)tally->connections, "unknown", (json_int_t)tally->unknown,
        "found_done", (json_int_t)tally->found_done, "repeated",
        (json_int_t)tally->repeated);
}

static json_t *run_json(const struct result *result, size_t i)
{
    const struct load_result *const run = &result->runs[i];
    char digest[17];
    json_t *const phases = json_array();

    (void)snprintf(digest, sizeof digest, "%016" PRIx64, run->digest);
    for (size_t k = 0; k < run->phase_count; k++)
        (void)json_array_append_new(phases, phase_json(run, k));
    json_t *const json =
        json_pack("{s:b, s:b, s:o, s:b, s:I, s:s}", "incomplete",
                  i >= result_complete_runs(result), "together", run->together,
                  "phases", phases, "verified", run->verified, "leases_left",
                  (json_int_t)run->left, "digest", digest);
    if (run->reconnects)
        (void)json_object_set_new(json, "reconnect",
                                  reconnect_json(&run->reconnect));
    if (result->open != NULL)
        open_json_add(json, &result->open[i]);
    return json;
}

static json_t *result_json(const struct result *result)
{
    json_t *const runs = json_array();
    const size_t complete = result_complete_runs(result);

    for (size_t i = 0; i < result->run_count; i++)
        (void)json_array_append_new(runs, run_json(result, i));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:s, s:{s:s, s:o}, s:o, s:o, "
        "s:o, s:o, s:o, s:o}",
        "format", format_name, "program", result->program, "version",
        result->version, "store", result->store, "started_at",
        result->started_at, "incomplete", complete < result->repeat, "error",
        text_json(result->error), "warning", result->warning, "durability",
        "class", durability_name(result->durability), "from",
        text_json(result->durability_why), "parameters",
        properties_json(&result->parameters), "labels",
        properties_json(&result->labels), "facts",
        properties_json(&result->facts), "floors",
        baselines_json(&result->baselines), "host",
        properties_json(&result->host), "runs", runs);
}

static int output_failed(const char *path, struct err *err)
{
    return err_set(err, "--output: %s: %s", path, strerror(errno));
}

/* Writes a line at the end of a file that is locked; all of it or nothing. */
static int write_line(int file, const char *path, const char *line,
                      size_t length, struct err *err)
{
    struct stat before;

    if (fstat(file, &before) != 0)
        return output_failed(path, err);
    while (length > 0) {
        const ssize_t written = write(file, line, length);

        if (written < 0) {
            (void)output_failed(path, err);
            if (S_ISREG(before.st_mode))
                (void)ftruncate(file, before.st_size);
            return -1;
        }
        line += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Two runners never write at once: what cannot be locked (a pipe) is not
   shared. */
static int append_line(const char *path, const char *line, size_t length,
                       struct err *err)
{
    const int file =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

    if (file < 0)
        return output_failed(path, err);
    (void)flock(file, LOCK_EX);
    const int status = write_line(file, path, line, length, err);
    if (close(file) != 0 && status == 0)
        return output_failed(path, err);
    return status;
}

int result_append_text(char *text, const char *path, struct err *err)
{
    if (text == NULL)
        return err_set(err, "--output: %s: out of memory", path);
    const size_t length = strlen(text);

    text[length] = '\n'; /* in the place of the NUL */
    const int status = append_line(path, text, length + 1, err);
    free(text);
    return status;
}

int result_append(const struct result *result, const char *path,
                  struct err *err)
{
    json_t *const json = result_json(result);
    const int status = result_append_text(
        json != NULL ? json_dumps(json, JSON_COMPACT) : NULL, path, err);

    json_decref(json);
    return status;
}

int result_print(const struct result *result, FILE *out, struct err *err)
{
    json_t *const json = result_json(result);
    int status = 0;

    if (json == NULL || json_dumpf(json, out, JSON_COMPACT) != 0 ||
        fputc('\n', out) == EOF)
        status = err_set(err, "--json: the result could not be written");
    json_decref(json);
    return status;
}

/* A file that is not there yet: can it be made? */
static int check_folder(const char *path, struct err *err)
{
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof folder, "%s", path);
    return path[0] != '\0' && access(dirname(folder), W_OK | X_OK) == 0
               ? 0
               : output_failed(path, err);
}

int result_check_path(const char *path, struct err *err)
{
    struct stat status;
    char first = '{';

    /* Not to wait for whoever reads a pipe. */
    const int file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? check_folder(path, err)
                               : output_failed(path, err);
    const bool readable = fstat(file, &status) == 0 &&
                          S_ISREG(status.st_mode) && read(file, &first, 1) >= 0;
    (void)close(file);
    if (readable && first != '{')
        return err_set(err,
                       "--output: %s: has something else than results in "
                       "it",
                       path);
    return 0;
}
