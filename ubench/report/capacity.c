/* SPDX-License-Identifier: ISC */
#include "report/capacity.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "record/runs.h"

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
    case STEP_PROBE:
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

    if (run->open)
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

static struct source find_source(struct arena *memory, const struct runs *runs,
                                 const struct record *record,
                                 const struct exchange *exchange)
{
    const char *const batch = record_parameter(record, "batch");

    if (batch[0] != '\0' && strcmp(batch, "1") != 0)
        return (struct source){ false,
                                "n/a: a server commits each lease by itself" };
    if (runs->count == 0)
        return (struct source){ false, "n/a: no run is complete" };
    const struct record_run *const run = runs->items[0];
    if (run->open && capacity_of_run(run, exchange) > 0)
        return (struct source){ true, arena_print(memory, "%s, sustained",
                                                  exchange->name) };
    if (run->open)
        return (struct source){ false, "n/a: an open loop, no rate confirmed" };
    if (record_run_phase(run, exchange->name) != NULL)
        return (struct source){
            true, run->phase_count > 1 && run->together
                      ? arena_print(memory, "%s, in its mix", exchange->name)
                      : exchange->name
        };
    if (capacity_of_run(run, exchange) > 0)
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

static void add_figures(struct grid *grid, const struct capacity *capacity,
                        bool exact, double rate)
{
    char text[UNITS_TEXT_SIZE];
    const double clients =
        capacity_clients(capacity, rate) / capacity->headroom;

    grid_add(grid, "%.2f", rate);
    if (exact)
        grid_add(grid, "%.0f", floor(clients));
    else
        grid_add(grid, "%s", three_digits(text, clients));
    if (capacity->clients == 0)
        return;
    const double times =
        rate / capacity_rate(capacity, (double)capacity->clients);
    if (exact || times < 100)
        grid_add(grid, "%.*g", exact ? 9 : 3, times);
    else
        grid_add(grid, "%s", three_digits(text, times));
}

static void add_row(struct grid *grid, const struct capacity *capacity,
                    bool exact, const struct configuration *configuration)
{
    const struct record *const record = configuration->records[0];
    const struct exchange *const exchange = exchange_of(capacity, record);
    const struct runs runs = runs_collect(&grid->memory, configuration);
    const struct source source =
        find_source(&grid->memory, &runs, record, exchange);

    grid_add(grid, "%s", configuration->label);
    grid_add(grid, "%s", source.text);
    grid_add(grid, "%zu", runs.count);
    if (source.known) {
        add_figures(grid, capacity, exact,
                    runs_median(&grid->memory, &runs, run_figure, exchange));
        return;
    }
    grid_add(grid, "n/a");
    grid_add(grid, "n/a");
    if (capacity->clients > 0)
        grid_add(grid, "n/a");
}

static void add_header(struct grid *grid, const struct capacity *capacity)
{
    grid_add(grid, "store");
    grid_add(grid, "a lease is");
    grid_add(grid, "runs");
    grid_add(grid, "leases/s");
    grid_add(grid, "clients");
    if (capacity->clients > 0)
        grid_add(grid, "times the need");
}

/* The null store carries nobody. */
static bool stores_leases(const struct section *section)
{
    const struct record *const record = section->items[0].records[0];

    return !record->durability_known || record->durability != DURABILITY_NONE;
}

static void print_csv(const struct capacity *capacity,
                      const struct sections *sections, FILE *out)
{
    struct grid grid;

    grid_init(&grid, capacity->clients > 0 ? "lllrrrr" : "lllrrr");
    grid_add(&grid, "class");
    add_header(&grid, capacity);
    for (size_t i = 0; i < sections->count; i++) {
        const struct section *const section = &sections->items[i];

        for (size_t k = 0; stores_leases(section) && k < section->count; k++) {
            grid_add(&grid, "%s", section->title);
            add_row(&grid, capacity, true, &section->items[k]);
        }
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

    (void)fprintf(out, "%s%s: %s\n\n", format == GRID_MARKDOWN ? "### " : "",
                  sections->title, sections->meaning);
    grid_init(&grid, capacity->clients > 0 ? "llrrrr" : "llrrr");
    add_header(&grid, capacity);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sections[i].count; k++)
            add_row(&grid, capacity, false, &sections[i].items[k]);
    }
    grid_print(&grid, format, out);
    grid_release(&grid);
    (void)fputc('\n', out);
}

void capacity_print(const struct capacity *capacity,
                    const struct sections *sections, enum grid_format format,
                    FILE *out)
{
    size_t first = 0;

    if (format == GRID_CSV) {
        print_csv(capacity, sections, out);
        return;
    }
    for (size_t i = 1; i <= sections->count; i++) {
        const struct section *const section = &sections->items[first];

        if (i < sections->count && same_class(&sections->items[i], section))
            continue;
        if (stores_leases(section))
            print_class(capacity, section, i - first, format, out);
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
