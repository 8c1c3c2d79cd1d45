/* SPDX-License-Identifier: ISC */
#include "load/closed_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/thread.h"
#include "core/units.h"

/* While nothing is to be done: how long a signal may wait, in ms, and after how
   many such times the sessions say that they are alive. */
enum { LISTEN_MS = 250, LISTENS_PER_PING = 40 };

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
    const enum load_end end =
        engine->phase->operation(worker, worker_item(worker, k));

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
    const uint64_t i = worker_item(worker, worker->done);
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
        config->count > 0 ? worker->done + worker_share(worker, config->count)
                          : engine->most;

    /* The time since the worker's last stretch belongs to none. */
    for (size_t t = 0; t < engine->tallies; t++)
        worker->tallies[t].counts.series.next_ns +=
            worker->begun_ns - worker->ended_ns;
    worker->last_ns = worker->begun_ns;
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

/* In turns */

/* All that was counted before a turn and after it. */
struct counted {
    struct phase_result before;
    struct phase_result after;
    struct histogram latency; /* of the turn alone */
};

/* When time is up, or once more after that: not before each worker has done
   something, however late the machine let it begin. */
static void pause_load(void *context)
{
    const struct engine *const engine = context;
    struct progress *const progress = engine->context.progress;

    for (size_t i = 0; i < engine->threads; i++) {
        if (atomic_load(&progress->workers[i].done) == 0)
            return;
    }
    atomic_fetch_or(&progress->stop, PROGRESS_PAUSE);
}

static void write_latency(struct counted *counted, char *text, size_t size)
{
    struct histogram *const latency = &counted->latency;

    histogram_difference(latency, &counted->before.operations,
                         &counted->after.operations);
    if (latency->count == 0) {
        (void)snprintf(text, size, "null");
        return;
    }
    (void)snprintf(
        text, size,
        "{\"p50_ns\":%.0f,\"p95_ns\":%.0f,\"p99_ns\":%.0f,\"max_ns\":%" PRIu64
        "}",
        histogram_quantile(latency, 0.5), histogram_quantile(latency, 0.95),
        histogram_quantile(latency, 0.99), latency->max_ns);
}

/* A number, or null. */
static const char *number(char text[static 24], uint64_t value)
{
    if (value == USAGE_UNKNOWN)
        return "null";
    (void)snprintf(text, 24, "%" PRIu64, value);
    return text;
}

static void answer(const struct engine *engine, struct counted *counted,
                   const struct stretch *stretch)
{
    const struct phase_result *const before = &counted->before;
    const struct phase_result *const after = &counted->after;
    const struct usage *const usage = &stretch->usage;
    char latency[128];
    char line[512];

    write_latency(counted, latency, sizeof latency);
    (void)snprintf(line, sizeof line,
                   "turn {\"operations\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64
                   ",\"cpu_ns\":%" PRIu64 ",\"server_cpu_ns\":%s,\"syncs\":%s"
                   ",\"log_bytes\":%s"
                   ",\"hits\":%" PRIu64 ",\"misses\":%" PRIu64
                   ",\"errors\":%" PRIu64 ",\"latency\":%s}",
                   after->done - before->done,
                   stretch->ended_ns - stretch->begun_ns,
                   usage->user_ns + usage->system_ns,
                   number((char[24]){ "" }, usage->server_cpu_ns),
                   number((char[24]){ "" }, usage->fdatasyncs != USAGE_UNKNOWN
                                                ? usage->fdatasyncs
                                                : usage->server_syncs),
                   number((char[24]){ "" }, usage->server_log_bytes),
                   after->hits - before->hits, after->misses - before->misses,
                   after->deadlocks + after->conflicts - before->deadlocks -
                       before->conflicts,
                   latency);
    barrier_say(engine->context.barrier, line);
}

static enum load_end take_turn(struct engine *engine, uint64_t turn_ns,
                               struct counted *counted, struct stretch *all,
                               struct err *err)
{
    struct progress *const progress = engine->context.progress;
    struct stretch turn = { .begun_ns = 0 };

    for (size_t i = 0; i < engine->threads; i++)
        progress_set_done(&progress->workers[i], 0);
    struct ticker *const ticker =
        ticker_start(turn_ns, pause_load, engine, err);
    if (ticker == NULL)
        return LOAD_FAILED;
    enum load_end end = engine_run(engine, "turn", 0, closed_loop, &turn, err);
    ticker_stop(ticker);
    atomic_fetch_and(&progress->stop, ~PROGRESS_PAUSE);
    /* A turn is put behind those before it, without the time between them. */
    if (all->begun_ns == 0) {
        *all = turn;
    } else if (turn.begun_ns != 0) {
        all->ended_ns += turn.ended_ns - turn.begun_ns;
        usage_add(&all->usage, &turn.usage);
    }
    memset(&counted->after, 0, sizeof counted->after);
    engine_count(engine, &counted->after);
    if (end == LOAD_DONE && engine->kind->restore != NULL)
        end = engine->kind->restore(engine, err);
    if (end == LOAD_DONE)
        answer(engine, counted, &turn);
    counted->before = counted->after;
    return end;
}

/* Servers end connections on which nobody says anything. */
static enum load_end ping_all(const struct engine *engine, struct err *err)
{
    const struct load_context *const context = &engine->context;

    for (size_t i = 0; context->backend->ping != NULL && i < engine->threads;
         i++) {
        if (context->backend->ping(context->sessions[i], err) < 0)
            return progress_stopped(context->progress) ? LOAD_INTERRUPTED
                                                       : LOAD_FAILED;
    }
    return LOAD_DONE;
}

/* Understands "turn MS". */
static int scan_turn(const char *line, uint64_t *turn_ns, struct err *err)
{
    enum { LONGEST_MS = 600000 };
    uint64_t ms;

    if (strncmp(line, "turn ", 5) != 0 ||
        units_scan_count(line + 5, &ms) != 0 || ms < 1 || ms > LONGEST_MS)
        return err_usage(err,
                         "--turns: standard input: '%s' is not 'turn MS' with "
                         "MS in 1..%d, nor 'end'",
                         line, LONGEST_MS);
    *turn_ns = ms * (NS_PER_S / 1000);
    return 0;
}

/* Takes turns until the end, each followed by a restore of the store.  stretch
   becomes as long as all together, with what they used; *turns how many there
   were. */
static enum load_end run_turns(struct engine *engine, struct stretch *stretch,
                               uint64_t *turns, struct err *err)
{
    struct barrier *const barrier = engine->context.barrier;
    struct counted *const counted = err_calloc(1, sizeof *counted, err);
    enum load_end end = counted != NULL ? LOAD_DONE : LOAD_FAILED;
    unsigned unheard = 0;
    uint64_t turn_ns = 0;

    barrier_say(barrier, "ready");
    while (end == LOAD_DONE) {
        const char *const line = barrier_listen(barrier, LISTEN_MS);

        if (progress_stopped(engine->context.progress)) {
            end = LOAD_INTERRUPTED;
        } else if (line == NULL) {
            if (++unheard % LISTENS_PER_PING == 0)
                end = ping_all(engine, err);
        } else if (strcmp(line, "end") == 0) {
            break;
        } else if (scan_turn(line, &turn_ns, err) != 0) {
            end = LOAD_FAILED;
        } else {
            end = take_turn(engine, turn_ns, counted, stretch, err);
            *turns += end == LOAD_DONE;
            unheard = 0;
        }
    }
    free(counted);
    return end;
}

/* A load */

static enum load_end run_phase(struct engine *engine, size_t i,
                               struct load_result *result, struct err *err)
{
    struct stretch stretch = { .begun_ns = 0 };
    enum load_end end = LOAD_DONE;

    if (engine->kind->stage != NULL)
        end = worker_end(&engine->workers[0], engine->kind->stage(engine, i),
                         err);
    /* About as many in each part; it is for the watcher. */
    const uint64_t planned = engine->config.count / load_parts(&engine->config);
    engine_begin_tallies(engine, i);
    if (end == LOAD_DONE && !barrier_wait(engine->context.barrier, 0, NULL))
        end = LOAD_INTERRUPTED;
    if (end == LOAD_DONE)
        end = engine->config.in_turns
                  ? run_turns(engine, &stretch, &result->turns, err)
                  : engine_run(engine, engine->phase->name, planned,
                               closed_loop, &stretch, err);
    if (stretch.begun_ns != 0)
        engine_end_tallies(engine, i, &stretch, end == LOAD_DONE, result);
    return end == LOAD_DONE && engine->phase->checks != 0
               ? engine_check(engine, result, err)
               : end;
}

enum load_end closed_loop_run(const struct engine_kind *kind,
                              const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    struct engine *const engine = engine_open(kind, config, context, err);
    enum load_end end = LOAD_FAILED;

    if (engine != NULL && engine_begin_result(engine, result, err) == 0)
        end = engine_prepare(engine, err);
    if (end == LOAD_DONE && context->ledger != NULL)
        atomic_store(&context->ledger->header->begun_ns, clock_now_ns());
    for (size_t i = 0; i < kind->phase_count && end == LOAD_DONE; i++)
        end = run_phase(engine, i, result, err);
    engine_close(engine);
    return end;
}
