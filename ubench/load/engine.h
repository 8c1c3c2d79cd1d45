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
    CHECK_COUNT = 1,     /* number of leases, and the store's counters */
    CHECK_READ_BACK = 2, /* every lease, in all threads, field by field */
};

struct phase {
    const char *name;
    /* Performs operation i and counts it, but not its latency. */
    enum load_end (*operation)(struct worker *worker, uint64_t i);
    bool changes;     /* one lease each, so --batch can group them */
    unsigned checks;  /* enum engine_checks, or-ed; made after the phase, untimed */
    const char *when; /* time of the checks, for messages: "after create" */
};

/* What one tally counts: a kind of exchange and its steps, or all operations of a phase. */
struct tally_kind {
    const char *name;                /* NULL: the phase's */
    const struct step_result *steps; /* with zero counts; NULL: no steps */
    size_t step_count;
};

typedef void engine_loop(struct worker *worker);

/* A kind of load.  Functions are required unless they may be NULL. */
struct engine_kind {
    size_t size; /* of a struct whose first member is a struct engine */
    const struct phase *phases;
    size_t phase_count;
    uint64_t digest_sequence; /* of the seed; the digest of a run begins with it */
    /* The only phase becomes one phase of the result for each tally. */
    bool together;
    /* Initialises the members after struct engine, which are zeroed; also tally_kinds and
       tallies, unless one tally per phase is enough.  Returns 0, or -1 with the engine's err.
       release is called in both cases. */
    int (*init)(struct engine *engine);
    void (*release)(struct engine *engine); /* NULL: nothing to release */
    /* Optional (NULL).  Fills the store before the preload, with the first worker. */
    enum load_end (*before)(struct engine *engine);
    /* Makes lease i of the preload.  NULL: the generator's lease i. */
    void (*make)(const struct engine *engine, uint64_t i, struct lease *lease);
    /* Optional (NULL).  Called before phase i, untimed, with the first worker; may change the
       count. */
    enum load_end (*stage)(struct engine *engine, size_t i);
    /* Performs a worker's operations until none is left or progress is paused; the next call
       continues.  NULL: closed_loop. */
    engine_loop *loop;
    /* Called after a turn, untimed: restores the store to its size before the turn.  Sets the
       engine's err.  NULL: turns do not change the size. */
    enum load_end (*restore)(struct engine *engine);
    /* Returns the number of leases that a worker is responsible for. */
    uint64_t (*items)(const struct worker *worker);
    /* Makes the i-th of these leases as a correct store has it now.  Returns false if a correct
       store does not have it; then only its address and type are set. */
    bool (*due)(const struct worker *worker, uint64_t i, struct lease *lease);
    /* Called with the first worker of each rank before the checks of each phase: compares what the
       ranks know.  NULL: nothing. */
    enum load_end (*agree)(struct engine *engine);
    /* Checks, with the first worker of each rank, what else the store contains after the checks of
       each phase. NULL: nothing. */
    enum load_end (*check)(struct engine *engine);
};

struct engine {
    const struct engine_kind *kind;
    struct load_config config;
    struct load_context context;
    struct load_result *result;
    struct err *err; /* set unless the end is LOAD_DONE or LOAD_INTERRUPTED */
    struct generator generator;
    const struct phase *phase;
    uint64_t preload; /* leases; config.preload unless init changes it */
    uint64_t most;    /* operations of a worker at most, if there is no count */
    bool latency;     /* the loop records it; config.latency unless a kind changes it */
    size_t threads;   /* of this rank */
    const struct tally_kind *tally_kinds;
    size_t tallies;    /* of each worker, and the number of their kinds */
    uint64_t limit_ns; /* of the stretch, if latency is true; 0: none */
    bool unchecked;    /* nothing is checked after the phase */
    struct worker *workers;
    void (*body)(struct worker *worker); /* work of the stretch */
};

/* The time from the start of the first worker to the end of the last. */
struct stretch {
    uint64_t begun_ns; /* 0: no worker began */
    uint64_t ended_ns;
    struct usage usage; /* of the whole process */
};

/* Performs a phase and fills stretch, which is zeroed; if begun_ns stays 0, the counts are
   dropped.  May change the engine's limit_ns, latency and unchecked before it begins.  Sets the
   engine's err. */
typedef enum load_end engine_work(struct engine *engine, void *context, struct stretch *stretch);

/* Runs a whole load: the first rank empties the store and creates the preload; then the phases
   follow in order, each with its checks.  Leases are read back in a random order, for at most
   the time of the load or ten seconds, whichever is longer.  Copies config and context.  The
   caller releases result, which is zeroed.  Sets err unless the end is LOAD_DONE or
   LOAD_INTERRUPTED. */
enum load_end engine_load(const struct engine_kind *kind, const struct load_config *config,
                          const struct load_context *context, engine_work *work, void *work_context,
                          struct load_result *result, struct err *err);

/* Items are dealt to the workers in turn: return a worker's share of count items, and the
   number of its i-th item. */
static inline uint64_t worker_share(const struct worker *worker, uint64_t count)
{
    const uint64_t threads = worker->engine->config.threads;

    return count / threads + (worker->number < count % threads);
}
static inline uint64_t worker_item(const struct worker *worker, uint64_t i)
{
    return worker->number + i * worker->engine->config.threads;
}

/* Returns end, with which work of one worker alone has ended.  If it is worse than
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

/* For work before a load or between its phases, untimed: calls one for each i below count, in
   transactions of WORKER_GROUP, until it returns anything but LOAD_DONE.  The watcher shows
   name. */
enum load_end worker_in_groups(struct worker *worker, const char *name, uint64_t count,
                               enum load_end (*one)(struct worker *worker, uint64_t i));

/* Records the latency of an operation that has ended now.  Returns the time after recording,
   which counts for no operation.  For the timed path. */
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

/* Adds the counts of all workers so far, except those of steps and the series. */
void engine_count(const struct engine *engine, struct phase_result *sum);

/* Has the store analyze what it contains, for its planner.  Not timed. */
enum load_end worker_analyze(struct worker *worker);

/* Makes the checks of the engine's phase, if the store keeps leases.  Sets the engine's err. */
enum load_end engine_check(struct engine *engine);

/* Calls body in all workers at once. body sets worker->end; if that is worse than
   LOAD_INTERRUPTED, the other workers are asked to stop.  Returns the worst end.  The watcher
   shows name and planned. stretch may be NULL. */
enum load_end engine_run(struct engine *engine, const char *name, uint64_t planned,
                         void (*body)(struct worker *worker), struct stretch *stretch);

/*
 * The closed loop: each worker begins its next operation when the one before
 * has ended.
 */

/* Performs a worker's operations of the engine's phase until its share is done, the stretch
   has reached the engine's limit, or progress is paused; the next call continues.  For
   engine_run. */
void closed_loop(struct worker *worker);

/* The parts of a closed loop, for a kind of load with a loop of its own. begin returns how many
   operations the worker will have done; end says whether they were cut short.  The loop goes on
   unless the run was asked to stop, or the turn or the stretch is over. */
uint64_t closed_loop_begin(struct worker *worker);
bool closed_loop_goes_on(const struct worker *worker);
void closed_loop_end(struct worker *worker, uint64_t until);

/* Returns the loop of the kind of load. */
static inline engine_loop *engine_loop_of(const struct engine *engine)
{
    return engine->kind->loop != NULL ? engine->kind->loop : closed_loop;
}

/* The work of a load that is not in turns, for engine_load; context is not used. */
enum load_end closed_loop_work(struct engine *engine, void *context, struct stretch *stretch);

#endif
