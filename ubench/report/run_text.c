/* SPDX-License-Identifier: ISC */
#include "report/run_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "report/fold.h"
#include "report/run_text_parts.h"

enum run_text_detail run_text_detail_of(const struct record *record)
{
    const char *const verbose = record_parameter(record, "verbose");

    return strcmp(verbose, "no") == 0     ? RUN_TEXT_RESULTS
           : strcmp(verbose, "full") == 0 ? RUN_TEXT_FULL
                                          : RUN_TEXT_USUAL;
}

/* "10,000 typical leases", "200 exchanges (renew) of 50 clients with ...". */
static void add_load(const struct record *record, struct fold *fold)
{
    const bool exchanges = record_is_of_exchanges(record);
    const uint64_t count = record_parameter_count(record, "count", 0);
    const uint64_t pool = record_parameter_count(record, "pool", 0);
    const uint64_t preload = record_parameter_count(record, "preload", 0);
    const uint64_t clients = record_parameter_count(record, "clients", preload);

    if (count > 0)
        fold_add(fold, "%s", units_count(UNITS_TEXT, count));
    if (exchanges)
        fold_add(fold, "exchanges (%s) of",
                 record_parameter(record, "workload"));
    if (pool > 0)
        fold_add(fold, "a pool of %s addresses with",
                 units_count(UNITS_TEXT, pool));
    else if (exchanges)
        fold_add(fold, "%s clients with", units_count(UNITS_TEXT, clients));
    fold_add(fold, "%s", record_parameter(record, "lease"));
    fold_add(fold, "%sleases%s",
             record_parameter(record, "ipv6")[0] != '\0' ? "IPv6 " : "",
             record_parameter(record, "schema")[0] != '\0' ? "," : "");
}

/* What the name of a schema says to those who know it. */
static const char *schema_meaning(const char *schema)
{
    static const char *const meanings[][2] = {
        { "lean", "one index: the address" },
        { "kea", "Kea's columns and indexes" },
        { "kea+stats", "Kea's columns, indexes and counters" },
    };

    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (strcmp(meanings[i][0], schema) == 0)
            return meanings[i][1];
    }
    return "unknown";
}

/* The store, how much was asked of it, and its tables. */
static void print_subject(const struct record *record, FILE *out)
{
    const char *const schema = record_parameter(record, "schema");
    const uint64_t threads = record_parameter_count(record, "threads", 1);
    const bool stores =
        record->durability != DURABILITY_NONE || !record->durability_known;
    struct fold fold = fold_begin(record->program, out);

    if (record->facts.count > 0)
        fold_add(&fold, "%s%s%s,", record->facts.items[0].key,
                 stores ? " " : "", stores ? record->facts.items[0].value : "");
    fold_add(&fold, "%" PRIu64 " thread%s,", threads, threads == 1 ? "" : "s");
    add_load(record, &fold);
    if (schema[0] != '\0')
        fold_add(&fold, "schema %s (%s)", schema, schema_meaning(schema));
    fold_end(&fold);
}

static void print_class(const struct record *record, FILE *out)
{
    static const enum fold_colour colours[] = {
        [DURABILITY_NONE] = FOLD_PLAIN,        [DURABILITY_VOLATILE] = FOLD_BAD,
        [DURABILITY_PROCESS_SAFE] = FOLD_FAIR, [DURABILITY_BOUNDED] = FOLD_FAIR,
        [DURABILITY_POWER_SAFE] = FOLD_GOOD,
    };
    struct fold fold = fold_begin_in(colours[record->durability],
                                     durability_name(record->durability), out);

    fold_add(&fold, "%s (%s)", durability_meaning(record->durability),
             record->durability_from);
    fold_end(&fold);
}

/* The class in words, and the settings that decided it. */
static void print_durability(const struct record *record, FILE *out)
{
    if (!record->durability_known)
        fold_print(out, "not known", "%s", record->durability_from);
    else if (record->durability == DURABILITY_NONE)
        fold_print(out, "none", "%s", durability_meaning(DURABILITY_NONE));
    else
        print_class(record, out);
}

/* Prints properties from first on as "label  key=value, ...", folded. */
static void print_properties(const char *label,
                             const struct record_properties *properties,
                             size_t first, FILE *out)
{
    struct fold fold = fold_begin(label, out);

    for (size_t i = first; i < properties->count; i++) {
        const struct record_property *const item = &properties->items[i];
        char text[512];

        (void)snprintf(text, sizeof text, "%s=%s%s", item->key, item->value,
                       i + 1 < properties->count ? "," : "");
        fold_add_whole(&fold, text);
    }
    fold_end(&fold);
}

/* What of the machine bears most on the figures; the rest is in the JSON. */
static void print_host(const struct record_properties *host, FILE *out)
{
    static const char *const keys[] = {
        "cpu",         "cores",  "virtualisation", "kernel",
        "file_system", "device", "write_cache"
    };
    struct record_property items[sizeof keys / sizeof keys[0]];
    struct record_properties chosen = { 0, items };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *const value = record_properties_find(host, keys[i]);

        if (value != NULL)
            items[chosen.count++] = (struct record_property){ keys[i], value };
    }
    if (chosen.count > 0)
        print_properties("host", &chosen, 0, out);
}

/* What groups that are not yet committed put at risk, whatever the class. */
static void print_at_risk(const struct record *record, FILE *out)
{
    const uint64_t threads = record_parameter_count(record, "threads", 1);
    const uint64_t count = record_parameter_count(record, "count", 1);
    const uint64_t group = record_parameter_count(record, "batch", 1);
    const uint64_t share = (count + threads - 1) / threads;
    const uint64_t batch = group < share ? group : share;

    if (group > 1)
        fold_print(out, "at risk",
                   "up to %s leases at any moment: %" PRIu64
                   " thread%s of %s changes not yet committed",
                   units_count(UNITS_TEXT, batch * threads), threads,
                   threads == 1 ? "" : "s", units_count(UNITS_TEXT, batch));
}

static void print_baselines(const struct record_baselines *baselines, FILE *out)
{
    const struct {
        const char *name;
        double ns;
    } all[] = { { "clock", baselines->clock_ns },
                { "fdatasync", baselines->fdatasync_ns },
                { "round trip", baselines->round_trip_ns },
                { "harness", baselines->harness_ns } };
    char text[256] = "";
    size_t length = 0;

    if (baselines->clock_ns <= 0)
        return;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].ns > 0)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s%s %s",
                                 length > 0 ? ", " : "", all[i].name,
                                 units_time(UNITS_TEXT, all[i].ns));
    }
    fold_print(out, "baselines", "%s", text);
}

/* Who measured, and on what. */
static void print_source(const struct record *record, FILE *out)
{
    const char *const cpu = record_properties_find(&record->host, "cpu");
    const char *const cores = record_properties_find(&record->host, "cores");
    struct fold fold = fold_begin("measured by", out);

    fold_add(&fold, "%s %s", record->program, record->version);
    if (cpu != NULL && cores != NULL)
        fold_add(&fold, "on %s, cores: %s", cpu, cores);
    fold_end(&fold);
}

static void print_provenance(const struct record *record, FILE *out)
{
    if (record->published[0] == '\0')
        print_source(record, out);
    if (record->facts.count > 1)
        print_properties("settings", &record->facts, 1, out);
    print_properties("parameters", &record->parameters, 0, out);
    if (record->labels.count > 0)
        print_properties("labels", &record->labels, 0, out);
    print_host(&record->host, out);
    print_baselines(&record->baselines, out);
}

/* The processes that the run was split into, and how well they worked at the
   same time. */
static void print_parts(const struct record *record, FILE *out)
{
    const struct record_part *const first = record->parts;
    uint64_t error_us = 0;
    double together = 1;

    if (record->part_count == 0)
        return;
    if (record->part_count == 1) {
        fold_print(out, "part",
                   "%" PRIu64 " of %" PRIu64 " (%s): the others did the rest "
                   "of what the options say",
                   first->number, first->of, first->host);
        return;
    }
    struct fold fold = fold_begin("generators", out);
    fold_add(&fold, "%zu:", record->part_count);
    for (size_t i = 0; i < record->part_count; i++) {
        const struct record_part *const part = &first[i];

        fold_add(&fold, "%s (clock %+.3g ms)%s", part->host,
                 ((double)part->begun_us - (double)part->common_us) / 1e3,
                 i + 1 < record->part_count ? "," : ";");
        error_us = part->error_us > error_us ? part->error_us : error_us;
        together = fmin(part->together, together);
    }
    fold_add(&fold,
             "clocks known to %.2g ms; all at work in %.3g %% of the time of "
             "each, at least",
             (double)error_us / 1e3, 100 * together);
    fold_end(&fold);
}

void run_text_print_head(const struct record *record,
                         enum run_text_detail detail, FILE *out)
{
    if (detail == RUN_TEXT_RESULTS)
        return;
    print_subject(record, out);
    print_durability(record, out);
    print_at_risk(record, out);
    print_parts(record, out);
    if (record->published[0] != '\0')
        fold_print(out, "published", "%s", record->published);
    if (detail == RUN_TEXT_FULL)
        print_provenance(record, out);
    (void)fputc('\n', out);
}

bool run_text_is_possible(const struct record *record)
{
    const struct record_run *const first = &record->runs[0];

    for (size_t i = 0; i < record->run_count; i++) {
        const struct record_run *const run = &record->runs[i];

        if (run->phase_count != first->phase_count ||
            (run->open == NULL) != (first->open == NULL))
            return false;
        for (size_t k = 0; k < run->phase_count; k++) {
            if (run->phases[k].step_count != first->phases[k].step_count)
                return false;
        }
    }
    return true;
}

static void print_open(const struct record *record, enum run_text_detail detail,
                       FILE *out)
{
    const size_t complete = record_complete_runs(record);
    const uint64_t repeat = record_parameter_count(record, "repeat", 1);

    for (size_t i = 0; i < record->run_count; i++) {
        if (repeat > 1)
            (void)fprintf(out, "%srun %zu of %" PRIu64 "\n", i > 0 ? "\n" : "",
                          i + 1, repeat);
        run_open_print(record, &record->runs[i], detail, out);
    }
    if (complete < repeat)
        fold_print(out, "incomplete", "%zu of %" PRIu64 " runs are complete",
                   complete, repeat);
}

/* What the figures are of, and where there are more. */
static void print_origin(const struct record *record,
                         enum run_text_detail detail, FILE *out)
{
    if (record->published[0] != '\0')
        return;
    if (record->durability != DURABILITY_NONE &&
        record_parameter(record, "server-time")[0] == '\0')
        fold_print(out, "scope", "the store alone: no DHCP server, no packets");
    if (detail == RUN_TEXT_FULL) /* whose head has the rest */
        return;
    print_source(record, out);
    fold_print(out, "more",
               "-v full: settings, machine, all percentiles; -O FILE: as JSON");
}

void run_text_print_figures(const struct record *record,
                            enum run_text_detail detail, FILE *out)
{
    if (record->runs[0].open != NULL)
        print_open(record, detail, out);
    else
        run_closed_print(record, detail, out);
    (void)fputc('\n', out);
    run_remarks_print(record, detail, out);
    if (detail != RUN_TEXT_RESULTS)
        print_origin(record, detail, out);
}
