/* SPDX-License-Identifier: ISC */
/* A question to the store within a step of an exchange: begin, answered, expect, count. */
#ifndef UBENCH_LOAD_EXCHANGE_QUESTION_H
#define UBENCH_LOAD_EXCHANGE_QUESTION_H

#include "load/exchange/state.h"

static inline void question_begin(struct exchange_state *state)
{
    if (state->latency)
        state->asked_ns = clock_now_ns();
}

static inline void question_answered(struct exchange_state *state)
{
    if (state->latency)
        state->took_ns = clock_now_ns() - state->asked_ns;
}

/* Compares the outcome, when it came; the address is for the error's text.  If the rest of the
   answer is right, too, question_count follows. */
static inline enum load_end question_expect(struct exchange_state *state,
                                            struct lease_address address, enum outcome outcome,
                                            enum outcome expected)
{
    question_answered(state);
    return worker_expect(state->worker, address, outcome, expected);
}

/* An answer that was right in all.  Returns LOAD_DONE. */
static inline enum load_end question_count(struct exchange_state *state, enum outcome expected)
{
    struct step_result *const step = state->step_result;

    if (state->latency && !state->shares_trip)
        histogram_record(&step->latency, state->took_ns);
    step->hits += expected == OUTCOME_HIT;
    step->misses += expected == OUTCOME_MISS;
    state->answers[expected]++;
    state->answered++;
    return LOAD_DONE;
}

#endif
