/* SPDX-License-Identifier: ISC */
/*
 * One run, complete: what the text and the JSON are both made of.
 */
#ifndef UBENCH_RECORD_RESULT_H
#define UBENCH_RECORD_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/err.h"
#include "core/properties.h"
#include "load/load.h"
#include "record/record.h"
#include "store/backend.h"

struct result {
    const char *program; /* "sqlite_ubench" */
    const char *version; /* of ubench, with git's words if it had any */
    const char *store;   /* "sqlite" */
    char started_at[32]; /* UTC, ISO 8601 */
    struct properties parameters; /* every option, as it would be typed */
    struct properties labels;     /* the user's own, to find the run by */
    struct properties facts;      /* what the store says of itself */
    struct record_baselines baselines;
    struct properties host; /* the machine, and what else it was doing */
    char warning[512];      /* why the figures may be wrong, or \"\" */
    enum durability durability;
    char durability_why[256]; /* the settings it was computed from */
    enum load_end end;        /* of the last run */
    char error[768];          /* "" or why it ended early */
    struct load_config config;
    bool exchanges;   /* of which each has several operations of the store */
    size_t repeat;    /* runs that were asked for */
    size_t run_count; /* runs that there are; the last may be cut short */
    struct load_result *runs; /* room for repeat of them */
};

/* How many runs are complete: what statistics are made of. */
static inline size_t result_complete_runs(const struct result *result)
{
    return result->run_count -
           (result->run_count > 0 && result->end != LOAD_DONE);
}

#endif
