/* SPDX-License-Identifier: ISC */
#include "load/phases.h"

#include <inttypes.h>
#include <string.h>

#include "core/clock.h"
#include "load/turns.h"

/* Each phase's draws and digests come from a sequence of its own. */
enum sequence { SEQUENCE_SEARCH = 1, SEQUENCE_UPDATE, SEQUENCE_DIGEST };

/* What an operation is in the digest. */
enum kind { KIND_CREATE, KIND_SEARCH, KIND_UPDATE, KIND_DELETE };

struct phase_worker;

struct phase {
    const char *name;
    enum load_end (*operation)(struct phase_worker *worker, uint64_t i);
    bool changes;     /* leases: what --batch groups */
    unsigned checks;  /* what follows it, untimed */
    const char *when; /* the checks' */
};

/* What a kind of load has of its own: the leases that each worker answers for,
   and the phases. */
struct phase_load {
    struct engine_kind kind;
    const struct phase *phases;
    size_t count;
};

/* One run of phases. */
struct phases {
    struct engine engine;
    struct permutation updates; /* which lease the i-th update renews */
    uint64_t existing;          /* leases after create: preload and new ones */
    uint64_t there;             /* leases by now, from number 0 on */
    uint64_t updated;           /* how many updates were done, by all */
    uint64_t hit_threshold;     /* of 2^32 */
    uint64_t search_key;
};

/* One thread's share of a phase: every threads-th operation, as clients that
   come at the same time get neighbouring addresses. */
struct phase_worker {
    struct worker base;
    struct ledger_client ledger; /* zeroed: there is none */
    struct tally tally;
    struct lease lease; /* as it should be */
    struct lease found; /* as the store has it */
    /* Of the loop, at hand: */
    struct progress *progress;
    const struct phase *phase;
    uint64_t stride;   /* from one operation to the next: the workers of all */
    uint64_t batch;    /* operations per transaction; 1: no transactions */
    bool latency;      /* record it */
    uint64_t share;    /* operations of this worker */
    uint64_t grouped;  /* done, and not yet committed */
    uint64_t last_ns;  /* where the operation before ended */
    uint64_t begin_ns; /* what beginning this transaction took */
    double gap_ns;     /* between the operations of all workers; 0: none */
};

static const struct phases *phases_of(const struct phase_worker *worker)
{
    return (const struct phases *)worker->base.engine;
}

/* Notes that all that was submitted is acknowledged.  For the timed path. */
static void acknowledge(struct phase_worker *worker)
{
    if (worker->ledger.ledger != NULL)
        ledger_acknowledge(&worker->ledger);
    worker->base.handle.caught_up = false;
    handle_acknowledge(&worker->base.handle);
}

/* True if lease number was updated by now. */
static bool is_updated(const struct phases *phases, uint64_t number)
{
    /* With a preload only some of the leases are updated. */
    return phases->updated == phases->existing ||
           (phases->updated > 0 &&
            permutation_find(&phases->updates, number) < phases->updated);
}

/* The i-th operation of a phase, each on one lease, and the check of its
   answer. Unless the end is LOAD_DONE, the handle's err says why; it is empty
   if the end is LOAD_INTERRUPTED: the run was asked to stop while it waited for
   the store to come back. */

static void note_attempt(struct phase_worker *worker, uint64_t number,
                         enum change change)
{
    if (worker->ledger.ledger != NULL)
        ledger_attempt(&worker->ledger, number, change);
}

/* Adds one operation to the digest, with what stands for its client. */
static void digest_add(struct phase_worker *worker, enum kind kind,
                       enum outcome outcome, struct lease_address address,
                       const uint64_t client[2])
{
    const uint64_t what =
        (address.low << 8 | (uint64_t)kind << 4 | (uint64_t)outcome) ^
        address.high;

    worker->base.digest +=
        random_at(client[0] ^ (client[1] << 7 | client[1] >> 57), what);
}

/* Creates a lease, brings it from one version to another, or deletes it;
   inline, so that nothing is decided in the timed path. */
static inline __attribute__((always_inline)) enum load_end
change(struct phase_worker *worker, enum change change, uint64_t number,
       uint32_t from, uint32_t to)
{
    static const struct {
        const char *step;
        enum kind kind;
    } changes[] = { [CHANGE_CREATE] = { "creating", KIND_CREATE },
                    [CHANGE_UPDATE] = { "updating", KIND_UPDATE },
                    [CHANGE_DELETE] = { "deleting", KIND_DELETE } };
    const struct generator *const generator = &worker->base.engine->generator;
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;
    const int64_t expire_s = change == CHANGE_CREATE
                                 ? 0
                                 : generator_expire_s(generator, number, from);
    uint64_t client[2] = { 0, 0 };

    handle->step = changes[change].step;
    if (change == CHANGE_DELETE)
        lease->address = generator_address(generator, number);
    else
        generator_make(generator, number, to, lease);
    note_attempt(worker, number, change);
    const enum outcome outcome = handle_change(handle, change, lease, expire_s);
    if (outcome != OUTCOME_HIT)
        return handle_expect_hit(handle, lease->address, outcome);
    if (change != CHANGE_DELETE)
        memcpy(client, lease->hwaddr, sizeof client);
    worker->tally.counts.hits++;
    digest_add(worker, changes[change].kind, outcome, lease->address, client);
    return LOAD_DONE;
}

static enum load_end run_create(struct phase_worker *worker, uint64_t i)
{
    return change(worker, CHANGE_CREATE,
                  worker->base.engine->config.preload + i, 0, 0);
}

/* Looks for a lease by its number, whether or not it is there. */
static enum outcome search(struct phase_worker *worker, uint64_t number)
{
    const struct engine *const engine = worker->base.engine;
    struct lease *const lease = &worker->lease;

    if (engine->config.search_by == LOOKUP_ADDRESS) {
        lease->address = generator_address(&engine->generator, number);
        lease->type = (uint8_t)engine->generator.type;
    } else {
        generator_make(&engine->generator, number, 0, lease);
    }
    return handle_find(&worker->base.handle, engine->config.search_by, lease,
                       &worker->found);
}

static enum load_end run_search(struct phase_worker *worker, uint64_t i)
{
    const struct phases *const phases = phases_of(worker);
    const struct generator *const generator = &phases->engine.generator;
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;
    const uint64_t draw = random_at(phases->search_key, i);
    const enum outcome expected =
        (draw >> 32) < phases->hit_threshold ? OUTCOME_HIT : OUTCOME_MISS;
    /* The leases above those that exist belong to no client: misses. */
    const uint64_t number = random_below((uint32_t)draw, phases->existing) +
                            (expected == OUTCOME_HIT ? 0 : phases->existing);

    handle->step = "searching";
    const enum outcome outcome = search(worker, number);
    if (outcome != expected &&
        (outcome == OUTCOME_ERROR || handle->backend->keeps_leases))
        return handle_wrong_outcome(handle, lease->address, outcome, expected);
    if (expected == OUTCOME_MISS) {
        worker->tally.counts.misses++;
    } else if (!generator_matches(generator, number, 0, &worker->found) &&
               handle->backend->keeps_leases) {
        generator_make(generator, number, 0, lease);
        return handle_wrong_lease(handle, lease, &worker->found);
    } else {
        worker->tally.counts.hits++;
    }
    digest_add(worker, KIND_SEARCH, expected, lease->address,
               (const uint64_t[]){ phases->engine.config.search_by, 0 });
    return LOAD_DONE;
}

static enum load_end run_update(struct phase_worker *worker, uint64_t i)
{
    return change(worker, CHANGE_UPDATE,
                  permutation_at(&phases_of(worker)->updates, i), 0, 1);
}

/* Each of a thread's own leases in turn, again and again: renewed, and then as
   it was.  The leases of this thread are number, number + threads and so on. */
static enum load_end run_steady_update(struct phase_worker *worker, uint64_t i)
{
    const uint64_t threads = worker->stride;
    const uint64_t own = phases_of(worker)->updates.count;
    const uint64_t k = i / threads;
    const uint64_t chosen =
        permutation_at(&phases_of(worker)->updates, k % own);
    const uint32_t before = k / own % 2;

    return change(worker, CHANGE_UPDATE, chosen * threads + worker->base.number,
                  before, 1 - before);
}

static enum load_end run_delete(struct phase_worker *worker, uint64_t i)
{
    const struct phases *const phases = phases_of(worker);
    const uint64_t number = phases->engine.config.preload + i;

    return change(worker, CHANGE_DELETE, number, is_updated(phases, number), 0);
}

/* Of churn: the first of a thread's own leases that is updated, counted from
   0. */
static uint64_t first_updated(const struct load_config *config)
{
    return config->preload / config->threads / 2;
}

/* Of three operations one creates a lease, the next updates the one that was
   created half a preload ago and the third deletes the oldest.  The leases of
   this thread are number, number + threads, number + 2 * threads and so on. */
static enum load_end run_churn(struct phase_worker *worker, uint64_t i)
{
    const struct load_config *const config = &worker->base.engine->config;
    const uint64_t threads = config->threads;
    const uint64_t k = i / threads;
    const uint64_t oldest = k / 3 * threads + i % threads;
    /* Of this thread's leases: no other has deleted it. */
    const uint64_t half = first_updated(config) * threads;

    switch (k % 3) {
    case 0:
        return change(worker, CHANGE_CREATE, oldest + config->preload, 0, 0);
    case 1:
        return change(worker, CHANGE_UPDATE, oldest + half, 0, 1);
    default:
        /* Those that were there from the beginning were not all updated. */
        return change(worker, CHANGE_DELETE, oldest, oldest >= half, 0);
    }
}

/* The loop of one worker */

/* Ends an operation: its end is the next one's beginning. */
static void note_operation(struct phase_worker *worker)
{
    const uint64_t now_ns = clock_now_ns();

    worker->last_ns =
        tally_latency(&worker->tally, now_ns, now_ns - worker->last_ns);
}

/* What passed since the end of what came before. */
static uint64_t lap_ns(struct phase_worker *worker)
{
    const uint64_t now_ns = clock_now_ns();
    const uint64_t passed_ns = now_ns - worker->last_ns;

    worker->last_ns = now_ns;
    return passed_ns;
}

static bool begin_group(struct phase_worker *worker)
{
    struct handle *const handle = &worker->base.handle;

    if (handle->backend->begin(handle->session, &handle->err) != 0) {
        worker->base.end = LOAD_FAILED;
        return false;
    }
    if (worker->latency)
        worker->begin_ns = lap_ns(worker);
    return true;
}

static bool commit_group(struct phase_worker *worker)
{
    struct handle *const handle = &worker->base.handle;

    if (handle->backend->commit(handle->session, &handle->err) != 0) {
        worker->base.end = LOAD_FAILED;
        return false;
    }
    if (worker->latency)
        histogram_record(&worker->tally.counts.commits,
                         worker->begin_ns + lap_ns(worker));
    acknowledge(worker);
    worker->tally.counts.done += worker->grouped;
    worker->grouped = 0;
    return true;
}

/* The next operation of this worker. */
static bool run_one(struct phase_worker *worker)
{
    const uint64_t k = worker->tally.counts.done + worker->grouped;

    worker->base.end = worker->phase->operation(worker, worker->base.number +
                                                            k * worker->stride);
    if (worker->base.end != LOAD_DONE)
        return false;
    if (worker->batch > 1) {
        worker->grouped++;
    } else {
        worker->tally.counts.done++;
        acknowledge(worker);
    }
    progress_set_done(&worker->progress->workers[worker->base.handle.worker],
                      k + 1);
    if (worker->latency)
        note_operation(worker);
    return true;
}

static bool run_group(struct phase_worker *worker)
{
    if (!begin_group(worker))
        return false;
    do {
        if (!run_one(worker))
            return false;
    } while (worker->tally.counts.done + worker->grouped < worker->share &&
             worker->grouped < worker->batch &&
             !progress_paused(worker->progress));
    return commit_group(worker);
}

/* What a worker has done so far. */
struct mark {
    uint64_t digest;
    uint64_t hits;
};

/* After an operation, or a transaction, that did not come to its end: true if
   the client asks again, from the mark on. */
static bool ask_again(struct phase_worker *worker, const struct mark *mark)
{
    struct handle *const handle = &worker->base.handle;

    if (!handle_had_conflict(handle, worker->base.end) &&
        !handle_was_stale(handle, &worker->base.end))
        return false;
    worker->base.end = LOAD_DONE;
    worker->base.digest = mark->digest;
    worker->grouped = 0;
    worker->tally.counts.hits = mark->hits;
    handle->err = (struct err){ 0 };
    ledger_give_up(&worker->ledger);
    worker->last_ns = clock_now_ns(); /* it belongs to no operation */
    return true;
}

/* Until the next operation is due, if there is a pace: those of all workers
   come evenly, one after another, and a late one does not wait.  False if the
   run was asked to stop, or the turn is over. */
static bool await_pace(struct phase_worker *worker)
{
    if (progress_paused(worker->progress))
        return false;
    if (worker->gap_ns <= 0)
        return true;
    const double due_ns = (double)(worker->base.number +
                                   worker->tally.counts.done * worker->stride) *
                          worker->gap_ns;
    const bool go_on = progress_sleep_until(
        worker->progress, worker->base.begun_ns + (uint64_t)due_ns);

    worker->last_ns = clock_now_ns();
    return go_on;
}

/* In turns it goes on where it was. */
static void run_share(struct worker *base)
{
    struct phase_worker *const worker = (struct phase_worker *)base;

    worker->last_ns = base->begun_ns;
    tally_resume(&worker->tally, base);
    while (worker->tally.counts.done < worker->share && await_pace(worker)) {
        const struct mark mark = { base->digest, worker->tally.counts.hits };

        if (!(worker->batch > 1 ? run_group(worker) : run_one(worker)) &&
            !ask_again(worker, &mark))
            return;
    }
    if (worker->tally.counts.done < worker->share &&
        progress_stopped(worker->progress))
        base->end = LOAD_INTERRUPTED;
}

/* A phase */

/* Sets what the operations need to know; the engine was made.  A steady load is
   of the preload alone. */
static void prepare(struct phases *all, bool steady)
{
    const struct load_config *const config = &all->engine.config;

    all->existing = config->preload + (steady ? 0 : config->count);
    all->there = all->existing;
    all->hit_threshold = (uint64_t)(config->hit_ratio * 4294967296.0);
    all->search_key = random_at(config->seed, SEQUENCE_SEARCH);
    permutation_init(&all->updates,
                     steady ? all->existing / config->threads : all->existing,
                     random_at(config->seed, SEQUENCE_UPDATE));
}

static struct phase_worker *phase_worker(const struct phases *all, size_t i)
{
    return (struct phase_worker *)engine_worker(&all->engine, i);
}

static void begin_worker(struct phase_worker *worker, const struct phase *phase)
{
    const struct load_config *const config = &worker->base.engine->config;

    worker->progress = worker->base.engine->context.progress;
    worker->phase = phase;
    worker->stride = config->threads;
    worker->batch = phase->changes ? config->batch : 1;
    worker->latency = config->latency;
    worker->share = load_share(config, worker->base.number, config->count);
    if (config->in_turns) /* as many as there can be */
        worker->share =
            phase->operation == run_churn
                ? (GENERATOR_LEASES_MAX - config->preload) / config->threads * 3
                : UINT64_MAX;
    worker->gap_ns =
        config->pace_per_s > 0 ? (double)NS_PER_S / config->pace_per_s : 0;
    worker->grouped = 0;
    worker->base.handle.conflicts = 0;
    worker->base.handle.stale = 0;
    worker->base.ended_ns = clock_now_ns();
    tally_begin(&worker->tally, NULL, worker->base.ended_ns);
}

static void count_worker(const struct worker *worker, struct phase_result *sum)
{
    tally_add(&((const struct phase_worker *)worker)->tally, sum);
}

/* Adds what one worker did to the phase. */
static void collect_worker(struct phase_worker *worker,
                           struct phase_result *result)
{
    struct phase_result *const counts = &worker->tally.counts;

    /* What was not committed was not done; every change was a hit. */
    counts->hits -= worker->grouped;
    counts->commits_due = worker->phase->changes ? counts->done : 0;
    counts->conflicts = worker->base.handle.conflicts;
    counts->stale = worker->base.handle.stale;
    tally_end(&worker->tally, result);
}

static enum load_end run_phase(struct phases *all, const struct phase *phase,
                               struct phase_result *result,
                               struct load_result *whole, struct err *err)
{
    static const struct turns_kind turns = { run_share, count_worker, NULL };
    struct engine *const engine = &all->engine;
    struct stretch stretch = { .begun_ns = 0 };

    for (size_t i = 0; i < engine->threads; i++)
        begin_worker(phase_worker(all, i), phase);
    if (!barrier_wait(engine->context.barrier, 0, NULL))
        return LOAD_INTERRUPTED;
    const enum load_end end =
        engine->config.in_turns
            ? turns_run(engine, &turns, &stretch, &whole->turns, err)
            : engine_run(engine, phase->name, result->planned, run_share,
                         &stretch, err);
    if (stretch.begun_ns == 0) /* nobody began */
        return end;
    stretch_note(&stretch, result);
    for (size_t i = 0; i < engine->threads; i++)
        collect_worker(phase_worker(all, i), result);
    if (engine->config.in_turns)
        result->planned = result->done;
    if (phase->operation == run_update)
        all->updated = engine->config.count;
    if (phase->operation == run_delete)
        all->there = engine->config.preload;
    return end == LOAD_DONE && phase->checks != 0
               ? engine_check(engine, phase->checks, phase->when, whole, err)
               : end;
}

/* What there ought to be */

static uint64_t phases_items(const struct worker *worker)
{
    const struct phases *const all = (const struct phases *)worker->engine;

    return load_share(&worker->engine->config, worker->number, all->existing);
}

/* Lease number, in that version, if it is there. */
static bool make_due(const struct engine *engine, uint64_t number,
                     uint32_t version, struct lease *lease)
{
    if (lease != NULL)
        generator_make(&engine->generator, number, version, lease);
    return true;
}

static bool phases_due(const struct worker *worker, uint64_t i,
                       struct lease *lease)
{
    const struct phases *const all = (const struct phases *)worker->engine;
    const uint64_t number = worker->number + i * all->engine.config.threads;

    return make_due(&all->engine, number,
                    lease != NULL && is_updated(all, number), lease) &&
           number < all->there;
}

/* How many operations a worker has done by now. */
static uint64_t done_by(const struct worker *worker)
{
    return ((const struct phase_worker *)worker)->tally.counts.done;
}

/* How many of a worker's operations of churn are the first, the second or the
   third of three. */
static uint64_t churn_share(const struct worker *worker, uint64_t which)
{
    return (done_by(worker) + 2 - which) / 3;
}

static uint64_t churn_items(const struct worker *worker)
{
    const struct load_config *const config = &worker->engine->config;

    return config->preload / config->threads + churn_share(worker, 0);
}

/* Each worker has created leases at the end and deleted the first ones. */
static bool churn_due(const struct worker *worker, uint64_t i,
                      struct lease *lease)
{
    const struct load_config *const config = &worker->engine->config;
    const uint64_t first = first_updated(config);
    const bool updated = i >= first && i - first < churn_share(worker, 1);

    return make_due(worker->engine, worker->number + i * config->threads,
                    updated, lease) &&
           i >= churn_share(worker, 2);
}

/* Of updates alone: each lease of the preload, changed so many times. */
static bool update_due(const struct worker *worker, uint64_t i,
                       struct lease *lease)
{
    const struct phases *const all = (const struct phases *)worker->engine;
    const uint64_t own = all->updates.count;
    const uint64_t done = done_by(worker);
    const uint64_t times =
        done / own + (permutation_find(&all->updates, i) < done % own);

    return make_due(worker->engine,
                    worker->number + i * worker->engine->config.threads,
                    times % 2, lease);
}

/* The loads */

/* Creates lease i of the preload. */
static enum load_end preload_one(void *argument, uint64_t i)
{
    struct phase_worker *const worker = argument;
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;

    if (i % HANDLE_GROUP == 0) /* the group before was committed */
        acknowledge(worker);
    handle->step = "preloading";
    generator_make(&worker->base.engine->generator, i, 0, lease);
    note_attempt(worker, i, CHANGE_CREATE);
    return handle_expect_hit(handle, lease->address,
                             handle_submit(handle, CHANGE_CREATE, lease, 0));
}

static enum load_end fill(struct engine *engine)
{
    struct phase_worker *const worker =
        (struct phase_worker *)engine_worker(engine, 0);
    const enum load_end end = handle_in_groups(
        &worker->base.handle, engine->context.progress, "preload",
        engine->config.preload, preload_one, worker);
    if (end == LOAD_DONE)
        acknowledge(worker);
    return end;
}

/* Gives each worker its way into the ledger, if there is one. */
static int open_ledger(struct phases *all, struct err *err)
{
    const struct engine *const engine = &all->engine;
    const size_t group = engine->config.batch > HANDLE_GROUP
                             ? engine->config.batch
                             : HANDLE_GROUP;
    int status = 0;

    for (size_t i = 0;
         engine->context.ledger != NULL && i < engine->threads && status == 0;
         i++)
        status =
            ledger_client_init(&phase_worker(all, i)->ledger,
                               engine->context.ledger, (uint16_t)i, group, err);
    return status;
}

static enum load_end run_phases(struct phases *all, const struct phase *phases,
                                struct load_result *result, struct err *err)
{
    struct engine *const engine = &all->engine;
    const struct load_context *const context = &engine->context;
    const uint64_t preload =
        engine->config.part == 0 ? engine->config.preload : 0;
    const size_t count = result->phase_count;

    progress_expect(context->progress, (unsigned)count + (preload > 0),
                    preload + count * result->phases[0].planned);
    enum load_end end = engine_prepare(engine, fill, err);
    if (context->ledger != NULL && end == LOAD_DONE)
        atomic_store(&context->ledger->header->begun_ns, clock_now_ns());
    for (size_t i = 0; i < count && end == LOAD_DONE; i++)
        end = run_phase(all, &phases[i], &result->phases[i], result, err);
    for (size_t i = 0; i < engine->threads; i++)
        result->digest += engine_worker(engine, i)->digest;
    return end;
}

static enum load_end run_load(const struct workload *workload,
                              const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    const struct phase_load *const load = workload->phases;
    struct phases all = { .updated = 0 };
    enum load_end end = LOAD_FAILED;

    *result = (struct load_result){
        .verified = context->backend->keeps_leases,
        .digest =
            config->part == 0 ? load_digest_base(config, SEQUENCE_DIGEST) : 0,
    };
    if (load_result_init(result, load->count, err) != 0)
        return LOAD_FAILED;
    for (size_t i = 0; i < load->count; i++) {
        result->phases[i].name = load->phases[i].name;
        result->phases[i].planned = load_part_share(config, config->count);
    }
    if (engine_init(&all.engine, &load->kind, config, context, err) == 0) {
        prepare(&all, workload->kind != WORKLOAD_PHASES);
        if (open_ledger(&all, err) == 0)
            end = run_phases(&all, load->phases, result, err);
        for (size_t i = 0; i < all.engine.threads; i++)
            ledger_client_release(&phase_worker(&all, i)->ledger);
    }
    engine_release(&all.engine);
    load_note_reconnect(context, result);
    return end;
}

/* Transactions that hold the counters of several subnets, each in an order of
   its own, would wait for each other in a circle. */
static int resolve_phases(struct load_config *config, const char *name,
                          struct err *err)
{
    (void)name;
    if (!config->counted || config->batch == 1 || config->threads == 1 ||
        config->subnets == 1)
        return 0;
    return err_set_class(err, ERR_USAGE,
                         "--batch: %" PRIu64 " does not go with --schema="
                         "kea+stats, several threads and several subnets: "
                         "transactions would lock each other's counters",
                         config->batch);
}

/* Loads that find their leases in the preload, of which each thread has its
   own. */
static int resolve_steady(struct load_config *config, const char *name,
                          struct err *err)
{
    enum { LEASES = 10000 }; /* unless the user says */

    if (config->in_turns && config->count > 0)
        return err_set_class(err, ERR_USAGE,
                             "--count: means nothing for --workload=%s with "
                             "--turns, which end by themselves",
                             name);
    if (config->preload == 0)
        config->preload =
            (LEASES + config->threads - 1) / config->threads * config->threads;
    if (config->preload < 2 * config->threads ||
        config->preload % config->threads != 0)
        return err_set_class(err, ERR_USAGE,
                             "--workload: %s needs a --preload that is a "
                             "multiple of --threads, %" PRIu64
                             " at least, and not %" PRIu64,
                             name, 2 * config->threads, config->preload);
    return resolve_phases(config, name, err);
}

static uint64_t phases_leases(const struct load_config *config)
{
    return config->preload + config->count;
}

/* A thread that has less to do leaves numbers out. */
static uint64_t churn_leases(const struct load_config *config)
{
    return config->preload + config->count / 3 + 2 * config->threads;
}

static const struct phase guide[PHASE_COUNT] = {
    [PHASE_CREATE] = { "create", run_create, true, CHECK_COUNT,
                       "after create" },
    [PHASE_SEARCH] = { "search", run_search, false, 0, NULL },
    [PHASE_UPDATE] = { "update", run_update, true, CHECK_READ_BACK,
                       "after update" },
    [PHASE_DELETE] = { "delete", run_delete, true, CHECK_COUNT,
                       "after delete" },
};

static const struct phase churn = { "churn", run_churn, true,
                                    CHECK_COUNT | CHECK_READ_BACK,
                                    "after churn" };

static const struct phase steady_search = { "search", run_search, false,
                                            CHECK_COUNT, "after search" };

static const struct phase steady_update = { "update", run_steady_update, true,
                                            CHECK_COUNT | CHECK_READ_BACK,
                                            "after update" };

const struct workload workload_phases = {
    .name = "phases",
    .help = "create, search, update, delete, COUNT times each",
    .kind = WORKLOAD_PHASES,
    .phases = &(const struct phase_load){ { sizeof(struct phase_worker),
                                            phases_items, phases_due },
                                          guide,
                                          PHASE_COUNT },
    .resolve = resolve_phases,
    .leases = phases_leases,
    .run = run_load,
};

const struct workload workload_churn = {
    .name = "churn",
    .help = "the three that change leases, in turn",
    .kind = WORKLOAD_CHURN,
    .phases = &(const struct phase_load){ { sizeof(struct phase_worker),
                                            churn_items, churn_due },
                                          &churn,
                                          1 },
    .cut_short = true,
    .resolve = resolve_steady,
    .leases = churn_leases,
    .run = run_load,
};

const struct workload workload_search = {
    .name = "search",
    .help = "searches alone, among the leases of --preload",
    .kind = WORKLOAD_SEARCH,
    .phases = &(const struct phase_load){ { sizeof(struct phase_worker),
                                            phases_items, phases_due },
                                          &steady_search,
                                          1 },
    .resolve = resolve_steady,
    .run = run_load,
};

const struct workload workload_update = {
    .name = "update",
    .help = "updates alone, of the leases of --preload",
    .kind = WORKLOAD_UPDATE,
    .phases = &(const struct phase_load){ { sizeof(struct phase_worker),
                                            phases_items, update_due },
                                          &steady_update,
                                          1 },
    .resolve = resolve_steady,
    .run = run_load,
};
