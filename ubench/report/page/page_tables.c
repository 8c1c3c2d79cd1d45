/* SPDX-License-Identifier: ISC */
/* The table that comes first, and the one of all setups. */
#include "report/page/page_parts.h"

#include <ctype.h>
#include <string.h>

#include "core/units.h"
#include "report/page/html.h"

enum {
    ALL_MAX = 300,
    LABEL_LENGTH = 100,
    PRODUCT_LENGTH = 30,
    NAME_LENGTH = 24
};

static const char *promise(const struct setup *setup)
{
    return setup->class == SETUP_NONE
               ? "nothing is stored: what the measuring itself costs"
               : setup->section->meaning;
}

/* "2,990–3,240", in the table's small print. */
static void put_range(FILE *html, const struct setup_phase *phase)
{
    char low[CHART_TEXT];
    char high[CHART_TEXT];

    if (phase->count < 2)
        return;
    (void)fprintf(html, "<small%s>%s–%s</small>",
                  phase->interval ? "" : " class=\"range\"",
                  chart_rate_text(low, phase->low),
                  chart_rate_text(high, phase->high));
}

/* name stands above the figure where there is no room for a head. */
static void put_figure(struct page *page, const char *name,
                       const struct setup_phase *phase)
{
    (void)fputs("<td data-name=\"", page->html);
    html_text_cut(page->html, name, NAME_LENGTH);
    (void)fputs("\">", page->html);
    if (phase == NULL || phase->count == 0) {
        (void)fputs("<span class=\"absent\">–</span>", page->html);
    } else {
        page_put_rate(page, phase->median);
        put_range(page->html, phase);
    }
    (void)fputs("</td>", page->html);
}

/* "MariaDB 10.11.19": the store's first fact, without what follows a version.
 */
static void put_product(FILE *html, const struct record *record)
{
    if (record->facts.count == 0)
        return;
    const struct record_property *const product = &record->facts.items[0];
    const bool version = isdigit((unsigned char)product->value[0]);

    html_text_cut(html, product->key, 40);
    (void)fputc(' ', html);
    html_text_part(html, product->value,
                   version ? strcspn(product->value, " (,") : PRODUCT_LENGTH);
}

void page_put_name(struct page *page, const struct setup *setup)
{
    page_put_shape(page, setup);
    html_text_cut(page->html, setup->store, 40);
    (void)fputs("<small>", page->html);
    if (setup->label[0] != '\0')
        html_text_cut(page->html, setup->label, LABEL_LENGTH);
    else
        put_product(page->html, setup_newest(setup));
    (void)fputs("</small>", page->html);
}

static void put_row(struct page *page, const struct setup *setup)
{
    (void)fprintf(page->html, "<tr class=\"c-%s\"><th scope=\"row\">",
                  setup_class_name(setup->class));
    page_put_name(page, setup);
    page_put_observed(page, setup);
    (void)fprintf(page->html,
                  "</th><td class=\"runs\" data-name=\"runs\">%zu</td>",
                  setup->run_count);
    for (size_t i = 0; i < page->phase_count; i++)
        put_figure(page, page->phases[i], setup_phase(setup, page->phases[i]));
    put_figure(page, "overall",
               record_is_fill(setup_newest(setup)) ? NULL : &setup->overall);
    (void)fputs("</tr>\n", page->html);
}

/* The quickest sync that was seen beside these results: what no store of the
   class that does one for each change can beat. */
static void put_baseline(struct page *page, const struct setup *setup)
{
    const double ns = setup_newest(setup)->baselines.fdatasync_ns;
    char text[UNITS_TEXT_SIZE];

    if (setup->class == SETUP_POWER_SAFE && ns > 0)
        (void)fprintf(page->html, "; one fdatasync here took %s (median)",
                      units_time(text, ns));
}

static void put_class(struct page *page, const struct setup *setup)
{
    (void)fprintf(page->html,
                  "<tbody class=\"c-%s\"><tr class=\"class\">"
                  "<th scope=\"rowgroup\" colspan=\"%zu\">",
                  setup_class_name(setup->class), page->phase_count + 3);
    html_text(page->html, setup->section->title);
    (void)fputs(" <small>", page->html);
    html_text(page->html, promise(setup));
    put_baseline(page, setup);
    (void)fputs("</small></th></tr>\n", page->html);
}

/* What a setup did so many of in a second. */
static const char *name_operations(const struct setup *setup)
{
    return record_is_of_exchanges(setup_newest(setup)) ? "Exchanges"
                                                       : "Operations";
}

static void put_head(struct page *page, const char *caption)
{
    (void)fprintf(page->html,
                  "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"%s\">\n<table class=\"rates\"><caption>%s"
                  "</caption>\n<thead><tr><th scope=\"col\">store</th>"
                  "<th scope=\"col\" class=\"runs\">runs</th>",
                  caption, caption);
    for (size_t i = 0; i < page->phase_count; i++) {
        (void)fputs("<th scope=\"col\">", page->html);
        html_text_cut(page->html, page->phases[i], NAME_LENGTH);
        (void)fputs("</th>", page->html);
    }
    (void)fputs("<th scope=\"col\">overall</th></tr></thead>\n", page->html);
}

/* Rows and, behind each if wanted, its settings. */
static void put_setups(struct page *page, const struct setup *const *setups,
                       size_t count, bool details)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || setups[i - 1]->section != setups[i]->section)
            put_class(page, setups[i]);
        put_row(page, setups[i]);
        if (details) {
            (void)fprintf(page->html, "<tr class=\"more\"><td colspan=\"%zu\">",
                          page->phase_count + 3);
            page_put_details(page, setups[i]);
            (void)fputs("</td></tr>\n", page->html);
        }
        if (i + 1 == count || setups[i + 1]->section != setups[i]->section)
            (void)fputs("</tbody>\n", page->html);
    }
    (void)fputs("</table></div>\n", page->html);
}

static bool ran_together(const struct setup *setup)
{
    const struct record *const newest = setup_newest(setup);

    return newest->run_count > 0 && newest->runs[0].together;
}

void page_put_headline(struct page *page)
{
    const char *const what = name_operations(page->shown[0]);

    (void)fprintf(page->html, "<section><h2>%s per second</h2>\n", what);
    put_head(page,
             arena_print(page->memory,
                         "%s per second, by durability class and store", what));
    put_setups(page, page->shown, page->shown_count, true);
    (void)fputs("<p class=\"note\">Large: the median over complete runs. "
                "Small: its exact 95&nbsp;% interval, which takes six runs; "
                "in <span class=\"range\">italics</span>, with fewer, the "
                "lowest and the highest. Overall: all operations of a run by "
                "all their time. Only rows of one class say which store is "
                "faster.</p>\n",
                page->html);
    if (ran_together(page->shown[0]))
        (void)fputs("<p class=\"note\">These ran together: the rate of one "
                    "kind is its share of the mix, and overall counts all of "
                    "them.</p>\n",
                    page->html);
    if (page->more_phases > 0)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more phases.</p>\n",
                      page->more_phases);
    (void)fputs("</section>\n", page->html);
}

void page_put_all_setups(struct page *page)
{
    const struct setups *const setups = page->setups;
    const size_t count = setups->count < ALL_MAX ? setups->count : ALL_MAX;

    if (setups->count <= page->shown_count)
        return;
    const struct setup **const all =
        arena_alloc(page->memory, count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = &setups->items[i * setups->count / count];
    (void)fprintf(page->html,
                  "<section><h2>All setups</h2>\n"
                  "<details><summary>%zu setups, named by how each differs "
                  "from the others of its store and class</summary>\n",
                  setups->count);
    put_head(page, arena_print(page->memory, "%s per second of all setups",
                               name_operations(page->shown[0])));
    put_setups(page, all, count, false);
    if (count < setups->count)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu setups; those above "
                      "are spread evenly over all. <code>ubench_report "
                      "tables</code> prints each.</p>\n",
                      setups->count - count);
    (void)fputs("</details></section>\n", page->html);
}
