/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "report/tables_parts.h"

static const char *parameter(const struct result *result, const char *name)
{
    const char *const value = properties_find(&result->parameters, name);

    return value != NULL ? value : "";
}

static void print_headline(const struct result *result, FILE *out)
{
    char count[UNITS_TEXT_SIZE];
    char preload[UNITS_TEXT_SIZE];
    const struct property *const product = &result->facts.items[0];
    const char *const schema = parameter(result, "schema");
    const uint64_t threads = result->config.threads;

    (void)fprintf(out, "%s %s, %s %s, ", result->program, result->version,
                  product->key, product->value);
    if (schema[0] != '\0')
        (void)fprintf(out, "schema %s, ", schema);
    (void)fprintf(out, "%" PRIu64 " thread%s, ", threads,
                  threads == 1 ? "" : "s");
    if (result->config.open.kind == OPEN_NONE)
        (void)fprintf(out, "%s ", units_count(count, result->config.count));
    if (result->exchanges)
        (void)fprintf(out, "exchanges (%s) of %s clients with ",
                      parameter(result, "workload"),
                      units_count(preload, result->config.preload));
    (void)fprintf(out, "%s %sleases, seed %s\n", parameter(result, "lease"),
                  parameter(result, "ipv6")[0] != '\0' ? "IPv6 " : "",
                  parameter(result, "seed"));
}

/* Prints facts from first on as "label  key=value, ...", folded. */
static void print_properties(const char *label,
                             const struct properties *properties, size_t first,
                             FILE *out)
{
    enum { WIDTH = 79 };
    int column = fprintf(out, "%-*s ", TABLES_LABEL, label);

    for (size_t i = first; i < properties->count; i++) {
        char text[sizeof(struct property) + 4];
        const int length = snprintf(
            text, sizeof text, " %s=%s%s", properties->items[i].key,
            properties->items[i].value, i + 1 < properties->count ? "," : "");
        if (column + length > WIDTH && column > TABLES_LABEL + 1)
            column = fprintf(out, "\n%-*s ", TABLES_LABEL, "") - 1;
        column += fprintf(out, "%s", text);
    }
    (void)fputc('\n', out);
}

/* The facts of the machine that bear most on the figures; the others are in
   the JSON. */
static void print_host(const struct properties *host, FILE *out)
{
    static const char *const keys[] = {
        "cpu",         "cores",  "virtualisation", "kernel",
        "file_system", "device", "write_cache"
    };
    struct properties chosen = { 0 };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *const value = properties_find(host, keys[i]);

        if (value != NULL)
            properties_add(&chosen, keys[i], "%s", value);
    }
    if (chosen.count > 0)
        print_properties("host", &chosen, 0, out);
}

/* What groups that are not yet committed put at risk, whatever the class. */
static void print_at_risk(const struct result *result, FILE *out)
{
    char leases[UNITS_TEXT_SIZE];
    const uint64_t threads = result->config.threads;
    const uint64_t share = (result->config.count + threads - 1) / threads;
    const uint64_t batch =
        result->config.batch < share ? result->config.batch : share;

    if (result->config.batch > 1)
        (void)fprintf(out,
                      "%-*s  up to %s leases at any moment: %" PRIu64
                      " thread%s of %" PRIu64 " changes not yet committed\n",
                      TABLES_LABEL, "at risk",
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
    (void)fprintf(out, "%-*s  ", TABLES_LABEL, "baselines");
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

void tables_print_provenance(const struct result *result, FILE *out)
{
    print_headline(result, out);
    (void)fprintf(out, "%-*s  %s: %s\n", TABLES_LABEL, "durability",
                  durability_name(result->durability), result->durability_why);
    print_at_risk(result, out);
    if (result->facts.count > 1)
        print_properties("settings", &result->facts, 1, out);
    print_properties("parameters", &result->parameters, 0, out);
    if (result->labels.count > 0)
        print_properties("labels", &result->labels, 0, out);
    print_host(&result->host, out);
    print_baselines(&result->baselines, out);
    (void)fputc('\n', out);
}
