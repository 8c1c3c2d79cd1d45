/* SPDX-License-Identifier: ISC */
#include "load/openloop/arrivals.h"

#include <assert.h>
#include <math.h>

#include "core/clock.h"
#include "core/random.h"

enum { SEQUENCE_ARRIVALS = 0x617272 };

/* Exponential with mean 1: never infinite, since U is above 0. */
static double exponential_at(uint64_t key, uint64_t i)
{
    const double u = (double)((random_at(key, i) >> 11) + 1) * 0x1p-53;

    return -log(u);
}

/* Nothing arrives at 0 but the first of a constant schedule. */
static void plan_next(struct arrivals *arrivals)
{
    if (arrivals->kind == ARRIVALS_POISSON)
        arrivals->next_ns +=
            arrivals->gap_ns * exponential_at(arrivals->key, arrivals->number);
    else
        arrivals->next_ns = arrivals->gap_ns * (double)arrivals->number;
}

void arrivals_init(struct arrivals *arrivals, enum arrivals_kind kind,
                   double per_s, uint64_t end_ns, uint64_t seed)
{
    assert(per_s > 0 && end_ns <= UINT64_C(1) << 52);
    *arrivals = (struct arrivals){
        .kind = kind,
        .gap_ns = (double)NS_PER_S / per_s,
        .key = random_at(seed, SEQUENCE_ARRIVALS),
        .end_ns = end_ns,
    };
    plan_next(arrivals);
}

static uint64_t due_ns(void *context)
{
    const struct arrivals *const arrivals = context;

    return arrivals->next_ns < (double)arrivals->end_ns
               ? (uint64_t)arrivals->next_ns
               : ARRIVALS_NEVER;
}

static bool take(void *context, struct arrival *arrival)
{
    struct arrivals *const arrivals = context;

    arrival->at_ns = due_ns(arrivals);
    arrival->number = arrivals->number++;
    plan_next(arrivals);
    return true;
}

struct arrival_source arrivals_source(struct arrivals *arrivals)
{
    return (struct arrival_source){ .context = arrivals,
                                    .due_ns = due_ns,
                                    .take = take };
}
