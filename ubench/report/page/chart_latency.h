/* SPDX-License-Identifier: ISC */
/* Latencies by percentile: curves of a run, and those of a chapter. */
#ifndef UBENCH_REPORT_PAGE_CHART_LATENCY_H
#define UBENCH_REPORT_PAGE_CHART_LATENCY_H

#include "report/page/page_parts.h"

enum {
    CURVE_POINTS = 50,     /* ten for each step of the axis ... */
    CURVE_POINTS_EACH = 10 /* ... which goes to 99.999 % */
};

/* The quantiles of one histogram, in nanoseconds, as far as they are not
   chance; returns how many.  The i-th stands at i / CURVE_POINTS_EACH of
   curve_axis.  histogram is room to work in. */
size_t curve_read(const struct record_histogram *from,
                  struct histogram *histogram,
                  double values[static CURVE_POINTS]);

/* From 0 to high, which is 2 for 99 %. */
struct chart_axis curve_axis(double high);

/* A section with a chart for each phase of the chapter, or nothing. */
void chart_latencies(struct page *page);

#endif
