/* SPDX-License-Identifier: ISC */
/* Changes of leases in a shared pool by clients that have them. */
#ifndef UBENCH_LOAD_POOL_POOL_CHANGE_H
#define UBENCH_LOAD_POOL_POOL_CHANGE_H

#include "load/exchange/state.h"

/* Sets the client and the place of a known client, whose place is its number in the worker's
   list. */
void pool_pick_client(struct exchange_state *state);

/* Call before and after the change of the lease at the exchange's place, which ended in end.  after
   is the place's occupant from now on; NULL: nobody. */
void pool_begin_change(struct exchange_state *state, const struct client *after);
void pool_end_change(struct exchange_state *state, enum load_end end);

/* Drops the worker's claim after a change that ended in end, unless it is unknown whether the
   change was done. */
void pool_end_claim(struct exchange_state *state, enum load_end end);

#endif
