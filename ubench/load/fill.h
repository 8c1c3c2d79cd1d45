/* SPDX-License-Identifier: ISC */
/*
 * A pool that fills up: what a new client's address costs at each utilisation,
 * and what it costs to refuse one when the pool is full.
 *
 * At each level of utilisation new clients get a lease as in the exchange
 * `dora`, with the candidates of an allocator looked up one by one.  Before it,
 * untimed, addresses all over the pool are taken, as those of a pool that has
 * long been in use are: from an empty one without releases every allocator
 * would meet a free address at once until the last.  After it, untimed, the new
 * leases are removed, so that what is taken stays spread evenly.  At
 * utilisation u about 1 / (1 - u) look-ups are to be expected: of n addresses,
 * of which f are free and none is looked at twice, (n + 1) / (f + 1), and a
 * little more where a random order ends and another one begins; of the free
 * lease queue one.
 *
 * Candidates are chosen before a level begins: what they cost is the look-ups,
 * which are the store's work and timed, and not the choosing, of which the
 * servers' allocators have ways of their own.  A client's latency is the time
 * of all questions that were asked for it, so the sum over its steps; the time
 * of a level, and its rate, also have the making of the lease and the
 * comparison of the answers.
 */
#ifndef UBENCH_LOAD_FILL_H
#define UBENCH_LOAD_FILL_H

#include "load/workloads.h"

/* The fewest addresses of a pool: then each level has one to give. */
enum { FILL_POOL_MIN = 100 };

/* Addresses looked up in a full pool, by all clients together; but one client
   is always refused. */
#define FILL_LOOKUPS UINT64_C(100000)

/*
 * In one thread, IPv4, without a preload.  config->count is new clients per
 * level, at most half of the addresses that are free there; of a full pool, as
 * many as FILL_LOOKUPS allow, one at least.
 */
extern const struct workload workload_fill;

#endif
