/* SPDX-License-Identifier: ISC */
/* The result of a run of several processes. */
#ifndef UBENCH_LOAD_GATHER_H
#define UBENCH_LOAD_GATHER_H

#include "load/load.h"
#include "load/ranks.h"

/* Adds the results of all ranks to that of the first one, as if its threads had done all the
   work: counts, histograms, series and digests are added, and a phase lasts from the first
   operation to the last of any rank.  The resources of the server are those that the first rank
   saw.  All ranks call it, after the same run. */
void gather(struct ranks *ranks, struct load_result *result);

#endif
