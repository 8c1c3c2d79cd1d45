/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <inttypes.h>
#include <string.h>

#include "core/clock.h"
#include "core/units.h"
#include "load/phases.h"
#include "measure/statistics.h"
#include "report/open_tables.h"

enum { LABEL_WIDTH = 10, REPEAT_MAX = 100 };

static const char *parameter(const struct result *result, const char *name)
{
    const char *const value = facts_find(&result->parameters, name);

    return value != NULL ? value : "";
}

static void print_headline(const struct result *result, FILE *out)
{
    char count[UNITS_TEXT_SIZE];
    char preload[UNITS_TEXT_SIZE];
    const struct fact *const product = &result->facts.items[0];
    const char *const schema = parameter(result, "schema");
    const uint64_t threads = result->config.threads;

    (void)fprintf(out, "%s %s, %s %s, ", result->program, result->version,
                  product->key, product->value);
    if (schema[0] != '\0')
        (void)fprintf(out, "schema %s, ", schema);
    (void)fprintf(out, "%" PRIu64 " thread%s, ", threads,
                  threads == 1 ? "" : "s");
    if (result->open_load.kind == OPEN_NONE)
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

static struct figures collect(const struct result *result, size_t phase,
                              figure_of_phase *figure)
{
    struct figures figures = { .count = result_complete_runs(result) };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&result->runs[i].phases[phase]);
    return figures;
}

typedef double figure_of_run(const struct load_result *run);

static double total_time(const struct load_result *run)
{
    return (double)load_result_elapsed_ns(run) / (double)NS_PER_S;
}

static uint64_t operations_done(const struct load_result *run)
{
    uint64_t done = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        done += run->phases[i].done;
    return done;
}

/* All operations in all the time. */
static double total_rate(const struct load_result *run)
{
    return rate(operations_done(run), total_time(run));
}

/* The guide's Average: the mean of the four phases' figures. */
static double average_time(const struct load_result *run)
{
    return total_time(run) / (double)run->phase_count;
}

static double average_rate(const struct load_result *run)
{
    double sum = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        sum += phase_rate(&run->phases[i]);
    return sum / (double)run->phase_count;
}

static uint64_t steps_done(const struct load_result *run)
{
    uint64_t done = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        for (size_t k = 0; k < run->phases[i].step_count; k++)
            done +=
                run->phases[i].steps[k].hits + run->phases[i].steps[k].misses;
    }
    return done;
}

/* Operations of the store, of which an exchange has several. */
static double step_rate(const struct load_result *run)
{
    return rate(steps_done(run), total_time(run));
}

static struct figures collect_runs(const struct result *result,
                                   figure_of_run *figure)
{
    struct figures figures = { .count = result_complete_runs(result) };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&result->runs[i]);
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
static void print_quantiles(const struct histogram *const *histograms,
                            size_t runs, FILE *out)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        const double q = columns[c].quantile;
        double values[REPEAT_MAX];
        bool known = true;

        for (size_t i = 0; i < runs; i++) {
            const struct histogram *const h = histograms[i];

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

/* The complete runs, or the one that was cut short. */
static size_t runs_shown(const struct result *result)
{
    const size_t complete = result_complete_runs(result);

    return complete > 0 ? complete : result->run_count;
}

static void print_latency(const struct result *result, size_t phase,
                          bool commits, FILE *out)
{
    const struct histogram *histograms[REPEAT_MAX];
    const size_t runs = runs_shown(result);

    for (size_t i = 0; i < runs; i++) {
        const struct phase_result *const p = &result->runs[i].phases[phase];

        histograms[i] = commits ? &p->commits : &p->operations;
    }
    print_quantiles(histograms, runs, out);
}

static void print_step(const struct result *result, size_t phase, size_t step,
                       FILE *out)
{
    const struct step_result *const first =
        &result->runs[0].phases[phase].steps[step];
    const struct histogram *histograms[REPEAT_MAX];
    const size_t runs = runs_shown(result);
    char count[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < runs; i++)
        histograms[i] = &result->runs[i].phases[phase].steps[step].latency;
    (void)fprintf(out, "  %-18s  %-17s %16s", first->name, first->operation,
                  units_count(count, first->hits + first->misses));
    print_quantiles(histograms, runs, out);
    (void)fputc('\n', out);
}

/* What each exchange asked of the store, in order. */
static void print_steps(const struct result *result, FILE *out)
{
    const struct load_result *const run = &result->runs[0];
    const char *unit = ", in microseconds";
    char count[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < run->phase_count; i++) {
        const struct phase_result *const phase = &run->phases[i];

        if (phase->done == 0)
            continue;
        (void)fprintf(out, "\nsteps of %s%s\n", phase->name, unit);
        unit = "";
        for (size_t k = 0; k < phase->step_count; k++)
            print_step(result, i, k, out);
        if (phase->deadlocks > 0)
            (void)fprintf(out, "  %-18s  %-17s %16s\n", "given up", "deadlock",
                          units_count(count, phase->deadlocks));
    }
}

/* The names of exchanges are longer than those of phases. */
static int name_width(const struct result *result)
{
    return result->exchanges ? 11 : 8;
}

static void print_row(const struct result *result, const char *name,
                      const char *operations, double time_s, double per_s,
                      FILE *out)
{
    (void)fprintf(out, "%-*s %13s  %12.6f  %15.2f", name_width(result), name,
                  operations, time_s, per_s);
}

static void print_header(const struct result *result, FILE *out)
{
    const bool exchanges = result->exchanges;

    (void)fprintf(out, "%-*s %13s  %12s  %15s", name_width(result), "",
                  exchanges ? "exchanges" : "operations", "time [s]",
                  exchanges ? "rate [exch/s]" : "rate [oper/s]");
    for (size_t c = 0; result->config.latency && c < COLUMNS; c++)
        (void)fprintf(out, " %9s", columns[c].name);
    (void)fprintf(out, "%s\n", result->config.latency ? "  [us]" : "");
}

/* What begins and commits transactions, in a row of its own. */
static void print_commits(const struct result *result, size_t phase, FILE *out)
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
    for (size_t i = 0; i < result->runs[0].phase_count; i++) {
        const struct phase_result *const phase = &result->runs[0].phases[i];
        char operations[UNITS_TEXT_SIZE];

        if (phase->done == 0) {
            (void)fprintf(out, "%-*s %13s\n", name_width(result), phase->name,
                          "not reached");
            continue;
        }
        print_row(result, phase->name, units_count(operations, phase->done),
                  elapsed_s(phase), phase_rate(phase), out);
        if (result->config.latency)
            print_latency(result, i, false, out);
        (void)fprintf(out, "%s\n",
                      phase->done + phase->deadlocks < phase->planned
                          ? "    incomplete"
                          : "");
        print_commits(result, i, out);
    }
    (void)fprintf(out, "average and overall: n/a, the run is incomplete\n");
}

static void print_phases(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->runs[0].phase_count; i++) {
        const struct phase_result *const phase = &result->runs[0].phases[i];
        const struct figures times = collect(result, i, elapsed_s);
        const struct figures rates = collect(result, i, phase_rate);
        char operations[UNITS_TEXT_SIZE];

        print_row(result, phase->name, units_count(operations, phase->done),
                  headline(&times), headline(&rates), out);
        if (result->config.latency)
            print_latency(result, i, false, out);
        (void)fputc('\n', out);
        print_commits(result, i, out);
    }
}

static void print_total(const struct result *result, const char *name,
                        uint64_t operations, figure_of_run *time,
                        figure_of_run *per_s, const char *what, FILE *out)
{
    const struct figures times = collect_runs(result, time);
    const struct figures rates = collect_runs(result, per_s);
    char text[UNITS_TEXT_SIZE];

    print_row(result, name, operations > 0 ? units_count(text, operations) : "",
              headline(&times), headline(&rates), out);
    (void)fprintf(out, "    %s\n", what);
}

/* One after the other: create, search, update, delete. */
static bool phases_of_2012(const struct result *result)
{
    return !result->exchanges && result->runs[0].phase_count == PHASE_COUNT;
}

static void print_means(const struct result *result, FILE *out)
{
    const struct load_result *const run = &result->runs[0];

    if (phases_of_2012(result))
        print_total(result, "average", 0, average_time, average_rate,
                    "as in the 2012 guide: mean of the four", out);
    print_total(result, "overall", operations_done(run), total_time, total_rate,
                result->exchanges ? "all exchanges / all time"
                                  : "all operations / all time",
                out);
    if (result->exchanges)
        print_total(result, "operations", steps_done(run), total_time,
                    step_rate, "of the store, per second, in these exchanges",
                    out);
}

/* Repeats: what the headline stands on. */

static void print_spread(const struct result *result, const char *name,
                         const struct figures *figures, FILE *out)
{
    const struct trimmed_mean mean =
        statistics_headline(figures->values, figures->count);
    const struct interval median =
        statistics_median_interval(figures->values, figures->count);

    (void)fprintf(out, "%-*s %15.2f", name_width(result), name, mean.mean);
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
    const struct figures overall = collect_runs(result, total_rate);

    (void)fprintf(out, "run %-*zu", name_width(result) - 4, run + 1);
    for (size_t i = 0; i < result->runs[0].phase_count; i++)
        (void)fprintf(out, " %15.2f", phase_rate(&result->runs[run].phases[i]));
    (void)fprintf(out, " %15.2f\n", overall.values[run]);
}

static void print_repeats(const struct result *result, FILE *out)
{
    const size_t runs = result_complete_runs(result);

    const bool exchanges = result->exchanges;

    (void)fprintf(
        out, "\n%zu of %zu runs%s\n%-*s %15s    %13s  %15s  %s\n", runs,
        result->repeat,
        runs >= 3 ? "; each mean is without its highest and lowest" : "",
        name_width(result), "", exchanges ? "mean [exch/s]" : "mean [oper/s]",
        "95 % (Yuen)", exchanges ? "median [exch/s]" : "median [oper/s]",
        "its exact interval");
    for (size_t i = 0; i < result->runs[0].phase_count; i++) {
        const struct figures rates = collect(result, i, phase_rate);

        print_spread(result, result->runs[0].phases[i].name, &rates, out);
    }
    const struct figures overall = collect_runs(result, total_rate);
    print_spread(result, "overall", &overall, out);
    (void)fprintf(out, "\n%-*s", name_width(result),
                  exchanges ? "[exch/s]" : "[oper/s]");
    for (size_t i = 0; i < result->runs[0].phase_count; i++)
        (void)fprintf(out, " %15s", result->runs[0].phases[i].name);
    (void)fprintf(out, " %15s\n", "overall");
    for (size_t i = 0; i < runs; i++)
        print_run(result, i, out);
}

/* The least, the mean and the standard deviation, which bear on a cost and say
   little of a tail: each the median over the complete runs. */
static void print_moments(const struct result *result, FILE *out)
{
    const size_t complete = result_complete_runs(result);
    const char *separator = "";

    if (!result->config.latency || complete == 0)
        return;
    for (size_t i = 0; i < result->runs[0].phase_count; i++) {
        struct figures moments[3] = { 0 };

        if (result->runs[0].phases[i].operations.count == 0)
            continue;
        if (separator[0] == '\0')
            (void)fprintf(out, "%-*s  min/mean/sd [us]:", LABEL_WIDTH,
                          "latency");
        for (size_t k = 0; k < complete; k++) {
            const struct histogram *const h =
                &result->runs[k].phases[i].operations;

            moments[0].values[k] = (double)h->min_ns;
            moments[1].values[k] = histogram_mean(h);
            moments[2].values[k] = histogram_sd(h);
        }
        (void)fprintf(out, "%s %s", separator, result->runs[0].phases[i].name);
        for (size_t m = 0; m < 3; m++) {
            const double us =
                statistics_median(moments[m].values, complete) / NS_PER_US;

            (void)fprintf(out, "%s%.*f", m == 0 ? " " : "/",
                          us < 10     ? 3
                          : us < 1000 ? 1
                                      : 0,
                          us);
        }
        separator = ",";
    }
    if (separator[0] != '\0')
        (void)fputc('\n', out);
}

/* The last run that is complete; the one that was cut short if none is. */
static const struct load_result *last_run(const struct result *result)
{
    const size_t complete = result_complete_runs(result);

    return &result->runs[complete > 0 ? complete - 1 : 0];
}

/* What all phases cost; those that ran together have one bill. */
static struct usage add_usage(const struct load_result *run, uint64_t *syncs)
{
    const size_t bills = run->together ? 1 : run->phase_count;
    struct usage total = { 0 };

    *syncs = 0;
    for (size_t i = 0; i < bills; i++) {
        const struct usage *const usage = &run->phases[i].usage;

        if (run->phases[i].syncs != USAGE_UNKNOWN)
            *syncs += run->phases[i].syncs;
        total.user_ns += usage->user_ns;
        total.system_ns += usage->system_ns;
        total.voluntary_switches += usage->voluntary_switches;
        total.involuntary_switches += usage->involuntary_switches;
    }
    return total;
}

static void print_cost(const struct result *result, FILE *out)
{
    uint64_t syncs;
    const struct load_result *const last = last_run(result);
    const struct usage total = add_usage(last, &syncs);
    const uint64_t operations = operations_done(last);

    if (operations == 0)
        return;
    const double each = 1 / (double)operations;
    (void)fprintf(out,
                  "%-*s  per %s, client only: %.3f us user, %.3f us "
                  "system, %.3f + %.3f context switches",
                  LABEL_WIDTH, "cost",
                  result->exchanges ? "exchange" : "operation",
                  (double)total.user_ns * each / 1e3,
                  (double)total.system_ns * each / 1e3,
                  (double)total.voluntary_switches * each,
                  (double)total.involuntary_switches * each);
    if (syncs > 0)
        (void)fprintf(out, ", %.3f fdatasyncs", (double)syncs * each);
    (void)fputc('\n', out);
}

/* The phases of 2012: what was created, found and left. */
static void print_phases_verified(const struct load_result *run, FILE *out)
{
    char created[UNITS_TEXT_SIZE];
    char hits[UNITS_TEXT_SIZE];
    char searches[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%s created, %s of %s searches hit as they should, ",
                  units_count(created, run->phases[PHASE_CREATE].hits),
                  units_count(hits, run->phases[PHASE_SEARCH].hits),
                  units_count(searches, run->phases[PHASE_SEARCH].done));
}

static void print_verified(const struct result *result, FILE *out)
{
    char text[UNITS_TEXT_SIZE];
    const struct load_result *const last = last_run(result);

    (void)fprintf(out, "%-*s  ", LABEL_WIDTH, "verified");
    if (!last->verified)
        (void)fprintf(out, "nothing: this store keeps no leases; digest ");
    else if (result->exchanges)
        (void)fprintf(out, "each answer of %s operations was right, ",
                      units_count(text, steps_done(last)));
    else if (phases_of_2012(result))
        print_phases_verified(last, out);
    else
        (void)fprintf(out, "each answer of %s operations was right, ",
                      units_count(text, operations_done(last)));
    if (last->verified && result_complete_runs(result) > 0)
        (void)fprintf(out, "%s left%s; digest ", units_count(text, last->left),
                      result->exchanges ? " over" : "");
    else if (last->verified)
        (void)fprintf(out, "then it ended early; digest ");
    (void)fprintf(out, "%016" PRIx64 "\n", last->digest);
}

/* Of all runs together. */
static struct reconnect_tally add_reconnects(const struct result *result)
{
    struct reconnect_tally sum = { 0 };

    for (size_t i = 0; i < result->run_count; i++) {
        const struct reconnect_tally *const one = &result->runs[i].reconnect;

        sum.outages += one->outages;
        sum.ended += one->ended;
        sum.outage_ns += one->outage_ns;
        sum.connections += one->connections;
        sum.unknown += one->unknown;
        sum.found_done += one->found_done;
        sum.repeated += one->repeated;
        if (one->longest_ns > sum.longest_ns)
            sum.longest_ns = one->longest_ns;
    }
    return sum;
}

/* How often the server went away, for how long, and what was in flight. */
static void print_outages(const struct result *result, FILE *out)
{
    const struct reconnect_tally sum = add_reconnects(result);
    char text[UNITS_TEXT_SIZE];

    if (result->run_count == 0 || !result->runs[0].reconnects)
        return;
    (void)fprintf(out, "%-*s  ", LABEL_WIDTH, "outages");
    if (sum.outages == 0) {
        (void)fprintf(out, "none\n");
        return;
    }
    (void)fprintf(out, "%" PRIu64, sum.outages);
    if (sum.ended > 0)
        (void)fprintf(out, ", %s in all",
                      units_time(text, (double)sum.outage_ns));
    if (sum.ended > 1)
        (void)fprintf(out, ", %s the longest",
                      units_time(text, (double)sum.longest_ns));
    if (sum.ended < sum.outages)
        (void)fprintf(out, ", the last one without an end");
    (void)fprintf(out,
                  "; %" PRIu64 " new connections; changes of unknown outcome: "
                  "%" PRIu64 ", found done %" PRIu64
                  ", submitted again %" PRIu64 "\n",
                  sum.connections, sum.unknown, sum.found_done, sum.repeated);
}

/* An open loop has tables of its own. */
static void print_open(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->run_count; i++) {
        if (result->repeat > 1)
            (void)fprintf(out, "run %zu of %zu\n", i + 1, result->repeat);
        open_tables_print(&result->open_load, &result->open[i], out);
    }
    if (result_complete_runs(result) < result->repeat)
        (void)fprintf(out, "%-*s  %zu of %zu runs are complete\n", LABEL_WIDTH,
                      "incomplete", result_complete_runs(result),
                      result->repeat);
}

/* What stands below all figures. */
static void print_end(const struct result *result, FILE *out)
{
    if (result->warning[0] != '\0')
        (void)fprintf(out, "%-*s  %s\n", LABEL_WIDTH, "WARNING",
                      result->warning);
    print_verified(result, out);
}

void tables_print_figures(const struct result *result, FILE *out)
{
    const size_t complete = result_complete_runs(result);

    if (result->open != NULL) {
        print_open(result, out);
        print_end(result, out);
        return;
    }
    print_header(result, out);
    if (complete == 0) {
        print_cut_short(result, out);
    } else {
        print_phases(result, out);
        print_means(result, out);
    }
    if (result->exchanges && result->config.latency)
        print_steps(result, out);
    if (result->repeat > 1 && complete > 0)
        print_repeats(result, out);
    if (complete > 0 && complete < result->repeat)
        (void)fprintf(out, "incomplete: %zu of %zu runs\n", complete,
                      result->repeat);
    (void)fputc('\n', out);
    print_moments(result, out);
    print_cost(result, out);
    print_outages(result, out);
    print_end(result, out);
}
