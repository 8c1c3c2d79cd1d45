/* SPDX-License-Identifier: ISC */
/*
 * The processes of one run.  A runner that was started alone is the only one.
 */
#ifndef UBENCH_LOAD_RANKS_H
#define UBENCH_LOAD_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranks;

/* Waits until all ranks are here; *sum becomes that of all values (NULL: not wanted).
   False if the run ends before.  ranks may be NULL: this process is alone. */
bool ranks_meet(struct ranks *ranks, uint64_t value, uint64_t *sum);

#endif
