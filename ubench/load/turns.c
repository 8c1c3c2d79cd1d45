/* SPDX-License-Identifier: ISC */
#include "load/turns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/thread.h"
#include "core/units.h"
#include "load/conductor.h"

/* While idle: the longest delay of a signal, in ms, and the number of such periods between
   keep-alive pings. */
enum { LISTEN_MS = 250, LISTENS_PER_PING = 40 };

/* The counts before a turn and after it. */
struct counted {
    struct phase_result before;
    struct phase_result after;
    struct histogram latency; /* of the turn alone */
};

/* Called when the turn's time is up, and again until the load is paused: waits until each
   worker has done an operation, however late the machine started it. */
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

/* Writes a number, or null if it is unknown. */
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
    char line[1024];

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
        ",\"log_bytes\":%s,\"instructions\":%s,\"server_instructions\":%s"
        ",\"cycles\":%s,\"switches\":%" PRIu64 ",\"hits\":%" PRIu64 ",\"misses\":%" PRIu64
        ",\"errors\":%" PRIu64 ",\"latency\":%s}",
        after->done - before->done, stretch->ended_ns - stretch->begun_ns,
        usage->user_ns + usage->system_ns, number((char[24]){ "" }, usage->server_cpu_ns),
        number((char[24]){ "" },
               usage->fdatasyncs != USAGE_UNKNOWN ? usage->fdatasyncs : usage->server_syncs),
        number((char[24]){ "" }, usage->server_log_bytes),
        number((char[24]){ "" }, usage->instructions),
        number((char[24]){ "" }, usage->server_instructions),
        number((char[24]){ "" }, usage->cycles),
        usage->voluntary_switches + usage->involuntary_switches, after->hits - before->hits,
        after->misses - before->misses,
        after->deadlocks + after->conflicts - before->deadlocks - before->conflicts, latency);
    conductor_say(engine->context.conductor, line);
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
    enum load_end end = engine_run(engine, "turn", 0, engine_loop_of(engine), &turn);
    ticker_stop(ticker);
    atomic_fetch_and(&progress->stop, ~PROGRESS_PAUSE);
    /* Appends the turn to those before it, without the time between them. */
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

/* Keeps all sessions alive: servers close idle connections. */
static enum load_end ping_all(const struct engine *engine)
{
    const struct load_context *const context = &engine->context;

    for (size_t i = 0; context->backend->ping != NULL && i < engine->threads; i++) {
        if (context->backend->ping(context->sessions[i], engine->err) < 0)
            return progress_stopped(context->progress) ? LOAD_INTERRUPTED : LOAD_FAILED;
    }
    return LOAD_DONE;
}

/* Parses "turn MS". */
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

enum load_end turns_work(struct engine *engine, void *context, struct stretch *stretch)
{
    struct conductor *const conductor = engine->context.conductor;
    struct err *const err = engine->err;
    struct counted *const counted = err_calloc(1, sizeof *counted, err);
    enum load_end end = counted != NULL ? LOAD_DONE : LOAD_FAILED;
    unsigned unheard = 0;
    uint64_t turn_ns = 0;

    (void)context;
    conductor_say(conductor, "ready");
    while (end == LOAD_DONE) {
        const char *const line = conductor_listen(conductor, LISTEN_MS);

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
