/* SPDX-License-Identifier: ISC */
#include "load/closed_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/thread.h"
#include "core/units.h"

/* While nothing is to be done: how long a signal may wait, in ms, and after how
   many such times the sessions say that they are alive. */
enum { LISTEN_MS = 250, LISTENS_PER_PING = 40 };

enum { ANSWER_SIZE = 512 };

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

static enum load_end work(struct engine *engine, uint64_t turn_ns,
                          void (*body)(struct worker *worker),
                          struct stretch *stretch, struct err *err)
{
    struct progress *const progress = engine->context.progress;

    for (size_t i = 0; i < engine->threads; i++)
        progress_set_done(&progress->workers[i], 0);
    struct ticker *const ticker =
        ticker_start(turn_ns, pause_load, engine, err);
    if (ticker == NULL)
        return LOAD_FAILED;
    const enum load_end end = engine_run(engine, "turn", 0, body, stretch, err);
    ticker_stop(ticker);
    atomic_fetch_and(&progress->stop, ~PROGRESS_PAUSE);
    return end;
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
    char line[ANSWER_SIZE];

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

/* Puts a turn behind those before it, without the time between them. */
static void append(struct stretch *all, const struct stretch *turn)
{
    if (all->begun_ns == 0) {
        *all = *turn;
    } else {
        all->ended_ns += turn->ended_ns - turn->begun_ns;
        usage_add(&all->usage, &turn->usage);
    }
}

static enum load_end take_turn(struct engine *engine, uint64_t turn_ns,
                               void (*body)(struct worker *worker),
                               struct counted *counted, struct stretch *all,
                               struct err *err)
{
    struct stretch turn = { .begun_ns = 0 };
    enum load_end end = work(engine, turn_ns, body, &turn, err);

    if (turn.begun_ns != 0)
        append(all, &turn);
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
        return err_set_class(err, ERR_USAGE,
                             "--turns: standard input: '%s' is not 'turn MS' "
                             "with MS in 1..%d, nor 'end'",
                             line, LONGEST_MS);
    *turn_ns = ms * (NS_PER_S / 1000);
    return 0;
}

enum load_end turns_run(struct engine *engine,
                        void (*body)(struct worker *worker),
                        struct stretch *stretch, uint64_t *turns,
                        struct err *err)
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
            end = take_turn(engine, turn_ns, body, counted, stretch, err);
            *turns += end == LOAD_DONE;
            unheard = 0;
        }
    }
    free(counted);
    return end;
}
