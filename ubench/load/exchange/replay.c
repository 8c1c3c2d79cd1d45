/* SPDX-License-Identifier: ISC */
/*
 * The replay of a trace (lease/trace.h): each of its changes is the exchange that makes it, on the
 * generator's lease of that number, at the trace's pace or as fast as possible.
 *
 * A lease belongs to one worker, which makes its changes in their order, so that it knows what a
 * correct store answers.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/properties.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/replay_config.h"
#include "load/exchange/replay_pace.h"
#include "load/exchange/steps.h"
#include "load/workloads.h"

enum { SEQUENCE_REPLAY = 0x72706c };

/* One worker's part of the trace. */
struct part {
    uint32_t *changes; /* indexes of its changes in the trace, in order */
    uint64_t count;
    uint64_t next; /* changes done */
    struct replay_second second;
};

struct replay {
    struct exchanges all;
    struct part *parts;
    struct replay_pace pace;
    size_t places[REPLAY_KINDS]; /* place in the mix, by kind */
};

static struct replay *replay_of(const struct worker *worker)
{
    return (struct replay *)worker->engine;
}

static const struct trace *trace_of(const struct worker *worker)
{
    return worker->engine->config.replay.trace;
}

/* ---- The beginning and the end */

/* The only candidate for an address is the lease's own. */
static enum candidate free_candidate(const struct exchange_state *state, uint64_t k,
                                     const struct client **client)
{
    (void)state;
    (void)k;
    (void)client;
    return CANDIDATE_FREE;
}

/* Returns the client of a lease before the first change. */
static struct client first_client(const struct trace *trace, uint64_t lease)
{
    return (struct client){ .number = (uint32_t)lease,
                            .state = lease < trace->active ? CLIENT_ACTIVE : CLIENT_GONE };
}

static int make_clients(struct worker *worker)
{
    const struct trace *const trace = trace_of(worker);
    struct clients *const clients = &exchange_state_of(worker)->clients;

    clients->fixed = true;
    clients->count = clients->capacity = worker_share(worker, trace->leases);
    clients->all = err_calloc(clients->count + 1, sizeof *clients->all, worker->engine->err);
    for (uint64_t k = 0; clients->all != NULL && k < clients->count; k++)
        clients->all[k] = first_client(trace, worker_item(worker, k));
    return clients->all != NULL ? 0 : -1;
}

/* Makes the list of a worker's changes: those of its leases. */
static int make_part(struct worker *worker)
{
    const struct trace *const trace = trace_of(worker);
    const uint64_t threads = worker->engine->config.threads;
    struct part *const part = &replay_of(worker)->parts[worker->index];

    for (uint64_t i = 0; i < trace->count; i++)
        part->count += trace->items[i].lease % threads == worker->number;
    part->changes = err_calloc(part->count + 1, sizeof *part->changes, worker->engine->err);
    if (part->changes == NULL)
        return -1;
    part->count = 0;
    for (uint64_t i = 0; i < trace->count; i++) {
        if (trace->items[i].lease % threads == worker->number)
            part->changes[part->count++] = (uint32_t)i;
    }
    return 0;
}

static int init(struct engine *engine)
{
    struct replay *const replay = (struct replay *)engine;
    const struct trace *const trace = engine->config.replay.trace;
    uint64_t *const digest = &engine->workers[0].digest;

    (void)pthread_mutex_init(&replay->all.lock, NULL);
    replay_pace_init(&replay->pace);
    replay->all.candidates = free_candidate;
    mix_leave_out(&engine->config.mix, STEP_FIND_RESERVATION);
    replay_find_places(&engine->config.mix, replay->places);
    if (engine->config.rank == 0)
        *digest = random_at(*digest, trace->hash);
    if (engine->context.facts != NULL)
        properties_add(engine->context.facts, "trace", "%016" PRIx64, trace->hash);
    exchange_steps_init(&replay->all);
    replay->parts = err_calloc(engine->threads, sizeof *replay->parts, engine->err);
    if (replay->parts == NULL || exchange_states_init(&replay->all) != 0)
        return -1;
    for (size_t i = 0; i < engine->threads; i++) {
        if (make_clients(&engine->workers[i]) != 0 || make_part(&engine->workers[i]) != 0)
            return -1;
    }
    return 0;
}

/* Adds the speed and the lateness to the engine's result. */
static void note_lateness(struct replay *replay)
{
    struct engine *const engine = &replay->all.engine;
    struct replay_result *const result = calloc(1, sizeof *result);

    engine->result->replay = result;
    if (result == NULL)
        return;
    result->speed = engine->config.replay.speed;
    replay_pace_end(&replay->pace, result);
}

static void release(struct engine *engine)
{
    struct replay *const replay = (struct replay *)engine;

    if (replay->parts != NULL)
        note_lateness(replay);
    for (size_t i = 0; replay->parts != NULL && i < engine->threads; i++)
        free(replay->parts[i].changes);
    free(replay->parts);
    replay_pace_release(&replay->pace);
    exchange_states_release(&replay->all);
    (void)pthread_mutex_destroy(&replay->all.lock);
}

static enum load_end before(struct engine *engine)
{
    struct worker *const first = &engine->workers[0];

    return mix_has_step(&engine->config.mix, STEP_RELEASE) && exchange_try_released(first) != 0
               ? LOAD_FAILED
               : LOAD_DONE;
}

/* ---- One change */

static size_t kind_of(const struct trace_item *item, const struct client *client)
{
    return item->change == TRACE_RETURN && client->state == CLIENT_DECLINED ? REPLAY_RETURN_DECLINED
                                                                            : item->change;
}

/* Makes a change once.  *again is true if the store gave it up because of another one. */
static enum load_end try_change(struct worker *worker, uint64_t i, bool *again)
{
    struct exchange_state *const state = exchange_state_of(worker);
    const struct mix *const mix = &worker->engine->config.mix;
    const struct trace_item *const item = &trace_of(worker)->items[i];

    state->picked = item->lease / worker->engine->config.threads;
    state->client = state->clients.all[state->picked];
    const size_t place = replay_of(worker)->places[kind_of(item, &state->client)];
    struct phase_result *const counts = &worker->tallies[place].counts;
    worker->tally = &worker->tallies[place];
    state->number = i;
    state->exchange = &mix->kinds[place].exchange;
    worker->what = state->exchange->name;
    client_make_lease(&worker->engine->generator, &state->client, &worker->lease);
    const enum load_end end = exchange_run(state);
    const enum err_class why = end == LOAD_FAILED ? worker->err.kind : ERR_OTHER;
    counts->deadlocks += why == ERR_DEADLOCK;
    counts->conflicts += why == ERR_CONFLICT;
    *again = why == ERR_DEADLOCK || why == ERR_CONFLICT;
    if (end == LOAD_DONE) {
        counts->hits++;
        worker->digest +=
            random_at((uint64_t)mix->kinds[place].digest_number << 32 | exchange_answers(state), i);
    }
    return end;
}

/* Makes a change, again if the store gives it up, because later changes of the lease build on
   it. */
static enum load_end perform(struct worker *worker, uint64_t i)
{
    enum load_end end;
    bool again;

    do {
        worker->err = (struct err){ 0 };
        end = try_change(worker, i, &again);
        if (again && progress_stopped(worker->progress))
            return LOAD_INTERRUPTED;
    } while (again);
    return end;
}

/* ---- The loop */

static void replay_loop(struct worker *worker)
{
    struct part *const part = &replay_of(worker)->parts[worker->index];
    struct replay_pace *const pace = &replay_of(worker)->pace;

    for (size_t t = 0; t < worker->engine->tallies; t++)
        worker->tallies[t].counts.series.next_ns += worker->begun_ns - worker->ended_ns;
    worker->last_ns = worker->begun_ns;
    while (part->next < part->count && !progress_paused(worker->progress)) {
        const uint64_t i = part->changes[part->next];

        if (!replay_pace_wait(pace, worker, &part->second, i))
            break;
        worker->end = perform(worker, i);
        if (worker->end != LOAD_DONE)
            return;
        part->next++;
        worker->done++;
        worker_acknowledge(worker);
        progress_set_done(&worker->progress->workers[worker->index], worker->done);
        if (worker->engine->latency) {
            const uint64_t now_ns = clock_now_ns();

            worker->last_ns = tally_latency(worker->tally, now_ns, now_ns - worker->last_ns);
        }
    }
    if (part->count == 0)
        progress_set_done(&worker->progress->workers[worker->index], 1);
    if (part->next < part->count && progress_stopped(worker->progress))
        worker->end = LOAD_INTERRUPTED;
}

/* ---- In turns: when a worker is at the end of the trace, all begin again */

static enum load_end restore_lease(struct worker *worker, uint64_t k)
{
    struct exchange_state *const state = exchange_state_of(worker);
    const struct generator *const generator = &worker->engine->generator;
    struct client *const client = &state->clients.all[k];
    const struct client first = first_client(trace_of(worker), client->number);
    const bool there = client->state != CLIENT_GONE;
    const bool was = first.state != CLIENT_GONE;
    const enum change change = was ? CHANGE_UPDATE : CHANGE_DELETE;

    client_make_lease(generator, client, &worker->lease);
    client_make_lease(generator, &first, &state->other);
    const bool same = there == was && (!was || lease_equal(&worker->lease, &state->other));
    *client = first;
    if (same)
        return LOAD_DONE;
    return worker_expect(worker, worker->lease.address,
                         worker_change(worker, there ? change : CHANGE_CREATE,
                                       was ? &state->other : &worker->lease,
                                       lease_expire_s(&worker->lease)),
                         OUTCOME_HIT);
}

static enum load_end restore(struct engine *engine)
{
    struct replay *const replay = (struct replay *)engine;
    enum load_end end = LOAD_DONE;
    bool ended = false;

    for (size_t w = 0; w < engine->threads; w++)
        ended = ended ||
                (replay->parts[w].next == replay->parts[w].count && replay->parts[w].count > 0);
    for (size_t w = 0; ended && w < engine->threads && end == LOAD_DONE; w++) {
        struct worker *const worker = &engine->workers[w];

        worker->doing = "restoring";
        replay->parts[w].next = 0;
        end = worker_end(worker,
                         worker_in_groups(worker, "restore",
                                          exchange_state_of(worker)->clients.count, restore_lease));
    }
    return end;
}

/* ---- What is due */

static uint64_t items(const struct worker *worker)
{
    return exchange_state_of(worker)->clients.count;
}

static bool due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct client *const client = &exchange_state_of(worker)->clients.all[i];

    client_make_lease(&worker->engine->generator, client, lease);
    return client->state != CLIENT_GONE;
}

static const struct phase replay_phase = { "replay", perform, false, CHECK_COUNT | CHECK_READ_BACK,
                                           "after the run" };

const struct workload workload_replay = {
    .name = "replay",
    .help = "what happened at a site, by its trace (--trace)",
    .options = (const char *const[]){ "trace", "speed", "span", "threads", "ipv6", "subnets",
                                      "latency", "turns", "reconnect", NULL },
    .length = "trace",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .resolve = replay_resolve,
    .describe = replay_describe,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct replay),
            .phases = &replay_phase,
            .phase_count = 1,
            .digest_sequence = SEQUENCE_REPLAY,
            .together = true,
            .init = init,
            .release = release,
            .before = before,
            .loop = replay_loop,
            .restore = restore,
            .items = items,
            .due = due,
        },
};
