/* SPDX-License-Identifier: ISC */
/*
 * What the parts of a page share: what is on it, and how a chart gets there.
 * Each part is a file that writes HTML to page->html; charts are drawn together
 * when all is written, so a part leaves a placeholder for each of its own.
 */
#ifndef UBENCH_REPORT_PAGE_PAGE_PARTS_H
#define UBENCH_REPORT_PAGE_PAGE_PARTS_H

#include <stddef.h>
#include <stdio.h>

#include "core/arena.h"
#include "record/archive.h"
#include "record/group.h"
#include "record/losses.h"
#include "report/page/chart.h"
#include "report/page/gnuplot.h"

/* As many as a reader can tell apart. */
enum { PAGE_SHOWN_MAX = 16, PAGE_PHASES_MAX = 8 };

/* Where a chart goes once it is drawn; the label is for readers who cannot see
   it. */
struct page_placeholder {
    long offset;
    const char *label;
};

struct page {
    const struct archive *archive;
    const struct losses *losses;
    const struct groups *open;   /* what ran in an open loop */
    const struct groups *closed; /* the rest */
    FILE *html;
    struct gnuplot *gnuplot;
    size_t placeholder_count; /* one for each chart that was begun */
    size_t placeholder_room;
    struct page_placeholder *placeholders;
    struct arena *memory;
    /* The chapter: groups with the same phases, as the rate of one workload
       says nothing about another. */
    size_t group_count;
    const struct group *const *groups;
    size_t shown_count; /* what its first table and its charts show */
    const struct group *shown[PAGE_SHOWN_MAX];
    bool all_shown;     /* so that a store may come several times in a class */
    size_t phase_count; /* in their order */
    const char *phases[PAGE_PHASES_MAX];
    size_t more_phases; /* that found no room */
};

/* Charts below one heading, HTML that is written with the first of them. */
struct page_charts {
    const char *heading;
    size_t drawn;
    size_t left_out;
};

/* Leaves a placeholder for the chart that the last gnuplot_begin began, and
   writes a figure around it.  Caption and label are foreign text. */
void page_put_chart(struct page *page, struct page_charts *charts,
                    const char *caption, const char *label);

/* Ends the row of charts, if there is one, and says how many "more runs" were
   left out. */
void page_end_charts(struct page *page, const struct page_charts *charts,
                     const char *what);

/* "Left out: 3 more runs", unless there are none. */
void page_note_left_out(struct page *page, size_t count, const char *what);

/* "mysql threads=4", which is foreign text. */
const char *page_name(struct page *page, const struct group *group);

/* The rates of a phase, or, without a name, of all operations of a run; those
   that took no time are left out. */
struct summary page_rates(const struct page *page, const struct group *group,
                          const char *phase);

/* The last run of the newest record. */
const struct record_run *page_newest_run(const struct group *group);

#endif
