/* SPDX-License-Identifier: ISC */
/* Open loops: what was found; the charts are chart_responses.c and
   chart_answers.c. */
#include "report/page/page_parts.h"

#include <math.h>

#include "core/units.h"
#include "report/page/html.h"
#include "report/trial_tables.h"

/* 0: there is no such rate; NAN: nothing was said of one. */
static void put_rate(struct page *page, const char *name, double per_s)
{
    (void)fprintf(page->html, "<td data-name=\"%s\">", name);
    if (per_s > 0)
        page_put_rate(page, per_s);
    else
        (void)fputs(isnan(per_s) ? "<span class=\"absent\">–</span>" : "none",
                    page->html);
    (void)fputs("</td>", page->html);
}

static void put_row(struct page *page, const struct setup *setup,
                    const char *what, double low, double high,
                    const char *verdict)
{
    (void)fprintf(page->html, "<tr class=\"c-%s\"><th scope=\"row\">",
                  setup_class_name(setup->class));
    page_put_name(page, setup);
    (void)fprintf(page->html, "<small>%s, ", setup_class_name(setup->class));
    html_text_cut(page->html, what, 40);
    (void)fputs("</small></th>", page->html);
    put_rate(page, "sustained", low);
    put_rate(page, "not", high);
    (void)fputs("<td data-name=\"verdict\">", page->html);
    html_text_cut(page->html, verdict, 40);
    (void)fputs("</td></tr>\n", page->html);
}

static void put_trial(struct page *page, const struct setup *setup,
                      const struct record_trial *trial)
{
    const bool valid = !trial->incomplete && trial->invalid[0] == '\0';
    const bool kept = !trial->grew && !(trial->bad_share > 0);

    put_row(page, setup, "at a rate",
            valid && kept ? trial->rate_per_s : (double)NAN,
            valid && !kept ? trial->rate_per_s : (double)NAN,
            trial_verdict(trial));
}

static void put_storm(struct page *page, const struct setup *setup,
                      const struct record_storm *storm)
{
    char text[UNITS_TEXT_SIZE];

    put_row(page, setup, "storm", (double)NAN, (double)NAN,
            storm->served_100_ns == RECORD_UNKNOWN
                ? "not all were served"
                : arena_print(page->memory, "all served after %s",
                              units_time(text, (double)storm->served_100_ns)));
}

static void put_setup(struct page *page, const struct setup *setup)
{
    const struct record_run *const run = page_newest_run(setup);
    const struct record_open *const open = run->open;

    if (open == NULL)
        return;
    for (size_t i = 0; i < open->goal_count; i++) {
        const struct record_goal *const goal = &open->goals[i];

        put_row(page, setup, goal->name, goal->low_per_s, goal->high_per_s,
                trial_goal_verdict(run, goal));
    }
    for (size_t i = 0; open->goal_count == 0 && i < open->trial_count; i++) {
        if (open->trials[i].rate_per_s > 0)
            put_trial(page, setup, &open->trials[i]);
        else
            put_storm(page, setup, &open->storm);
    }
}

void page_put_trials(struct page *page)
{
    if (page->open->count == 0)
        return;
    (void)fputs(
        "<section><h2>Open loop</h2>\n"
        "<p class=\"note\">Requests come at a rate, whether the store keeps up "
        "or not. What is sustained is what a search confirmed, or a rate that "
        "was asked for; only the former is what a store can do. Of several "
        "runs, the newest.</p>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Open loop\">\n<table class=\"rates\">"
        "<caption>Open loop</caption>\n<thead><tr>"
        "<th scope=\"col\">store</th>"
        "<th scope=\"col\">sustained [1/s]</th><th scope=\"col\">not [1/s]</th>"
        "<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
        page->html);
    for (size_t i = 0; i < page->open->count; i++)
        put_setup(page, &page->open->items[i]);
    (void)fputs("</tbody></table></div>\n", page->html);
    page_put_responses(page);
    page_put_answers(page);
    (void)fputs("</section>\n", page->html);
}
