/* SPDX-License-Identifier: ISC */
/* Shared by loads of new clients that share a pool: struct exchanges with a pool. */
#ifndef UBENCH_LOAD_POOL_POOL_LOAD_H
#define UBENCH_LOAD_POOL_POOL_LOAD_H

#include "load/exchange/state.h"

/* For struct engine_kind; the configuration has a mix, an allocator and a pool. */
int pool_load_init(struct engine *engine);
void pool_load_release(struct engine *engine);
uint64_t pool_load_items(const struct worker *worker);
bool pool_load_due(const struct worker *worker, uint64_t i, struct lease *lease);

/* Untimed, with the first worker: other clients take addresses until they have that many, all
   over the pool, as in one that has long been in use. */
enum load_end pool_load_take_others(struct engine *engine, uint64_t others);

/* Untimed, with the first worker, after each change of the taken addresses: if the store picks
   addresses, it makes its list of free ones again; and the list is compared with the leases. */
enum load_end pool_load_make_list(struct engine *engine);
enum load_end pool_load_check_list(struct engine *engine);

/* Untimed, with the first worker: removes the leases of the new clients. */
enum load_end pool_load_remove_new(struct engine *engine);

#endif
