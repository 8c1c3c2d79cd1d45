/* SPDX-License-Identifier: ISC */
/*
 * What a reader needs beside the figures: the machine, what nothing can be
 * faster than on it, and what makes the figures doubtful.
 */
#ifndef UBENCH_PROGRAMS_PROVENANCE_H
#define UBENCH_PROGRAMS_PROVENANCE_H

#include "load/load.h"
#include "measure/baselines.h"
#include "measure/host/host.h"
#include "record/record.h"
#include "store/backend.h"

struct provenance {
    struct properties host;
    struct host_noise before;
    struct baselines_sync sync; /* zeroed if it was not measured */
    bool too_fast; /* a run's changes came faster than the disk can sync */
};

/* Before the first run, with a store that is open: measures the baselines and
   describes the host, into the record and its memory.  Takes about a third of a
   second. */
void provenance_begin(struct provenance *provenance,
                      const struct backend *backend, const struct store *store,
                      struct session *session, const struct load_config *load,
                      struct arena *memory, struct record *record);

/* After each run. */
void provenance_note_run(struct provenance *provenance,
                         const struct load_config *load,
                         const struct load_result *run);

/* After the last run: adds what the machine did meanwhile, and the warning. */
void provenance_end(struct provenance *provenance, struct arena *memory,
                    struct record *record);

#endif
