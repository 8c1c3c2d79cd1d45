/* SPDX-License-Identifier: ISC */
/*
 * What is computed from the runs of a result before it is printed: times in
 * seconds, and rates per second, which are 0 where there is nothing to divide
 * by.
 */
#ifndef UBENCH_REPORT_FIGURES_H
#define UBENCH_REPORT_FIGURES_H

#include "record/result.h"

enum { FIGURES_MAX = 100 }; /* runs of a result */

/* One figure of each complete run. */
struct figures {
    size_t count;
    double values[FIGURES_MAX];
};

typedef double phase_figure(const struct phase_result *phase);
phase_figure phase_time_s, phase_rate;

typedef double run_figure(const struct load_result *run);
run_figure run_time_s; /* of all phases */
run_figure run_rate;   /* all operations in all the time */
/* The guide's Average: the mean of the four phases' figures. */
run_figure run_mean_time_s, run_mean_rate;
/* Of the operations of the store, of which an exchange has several. */
run_figure run_step_rate;

uint64_t run_done(const struct load_result *run);       /* operations */
uint64_t run_steps_done(const struct load_result *run); /* in exchanges */

struct figures figures_of_phase(const struct result *result, size_t phase,
                                phase_figure *figure);
struct figures figures_of_runs(const struct result *result, run_figure *figure);

/* What stands for all of them; see statistics_headline. */
double figures_headline(const struct figures *figures);

/* True if the phases are those of the guide, one after the other: create,
   search, update, delete. */
bool figures_of_2012(const struct result *result);

/* False of a pool that fills up: its levels are unlike each other, so that all
   of them together are no figure. */
bool figures_have_overall(const struct result *result);

#endif
