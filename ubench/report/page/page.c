/* SPDX-License-Identifier: ISC */
#include "report/page/page.h"

#include <string.h>

#include "report/answer/table.h"
#include "report/html.h"
#include "report/page/data.h"
#include "report/predict/text.h"
#include "report/tables.h"

/* Compiled in; the sources are page.css and page.js. */
static const char css[] = {
#include "report/page/page.css.inc"
    0
};
static const char script[] = {
#include "report/page/page.js.inc"
    0
};

enum { MACHINES_MAX = 6, DATE_LENGTH = 10 };

/* As those of ubench_report answer. */
static const struct answer_site site = { .clients = 10000,
                                         .lease_time_s = 24 * 3600,
                                         .renew_at = 0.5,
                                         .restart_s = 300,
                                         .reserve = 2 };

/* What this is, of when and where. */
struct overview {
    size_t runs;
    size_t incomplete;
    size_t warned;
    const char *first;
    const char *last;
    size_t machine_count;
    const char *machines[MACHINES_MAX];
};

struct page {
    const struct archive *archive;
    const struct crash_results *crashes;
    struct groups closed;   /* configurations of closed loops and servers */
    struct groups open;     /* and of open ones */
    struct answer answer;   /* without rows there is none */
    struct predict predict; /* the same */
    struct overview overview;
    bool has_server;
    struct arena memory;
    FILE *html;
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

static void put_date(FILE *html, const char *time)
{
    char date[DATE_LENGTH + 1];

    (void)snprintf(date, sizeof date, "%s", time);
    html_text(html, date);
}

/* "measured 2026-11-20 to 2026-11-21 on CPU, 2 cores; on ..." */
static void put_when_and_where(FILE *html, const struct overview *overview)
{
    if (overview->first[0] != '\0') {
        (void)fputs("measured ", html);
        put_date(html, overview->first);
        if (strncmp(overview->first, overview->last, DATE_LENGTH) != 0) {
            (void)fputs(" to ", html);
            put_date(html, overview->last);
        }
    }
    for (size_t i = 0; i < overview->machine_count; i++) {
        (void)fputs(i == 0 ? " on " : "; on ", html);
        html_text(html, overview->machines[i]);
    }
}

static void put_head(struct page *page, const char *title)
{
    FILE *const html = page->html;

    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                "<meta charset=\"utf-8\">\n<title>",
                html);
    html_text(html, title);
    (void)fprintf(html,
                  "</title>\n<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<style>\n%s</style>\n</head>\n<body>\n<header><h1>",
                  css);
    html_text(html, title);
    (void)fputs("</h1>\n", html);
    crash_tables_print_contradictions(page->crashes, GRID_HTML, html);
    (void)fprintf(html,
                  "<p>Stores in which a DHCP server keeps its leases, each "
                  "alone, without a DHCP server%s; ",
                  page->has_server ? ", and whole DHCP servers under perfdhcp"
                                   : "");
    put_when_and_where(html, &page->overview);
    (void)fputs(".</p>\n</header>\n<main>\n", html);
}

static void put_sentence(FILE *html, const char *text)
{
    (void)fprintf(html, "<p>%s</p>\n", text);
}

/* What a reader has to know before trusting a close call. */
static void put_about(struct page *page)
{
    const struct overview *const overview = &page->overview;
    const size_t groups = page->closed.count + page->open.count;
    const size_t references =
        archive_view(page->archive, ARCHIVE_REFERENCE, &page->memory).count;
    const size_t results = page->archive->count - references;
    FILE *const html = page->html;

    (void)fputs("<section id=\"about\">\n<h2>About these figures</h2>\n", html);
    put_sentence(html, arena_print(&page->memory,
                                   "Results: %zu; complete runs: %zu; "
                                   "configurations: %zu.",
                                   results, overview->runs, groups));
    if (overview->warned > 0)
        put_sentence(
            html,
            arena_print(&page->memory,
                        "During %zu of %zu results the machine was disturbed, "
                        "or a rate was beyond what its disk allows; hovering "
                        "over a figure says which. Other programs, or a "
                        "hypervisor that takes processor time, make rates "
                        "lower and less certain: rely on intervals that lie "
                        "apart, and not on small differences.",
                        overview->warned, results));
    if (overview->incomplete > 0)
        put_sentence(
            html, arena_print(&page->memory,
                              "Interrupted before their end: %zu results, of "
                              "which only the complete runs count.",
                              overview->incomplete));
    if (references > 0)
        put_sentence(html,
                     arena_print(&page->memory,
                                 "How steady the machine was, by %zu more "
                                 "results: the same run was the first and the "
                                 "last of each block of runs.",
                                 references));
    drift_print(page->archive, GRID_HTML, html);
    (void)fputs("</section>\n", html);
}

/* Of phases alone there may be no rate that a site can be judged by. */
static bool has_answer(const struct answer *answer)
{
    bool known = false;

    for (size_t i = 0; i < answer->row_count; i++) {
        for (int k = 0; k < ANSWER_DEMANDS; k++)
            known = known || answer->rows[i].rates[k].kind != RATE_UNKNOWN;
    }
    return known;
}

/* With script the page has another table, of a site that is asked for. */
static void put_answer(struct page *page)
{
    FILE *const html = page->html;

    if (!has_answer(&page->answer))
        return;
    (void)fputs(
        "<section id=\"answer\">\n<h2>Which store is fast enough?</h2>\n"
        "<noscript>\n",
        html);
    answer_print_table(&page->answer, GRID_HTML, html);
    (void)fputs("</noscript>\n<div id=\"site\"></div>\n", html);
    answer_print_notes(&page->answer, GRID_HTML, html);
    (void)fputs("</section>\n", html);
}

static void print_groups(struct page *page, enum archive_kind kind)
{
    const struct archive view =
        archive_view(page->archive, kind, &page->memory);
    struct groups groups;

    groups_init(&groups, &view);
    if (kind == ARCHIVE_CLOSED)
        guide_tables_print(&groups, page->crashes, GRID_HTML, page->html);
    else
        server_tables_print(&groups, &page->open, GRID_HTML, page->html);
    groups_release(&groups);
}

/* Without script the page has the tables of ubench_report tables. */
static void put_tables(struct page *page)
{
    (void)fputs("<noscript>\n", page->html);
    print_groups(page, ARCHIVE_CLOSED);
    print_groups(page, ARCHIVE_SERVER);
    if (page->predict.count > 0)
        predict_print(&page->predict, GRID_HTML, page->html);
    trial_tables_print(&page->open, GRID_HTML, page->html);
    (void)crash_tables_print(page->crashes, GRID_HTML, page->html);
    (void)fputs("</noscript>\n", page->html);
}

static int put_page(struct page *page, const char *title, struct err *err)
{
    const struct page_parts parts = { .closed = &page->closed,
                                      .open = &page->open,
                                      .crashes = page->crashes,
                                      .answer = &page->answer,
                                      .predict = &page->predict };

    put_head(page, title);
    put_answer(page);
    (void)fputs("<form id=\"filters\" aria-label=\"Filters\"></form>\n"
                "<p id=\"count\" role=\"status\"></p>\n"
                "<div id=\"drawn\"></div>\n",
                page->html);
    put_tables(page);
    put_about(page);
    (void)fputs("</main>\n<footer><p>Made by <code>ubench_report page</code>. "
                "What the figures mean: README.md and results/README.md of "
                "ubench.</p></footer>\n"
                "<script type=\"application/json\" id=\"data\">",
                page->html);
    const int status = page_data_write(&parts, page->html, err);
    (void)fprintf(page->html,
                  "</script>\n<script>\n%s</script>\n</body>\n</html>\n",
                  script);
    return status;
}

int page_write(const struct archive *archive,
               const struct crash_results *crashes, const char *title,
               FILE *out, struct err *err)
{
    struct page page = { .archive = archive,
                         .crashes = crashes,
                         .overview = { .first = "", .last = "" },
                         .html = out };
    const struct opt_settings everything = { .count = 0 };
    struct err unanswered = { 0 }; /* then the page has no answer */
    const struct archive closed =
        archive_view(archive, ARCHIVE_CLOSED | ARCHIVE_SERVER, &page.memory);
    const struct archive open =
        archive_view(archive, ARCHIVE_OPEN, &page.memory);

    groups_init(&page.closed, &closed);
    groups_init(&page.open, &open);
    page.has_server =
        archive_view(archive, ARCHIVE_SERVER, &page.memory).count > 0;
    survey(&page.memory, &page.overview, &page.closed);
    survey(&page.memory, &page.overview, &page.open);
    (void)answer_init(&page.answer, &site, &everything, archive, &unanswered);
    if (predict_init(&page.predict, 0, archive, &unanswered) != 0)
        predict_release(&page.predict);
    const int status = put_page(&page, title, err);
    groups_release(&page.closed);
    groups_release(&page.open);
    answer_release(&page.answer);
    predict_release(&page.predict);
    arena_release(&page.memory);
    return status;
}
