/* SPDX-License-Identifier: ISC */
#include "load/closed_loop.h"

#include "core/clock.h"

/* The time since the end of what came before. */
static uint64_t lap_ns(struct worker *worker)
{
    const uint64_t now_ns = clock_now_ns();
    const uint64_t passed_ns = now_ns - worker->last_ns;

    worker->last_ns = now_ns;
    return passed_ns;
}

/* Performs the worker's next operation, whose end is the next one's
   beginning. */
static enum load_end run_one(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    const uint64_t k = worker->done + worker->grouped;
    const enum load_end end = engine->phase->operation(
        worker, worker->number + k * engine->config.threads);

    if (end != LOAD_DONE)
        return end;
    progress_set_done(&worker->progress->workers[worker->index], k + 1);
    if (engine->latency) {
        const uint64_t now_ns = clock_now_ns();

        worker->last_ns =
            worker->tally != NULL
                ? tally_latency(worker->tally, now_ns, now_ns - worker->last_ns)
                : now_ns;
    }
    return LOAD_DONE;
}

static enum load_end run_single(struct worker *worker)
{
    const enum load_end end = run_one(worker);

    if (end != LOAD_DONE)
        return end;
    worker->done++;
    worker_acknowledge(worker);
    return LOAD_DONE;
}

/* A transaction, with so many operations at most. */
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
        worker->grouped += end == LOAD_DONE;
    } while (end == LOAD_DONE && worker->grouped < most &&
             !progress_paused(worker->progress));
    if (end != LOAD_DONE)
        return end;
    if (backend->commit(worker->session, &worker->err) != 0)
        return LOAD_FAILED;
    if (latency)
        histogram_record(&worker->tallies[0].counts.commits,
                         begin_ns + lap_ns(worker));
    worker_acknowledge(worker);
    worker->done += worker->grouped;
    worker->grouped = 0;
    return LOAD_DONE;
}

/* After an operation, or a transaction, that did not come to its end: forgets
   what was not committed, each of it a hit.  True if the client asks again; the
   digest is that from before. */
static bool ask_again(struct worker *worker, uint64_t digest)
{
    struct phase_result *const counts = &worker->tallies[0].counts;
    const bool conflict = worker_had_conflict(worker, worker->end);
    const bool stale = !conflict && worker_was_stale(worker, &worker->end);

    counts->conflicts += conflict;
    counts->stale += stale;
    counts->hits -= worker->grouped;
    worker->grouped = 0;
    worker->digest = digest;
    ledger_give_up(&worker->ledger);
    if (!conflict && !stale)
        return false;
    worker->end = LOAD_DONE;
    worker->err = (struct err){ 0 };
    worker->last_ns = clock_now_ns(); /* it belongs to no operation */
    return true;
}

/* Until the next operation is due, if there is a pace: those of all workers
   come evenly, one after another, and a late one does not wait.  False if the
   run was asked to stop, or the turn or the stretch is over. */
static bool await_next(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    const double pace_per_s = engine->config.pace_per_s;

    if (progress_paused(worker->progress) ||
        (engine->limit_ns > 0 &&
         worker->last_ns - worker->begun_ns >= engine->limit_ns))
        return false;
    if (pace_per_s <= 0)
        return true;
    const uint64_t i = worker->number + worker->done * engine->config.threads;
    const bool go_on = progress_sleep_until(
        worker->progress,
        worker->begun_ns +
            (uint64_t)((double)i * ((double)NS_PER_S / pace_per_s)));

    worker->last_ns = clock_now_ns();
    return go_on;
}

void closed_loop(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    const struct load_config *const config = &engine->config;
    const bool grouped = engine->phase->changes && config->batch > 1;
    /* Exchanges have a count for each turn. */
    const uint64_t until =
        config->count > 0
            ? worker->done + load_share(config, worker->number, config->count)
            : engine->most;

    worker_resume(worker);
    while (worker->done < until && await_next(worker)) {
        const uint64_t left = until - worker->done;
        const uint64_t digest = worker->digest;

        worker->end =
            grouped
                ? run_group(worker, left < config->batch ? left : config->batch)
                : run_single(worker);
        if (worker->end != LOAD_DONE && !ask_again(worker, digest))
            return;
    }
    if (worker->done < until && progress_stopped(worker->progress))
        worker->end = LOAD_INTERRUPTED;
}

static enum load_end run_phase(struct engine *engine, size_t i,
                               struct load_result *result, struct err *err)
{
    const struct phase *const phase = &engine->kind->phases[i];
    struct stretch stretch = { .begun_ns = 0 };
    enum load_end end = LOAD_DONE;

    if (engine->kind->stage != NULL)
        end = worker_end(engine_worker(engine, 0),
                         engine->kind->stage(engine, i), err);
    const uint64_t planned =
        load_part_share(&engine->config, engine->config.count);
    engine_begin_tallies(engine, i);
    if (end == LOAD_DONE && !barrier_wait(engine->context.barrier, 0, NULL))
        end = LOAD_INTERRUPTED;
    if (end == LOAD_DONE)
        end = engine->config.in_turns ? turns_run(engine, closed_loop, &stretch,
                                                  &result->turns, err)
                                      : engine_run(engine, phase->name, planned,
                                                   closed_loop, &stretch, err);
    if (stretch.begun_ns != 0)
        engine_end_tallies(engine, i, &stretch, end == LOAD_DONE, result);
    return end == LOAD_DONE && phase->checks != 0
               ? engine_check(engine, phase, result, err)
               : end;
}

static enum load_end run_phases(struct engine *engine,
                                struct load_result *result, struct err *err)
{
    const size_t count = engine->kind->phase_count;
    struct ledger *const ledger = engine->context.ledger;

    enum load_end end = engine_prepare(engine, err);
    if (ledger != NULL && end == LOAD_DONE)
        atomic_store(&ledger->header->begun_ns, clock_now_ns());
    for (size_t i = 0; i < count && end == LOAD_DONE; i++)
        end = run_phase(engine, i, result, err);
    return end;
}

enum load_end closed_loop_run(const struct workload *workload,
                              const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    struct engine *const engine =
        engine_open(workload->closed, config, context, err);
    enum load_end end = LOAD_FAILED;

    *result = (struct load_result){ 0 };
    if (engine != NULL && engine_begin_result(engine, result, err) == 0)
        end = run_phases(engine, result, err);
    engine_close(engine);
    load_note_reconnect(context, result);
    return end;
}
