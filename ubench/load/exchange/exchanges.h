/* SPDX-License-Identifier: ISC */
/*
 * Exchanges performed on a store, and their answers checked: the server's part
 * of a mix, without a loop.  A loop, closed or open, says which exchange comes
 * next, in which worker and when; this says how it ended and keeps the books.
 *
 * Each worker owns a part of the clients, so that for each answer it is known
 * what a correct store must give: eight bytes for each client that there ever
 * was.  What the server does by itself (reclaim, purge) is done by one worker
 * at a time, as in Kea, on leases that no client uses.
 *
 * Time is that of the generator, not the wall clock's.  Leases that are to be
 * reclaimed expired long before those of the clients, one in each second, so
 * that a cycle finds exactly those that are its own.
 */
#ifndef UBENCH_LOAD_EXCHANGE_EXCHANGES_H
#define UBENCH_LOAD_EXCHANGE_EXCHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "load/exchange/table.h"
#include "load/load.h"

enum { EXCHANGES_PROBES_MAX = 1000 };

struct exchanges_config {
    /* preload: clients that have a lease; count: exchanges, of which the mix
       decides, by the seed, what each is; batch is 1. */
    struct load_config load;
    struct mix mix;
    uint64_t probes; /* addresses looked at until one is free, 1 at least */
    /* Clients that have one, of all there are or will be; the rest of them, if
       there are more, belongs to clients that never come.  IPv4 alone. */
    uint64_t reservations;
    struct reconnect *reconnect; /* NULL: what is lost is lost */
};

/* The most leases that there will be if it begins with so many clients. */
uint64_t exchanges_leases_max(const struct exchanges_config *config,
                              uint64_t preload);

/* Which part of the mix exchange number i is. */
size_t exchanges_part(const struct exchanges_config *config, uint64_t i);

/* One run's exchanges, with its workers. */
struct exchanges;

/*
 * The clients that config needs at least to have a lease: one for each worker
 * and as many more as the exchanges that take one away, if these are done by
 * turns: number i in worker i modulo threads.
 */
uint64_t exchanges_preload_min(const struct exchanges_config *config);

/*
 * Resets the store and makes the reservations and the preload.  config is
 * copied; sessions, one for each worker, are used until exchanges_close; those
 * that are lost are replaced in them if there is a reconnect.  Sets *made, or
 * fills err unless the end is LOAD_DONE or LOAD_INTERRUPTED.
 */
enum load_end exchanges_open(struct exchanges **made,
                             const struct exchanges_config *config,
                             const struct backend *backend,
                             struct session *const *sessions,
                             struct progress *progress, struct err *err);
void exchanges_close(struct exchanges *exchanges); /* NULL is fine */

/* How one exchange ended. */
enum exchange_end {
    EXCHANGE_DONE,
    EXCHANGE_DEADLOCK, /* the store gave it up for another; nothing changed */
    EXCHANGE_STOPPED,  /* it waited for the store to come back, and somebody
                          wants an early end */
    EXCHANGE_FAILED,   /* the store failed: see exchanges_error */
    EXCHANGE_WRONG,    /* a wrong answer: the same */
};

/* The same of a load that ends for it. */
enum load_end exchange_load_end(enum exchange_end end);

/*
 * Performs exchange number i in a worker (from 0).  Calls for different workers
 * may overlap.  *part is which of the mix it was.  With latency, the worker's
 * books have that of each step, and that of the exchange, then.
 */
enum exchange_end exchanges_perform(struct exchanges *exchanges, size_t worker,
                                    uint64_t i, size_t *part);

/* What went wrong in a worker, after EXCHANGE_FAILED and EXCHANGE_WRONG. */
const struct err *exchanges_error(const struct exchanges *exchanges,
                                  size_t worker);

/* Opens the books anew: what was counted and timed until now is forgotten.
   While the store was away before, that was no outage. */
void exchanges_begin(struct exchanges *exchanges);

/*
 * Adds up the books of all workers, since exchanges_begin: a phase for each
 * part of the mix, with its steps; begun_ns and ended_ns are given to each.
 * Returns 0, or -1 with err if there is no memory; release result either way.
 */
int exchanges_collect(struct exchanges *exchanges, struct load_result *result,
                      struct err *err);

/*
 * After the last exchange: counts the leases, and reads some of them back, of
 * each worker and in each state.  Fills err unless the end is LOAD_DONE.
 */
enum load_end exchanges_verify(struct exchanges *exchanges,
                               struct load_result *result, struct err *err);

#endif
