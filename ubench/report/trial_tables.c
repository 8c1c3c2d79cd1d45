/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <math.h>

#include "core/units.h"

struct trial_verdict trial_verdict_of(const struct record_trial *trial)
{
    if (trial->incomplete)
        return (struct trial_verdict){ "interrupted", "interrupted" };
    if (trial->invalid[0] != '\0')
        return (struct trial_verdict){ "INVALID: the harness failed",
                                       trial->invalid };
    if (trial->grew && trial->bad_share > 0)
        return (struct trial_verdict){
            "saturated",
            "saturated: the queue grew to the end; more time, more drops"
        };
    if (trial->grew)
        return (struct trial_verdict){
            "unsure: the queue grew",
            "unsure: the queue grew, and nothing was lost yet; a longer "
            "--duration tells"
        };
    if (trial->bad_share > 0)
        return (struct trial_verdict){ "not all in time",
                                       "not all were answered in time" };
    return (struct trial_verdict){
        "sustained", "sustained: nothing was lost, and the queue did not grow"
    };
}

/* Writes the rows of one run. */
typedef void add_run(struct grid *grid, const struct group *group,
                     const struct record_run *run);

/* One of the tables of a section. */
struct trial_table {
    const char *sides;
    const char *heads[11];
    add_run *add;
};

static void add_rate(struct grid *grid, double per_s)
{
    if (per_s > 0)
        grid_add(grid, "%s", units_figure(UNITS_TEXT, per_s));
    else
        grid_add(grid, "none");
}

/* 0 is not known: what perfdhcp did not tell, or was not predicted. */
static void add_seconds(struct grid *grid, uint64_t ns)
{
    if (ns == RECORD_UNKNOWN)
        grid_add(grid, "never");
    else
        grid_add_if(grid, ns > 0, "%.3f", (double)ns / 1e9);
}

static void add_quantiles(struct grid *grid,
                          const struct record_histogram *response)
{
    static const enum latency_figure figures[] = { LATENCY_P50, LATENCY_P99,
                                                   LATENCY_P99_9 };

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const double ns = latency_figure(response, figures[i]);

        grid_add_if(grid, !isnan(ns), "%.3f", ns / 1e6);
    }
}

/* Trials of their own; those of a search are in its goals. */
static void add_trials(struct grid *grid, const struct group *group,
                       const struct record_run *run)
{
    for (size_t i = 0; i < run->open->trial_count; i++) {
        const struct record_trial *const trial = &run->open->trials[i];

        if (run->open->goal_count > 0 || !(trial->rate_per_s > 0))
            continue;
        grid_add(grid, "%s", group->label);
        grid_add(grid, "%s", units_figure(UNITS_TEXT, trial->rate_per_s));
        grid_add(grid, "%s", units_figure(UNITS_TEXT, trial->in_time_per_s));
        grid_add(grid, "%s", units_count(UNITS_TEXT, trial->offered));
        grid_add(grid, "%s", units_count(UNITS_TEXT, trial->late));
        grid_add(grid, "%s",
                 units_count(UNITS_TEXT, trial->dropped + trial->failed +
                                             trial->unanswered));
        add_quantiles(grid, &trial->response);
        add_seconds(grid, trial->deadline_ns);
        grid_add(grid, "%s", trial_verdict_of(trial).name);
    }
}

/* "confirmed", or what else is to be said of what a search found. */
static const char *goal_verdict(const struct record_run *run,
                                const struct record_goal *goal)
{
    if (run->incomplete)
        return "the search was interrupted";
    if (goal->invalid)
        return "the limit is the machine's";
    return goal->verified ? "confirmed" : "not confirmed";
}

static void add_goals(struct grid *grid, const struct group *group,
                      const struct record_run *run)
{
    for (size_t i = 0; i < run->open->goal_count; i++) {
        const struct record_goal *const goal = &run->open->goals[i];

        grid_add(grid, "%s", group->label);
        grid_add(grid, "%s", goal->name);
        add_rate(grid, goal->low_per_s);
        add_rate(grid, goal->high_per_s);
        add_rate(grid, goal->in_time_per_s);
        grid_add(grid, "%s", goal_verdict(run, goal));
    }
}

static void add_storm(struct grid *grid, const struct group *group,
                      const struct record_run *run)
{
    const struct storm_outcome *const storm = &run->open->storm;
    const struct storm_outcome *const predicted = &run->open->predicted.storm;

    if (storm->clients == 0)
        return;
    grid_add(grid, "%s", group->label);
    grid_add(grid, "%s", units_count(UNITS_TEXT, storm->clients));
    grid_add(grid, "%s", units_count(UNITS_TEXT, storm->served));
    grid_add(grid, "%s", units_count(UNITS_TEXT, storm->sent));
    add_seconds(grid, storm->served_50_ns);
    add_seconds(grid, storm->served_99_ns);
    add_seconds(grid, storm->served_100_ns);
    add_seconds(grid, predicted->clients > 0 ? predicted->served_100_ns : 0);
    grid_add(grid, "%s", run->incomplete ? "interrupted" : "");
}

static const struct trial_table tables[] = {
    { "llrrrl",
      { "rate that was searched for", "at most late or lost", "sustained [1/s]",
        "not [1/s]", "in time [1/s]", "verdict" },
      add_goals },
    { "lrrrrrrrrrl",
      { "at a rate", "offered [1/s]", "in time [1/s]", "sent", "late", "lost",
        "p50 [ms]", "p99 [ms]", "p99.9 [ms]", "deadline [s]", "verdict" },
      add_trials },
    { "lrrrrrrrl",
      { "storm", "clients", "served", "requests", "50 % after [s]", "99 % [s]",
        "all [s]", "all, predicted [s]", "" },
      add_storm },
};

static void print_table(const struct section *section,
                        const struct trial_table *table,
                        enum grid_format format, FILE *out)
{
    struct grid grid;

    grid_init(&grid, table->sides, table->heads);
    for (size_t i = 0; i < section->count; i++) {
        const struct group *const group = &section->groups[i];

        for (size_t k = 0; k < group->record_count; k++) {
            const struct record *const record = group->records[k];

            for (size_t r = 0; r < record->run_count; r++) {
                if (record->runs[r].open != NULL)
                    table->add(&grid, group, &record->runs[r]);
            }
        }
    }
    if (!grid_is_empty(&grid)) {
        grid_print(&grid, format, out);
        (void)fputc('\n', out);
    }
    grid_release(&grid);
}

void trial_tables_print(const struct groups *groups, enum grid_format format,
                        FILE *out)
{
    struct arena memory = { 0 };

    for (size_t i = 0; i < groups->section_count; i++) {
        const struct section *const section = &groups->sections[i];

        grid_print_heading(format, out,
                           arena_print(&memory, "open loop, %s: %s",
                                       section_heading(&memory, section),
                                       section->meaning));
        for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
            print_table(section, &tables[k], format, out);
    }
    if (groups->section_count > 0)
        grid_print_note(
            format, out,
            "An open loop is asked for a rate, and says whether it was "
            "reached; only a rate that was searched for is what a store can "
            "do. Times are from when a request was to come to its answer; "
            "lost: dropped, failed or never answered.");
    arena_release(&memory);
}
