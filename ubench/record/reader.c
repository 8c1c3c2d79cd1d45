/* SPDX-License-Identifier: ISC */
#include "record/reader.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/members.h"

static const char format_result[] = "ubench-result/1";
static const char format_crash[] = "ubench-crash/1";

/* Members of an object */

bool record_complain_of(struct record_reader *reader, const char *key,
                        const char *what)
{
    if (reader->complaint[0] == '\0')
        (void)snprintf(reader->complaint, sizeof reader->complaint,
                       "%s%s%.80s %s", reader->where,
                       reader->where[0] != '\0' ? ": " : "", key, what);
    return false;
}

/* The member; NULL if it is not there, or null, which is a complaint if it is
   needed. */
static json_t *find_member(struct record_reader *reader, const json_t *object,
                           const char *key, bool needed)
{
    json_t *const value = json_object_get(object, key);

    if (value != NULL && !json_is_null(value))
        return value;
    if (needed)
        (void)record_complain_of(reader, key, "is missing");
    return NULL;
}

uint64_t record_read_count(struct record_reader *reader, const json_t *object,
                           const char *key, bool needed)
{
    const json_t *const value = find_member(reader, object, key, needed);

    if (value == NULL)
        return RECORD_UNKNOWN;
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        (void)record_complain_of(reader, key, "is not a whole number");
        return RECORD_UNKNOWN;
    }
    return (uint64_t)json_integer_value(value);
}

double record_read_real(struct record_reader *reader, const json_t *object,
                        const char *key, double missing)
{
    const json_t *const value = find_member(reader, object, key, false);

    if (value == NULL)
        return missing;
    if (!json_is_number(value) || json_number_value(value) < 0) {
        (void)record_complain_of(reader, key, "is not a number from 0 on");
        return missing;
    }
    return json_number_value(value);
}

bool record_read_flag(struct record_reader *reader, const json_t *object,
                      const char *key)
{
    const json_t *const value = find_member(reader, object, key, false);

    if (value != NULL && !json_is_boolean(value))
        return record_complain_of(reader, key, "is neither true nor false");
    return json_is_true(value);
}

const char *record_read_text(struct record_reader *reader, const json_t *object,
                             const char *key, bool needed)
{
    const json_t *const value = find_member(reader, object, key, needed);

    if (value == NULL)
        return "";
    if (!json_is_string(value)) {
        (void)record_complain_of(reader, key, "is not a text");
        return "";
    }
    return record_copy_text(reader->memory, json_string_value(value));
}

json_t *record_read_container(struct record_reader *reader,
                              const json_t *object, const char *key,
                              json_type type, bool needed)
{
    json_t *const value = find_member(reader, object, key, needed);

    if (value != NULL && json_typeof(value) != type) {
        (void)record_complain_of(reader, key,
                                 type == JSON_OBJECT ? "is not an object"
                                                     : "is not an array");
        return NULL;
    }
    return value;
}

static void read_properties(struct record_reader *reader, const json_t *line,
                            const char *key, bool needed,
                            struct record_properties *properties)
{
    json_t *const object =
        record_read_container(reader, line, key, JSON_OBJECT, needed);
    struct record_property *const items =
        arena_alloc(reader->memory, json_object_size(object), sizeof *items);
    const char *name;
    json_t *value;

    properties->items = items;
    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value)) {
            (void)snprintf(reader->where, sizeof reader->where, "%s", key);
            (void)record_complain_of(reader, name, "is not a text");
            return;
        }
        items[properties->count].key = arena_text(reader->memory, name);
        items[properties->count++].value =
            record_copy_text(reader->memory, json_string_value(value));
    }
}

/* The parts of a line */

static bool read_pair(const json_t *pair, struct record_bucket *bucket)
{
    const json_t *const low = json_array_get(pair, 0);
    const json_t *const count = json_array_get(pair, 1);

    if (!json_is_integer(low) || json_integer_value(low) < 0 ||
        !json_is_integer(count) || json_integer_value(count) < 0)
        return false;
    bucket->low_ns = (uint64_t)json_integer_value(low);
    bucket->count = (uint64_t)json_integer_value(count);
    return true;
}

static bool read_buckets(struct record_reader *reader, const json_t *object,
                         struct record_histogram *histogram)
{
    const json_t *const array =
        record_read_container(reader, object, "buckets", JSON_ARRAY, true);
    const size_t count = json_array_size(array);
    struct record_bucket *const buckets =
        arena_alloc(reader->memory, count, sizeof *buckets);

    for (size_t i = 0; i < count; i++) {
        if (!read_pair(json_array_get(array, i), &buckets[i]))
            return record_complain_of(reader, "buckets",
                                      "is not of [low, count]");
    }
    histogram->bucket_count = count;
    histogram->buckets = buckets;
    return array != NULL;
}

struct record_histogram record_read_histogram(struct record_reader *reader,
                                              const json_t *phase,
                                              const char *key)
{
    const json_t *const object =
        record_read_container(reader, phase, key, JSON_OBJECT, false);
    struct record_histogram histogram = { 0 };

    if (object == NULL || !read_buckets(reader, object, &histogram))
        return histogram;
    histogram.count = record_read_count(reader, object, "count", true);
    histogram.sum_ns = record_read_count(reader, object, "sum_ns", true);
    histogram.min_ns = record_read_count(reader, object, "min_ns", true);
    histogram.max_ns = record_read_count(reader, object, "max_ns", true);
    histogram.mean_ns = record_read_real(reader, object, "mean_ns", NAN);
    histogram.sd_ns = record_read_real(reader, object, "sd_ns", NAN);
    histogram.p50_ns = record_read_real(reader, object, "p50_ns", NAN);
    histogram.p95_ns = record_read_real(reader, object, "p95_ns", NAN);
    histogram.p99_ns = record_read_real(reader, object, "p99_ns", NAN);
    histogram.p99_9_ns = record_read_real(reader, object, "p99.9_ns", NAN);
    histogram.p99_99_ns = record_read_real(reader, object, "p99.99_ns", NAN);
    return histogram;
}

static void read_series(struct record_reader *reader, const json_t *object,
                        struct record_phase *phase)
{
    const json_t *const array =
        record_read_container(reader, object, "series", JSON_ARRAY, false);
    const size_t count = json_array_size(array);
    struct record_second *const seconds =
        arena_alloc(reader->memory, count, sizeof *seconds);

    for (size_t i = 0; i < count; i++) {
        const json_t *const second = json_array_get(array, i);
        const json_t *const operations = json_array_get(second, 0);
        const json_t *const p99_ns = json_array_get(second, 1);

        if (!json_is_integer(operations) ||
            json_integer_value(operations) < 0 || !json_is_number(p99_ns)) {
            (void)record_complain_of(reader, "series",
                                     "is not of [operations, p99 in ns]");
            return;
        }
        seconds[i] = (struct record_second){
            .operations = (uint64_t)json_integer_value(operations),
            .p99_ns = json_number_value(p99_ns),
        };
    }
    phase->series = seconds;
    phase->second_count = count;
}

static struct record_usage read_usage(struct record_reader *reader,
                                      const json_t *phase)
{
    /* What is not there at all reads as RECORD_UNKNOWN throughout. */
    const json_t *const object =
        record_read_container(reader, phase, "usage", JSON_OBJECT, false);

    return (struct record_usage){
        .user_ns = record_read_count(reader, object, "user_ns", false),
        .system_ns = record_read_count(reader, object, "system_ns", false),
        .voluntary_switches =
            record_read_count(reader, object, "voluntary_switches", false),
        .involuntary_switches =
            record_read_count(reader, object, "involuntary_switches", false),
        .written_bytes =
            record_read_count(reader, object, "written_bytes", false),
        .disk_bytes = record_read_count(reader, object, "disk_bytes", false),
        .fdatasyncs = record_read_count(reader, object, "fdatasyncs", false),
        .max_rss_bytes =
            record_read_count(reader, object, "max_rss_bytes", false),
    };
}

static void read_phase(struct record_reader *reader, const json_t *object,
                       size_t run, struct record_phase *phase)
{
    (void)snprintf(reader->where, sizeof reader->where, "run %zu", run + 1);
    if (!json_is_object(object)) {
        (void)record_complain_of(reader, "a phase", "is not an object");
        return;
    }
    phase->name = record_read_text(reader, object, "name", true);
    (void)snprintf(reader->where, sizeof reader->where, "run %zu, %.40s",
                   run + 1, phase->name);
    phase->incomplete = record_read_flag(reader, object, "incomplete");
    phase->operations = record_read_count(reader, object, "operations", true);
    phase->hits = record_read_count(reader, object, "hits", false);
    phase->misses = record_read_count(reader, object, "misses", false);
    phase->begun_ns = record_read_count(reader, object, "begun_ns", false);
    phase->elapsed_ns = record_read_count(reader, object, "elapsed_ns", true);
    phase->latency = record_read_histogram(reader, object, "latency");
    phase->commit = record_read_histogram(reader, object, "commit");
    read_series(reader, object, phase);
    phase->usage = read_usage(reader, object);
}

/* The lowest of the rates that were found for the limits of a search; 0 where
   one was not confirmed, or nothing was searched for. */
static double read_goals(struct record_reader *reader, const json_t *run)
{
    const json_t *const goals =
        record_read_container(reader, run, "goals", JSON_ARRAY, false);
    double lowest = INFINITY;

    for (size_t i = 0; i < json_array_size(goals); i++) {
        const json_t *const goal = json_array_get(goals, i);
        const double rate = record_read_real(reader, goal, "low_per_s", 0);

        lowest =
            fmin(lowest, record_read_flag(reader, goal, "verified") ? rate : 0);
    }
    return isfinite(lowest) ? lowest : 0;
}

static void read_run(struct record_reader *reader, const json_t *object,
                     size_t number, struct record_run *run)
{
    (void)snprintf(reader->where, sizeof reader->where, "run %zu", number + 1);
    const json_t *const array =
        record_read_container(reader, object, "phases", JSON_ARRAY, true);
    struct record_phase *const phases =
        arena_alloc(reader->memory, json_array_size(array), sizeof *phases);

    if (array != NULL && json_array_size(array) == 0)
        (void)record_complain_of(reader, "phases", "are none");
    run->incomplete = record_read_flag(reader, object, "incomplete");
    run->together = record_read_flag(reader, object, "together");
    run->verified = record_read_flag(reader, object, "verified");
    run->leases_left = record_read_count(reader, object, "leases_left", false);
    run->digest = record_read_text(reader, object, "digest", false);
    run->phase_count = json_array_size(array);
    run->phases = phases;
    for (size_t i = 0; i < run->phase_count; i++) {
        phases[i] = (struct record_phase){ 0 };
        read_phase(reader, json_array_get(array, i), number, &phases[i]);
        if (!run->incomplete && !phases[i].incomplete &&
            phases[i].elapsed_ns == 0)
            (void)record_complain_of(reader, "it",
                                     "is complete, but took no time");
    }
    run->open = record_read_open(reader, object);
    run->sustained_per_s = read_goals(reader, object);
}

static void read_runs(struct record_reader *reader, const json_t *line,
                      struct record *record)
{
    const json_t *const array =
        record_read_container(reader, line, "runs", JSON_ARRAY, true);
    const size_t count = json_array_size(array);
    struct record_run *const runs =
        arena_alloc(reader->memory, count, sizeof *runs);

    if (array != NULL && count == 0)
        (void)record_complain_of(reader, "runs", "are none");
    record->run_count = count;
    record->runs = runs;
    for (size_t i = 0; i < count; i++) {
        runs[i] = (struct record_run){ 0 };
        read_run(reader, json_array_get(array, i), i, &runs[i]);
    }
}

static void read_durability(struct record_reader *reader, const json_t *line,
                            struct record *record)
{
    const bool needed = record->published[0] == '\0';
    const json_t *const object =
        record_read_container(reader, line, "durability", JSON_OBJECT, true);

    (void)snprintf(reader->where, sizeof reader->where, "durability");
    const char *const name = record_read_text(reader, object, "class", needed);
    record->durability_from = record_read_text(reader, object, "from", false);
    record->durability_known = name[0] != '\0';
    if (name[0] != '\0' && durability_scan(name, &record->durability) != 0)
        (void)record_complain_of(reader, "class", "is not one that is known");
    reader->where[0] = '\0';
}

static void read_baselines(struct record_reader *reader, const json_t *line,
                           struct record_baselines *baselines)
{
    const json_t *const object =
        record_read_container(reader, line, "floors", JSON_OBJECT, false);

    baselines->clock_ns = record_read_real(reader, object, "clock_ns", 0);
    baselines->fdatasync_ns =
        record_read_real(reader, object, "fdatasync_ns", 0);
    baselines->fdatasync_min_ns =
        record_read_real(reader, object, "fdatasync_min_ns", 0);
    baselines->round_trip_ns =
        record_read_real(reader, object, "round_trip_ns", 0);
    baselines->harness_ns = record_read_real(reader, object, "harness_ns", 0);
}

static const struct record *read_record(struct record_reader *reader,
                                        const json_t *line)
{
    struct record *const record =
        arena_alloc(reader->memory, 1, sizeof *record);

    *record = (struct record){
        .file = reader->line->file,
        .line = reader->line->number,
        .program = record_read_text(reader, line, "program", true),
        .version = record_read_text(reader, line, "version", true),
        .store = record_read_text(reader, line, "store", true),
        .started_at = record_read_text(reader, line, "started_at", false),
        .incomplete = record_read_flag(reader, line, "incomplete"),
        .error = record_read_text(reader, line, "error", false),
        .warning = record_read_text(reader, line, "warning", false),
        .published = record_read_text(reader, line, "published", false),
    };
    read_durability(reader, line, record);
    read_properties(reader, line, "parameters", true, &record->parameters);
    read_properties(reader, line, "facts", false, &record->facts);
    read_properties(reader, line, "host", false, &record->host);
    read_properties(reader, line, "labels", false, &record->labels);
    read_baselines(reader, line, &record->baselines);
    read_runs(reader, line, record);
    return record;
}

/* A line */

/* The format decides who reads the line. */
static void read_object(struct record_reader *reader, const json_t *line,
                        struct record_line *to)
{
    const char *const format =
        json_string_value(json_object_get(line, "format"));

    if (format == NULL) {
        (void)record_complain_of(reader, "this",
                                 "is no result: it has no format");
    } else if (strcmp(format, format_crash) == 0) {
        to->kind = RECORD_LINE_OTHER;
        to->format = format_crash;
    } else if (strcmp(format, format_result) == 0) {
        to->kind = RECORD_LINE_RESULT;
        to->record = read_record(reader, line);
    } else {
        (void)snprintf(reader->complaint, sizeof reader->complaint,
                       "the format is '%.80s', and %s is what can be read",
                       format, format_result);
    }
}

static bool is_blank(const struct record_line *line)
{
    for (size_t i = 0; i < line->length; i++) {
        if (strchr(" \t\r", line->text[i]) == NULL || line->text[i] == '\0')
            return false;
    }
    return true;
}

/* The line as JSON; NULL with a complaint. */
static json_t *parse(struct record_reader *reader)
{
    json_error_t error;
    json_t *const object = json_loadb(reader->line->text, reader->line->length,
                                      JSON_REJECT_DUPLICATES, &error);

    if (object == NULL)
        (void)snprintf(
            reader->complaint, sizeof reader->complaint, "the line %s: %.160s",
            json_error_code(&error) == json_error_premature_end_of_input
                ? "is cut short"
                : "is not JSON",
            error.text);
    return object;
}

void record_reader_read(struct record_reader *reader, struct record_line *line)
{
    reader->line = line;
    reader->where[0] = '\0';
    reader->complaint[0] = '\0';
    line->kind = RECORD_LINE_BAD;
    if (is_blank(line)) {
        line->complaint = "the line is empty";
        return;
    }
    json_t *const object = parse(reader);
    if (object != NULL)
        read_object(reader, object, line);
    json_decref(object);
    if (reader->complaint[0] != '\0') {
        line->kind = RECORD_LINE_BAD;
        line->complaint = arena_text(reader->memory, reader->complaint);
    }
}
