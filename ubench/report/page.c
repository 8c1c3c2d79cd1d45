/* SPDX-License-Identifier: ISC */
#include "report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/page_parts.h"

/* The style sheet, compiled in; its source is page.css. */
static const char css[] = {
#include "report/page.css.inc"
    0
};

enum { MACHINES_MAX = 6, DATE_LENGTH = 10 };

/* Where a chart goes once it is drawn; the label is for those who cannot see
   it. */
struct page_gap {
    long offset;
    const char *label;
};

/* A page is written at once; only its charts come later. */
struct gaps {
    size_t count;
    size_t room;
    struct page_gap *items;
};

void page_put_chart(struct page *page, const char *caption, const char *label)
{
    struct gaps *const gaps = page->gaps;

    (void)fputs("<figure><figcaption>", page->html);
    html_text_cut(page->html, caption, 120);
    (void)fputs("</figcaption>", page->html);
    if (gaps->count == gaps->room) {
        const size_t room = 2 * gaps->room + 16;
        struct page_gap *const more =
            region_take(page->memory, room, sizeof *more);

        if (gaps->count > 0)
            memcpy(more, gaps->items, gaps->count * sizeof *more);
        gaps->items = more;
        gaps->room = room;
    }
    (void)fflush(page->html);
    gaps->items[gaps->count++] =
        (struct page_gap){ ftell(page->html),
                           region_text(page->memory, label) };
    (void)fputs("</figure>\n", page->html);
}

void page_put_rate(struct page *page, double rate)
{
    char text[CHART_TEXT];

    (void)fputs(chart_rate_text(text, rate), page->html);
}

void page_put_shape(struct page *page, const struct setup *setup)
{
    (void)fprintf(page->html,
                  "<svg class=\"shape\" viewBox=\"-2 -2 4 4\" "
                  "aria-hidden=\"true\">%s</svg>",
                  chart_shape_svg(setup));
}

/* What is shown: everything if that is little, else what stands for each store
   and class. */
static void choose_shown(struct page *page)
{
    const struct setups *const setups = page->setups;

    page->all_shown = setups->count <= PAGE_SHOWN_MAX;
    for (size_t i = 0; i < setups->count; i++) {
        if (page->shown_count < PAGE_SHOWN_MAX &&
            (page->all_shown || setups->items[i].usual))
            page->shown[page->shown_count++] = &setups->items[i];
    }
}

static void add_phase(struct page *page, const char *name)
{
    for (size_t i = 0; i < page->phase_count; i++) {
        if (strcmp(page->phases[i], name) == 0)
            return;
    }
    if (page->phase_count < PAGE_PHASES_MAX)
        page->phases[page->phase_count++] = name;
    else
        page->more_phases++;
}

static void choose_phases(struct page *page)
{
    for (size_t i = 0; i < page->shown_count; i++) {
        for (size_t k = 0; k < page->shown[i]->phase_count; k++)
            add_phase(page, page->shown[i]->phases[k].name);
    }
}

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

static const char *machine_of(struct region *memory,
                              const struct record *record)
{
    static const char *const keys[] = { "cpu", "cores", "memory", "kernel" };
    const char *text = "";

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *const value = record_facts_find(&record->host, keys[i]);

        if (value != NULL)
            text = region_print(memory, "%s%s%s%s", text,
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

static struct overview survey(const struct page *page)
{
    struct overview overview = { .first = "", .last = "" };

    for (size_t i = 0; i < page->setups->count; i++) {
        const struct setup *const setup = &page->setups->items[i];

        overview.runs += setup->run_count + setup->left_out;
        if (setup->class == SETUP_PUBLISHED)
            continue;
        add_machine(&overview, machine_of(page->memory, setup_newest(setup)));
        for (size_t k = 0; k < setup->record_count; k++) {
            const struct record *const record = setup->records[k];

            overview.incomplete += record->incomplete;
            overview.warned += record->warning[0] != '\0';
            if (overview.first[0] == '\0' ||
                strcmp(record->started_at, overview.first) < 0)
                overview.first = record->started_at;
            if (strcmp(record->started_at, overview.last) > 0)
                overview.last = record->started_at;
        }
    }
    return overview;
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
    const struct overview overview = survey(page);
    FILE *const html = page->html;

    (void)fprintf(html, "<p>%zu result%s, %zu complete run%s, %zu setup%s",
                  page->archive->count, page->archive->count == 1 ? "" : "s",
                  overview.runs, overview.runs == 1 ? "" : "s",
                  page->setups->count, page->setups->count == 1 ? "" : "s");
    put_days(html, &overview);
    (void)fputs("</p>\n", html);
    for (size_t i = 0; i < overview.machine_count; i++) {
        (void)fputs("<p class=\"machine\">", html);
        html_text(html, overview.machines[i]);
        (void)fputs("</p>\n", html);
    }
    if (overview.warned > 0)
        (void)fprintf(html,
                      "<p class=\"warning\">⚠ %zu of %zu results carry a "
                      "warning, which stands below their settings: a busy "
                      "machine, or a rate that cannot be.</p>\n",
                      overview.warned, page->archive->count);
    if (overview.incomplete > 0)
        (void)fprintf(html,
                      "<p class=\"warning\">⚠ %zu results are incomplete; "
                      "only their complete runs count.</p>\n",
                      overview.incomplete);
}

static void put_legend(struct page *page)
{
    bool seen[SETUP_CLASSES] = { false };

    (void)fputs("<p class=\"legend\" aria-hidden=\"true\">", page->html);
    for (size_t i = 0; i < page->shown_count; i++) {
        const enum setup_class class = page->shown[i]->class;

        if (!seen[class])
            (void)fprintf(page->html,
                          "<span class=\"c-%s\"><svg viewBox=\"0 0 34 10\">"
                          "<path d=\"M1,5 h32\" stroke-dasharray=\"%s\"/>"
                          "</svg>%s</span>\n",
                          setup_class_name(class), chart_dashes_svg(class),
                          setup_class_name(class));
        seen[class] = true;
    }
    (void)fputs("</p>\n", page->html);
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
    put_overview(page);
    (void)fputs("</header>\n<main>\n", page->html);
}

/* Crash campaigns have a format of their own; what reads them belongs here. */
static void put_losses(struct page *page)
{
    if (page->archive->other_count == 0)
        return;
    (void)fprintf(page->html,
                  "<section id=\"losses\"><h2>What was lost</h2>\n<p>%zu "
                  "line%s of crash campaigns; this page does not show them "
                  "yet.</p></section>\n",
                  page->archive->other_count,
                  page->archive->other_count == 1 ? "" : "s");
}

static void put_body(struct page *page, const char *title)
{
    put_head(page, title);
    if (page->setups->count == 0) {
        (void)fputs("<p>There are no results.</p>\n", page->html);
    } else {
        page_put_headline(page);
        put_legend(page);
        page_put_rates(page);
        page_put_latencies(page);
        page_put_sweeps(page);
        page_put_series(page);
        page_put_history(page);
        page_put_all_setups(page);
    }
    put_losses(page);
    (void)fputs("</main>\n<footer><p>Made by <code>ubench_report page</code>. "
                "What the figures mean: README.md and results/README.md of "
                "ubench.</p></footer>\n</body>\n</html>\n",
                page->html);
}

/* The text with a chart in each of its gaps. */
static void put_together(const char *text, size_t length,
                         const struct gaps *gaps, const struct gnuplot *gnuplot,
                         FILE *out)
{
    size_t written = 0;

    for (size_t i = 0; i < gaps->count; i++) {
        const size_t end = (size_t)gaps->items[i].offset;

        (void)fwrite(text + written, 1, end - written, out);
        written = end;
        if (!gnuplot_write_svg(gnuplot, i, gaps->items[i].label, out))
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
    if (page->gaps->count > 0)
        (void)gnuplot_draw(page->gnuplot, warning);
    put_together(text, length, page->gaps, page->gnuplot, out);
    free(text);
    return 0;
}

int page_write(const struct archive *archive, const char *title, FILE *out,
               struct err *warning, struct err *err)
{
    struct region memory = { 0 };
    struct setups setups;
    struct gaps gaps = { .count = 0 };
    struct page page = { .archive = archive,
                         .setups = &setups,
                         .memory = &memory,
                         .gaps = &gaps,
                         .gnuplot = gnuplot_new(err) };

    if (page.gnuplot == NULL)
        return -1;
    setups_gather(&setups, archive);
    choose_shown(&page);
    choose_phases(&page);
    const int status = write_page(&page, title, out, warning, err);
    setups_release(&setups);
    gnuplot_free(page.gnuplot);
    region_release(&memory);
    return status;
}
