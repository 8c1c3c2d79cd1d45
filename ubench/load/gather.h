/* SPDX-License-Identifier: ISC */
/* The result of a run that several processes did together. */
#ifndef UBENCH_LOAD_GATHER_H
#define UBENCH_LOAD_GATHER_H

#include "load/load.h"
#include "load/ranks.h"

/* Adds the results of all ranks to that of the first one, as if its threads had done all the
   work: counts, histograms, seconds and digests are sums, and a phase lasts from the first
   operation to the last of any rank.  What the server used is what the first rank says.  By
   all ranks, after one and the same run. */
void gather(struct ranks *ranks, struct load_result *result);

#endif
