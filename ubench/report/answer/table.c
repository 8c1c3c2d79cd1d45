/* SPDX-License-Identifier: ISC */
#include "report/answer/table.h"

#include <math.h>

#include "core/units.h"
#include "report/answer/words.h"

/* What the table is for, if no number of clients was asked for. */
static const uint64_t sites[] = { 1000, 10000, 100000, 1000000 };

enum { SITES = sizeof sites / sizeof sites[0] };

static const char *rate_text(struct arena *memory, const struct rate *rate)
{
    return rate->kind == RATE_UNKNOWN
               ? "n/a"
               : arena_print(memory, "%s%s",
                             rate->kind == RATE_ESTIMATED ? "~" : "",
                             words_figure(memory, rate->per_s));
}

static void add_times(struct grid *grid, const struct answer *answer,
                      double times)
{
    const char *const text = words_figure(&grid->memory, times);

    if (times < answer->site.reserve)
        grid_add(grid, "no: %s", text);
    else
        grid_add_if(grid, !isnan(times), "%s", text);
}

/* How many of the sites some row speaks for. */
static size_t count_sites(const struct answer *answer)
{
    size_t count = 0;

    for (size_t i = 0; i < SITES && answer->site.clients == 0; i++) {
        for (size_t k = 0; k < answer->row_count; k++) {
            if (!isnan(answer_least_times(&answer->site, &answer->rows[k],
                                          (double)sites[i])))
                count = i + 1;
        }
    }
    return count;
}

static void add_row(struct grid *grid, const struct answer *answer,
                    const struct answer_row *row)
{
    const struct answer_site *const site = &answer->site;
    const size_t count = count_sites(answer);

    grid_add(grid, "%s", row->group->label);
    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        grid_add(grid, "%s", rate_text(&grid->memory, &row->rates[i]));
        if (site->clients > 0)
            add_times(grid, answer,
                      answer_times(site, row, (enum answer_demand)i,
                                   (double)site->clients));
    }
    for (size_t i = 0; i < count; i++)
        add_times(grid, answer,
                  answer_least_times(site, row, (double)sites[i]));
    if (answer_has_node_loss(answer)) {
        const char *const loss = group_node_loss(row->group);

        grid_add_if(grid, loss[0] != '\0', "%s", loss);
    }
}

static void add_columns(struct grid *grid, const struct answer *answer)
{
    static const char *const rates[] = { "renewals/s", "restarts/s" };
    static const char *const heads[] = { "at 1,000", "at 10,000", "at 100,000",
                                         "at 1,000,000" };
    const size_t count = count_sites(answer);

    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        (void)grid_column(grid, 'r', rates[i]);
        if (answer->site.clients > 0)
            (void)grid_column(grid, 'r', "times need");
    }
    for (size_t i = 0; i < count; i++)
        (void)grid_column(grid, 'r', heads[i]);
    if (answer_has_node_loss(answer))
        (void)grid_column(grid, 'l', "node loss");
}

static void print_rows(const struct answer *answer, enum grid_format format,
                       FILE *out)
{
    static const char *const heads[] = { "class", "store" };
    struct grid grid;

    grid_init(&grid, "ll", heads);
    add_columns(&grid, answer);
    for (size_t i = 0; i < answer->class_count; i++) {
        const struct answer_class *const class = &answer->classes[i];

        for (size_t k = 0; k < class->count; k++) {
            grid_add(&grid, "%s",
                     k == 0 || format != GRID_TEXT ? class->name : "");
            add_row(&grid, answer, &class->rows[k]);
        }
    }
    grid_print(&grid, format, out);
    grid_release(&grid);
}

static const char *limit_text(struct arena *memory,
                              const struct answer_shards *shards)
{
    static const char *const demands[] = { "renewals", "restarts" };

    return shards->limit < ANSWER_DEMANDS
               ? demands[shards->limit]
               : arena_print(
                     memory, "leases: measure %s",
                     units_count(UNITS_TEXT, (uint64_t)shards->preload));
}

/* "27"; "4 to 27", where 4 would do by the rates alone. */
static void add_range(struct grid *grid, bool known, double low, double high)
{
    char text[UNITS_TEXT_SIZE];

    if (!known)
        grid_add_if(grid, false, "%s", "");
    else if (low < high)
        grid_add(grid, "%s to %s", units_count(text, (uint64_t)low),
                 units_count(UNITS_TEXT, (uint64_t)high));
    else
        grid_add(grid, "%s", units_count(text, (uint64_t)high));
}

/* How many servers carry the clients, unless one does with every store. */
static void print_shards(const struct answer *answer, enum grid_format format,
                         FILE *out)
{
    static const char *const heads[] = { "class", "store", "servers",
                                         "clients each", "limited by" };
    const double clients = (double)answer->site.clients;
    bool is_one = true;
    struct grid grid;

    grid_init(&grid, "llrrl", heads);
    for (size_t i = 0; i < answer->row_count; i++) {
        const struct answer_row *const row = &answer->rows[i];
        const struct answer_shards shards =
            answer_shards(&answer->site, row, clients);
        const bool known = !isnan(shards.count);

        is_one = is_one && !(shards.count > 1);
        grid_add(&grid, "%s", row->group->section->title);
        grid_add(&grid, "%s", row->group->label);
        add_range(&grid, known, shards.by_rates, shards.count);
        add_range(&grid, known, ceil(clients / shards.count),
                  ceil(clients / shards.by_rates));
        grid_add_if(&grid, known, "%s", limit_text(&grid.memory, &shards));
    }
    if (!is_one) {
        (void)fputc('\n', out);
        grid_print(&grid, format, out);
        (void)fputc('\n', out);
        grid_print_labelled(
            format, out, "servers",
            "side by side, each with a store and a part of the subnets of its "
            "own; none carries more than its rates allow, with the reserve; "
            "1 to 3, limited by leases: 1 by the rates, 3 if none carries more "
            "than ten times the leases that were measured; with so many "
            "measured (--preload; --full of dhcp.sh) it is known");
    }
    grid_release(&grid);
}

/* What the classes are, in words, and which of their stores is faster. */
static void print_classes(const struct answer *answer, enum grid_format format,
                          FILE *out)
{
    struct arena memory = { 0 };

    for (size_t i = 0; i < answer->class_count; i++) {
        const struct answer_class *const class = &answer->classes[i];
        const char *const order = words_order(&memory, class);
        const struct group *const first = class->rows[0].group;
        const bool is_server = first->records[0]->server != NULL;
        /* Servers come behind the stores of their class. */
        const bool is_told = is_server && i > 0 &&
                             class[-1].rows[0].group->class == first->class;
        const char *const name = group_class_name(first->class);
        const char *const meaning = is_told ? name : class->meaning;

        if (!is_told || order[0] != '\0')
            grid_print_labelled(
                format, out,
                is_told     ? "server"
                : is_server ? name
                            : class->name,
                order[0] == '\0'
                    ? meaning
                    : arena_print(&memory, "%s.  Faster: %s", meaning, order));
    }
    arena_release(&memory);
}

static void print_prices(const struct answer *answer, enum grid_format format,
                         FILE *out)
{
    static const char *const heads[] = { "what safety costs", "instead of",
                                         "store", "times slower",
                                         "95 % interval" };
    struct grid grid;

    if (answer->price_count == 0)
        return;
    (void)fputc('\n', out);
    grid_init(&grid, "lllrr", heads);
    for (size_t i = 0; i < answer->price_count; i++) {
        const struct answer_pair *const price = &answer->prices[i];
        const struct contrast *const contrast = &price->contrast;
        const struct interval *const interval = &contrast->interval;
        const bool judged = price->alike && interval->coverage > 0;
        struct arena *const memory = &grid.memory;

        grid_add(&grid, "%s", price->from->group->section->title);
        grid_add(&grid, "%s", price->to->group->section->title);
        grid_add(&grid, "%s", price->from->group->label);
        grid_add(&grid, "%s",
                 !price->alike ? "not alike"
                 : judged && !price->shown
                     ? "uncertain"
                     : words_figure(memory, contrast->ratio));
        grid_add_if(&grid, judged, "%s to %s",
                    words_figure(memory, interval->low),
                    words_figure(memory, interval->high));
    }
    grid_print(&grid, format, out);
    grid_release(&grid);
}

static void add_csv_row(struct grid *grid, const struct answer *answer,
                        const struct answer_row *row, enum answer_demand demand)
{
    static const char *const demands[] = { "renewal", "restart" };
    const struct rate *const rate = &row->rates[demand];
    const double clients = (double)answer->site.clients;
    const double times = answer_times(&answer->site, row, demand, clients);
    const double most = answer_most(row, demand);
    const struct answer_shards shards =
        answer_shards(&answer->site, row, clients);
    const bool known = rate->kind != RATE_UNKNOWN;

    grid_add(grid, "%s", row->group->section->title);
    grid_add(grid, "%s", row->group->store);
    grid_add(grid, "%s", row->group->differs);
    grid_add(grid, "%s", demands[demand]);
    grid_add(grid, "%s", rate->source);
    grid_add(grid, "%zu", rate->runs);
    grid_add_if(grid, known, "%zu", (size_t)rate->leases);
    grid_add_if(grid, known, "%.6f", rate->per_s);
    grid_add_if(grid, known, "%.6f", rate->least);
    grid_add_if(grid, clients > 0, "%.0f", clients);
    grid_add_if(grid, clients > 0, "%.9g",
                answer_need(&answer->site, demand, clients));
    grid_add_if(grid, clients > 0 && !isnan(times), "%.9g", times);
    grid_add_if(grid, isfinite(most), "%.0f", most);
    grid_add_if(grid, shards.count > 0, "%.0f", shards.count);
    grid_add_if(grid, shards.count > 0, "%.0f", shards.by_rates);
}

static void print_csv(const struct answer *answer, FILE *out)
{
    static const char *const heads[] = {
        "class",        "store",   "differs",          "demand",
        "source",       "runs",    "leases",           "rate_per_s",
        "least_per_s",  "clients", "need_per_s",       "times",
        "clients_most", "servers", "servers_by_rates",
    };
    struct grid grid;

    grid_init(&grid, "lllllrrrrrrrrrr", heads);
    grid.absent = "";
    for (size_t i = 0; i < answer->row_count; i++) {
        for (int k = 0; k < ANSWER_DEMANDS; k++)
            add_csv_row(&grid, answer, &answer->rows[i], (enum answer_demand)k);
    }
    grid_print(&grid, GRID_CSV, out);
    grid_release(&grid);
}

void answer_print_table(const struct answer *answer, enum grid_format format,
                        FILE *out)
{
    struct arena memory = { 0 };

    grid_print_note(format, out, words_answer(&memory, answer));
    (void)fputc('\n', out);
    print_rows(answer, format, out);
    arena_release(&memory);
}

void answer_print_notes(const struct answer *answer, enum grid_format format,
                        FILE *out)
{
    struct arena memory = { 0 };
    struct words_note notes[WORDS_NOTES_MAX];
    const size_t count = words_notes(&memory, answer, notes);

    print_classes(answer, format, out);
    print_prices(answer, format, out);
    (void)fputc('\n', out);
    for (size_t i = 0; i < count; i++)
        grid_print_labelled(format, out, notes[i].label, notes[i].text);
    arena_release(&memory);
}

void answer_print(const struct answer *answer, enum grid_format format,
                  FILE *out)
{
    if (format == GRID_CSV) {
        print_csv(answer, out);
        return;
    }
    answer_print_table(answer, format, out);
    print_shards(answer, format, out);
    (void)fputc('\n', out);
    answer_print_notes(answer, format, out);
}
