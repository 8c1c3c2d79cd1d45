/* SPDX-License-Identifier: ISC */
/*
 * What a run's exchanges will be, and so what they need, which the mix and the
 * seed decide before the first one.  For the exchanges' own files alone;
 * load/exchanges.h has what others may ask.
 */
#ifndef UBENCH_LOAD_EXCHANGE_PLAN_H
#define UBENCH_LOAD_EXCHANGE_PLAN_H

#include "load/exchange/exchanges.h"

/* What each draw is for, as a sequence of its own. */
enum exchange_sequence {
    EXCHANGE_SEQUENCE_MIX = 101,
    EXCHANGE_SEQUENCE_CLIENT,
    EXCHANGE_SEQUENCE_PROBE,
    EXCHANGE_SEQUENCE_DIGEST,
    EXCHANGE_SEQUENCE_RESERVED,
};

/* The key of the draws that say which part of the mix an exchange is. */
uint64_t exchange_plan_key(const struct load_config *load);

/* How many exchanges of each part there will be. */
void exchange_plan_parts(const struct exchanges_config *config,
                         uint64_t planned[static MIX_MAX]);

/* Of these, the ones whose last step is this. */
uint64_t exchange_plan_ending(const struct exchanges_config *config,
                              const uint64_t planned[static MIX_MAX],
                              enum step_action action);

#endif
