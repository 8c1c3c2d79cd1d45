/* SPDX-License-Identifier: ISC */
#include "load/engine.h"

/* Returns the time since the last lap, and begins the next one. */
static uint64_t lap_ns(struct worker *worker)
{
    const uint64_t now_ns = clock_now_ns();
    const uint64_t passed_ns = now_ns - worker->last_ns;

    worker->last_ns = now_ns;
    return passed_ns;
}

/* Performs the worker's next operation.  The next one begins where it ends. */
static enum load_end run_one(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    const uint64_t k = worker->done + worker->grouped;
    const enum load_end end = engine->phase->operation(worker, worker_item(worker, k));

    if (end != LOAD_DONE)
        return end;
    worker->grouped++;
    progress_set_done(&worker->progress->workers[worker->index], k + 1);
    if (engine->latency) {
        const uint64_t now_ns = clock_now_ns();

        worker->last_ns = worker->given_up
                              ? now_ns
                              : tally_latency(worker->tally, now_ns, now_ns - worker->last_ns);
    }
    return LOAD_DONE;
}

/* Performs a transaction of at most that many operations. */
static enum load_end run_group(struct worker *worker, uint64_t most)
{
    const struct backend *const backend = worker->backend;
    const bool latency = worker->engine->latency;
    enum load_end end = LOAD_DONE;

    if (backend->begin(worker->session, &worker->err) != 0)
        return LOAD_FAILED;
    const uint64_t begin_ns = latency ? lap_ns(worker) : 0;
    do {
        end = run_one(worker);
    } while (end == LOAD_DONE && worker->grouped < most && !progress_paused(worker->progress));
    if (end != LOAD_DONE)
        return end;
    if (backend->commit(worker->session, &worker->err) != 0)
        return LOAD_FAILED;
    if (latency)
        histogram_record(&worker->tallies[0].counts.commits, begin_ns + lap_ns(worker));
    return LOAD_DONE;
}

/* After an operation or a transaction that failed: takes back what was not committed, which had
   all been counted as hits.  Returns true if the client repeats it, after a conflict or a stale
   answer. digest is the worker's from before the attempt. */
static bool ask_again(struct worker *worker, uint64_t digest)
{
    struct phase_result *const counts = &worker->tallies[0].counts;
    const bool conflict = worker->end == LOAD_FAILED && worker->err.kind == ERR_CONFLICT;
    const bool stale = !conflict && worker_was_stale(worker, &worker->end);

    counts->conflicts += conflict;
    counts->stale += stale;
    counts->hits -= worker->grouped;
    worker->grouped = 0;
    worker->digest = digest;
    worker->ledger.count = 0; /* drops changes that await acknowledgement */
    if (!conflict && !stale)
        return false;
    worker->end = LOAD_DONE;
    worker->err = (struct err){ 0 };
    worker->last_ns = clock_now_ns(); /* the attempt counts for no operation */
    return true;
}

bool closed_loop_goes_on(const struct worker *worker)
{
    const uint64_t limit_ns = worker->engine->limit_ns;

    return !progress_paused(worker->progress) &&
           (limit_ns == 0 || worker->last_ns - worker->begun_ns < limit_ns);
}

/* Waits until the next operation is due, if there is a pace: the operations of all workers are
   spread evenly, and one that is late begins at once.  Returns false if the run was asked to
   stop, or if the turn or the stretch is over. */
static bool await_next(struct worker *worker)
{
    const double pace_per_s = worker->engine->config.phases.pace_per_s;

    if (!closed_loop_goes_on(worker))
        return false;
    if (pace_per_s <= 0)
        return true;
    const uint64_t i = worker_item(worker, worker->done);
    const bool go_on = progress_sleep_until(
        worker->progress,
        worker->begun_ns + (uint64_t)((double)i * ((double)NS_PER_S / pace_per_s)));

    worker->last_ns = clock_now_ns();
    return go_on;
}

uint64_t closed_loop_begin(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    const uint64_t count = engine->config.count;

    /* The pause before this stretch is not part of the series. */
    for (size_t t = 0; t < engine->tallies; t++)
        worker->tallies[t].counts.series.next_ns += worker->begun_ns - worker->ended_ns;
    worker->last_ns = worker->begun_ns;
    /* In turns, the count of exchanges is that of each turn. */
    return count > 0 ? worker->done + worker_share(worker, count) : engine->most;
}

void closed_loop_end(struct worker *worker, uint64_t until)
{
    if (worker->done < until && progress_stopped(worker->progress))
        worker->end = LOAD_INTERRUPTED;
}

void closed_loop(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    const struct load_config *const config = &engine->config;
    const bool grouped = engine->phase->changes && config->batch > 1;
    const uint64_t until = closed_loop_begin(worker);

    while (worker->done < until && await_next(worker)) {
        const uint64_t left = until - worker->done;
        const uint64_t digest = worker->digest;

        worker->end = grouped ? run_group(worker, left < config->batch ? left : config->batch)
                              : run_one(worker);
        if (worker->end == LOAD_DONE) {
            worker_acknowledge(worker);
            worker->done += worker->grouped;
            worker->grouped = 0;
        } else if (!ask_again(worker, digest)) {
            return;
        }
    }
    closed_loop_end(worker, until);
}

enum load_end closed_loop_work(struct engine *engine, void *context, struct stretch *stretch)
{
    (void)context;
    /* The share of a rank, which may be one less: only progress shows it. */
    return engine_run(engine, engine->phase->name,
                      engine->config.count / load_ranks(&engine->config), engine_loop_of(engine),
                      stretch);
}
