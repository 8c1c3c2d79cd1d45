/* SPDX-License-Identifier: ISC */
/* Compares what the ranks of a run know of the pool that they share. */
#ifndef UBENCH_LOAD_POOL_POOL_AGREE_H
#define UBENCH_LOAD_POOL_POOL_AGREE_H

#include "load/load.h"

struct engine;

/* Called in each rank after the load.  LOAD_WRONG with the first worker's err if an address was
   given to clients of two ranks, or if a rank has met a lease there whose client is not the one
   that another rank gave the address to. */
enum load_end pool_agree(struct engine *engine);

#endif
