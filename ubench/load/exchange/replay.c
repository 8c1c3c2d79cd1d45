/* SPDX-License-Identifier: ISC */
/*
 * The replay of a trace (lease/trace.h): each of its changes is the exchange that makes it, on the
 * generator's lease of that number, at the trace's pace or as fast as possible.
 *
 * A lease belongs to one worker, which makes its changes in their order, so that it knows what a
 * correct store answers.  With a pace, each change has a time of its own, however late the one
 * before it was; how late it begins is counted apart from how long it takes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/properties.h"
#include "core/units.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/replay_result.h"
#include "load/exchange/steps.h"
#include "load/workloads.h"

enum { SEQUENCE_REPLAY = 0x72706c };

/* The longest replay at a pace: its nanoseconds fit 64 bits. */
#define LONGEST_S 1e9

/* Memory limit, in bytes, of the counts of each second. */
#define MEMORY_MOST 1e9

/* The kinds of exchanges, by enum trace_change, and one more: the row of a declined address has
   no client. */
enum { RETURN_DECLINED = TRACE_CHANGES, KINDS };

#define HIT OUTCOME_HIT

static const struct {
    const char *name;
    const char *like; /* name in exchange_table, by family; NULL: has its own steps */
    const char *like_v6;
    struct step steps[STEPS_MAX];
    struct step steps_v6[STEPS_MAX];
} kinds[KINDS] = {
    [TRACE_NEW] = { .name = "replay-new", .like = "dora", .like_v6 = "sarr" },
    [TRACE_RETURN] = { "replay-return",
                       .steps = { { "discover client-id", STEP_FIND_CLIENT_ID, HIT },
                                  { "request client-id", STEP_FIND_CLIENT_ID, HIT },
                                  { "request address", STEP_FIND_ADDRESS, HIT },
                                  { "extend", STEP_RENEW, HIT } },
                       .steps_v6 = { { "solicit duid", STEP_FIND_DUID, HIT },
                                     { "request duid", STEP_FIND_DUID, HIT },
                                     { "request address", STEP_FIND_ADDRESS, HIT },
                                     { "extend", STEP_RENEW, HIT } } },
    [TRACE_RENEW] = { .name = "replay-renew", .like = "renew", .like_v6 = "renew" },
    [TRACE_RELEASE] = { .name = "replay-release", .like = "release", .like_v6 = "release" },
    [TRACE_DECLINE] = { .name = "replay-decline", .like = "decline", .like_v6 = "decline" },
    [TRACE_EXPIRE] = { "replay-expire", .steps = { { "reclaim", STEP_EXPIRE, HIT } },
                       .steps_v6 = { { "reclaim", STEP_EXPIRE, HIT } } },
    [TRACE_DELETE] = { .name = "replay-delete",
                       .like = "release-delete",
                       .like_v6 = "release-delete" },
    [RETURN_DECLINED] = { "replay-return-declined",
                          .steps = { { "discover address", STEP_FIND_ADDRESS, HIT },
                                     { "request address", STEP_FIND_ADDRESS, HIT },
                                     { "extend", STEP_RENEW, HIT } },
                          .steps_v6 = { { "solicit address", STEP_FIND_ADDRESS, HIT },
                                        { "request address", STEP_FIND_ADDRESS, HIT },
                                        { "extend", STEP_RENEW, HIT } } },
};

/* One worker's part of the trace. */
struct part {
    uint32_t *changes; /* indexes of its changes in the trace, in order */
    uint64_t count;
    uint64_t next; /* changes done */
    /* The range of changes in the same second as the next one. */
    uint64_t first, end;
};

struct replay {
    struct exchanges all;
    struct part *parts;
    /* With a pace: the lateness of the changes of all workers; shared, because each second
       takes memory. */
    pthread_mutex_t lock;
    struct histogram late;
    struct histogram seen;
    struct series series;
    size_t places[KINDS]; /* place in the mix, by kind */
};

static struct replay *replay_of(const struct worker *worker)
{
    return (struct replay *)worker->engine;
}

static const struct trace *trace_of(const struct worker *worker)
{
    return worker->engine->config.replay.trace;
}

/* ---- The configuration */

/* Adds a kind of exchange to the mix. */
static void add_kind(struct load_config *config, size_t kind, uint64_t count)
{
    const bool v6 = config->family == LEASE_FAMILY_V6;
    const char *const like = v6 ? kinds[kind].like_v6 : kinds[kind].like;
    struct exchange exchange = { .party = PARTY_KNOWN, .leases = 1 };

    if (like != NULL)
        exchange = *exchange_find(exchange_table, like, strlen(like), config->family);
    else
        memcpy(exchange.steps, v6 ? kinds[kind].steps_v6 : kinds[kind].steps,
               sizeof kinds[kind].steps);
    exchange.name = kinds[kind].name;
    exchange.families = 1U << config->family;
    mix_add(&config->mix, &exchange, count, config->family);
}

/* Counts the changes that return a declined address.  Returns UINT64_MAX with err if memory is
   short. */
static uint64_t count_declined_returns(const struct trace *trace, struct err *err)
{
    uint8_t *const declined = err_calloc((size_t)trace->leases + 1, 1, err);
    uint64_t count = 0;

    for (uint64_t i = 0; declined != NULL && i < trace->count; i++) {
        const struct trace_item *const item = &trace->items[i];

        count += item->change == TRACE_RETURN && declined[item->lease];
        declined[item->lease] = item->change == TRACE_DECLINE;
    }
    free(declined);
    return declined != NULL ? count : UINT64_MAX;
}

static int set_mix(struct load_config *config, struct err *err)
{
    const struct trace *const trace = config->replay.trace;
    const uint64_t declined = count_declined_returns(trace, err);

    if (declined == UINT64_MAX)
        return -1;
    for (size_t kind = 0; kind < TRACE_CHANGES; kind++) {
        const uint64_t count = trace->counts[kind] - (kind == TRACE_RETURN ? declined : 0);

        if (count > 0)
            add_kind(config, kind, count);
    }
    if (declined > 0)
        add_kind(config, RETURN_DECLINED, declined);
    mix_divide(&config->mix);
    return 0;
}

/* Refuses a pace at which the counts of each second do not fit into memory: those of each kind
   and worker, of each kind in the result, and of lateness.  Call it after set_mix. */
static int check_memory(const struct load_config *config, struct err *err)
{
    const struct replay_config *const replay = &config->replay;
    const double each =
        config->latency ? (double)config->mix.count * ((double)config->threads + 1) : 0;
    const double second = (each + 1) * (double)SERIES_SECOND_SIZE;

    if (replay->speed <= 0 ||
        ((double)replay->trace->seconds + 1) / replay->speed * second <= MEMORY_MOST)
        return 0;
    return err_usage(
        err,
        "--speed: %g times as fast, the seconds of '%s' take more than 1 GB of memory; "
        "use a larger number%s",
        replay->speed, replay->path, config->latency ? " or --latency=off" : "");
}

static int check_trace(const struct load_config *config, struct err *err)
{
    const struct trace *const trace = config->replay.trace;
    const char *const path = config->replay.path;

    if (trace->family != config->family)
        return err_usage(err, "--trace: '%s' has IPv%d leases; %s", path,
                         trace->family == LEASE_FAMILY_V4 ? 4 : 6,
                         trace->family == LEASE_FAMILY_V4 ? "leave --ipv6 out" : "add --ipv6");
    if (trace->count == 0)
        return err_usage(err, "--trace: '%s' has no changes", path);
    if (config->replay.speed > 0 && ((double)trace->seconds + 1) / config->replay.speed > LONGEST_S)
        return err_usage(err,
                         "--speed: %g times as fast, '%s' takes longer than 30 years; use a larger "
                         "number",
                         config->replay.speed, path);
    if (config->threads > trace->leases)
        return err_usage(err, "--threads: %" PRIu64 " exceeds the %" PRIu32 " leases of the trace",
                         config->threads, trace->leases);
    return 0;
}

/* Leaves out the changes after the span of --span. */
static int cut_trace(const struct replay_config *replay, struct err *err)
{
    const uint64_t seconds = replay->span_ns / NS_PER_S;

    if (seconds == 0)
        return 0;
    trace_cut(replay->trace, seconds);
    return replay->trace->count > 0
               ? 0
               : err_usage(err, "--span: '%s' has no changes so early; use a longer time",
                           replay->path);
}

static int resolve(struct load_config *config, const char *name, struct err *err)
{
    struct replay_config *const replay = &config->replay;

    if (replay->path == NULL)
        return err_usage(err,
                         "--trace is missing: --workload=%s needs a file that ubench_report trace "
                         "made",
                         name);
    replay->trace = err_calloc(1, sizeof *replay->trace, err);
    if (replay->trace == NULL || trace_read(replay->path, replay->trace, err) != 0 ||
        check_trace(config, err) != 0 || cut_trace(replay, err) != 0 || set_mix(config, err) != 0 ||
        check_memory(config, err) != 0)
        return -1;
    config->count = replay->trace->count;
    config->preload = replay->trace->active;
    return 0;
}

void replay_config_release(struct replay_config *replay)
{
    if (replay->trace != NULL)
        trace_release(replay->trace);
    free(replay->trace);
    replay->trace = NULL;
}

static void describe(const struct load_config *config, const char *name, char *text, size_t size)
{
    const struct trace *const trace = config->replay.trace;

    (void)name;
    (void)snprintf(text, size, "%s changes of a trace of %s", units_count(UNITS_TEXT, trace->count),
                   units_count(UNITS_TEXT, trace->leases));
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

static void find_places(struct replay *replay)
{
    const struct mix *const mix = &replay->all.engine.config.mix;

    for (size_t place = 0; place < mix->count; place++) {
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (strcmp(mix->kinds[place].exchange.name, kinds[kind].name) == 0)
                replay->places[kind] = place;
        }
    }
}

static int init(struct engine *engine)
{
    struct replay *const replay = (struct replay *)engine;
    const struct trace *const trace = engine->config.replay.trace;
    uint64_t *const digest = &engine->workers[0].digest;

    (void)pthread_mutex_init(&replay->all.lock, NULL);
    (void)pthread_mutex_init(&replay->lock, NULL);
    histogram_init(&replay->late);
    histogram_init(&replay->seen);
    replay->all.candidates = free_candidate;
    mix_leave_out(&engine->config.mix, STEP_FIND_RESERVATION);
    find_places(replay);
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

/* Moves the lateness to the result. */
static void note_lateness(struct replay *replay)
{
    struct engine *const engine = &replay->all.engine;
    struct replay_result *const result = calloc(1, sizeof *result);

    engine->result->replay = result;
    if (result == NULL)
        return;
    result->speed = engine->config.replay.speed;
    if (replay->series.next_ns != 0)
        series_end(&replay->series, &replay->late);
    result->late = replay->late;
    result->series = replay->series;
    replay->series = (struct series){ 0 };
}

static void release(struct engine *engine)
{
    struct replay *const replay = (struct replay *)engine;

    if (replay->parts != NULL)
        note_lateness(replay);
    for (size_t i = 0; replay->parts != NULL && i < engine->threads; i++)
        free(replay->parts[i].changes);
    free(replay->parts);
    series_release(&replay->series);
    (void)pthread_mutex_destroy(&replay->lock);
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
    return item->change == TRACE_RETURN && client->state == CLIENT_DECLINED ? RETURN_DECLINED
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

/* Returns the time of change i since the start; the changes of a second are spread over it. */
static uint64_t due_ns(const struct worker *worker, struct part *part, uint64_t i)
{
    const struct trace *const trace = trace_of(worker);
    const uint32_t second = trace->items[i].second;

    if (i < part->first || i >= part->end) {
        part->first = part->end = i;
        while (part->first > 0 && trace->items[part->first - 1].second == second)
            part->first--;
        while (part->end < trace->count && trace->items[part->end].second == second)
            part->end++;
    }
    const double within = (double)(i - part->first) / (double)(part->end - part->first);
    return (uint64_t)(((double)second + within) * (double)NS_PER_S /
                      worker->engine->config.replay.speed);
}

/* Records how late a change begins. */
static void note_late(const struct worker *worker, uint64_t due, uint64_t now_ns)
{
    struct replay *const replay = replay_of(worker);

    (void)pthread_mutex_lock(&replay->lock);
    if (replay->series.next_ns == 0)
        series_begin(&replay->series, &replay->seen, worker->begun_ns);
    if (series_is_due(&replay->series, now_ns))
        series_tick(&replay->series, &replay->late, now_ns);
    histogram_record(&replay->late, now_ns > due ? now_ns - due : 0);
    (void)pthread_mutex_unlock(&replay->lock);
}

/* Waits until a change is due.  Returns false if the run was asked to stop. */
static bool await_change(struct worker *worker, struct part *part, uint64_t i)
{
    if (worker->engine->config.replay.speed <= 0)
        return true;
    const uint64_t due = worker->begun_ns + due_ns(worker, part, i);
    if (!progress_sleep_until(worker->progress, due))
        return false;
    note_late(worker, due, clock_now_ns());
    worker->last_ns = clock_now_ns();
    return true;
}

static void replay_loop(struct worker *worker)
{
    struct part *const part = &replay_of(worker)->parts[worker->index];

    for (size_t t = 0; t < worker->engine->tallies; t++)
        worker->tallies[t].counts.series.next_ns += worker->begun_ns - worker->ended_ns;
    worker->last_ns = worker->begun_ns;
    while (part->next < part->count && !progress_paused(worker->progress)) {
        const uint64_t i = part->changes[part->next];

        if (!await_change(worker, part, i))
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
    .resolve = resolve,
    .describe = describe,
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
