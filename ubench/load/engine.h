/* SPDX-License-Identifier: ISC */
/*
 * What all loads have in common: workers, each a thread with a way to the
 * store; what is in the store before; a stretch of time in which all of them
 * work; and the check of what is in the store afterwards.  For load/ alone.
 *
 * A kind of load says which leases each worker answers for, and how a correct
 * store has them now.  From that come the number of leases that there ought to
 * be, the counters, and the reading back of every lease.
 */
#ifndef UBENCH_LOAD_ENGINE_H
#define UBENCH_LOAD_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"
#include "load/handle.h"

struct engine;

/* The first member of what a kind of load needs of each thread. */
struct worker {
    struct engine *engine;
    struct handle handle;
    uint64_t number;   /* among the workers of all parts */
    uint64_t begun_ns; /* of its stretch, by clock_now_ns */
    uint64_t ended_ns;
    enum load_end end; /* of its stretch; the handle's err says why */
    uint64_t digest;
    uint64_t read_back;
};

/* What a worker counts of a phase, or of one kind of exchange. */
struct tally {
    struct phase_result counts; /* without times and usage */
    struct histogram seen;      /* the series' */
    struct step_result steps[STEPS_MAX];
};

/* Makes an empty one of what may be one already; zeroed is fine.  exchange has
   the steps, or is NULL. */
void tally_begin(struct tally *tally, const struct exchange *exchange,
                 uint64_t now_ns);

/* Counts an operation that took so long, and ended now.  Returns when it was
   counted: what that took belongs to no operation.  For the timed path. */
static inline uint64_t tally_latency(struct tally *tally, uint64_t now_ns,
                                     uint64_t took_ns)
{
    struct phase_result *const counts = &tally->counts;

    if (series_is_due(&counts->series, now_ns)) {
        series_tick(&counts->series, &counts->operations, now_ns);
        now_ns = clock_now_ns();
    }
    histogram_record(&counts->operations, took_ns);
    return now_ns;
}

/* Goes on with a tally in a stretch that has begun: the time since the worker's
   last one belongs to none. */
static inline void tally_resume(struct tally *tally,
                                const struct worker *worker)
{
    tally->counts.series.next_ns += worker->begun_ns - worker->ended_ns;
}

/* Adds what a tally has counted so far, but for its steps and its series. */
void tally_add(const struct tally *tally, struct phase_result *phase);

/* Names a phase and its steps.  Returns 0, or -1 with err if there is no
   memory; load_result_release releases it. */
int tally_begin_phase(struct phase_result *phase,
                      const struct exchange *exchange, struct err *err);

/* Adds a tally, which ends, to the phase. */
void tally_end(struct tally *tally, struct phase_result *phase);

struct engine_kind {
    size_t worker_size;
    /* How many leases a worker answers for. */
    uint64_t (*items)(const struct worker *worker);
    /* Makes the i-th of them (lease may be NULL) as it should be now.  False if
       it should not be there; then the address and the type are made alone. */
    bool (*due)(const struct worker *worker, uint64_t i, struct lease *lease);
};

/* The first member of what a kind of load needs of a run. */
struct engine {
    const struct engine_kind *kind;
    struct load_config config;
    struct load_context context;
    struct generator generator;
    size_t threads; /* of this part */
    char *workers;
    void (*body)(struct worker *worker); /* of the stretch */
    uint64_t limit_ns;                   /* of reading back */
};

/* Copies what it is given and makes the workers, zeroed but for their handles.
   Returns 0, or -1 with err; release it either way. */
int engine_init(struct engine *engine, const struct engine_kind *kind,
                const struct load_config *config,
                const struct load_context *context, struct err *err);
void engine_release(struct engine *engine); /* zeroed is fine */

static inline struct worker *engine_worker(const struct engine *engine,
                                           size_t i)
{
    return (struct worker *)(void *)(engine->workers +
                                     i * engine->kind->worker_size);
}

/*
 * In the first part, empties the store and calls fill, unless it is NULL, which
 * fills it with the first worker's handle; returns when all parts and all nodes
 * have what is in there.  Here and below err is filled unless the end is
 * LOAD_DONE or LOAD_INTERRUPTED.
 */
enum load_end engine_prepare(struct engine *engine,
                             enum load_end (*fill)(struct engine *engine),
                             struct err *err);

/* From when the first worker began to when the last one ended. */
struct stretch {
    uint64_t begun_ns;
    uint64_t ended_ns;
    struct usage usage; /* of the whole process */
};

/*
 * Calls body in all workers at once.  body sets worker->end; where that is
 * worse than LOAD_INTERRUPTED the others are asked to stop.  Returns the worst
 * end of all.  planned is for the watcher; stretch may be NULL.
 */
enum load_end engine_run(struct engine *engine, const char *name,
                         uint64_t planned, void (*body)(struct worker *worker),
                         struct stretch *stretch, struct err *err);

/* A phase that ran in it has its times and its usage. */
void stretch_note(const struct stretch *stretch, struct phase_result *phase);

enum engine_checks {
    CHECK_COUNT = 1,     /* the leases, and the counters */
    CHECK_READ_BACK = 2, /* every lease, in all threads, field by field */
};

/*
 * Compares what is in the store with what is due: checks, or-ed.  when is for
 * sentences: "after create".  Reading back ends early after the time that the
 * load itself has taken, or ten seconds if that was less; leases are read in a
 * random order, and result has how many of how many were read.
 */
enum load_end engine_check(struct engine *engine, unsigned checks,
                           const char *when, struct load_result *result,
                           struct err *err);

#endif
