/* SPDX-License-Identifier: ISC */
/* The head of a page: what this is, of when and where. */
#include "report/page/page_parts.h"

#include <string.h>

#include "report/drift.h"
#include "report/page/html.h"

enum { MACHINES_MAX = 6, DATE_LENGTH = 10 };

struct overview {
    size_t runs;
    size_t incomplete;
    size_t warned;
    const char *first;
    const char *last;
    size_t machine_count;
    const char *machines[MACHINES_MAX];
};

static const char *machine_of(struct arena *memory, const struct record *record)
{
    static const char *const keys[] = { "cpu", "cores", "memory", "kernel" };
    const char *text = "";

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *const value =
            record_properties_find(&record->host, keys[i]);

        if (value != NULL)
            text = arena_print(memory, "%s%s%s%s", text,
                               text[0] != '\0' ? ", " : "", value,
                               strcmp(keys[i], "cores") == 0 ? " cores" : "");
    }
    return text;
}

static void add_machine(struct overview *overview, const char *machine)
{
    for (size_t i = 0; i < overview->machine_count; i++) {
        if (strcmp(overview->machines[i], machine) == 0)
            return;
    }
    if (overview->machine_count < MACHINES_MAX && machine[0] != '\0')
        overview->machines[overview->machine_count++] = machine;
}

static void survey_record(struct overview *overview,
                          const struct record *record)
{
    overview->incomplete += record->incomplete;
    overview->warned += record->warning[0] != '\0';
    if (overview->first[0] == '\0' ||
        strcmp(record->started_at, overview->first) < 0)
        overview->first = record->started_at;
    if (strcmp(record->started_at, overview->last) > 0)
        overview->last = record->started_at;
}

static void survey(struct arena *memory, struct overview *overview,
                   const struct setups *setups)
{
    for (size_t i = 0; i < setups->count; i++) {
        const struct setup *const setup = &setups->items[i];

        overview->runs += setup->run_count + setup->left_out;
        if (setup->class == SETUP_PUBLISHED)
            continue;
        add_machine(overview, machine_of(memory, setup_newest(setup)));
        for (size_t k = 0; k < setup->record_count; k++)
            survey_record(overview, setup->records[k]);
    }
}

static void put_days(FILE *html, const struct overview *overview)
{
    if (overview->first[0] == '\0')
        return;
    (void)fputs(", measured ", html);
    html_text_part(html, overview->first, DATE_LENGTH);
    if (strncmp(overview->first, overview->last, DATE_LENGTH) != 0) {
        (void)fputs(" to ", html);
        html_text_part(html, overview->last, DATE_LENGTH);
    }
}

/* What the references of a campaign are there for. */
static void put_drift(struct page *page)
{
    struct drifts drifts;

    drifts_gather(&drifts, page->archive);
    for (size_t i = 0; i < drifts.count; i++) {
        (void)fputs("<p class=\"note\">Drift: ", page->html);
        html_text(page->html, drifts.items[i].sentence);
        (void)fputs("</p>\n", page->html);
    }
    drifts_release(&drifts);
}

void page_put_overview(struct page *page)
{
    const size_t setups = page->all->count + page->open->count;
    const size_t references =
        archive_view(page->archive, ARCHIVE_REFERENCE, page->memory).count;
    const size_t results = page->archive->count - references;
    struct overview overview = { .first = "", .last = "" };
    FILE *const html = page->html;

    survey(page->memory, &overview, page->all);
    survey(page->memory, &overview, page->open);

    (void)fprintf(html, "<p>%zu result%s, %zu complete run%s, %zu setup%s",
                  results, results == 1 ? "" : "s", overview.runs,
                  overview.runs == 1 ? "" : "s", setups,
                  setups == 1 ? "" : "s");
    put_days(html, &overview);
    if (references > 0)
        (void)fprintf(html, "; and %zu reference%s of campaigns", references,
                      references == 1 ? "" : "s");
    (void)fputs("</p>\n", html);
    for (size_t i = 0; i < overview.machine_count; i++) {
        (void)fputs("<p class=\"machine\">", html);
        html_text(html, overview.machines[i]);
        (void)fputs("</p>\n", html);
    }
    if (overview.warned > 0)
        (void)fprintf(html,
                      "<p class=\"warning\">⚠ %zu of %zu results carry a "
                      "warning%s: a busy machine, or a rate that cannot "
                      "be.</p>\n",
                      overview.warned, results,
                      page->all->count > 0 ? ", which stands below their "
                                             "settings"
                                           : "");
    if (overview.incomplete > 0)
        (void)fprintf(html,
                      "<p class=\"warning\">⚠ %zu results are incomplete; "
                      "only their complete runs count.</p>\n",
                      overview.incomplete);
    put_drift(page);
}
