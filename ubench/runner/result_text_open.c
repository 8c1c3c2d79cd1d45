/* SPDX-License-Identifier: ISC */
/* Prints a run of an open loop. */
#include <inttypes.h>

#include "core/units.h"
#include "runner/result.h"
#include "runner/text.h"

enum { NAME = -15, COUNT = 10, LATENCY = 9, LABEL = -22, SIDE = 13 };

/* Prints the rate of the closed loop, for comparison, and the rate to which a
   slow hook limits the exchanges. */
static void print_closed_loop(const struct runner_config *config, const struct open_result *open,
                              FILE *out)
{
    const struct open_config *const asked = &config->load.open;
    const uint64_t servers = asked->hook_pool > 0 ? asked->hook_pool : config->load.threads;

    text_print(out, "closed loop", "%s exchanges/s, %s each, measured before the open loop",
               units_figure(UNITS_TEXT, phase_rate_per_s(&open->closed)),
               units_time(UNITS_TEXT, histogram_mean(&open->closed.operations)));
    if (asked->hook_delay_ns > 0)
        text_print(out, "hook", "%s for each exchange, %s: %" PRIu64 " thread%s, %s/s at most",
                   units_duration(UNITS_TEXT, asked->hook_delay_ns),
                   asked->hook_pool > 0 ? "in a pool" : "in line", servers, servers == 1 ? "" : "s",
                   units_figure(UNITS_TEXT, hook_limit_per_s(config, open)));
}

/* Prints which servers were simulated for the prediction. */
static void print_servers(const char *what, const struct open_result *open, FILE *out)
{
    if (open->predicted.offered > 0)
        text_print(out, "predicted", "the same %s with %zu simulated server%s of %s each", what,
                   open->servers, open->servers == 1 ? "" : "s",
                   units_time(UNITS_TEXT, (double)open->service_ns));
}

/* A rate */

/* Prints "drops  12 of 5,000 sent (0.24 %): 10 late, 2 dropped, ...". */
static void print_drops(const char *label, const struct trial *trial, FILE *out)
{
    struct text text = text_begin(out, label, TEXT_PLAIN);

    text_add(&text,
             "%s of %s sent (%.3g %%): %" PRIu64 " late, %" PRIu64 " dropped, %" PRIu64
             " failed, %" PRIu64 " unanswered%s",
             units_count(UNITS_TEXT, trial_bad(trial, trial->deadline_ns)),
             units_count(UNITS_TEXT, trial->offered),
             100 * trial_bad_share(trial, trial->deadline_ns), trial->tally.late, trial->dropped,
             trial->tally.failed, trial->unanswered, trial->merged > 0 ? "," : "");
    if (trial->merged > 0)
        text_add(&text, "%" PRIu64 " merged (not drops)", trial->merged);
    text_end(&text);
}

/* Prints the requested rate and the verdict on it. */
static void print_verdict(const struct runner_config *config, const struct trial *trial, FILE *out)
{
    const bool invalid = trial->complete && trial_invalid(trial) != NULL;

    text_print(out, invalid ? "INVALID" : "verdict", "%s", trial_verdict(trial).meaning);
    text_print(
        out, "rate",
        "%s exchanges/s answered in time, of %.6g expected (%s); deadline %s, queue of %" PRIu64,
        units_figure(UNITS_TEXT, trial_good_per_s(trial, trial->deadline_ns)), trial->per_s,
        config->load.open.arrivals == ARRIVALS_POISSON ? "poisson" : "constant",
        units_duration(UNITS_TEXT, trial->deadline_ns), trial->queue_size);
}

static void print_latency(struct table *table, const char *label, const struct histogram *latency)
{
    table_cell(table, label);
    table_cell(table, units_count(UNITS_TEXT, latency->count));
    if (latency->count > 0) {
        table_time(table, histogram_mean(latency));
        for (size_t i = 0; i + 1 < QUANTILES; i++)
            table_time(table, quantile_ns(latency, &quantiles[i]));
        table_time(table, (double)latency->max_ns);
    }
    table_end(table, NULL);
}

static void print_latencies(const struct open_result *open, FILE *out)
{
    const struct server_tally *const tally = &open->search.trials[0].tally;
    struct table table = { out,
                           { NAME, COUNT, LATENCY, LATENCY, LATENCY, LATENCY, LATENCY, LATENCY },
                           0 };

    table_cell(&table, "");
    table_cell(&table, "exchanges");
    table_cell(&table, "mean");
    for (size_t i = 0; i + 1 < QUANTILES; i++) /* p99.99 is only in the JSON */
        table_cell(&table, quantiles[i].name);
    table_cell(&table, "max");
    table_end(&table, NULL);
    print_latency(&table, "response", &tally->response);
    if (open->predicted.offered > 0)
        print_latency(&table, "predicted", &open->predicted.tally.response);
    print_latency(&table, "service", &tally->service);
    print_latency(&table, "lag", &tally->lag);
}

static void print_rate(const struct runner_config *config, const struct open_result *open,
                       FILE *out)
{
    print_verdict(config, &open->search.trials[0], out);
    print_drops("drops", &open->search.trials[0], out);
    if (open->predicted.offered > 0)
        print_drops("predicted", &open->predicted, out);
    (void)fputc('\n', out);
    print_latencies(open, out);
    (void)fputc('\n', out);
    print_servers("arrivals", open, out);
    print_closed_loop(config, open, out);
}

/* A search */

static void print_goal(const struct rate_goal *goal, const struct rate_bracket *found, FILE *out)
{
    struct text text = text_begin(out, goal->name, TEXT_PLAIN);

    if (found->low_per_s > 0)
        text_add(&text, "%s exchanges/s answered in time; offered %s/s;",
                 units_figure(UNITS_TEXT, found->good_per_s),
                 units_figure(UNITS_TEXT, found->low_per_s));
    else
        text_add(&text, "no rate was sustained;");
    if (found->high_per_s > 0)
        text_add(&text, "%s/s was not sustained%s;", units_figure(UNITS_TEXT, found->high_per_s),
                 found->invalid ? " (limited by the load generator)" : "");
    else
        text_add(&text, "no upper bound was found;");
    text_add(&text, found->verified ? "verified;" : "not verified;");
    text_add(&text, "as in %s", goal->source);
    text_end(&text);
}

static void print_search(const struct runner_config *config, const struct load_result *run,
                         FILE *out)
{
    const struct open_result *const open = run->open;

    (void)fprintf(out,
                  "sustained rate: drops (late or lost) within the limit, and no growing queue\n");
    for (size_t i = 0; i < RATE_GOALS; i++)
        print_goal(&rate_goals[i], &open->search.brackets[i], out);
    if (!run->complete)
        text_print(out, "INCOMPLETE", "the search did not finish");
    print_closed_loop(config, open, out);
}

/* A storm: the measured figures, and the predicted ones */

/* Writes a count or, if time, a time.  Returns text. */
static const char *storm_figure(char text[static UNITS_TEXT_SIZE], bool time, uint64_t value)
{
    return !time                 ? units_count(text, value)
           : value != UINT64_MAX ? units_time(text, (double)value)
                                 : "never";
}

static void print_storm(const struct runner_config *config, const struct open_result *open,
                        FILE *out)
{
    const struct storm_outcome *const a = &open->storm;
    const struct storm_outcome *const b = &open->storm_predicted;
    const struct trial *const trial = &open->search.trials[0];
    const struct trial *const predicted = &open->predicted;
    struct table table = { out, { LABEL, SIDE, SIDE }, 0 };
    const struct {
        const char *label;
        bool time;
        uint64_t measured;
        uint64_t predicted;
    } rows[] = {
        { "clients", false, a->clients, b->clients },
        { "served", false, a->served, b->served },
        { "50 % served after", true, a->served_50_ns, b->served_50_ns },
        { "99 % served after", true, a->served_99_ns, b->served_99_ns },
        { "all served after", true, a->served_100_ns, b->served_100_ns },
        { "requests sent", false, a->sent, b->sent },
        { "retransmitted", false, a->retransmitted, b->retransmitted },
        { "dropped", false, trial->dropped, predicted->dropped },
        { "merged", false, trial->merged, predicted->merged },
        { "duplicate answers", false, a->useless, b->useless },
    };

    table_cell(&table, "storm");
    table_cell(&table, "measured");
    table_cell(&table, "predicted");
    table_end(&table, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        table_cell(&table, rows[i].label);
        table_cell(&table, storm_figure(UNITS_TEXT, rows[i].time, rows[i].measured));
        table_cell(&table, storm_figure(UNITS_TEXT, rows[i].time, rows[i].predicted));
        table_end(&table, NULL);
    }
    (void)fputc('\n', out);
    print_servers("clients", open, out);
    print_closed_loop(config, open, out);
    if (trial_invalid(trial) != NULL)
        text_print(out, "INVALID", "%s", trial_invalid(trial));
}

void text_print_open(const struct result *result, const struct load_result *run, FILE *out)
{
    const struct runner_config *const config = result->config;
    const struct open_result *const open = run->open;

    if (open->search.count == 0 || open->closed.done == 0)
        return;
    if (open->is_search)
        print_search(config, run, out);
    else if (open->search.trials[0].offered == 0)
        return;
    else if (open->is_storm)
        print_storm(config, open, out);
    else
        print_rate(config, open, out);
}
