/* SPDX-License-Identifier: ISC */
/* How many clients and leases a load of exchanges needs. */
#ifndef UBENCH_LOAD_EXCHANGE_PLAN_H
#define UBENCH_LOAD_EXCHANGE_PLAN_H

#include "load/config.h"
#include "load/progress.h"

/* Each kind of draw has a sequence of its own. */
enum exchange_sequence {
    EXCHANGE_SEQUENCE_MIX = 101,
    EXCHANGE_SEQUENCE_CLIENT,
    EXCHANGE_SEQUENCE_CANDIDATE,
    EXCHANGE_SEQUENCE_DIGEST,
    EXCHANGE_SEQUENCE_RESERVED,
    EXCHANGE_SEQUENCE_AGE,
};

/* The needs of a run, by its mix and its seed; in turns, of one at most. */
struct exchange_plan {
    uint64_t newcomers; /* exchanges of new clients, and the server's own: */
    uint64_t reclaims;
    uint64_t purges;
    /* The clients that need a lease: one for each worker and as many more as
       the exchanges that take one away, if any worker may do all of a turn. */
    uint64_t preload_min;
};

/* Number i is done in turn i modulo turns, 1..WORKERS_MAX.  There is a draw for
   each exchange, so that this may take seconds: it ends early, with too few,
   once progress, which may be NULL, is stopped. */
struct exchange_plan exchange_plan_make(const struct load_config *config, uint64_t turns,
                                        struct progress *progress);

/* The most leases that there will be. */
uint64_t exchange_plan_leases_max(const struct load_config *config,
                                  const struct exchange_plan *plan);

/* Gives config the usual number of clients if it has none.  workload
   is what --workload says.  Returns 0, or -1 with err (ERR_USAGE): there are
   too few, or there would be too many leases. */
int exchange_plan_resolve(struct load_config *config, const char *workload, struct err *err);

#endif
