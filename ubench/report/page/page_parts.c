/* SPDX-License-Identifier: ISC */
#include "report/page/page_parts.h"

#include <math.h>

#include "report/html.h"

enum { CAPTION_LENGTH = 120 };

void page_put_chart(struct page *page, struct page_charts *charts,
                    const char *caption, const char *label)
{
    if (charts->drawn++ == 0)
        (void)fputs(charts->heading, page->html);
    (void)fputs("<figure><figcaption>", page->html);
    html_text_cut(page->html, caption, CAPTION_LENGTH);
    (void)fputs("</figcaption>", page->html);
    (void)fflush(page->html);
    page->placeholders =
        arena_grow(page->memory, page->placeholders, page->placeholder_count,
                   &page->placeholder_room, sizeof *page->placeholders);
    page->placeholders[page->placeholder_count++] =
        (struct page_placeholder){ ftell(page->html),
                                   arena_text(page->memory, label) };
    (void)fputs("</figure>\n", page->html);
}

void page_note_left_out(struct page *page, size_t count, const char *what)
{
    if (count > 0)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more %s%s.</p>\n", count,
                      what, count == 1 ? "" : "s");
}

void page_end_charts(struct page *page, const struct page_charts *charts,
                     const char *what)
{
    if (charts->drawn > 0)
        (void)fputs("</div>\n", page->html);
    page_note_left_out(page, charts->left_out, what);
}

const char *page_name(struct page *page, const struct group *group)
{
    return arena_join(page->memory, group->store,
                      group->differs[0] != '\0' ? " " : "", "%s",
                      group->differs);
}

static double rate_of(const struct record_run *run, const void *phase)
{
    const struct record_phase *const found =
        phase != NULL ? record_run_phase(run, phase) : NULL;
    double rate = 0;

    if (phase == NULL)
        rate = record_run_rate(run);
    else if (found != NULL && !found->incomplete)
        rate = record_phase_rate(found);
    return rate > 0 ? rate : (double)NAN;
}

struct summary page_rates(const struct page *page, const struct group *group,
                          const char *phase)
{
    return group_summary(page->memory, group, rate_of, phase);
}

const struct record_run *page_newest_run(const struct group *group)
{
    const struct record *const record = group_newest(group);

    return &record->runs[record->run_count - 1];
}
