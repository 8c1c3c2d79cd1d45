/* SPDX-License-Identifier: ISC */
/* The values of the options that take one of a list, with their names and help on the command
   line.  Each list ends with a choice without a name. */
#ifndef UBENCH_RUNNER_OPTIONS_OPTIONS_CHOICES_H
#define UBENCH_RUNNER_OPTIONS_OPTIONS_CHOICES_H

#include "core/opt.h"

extern const struct opt_choice choices_sync[];   /* enum sync_level; a store has some of them */
extern const struct opt_choice choices_schema[]; /* enum schema; a store has some of them */
extern const struct opt_choice choices_lease[];
extern const struct opt_choice choices_trips[];
extern const struct opt_choice choices_allocator[];
extern const struct opt_choice choices_arrivals[];
extern const struct opt_choice choices_policy[]; /* of a full queue */
extern const struct opt_choice choices_search[];
extern const struct opt_choice choices_yes_no[];
extern const struct opt_choice choices_on_off[];
extern const struct opt_choice choices_verbose[];
extern const struct opt_choice choices_progress[];
extern const struct opt_choice choices_help[];

#endif
