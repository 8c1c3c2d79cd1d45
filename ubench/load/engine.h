/* SPDX-License-Identifier: ISC */
/*
 * Shared by all workloads: worker threads (one session each), the preload, timed
 * stretches with their counters, and the checks of the store after each.  Only for
 * load/.  A kind of load says which leases each worker is responsible for and what
 * a correct store contains: the expected number of leases, the counters and the
 * reading back follow from that.  The caller does the work, in a closed or an open loop.
 */
#ifndef UBENCH_LOAD_ENGINE_H
#define UBENCH_LOAD_ENGINE_H

#include "core/clock.h"
#include "lease/generator.h"
#include "load/config.h"
#include "load/worker.h"

enum engine_checks {
    CHECK_COUNT = 1,     /* the leases, and the counters */
    CHECK_READ_BACK = 2, /* every lease, in all threads, field by field */
};

struct phase {
    const char *name;
    /* Performs operation i and counts it, without its latency. */
    enum load_end (*operation)(struct worker *worker, uint64_t i);
    bool changes;     /* one lease each, which --batch groups */
    unsigned checks;  /* enum engine_checks, or-ed: they follow, untimed */
    const char *when; /* of the checks, for sentences: "after create" */
};

/* What one tally counts: a kind of exchange and its steps, or all operations of a phase. */
struct tally_kind {
    const char *name;                /* NULL: that of the phase */
    const struct step_result *steps; /* without counts; NULL: it has none */
    size_t step_count;
};

typedef void engine_loop(struct worker *worker);

/* A kind of load.  Functions are required unless they may be NULL. */
struct engine_kind {
    size_t size; /* of a struct that begins with a struct engine */
    const struct phase *phases;
    size_t phase_count;
    uint64_t digest_sequence; /* of the seed: a run's digest begins with it */
    /* There is one phase, and the result has one for each tally. */
    bool together;
    /* Makes the rest of the structs, which is zeroed; and tally_kinds and tallies,
       unless a phase is counted as one.  Returns 0, or -1 with the engine's err; they are released
       either way. */
    int (*init)(struct engine *engine);
    void (*release)(struct engine *engine); /* NULL: nothing to release */
    /* Fills the store before the preload, with the first worker.  May be
       NULL. */
    enum load_end (*before)(struct engine *engine);
    /* Makes lease i of the preload.  NULL: it is the generator's. */
    void (*make)(const struct engine *engine, uint64_t i, struct lease *lease);
    /* Before phase i, untimed, with the first worker: may change the count.
       May be NULL. */
    enum load_end (*stage)(struct engine *engine, size_t i);
    /* Does a worker's operations until it has none, or progress is paused; called again, it goes
       on.  NULL: closed_loop. */
    engine_loop *loop;
    /* After a turn, untimed: gives the store the size that it had before.  Sets
       the engine's err.  NULL: it has not changed. */
    enum load_end (*restore)(struct engine *engine);
    /* How many leases a worker answers for. */
    uint64_t (*items)(const struct worker *worker);
    /* Makes the i-th of them as a correct store has it now.  False if it has
       none; then the address and the type are right alone. */
    bool (*due)(const struct worker *worker, uint64_t i, struct lease *lease);
};

struct engine {
    const struct engine_kind *kind;
    struct load_config config;
    struct load_context context;
    struct load_result *result;
    struct err *err; /* filled unless the end is LOAD_DONE or
                        LOAD_INTERRUPTED */
    struct generator generator;
    const struct phase *phase;
    uint64_t preload; /* leases; config.preload unless init changes it */
    uint64_t most;    /* operations of a worker where there is no count */
    bool latency;     /* the loop records it; config.latency unless changed */
    size_t threads;   /* of this rank */
    const struct tally_kind *tally_kinds;
    size_t tallies;    /* of each worker, and as many kinds */
    uint64_t limit_ns; /* of the stretch, where latency is true; 0: none */
    bool unchecked;    /* nothing is compared after it */
    struct worker *workers;
    void (*body)(struct worker *worker); /* of the stretch */
};

/* The time from the start of the first worker to the end of the last. */
struct stretch {
    uint64_t begun_ns; /* 0: nobody began */
    uint64_t ended_ns;
    struct usage usage; /* of the whole process */
};

/* Works through a phase, and says in the stretch, which is zeroed, when that
   was; what was counted is dropped if begun_ns stays 0.  May change the engine's
   limit_ns, latency and unchecked before it begins.  Fills the engine's err. */
typedef enum load_end engine_work(struct engine *engine, void *context, struct stretch *stretch);

/* Runs a load from the beginning to the end: in the first rank, empties the
   store and makes the preload; then the phases one after the other, each with
   the checks that follow it.  Leases are read back in a random order, for as
   long as the load itself has taken, or ten seconds if that was less.  config
   and context are copied; result, which is zeroed, is the caller's to release.
   Fills err unless the end is LOAD_DONE or LOAD_INTERRUPTED. */
enum load_end engine_load(const struct engine_kind *kind, const struct load_config *config,
                          const struct load_context *context, engine_work *work, void *work_context,
                          struct load_result *result, struct err *err);

/* A worker's share of count items that are dealt to all workers in turn, and its
   i-th item. */
static inline uint64_t worker_share(const struct worker *worker, uint64_t count)
{
    const uint64_t threads = worker->engine->config.threads;

    return count / threads + (worker->number < count % threads);
}
static inline uint64_t worker_item(const struct worker *worker, uint64_t i)
{
    return worker->number + i * worker->engine->config.threads;
}

/* The end of something that a worker did alone.  If that is worse than
   LOAD_INTERRUPTED, the worker's err becomes that of the engine. */
static inline enum load_end worker_end(const struct worker *worker, enum load_end end)
{
    if (end > LOAD_INTERRUPTED)
        *worker->engine->err = worker->err;
    return end;
}

/* Records that all submitted changes are acknowledged.  For the timed path. */
static inline void worker_acknowledge(struct worker *worker)
{
    ledger_acknowledge(&worker->ledger);
    worker->caught_up = false;
}

/* For what is done before a load or between its phases, untimed: calls one for
   i from 0 to below count, in transactions of WORKER_GROUP, until an end is not
   LOAD_DONE.  name is for the watcher. */
enum load_end worker_in_groups(struct worker *worker, const char *name, uint64_t count,
                               enum load_end (*one)(struct worker *worker, uint64_t i));

/* Records the latency of an operation that ended now.  Returns the time after
   recording, so that the time spent on it counts for no operation.  For the timed path. */
static inline uint64_t tally_latency(struct tally *tally, uint64_t now_ns, uint64_t took_ns)
{
    struct phase_result *const counts = &tally->counts;

    if (series_is_due(&counts->series, now_ns)) {
        series_tick(&counts->series, &counts->operations, now_ns);
        now_ns = clock_now_ns();
    }
    histogram_record(&counts->operations, took_ns);
    return now_ns;
}

/* Adds the counts of all workers so far, but for steps and series. */
void engine_count(const struct engine *engine, struct phase_result *sum);

/* Calls body in all workers at once.  body sets worker->end; where that is
   worse than LOAD_INTERRUPTED the others are asked to stop.  Returns the worst
   end of all.  planned is for the watcher.  stretch may be NULL. */
enum load_end engine_run(struct engine *engine, const char *name, uint64_t planned,
                         void (*body)(struct worker *worker), struct stretch *stretch);

/*
 * The closed loop: each worker begins its next operation when the one before
 * has ended.
 */

/* Performs a worker's operations of the engine's phase until its share is done,
   the stretch has lasted for the engine's limit, or progress is paused; called
   again, it goes on.  For engine_run. */
void closed_loop(struct worker *worker);

/* The loop of a kind of load. */
static inline engine_loop *engine_loop_of(const struct engine *engine)
{
    return engine->kind->loop != NULL ? engine->kind->loop : closed_loop;
}

/* The work of a load, for engine_load; context is not used. */
enum load_end closed_loop_work(struct engine *engine, void *context, struct stretch *stretch);

#endif
