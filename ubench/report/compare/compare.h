/* SPDX-License-Identifier: ISC */
/*
 * Two sides of results, or a baseline and several candidates, phase by phase:
 * the ratio of a figure, how sure it is, and all that else differs between
 * them.
 *
 * Results are compared with their like, and a store with another where that is
 * all that the sides can mean: by --baseline store=..., or if each has one of
 * its own.  Where a parameter has several values within a side (a sweep's
 * stores and threads, say), each value is a case of its own, with a row for
 * each phase.
 *
 * Runs of one block of a campaign are pairs; see sample.h.
 */
#ifndef UBENCH_REPORT_COMPARE_COMPARE_H
#define UBENCH_REPORT_COMPARE_COMPARE_H

#include <stdio.h>

#include "core/arena.h"
#include "core/err.h"
#include "core/opt.h"
#include "record/group.h"
#include "report/compare/sample.h"
#include "report/grid.h"

enum compare_side { COMPARE_BASELINE, COMPARE_CANDIDATE, COMPARE_SIDES };

/* Operations per second, of which more are better.  The other figures are
   those of enum latency_figure: of single operations, less is better. */
enum { COMPARE_RATE = LATENCY_FIGURES };

enum compare_verdict {
    COMPARE_NOT_ENOUGH, /* runs, or blocks: fewer than SIGNIFICANCE_MIN */
    COMPARE_NO_DIFFERENCE,
    COMPARE_BETTER,
    COMPARE_WORSE,
};

struct compare_config {
    int figure;
    /* A difference below this share is none: 0.03 for a factor of 1.03. */
    double min_effect;
    bool across_classes;           /* of durability */
    const char *phases;            /* "create,update"; NULL: all */
    struct opt_settings where;     /* what all results have to be */
    struct opt_settings baseline;  /* and what those of a side; none: ... */
    struct opt_settings candidate; /* ... the sides are the two files */
    const char *files[COMPARE_SIDES];
    const char *by; /* of several: each value of it is a group; or NULL */
};

/* Where a rate lies that was searched for: sustained at low, not at high.  Both
   0: nothing was searched for, or found. */
struct compare_bracket {
    double low, high;
};

/* One phase of one case; of an open loop a limit whose rate was searched for,
   "1 % in 3 s", or, of a latency, the rate of a trial, "at 100/s". */
struct compare_row {
    const struct comparison *in;
    const struct compare_case *of;
    const char *phase;
    struct contrast contrast; /* its interval is of this row alone */
    double p;                 /* adjusted for all rows */
    /* Of a rate that was searched for: what holds the brackets of all runs of a
       side; and their usual width, as a logarithm: less is no difference. */
    struct compare_bracket brackets[COMPARE_SIDES];
    double resolution;
    enum compare_verdict verdict;
};

/* The results of both sides that are each other's like. */
struct compare_case {
    const char *name; /* "mysql", "mysql, threads=4" */
    struct group sides[COMPARE_SIDES];
    const char *classes[COMPARE_SIDES]; /* of durability */
    bool open; /* what ran in an open loop, which is never mixed with phases */
};

/* What is not the same, and where: the names of cases, or "" for all. */
struct compare_difference {
    const char *where;
    const char *key;
    const char *values[COMPARE_SIDES];
    size_t cases; /* how many have it, and which was the last */
    const struct compare_case *last;
};

struct comparison {
    struct arena *memory;
    const char *names[COMPARE_SIDES]; /* a file's, or "store=mysql" */
    struct group sides[COMPARE_SIDES];
    size_t case_count;
    struct compare_case *cases;
    size_t difference_count;
    size_t difference_room;
    struct compare_difference *differences;
    size_t note_count; /* what was left out, and other doubts; sentences */
    size_t note_room;
    const char **notes;
    const char *lacking; /* what only the baseline has, "" if nothing */
};

/* A baseline with each of several candidates. */
struct comparisons {
    struct arena memory;
    size_t count;
    struct compare_config *configs; /* of each */
    struct comparison *items;
    size_t row_count; /* of all, in their order and that of their cases */
    size_t row_room;
    struct compare_row *rows;
};

/*
 * Compares.  The candidates are, beside the baseline: the other values of
 * config->by, of which the first is the baseline unless config->baseline has
 * another; or what config->candidate says, each value of a key that is there
 * twice; or the other files.  Returns 0, or -1 with err: ERR_USAGE if the sides
 * are not what can be chosen from the archive, or ERR_OTHER if they cannot be
 * compared.  The archive, the config and the names of the files must outlive
 * it.
 */
int compare_init(struct comparisons *comparisons,
                 const struct compare_config *config, const char *const *files,
                 size_t file_count, const struct archive *archive,
                 struct err *err);
void compare_release(struct comparisons *comparisons); /* zeroed is fine */

/* How many rows have that verdict. */
size_t compare_count(const struct comparisons *comparisons,
                     enum compare_verdict verdict);

/* Prints all of it; as CSV the rows alone. */
void compare_print(const struct comparisons *comparisons,
                   const struct compare_config *config, enum grid_format format,
                   FILE *out);

#endif
