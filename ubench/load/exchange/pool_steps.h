/* SPDX-License-Identifier: ISC */
/* Performs the steps of new clients that share a pool on a store, and checks the answers. */
#ifndef UBENCH_LOAD_EXCHANGE_POOL_STEPS_H
#define UBENCH_LOAD_EXCHANGE_POOL_STEPS_H

#include "load/exchange/state.h"

/* STEP_PICK, which is before STEP_CHECK_CANDIDATES: the store picks the first candidate; or the
   client is refused. */
enum load_end pool_pick(struct exchange_state *state);

/* STEP_CHECK_CANDIDATES: until one is free, which is offered; or the client is refused. */
enum load_end pool_check_candidates(struct exchange_state *state);

/* STEP_FIND_ADDRESS of the offered address: if another client has it now, the offer is lost. */
enum load_end pool_find_offered(struct exchange_state *state);

/* STEP_CREATE: if the address is taken, the offer is lost. */
enum load_end pool_create(struct exchange_state *state);

/* Ends the offer, if there is one, when the client has the address or has lost it. */
void pool_withdraw_offer(struct exchange_state *state);

#endif
