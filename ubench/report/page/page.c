/* SPDX-License-Identifier: ISC */
#include "report/page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/page/html.h"
#include "report/page/page_parts.h"

/* The style sheet, compiled in; its source is page.css. */
static const char css[] = {
#include "report/page/page.css.inc"
    0
};

enum { CHAPTERS_MAX = 8 };

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
            arena_alloc(page->memory, room, sizeof *more);

        if (gaps->count > 0)
            memcpy(more, gaps->items, gaps->count * sizeof *more);
        gaps->items = more;
        gaps->room = room;
    }
    (void)fflush(page->html);
    gaps->items[gaps->count++] =
        (struct page_gap){ ftell(page->html), arena_text(page->memory, label) };
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

const struct record_run *page_newest_run(const struct setup *setup)
{
    const struct record *const record = setup_newest(setup);

    return &record->runs[record->run_count - 1];
}

/* Chapters: setups that did the same phases have one table and charts of their
   own, as a rate of one workload says nothing about another. */

static bool same_phases(const struct setup *a, const struct setup *b)
{
    if (a->phase_count != b->phase_count)
        return false;
    for (size_t i = 0; i < a->phase_count; i++) {
        if (strcmp(a->phases[i].name, b->phases[i].name) != 0)
            return false;
    }
    return true;
}

/* The first of all setups with these phases. */
static const struct setup *find_first(const struct setups *all,
                                      const struct setup *setup)
{
    const struct setup *first = all->items;

    while (!same_phases(first, setup))
        first++;
    return first;
}

/* The setups with the phases of first, in their order. */
static struct setups select_setups(const struct page *page,
                                   const struct setup *first)
{
    struct setup *const items =
        arena_alloc(page->memory, page->all->count, sizeof *items);
    struct setups chapter = { .items = items };

    for (size_t i = 0; i < page->all->count; i++) {
        if (same_phases(&page->all->items[i], first))
            items[chapter.count++] = page->all->items[i];
    }
    return chapter;
}

/* What is shown: everything if that is little, else what stands for each store
   and class. */
static void begin_chapter(struct page *page, const struct setups *setups)
{
    const struct setup *const first = &setups->items[0];

    page->setups = setups;
    page->shown_count = 0;
    page->all_shown = setups->count <= PAGE_SHOWN_MAX;
    for (size_t i = 0; i < setups->count; i++) {
        if (page->shown_count < PAGE_SHOWN_MAX &&
            (page->all_shown || setups->items[i].usual))
            page->shown[page->shown_count++] = &setups->items[i];
    }
    page->phase_count = first->phase_count < PAGE_PHASES_MAX
                            ? first->phase_count
                            : PAGE_PHASES_MAX;
    page->more_phases = first->phase_count - page->phase_count;
    for (size_t i = 0; i < page->phase_count; i++)
        page->phases[i] = first->phases[i].name;
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
    page_put_contradictions(page);
    page_put_overview(page);
    (void)fputs("</header>\n<main>\n", page->html);
}

/* As it was asked for; of files that do not say, the names of its phases. */
static const char *name_workload(struct arena *memory,
                                 const struct setup *setup)
{
    const char *const workload = setup_value(setup, ITEM_PARAMETER, "workload");
    const char *names = "";

    if (workload != NULL)
        return workload;
    for (size_t i = 0; i < setup->phase_count && i < PAGE_PHASES_MAX; i++)
        names = arena_print(memory, "%s%s%s", names, i > 0 ? ", " : "",
                            setup->phases[i].name);
    return names;
}

static void put_chapter(struct page *page, const struct setup *first)
{
    const struct setups setups = select_setups(page, first);

    begin_chapter(page, &setups);
    if (setups.count < page->all->count) {
        (void)fputs("<h2 class=\"chapter\">Workload ", page->html);
        html_text_cut(page->html, name_workload(page->memory, first), 60);
        (void)fputs("</h2>\n", page->html);
    }
    page_put_headline(page);
    put_legend(page);
    page_put_rates(page);
    page_put_latencies(page);
    page_put_sweeps(page);
    page_put_series(page);
    page_put_history(page);
    page_put_all_setups(page);
}

static void put_body(struct page *page, const char *title)
{
    size_t chapters = 0;

    put_head(page, title);
    for (size_t i = 0; i < page->all->count; i++) {
        const struct setup *const setup = &page->all->items[i];

        if (find_first(page->all, setup) != setup)
            continue;
        if (chapters++ < CHAPTERS_MAX)
            put_chapter(page, setup);
    }
    if (chapters > CHAPTERS_MAX)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more workloads; make "
                      "pages of fewer.</p>\n",
                      chapters - CHAPTERS_MAX);
    page_put_trials(page);
    page_put_losses(page);
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

int page_write(const struct archive *archive, const struct losses *losses,
               const char *title, FILE *out, struct err *warning,
               struct err *err)
{
    struct arena memory = { 0 };
    struct setups setups;
    struct setups open;
    struct gaps gaps = { .count = 0 };
    struct page page = { .archive = archive,
                         .losses = losses,
                         .open = &open,
                         .all = &setups,
                         .memory = &memory,
                         .gaps = &gaps,
                         .gnuplot = gnuplot_new(err) };

    if (page.gnuplot == NULL)
        return -1;
    const struct archive closed =
        archive_view(archive, ARCHIVE_CLOSED, &memory);
    const struct archive others = archive_view(archive, ARCHIVE_OPEN, &memory);
    setups_gather(&setups, &closed);
    setups_gather(&open, &others);
    const int status = write_page(&page, title, out, warning, err);
    setups_release(&setups);
    setups_release(&open);
    gnuplot_free(page.gnuplot);
    arena_release(&memory);
    return status;
}
