/* SPDX-License-Identifier: ISC */
/* What is folded below a result: its latencies, settings and machine.  What
   differs from other results of the page is marked. */
#include "report/page/page_parts.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "measure/statistics.h"
#include "report/page/html.h"

enum { VALUE_LENGTH = 160, WARNINGS_MAX = 3 };

/* What says how a run was made, but nothing about its figures; and who made
   it, which is nobody's business. */
static bool is_for_nobody(const char *name)
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
properties_of(const struct record *record, enum setup_item_kind kind)
{
    return kind == ITEM_PARAMETER ? &record->parameters
           : kind == ITEM_HOST    ? &record->host
                                  : &record->facts;
}

/* True if another result on the page says otherwise: of the same store, or,
   about the machine, any.  What a machine was just doing always differs. */
static bool differs(const struct page *page, const struct record *record,
                    enum setup_item_kind kind,
                    const struct record_property *property)
{
    if (!configuration_depends_on(property->key))
        return false;
    for (size_t i = 0; i < page->shown_count; i++) {
        const struct record *const other = setup_newest(page->shown[i]);

        if (page->shown[i]->class == SETUP_PUBLISHED ||
            (kind != ITEM_HOST && strcmp(other->store, record->store) != 0))
            continue;
        const char *const value =
            record_properties_find(properties_of(other, kind), property->key);
        if (value == NULL ? kind != ITEM_HOST
                          : strcmp(value, property->value) != 0)
            return true;
    }
    return false;
}

static void put_properties(struct page *page, const char *heading,
                           const struct record *record,
                           enum setup_item_kind kind)
{
    const struct record_properties *const properties =
        properties_of(record, kind);

    if (properties->count == 0)
        return;
    (void)fprintf(page->html, "<div><h4>%s</h4><dl>\n", heading);
    for (size_t i = 0; i < properties->count; i++) {
        const struct record_property *const property = &properties->items[i];
        const bool marked = differs(page, record, kind, property);

        if (is_for_nobody(property->key))
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
    (void)fputs("<div><h4>Floors</h4><dl>\n", html);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[UNITS_TEXT_SIZE];

        if (all[i].ns > 0)
            (void)fprintf(html, "<dt>%s</dt><dd>%s</dd>\n", all[i].name,
                          units_time(text, all[i].ns));
    }
    (void)fputs("</dl></div>\n", html);
}

/* Latencies: the median over the runs of each run's own quantile. */

static double quantile_of(const struct record_histogram *latency, int column)
{
    switch (column) {
    case 0:
        return latency->p50_ns;
    case 1:
        return latency->p95_ns;
    case 2:
        return latency->p99_ns;
    case 3:
        return latency->p99_9_ns;
    default:
        return (double)latency->max_ns;
    }
}

/* NAN where a run does not know it, or there is none. */
static double median_quantile(const struct setup *setup, const char *name,
                              int column)
{
    double values[STATISTICS_MAX];
    size_t count = 0;

    for (size_t i = setup->record_count; i-- > 0;) {
        for (size_t k = 0; k < setup->records[i]->run_count; k++) {
            const struct record_run *const run = &setup->records[i]->runs[k];
            const struct record_phase *const phase =
                record_run_phase(run, name);

            if (run->incomplete || phase == NULL || count == STATISTICS_MAX)
                continue;
            if (phase->latency.count == 0 ||
                isnan(quantile_of(&phase->latency, column)))
                return NAN;
            values[count++] = quantile_of(&phase->latency, column);
        }
    }
    return count > 0 ? statistics_median(values, count) : NAN;
}

static void put_latencies(struct page *page, const struct setup *setup)
{
    FILE *const html = page->html;

    if (setup->phase_count == 0 ||
        isnan(median_quantile(setup, setup->phases[0].name, 4)))
        return;
    (void)fputs("<div><h4>Latency, median over the runs</h4><table>"
                "<thead><tr><th scope=\"col\">phase</th>"
                "<th scope=\"col\">p50</th><th scope=\"col\">p95</th>"
                "<th scope=\"col\">p99</th><th scope=\"col\">p99.9</th>"
                "<th scope=\"col\">max</th></tr></thead><tbody>\n",
                html);
    for (size_t i = 0; i < setup->phase_count && i < PAGE_PHASES_MAX; i++) {
        (void)fputs("<tr><th scope=\"row\">", html);
        html_text_cut(html, setup->phases[i].name, 24);
        (void)fputs("</th>", html);
        for (int column = 0; column < 5; column++) {
            const double ns =
                median_quantile(setup, setup->phases[i].name, column);
            char text[UNITS_TEXT_SIZE];

            (void)fprintf(html, "<td>%s</td>",
                          isnan(ns) ? "n/a" : units_time(text, ns));
        }
        (void)fputs("</tr>\n", html);
    }
    (void)fputs("</tbody></table></div>\n", html);
}

/* Warnings and early ends: how many records have one, and the newest. */
static void put_warnings(struct page *page, const struct setup *setup)
{
    size_t warned = 0;
    size_t shown = 0;

    for (size_t i = setup->record_count; i-- > 0;) {
        const struct record *const record = setup->records[i];
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

static size_t count_warned(const struct setup *setup)
{
    size_t warned = 0;

    for (size_t i = 0; i < setup->record_count; i++)
        warned += setup->records[i]->warning[0] != '\0' ||
                  setup->records[i]->error[0] != '\0';
    return warned;
}

static void put_summary(struct page *page, const struct setup *setup)
{
    const struct record *const newest = setup_newest(setup);
    const size_t warned = count_warned(setup);
    const char *const from = newest->durability_from;

    (void)fputs("<summary>", page->html);
    html_text_cut(page->html,
                  newest->published[0] != '\0' ? newest->published : from, 90);
    if (newest->published[0] == '\0' && from[0] == '\0')
        (void)fputs("settings and environment", page->html);
    if (warned == setup->record_count)
        (void)fputs(" <span class=\"warned\">⚠ warning</span>", page->html);
    else if (warned > 0)
        (void)fprintf(page->html,
                      " <span class=\"warned\">⚠ warning in %zu of "
                      "%zu</span>",
                      warned, setup->record_count);
    (void)fputs("</summary>\n", page->html);
}

void page_put_details(struct page *page, const struct setup *setup)
{
    const struct record *const newest = setup_newest(setup);

    (void)fputs("<details>", page->html);
    put_summary(page, setup);
    put_warnings(page, setup);
    (void)fputs("<p class=\"origin\">", page->html);
    html_text_cut(page->html, newest->program, 40);
    (void)fputc(' ', page->html);
    html_text_cut(page->html, newest->version, 60);
    (void)fprintf(page->html, ", %zu result%s, %s", setup->record_count,
                  setup->record_count == 1 ? "" : "s",
                  setup->record_count == 1 ? "" : "the newest ");
    html_text_part(page->html, newest->started_at, 20);
    if (setup->left_out > 0)
        (void)fprintf(page->html,
                      "; figures from the newest %zu runs, %zu older ones "
                      "left out",
                      setup->run_count, setup->left_out);
    (void)fputs("</p>\n<div class=\"facts\">\n", page->html);
    put_latencies(page, setup);
    put_properties(page, "Settings, read back", newest, ITEM_FACT);
    put_properties(page, "Parameters", newest, ITEM_PARAMETER);
    put_properties(page, "Machine", newest, ITEM_HOST);
    put_baselines(page->html, &newest->baselines);
    (void)fputs("</div></details>", page->html);
}
