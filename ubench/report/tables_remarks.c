/* SPDX-License-Identifier: ISC */
#include "report/tables_parts.h"

#include <inttypes.h>

#include "core/clock.h"
#include "core/units.h"
#include "load/phases.h"
#include "measure/statistics.h"
#include "report/figures.h"

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
            (void)fprintf(out, "%-*s  min/mean/sd [us]:", TABLES_LABEL,
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
    const uint64_t operations = run_done(last);

    if (operations == 0)
        return;
    const double each = 1 / (double)operations;
    (void)fprintf(out,
                  "%-*s  per %s, client only: %.3f us user, %.3f us "
                  "system, %.3f + %.3f context switches",
                  TABLES_LABEL, "cost",
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

    (void)fprintf(out, "%-*s  ", TABLES_LABEL, "verified");
    if (!last->verified)
        (void)fprintf(out, "nothing: this store keeps no leases; digest ");
    else if (result->exchanges)
        (void)fprintf(out, "each answer of %s operations was right, ",
                      units_count(text, run_steps_done(last)));
    else if (figures_of_2012(result))
        print_phases_verified(last, out);
    else
        (void)fprintf(out, "each answer of %s operations was right, ",
                      units_count(text, run_done(last)));
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
    (void)fprintf(out, "%-*s  ", TABLES_LABEL, "outages");
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

void tables_print_remarks(const struct result *result, FILE *out)
{
    if (result->config.open.kind == OPEN_NONE) {
        print_moments(result, out);
        print_cost(result, out);
    }
    print_outages(result, out);
    if (result->warning[0] != '\0')
        (void)fprintf(out, "%-*s  %s\n", TABLES_LABEL, "WARNING",
                      result->warning);
    print_verified(result, out);
}
