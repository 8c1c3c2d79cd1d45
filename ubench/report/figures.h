/* SPDX-License-Identifier: ISC */
/*
 * What is computed from the runs of one record before it is printed: one figure
 * of each complete run, or of the one that was cut short if there is none.
 */
#ifndef UBENCH_REPORT_FIGURES_H
#define UBENCH_REPORT_FIGURES_H

#include "record/record.h"

enum { FIGURES_MAX = 100 }; /* runs; more are left out */

struct figures {
    size_t count;
    double values[FIGURES_MAX];
};

typedef double phase_figure(const struct record_phase *phase);
typedef double run_figure(const struct record_run *run);

/* Whose latency: a phase's, its commits', or that of one of its steps. */
enum figures_latency {
    FIGURES_OPERATIONS,
    FIGURES_COMMITS,
    FIGURES_STEPS, /* and the number of the step */
};

/* Of a latency, in the order of the columns; a quantile may be NAN, as all of
   them are where nothing was recorded. */
enum figures_quantity {
    FIGURES_P50,
    FIGURES_P95,
    FIGURES_P99,
    FIGURES_P99_9,
    FIGURES_P99_99,
    FIGURES_MAXIMUM,
    FIGURES_MINIMUM,
    FIGURES_MEAN,
    FIGURES_SD,
};

struct figures figures_of_phase(const struct record *record, size_t phase,
                                phase_figure *figure);
struct figures figures_of_runs(const struct record *record, run_figure *figure);
struct figures figures_of_latency(const struct record *record, size_t phase,
                                  size_t latency,
                                  enum figures_quantity quantity);

/* What stands for all of them; see statistics_headline. */
double figures_headline(const struct figures *figures);

/* The median; NAN if one of them is. */
double figures_median(const struct figures *figures);

#endif
