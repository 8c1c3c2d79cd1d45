/* SPDX-License-Identifier: ISC */
#include "report/capacity.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"

double capacity_rate(const struct capacity *capacity, double clients)
{
    return clients / capacity->interval_s;
}

double capacity_clients(const struct capacity *capacity, double rate)
{
    return rate * capacity->interval_s;
}

/* The phase of the guide that does what a step asks for; NULL if none does. */
static const char *phase_of(enum step_action action)
{
    switch (action) {
    case STEP_FIND_CLIENT_ID:
    case STEP_FIND_HWADDR:
    case STEP_FIND_DUID:
    case STEP_FIND_IN_SUBNET:
    case STEP_FIND_ADDRESS:
    case STEP_CHECK_CANDIDATES:
        return "search";
    case STEP_CREATE:
        return "create";
    case STEP_RENEW:
    case STEP_RELEASE:
    case STEP_DECLINE:
        return "update";
    case STEP_REMOVE:
        return "delete";
    case STEP_LIST_EXPIRED:
    case STEP_RECLAIM:
    case STEP_PURGE:
    case STEP_FIND_RESERVATION:
    case STEP_END:
        break;
    }
    return NULL;
}

double capacity_of_run(const struct record_run *run,
                       const struct exchange *exchange)
{
    const struct record_phase *const measured =
        record_run_phase(run, exchange->name);
    double time_s = 0;

    if (run->open != NULL)
        return measured != NULL && run->phase_count == 1 ? run->sustained_per_s
                                                         : 0;
    if (measured != NULL)
        return record_phase_rate(measured);
    for (const struct step *step = exchange->steps; step->action != STEP_END;
         step++) {
        /* A site without reservations is what is asked about. */
        if (step->action == STEP_FIND_RESERVATION)
            continue;
        const char *const name = phase_of(step->action);
        const struct record_phase *const phase =
            name != NULL ? record_run_phase(run, name) : NULL;

        if (phase == NULL || record_phase_rate(phase) <= 0)
            return 0;
        time_s += 1 / record_phase_rate(phase);
    }
    return 1 / time_s;
}

static double run_figure(const struct record_run *run, const void *context)
{
    return capacity_of_run(run, context);
}

/* The exchange, of the family that the record has. */
static const struct exchange *exchange_of(const struct capacity *capacity,
                                          const struct record *record)
{
    const bool v6 = strcmp(record_parameter(record, "ipv6"), "yes") == 0;
    struct mix mix = { 0 };
    struct err err = { 0 };
    const int status =
        mix_parse(v6 ? capacity->exchange_v6 : capacity->exchange_v4,
                  v6 ? LEASE_FAMILY_V6 : LEASE_FAMILY_V4, &mix, &err);

    assert(status == 0 && mix.count == 1);
    (void)status;
    return mix.parts[0].exchange;
}

/* "2 searches + 1 update": what an estimate is made of. */
static const char *name_steps(struct arena *memory,
                              const struct exchange *exchange)
{
    static const struct {
        const char *phase;
        const char *one;
        const char *many;
    } kinds[] = { { "search", "search", "searches" },
                  { "create", "create", "creates" },
                  { "update", "update", "updates" },
                  { "delete", "delete", "deletes" } };
    const char *text = "";

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t count = 0;

        for (const struct step *step = exchange->steps;
             step->action != STEP_END; step++) {
            const char *const name = phase_of(step->action);
            count += name != NULL && strcmp(name, kinds[i].phase) == 0;
        }
        if (count > 0)
            text = arena_print(memory, "%s%s%zu %s", text,
                               text[0] != '\0' ? " + " : "", count,
                               count == 1 ? kinds[i].one : kinds[i].many);
    }
    return text;
}

/* How the rate of a configuration is known, or why it is not. */
struct source {
    bool known;
    const char *text;
};

static struct source find_source(struct arena *memory,
                                 const struct group *group,
                                 const struct exchange *exchange)
{
    const char *const batch = record_parameter(group->records[0], "batch");

    if (batch[0] != '\0' && strcmp(batch, "1") != 0)
        return (struct source){ false,
                                "n/a: a server commits each lease by itself" };
    if (group->run_count == 0)
        return (struct source){ false, "n/a: no run is complete" };
    const struct record_run *const run = group->runs[0].run;
    const bool told = capacity_of_run(run, exchange) > 0;
    if (run->open != NULL && told)
        return (struct source){ true, arena_print(memory, "%s, sustained",
                                                  exchange->name) };
    if (run->open != NULL)
        return (struct source){ false, "n/a: an open loop, no rate confirmed" };
    if (record_run_phase(run, exchange->name) != NULL)
        return (struct source){
            true, run->phase_count > 1 && run->together
                      ? arena_print(memory, "%s, in its mix", exchange->name)
                      : exchange->name
        };
    if (told)
        return (struct source){ true, name_steps(memory, exchange) };
    return (struct source){
        false, arena_print(memory, "n/a: no %s, nor its steps", exchange->name)
    };
}

/* More digits than three would be a promise. */
static const char *three_digits(char text[static UNITS_TEXT_SIZE], double value)
{
    const double unit = value < 1000 ? 1 : pow(10, floor(log10(value)) - 2);

    return units_count(text, (uint64_t)(round(value / unit) * unit));
}

/* How many clients a rate serves, and how many times those that there are. */
static void add_clients(struct grid *grid, const struct capacity *capacity,
                        bool exact, bool known, double rate)
{
    const double clients =
        capacity_clients(capacity, rate) / capacity->headroom;
    char text[UNITS_TEXT_SIZE];

    if (exact)
        grid_add_if(grid, known, "%.0f", floor(clients));
    else
        grid_add_if(grid, known, "%s", three_digits(text, clients));
    if (capacity->clients == 0)
        return;
    const double times =
        rate / capacity_rate(capacity, (double)capacity->clients);
    if (exact || times < 100)
        grid_add_if(grid, known, "%.*g", exact ? 9 : 3, times);
    else
        grid_add_if(grid, known, "%s", three_digits(text, times));
}

static void add_row(struct grid *grid, const struct capacity *capacity,
                    bool exact, const struct group *group)
{
    const struct exchange *const exchange =
        exchange_of(capacity, group->records[0]);
    const struct source source = find_source(&grid->memory, group, exchange);
    const double rate =
        group_summary(&grid->memory, group, run_figure, exchange).median;

    grid_add(grid, "%s", group->label);
    grid_add(grid, "%s", source.text);
    grid_add(grid, "%zu", group->run_count);
    grid_add_if(grid, source.known, "%.2f", rate);
    add_clients(grid, capacity, exact, source.known, rate);
}

static void add_columns(struct grid *grid, const struct capacity *capacity)
{
    static const char sides[] = "llrrr";
    static const char *const heads[] = { "store", "a lease is", "runs",
                                         "leases/s", "clients" };

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        (void)grid_column(grid, sides[i], heads[i]);
    if (capacity->clients > 0)
        (void)grid_column(grid, 'r', "times the need");
}

/* The null store carries no client. */
static bool stores_leases(const struct section *section)
{
    return section->groups[0].class != DURABILITY_NONE;
}

static void print_csv(const struct capacity *capacity,
                      const struct groups *groups, FILE *out)
{
    static const char *const heads[] = { "class" };
    struct grid grid;

    grid_init(&grid, "l", heads);
    add_columns(&grid, capacity);
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *const group = &groups->items[i];

        if (!stores_leases(group->section))
            continue;
        grid_add(&grid, "%s", group->section->title);
        add_row(&grid, capacity, true, group);
    }
    grid_print(&grid, GRID_CSV, out);
    grid_release(&grid);
}

/* Those of one class follow each other, whatever phases they did. */
static bool same_class(const struct section *a, const struct section *b)
{
    return strcmp(a->title, b->title) == 0 &&
           strcmp(a->meaning, b->meaning) == 0;
}

static void print_class(const struct capacity *capacity,
                        const struct section *sections, size_t count,
                        enum grid_format format, FILE *out)
{
    struct grid grid;

    grid_init(&grid, "", NULL);
    add_columns(&grid, capacity);
    grid_print_heading(format, out,
                       arena_print(&grid.memory, "%s: %s", sections->title,
                                   sections->meaning));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sections[i].count; k++)
            add_row(&grid, capacity, false, &sections[i].groups[k]);
    }
    grid_print(&grid, format, out);
    grid_release(&grid);
    (void)fputc('\n', out);
}

void capacity_print(const struct capacity *capacity,
                    const struct groups *groups, enum grid_format format,
                    FILE *out)
{
    const struct section *const sections = groups->sections;
    size_t first = 0;

    if (format == GRID_CSV) {
        print_csv(capacity, groups, out);
        return;
    }
    for (size_t i = 1; i <= groups->section_count; i++) {
        if (i < groups->section_count &&
            same_class(&sections[i], &sections[first]))
            continue;
        if (stores_leases(&sections[first]))
            print_class(capacity, &sections[first], i - first, format, out);
        first = i;
    }
    (void)fprintf(out,
                  "clients: at 1/%g of the rate.  Where the exchange was not "
                  "measured it is estimated: each step\n"
                  "takes as long as in its phase.  The server's own work is "
                  "not in it, and more clients than there\n"
                  "were leases in the store (--count, --preload) are "
                  "extrapolated.\n",
                  capacity->headroom);
}
