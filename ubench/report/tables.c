/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <inttypes.h>
#include <string.h>

#include "core/clock.h"
#include "core/units.h"
#include "measure/statistics.h"

enum { LABEL_WIDTH = 10, REPEAT_MAX = 100 };

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
    const uint64_t threads = result->config.threads;

    (void)fprintf(out, "%s %s, %s %s, ", result->program, result->version,
                  product->key, product->value);
    if (schema[0] != '\0')
        (void)fprintf(out, "schema %s, ", schema);
    (void)fprintf(out, "%" PRIu64 " thread%s, %s %s leases, seed %s\n", threads,
                  threads == 1 ? "" : "s",
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

/* The facts of the machine that bear most on the figures; the others are in
   the JSON. */
static void print_host(const struct facts *host, FILE *out)
{
    static const char *const keys[] = {
        "cpu",         "cores",  "virtualisation", "kernel",
        "file_system", "device", "write_cache"
    };
    struct facts chosen = { 0 };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *const value = facts_find(host, keys[i]);

        if (value != NULL)
            facts_add(&chosen, keys[i], "%s", value);
    }
    if (chosen.count > 0)
        print_facts("host", &chosen, 0, out);
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
                      LABEL_WIDTH, "at risk",
                      units_count(leases, batch * threads), threads,
                      threads == 1 ? "" : "s", batch);
}

static void print_floors(const struct result_floors *floors, FILE *out)
{
    const struct {
        const char *name;
        double ns;
    } all[] = { { "clock", floors->clock_ns },
                { "fdatasync", floors->fdatasync_ns },
                { "round trip", floors->round_trip_ns },
                { "harness", floors->harness_ns } };
    const char *separator = "";

    if (floors->clock_ns <= 0)
        return;
    (void)fprintf(out, "%-*s  ", LABEL_WIDTH, "floors");
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
    (void)fprintf(out, "%-*s  %s: %s\n", LABEL_WIDTH, "durability",
                  durability_name(result->durability), result->durability_why);
    print_at_risk(result, out);
    if (result->facts.count > 1)
        print_facts("settings", &result->facts, 1, out);
    print_facts("parameters", &result->parameters, 0, out);
    if (result->labels.count > 0)
        print_facts("labels", &result->labels, 0, out);
    print_host(&result->host, out);
    print_floors(&result->floors, out);
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

/* One figure of each complete run. */
struct figures {
    size_t count;
    double values[REPEAT_MAX];
};

typedef double figure_of_phase(const struct phase_result *phase);

static double phase_rate(const struct phase_result *phase)
{
    return rate(phase->done, elapsed_s(phase));
}

static struct figures collect(const struct result *result, int phase,
                              figure_of_phase *figure)
{
    struct figures figures = { .count = result_complete_runs(result) };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&result->runs[i].phases[phase]);
    return figures;
}

/* The guide's Average: the mean of the four phases' figures. */
static struct figures collect_average(const struct result *result,
                                      figure_of_phase *figure)
{
    struct figures figures = { .count = result_complete_runs(result) };

    for (size_t i = 0; i < figures.count; i++) {
        for (int k = 0; k < PHASE_COUNT; k++)
            figures.values[i] += figure(&result->runs[i].phases[k]);
        figures.values[i] /= PHASE_COUNT;
    }
    return figures;
}

static struct figures collect_total_time(const struct result *result)
{
    struct figures figures = collect_average(result, elapsed_s);

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] *= PHASE_COUNT;
    return figures;
}

static struct figures collect_total_rate(const struct result *result)
{
    struct figures figures = collect_total_time(result);
    const uint64_t operations = result->config.count * PHASE_COUNT;

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = rate(operations, figures.values[i]);
    return figures;
}

static double headline(const struct figures *figures)
{
    return statistics_headline(figures->values, figures->count).mean;
}

/* Latency, in microseconds */

static const struct {
    const char *name;
    double quantile; /* above 1: the maximum */
} columns[] = { { "p50", 0.5 },     { "p95", 0.95 },      { "p99", 0.99 },
                { "p99.9", 0.999 }, { "p99.99", 0.9999 }, { "max", 2 } };

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void print_us(double ns, FILE *out)
{
    const double us = ns / (double)NS_PER_US;

    (void)fprintf(out, " %9.*f", us < 10 ? 3 : us < 1000 ? 1 : 0, us);
}

/* The median over the runs, of which each merges its threads. */
static void print_latency(const struct result *result, int phase, bool commits,
                          FILE *out)
{
    const size_t complete = result_complete_runs(result);
    const size_t runs = complete > 0 ? complete : result->run_count;

    for (size_t c = 0; c < COLUMNS; c++) {
        const double q = columns[c].quantile;
        double values[REPEAT_MAX];
        bool known = true;

        for (size_t i = 0; i < runs; i++) {
            const struct phase_result *const p = &result->runs[i].phases[phase];
            const struct histogram *const h =
                commits ? &p->commits : &p->operations;

            known = known && h->count > 0 &&
                    (q > 1 || histogram_quantile_known(h, q));
            values[i] = q > 1 ? (double)h->max_ns : histogram_quantile(h, q);
        }
        if (known)
            print_us(statistics_median(values, runs), out);
        else
            (void)fprintf(out, " %9s", "n/a");
    }
}

static void print_row(const char *name, const char *operations, double time_s,
                      double per_s, FILE *out)
{
    (void)fprintf(out, "%-8s %13s  %12.6f  %15.2f", name, operations, time_s,
                  per_s);
}

static void print_header(const struct result *result, FILE *out)
{
    (void)fprintf(out, "%-8s %13s  %12s  %15s", "", "operations", "time [s]",
                  "rate [oper/s]");
    for (size_t c = 0; result->config.latency && c < COLUMNS; c++)
        (void)fprintf(out, " %9s", columns[c].name);
    (void)fprintf(out, "%s\n", result->config.latency ? "  [us]" : "");
}

/* What begins and commits transactions, in a row of its own. */
static void print_commits(const struct result *result, int phase, FILE *out)
{
    const struct histogram *const commits =
        &result->runs[0].phases[phase].commits;
    char count[UNITS_TEXT_SIZE];

    if (commits->count == 0)
        return;
    (void)fprintf(out, "  commit %13s  %12s  %15s",
                  units_count(count, commits->count), "", "");
    print_latency(result, phase, true, out);
    (void)fputc('\n', out);
}

/* The last run, if it was cut short and none is complete. */
static void print_cut_short(const struct result *result, FILE *out)
{
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct phase_result *const phase = &result->runs[0].phases[i];
        char operations[UNITS_TEXT_SIZE];

        if (phase->done == 0) {
            (void)fprintf(out, "%-8s %13s\n", phase->name, "not reached");
            continue;
        }
        print_row(phase->name, units_count(operations, phase->done),
                  elapsed_s(phase), phase_rate(phase), out);
        if (result->config.latency)
            print_latency(result, i, false, out);
        (void)fprintf(out, "%s\n",
                      phase->done < result->config.count ? "    incomplete"
                                                         : "");
        print_commits(result, i, out);
    }
    (void)fprintf(out, "average and overall: n/a, the run is incomplete\n");
}

static void print_phases(const struct result *result, FILE *out)
{
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct figures times = collect(result, i, elapsed_s);
        const struct figures rates = collect(result, i, phase_rate);
        char operations[UNITS_TEXT_SIZE];

        print_row(result->runs[0].phases[i].name,
                  units_count(operations, result->config.count),
                  headline(&times), headline(&rates), out);
        if (result->config.latency)
            print_latency(result, i, false, out);
        (void)fputc('\n', out);
        print_commits(result, i, out);
    }
}

static void print_means(const struct result *result, FILE *out)
{
    const struct figures times = collect_average(result, elapsed_s);
    const struct figures rates = collect_average(result, phase_rate);
    const struct figures total_times = collect_total_time(result);
    const struct figures total_rates = collect_total_rate(result);
    char operations[UNITS_TEXT_SIZE];

    print_row("average", "", headline(&times), headline(&rates), out);
    (void)fprintf(out, "    as in the 2012 guide: mean of the four\n");
    print_row("overall",
              units_count(operations, result->config.count * PHASE_COUNT),
              headline(&total_times), headline(&total_rates), out);
    (void)fprintf(out, "    all operations / all time\n");
}

/* Repeats: what the headline stands on. */

static void print_spread(const char *name, const struct figures *figures,
                         FILE *out)
{
    const struct trimmed_mean mean =
        statistics_headline(figures->values, figures->count);
    const struct interval median =
        statistics_median_interval(figures->values, figures->count);

    (void)fprintf(out, "%-8s %15.2f", name, mean.mean);
    if (mean.interval.coverage > 0)
        (void)fprintf(out, " +- %13.2f",
                      (mean.interval.high - mean.interval.low) / 2);
    else
        (void)fprintf(out, " +- %13s", "n/a");
    (void)fprintf(out, "  %15.2f",
                  statistics_median(figures->values, figures->count));
    if (median.coverage > 0)
        (void)fprintf(out, "  %.2f to %.2f (%.1f %%)", median.low, median.high,
                      100 * median.coverage);
    else
        (void)fprintf(out, "  n/a");
    (void)fputc('\n', out);
}

static void print_run(const struct result *result, size_t run, FILE *out)
{
    const struct figures overall = collect_total_rate(result);

    (void)fprintf(out, "run %-4zu", run + 1);
    for (int i = 0; i < PHASE_COUNT; i++)
        (void)fprintf(out, " %15.2f", phase_rate(&result->runs[run].phases[i]));
    (void)fprintf(out, " %15.2f\n", overall.values[run]);
}

static void print_repeats(const struct result *result, FILE *out)
{
    const size_t runs = result_complete_runs(result);

    (void)fprintf(out, "\n%zu of %zu runs%s\n%-8s %15s    %13s  %15s  %s\n",
                  runs, result->repeat,
                  runs >= 3 ? "; each mean is without its highest and lowest"
                            : "",
                  "", "mean [oper/s]", "95 % (Yuen)", "median [oper/s]",
                  "its exact interval");
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct figures rates = collect(result, i, phase_rate);

        print_spread(result->runs[0].phases[i].name, &rates, out);
    }
    const struct figures overall = collect_total_rate(result);
    print_spread("overall", &overall, out);
    (void)fprintf(out, "\n%-8s", "[oper/s]");
    for (int i = 0; i < PHASE_COUNT; i++)
        (void)fprintf(out, " %15s", result->runs[0].phases[i].name);
    (void)fprintf(out, " %15s\n", "overall");
    for (size_t i = 0; i < runs; i++)
        print_run(result, i, out);
}

/* The last run that is complete; the one that was cut short if none is. */
static const struct phases_result *last_run(const struct result *result)
{
    const size_t complete = result_complete_runs(result);

    return &result->runs[complete > 0 ? complete - 1 : 0];
}

static void print_cost(const struct result *result, FILE *out)
{
    const struct phases_result *const last = last_run(result);
    struct usage total = { 0 };
    uint64_t operations = 0;
    uint64_t syncs = 0;

    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct usage *const usage = &last->phases[i].usage;

        operations += last->phases[i].done;
        if (last->phases[i].syncs != USAGE_UNKNOWN)
            syncs += last->phases[i].syncs;
        total.user_ns += usage->user_ns;
        total.system_ns += usage->system_ns;
        total.voluntary_switches += usage->voluntary_switches;
        total.involuntary_switches += usage->involuntary_switches;
    }
    if (operations == 0)
        return;
    const double each = 1 / (double)operations;
    (void)fprintf(out,
                  "%-*s  per operation, client only: %.3f us user, %.3f us "
                  "system, %.3f + %.3f context switches",
                  LABEL_WIDTH, "cost", (double)total.user_ns * each / 1e3,
                  (double)total.system_ns * each / 1e3,
                  (double)total.voluntary_switches * each,
                  (double)total.involuntary_switches * each);
    if (syncs > 0)
        (void)fprintf(out, ", %.3f fdatasyncs", (double)syncs * each);
    (void)fputc('\n', out);
}

static void print_verified(const struct result *result, FILE *out)
{
    char created[UNITS_TEXT_SIZE];
    char hits[UNITS_TEXT_SIZE];
    char searches[UNITS_TEXT_SIZE];
    char left[UNITS_TEXT_SIZE];
    const struct phases_result *const last = last_run(result);
    const struct phase_result *const phases = last->phases;

    (void)fprintf(out, "%-*s  ", LABEL_WIDTH, "verified");
    if (!last->verified)
        (void)fprintf(out, "nothing: this store keeps no leases; digest ");
    else
        (void)fprintf(out, "%s created, %s of %s searches hit as they should, ",
                      units_count(created, phases[PHASE_CREATE].hits),
                      units_count(hits, phases[PHASE_SEARCH].hits),
                      units_count(searches, phases[PHASE_SEARCH].done));
    if (last->verified && result_complete_runs(result) > 0)
        (void)fprintf(out, "%s left; digest ", units_count(left, last->left));
    else if (last->verified)
        (void)fprintf(out, "then it ended early; digest ");
    (void)fprintf(out, "%016" PRIx64 "\n", last->digest);
}

void tables_print_figures(const struct result *result, FILE *out)
{
    const size_t complete = result_complete_runs(result);

    print_header(result, out);
    if (complete == 0) {
        print_cut_short(result, out);
    } else {
        print_phases(result, out);
        print_means(result, out);
    }
    if (result->repeat > 1 && complete > 0)
        print_repeats(result, out);
    if (complete > 0 && complete < result->repeat)
        (void)fprintf(out, "incomplete: %zu of %zu runs\n", complete,
                      result->repeat);
    (void)fputc('\n', out);
    if (result->config.latency)
        print_cost(result, out);
    if (result->warning[0] != '\0')
        (void)fprintf(out, "%-*s  %s\n", LABEL_WIDTH, "WARNING",
                      result->warning);
    print_verified(result, out);
}
