/* SPDX-License-Identifier: ISC */
/* The tables of many results, each in a file of its own: of phases, of open
   loops, of whole servers, of crashes, and how much a campaign drifted. */
#ifndef UBENCH_REPORT_TABLES_H
#define UBENCH_REPORT_TABLES_H

#include <stdio.h>

#include "record/archive.h"
#include "record/crash_results.h"
#include "record/group.h"
#include "report/grid.h"

/*
 * The tables of the 2012 DHCP Performance Guide from any set of results: a row
 * for each store and whatever differs, seconds per phase (Tables 3.1 and 3.2)
 * and operations per second (Table 3.3), each with the guide's Average, and
 * the true overall rate beside it.  One pair of tables for each durability
 * class: there is no ranking across classes.
 */

/*
 * Prints all sections.  Where a group has several complete runs, each
 * figure is the median of theirs; runs that are incomplete are left out, and
 * a note says so.  As CSV it is one table, with a row for each phase.  Beside
 * the rates stands what crashes lost with the same settings, if there are any.
 */
void guide_tables_print(const struct groups *groups,
                        const struct crash_results *crashes,
                        enum grid_format format, FILE *out);

/*
 * What came of open loops, by durability class: trials at a rate, rates that
 * were searched for, storms.  The rate of a trial was asked for, so none of
 * them ranks stores by it.
 */

/* Prints groups of open loops alone, a row for each run.  Nothing if there
   are none.  Not for GRID_CSV. */
void trial_tables_print(const struct groups *groups, enum grid_format format,
                        FILE *out);

/* What a trial says of the store, in words. */
struct trial_verdict {
    const char *name;    /* "saturated" */
    const char *meaning; /* a sentence, which says why */
};

struct trial_verdict trial_verdict_of(const struct record_trial *trial);

/*
 * What scripts/dhcp.sh measured of whole DHCP servers: the highest rate of each
 * configuration, what a lease costs, and pairs of which one was killed.
 */

/* searches: of records that have a server and a rate.  open: of any open loops,
   of which those with a pair of servers are meant.  Not for GRID_CSV. */
void server_tables_print(const struct groups *searches,
                         const struct groups *open, enum grid_format format,
                         FILE *out);

/* What crash campaigns came to, as text. */

/* One line for each cell that contradicts its class, to be said first of all;
   nothing if there is none.  Not for GRID_CSV. */
void crash_tables_print_contradictions(const struct crash_results *crashes,
                                       enum grid_format format, FILE *out);

/*
 * The cells of each campaign and level whose controls passed, and why there is
 * no verdict of the others.  Returns false if there was such a level.
 */
bool crash_tables_print(const struct crash_results *crashes,
                        enum grid_format format, FILE *out);

/*
 * How the machine changed while a campaign ran.  Each of its blocks begins and
 * ends with the same run, the reference: had nothing changed, the last would
 * take as long as the first.
 */

/* Prints a line for each campaign that has a block with both runs, complete;
   before the first an empty one. */
void drift_print(const struct archive *archive, enum grid_format format,
                 FILE *out);

#endif
