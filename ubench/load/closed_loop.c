/* SPDX-License-Identifier: ISC */
#include "load/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const enum load_end end = engine->phase->operation(worker, worker_item(worker, k));

    if (end != LOAD_DONE)
        return end;
    worker->grouped++;
    progress_set_done(&worker->progress->workers[worker->index], k + 1);
    if (engine->latency) {
        const uint64_t now_ns = clock_now_ns();

        worker->last_ns = worker->tally != NULL
                              ? tally_latency(worker->tally, now_ns, now_ns - worker->last_ns)
                              : now_ns;
    }
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
    } while (end == LOAD_DONE && worker->grouped < most && !progress_paused(worker->progress));
    if (end != LOAD_DONE)
        return end;
    if (backend->commit(worker->session, &worker->err) != 0)
        return LOAD_FAILED;
    if (latency)
        histogram_record(&worker->tallies[0].counts.commits, begin_ns + lap_ns(worker));
    return LOAD_DONE;
}

/* After an operation, or a transaction, that did not come to its end: forgets
   what was not committed, each of it a hit.  True if the client asks again; the
   digest is that from before. */
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
    worker->ledger.count = 0; /* of what waits to be acknowledged */
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
        (engine->limit_ns > 0 && worker->last_ns - worker->begun_ns >= engine->limit_ns))
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

void closed_loop(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    const struct load_config *const config = &engine->config;
    const bool grouped = engine->phase->changes && config->batch > 1;
    /* Exchanges have a count for each turn. */
    const uint64_t until =
        config->count > 0 ? worker->done + worker_share(worker, config->count) : engine->most;

    /* The time since the worker's last stretch belongs to none. */
    for (size_t t = 0; t < engine->tallies; t++)
        worker->tallies[t].counts.series.next_ns += worker->begun_ns - worker->ended_ns;
    worker->last_ns = worker->begun_ns;
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
    struct histogram *const all = &counted->latency;
    char latency[128] = "null";
    char line[512];

    histogram_difference(all, &before->operations, &after->operations);
    if (all->count > 0)
        (void)snprintf(latency, sizeof latency,
                       "{\"p50_ns\":%.0f,\"p95_ns\":%.0f,\"p99_ns\":%.0f"
                       ",\"max_ns\":%" PRIu64 "}",
                       histogram_quantile(all, 0.5), histogram_quantile(all, 0.95),
                       histogram_quantile(all, 0.99), all->max_ns);
    (void)snprintf(
        line, sizeof line,
        "turn {\"operations\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64 ",\"cpu_ns\":%" PRIu64
        ",\"server_cpu_ns\":%s,\"syncs\":%s"
        ",\"log_bytes\":%s"
        ",\"hits\":%" PRIu64 ",\"misses\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"latency\":%s}",
        after->done - before->done, stretch->ended_ns - stretch->begun_ns,
        usage->user_ns + usage->system_ns, number((char[24]){ "" }, usage->server_cpu_ns),
        number((char[24]){ "" },
               usage->fdatasyncs != USAGE_UNKNOWN ? usage->fdatasyncs : usage->server_syncs),
        number((char[24]){ "" }, usage->server_log_bytes), after->hits - before->hits,
        after->misses - before->misses,
        after->deadlocks + after->conflicts - before->deadlocks - before->conflicts, latency);
    barrier_say(engine->context.barrier, line);
}

static enum load_end take_turn(struct engine *engine, uint64_t turn_ns, struct counted *counted,
                               struct stretch *all)
{
    struct progress *const progress = engine->context.progress;
    struct stretch turn = { .begun_ns = 0 };

    for (size_t i = 0; i < engine->threads; i++)
        progress_set_done(&progress->workers[i], 0);
    struct ticker *const ticker = ticker_start(turn_ns, pause_load, engine, engine->err);
    if (ticker == NULL)
        return LOAD_FAILED;
    enum load_end end = engine_run(engine, "turn", 0, closed_loop, &turn);
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
        end = engine->kind->restore(engine);
    if (end == LOAD_DONE)
        answer(engine, counted, &turn);
    counted->before = counted->after;
    return end;
}

/* Servers end connections on which nobody says anything. */
static enum load_end ping_all(const struct engine *engine)
{
    const struct load_context *const context = &engine->context;

    for (size_t i = 0; context->backend->ping != NULL && i < engine->threads; i++) {
        if (context->backend->ping(context->sessions[i], engine->err) < 0)
            return progress_stopped(context->progress) ? LOAD_INTERRUPTED : LOAD_FAILED;
    }
    return LOAD_DONE;
}

/* Understands "turn MS". */
static int scan_turn(const char *line, uint64_t *turn_ns, struct err *err)
{
    enum { LONGEST_MS = 600000 };
    uint64_t ms;

    if (strncmp(line, "turn ", 5) != 0 || units_scan_count(line + 5, &ms) != 0 || ms < 1 ||
        ms > LONGEST_MS)
        return err_usage(err,
                         "--turns: '%s' on standard input is not a command; expected 'turn MS' "
                         "with MS in 1..%d, or 'end'",
                         line, LONGEST_MS);
    *turn_ns = ms * (NS_PER_S / 1000);
    return 0;
}

/* Takes turns until the end, each followed by a restore of the store.  stretch
   becomes as long as all together, with what they used. */
static enum load_end run_turns(struct engine *engine, struct stretch *stretch)
{
    struct barrier *const barrier = engine->context.barrier;
    struct err *const err = engine->err;
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
                end = ping_all(engine);
        } else if (strcmp(line, "end") == 0) {
            break;
        } else if (scan_turn(line, &turn_ns, err) != 0) {
            end = LOAD_FAILED;
        } else {
            end = take_turn(engine, turn_ns, counted, stretch);
            engine->result->turns += end == LOAD_DONE;
            unheard = 0;
        }
    }
    free(counted);
    return end;
}

enum load_end closed_loop_work(struct engine *engine, void *context, struct stretch *stretch)
{
    (void)context;
    /* About as many in each part; it is for the watcher. */
    return engine->config.in_turns ? run_turns(engine, stretch)
                                   : engine_run(engine, engine->phase->name,
                                                engine->config.count / load_parts(&engine->config),
                                                closed_loop, stretch);
}
