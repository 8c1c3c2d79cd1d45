/* SPDX-License-Identifier: ISC */
#include "report/page/page_tables.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "report/grid.h"
#include "report/html.h"

enum {
    ALL_MAX = 300,
    PRODUCT_LENGTH = 30,
    VALUE_LENGTH = 160,
    WARNINGS_MAX = 3
};

/* Of a result: its latencies, settings and machine.  What differs from other
   results of the page is marked. */

/* What says how a run was made, but nothing about its figures; and the user,
   who is private. */
static bool is_hidden(const char *name)
{
    static const char *const names[] = { "verbose", "progress", "output",
                                         "json",    "user",     "password" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static const struct record_properties *
properties_of(const struct record *record, enum key_kind kind)
{
    return kind == KEY_PARAMETER ? &record->parameters
           : kind == KEY_HOST    ? &record->host
                                 : &record->facts;
}

/* True if another result on the page says otherwise: of the same store, or,
   about the machine, any.  What a machine was just doing always differs. */
static bool differs(const struct page *page, const struct record *record,
                    enum key_kind kind, const struct record_property *property)
{
    if (!key_counts(property->key))
        return false;
    for (size_t i = 0; i < page->shown_count; i++) {
        const struct record *const other = group_newest(page->shown[i]);

        if (page->shown[i]->class == GROUP_PUBLISHED ||
            (kind != KEY_HOST && strcmp(other->store, record->store) != 0))
            continue;
        const char *const value =
            record_properties_find(properties_of(other, kind), property->key);
        if (value == NULL ? kind != KEY_HOST
                          : strcmp(value, property->value) != 0)
            return true;
    }
    return false;
}

static void put_properties(struct page *page, const char *heading,
                           const struct record *record, enum key_kind kind)
{
    const struct record_properties *const properties =
        properties_of(record, kind);

    if (properties->count == 0)
        return;
    (void)fprintf(page->html, "<div><h4>%s</h4><dl>\n", heading);
    for (size_t i = 0; i < properties->count; i++) {
        const struct record_property *const property = &properties->items[i];
        const bool marked = differs(page, record, kind, property);

        if (is_hidden(property->key))
            continue;
        (void)fputs("<dt>", page->html);
        html_text_cut(page->html, property->key, VALUE_LENGTH);
        (void)fputs(marked ? "</dt><dd><mark>" : "</dt><dd>", page->html);
        html_text_cut(page->html, property->value, VALUE_LENGTH);
        (void)fputs(marked ? "</mark></dd>\n" : "</dd>\n", page->html);
    }
    (void)fputs("</dl></div>\n", page->html);
}

static void put_baselines(FILE *html, const struct record_baselines *baselines)
{
    const struct {
        const char *name;
        double ns;
    } all[] = { { "clock", baselines->clock_ns },
                { "fdatasync, median", baselines->fdatasync_ns },
                { "fdatasync, best", baselines->fdatasync_min_ns },
                { "round trip", baselines->round_trip_ns },
                { "harness, per operation", baselines->harness_ns } };

    if (!(baselines->clock_ns > 0))
        return;
    (void)fputs("<div><h4>Baselines</h4><dl>\n", html);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[UNITS_TEXT_SIZE];

        if (all[i].ns > 0)
            (void)fprintf(html, "<dt>%s</dt><dd>%s</dd>\n", all[i].name,
                          units_time(text, all[i].ns));
    }
    (void)fputs("</dl></div>\n", html);
}

/* Which latency is meant, of which phase. */
struct latency {
    const char *phase;
    enum latency_figure figure;
};

static double latency_of(const struct record_run *run, const void *context)
{
    const struct latency *const latency = context;
    const struct record_phase *const phase =
        record_run_phase(run, latency->phase);

    return phase != NULL ? latency_figure(&phase->latency, latency->figure)
                         : (double)NAN;
}

/* The median over the runs of each run's own quantile, where all have it. */
static void put_latencies(struct page *page, const struct group *group)
{
    static const char *const heads[] = { "phase", "p50",   "p95",
                                         "p99",   "p99.9", "max" };
    static const enum latency_figure figures[] = { LATENCY_P50, LATENCY_P95,
                                                   LATENCY_P99, LATENCY_P99_9,
                                                   LATENCY_MAX };
    struct grid grid;
    size_t known = 0;

    grid_init(&grid, "lrrrrr", heads);
    for (size_t i = 0; i < page->phase_count; i++) {
        struct latency latency = { .phase = page->phases[i] };

        grid_add(&grid, "%s", latency.phase);
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++) {
            latency.figure = figures[k];
            const struct summary figure =
                group_summary(page->memory, group, latency_of, &latency);
            const bool all =
                figure.count > 0 && figure.count == group->run_count;
            char text[UNITS_TEXT_SIZE];

            known += all;
            grid_add_if(&grid, all, "%s", units_time(text, figure.median));
        }
    }
    if (known > 0) {
        (void)fputs("<div><h4>Latency, median over the runs</h4>\n",
                    page->html);
        grid_print(&grid, GRID_HTML, page->html);
        (void)fputs("</div>\n", page->html);
    }
    grid_release(&grid);
}

/* Warnings and early ends: how many records have one, and the newest. */
static void put_warnings(struct page *page, const struct group *group)
{
    size_t warned = 0;
    size_t shown = 0;

    for (size_t i = group->record_count; i-- > 0;) {
        const struct record *const record = group->records[i];
        const char *const text =
            record->error[0] != '\0' ? record->error : record->warning;

        if (text[0] == '\0')
            continue;
        warned++;
        if (shown++ >= WARNINGS_MAX)
            continue;
        (void)fputs("<p class=\"warning\">", page->html);
        html_text_part(page->html, record->started_at, 20);
        (void)fputs(": ", page->html);
        html_text(page->html, text);
        (void)fputs("</p>\n", page->html);
    }
    if (warned > WARNINGS_MAX)
        (void)fprintf(page->html,
                      "<p class=\"warning\">The same or another in %zu more "
                      "results.</p>\n",
                      warned - WARNINGS_MAX);
}

static size_t count_warned(const struct group *group)
{
    size_t warned = 0;

    for (size_t i = 0; i < group->record_count; i++)
        warned += group->records[i]->warning[0] != '\0' ||
                  group->records[i]->error[0] != '\0';
    return warned;
}

static void put_summary(struct page *page, const struct group *group)
{
    const struct record *const newest = group_newest(group);
    const size_t warned = count_warned(group);
    const char *const from = newest->durability_from;

    (void)fputs("<summary>", page->html);
    html_text_cut(page->html, page_name(page, group), 60);
    (void)fputs(": ", page->html);
    html_text_cut(page->html,
                  newest->published[0] != '\0' ? newest->published : from, 90);
    if (newest->published[0] == '\0' && from[0] == '\0')
        (void)fputs("settings and environment", page->html);
    if (warned == group->record_count)
        (void)fputs(" <span class=\"warned\">⚠ warning</span>", page->html);
    else if (warned > 0)
        (void)fprintf(page->html,
                      " <span class=\"warned\">⚠ warning in %zu of "
                      "%zu</span>",
                      warned, group->record_count);
    (void)fputs("</summary>\n", page->html);
}

static void put_details(struct page *page, const struct group *group)
{
    const struct record *const newest = group_newest(group);

    (void)fputs("<details>", page->html);
    put_summary(page, group);
    put_warnings(page, group);
    (void)fputs("<p class=\"origin\">", page->html);
    html_text_cut(page->html, newest->program, 40);
    (void)fputc(' ', page->html);
    html_text_cut(page->html, newest->version, 60);
    (void)fprintf(page->html, ", %zu result%s, %s", group->record_count,
                  group->record_count == 1 ? "" : "s",
                  group->record_count == 1 ? "" : "the newest ");
    html_text_part(page->html, newest->started_at, 20);
    (void)fputs("</p>\n<div class=\"facts\">\n", page->html);
    put_latencies(page, group);
    put_properties(page, "Settings, read back", newest, KEY_FACT);
    put_properties(page, "Parameters", newest, KEY_PARAMETER);
    put_properties(page, "Machine", newest, KEY_HOST);
    put_baselines(page->html, &newest->baselines);
    (void)fputs("</div></details>", page->html);
}

/* Rates */

/* "MariaDB 10.11.19": the store's first fact, without what follows a version.
 */
static const char *product_of(struct arena *memory, const struct record *record)
{
    if (record->facts.count == 0)
        return "";
    const struct record_property *const product = &record->facts.items[0];
    const bool version = isdigit((unsigned char)product->value[0]);
    const size_t length =
        version ? strcspn(product->value, " (,") : PRODUCT_LENGTH;

    return arena_print(memory, "%s %.*s", product->key, (int)length,
                       product->value);
}

/* How it differs, or what it is; and what crashes lost with its settings. */
static const char *small_print(struct page *page, const struct group *group)
{
    const struct record *const newest = group_newest(group);
    const char *const text = group->differs[0] != '\0'
                                 ? group->differs
                                 : product_of(page->memory, newest);

    if (page->losses->count == 0 || group->class == DURABILITY_NONE ||
        group->class == GROUP_PUBLISHED)
        return text;
    const char *const lossy = losses_tell(page->losses, newest, page->memory);
    return arena_join(page->memory, text, "; ", "lossy crashes: %s",
                      lossy[0] != '\0' ? lossy : "not tested");
}

/* "750", and in small print "2,990–3,240"; in brackets where that is the lowest
   and the highest. */
static void add_rate(struct grid *grid, const struct summary *rates)
{
    char median[CHART_TEXT];
    char low[CHART_TEXT];
    char high[CHART_TEXT];

    (void)chart_rate_text(median, rates->median);
    if (rates->count < 2)
        grid_add_if(grid, rates->count > 0, "%s", median);
    else
        grid_add(grid, rates->interval ? "%s\n%s–%s" : "%s\n(%s–%s)", median,
                 chart_rate_text(low, rates->low),
                 chart_rate_text(high, rates->high));
}

static void add_row(struct page *page, struct grid *grid,
                    const struct group *group)
{
    grid_add(grid, "%s\n%s", group->store, small_print(page, group));
    grid_add(grid, "%zu", group->run_count);
    for (size_t i = 0; i < page->phase_count; i++) {
        const struct summary rates = page_rates(page, group, page->phases[i]);

        add_rate(grid, &rates);
    }
    struct summary overall = page_rates(page, group, NULL);
    if (record_is_fill(group_newest(group)))
        overall.count = 0;
    add_rate(grid, &overall);
}

/* The class, what it promises, and the quickest sync that was seen: what no
   store that does one for each change can beat. */
static void put_class(struct page *page, const struct group *group)
{
    const double ns = group_newest(group)->baselines.fdatasync_ns;
    char text[UNITS_TEXT_SIZE];

    (void)fprintf(page->html, "<div class=\"c-%s\"><p class=\"class\">",
                  group_class_name(group->class));
    html_text(page->html, group->section->title);
    (void)fputs(" <small>", page->html);
    html_text(page->html, group->section->meaning);
    if (group->class == DURABILITY_POWER_SAFE && ns > 0)
        (void)fprintf(page->html, "; one fdatasync here took %s (median)",
                      units_time(text, ns));
    (void)fputs("</small></p>\n", page->html);
}

/* A table for each section and, below it if wanted, the settings of each row.
 */
static void put_groups(struct page *page, const struct group *const *groups,
                       size_t count, bool details)
{
    static const char *const heads[] = { "store", "runs" };
    size_t end;

    for (size_t first = 0; first < count; first = end) {
        struct grid grid;

        grid_init(&grid, "lr", heads);
        grid.absent = "–";
        for (size_t i = 0; i < page->phase_count; i++)
            (void)grid_column(&grid, 'r', page->phases[i]);
        (void)grid_column(&grid, 'r', "overall");
        for (end = first;
             end < count && groups[end]->section == groups[first]->section;
             end++)
            add_row(page, &grid, groups[end]);
        put_class(page, groups[first]);
        grid_print(&grid, GRID_HTML, page->html);
        grid_release(&grid);
        for (size_t i = first; details && i < end; i++)
            put_details(page, groups[i]);
        (void)fputs("</div>\n", page->html);
    }
}

/* What was done so many times in a second. */
static const char *name_operations(const struct group *group)
{
    return record_is_of_exchanges(group_newest(group)) ? "Exchanges"
                                                       : "Operations";
}

void page_put_headline(struct page *page)
{
    const struct group *const first = page->shown[0];

    (void)fprintf(page->html, "<section><h2>%s per second</h2>\n",
                  name_operations(first));
    put_groups(page, page->shown, page->shown_count, true);
    (void)fputs("<p class=\"note\">Large: the median over complete runs. "
                "Small: its exact 95&nbsp;% interval, which takes six runs; "
                "in brackets, with fewer, the lowest and the highest. "
                "Overall: all operations of a run by "
                "all their time. Only rows of one class say which store is "
                "faster.</p>\n",
                page->html);
    if (group_newest(first)->runs[0].together)
        (void)fputs("<p class=\"note\">These ran together: the rate of one "
                    "kind is its share of the mix, and overall counts all of "
                    "them.</p>\n",
                    page->html);
    page_note_left_out(page, page->more_phases, "phase");
    (void)fputs("</section>\n", page->html);
}

void page_put_all(struct page *page)
{
    const size_t count =
        page->group_count < ALL_MAX ? page->group_count : ALL_MAX;

    if (page->group_count <= page->shown_count)
        return;
    const struct group **const all =
        arena_alloc(page->memory, count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = page->groups[i * page->group_count / count];
    (void)fprintf(page->html,
                  "<section><h2>All configurations</h2>\n"
                  "<details><summary>%zu configurations, named by how each "
                  "differs from the others of its store and class</summary>\n",
                  page->group_count);
    put_groups(page, all, count, false);
    if (count < page->group_count)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu configurations; those "
                      "above are spread evenly over all. <code>ubench_report "
                      "tables</code> prints each.</p>\n",
                      page->group_count - count);
    (void)fputs("</details></section>\n", page->html);
}
