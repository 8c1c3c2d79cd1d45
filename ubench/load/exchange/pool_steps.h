/* SPDX-License-Identifier: ISC */
/* Performs the steps of new clients that share a pool on a store, and checks the answers. */
#ifndef UBENCH_LOAD_EXCHANGE_POOL_STEPS_H
#define UBENCH_LOAD_EXCHANGE_POOL_STEPS_H

#include "load/exchange/state.h"

/* Sets how a load with a pool performs the steps that allocate an address; call it after
   exchange_steps_init. */
void pool_steps_init(struct exchanges *all);

/* Ends the offer, if there is one, when the client has the address or has lost it. */
void pool_withdraw_offer(struct exchange_state *state);

#endif
