/* SPDX-License-Identifier: ISC */
/*
 * The load of the 2012 DHCP Performance Guide: create n leases, search n
 * times, update n, delete n, with a timestamp before, between and after.
 *
 * Every answer is compared with what a correct store must give, searches
 * byte by byte, and the rows are counted after create and after delete.  A
 * sample of the updated leases is read back after update.
 */
#ifndef UBENCH_LOAD_PHASES_H
#define UBENCH_LOAD_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "lease/generator.h"
#include "load/progress.h"
#include "measure/histogram.h"
#include "measure/series.h"
#include "measure/usage.h"
#include "store/backend.h"

enum phase_name {
    PHASE_CREATE,
    PHASE_SEARCH,
    PHASE_UPDATE,
    PHASE_DELETE,
    PHASE_COUNT,
};

struct phases_config {
    uint64_t count;   /* operations per phase, at least 1 */
    uint64_t preload; /* leases that are there before the first phase */
    uint64_t seed;
    uint64_t threads; /* 1..WORKERS_MAX, a session each */
    uint64_t batch;   /* changes per transaction, at least 1 */
    bool latency;     /* record that of each operation, and the series */
    double hit_ratio; /* of searches, 0..1 */
    enum lease_profile profile;
    enum lease_family family; /* that of the store */
};

struct phase_result {
    const char *name;
    uint64_t done; /* operations that were answered, as they should be */
    uint64_t hits;
    uint64_t misses;
    uint64_t begun_ns; /* by clock_now_ns, before its first operation */
    uint64_t ended_ns; /* after its last one */
    /* Of the operations that were answered, without what begins and commits
       transactions: that has a histogram of its own, one sample for each. */
    struct histogram operations;
    struct histogram commits;
    struct series series;
    struct usage usage; /* of the whole process */
    uint64_t syncs;     /* of the store's file, by it; or USAGE_UNKNOWN */
};

/* How long a phase took.  Not the time since the phase before: rows are
   counted in between. */
static inline uint64_t phase_elapsed_ns(const struct phase_result *phase)
{
    return phase->ended_ns - phase->begun_ns;
}

/* How a run ended. */
enum phases_end {
    PHASES_DONE,        /* all of it, every answer right */
    PHASES_INTERRUPTED, /* the watcher stopped it; what was done is right */
    PHASES_FAILED,      /* the store failed; what was done is right */
    PHASES_WRONG,       /* the store gave a wrong answer: no figures */
};

struct phases_result {
    struct phase_result phases[PHASE_COUNT]; /* done is 0 if not reached */
    uint64_t left; /* leases that were counted at the end, without preload */
    bool verified; /* false if the backend keeps no leases */
    /* A sum over all operations of a hash of what was asked and answered.
       The same for every store, whatever the order of the operations. */
    uint64_t digest;
};

/*
 * Resets the store, makes the preload and runs the phases, each in all threads
 * at once; sessions has one for each thread.  Fills result, which the caller
 * releases, and err unless the end is PHASES_DONE or PHASES_INTERRUPTED.
 */
enum phases_end phases_run(const struct phases_config *config,
                           const struct backend *backend,
                           struct session *const *sessions,
                           struct progress *progress,
                           struct phases_result *result, struct err *err);

void phases_result_release(struct phases_result *result);

#endif
