/* SPDX-License-Identifier: ISC */
/* What a load came to, as a run of a record. */
#ifndef UBENCH_PROGRAMS_RUN_RECORD_H
#define UBENCH_PROGRAMS_RUN_RECORD_H

#include "core/arena.h"
#include "load/load.h"
#include "record/record.h"

/* Everything is copied but for the names of phases and steps.  complete is
   false if the run was cut short. */
struct record_run run_record_make(struct arena *memory,
                                  const struct load_result *result,
                                  bool complete);

#endif
