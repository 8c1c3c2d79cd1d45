/* SPDX-License-Identifier: ISC */
/* What came of a run of an open loop. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "report/fold.h"
#include "report/run_text_parts.h"
#include "report/tables.h"

enum { NAME = 15, COUNT = 10, LATENCY = 9, LABEL = 22, SIDE = 13 };

static void print_latency_figure(double ns, FILE *out)
{
    (void)fprintf(out, "%*s", LATENCY,
                  isnan(ns) ? "n/a" : units_time(UNITS_TEXT, ns));
}

static void print_latency(const char *label,
                          const struct record_histogram *latency, FILE *out)
{
    char count[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s%*s", NAME, label, COUNT,
                  units_count(count, latency->count));
    if (latency->count > 0) {
        print_latency_figure(latency->mean_ns, out);
        print_latency_figure(latency->p50_ns, out);
        print_latency_figure(latency->p95_ns, out);
        print_latency_figure(latency->p99_ns, out);
        print_latency_figure(latency->p99_9_ns, out);
        print_latency_figure((double)latency->max_ns, out);
    }
    (void)fputc('\n', out);
}

/* What a slow service that each exchange asks first allows at most. */
static void print_hook(const struct record *record, double mean_ns, FILE *out)
{
    static const char pool[] = "pool:";
    const char *const hook = record_parameter(record, "hook");
    const bool pooled = strncmp(hook, pool, sizeof pool - 1) == 0;
    uint64_t servers = record_parameter_count(record, "threads", 1);
    uint64_t delay_ns = 0;

    (void)units_scan_duration(record_parameter(record, "hook-delay"),
                              &delay_ns);
    if (delay_ns == 0)
        return;
    if (pooled)
        (void)units_scan_count(hook + sizeof pool - 1, &servers);
    fold_print(out, "hook",
               "%s for each exchange, %s: %" PRIu64 " thread%s, %s/s at most",
               units_duration(UNITS_TEXT, delay_ns),
               pooled ? "in a pool" : "in line", servers,
               servers == 1 ? "" : "s",
               units_figure(UNITS_TEXT, (double)servers * 1e9 /
                                            (mean_ns + (double)delay_ns)));
}

/* What a rate is to be compared with. */
static void print_closed_loop(const struct record *record,
                              const struct record_closed_loop *loop, FILE *out)
{
    fold_print(out, "closed loop",
               "%s exchanges/s, %s each: one after the other, before",
               units_figure(UNITS_TEXT, loop->rate_per_s),
               units_time(UNITS_TEXT, loop->service.mean_ns));
    print_hook(record, loop->service.mean_ns, out);
}

/* "drops  12 of 5,000 sent (0.24 %): 10 late, 2 dropped, ..." */
static void print_drops(const char *label, const struct record_trial *trial,
                        FILE *out)
{
    const uint64_t bad =
        trial->late + trial->dropped + trial->failed + trial->unanswered;
    struct fold fold = fold_begin(label, out);

    fold_add(
        &fold,
        "%s of %s sent (%.3g %%): %" PRIu64 " late, %" PRIu64
        " dropped, %" PRIu64 " failed, %" PRIu64 " unanswered%s",
        units_count(UNITS_TEXT, bad), units_count(UNITS_TEXT, trial->offered),
        100 * (double)bad / (double)trial->offered, trial->late, trial->dropped,
        trial->failed, trial->unanswered, trial->merged > 0 ? "," : "");
    if (trial->merged > 0)
        fold_add(&fold, "%" PRIu64 " merged (no drops)", trial->merged);
    fold_end(&fold);
}

/* Which servers the prediction is of. */
static void print_servers(const char *what,
                          const struct record_predicted *predicted, FILE *out)
{
    if (predicted->servers > 0)
        fold_print(out, "predicted",
                   "the same %s at %" PRIu64 " simulated server%s of %s", what,
                   predicted->servers, predicted->servers == 1 ? "" : "s",
                   units_time(UNITS_TEXT, (double)predicted->service_ns));
}

static void print_invalid(const struct record_trial *trial, FILE *out)
{
    if (trial->invalid[0] != '\0')
        fold_print(out, "INVALID", "%s", trial->invalid);
}

/* What was asked for, and what came of it. */
static void print_verdict(const struct record *record,
                          const struct record_trial *trial, FILE *out)
{
    if (trial->invalid[0] != '\0' && !trial->incomplete)
        print_invalid(trial, out);
    else
        fold_print(out, "verdict", "%s", trial_verdict_of(trial).meaning);
    fold_print(out, "rate",
               "%s exchanges/s answered in time, of %.6g expected (%s), drop "
               "time %s, queue of %" PRIu64,
               units_figure(UNITS_TEXT, trial->in_time_per_s),
               trial->rate_per_s, record_parameter(record, "arrivals"),
               units_duration(UNITS_TEXT, trial->deadline_ns), trial->queue);
}

static void print_rate(const struct record *record,
                       const struct record_open *open, FILE *out)
{
    const struct record_trial *const trial = &open->trials[0];
    const struct record_trial *const predicted = &open->predicted.trial;
    const bool is_predicted = open->predicted.servers > 0;

    print_verdict(record, trial, out);
    print_drops("drops", trial, out);
    if (is_predicted)
        print_drops("predicted", predicted, out);
    (void)fprintf(out, "\n%-*s%*s%*s%*s%*s%*s%*s%*s\n", NAME, "", COUNT,
                  "exchanges", LATENCY, "mean", LATENCY, "p50", LATENCY, "p95",
                  LATENCY, "p99", LATENCY, "p99.9", LATENCY, "max");
    print_latency("response", &trial->response, out);
    if (is_predicted)
        print_latency("predicted", &predicted->response, out);
    print_latency("service", &trial->service, out);
    print_latency("lag", &trial->lag, out);
    (void)fputc('\n', out);
    print_servers("arrivals", &open->predicted, out);
    print_closed_loop(record, &open->closed_loop, out);
}

/* A search */

static const char *goal_verdict(const struct record_trial *trial,
                                const struct record_goal *goal)
{
    return trial->incomplete                                      ? "cut"
           : trial->invalid[0] != '\0'                            ? "invalid"
           : record_trial_queue_growing(trial, goal->deadline_ns) ? "grew"
           : record_trial_bad_share(trial, goal->deadline_ns) > goal->bad_share
               ? "no"
               : "yes";
}

static void print_trial(const struct record_trial *trial,
                        const struct record_open *open, FILE *out)
{
    const bool answered = trial->response.count > 0;

    (void)fprintf(out, "%-7s%*s%*s%*s", trial->stage, COUNT,
                  units_figure(UNITS_TEXT, trial->rate_per_s), LATENCY,
                  units_time(UNITS_TEXT, (double)trial->elapsed_ns), COUNT,
                  units_count(UNITS_TEXT, trial->offered));
    for (size_t i = 0; i < open->goal_count; i++)
        (void)fprintf(
            out, "%7.3f %-7s",
            100 * record_trial_bad_share(trial, open->goals[i].deadline_ns),
            goal_verdict(trial, &open->goals[i]));
    print_latency_figure(answered ? trial->response.p99_ns : NAN, out);
    (void)fputc('\n', out);
}

static void print_trials(const struct record_open *open, FILE *out)
{
    (void)fprintf(out, "\n%-7s%*s%*s%*s", "trial", COUNT, "rate/s", LATENCY,
                  "time", COUNT, "sent");
    for (size_t i = 0; i < open->goal_count; i++)
        (void)fprintf(out, "  %-13s", open->goals[i].name);
    (void)fprintf(out, "%*s\n", LATENCY, "p99");
    for (size_t i = 0; i < open->trial_count; i++)
        print_trial(&open->trials[i], open, out);
}

static void print_goal(const struct record_goal *goal, FILE *out)
{
    struct fold fold = fold_begin(goal->name, out);

    if (goal->low_per_s > 0)
        fold_add(&fold, "%s exchanges/s,",
                 units_figure(UNITS_TEXT, goal->low_per_s));
    else
        fold_add(&fold, "no rate was sustained,");
    if (goal->high_per_s > 0)
        fold_add(&fold, "not %s%s;", units_figure(UNITS_TEXT, goal->high_per_s),
                 goal->invalid ? " (there the harness failed)" : "");
    else
        fold_add(&fold, "at least;");
    if (goal->verified)
        fold_add(&fold, "verified: %s/s answered in time;",
                 units_figure(UNITS_TEXT, goal->in_time_per_s));
    else
        fold_add(&fold, "not verified;");
    fold_add(&fold, "as in %s", goal->source);
    fold_end(&fold);
}

static void print_search(const struct record *record,
                         const struct record_run *run,
                         enum run_text_detail detail, FILE *out)
{
    const struct record_open *const open = run->open;

    (void)fprintf(out, "sustained rate: at most so many drops (late or lost), "
                       "and no growing queue\n");
    for (size_t i = 0; i < open->goal_count; i++)
        print_goal(&open->goals[i], out);
    if (run->incomplete)
        fold_print(out, "INCOMPLETE", "the search did not come to its end");
    print_closed_loop(record, &open->closed_loop, out);
    if (detail == RUN_TEXT_FULL)
        print_trials(open, out);
}

/* A storm: what was measured, and what was predicted or nothing */

static void print_when(const char *label, uint64_t measured_ns,
                       uint64_t predicted_ns, FILE *out)
{
    const uint64_t times_ns[] = { measured_ns, predicted_ns };

    (void)fprintf(out, "%-*s", LABEL, label);
    for (size_t i = 0; i < 2; i++) {
        if (times_ns[i] != RECORD_UNKNOWN)
            (void)fprintf(out, "%*s", SIDE,
                          units_time(UNITS_TEXT, (double)times_ns[i]));
        else
            (void)fprintf(out, "%*s", SIDE, "never");
    }
    (void)fputc('\n', out);
}

static void print_how_many(const char *label, uint64_t measured,
                           uint64_t predicted, FILE *out)
{
    (void)fprintf(out, "%-*s%*s%*s\n", LABEL, label, SIDE,
                  units_count(UNITS_TEXT, measured), SIDE,
                  units_count(UNITS_TEXT, predicted));
}

static uint64_t answered_in(const struct record_seconds *seconds, size_t second)
{
    return second < seconds->count ? seconds->items[second].answered : 0;
}

/* Seconds in which nothing was answered on either side are left out. */
static void print_seconds(const struct record_seconds *measured,
                          const struct record_seconds *predicted, FILE *out)
{
    (void)fprintf(out, "\n%-*s%*s%*s\n", LABEL, "answers in second", SIDE,
                  "measured", SIDE, "predicted");
    for (size_t i = 0; i < measured->count; i++) {
        char label[UNITS_TEXT_SIZE];
        const uint64_t real = answered_in(measured, i);
        const uint64_t simulated = answered_in(predicted, i);

        (void)snprintf(label, sizeof label, "%zu", i + 1);
        if (real > 0 || simulated > 0)
            print_how_many(label, real, simulated, out);
    }
}

static void print_storm(const struct record *record,
                        const struct record_open *open,
                        enum run_text_detail detail, FILE *out)
{
    const struct storm_outcome *const real = &open->storm;
    const struct storm_outcome *const simulated = &open->predicted.storm;
    const struct record_trial *const trial = &open->trials[0];
    const struct record_trial *const predicted = &open->predicted.trial;

    (void)fprintf(out, "%-*s%*s%*s\n", LABEL, "storm", SIDE, "measured", SIDE,
                  "predicted");
    print_how_many("clients", real->clients, simulated->clients, out);
    print_how_many("had an answer", real->served, simulated->served, out);
    print_when("50 % had one after", real->served_50_ns,
               simulated->served_50_ns, out);
    print_when("99 % had one after", real->served_99_ns,
               simulated->served_99_ns, out);
    print_when("all had one after", real->served_100_ns,
               simulated->served_100_ns, out);
    print_how_many("requests sent", real->sent, simulated->sent, out);
    print_how_many("sent again", real->retransmitted, simulated->retransmitted,
                   out);
    print_how_many("dropped", trial->dropped, predicted->dropped, out);
    print_how_many("merged", trial->merged, predicted->merged, out);
    print_how_many("answered in vain", real->useless, simulated->useless, out);
    if (detail == RUN_TEXT_FULL)
        print_seconds(&trial->seconds, &predicted->seconds, out);
    (void)fputc('\n', out);
    print_servers("clients", &open->predicted, out);
    print_closed_loop(record, &open->closed_loop, out);
    print_invalid(trial, out);
}

void run_open_print(const struct record *record, const struct record_run *run,
                    enum run_text_detail detail, FILE *out)
{
    const struct record_open *const open = run->open;

    if (open->trial_count == 0 || open->closed_loop.rate_per_s <= 0)
        return;
    if (open->goal_count > 0)
        print_search(record, run, detail, out);
    else if (open->trials[0].rate_per_s > 0)
        print_rate(record, open, out);
    else
        print_storm(record, open, detail, out);
}
