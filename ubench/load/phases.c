/* SPDX-License-Identifier: ISC */
/*
 * The load of the 2012 DHCP Performance Guide: create n leases, search n
 * times, update n, delete n, with a timestamp before, between and after.
 *
 * Every answer is compared with that of a correct store, searches byte by byte;
 * the leases are counted after create and after delete, and read back after
 * update.  Groups of changes go without reconnect.
 *
 * Churn is a load for a crash to cut short: it mixes all changes in one phase.
 * Its preload is a multiple of the threads, twice as many at least.  Searches
 * alone and updates alone work on such a preload, too, and leave it as large as
 * it is: in turns, they can go on for ever.
 */
#include <inttypes.h>
#include <string.h>

#include "load/engine.h"
#include "load/workloads.h"

/* Each phase's draws and digests come from a sequence of its own. */
enum sequence { SEQUENCE_SEARCH = 1, SEQUENCE_UPDATE, SEQUENCE_DIGEST };

/* One run of phases. */
struct phases {
    struct engine engine;
    struct permutation updates; /* which lease the i-th update renews */
    uint64_t existing;          /* leases after create: preload and new ones */
    uint64_t hit_threshold;     /* of 2^32 */
    uint64_t search_key;
};

static const struct phases *phases_of(const struct worker *worker)
{
    return (const struct phases *)worker->engine;
}

/* The operations: each on one lease, and the check of its answer. */

/* Adds one operation to the digest, with what stands for its client. */
static void digest_add(struct worker *worker, enum phase_name phase, enum outcome outcome,
                       struct lease_address address, const uint64_t client[2])
{
    const uint64_t what =
        (address.low << 8 | (uint64_t)phase << 4 | (uint64_t)outcome) ^ address.high;

    worker->digest += random_at(client[0] ^ (client[1] << 7 | client[1] >> 57), what);
}

/* Creates a lease, brings it from one version to another, or deletes it;
   inline, so that nothing is decided in the timed path. */
static inline __attribute__((always_inline)) enum load_end
change(struct worker *worker, enum change change, uint64_t number, uint32_t from, uint32_t to)
{
    static const struct {
        const char *step;
        enum phase_name phase;
    } changes[] = { [CHANGE_CREATE] = { "creating", PHASE_CREATE },
                    [CHANGE_UPDATE] = { "updating", PHASE_UPDATE },
                    [CHANGE_DELETE] = { "deleting", PHASE_DELETE } };
    const struct generator *const generator = &worker->engine->generator;
    struct lease *const lease = &worker->lease;
    const int64_t expire_s =
        change == CHANGE_CREATE ? 0 : generator_expire_s(generator, number, from);
    uint64_t client[2] = { 0, 0 };

    worker->doing = changes[change].step;
    if (change == CHANGE_DELETE)
        lease->address = generator_address(generator, number);
    else
        generator_make(generator, number, to, lease);
    ledger_attempt(&worker->ledger, number, change);
    const enum load_end end = worker_expect(
        worker, lease->address, worker_change(worker, change, lease, expire_s), OUTCOME_HIT);
    if (end != LOAD_DONE)
        return end;
    if (change != CHANGE_DELETE)
        memcpy(client, lease->hwaddr, sizeof client);
    worker->tally->counts.hits++;
    digest_add(worker, changes[change].phase, OUTCOME_HIT, lease->address, client);
    return LOAD_DONE;
}

static enum load_end run_create(struct worker *worker, uint64_t i)
{
    return change(worker, CHANGE_CREATE, worker->engine->config.preload + i, 0, 0);
}

static enum load_end run_search(struct worker *worker, uint64_t i)
{
    const struct phases *const phases = phases_of(worker);
    const struct generator *const generator = &phases->engine.generator;
    const enum lookup by = phases->engine.config.search_by;
    struct lease *const lease = &worker->lease;
    const uint64_t draw = random_at(phases->search_key, i);
    const enum outcome expected = (draw >> 32) < phases->hit_threshold ? OUTCOME_HIT : OUTCOME_MISS;
    /* The leases above those that exist belong to no client: misses. */
    const uint64_t number = random_below((uint32_t)draw, phases->existing) +
                            (expected == OUTCOME_HIT ? 0 : phases->existing);

    worker->doing = "searching";
    if (by == LOOKUP_ADDRESS) {
        lease->address = generator_address(generator, number);
        lease->type = (uint8_t)generator->type;
    } else {
        generator_make(generator, number, 0, lease);
    }
    const enum load_end end =
        worker_expect(worker, lease->address, worker_find(worker, by, lease), expected);
    if (end != LOAD_DONE)
        return end;
    if (expected == OUTCOME_MISS) {
        worker->tally->counts.misses++;
    } else if (!generator_matches(generator, number, 0, &worker->found) &&
               worker->backend->keeps_leases) {
        generator_make(generator, number, 0, lease);
        return worker_wrong_lease(worker, lease, &worker->found);
    } else {
        worker->tally->counts.hits++;
    }
    digest_add(worker, PHASE_SEARCH, expected, lease->address, (const uint64_t[]){ by, 0 });
    return LOAD_DONE;
}

static enum load_end run_update(struct worker *worker, uint64_t i)
{
    return change(worker, CHANGE_UPDATE, permutation_at(&phases_of(worker)->updates, i), 0, 1);
}

/* Each of a thread's own leases in turn, again and again: renewed, and then as
   it was.  The leases of this thread are number, number + threads and so on. */
static enum load_end run_steady_update(struct worker *worker, uint64_t i)
{
    const uint64_t own = phases_of(worker)->updates.count;
    const uint64_t k = i / worker->engine->config.threads;
    const uint64_t chosen = permutation_at(&phases_of(worker)->updates, k % own);
    const uint32_t before = k / own % 2;

    return change(worker, CHANGE_UPDATE, worker_item(worker, chosen), before, 1 - before);
}

/* True if the phase update renews this lease: with a preload, some of all. */
static bool is_updated(const struct phases *phases, uint64_t number)
{
    const uint64_t updates = phases->engine.config.count;

    return updates == phases->existing || permutation_find(&phases->updates, number) < updates;
}

static enum load_end run_delete(struct worker *worker, uint64_t i)
{
    const struct phases *const phases = phases_of(worker);
    const uint64_t number = phases->engine.config.preload + i;

    return change(worker, CHANGE_DELETE, number, is_updated(phases, number), 0);
}

/* The first of a thread's own leases that churn updates, counted from 0. */
static uint64_t first_updated(const struct load_config *config)
{
    return config->preload / config->threads / 2;
}

/* One of three operations creates a lease, the next updates the one that was
   created half a preload ago and the third deletes the oldest.  The leases of
   this thread are number, number + threads, number + 2 * threads and so on. */
static enum load_end run_churn(struct worker *worker, uint64_t i)
{
    const struct load_config *const config = &worker->engine->config;
    const uint64_t threads = config->threads;
    const uint64_t k = i / threads;
    const uint64_t oldest = k / 3 * threads + i % threads;
    /* It is this thread's own lease: no other has deleted it. */
    const uint64_t half = first_updated(config) * threads;

    switch (k % 3) {
    case 0:
        return change(worker, CHANGE_CREATE, oldest + config->preload, 0, 0);
    case 1:
        return change(worker, CHANGE_UPDATE, oldest + half, 0, 1);
    default:
        /* Not all leases of the preload were updated. */
        return change(worker, CHANGE_DELETE, oldest, oldest >= half, 0);
    }
}

/* The leases that are due: a worker's are number, number + threads and so
   on. */

static uint64_t phases_items(const struct worker *worker)
{
    return worker_share(worker, phases_of(worker)->existing);
}

static bool phases_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct engine *const engine = worker->engine;
    const uint64_t number = worker_item(worker, i);
    const bool deleted = engine->phase->operation == run_delete;
    const bool updated = deleted || engine->phase->operation == run_update;

    generator_make(&engine->generator, number, updated && is_updated(phases_of(worker), number),
                   lease);
    return !deleted || number < engine->config.preload;
}

/* How many of a worker's operations of churn are the first, the second or the
   third of three. */
static uint64_t churn_share(const struct worker *worker, uint64_t which)
{
    return (worker->done + 2 - which) / 3;
}

static uint64_t churn_items(const struct worker *worker)
{
    const struct load_config *const config = &worker->engine->config;

    return config->preload / config->threads + churn_share(worker, 0);
}

/* Each worker has created leases at the end and deleted the first ones. */
static bool churn_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const uint64_t first = first_updated(&worker->engine->config);

    generator_make(&worker->engine->generator, worker_item(worker, i),
                   i >= first && i - first < churn_share(worker, 1), lease);
    return i >= churn_share(worker, 2);
}

/* After updates alone: each lease of the preload, changed so many times. */
static bool update_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct permutation *const updates = &phases_of(worker)->updates;
    const uint64_t times = worker->done / updates->count +
                           (permutation_find(updates, i) < worker->done % updates->count);

    generator_make(&worker->engine->generator, worker_item(worker, i), times % 2, lease);
    return true;
}

/* The loads */

/* The phases of 2012 create their leases.  All others find them in the preload,
   where each thread has its own; churn goes on creating new ones for as long as
   there are numbers for them. */
static int init_phases(struct engine *engine)
{
    struct phases *const all = (struct phases *)engine;
    const struct load_config *const config = &engine->config;
    const bool creates = engine->kind->phase_count == PHASE_COUNT;

    engine->config.mix = (struct mix){ 0 }; /* an operation has no steps */
    if (engine->kind->due == churn_due)
        engine->most = (GENERATOR_LEASES_MAX - config->preload) / config->threads * 3;
    all->existing = config->preload + (creates ? config->count : 0);
    all->hit_threshold = (uint64_t)(config->hit_ratio * 4294967296.0);
    all->search_key = random_at(config->seed, SEQUENCE_SEARCH);
    permutation_init(&all->updates, creates ? all->existing : all->existing / config->threads,
                     random_at(config->seed, SEQUENCE_UPDATE));
    return 0;
}

/* Transactions that hold the counters of several subnets, each in an order of
   its own, would wait for each other in a circle. */
static int resolve_phases(struct load_config *config, const char *name, struct err *err)
{
    (void)name;
    if (!config->counted || config->batch == 1 || config->threads == 1 || config->subnets == 1)
        return 0;
    return err_usage(err,
                     "--batch=%" PRIu64
                     " cannot be used with --schema=kea+stats, several threads and several "
                     "subnets, as transactions would lock each other's counters; use --batch=1",
                     config->batch);
}

/* Loads that find their leases in the preload, of which each thread has its
   own. */
static int resolve_steady(struct load_config *config, const char *name, struct err *err)
{
    enum { LEASES = 10000 }; /* unless the user says */

    if (config->in_turns && config->count > 0)
        return err_usage(
            err,
            "--count cannot be used with --turns, which ends when its input does; leave it out");
    if (config->preload == 0)
        config->preload = (LEASES + config->threads - 1) / config->threads * config->threads;
    if (config->preload < 2 * config->threads || config->preload % config->threads != 0)
        return err_usage(
            err,
            "--workload: %s needs a --preload that is a multiple of --threads and at least %" PRIu64
            ", not %" PRIu64,
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
    [PHASE_CREATE] = { "create", run_create, true, CHECK_COUNT, "after create" },
    [PHASE_SEARCH] = { "search", run_search, false, 0, NULL },
    [PHASE_UPDATE] = { "update", run_update, true, CHECK_READ_BACK, "after update" },
    [PHASE_DELETE] = { "delete", run_delete, true, CHECK_COUNT, "after delete" },
};

static const struct phase churn = { "churn", run_churn, true, CHECK_COUNT | CHECK_READ_BACK,
                                    "after churn" };

static const struct phase steady_search = { "search", run_search, false, CHECK_COUNT,
                                            "after search" };

static const struct phase steady_update = { "update", run_steady_update, true,
                                            CHECK_COUNT | CHECK_READ_BACK, "after update" };

/* NOLINTBEGIN(bugprone-macro-parentheses): initializers */
#define CLOSED(its_phases, its_count, its_items, its_due)                              \
    .closed = &(const struct engine_kind)                                              \
    {                                                                                  \
        .size = sizeof(struct phases), .phases = its_phases, .phase_count = its_count, \
        .digest_sequence = SEQUENCE_DIGEST, .init = init_phases, .items = its_items,   \
        .due = its_due                                                                 \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

const struct workload workload_phases = {
    .name = "phases",
    .help = "create, search, update, delete, COUNT times each",
    .kind = WORKLOAD_PHASES,
    .resolve = resolve_phases,
    .leases = phases_leases,
    CLOSED(guide, PHASE_COUNT, phases_items, phases_due),
};

const struct workload workload_churn = {
    .name = "churn",
    .help = "create, update and delete in turn",
    .kind = WORKLOAD_CHURN,
    .cut_short = true,
    .resolve = resolve_steady,
    .leases = churn_leases,
    CLOSED(&churn, 1, churn_items, churn_due),
};

const struct workload workload_search = {
    .name = "search",
    .help = "only searches of the leases of --preload",
    .kind = WORKLOAD_SEARCH,
    .resolve = resolve_steady,
    CLOSED(&steady_search, 1, phases_items, phases_due),
};

const struct workload workload_update = {
    .name = "update",
    .help = "only updates of the leases of --preload",
    .kind = WORKLOAD_UPDATE,
    .resolve = resolve_steady,
    CLOSED(&steady_update, 1, phases_items, update_due),
};
