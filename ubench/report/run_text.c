/* SPDX-License-Identifier: ISC */
#include "report/run_text.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "report/run_text_parts.h"

static void print_load(const struct record *record, FILE *out)
{
    char text[UNITS_TEXT_SIZE];
    const uint64_t count = record_parameter_count(record, "count", 0);
    const uint64_t pool = record_parameter_count(record, "pool", 0);
    const char *const lease = record_parameter(record, "lease");
    const char *const seed = record_parameter(record, "seed");

    if (count > 0)
        (void)fprintf(out, "%s ", units_count(text, count));
    if (record_is_of_exchanges(record))
        (void)fprintf(out, "exchanges (%s) of ",
                      record_parameter(record, "workload"));
    if (pool > 0)
        (void)fprintf(out, "a pool of %s addresses with ",
                      units_count(text, pool));
    else if (record_is_of_exchanges(record))
        (void)fprintf(
            out, "%s clients with ",
            units_count(text, record_parameter_count(record, "preload", 0)));
    (void)fprintf(out, "%s%s%sleases%s%s\n", lease, lease[0] != '\0' ? " " : "",
                  record_parameter(record, "ipv6")[0] != '\0' ? "IPv6 " : "",
                  seed[0] != '\0' ? ", seed " : "", seed);
}

static void print_headline(const struct record *record, FILE *out)
{
    const char *const schema = record_parameter(record, "schema");
    const uint64_t threads = record_parameter_count(record, "threads", 1);

    (void)fprintf(out, "%s %s, ", record->program, record->version);
    if (record->facts.count > 0)
        (void)fprintf(out, "%s %s, ", record->facts.items[0].key,
                      record->facts.items[0].value);
    if (schema[0] != '\0')
        (void)fprintf(out, "schema %s, ", schema);
    (void)fprintf(out, "%" PRIu64 " thread%s, ", threads,
                  threads == 1 ? "" : "s");
    print_load(record, out);
}

/* Prints properties from first on as "label  key=value, ...", folded. */
static void print_properties(const char *label,
                             const struct record_properties *properties,
                             size_t first, FILE *out)
{
    enum { WIDTH = 79 };
    int column = fprintf(out, "%-*s ", RUN_TEXT_LABEL, label);

    for (size_t i = first; i < properties->count; i++) {
        const struct record_property *const item = &properties->items[i];
        const char *const comma = i + 1 < properties->count ? "," : "";
        const size_t length =
            strlen(item->key) + strlen(item->value) + strlen(comma) + 2;

        if ((size_t)column + length > WIDTH && column > RUN_TEXT_LABEL + 1)
            column = fprintf(out, "\n%-*s ", RUN_TEXT_LABEL, "") - 1;
        column += fprintf(out, " %s=%s%s", item->key, item->value, comma);
    }
    (void)fputc('\n', out);
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
    char leases[UNITS_TEXT_SIZE];
    const uint64_t threads = record_parameter_count(record, "threads", 1);
    const uint64_t count = record_parameter_count(record, "count", 1);
    const uint64_t group = record_parameter_count(record, "batch", 1);
    const uint64_t share = (count + threads - 1) / threads;
    const uint64_t batch = group < share ? group : share;

    if (group > 1)
        (void)fprintf(out,
                      "%-*s  up to %s leases at any moment: %" PRIu64
                      " thread%s of %" PRIu64 " changes not yet committed\n",
                      RUN_TEXT_LABEL, "at risk",
                      units_count(leases, batch * threads), threads,
                      threads == 1 ? "" : "s", batch);
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
    const char *separator = "";

    if (baselines->clock_ns <= 0)
        return;
    (void)fprintf(out, "%-*s  ", RUN_TEXT_LABEL, "baselines");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[UNITS_TEXT_SIZE];

        if (all[i].ns <= 0)
            continue;
        (void)fprintf(out, "%s%s %s", separator, all[i].name,
                      units_time(text, all[i].ns));
        separator = ", ";
    }
    (void)fputc('\n', out);
}

void run_text_print_provenance(const struct record *record, FILE *out)
{
    print_headline(record, out);
    if (record->published[0] != '\0')
        (void)fprintf(out, "%-*s  %s\n", RUN_TEXT_LABEL, "published",
                      record->published);
    (void)fprintf(out, "%-*s  %s: %s\n", RUN_TEXT_LABEL, "durability",
                  record->durability_known ? durability_name(record->durability)
                                           : "not known",
                  record->durability_from);
    print_at_risk(record, out);
    if (record->facts.count > 1)
        print_properties("settings", &record->facts, 1, out);
    print_properties("parameters", &record->parameters, 0, out);
    if (record->labels.count > 0)
        print_properties("labels", &record->labels, 0, out);
    print_host(&record->host, out);
    print_baselines(&record->baselines, out);
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

static void print_open(const struct record *record, FILE *out)
{
    const size_t complete = record_complete_runs(record);
    const uint64_t repeat = record_parameter_count(record, "repeat", 1);

    for (size_t i = 0; i < record->run_count; i++) {
        if (repeat > 1)
            (void)fprintf(out, "run %zu of %" PRIu64 "\n", i + 1, repeat);
        run_open_print(record, &record->runs[i], out);
    }
    if (complete < repeat)
        (void)fprintf(out, "%-*s  %zu of %" PRIu64 " runs are complete\n",
                      RUN_TEXT_LABEL, "incomplete", complete, repeat);
}

void run_text_print_figures(const struct record *record, FILE *out)
{
    if (record->runs[0].open != NULL)
        print_open(record, out);
    else
        run_closed_print(record, out);
    run_remarks_print(record, out);
}
