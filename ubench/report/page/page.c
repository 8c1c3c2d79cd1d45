/* SPDX-License-Identifier: ISC */
#include "report/page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/drift.h"
#include "report/html.h"
#include "report/loss_tables.h"
#include "report/page/chart_crashes.h"
#include "report/page/chart_history.h"
#include "report/page/chart_latency.h"
#include "report/page/chart_open.h"
#include "report/page/chart_rates.h"
#include "report/page/chart_series.h"
#include "report/page/chart_sweeps.h"
#include "report/page/page_tables.h"
#include "report/trial_tables.h"

/* The style sheet, compiled in; its source is page.css. */
static const char css[] = {
#include "report/page/page.css.inc"
    0
};

enum { CHAPTERS_MAX = 8, MACHINES_MAX = 6, DATE_LENGTH = 10 };

/* The head: what this is, of when and where. */

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
                   const struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *const group = &groups->items[i];

        overview->runs += group->run_count;
        if (group->class == GROUP_PUBLISHED)
            continue;
        add_machine(overview, machine_of(memory, group_newest(group)));
        for (size_t k = 0; k < group->record_count; k++)
            survey_record(overview, group->records[k]);
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

static void put_overview(struct page *page)
{
    const size_t groups = page->closed->count + page->open->count;
    const size_t references =
        archive_view(page->archive, ARCHIVE_REFERENCE, page->memory).count;
    const size_t results = page->archive->count - references;
    struct overview overview = { .first = "", .last = "" };
    FILE *const html = page->html;

    survey(page->memory, &overview, page->closed);
    survey(page->memory, &overview, page->open);

    (void)fprintf(
        html, "<p>%zu result%s, %zu complete run%s, %zu configuration%s",
        results, results == 1 ? "" : "s", overview.runs,
        overview.runs == 1 ? "" : "s", groups, groups == 1 ? "" : "s");
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
                      page->closed->count > 0 ? ", which stands below their "
                                                "settings"
                                              : "");
    if (overview.incomplete > 0)
        (void)fprintf(html,
                      "<p class=\"warning\">⚠ %zu results are incomplete; "
                      "only their complete runs count.</p>\n",
                      overview.incomplete);
    drift_print(page->archive, GRID_HTML, html);
}

static void put_head(struct page *page, const char *title)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                "<meta charset=\"utf-8\">\n<title>",
                page->html);
    html_text(page->html, title);
    (void)fprintf(page->html,
                  "</title>\n<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<style>\n%s</style>\n</head>\n<body>\n<header><h1>",
                  css);
    html_text(page->html, title);
    (void)fputs("</h1>\n", page->html);
    loss_tables_print_contradictions(page->losses, GRID_HTML, page->html);
    put_overview(page);
    (void)fputs("</header>\n<main>\n", page->html);
}

/* Chapters: groups that did the same phases have one table and charts of their
   own. */

/* True of the first group with these phases. */
static bool begins_chapter(const struct page *page, const struct group *group)
{
    const struct group *first = page->closed->items;

    while (strcmp(first->section->phases, group->section->phases) != 0)
        first++;
    return first == group;
}

/* What is shown: everything if that is little, else the defaults. */
static void begin_chapter(struct page *page, const struct group *first)
{
    const struct record_run *const shape = first->section->shape;
    const struct group **const groups =
        arena_alloc(page->memory, page->closed->count, sizeof *groups);

    page->groups = groups;
    page->group_count = 0;
    for (size_t i = 0; i < page->closed->count; i++) {
        const struct group *const group = &page->closed->items[i];

        if (strcmp(group->section->phases, first->section->phases) == 0)
            groups[page->group_count++] = group;
    }
    page->shown_count = 0;
    page->all_shown = page->group_count <= PAGE_SHOWN_MAX;
    for (size_t i = 0; i < page->group_count; i++) {
        if (page->shown_count < PAGE_SHOWN_MAX &&
            (page->all_shown || groups[i]->is_default))
            page->shown[page->shown_count++] = groups[i];
    }
    page->phase_count = shape->phase_count < PAGE_PHASES_MAX
                            ? shape->phase_count
                            : PAGE_PHASES_MAX;
    page->more_phases = shape->phase_count - page->phase_count;
    for (size_t i = 0; i < page->phase_count; i++)
        page->phases[i] = shape->phases[i].name;
}

/* The shapes of stores, and the colours and dashes of classes. */
static void put_legend(struct page *page)
{
    bool seen[GROUP_CLASSES] = { false };

    (void)fputs("<p class=\"legend\" aria-hidden=\"true\">", page->html);
    for (size_t i = 0; i < page->shown_count; i++) {
        const char *const store = page->shown[i]->store;
        size_t first = 0;

        while (strcmp(page->shown[first]->store, store) != 0)
            first++;
        if (first < i)
            continue;
        (void)fprintf(page->html,
                      "<span><svg class=\"shape\" viewBox=\"-2 -2 4 4\">%s"
                      "</svg>",
                      chart_shape_svg(store));
        html_text_cut(page->html, store, 40);
        (void)fputs("</span>\n", page->html);
    }
    for (size_t i = 0; i < page->shown_count; i++) {
        const int class = page->shown[i]->class;

        if (!seen[class])
            (void)fprintf(page->html,
                          "<span class=\"c-%s\"><svg viewBox=\"0 0 34 10\">"
                          "<path d=\"M1,5 h32\" stroke-dasharray=\"%s\"/>"
                          "</svg>%s</span>\n",
                          group_class_name(class), chart_dashes_svg(class),
                          group_class_name(class));
        seen[class] = true;
    }
    (void)fputs("</p>\n", page->html);
}

static void put_chapter(struct page *page, const struct group *first)
{
    const char *const workload =
        record_parameter(group_newest(first), "workload");

    begin_chapter(page, first);
    if (page->group_count < page->closed->count) {
        (void)fputs("<h2 class=\"chapter\">Workload ", page->html);
        /* Some files do not say. */
        html_text_cut(page->html,
                      workload[0] != '\0' ? workload : first->section->phases,
                      60);
        (void)fputs("</h2>\n", page->html);
    }
    page_put_headline(page);
    put_legend(page);
    chart_rates(page);
    chart_latencies(page);
    chart_sweeps(page);
    chart_series(page);
    chart_history(page);
    page_put_all(page);
}

static void put_open(struct page *page)
{
    if (page->open->count == 0)
        return;
    (void)fputs("<section><h2>Open loop</h2>\n", page->html);
    trial_tables_print(page->open, GRID_HTML, page->html);
    chart_open(page);
    (void)fputs("</section>\n", page->html);
}

static void put_crashes(struct page *page)
{
    if (page->losses->count == 0)
        return;
    (void)fputs("<section><h2>What was lost in crashes</h2>\n", page->html);
    (void)loss_tables_print(page->losses, GRID_HTML, page->html);
    chart_crashes(page);
    (void)fputs("</section>\n", page->html);
}

static void put_body(struct page *page, const char *title)
{
    size_t chapters = 0;

    put_head(page, title);
    for (size_t i = 0; i < page->closed->count; i++) {
        const struct group *const group = &page->closed->items[i];

        if (begins_chapter(page, group) && chapters++ < CHAPTERS_MAX)
            put_chapter(page, group);
    }
    if (chapters > CHAPTERS_MAX)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more workloads; make "
                      "pages of fewer.</p>\n",
                      chapters - CHAPTERS_MAX);
    put_open(page);
    put_crashes(page);
    (void)fputs("</main>\n<footer><p>Made by <code>ubench_report page</code>. "
                "What the figures mean: README.md and results/README.md of "
                "ubench.</p></footer>\n</body>\n</html>\n",
                page->html);
}

/* The text with a chart in place of each placeholder. */
static void put_together(const char *text, size_t length,
                         const struct page *page, FILE *out)
{
    size_t written = 0;

    for (size_t i = 0; i < page->placeholder_count; i++) {
        const struct page_placeholder *const placeholder =
            &page->placeholders[i];
        const size_t end = (size_t)placeholder->offset;

        (void)fwrite(text + written, 1, end - written, out);
        written = end;
        if (!gnuplot_write_svg(page->gnuplot, i, placeholder->label, out))
            (void)fputs("<p class=\"note\">no gnuplot, no chart</p>", out);
    }
    (void)fwrite(text + written, 1, length - written, out);
}

static int write_page(struct page *page, const char *title, FILE *out,
                      struct err *warning, struct err *err)
{
    char *text = NULL;
    size_t length = 0;

    page->html = open_memstream(&text, &length);
    if (page->html == NULL)
        return err_set(err, "page: %s", strerror(errno));
    put_body(page, title);
    if (fclose(page->html) != 0) {
        free(text);
        return err_set(err, "page: %s", strerror(errno));
    }
    *warning = (struct err){ .text = "" };
    if (page->placeholder_count > 0)
        (void)gnuplot_draw(page->gnuplot, warning);
    put_together(text, length, page, out);
    free(text);
    return 0;
}

int page_write(const struct archive *archive, const struct losses *losses,
               const char *title, FILE *out, struct err *warning,
               struct err *err)
{
    struct arena memory = { 0 };
    struct groups closed;
    struct groups open;
    struct page page = { .archive = archive,
                         .losses = losses,
                         .open = &open,
                         .closed = &closed,
                         .memory = &memory,
                         .gnuplot = gnuplot_new(err) };

    if (page.gnuplot == NULL)
        return -1;
    const struct archive of_closed =
        archive_view(archive, ARCHIVE_CLOSED, &memory);
    const struct archive of_open = archive_view(archive, ARCHIVE_OPEN, &memory);
    groups_init(&closed, &of_closed);
    groups_init(&open, &of_open);
    const int status = write_page(&page, title, out, warning, err);
    groups_release(&closed);
    groups_release(&open);
    gnuplot_free(page.gnuplot);
    arena_release(&memory);
    return status;
}
