/* SPDX-License-Identifier: ISC */
/*
 * How the machine changed while a campaign ran.  Each of its blocks begins and
 * ends with the same run, the reference: had nothing changed, the last would
 * take as long as the first.
 */
#ifndef UBENCH_REPORT_DRIFT_H
#define UBENCH_REPORT_DRIFT_H

#include <stddef.h>

#include "core/arena.h"
#include "record/archive.h"

/* Beyond this factor a block's own runs had better not be compared. */
#define DRIFT_MUCH 1.1

/* Of one campaign: how many times as long the last run took. */
struct drift {
    const char *campaign;
    const char *store; /* of the reference */
    size_t blocks;     /* that have both runs, complete; at least one */
    double median, low, high;
    size_t much;          /* of the blocks: beyond DRIFT_MUCH, either way */
    const char *sentence; /* that says all this */
};

struct drifts {
    size_t count;
    const struct drift *items;
    struct arena memory; /* private */
};

void drifts_gather(struct drifts *drifts, const struct archive *archive);
void drifts_release(struct drifts *drifts);

#endif
