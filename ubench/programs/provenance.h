/* SPDX-License-Identifier: ISC */
/*
 * What a reader needs beside the figures: the machine, what nothing can be
 * faster than on it, and what makes the figures doubtful.
 */
#ifndef UBENCH_PROGRAMS_PROVENANCE_H
#define UBENCH_PROGRAMS_PROVENANCE_H

#include "measure/baselines.h"
#include "measure/host/host.h"
#include "record/result.h"
#include "store/backend.h"

struct provenance {
    struct host_noise before;
    struct baselines_sync sync; /* zeroed if it was not measured */
};

/* Before the first run, with a store that is open: measures the baselines and
   describes the host, into result.  Takes about a third of a second. */
void provenance_begin(struct provenance *provenance,
                      const struct backend *backend, const struct store *store,
                      struct session *session, struct result *result);

/* After the last run: adds what the machine did meanwhile, and the warning. */
void provenance_end(const struct provenance *provenance, struct result *result);

#endif
