/* SPDX-License-Identifier: ISC */
/* The plan of a run: how many exchanges of each kind there will be, and how
   many leases they need.  The mix and the seed decide before the first one. */
#ifndef UBENCH_LOAD_EXCHANGE_PLAN_H
#define UBENCH_LOAD_EXCHANGE_PLAN_H

#include "load/load.h"

/* Each kind of draw has a sequence of its own. */
enum exchange_sequence {
    EXCHANGE_SEQUENCE_MIX = 101,
    EXCHANGE_SEQUENCE_CLIENT,
    EXCHANGE_SEQUENCE_CANDIDATE,
    EXCHANGE_SEQUENCE_DIGEST,
    EXCHANGE_SEQUENCE_RESERVED,
    EXCHANGE_SEQUENCE_AGE,
};

/*
 * How many exchanges of each kind there will be; own: those of this part alone,
 * number i being done in worker i modulo threads; in turns, at most in one of
 * them.  There is a draw for each exchange, so that this may take seconds: here
 * and below it ends early, with too few, once progress, which may be NULL, is
 * stopped.
 */
void exchange_plan_kinds(const struct load_config *config,
                         struct progress *progress, bool own,
                         uint64_t planned[static MIX_MAX]);

/* How many of the planned exchanges end with this step; those of new clients
   end with STEP_CREATE. */
uint64_t exchange_plan_ending(const struct load_config *config,
                              const uint64_t planned[static MIX_MAX],
                              enum step_action action);

/* Gives config the usual number of clients if it has none.  workload
   is what --workload says.  Returns 0, or -1 with err (ERR_USAGE): there are
   too few, or there would be too many leases. */
int exchange_plan_resolve(struct load_config *config, const char *workload,
                          struct err *err);

/*
 * The clients that config needs at least to have a lease: one for each worker
 * and as many more as the exchanges that take one away, if number i is done in
 * turn i modulo turns, 1..WORKERS_MAX, and any worker may do all of a turn.
 */
uint64_t exchange_plan_preload_min(const struct load_config *config,
                                   uint64_t turns, struct progress *progress);

/* The most leases that there will be. */
uint64_t exchange_plan_leases_max(const struct load_config *config,
                                  const uint64_t planned[static MIX_MAX]);

#endif
