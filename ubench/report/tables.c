/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <inttypes.h>
#include <string.h>

#include "core/clock.h"
#include "core/units.h"

enum { LABEL_WIDTH = 10 };

static const char *parameter(const struct result *result, const char *name)
{
    const char *const value = facts_find(&result->parameters, name);

    return value != NULL ? value : "";
}

static void print_headline(const struct result *result, FILE *out)
{
    char count[UNITS_TEXT_SIZE];
    const struct fact *const product = &result->facts.items[0];
    const char *const schema = parameter(result, "schema");

    (void)fprintf(out, "%s %s, %s %s, ", result->program, result->version,
                  product->key, product->value);
    if (schema[0] != '\0')
        (void)fprintf(out, "schema %s, ", schema);
    (void)fprintf(out, "1 thread, %s %s leases, seed %s\n",
                  units_count(count, result->config.count),
                  parameter(result, "lease"), parameter(result, "seed"));
}

/* Prints facts from first on as "label  key=value, ...", folded. */
static void print_facts(const char *label, const struct facts *facts,
                        size_t first, FILE *out)
{
    enum { WIDTH = 79 };
    int column = fprintf(out, "%-*s ", LABEL_WIDTH, label);

    for (size_t i = first; i < facts->count; i++) {
        char text[sizeof(struct fact) + 4];
        const int length =
            snprintf(text, sizeof text, " %s=%s%s", facts->items[i].key,
                     facts->items[i].value, i + 1 < facts->count ? "," : "");
        if (column + length > WIDTH && column > LABEL_WIDTH + 1)
            column = fprintf(out, "\n%-*s ", LABEL_WIDTH, "") - 1;
        column += fprintf(out, "%s", text);
    }
    (void)fputc('\n', out);
}

void tables_print_provenance(const struct result *result, FILE *out)
{
    print_headline(result, out);
    (void)fprintf(out, "%-*s  %s: %s%s\n", LABEL_WIDTH, "durability",
                  durability_name(result->durability), result->durability_why,
                  result->durability == DURABILITY_NONE ? "" : " (read back)");
    if (result->facts.count > 1)
        print_facts("settings", &result->facts, 1, out);
    print_facts("parameters", &result->parameters, 0, out);
    (void)fputc('\n', out);
}

static double elapsed_s(const struct phase_result *phase)
{
    return (double)phase_elapsed_ns(phase) / (double)NS_PER_S;
}

/* Operations per second; 0 if there is nothing to divide by. */
static double rate(uint64_t operations, double time_s)
{
    return time_s > 0 ? (double)operations / time_s : 0;
}

static void print_row(const char *name, const char *operations, double time_s,
                      double per_s, const char *remark, FILE *out)
{
    (void)fprintf(out, "%-8s %13s  %12.6f  %15.2f%s%s\n", name, operations,
                  time_s, per_s, remark[0] != '\0' ? "    " : "", remark);
}

static void print_phases(const struct result *result, FILE *out)
{
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct phase_result *const phase = &result->phases.phases[i];
        char operations[UNITS_TEXT_SIZE];

        if (phase->done == 0)
            (void)fprintf(out, "%-8s %13s\n", phase->name, "not reached");
        else
            print_row(phase->name, units_count(operations, phase->done),
                      elapsed_s(phase), rate(phase->done, elapsed_s(phase)),
                      phase->done < result->config.count ? "incomplete" : "",
                      out);
    }
}

static void print_means(const struct result *result, FILE *out)
{
    char operations[UNITS_TEXT_SIZE];
    double time_s = 0;
    double rates = 0;
    uint64_t done = 0;

    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct phase_result *const phase = &result->phases.phases[i];

        time_s += elapsed_s(phase);
        rates += rate(phase->done, elapsed_s(phase));
        done += phase->done;
    }
    print_row("average", "", time_s / PHASE_COUNT, rates / PHASE_COUNT,
              "as in the 2012 guide: mean of the four", out);
    print_row("overall", units_count(operations, done), time_s,
              rate(done, time_s), "all operations / all time", out);
}

static void print_verified(const struct result *result, FILE *out)
{
    char created[UNITS_TEXT_SIZE];
    char hits[UNITS_TEXT_SIZE];
    char searches[UNITS_TEXT_SIZE];
    char left[UNITS_TEXT_SIZE];
    const struct phase_result *const phases = result->phases.phases;

    (void)fprintf(out, "\n%-*s  ", LABEL_WIDTH, "verified");
    if (!result->phases.verified)
        (void)fprintf(out, "nothing: this store keeps no leases; digest ");
    else
        (void)fprintf(out, "%s created, %s of %s searches hit as they should, ",
                      units_count(created, phases[PHASE_CREATE].hits),
                      units_count(hits, phases[PHASE_SEARCH].hits),
                      units_count(searches, phases[PHASE_SEARCH].done));
    if (result->phases.verified && result->end == PHASES_DONE)
        (void)fprintf(out, "%s left; digest ",
                      units_count(left, result->phases.left));
    else if (result->phases.verified)
        (void)fprintf(out, "then it ended early; digest ");
    (void)fprintf(out, "%016" PRIx64 "\n", result->phases.digest);
}

void tables_print_figures(const struct result *result, FILE *out)
{
    (void)fprintf(out, "%-8s %13s  %12s  %15s\n", "", "operations", "time [s]",
                  "rate [oper/s]");
    print_phases(result, out);
    if (result->end == PHASES_DONE)
        print_means(result, out);
    else
        (void)fprintf(out, "average and overall: n/a, the run is incomplete\n");
    print_verified(result, out);
}
