/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "measure/statistics.h"
#include "record/server.h"

/* Processor time for each lease, of a part: the median of the runs. */
static void add_cost(struct grid *grid, const struct group *group,
                     size_t part_offset)
{
    double *const costs =
        arena_alloc(&grid->memory, group->run_count + 1, sizeof *costs);
    size_t count = 0;

    for (size_t i = 0; i < group->run_count; i++) {
        const struct record_server_trial *const best =
            record_server_best(group->runs[i].record->server);
        if (best == NULL)
            continue;
        const char *const part = (const char *)&best->processor + part_offset;
        costs[count] =
            record_server_cost_us(best, *(const double *)(const void *)part);
        count += isnan(costs[count]) ? 0 : 1;
    }
    statistics_sort(costs, count);
    grid_add_if(grid, count > 0, "%.0f",
                count > 0 ? statistics_median_sorted(costs, count) : 0);
}

static void add_rate(struct grid *grid, const struct group *group, bool known,
                     double per_s)
{
    grid_add_if(grid, known, "%s",
                group->class == GROUP_PUBLISHED
                    ? units_count(UNITS_TEXT, (uint64_t)llround(per_s))
                    : units_figure(UNITS_TEXT, per_s));
}

static void add_row(struct grid *grid, const struct group *group)
{
    const struct summary rate =
        group_summary(&grid->memory, group, group_run_rate, NULL);

    grid_add(grid, "%s", group->label);
    add_rate(grid, group, rate.count > 0, rate.median);
    add_rate(grid, group, rate.count > 1, rate.low);
    add_rate(grid, group, rate.count > 1, rate.high);
    grid_add(grid, "%zu", group->run_count);
    add_cost(grid, group, offsetof(struct record_processor, server_s));
    add_cost(grid, group, offsetof(struct record_processor, store_s));
    add_cost(grid, group, offsetof(struct record_processor, load_s));
}

/* "kea-dhcp4 2.2.0, 1 thread": what all rows have, which is in no label. */
static const char *common_of(struct arena *memory,
                             const struct section *section)
{
    const struct record *const first = section->groups[0].records[0];
    const char *const threads = record_parameter(first, "threads");
    bool same_version = true;
    bool same_threads = true;

    for (size_t i = 0; i < section->count; i++) {
        const struct record *const other = section->groups[i].records[0];

        same_version = same_version &&
                       strcmp(other->program, first->program) == 0 &&
                       strcmp(other->version, first->version) == 0;
        same_threads = same_threads &&
                       strcmp(record_parameter(other, "threads"), threads) == 0;
    }
    const char *const server =
        same_version
            ? arena_print(memory, "%s %s", first->program, first->version)
            : "DHCP servers";
    return same_threads
               ? arena_print(memory, "%s, %s thread%s", server, threads,
                             strcmp(threads, "1") == 0 ? "" : "s")
               : server;
}

static void print_section(struct arena *memory, const struct section *section,
                          enum grid_format format, FILE *out)
{
    static const char *const heads[] = { "DHCP server", "leases/s", "from",
                                         "to",          "runs",     "server us",
                                         "db us",       "load us" };
    struct grid grid;

    grid_print_heading(
        format, out,
        arena_print(memory, "%s, %s: %s", common_of(memory, section),
                    section_heading(memory, section), section->meaning));
    grid_init(&grid, "lrrrrrrr", heads);
    for (size_t i = 0; i < section->count; i++)
        add_row(&grid, &section->groups[i]);
    grid_print(&grid, format, out);
    grid_release(&grid);
    (void)fputc('\n', out);
}

static void add_failover(struct grid *grid, const struct group *group,
                         const struct record_failover *failover)
{
    grid_add(grid, "%s", group->label);
    grid_add(grid, "%s", units_count(UNITS_TEXT, failover->lost));
    grid_add_if(grid, isfinite(failover->back_s), "%.1f", failover->back_s);
    grid_add(grid, "%s", units_count(UNITS_TEXT, failover->only_killed));
    grid_add(grid, "%s", units_count(UNITS_TEXT, failover->only_survivor));
    grid_add_if(grid, isfinite(failover->again_s), "%.1f", failover->again_s);
    grid_add(grid, "%s", units_count(UNITS_TEXT, failover->differ));
}

static void print_failovers(const struct groups *open, enum grid_format format,
                            FILE *out)
{
    static const char *const heads[] = { "a server killed", "lost",
                                         "back after [s]",  "killed's alone",
                                         "other's alone",   "again after",
                                         "differ" };
    struct grid grid;

    grid_init(&grid, "lrrrrrr", heads);
    for (size_t i = 0; i < open->count; i++) {
        const struct group *const group = &open->items[i];

        for (size_t k = 0; k < group->record_count; k++) {
            const struct record_server *const server =
                group->records[k]->server;

            if (server != NULL && server->failover != NULL)
                add_failover(&grid, group, server->failover);
        }
    }
    if (!grid_is_empty(&grid)) {
        (void)fputc('\n', out);
        grid_print(&grid, format, out);
        (void)fputc('\n', out);
        grid_print_note(format, out,
                        "Clients that were lost; seconds until 9 of 10 had "
                        "answers again; leases that only the killed server "
                        "had, and only the other; seconds from its restart "
                        "until it served; leases that differed then.");
    }
    grid_release(&grid);
}

void server_tables_print(const struct groups *searches,
                         const struct groups *open, enum grid_format format,
                         FILE *out)
{
    struct arena memory = { 0 };

    for (size_t i = 0; i < searches->section_count; i++)
        print_section(&memory, &searches->sections[i], format, out);
    if (searches->section_count > 0)
        grid_print_note(
            format, out,
            "A whole DHCP server under perfdhcp: new leases per second at the "
            "highest rate of which few were lost, the median of the runs, and "
            "its interval or the lowest and highest. us: processor time for "
            "each lease, of the server, its database and perfdhcp.");
    print_failovers(open, format, out);
    arena_release(&memory);
}
