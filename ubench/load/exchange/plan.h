/* SPDX-License-Identifier: ISC */
/* The number of clients and leases that a load of exchanges needs. */
#ifndef UBENCH_LOAD_EXCHANGE_PLAN_H
#define UBENCH_LOAD_EXCHANGE_PLAN_H

#include "load/config.h"
#include "load/progress.h"

/* Each kind of random choice has a sequence of its own. */
enum exchange_sequence {
    EXCHANGE_SEQUENCE_MIX = 101,
    EXCHANGE_SEQUENCE_CLIENT,
    EXCHANGE_SEQUENCE_CANDIDATE,
    EXCHANGE_SEQUENCE_DIGEST,
    EXCHANGE_SEQUENCE_RESERVED,
    EXCHANGE_SEQUENCE_AGE,
};

/* The needs of a run, by its mix and its seed; in turns, those of one turn at most. */
struct exchange_plan {
    uint64_t newcomers; /* exchanges of new clients; the server's own follow */
    uint64_t reclaims;
    uint64_t purges;
    /* Clients that need a lease: one for each worker, and one more for each exchange that ends
       a lease, as a single worker may do all of a turn. */
    uint64_t preload_min;
};

/* Plans a run in which exchange i belongs to turn i modulo turns, 1..WORKERS_MAX.  Each
   exchange takes a draw, so this may take seconds; it ends early, with too low numbers, when
   progress (may be NULL) is stopped. */
struct exchange_plan exchange_plan_make(const struct load_config *config, uint64_t turns,
                                        struct progress *progress);

/* Returns an upper limit of the number of leases. */
uint64_t exchange_plan_leases_max(const struct load_config *config,
                                  const struct exchange_plan *plan);

/* Sets the default number of clients if config has none. workload is the value of --workload.
   Returns 0, or -1 with err (ERR_USAGE) if clients are too few or leases would be too many. */
int exchange_plan_resolve(struct load_config *config, const char *workload, struct err *err);

#endif
