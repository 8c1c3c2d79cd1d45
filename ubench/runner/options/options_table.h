/* SPDX-License-Identifier: ISC */
/* The options of all runners, a row each.  A runner has those that fit its store. */
#ifndef UBENCH_RUNNER_OPTIONS_OPTIONS_TABLE_H
#define UBENCH_RUNNER_OPTIONS_OPTIONS_TABLE_H

#include "core/opt.h"

/* Which workloads use an option: loads of struct opt. */
enum {
    OPTION_ALWAYS = 0, /* all; also --verify, which runs none */
    OPTION_ALL,        /* all */
    OPTION_SOME,       /* those that list the option (load/workloads.h) */
};

/* Traits of an option. */
enum {
    OPTION_LENGTH = 1 << 0,   /* sets the length of a load; each workload has one such option */
    OPTION_SILENT = 1 << 1,   /* not a parameter of the run */
    OPTION_NO_TURNS = 1 << 2, /* cannot be used with --turns */
    OPTION_NO_RANKS = 1 << 3, /* cannot be used with several ranks */
};

/* Ended by OPT_KIND_END.  The fields are of struct runner_config; fit is called with the struct
   options of the runner (options.h), once its other members are set. */
extern const struct opt options_table[];

#endif
