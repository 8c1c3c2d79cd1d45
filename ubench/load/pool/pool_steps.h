/* SPDX-License-Identifier: ISC */
/* Performs the steps of new clients that share a pool on a store, and checks the answers. */
#ifndef UBENCH_LOAD_POOL_POOL_STEPS_H
#define UBENCH_LOAD_POOL_POOL_STEPS_H

#include "load/exchange/state.h"

/* Sets how a load with a pool performs the steps that allocate an address; call it after
   exchange_steps_init. */
void pool_steps_init(struct exchanges *all);

/* For the same steps in a round trip of several questions (trips.h): complete the question of the
   state's step, and judge its answer.  Call pool_end_claim after the round trip. */
void pool_put_question(struct exchange_state *state, struct question *question);
enum load_end pool_check_answer(struct exchange_state *state, const struct question *question);

/* Ends the offer, if there is one, when the client has the address or has lost it. */
void pool_withdraw_offer(struct exchange_state *state);

#endif
