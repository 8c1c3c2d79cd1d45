/* SPDX-License-Identifier: ISC */
/* What came of a run of an open loop. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "report/run_text_parts.h"
#include "report/trial_verdict.h"

enum { LABEL = 11, LABELS = 2 * LABEL };

/* A latency in microseconds: three digits are enough. */
static void print_us(double ns, FILE *out)
{
    const double us = ns / 1e3;

    if (isnan(us))
        (void)fprintf(out, " %11s", "n/a");
    else
        (void)fprintf(out, us < 99.95 ? " %11.2f" : " %11.0f", us);
}

static void print_latency(const char *label,
                          const struct record_histogram *latency, FILE *out)
{
    char count[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s %12s", LABEL, label,
                  units_count(count, latency->count));
    if (latency->count > 0) {
        print_us(latency->mean_ns, out);
        print_us(latency->p50_ns, out);
        print_us(latency->p95_ns, out);
        print_us(latency->p99_ns, out);
        print_us(latency->p99_9_ns, out);
        print_us((double)latency->max_ns, out);
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
    char text[UNITS_TEXT_SIZE];

    (void)units_scan_duration(record_parameter(record, "hook-delay"),
                              &delay_ns);
    if (delay_ns == 0)
        return;
    if (pooled)
        (void)units_scan_count(hook + sizeof pool - 1, &servers);
    (void)fprintf(
        out,
        "%-*s %s for each exchange, %s: %" PRIu64 " thread%s, %.6g/s at most\n",
        LABEL, "hook", units_duration(text, delay_ns),
        pooled ? "in a pool" : "in line", servers, servers == 1 ? "" : "s",
        (double)servers * 1e9 / (mean_ns + (double)delay_ns));
}

static void print_closed_loop(const struct record *record,
                              const struct record_closed_loop *loop, FILE *out)
{
    char mean[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s %.6g exchanges/s, %s each, in a loop before\n",
                  LABEL, "closed loop", loop->rate_per_s,
                  units_time(mean, loop->service.mean_ns));
    print_hook(record, loop->service.mean_ns, out);
}

/* "drops  12 of 5,000 sent (0.24 %): 10 late, 2 dropped, ..." */
static void print_drops(const char *label, const struct record_trial *trial,
                        FILE *out)
{
    char drops[UNITS_TEXT_SIZE];
    char sent[UNITS_TEXT_SIZE];
    const uint64_t bad =
        trial->late + trial->dropped + trial->failed + trial->unanswered;

    (void)fprintf(out,
                  "%-*s %s of %s sent (%.3g %%): %" PRIu64 " late, %" PRIu64
                  " dropped, %" PRIu64 " failed, %" PRIu64 " unanswered",
                  LABEL, label, units_count(drops, bad),
                  units_count(sent, trial->offered),
                  100 * (double)bad / (double)trial->offered, trial->late,
                  trial->dropped, trial->failed, trial->unanswered);
    if (trial->merged > 0)
        (void)fprintf(out, ", %" PRIu64 " merged (no drops)", trial->merged);
    (void)fputc('\n', out);
}

/* Which servers the prediction is of. */
static void print_servers(const char *what,
                          const struct record_predicted *predicted, FILE *out)
{
    char text[UNITS_TEXT_SIZE];

    if (predicted->servers > 0)
        (void)fprintf(
            out, "%-*s the same %s at %" PRIu64 " simulated server%s of %s\n",
            LABEL, "predicted", what, predicted->servers,
            predicted->servers == 1 ? "" : "s",
            units_time(text, (double)predicted->service_ns));
}

static void print_invalid(const struct record_trial *trial, FILE *out)
{
    if (trial->invalid[0] != '\0')
        (void)fprintf(out, "%-*s %s\n", LABEL, "INVALID", trial->invalid);
}

static void print_rate(const struct record *record,
                       const struct record_open *open, FILE *out)
{
    char text[UNITS_TEXT_SIZE];
    const struct record_trial *const trial = &open->trials[0];
    const struct record_trial *const predicted = &open->predicted.trial;
    const bool is_predicted = open->predicted.servers > 0;
    const struct trial_verdict verdict = trial_verdict_of(trial);

    (void)fprintf(out,
                  "%-*s %.6g exchanges/s answered in time, expected rate %.6g "
                  "(%s), drop time %s, queue of %" PRIu64 "\n",
                  LABEL, "rate", trial->in_time_per_s, trial->rate_per_s,
                  record_parameter(record, "arrivals"),
                  units_duration(text, trial->deadline_ns), trial->queue);
    print_drops("drops", trial, out);
    if (is_predicted)
        print_drops("predicted", predicted, out);
    (void)fprintf(out, "\n%-*s %12s %11s %11s %11s %11s %11s %11s  [us]\n",
                  LABEL, "", "exchanges", "mean", "p50", "p95", "p99", "p99.9",
                  "max");
    print_latency("response", &trial->response, out);
    if (is_predicted)
        print_latency("predicted", &predicted->response, out);
    print_latency("service", &trial->service, out);
    print_latency("lag", &trial->lag, out);
    (void)fputc('\n', out);
    if (trial->invalid[0] != '\0' && !trial->incomplete)
        print_invalid(trial, out);
    else
        (void)fprintf(out, "%-*s %s\n", LABEL, "verdict", verdict.meaning);
    print_servers("arrivals", &open->predicted, out);
}

/* A search */

static void print_trial(const struct record_trial *trial,
                        const struct record_open *open, FILE *out)
{
    char offered[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s %12.6g %8.3g %12s", LABEL, trial->stage,
                  trial->rate_per_s, (double)trial->elapsed_ns / 1e9,
                  units_count(offered, trial->offered));
    for (size_t i = 0; i < open->goal_count; i++) {
        const struct record_goal *const goal = &open->goals[i];
        const double share = record_trial_bad_share(trial, goal->deadline_ns);

        (void)fprintf(out, " %8.3f %-6s", 100 * share,
                      trial->incomplete           ? "cut"
                      : trial->invalid[0] != '\0' ? "invalid"
                      : record_trial_queue_growing(trial, goal->deadline_ns)
                          ? "grew"
                      : share > goal->bad_share ? "no"
                                                : "yes");
    }
    print_us(trial->response.count > 0 ? trial->response.p50_ns : NAN, out);
    print_us(trial->response.count > 0 ? trial->response.p99_ns : NAN, out);
    (void)fputc('\n', out);
}

static void print_goal(const struct record_goal *goal, FILE *out)
{
    (void)fprintf(out, "%-*s ", LABEL, goal->name);
    if (goal->low_per_s > 0)
        (void)fprintf(out, "%.6g exchanges/s", goal->low_per_s);
    else
        (void)fprintf(out, "no rate was sustained");
    if (goal->high_per_s > 0)
        (void)fprintf(out, ", not %.6g%s", goal->high_per_s,
                      goal->invalid ? " (there the harness failed)" : "");
    if (goal->verified)
        (void)fprintf(out, "; verified: %.6g/s answered in time",
                      goal->in_time_per_s);
    else
        (void)fprintf(out, "; not verified");
    (void)fprintf(out, "\n%-*s as in %s\n", LABEL, "", goal->source);
}

static void print_search(const struct record_run *run, FILE *out)
{
    const struct record_open *const open = run->open;

    (void)fprintf(out, "\n%-*s %12s %8s %12s", LABEL, "trial", "rate/s",
                  "time [s]", "sent");
    for (size_t i = 0; i < open->goal_count; i++)
        (void)fprintf(out, " %15s", open->goals[i].name);
    (void)fprintf(out, " %11s %11s  [us]\n", "p50", "p99");
    for (size_t i = 0; i < open->trial_count; i++)
        print_trial(&open->trials[i], open, out);
    (void)fprintf(out, "\nsustained rate: at most so many drops (late or "
                       "lost), and no growing queue\n");
    for (size_t i = 0; i < open->goal_count; i++)
        print_goal(&open->goals[i], out);
    if (run->incomplete)
        (void)fprintf(out, "%-*s the search did not come to its end\n", LABEL,
                      "INCOMPLETE");
}

/* A storm: what was measured, and what was predicted or nothing */

static void print_when(const char *label, uint64_t measured_ns,
                       uint64_t predicted_ns, FILE *out)
{
    const uint64_t times_ns[] = { measured_ns, predicted_ns };

    (void)fprintf(out, "%-*s", LABELS, label);
    for (size_t i = 0; i < 2; i++) {
        if (times_ns[i] != RECORD_UNKNOWN)
            (void)fprintf(out, " %10.3f s", (double)times_ns[i] / 1e9);
        else
            (void)fprintf(out, " %12s", "never");
    }
    (void)fputc('\n', out);
}

static void print_how_many(const char *label, uint64_t measured,
                           uint64_t predicted, FILE *out)
{
    char first[UNITS_TEXT_SIZE];
    char second[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s %12s %12s\n", LABELS, label,
                  units_count(first, measured), units_count(second, predicted));
}

static uint64_t answered_in(const struct record_seconds *seconds, size_t second)
{
    return second < seconds->count ? seconds->items[second].answered : 0;
}

/* Seconds in which nothing was answered on either side are left out. */
static void print_seconds(const struct record_seconds *measured,
                          const struct record_seconds *predicted, FILE *out)
{
    (void)fprintf(out, "\n%-*s %12s %12s\n", LABELS, "answers in second",
                  "measured", "predicted");
    for (size_t i = 0; i < measured->count; i++) {
        char label[UNITS_TEXT_SIZE];
        const uint64_t real = answered_in(measured, i);
        const uint64_t simulated = answered_in(predicted, i);

        (void)snprintf(label, sizeof label, "%zu", i + 1);
        if (real > 0 || simulated > 0)
            print_how_many(label, real, simulated, out);
    }
}

static void print_storm(const struct record_open *open, FILE *out)
{
    const struct record_storm *const real = &open->storm;
    const struct record_storm *const simulated = &open->predicted.storm;
    const struct record_trial *const trial = &open->trials[0];
    const struct record_trial *const predicted = &open->predicted.trial;

    (void)fprintf(out, "\n%-*s %12s %12s\n", LABELS, "storm", "measured",
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
    print_seconds(&trial->seconds, &predicted->seconds, out);
    (void)fputc('\n', out);
    print_servers("clients", &open->predicted, out);
    print_invalid(trial, out);
}

void run_open_print(const struct record *record, const struct record_run *run,
                    FILE *out)
{
    const struct record_open *const open = run->open;

    if (open->trial_count == 0 || open->closed_loop.rate_per_s <= 0)
        return;
    print_closed_loop(record, &open->closed_loop, out);
    if (open->goal_count > 0)
        print_search(run, out);
    else if (open->trials[0].rate_per_s > 0)
        print_rate(record, open, out);
    else
        print_storm(open, out);
}
