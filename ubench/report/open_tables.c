/* SPDX-License-Identifier: ISC */
#include "report/open_tables.h"

#include <inttypes.h>

#include "core/clock.h"
#include "core/units.h"

enum { LABEL_WIDTH = 11 };

static double us(double ns)
{
    return ns / (double)NS_PER_US;
}

/* A latency in microseconds: three digits are enough. */
static void print_us(double ns, FILE *out)
{
    (void)fprintf(out, us(ns) < 99.95 ? " %11.2f" : " %11.0f", us(ns));
}

static void print_latency(const char *label, const struct histogram *histogram,
                          FILE *out)
{
    static const double quantiles[] = { 0.5, 0.95, 0.99, 0.999 };
    char count[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s %12s", LABEL_WIDTH, label,
                  units_count(count, histogram->count));
    if (histogram->count == 0) {
        (void)fputc('\n', out);
        return;
    }
    print_us(histogram_mean(histogram), out);
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        if (histogram_quantile_known(histogram, quantiles[i]))
            print_us(histogram_quantile(histogram, quantiles[i]), out);
        else
            (void)fprintf(out, " %11s", "n/a");
    }
    print_us((double)histogram->max_ns, out);
    (void)fputc('\n', out);
}

static void print_closed_loop(const struct open_config *config,
                              const struct open_result *open, FILE *out)
{
    char mean[UNITS_TEXT_SIZE];
    char hook[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s %.6g exchanges/s, %s each, in a loop before\n",
                  LABEL_WIDTH, "closed loop", open->capacity.per_s,
                  units_time(mean, histogram_mean(&open->capacity.service)));
    if (config->hook_delay_ns == 0)
        return;
    (void)fprintf(
        out, "%-*s %s for each exchange, %s: %zu thread%s, %.6g/s at most\n",
        LABEL_WIDTH, "hook", units_duration(hook, config->hook_delay_ns),
        config->hook_pool > 0 ? "in a pool" : "in line", open->servers,
        open->servers == 1 ? "" : "s",
        (double)open->servers * (double)NS_PER_S / (double)open->service_ns);
}

/* "drops  12 of 5,000 (0.24 %): 10 late, 2 dropped, ..." */
static void print_drops(const char *label, const struct trial *trial, FILE *out)
{
    char drops[UNITS_TEXT_SIZE];
    char sent[UNITS_TEXT_SIZE];
    const struct server_tally *const tally = &trial->tally;
    const uint64_t bad =
        tally->late + trial->dropped + tally->failed + trial->unanswered;

    (void)fprintf(out,
                  "%-*s %s of %s sent (%.3g %%): %" PRIu64 " late, %" PRIu64
                  " dropped, %" PRIu64 " failed, %" PRIu64 " unanswered",
                  LABEL_WIDTH, label, units_count(drops, bad),
                  units_count(sent, trial->offered),
                  100 * trial_bad_share(trial, trial->deadline_ns), tally->late,
                  trial->dropped, tally->failed, trial->unanswered);
    if (trial->merged > 0)
        (void)fprintf(out, ", %" PRIu64 " merged (no drops)", trial->merged);
    (void)fputc('\n', out);
}

static void print_latency_head(FILE *out)
{
    (void)fprintf(out, "\n%-*s %12s %11s %11s %11s %11s %11s %11s  [us]\n",
                  LABEL_WIDTH, "", "exchanges", "mean", "p50", "p95", "p99",
                  "p99.9", "max");
}

/* What is to be said of the trial as a whole. */
static void print_verdict(const struct trial *trial, FILE *out)
{
    const char *const invalid = trial_invalid(trial);
    const bool bad = trial_bad_share(trial, trial->deadline_ns) > 0;
    const char *verdict = "sustained: nothing was lost, and the queue did not "
                          "grow";

    if (!trial->complete)
        verdict = "interrupted";
    else if (invalid != NULL)
        verdict = invalid;
    else if (trial_queue_growing(trial, trial->deadline_ns))
        verdict = bad ? "saturated: the queue grew to the end; more time, more "
                        "drops"
                      : "unsure: the queue grew, and nothing was lost yet; a "
                        "longer --duration tells";
    else if (bad)
        verdict = "not all were answered in time";
    (void)fprintf(out, "%-*s %s\n", LABEL_WIDTH,
                  invalid != NULL && trial->complete ? "INVALID" : "verdict",
                  verdict);
}

/* Whom the prediction is of. */
static void print_servers(const char *what, const struct open_result *open,
                          FILE *out)
{
    char text[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%-*s the same %s at %zu simulated server%s of %s\n",
                  LABEL_WIDTH, "predicted", what, open->servers,
                  open->servers == 1 ? "" : "s",
                  units_time(text, (double)open->service_ns));
}

static void print_rate(const struct open_config *config,
                       const struct open_result *open, FILE *out)
{
    char text[UNITS_TEXT_SIZE];
    const struct trial *const trial = &open->search.trials[0];

    (void)fprintf(out,
                  "%-*s %.6g exchanges/s answered in time, expected rate %.6g "
                  "(%s), drop time %s",
                  LABEL_WIDTH, "rate",
                  trial_good_per_s(trial, trial->deadline_ns), trial->per_s,
                  config->arrivals == ARRIVALS_POISSON ? "poisson" : "constant",
                  units_duration(text, trial->deadline_ns));
    (void)fprintf(out, ", queue of %" PRIu64 "\n", trial->queue_size);
    print_drops("drops", trial, out);
    print_drops("predicted", &open->predicted, out);
    print_latency_head(out);
    print_latency("response", &trial->tally.response, out);
    print_latency("predicted", &open->predicted.tally.response, out);
    print_latency("service", &trial->tally.service, out);
    print_latency("lag", &trial->tally.lag, out);
    (void)fputc('\n', out);
    print_verdict(trial, out);
    print_servers("arrivals", open, out);
}

static void print_trial(const struct trial *trial, FILE *out)
{
    char offered[UNITS_TEXT_SIZE];
    const char *const invalid = trial_invalid(trial);

    if (trial->offered == 0)
        return;
    (void)fprintf(out, "%-*s %12.6g %8.3g %12s", LABEL_WIDTH,
                  trial_stage_name(trial->stage), trial->per_s,
                  (double)trial->elapsed_ns / (double)NS_PER_S,
                  units_count(offered, trial->offered));
    for (int i = 0; i < RATE_GOALS; i++) {
        const uint64_t deadline_ns = rate_goals[i].deadline_ns;
        const double share = trial_bad_share(trial, deadline_ns);
        const bool grew = trial_queue_growing(trial, deadline_ns);

        (void)fprintf(out, " %8.3f %-6s", 100 * share,
                      !trial->complete                  ? "cut"
                      : invalid != NULL                 ? "invalid"
                      : grew                            ? "grew"
                      : share > rate_goals[i].bad_share ? "no"
                                                        : "yes");
    }
    print_us(histogram_quantile(&trial->tally.response, 0.5), out);
    print_us(histogram_quantile(&trial->tally.response, 0.99), out);
    (void)fputc('\n', out);
}

static void print_bracket(const struct rate_goal *goal,
                          const struct rate_bracket *bracket, FILE *out)
{
    (void)fprintf(out, "%-*s ", LABEL_WIDTH, goal->name);
    if (bracket->low_per_s <= 0)
        (void)fprintf(out, "no rate was sustained");
    else
        (void)fprintf(out, "%.6g exchanges/s", bracket->low_per_s);
    if (bracket->high_per_s > 0)
        (void)fprintf(out, ", not %.6g%s", bracket->high_per_s,
                      bracket->invalid ? " (there the harness failed)" : "");
    if (bracket->verified)
        (void)fprintf(out, "; verified: %.6g/s answered in time",
                      bracket->good_per_s);
    else
        (void)fprintf(out, "; not verified");
    (void)fprintf(out, "\n%-*s as in %s\n", LABEL_WIDTH, "", goal->source);
}

static void print_search(const struct open_result *open, FILE *out)
{
    const struct rate_search *const search = &open->search;

    (void)fprintf(out, "\n%-*s %12s %8s %12s", LABEL_WIDTH, "trial", "rate/s",
                  "time [s]", "sent");
    for (int i = 0; i < RATE_GOALS; i++)
        (void)fprintf(out, " %15s", rate_goals[i].name);
    (void)fprintf(out, " %11s %11s  [us]\n", "p50", "p99");
    for (size_t i = 0; i < search->count; i++)
        print_trial(&search->trials[i], out);
    (void)fprintf(out, "\nsustained rate: at most so many drops (late or "
                       "lost), and no growing queue\n");
    for (int i = 0; i < RATE_GOALS; i++)
        print_bracket(&rate_goals[i], &search->brackets[i], out);
    if (!search->complete)
        (void)fprintf(out, "%-*s the search did not come to its end\n",
                      LABEL_WIDTH, "INCOMPLETE");
}

static void print_when(const char *label, uint64_t measured_ns,
                       uint64_t predicted_ns, FILE *out)
{
    const uint64_t times_ns[] = { measured_ns, predicted_ns };

    (void)fprintf(out, "%-*s", 2 * LABEL_WIDTH, label);
    for (size_t i = 0; i < 2; i++) {
        if (times_ns[i] > 0)
            (void)fprintf(out, " %10.3f s",
                          (double)times_ns[i] / (double)NS_PER_S);
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

    (void)fprintf(out, "%-*s %12s %12s\n", 2 * LABEL_WIDTH, label,
                  units_count(first, measured), units_count(second, predicted));
}

static uint32_t answered_in(const struct trial *trial, size_t second)
{
    return second < trial->second_count ? trial->seconds[second].answered : 0;
}

/* Seconds in which nothing was answered on either side are left out. */
static void print_seconds(const struct trial *measured,
                          const struct trial *predicted, FILE *out)
{
    (void)fprintf(out, "\n%-*s %12s %12s\n", 2 * LABEL_WIDTH,
                  "answers in second", "measured", "predicted");
    for (size_t i = 0; i < measured->second_count; i++) {
        char label[UNITS_TEXT_SIZE];
        const uint32_t real = answered_in(measured, i);
        const uint32_t simulated = answered_in(predicted, i);

        (void)snprintf(label, sizeof label, "%zu", i + 1);
        if (real > 0 || simulated > 0)
            print_how_many(label, real, simulated, out);
    }
}

static void print_storm(const struct open_result *open, FILE *out)
{
    const struct storm_outcome *const real = &open->storm;
    const struct storm_outcome *const simulated = &open->storm_predicted;
    const struct trial *const trial = &open->search.trials[0];

    (void)fprintf(out, "\n%-*s %12s %12s\n", 2 * LABEL_WIDTH, "storm",
                  "measured", "predicted");
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
    print_how_many("dropped", trial->dropped, open->predicted.dropped, out);
    print_how_many("merged", trial->merged, open->predicted.merged, out);
    print_how_many("answered in vain", real->useless, simulated->useless, out);
    print_seconds(trial, &open->predicted, out);
    (void)fputc('\n', out);
    print_servers("clients", open, out);
    if (trial_invalid(trial) != NULL)
        (void)fprintf(out, "%-*s %s\n", LABEL_WIDTH, "INVALID",
                      trial_invalid(trial));
}

void open_tables_print(const struct open_config *config,
                       const struct open_result *open, FILE *out)
{
    if (open->search.count == 0 || open->capacity.per_s <= 0)
        return;
    print_closed_loop(config, open, out);
    if (open->kind == OPEN_RATE)
        print_rate(config, open, out);
    else if (open->kind == OPEN_SEARCH)
        print_search(open, out);
    else if (open->kind == OPEN_STORM)
        print_storm(open, out);
}
