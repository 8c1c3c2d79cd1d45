/* SPDX-License-Identifier: ISC */
/*
 * The parts of a page, for page.c and the files that write them.  They write
 * HTML to page->html; charts are drawn together when all is written, so a part
 * leaves a gap for each of its own.
 */
#ifndef UBENCH_REPORT_PAGE_PAGE_PARTS_H
#define UBENCH_REPORT_PAGE_PAGE_PARTS_H

#include <stddef.h>
#include <stdio.h>

#include "core/arena.h"
#include "record/archive.h"
#include "record/losses.h"
#include "record/setups.h"
#include "report/page/chart.h"
#include "report/page/gnuplot.h"

/* As many as a reader can tell apart. */
enum { PAGE_SHOWN_MAX = 16, PAGE_PHASES_MAX = 8 };

struct gaps;

struct page {
    const struct archive *archive;
    const struct losses *losses;
    const struct setups *open;   /* what ran in an open loop */
    const struct setups *all;    /* the rest */
    const struct setups *setups; /* of the chapter: all with the same phases */
    FILE *html;
    struct gnuplot *gnuplot;
    struct gaps *gaps; /* for the charts */
    struct arena *memory;
    size_t shown_count; /* what the first table and the charts show */
    const struct setup *shown[PAGE_SHOWN_MAX];
    bool all_shown;     /* so that a store may come several times in a class */
    size_t phase_count; /* of the chapter, in their order */
    const char *phases[PAGE_PHASES_MAX];
    size_t more_phases; /* that found no room */
};

/* Leaves a gap for the chart that the last gnuplot_begin began, and writes a
   figure around it.  Caption and label are foreign text. */
void page_put_chart(struct page *page, const char *caption, const char *label);

/* A rate as text for people, "3,120". */
void page_put_rate(struct page *page, double rate);

/* The shape that stands for a setup's store. */
void page_put_shape(struct page *page, const struct setup *setup);

/* "sqlite", with its shape and how it differs. */
void page_put_name(struct page *page, const struct setup *setup);

/* Where and when all of it was measured, and how much. */
void page_put_overview(struct page *page);

/* What crashes lost against the promise of a class: the first thing to say. */
void page_put_contradictions(struct page *page);

/* What they lost with the settings of a setup. */
void page_put_observed(struct page *page, const struct setup *setup);

/* Sections of their own, or nothing. */
void page_put_losses(struct page *page);
void page_put_trials(struct page *page);

/* The newest run of a setup, which is never without one. */
const struct record_run *page_newest_run(const struct setup *setup);

/* Charts of open loops, with what stands above them, or nothing: responses over
   the rate and by percentile, and answers second by second. */
void page_put_responses(struct page *page);
void page_put_answers(struct page *page);

/* The parts of a chapter, each with its heading, or nothing if it has nothing
 * to show. */
void page_put_headline(struct page *page);
void page_put_all_setups(struct page *page);
void page_put_details(struct page *page, const struct setup *setup);
void page_put_rates(struct page *page);
void page_put_latencies(struct page *page);
void page_put_series(struct page *page);
void page_put_sweeps(struct page *page);
void page_put_history(struct page *page);

#endif
