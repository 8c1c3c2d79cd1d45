/* SPDX-License-Identifier: ISC */
#include "load/phases.h"

#include <inttypes.h>
#include <string.h>

#include "core/clock.h"
#include "core/random.h"

/* Each phase's draws and digests come from a sequence of its own. */
enum sequence { SEQUENCE_SEARCH = 1, SEQUENCE_UPDATE, SEQUENCE_DIGEST };

/* All that the operations need; one per thread. */
struct worker {
    const struct backend *backend;
    struct session *session;
    struct generator generator;
    struct permutation updates; /* which lease the i-th update renews */
    uint64_t preload;
    uint64_t existing;      /* leases after create: preload and new ones */
    uint64_t hit_threshold; /* of 2^32 */
    uint64_t search_key;
    uint64_t updated; /* how many updates were done */
    uint64_t digest;
    uint64_t hits;
    uint64_t misses;
    struct lease lease;  /* as it should be */
    struct lease found;  /* as the store has it */
    enum phases_end end; /* PHASES_DONE until something is wrong */
    struct err *err;
};

static bool failed(struct worker *worker, const char *verb, uint32_t address)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];
    const struct err cause = *worker->err;

    worker->end = PHASES_FAILED;
    (void)err_set_class(worker->err, cause.class, "%s (while %s %s)",
                        cause.text, verb, lease_address_text(text, address));
    return false;
}

static bool wrong_outcome(struct worker *worker, const char *verb,
                          uint32_t address, enum outcome outcome,
                          enum outcome expected)
{
    static const char *const names[] = {
        [OUTCOME_MISS] = "MISS", [OUTCOME_HIT] = "HIT"
    };
    char text[LEASE_ADDRESS_TEXT_SIZE];

    if (outcome == OUTCOME_ERROR)
        return failed(worker, verb, address);
    worker->end = PHASES_WRONG;
    (void)err_set(worker->err,
                  "%s: wrong answer: %s %s gave %s where a correct store "
                  "gives %s",
                  worker->backend->name, verb,
                  lease_address_text(text, address), names[outcome],
                  names[expected]);
    return false;
}

static bool wrong_lease(struct worker *worker, const char *verb)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    worker->end = PHASES_WRONG;
    (void)err_set(worker->err,
                  "%s: wrong answer: %s %s gave a lease with another %s than "
                  "was stored",
                  worker->backend->name, verb,
                  lease_address_text(text, worker->lease.address),
                  lease_difference(&worker->lease, &worker->found));
    return false;
}

/* Adds one operation, and who the client is, to the digest. */
static void digest_add(struct worker *worker, enum phase_name phase,
                       enum outcome outcome, uint32_t address,
                       const uint8_t *hwaddr)
{
    uint64_t words[2] = { 0, 0 };

    if (hwaddr != NULL)
        memcpy(words, hwaddr, sizeof words);
    const uint64_t what =
        (uint64_t)address << 8 | (uint64_t)phase << 4 | (uint64_t)outcome;
    worker->digest +=
        random_at(words[0] ^ (words[1] << 7 | words[1] >> 57), what);
}

/* The four operations.  Each does the i-th operation of its phase and returns
   false, with worker->end and worker->err set, if the answer was not right. */

static bool create(struct worker *worker, uint64_t i)
{
    struct lease *const lease = &worker->lease;

    generator_make(&worker->generator, worker->preload + i, 0, lease);
    const enum outcome outcome =
        worker->backend->create(worker->session, lease, worker->err);
    if (outcome != OUTCOME_HIT)
        return wrong_outcome(worker, "creating", lease->address, outcome,
                             OUTCOME_HIT);
    worker->hits++;
    digest_add(worker, PHASE_CREATE, outcome, lease->address, lease->hwaddr);
    return true;
}

static bool check_found(struct worker *worker, uint64_t number)
{
    const bool right =
        generator_matches(&worker->generator, number, 0, &worker->found);

    if (!right && worker->backend->keeps_leases) {
        generator_make(&worker->generator, number, 0, &worker->lease);
        return wrong_lease(worker, "searching");
    }
    worker->hits++;
    digest_add(worker, PHASE_SEARCH, OUTCOME_HIT, generator_address(number),
               NULL);
    return true;
}

static bool search(struct worker *worker, uint64_t i)
{
    const uint64_t draw = random_at(worker->search_key, i);
    const enum outcome expected =
        (draw >> 32) < worker->hit_threshold ? OUTCOME_HIT : OUTCOME_MISS;
    /* The addresses above those that exist are free: misses go there. */
    const uint64_t number = random_below((uint32_t)draw, worker->existing) +
                            (expected == OUTCOME_HIT ? 0 : worker->existing);
    const uint32_t address = generator_address(number);
    const enum outcome outcome = worker->backend->find_by_address(
        worker->session, address, &worker->found, worker->err);

    if (outcome != expected &&
        (outcome == OUTCOME_ERROR || worker->backend->keeps_leases))
        return wrong_outcome(worker, "searching", address, outcome, expected);
    if (expected == OUTCOME_HIT)
        return check_found(worker, number);
    worker->misses++;
    digest_add(worker, PHASE_SEARCH, OUTCOME_MISS, address, NULL);
    return true;
}

static bool update(struct worker *worker, uint64_t i)
{
    struct lease *const lease = &worker->lease;
    const uint64_t number = permutation_at(&worker->updates, i);

    generator_make(&worker->generator, number, 1, lease);
    const enum outcome outcome = worker->backend->update(
        worker->session, lease,
        generator_expire_s(&worker->generator, number, 0), worker->err);
    if (outcome != OUTCOME_HIT)
        return wrong_outcome(worker, "updating", lease->address, outcome,
                             OUTCOME_HIT);
    worker->hits++;
    digest_add(worker, PHASE_UPDATE, outcome, lease->address, lease->hwaddr);
    return true;
}

static bool delete (struct worker *worker, uint64_t i)
{
    const uint64_t number = worker->preload + i;
    const uint32_t address = generator_address(number);
    /* With a preload only some of the leases were updated. */
    const uint32_t version =
        worker->updated == worker->existing ||
        permutation_find(&worker->updates, number) < worker->updated;
    const enum outcome outcome = worker->backend->remove(
        worker->session, address,
        generator_expire_s(&worker->generator, number, version), worker->err);

    if (outcome != OUTCOME_HIT)
        return wrong_outcome(worker, "deleting", address, outcome, OUTCOME_HIT);
    worker->hits++;
    digest_add(worker, PHASE_DELETE, outcome, address, NULL);
    return true;
}

static const struct phase {
    const char *name;
    bool (*operation)(struct worker *worker, uint64_t i);
} phases[PHASE_COUNT] = {
    [PHASE_CREATE] = { "create", create },
    [PHASE_SEARCH] = { "search", search },
    [PHASE_UPDATE] = { "update", update },
    [PHASE_DELETE] = { "delete", delete },
};

static void run_phase(struct worker *worker, const struct phase *phase,
                      uint64_t count, struct progress *progress,
                      struct phase_result *result)
{
    bool (*const operation)(struct worker *, uint64_t) = phase->operation;
    uint64_t done = 0;

    worker->hits = 0;
    worker->misses = 0;
    progress_set_done(progress, 0);
    atomic_store(&progress->planned, count);
    atomic_store(&progress->started_ns, clock_now_ns());
    atomic_store(&progress->phase, phase->name);
    const uint64_t begun_ns = clock_now_ns();
    while (done < count && !progress_stopped(progress) &&
           operation(worker, done))
        progress_set_done(progress, ++done);
    const uint64_t ended_ns = clock_now_ns();
    atomic_store(&progress->phase, NULL);
    *result = (struct phase_result){
        .name = phase->name,
        .done = done,
        .hits = worker->hits,
        .misses = worker->misses,
        .begun_ns = begun_ns,
        .ended_ns = ended_ns,
    };
    if (worker->end == PHASES_DONE && done < count)
        worker->end = PHASES_INTERRUPTED;
}

/* Counts the leases in the store and compares.  Not timed. */
static void check_count(struct worker *worker, uint64_t expected,
                        const char *when, uint64_t *counted)
{
    const struct backend *const backend = worker->backend;

    if (backend->count(worker->session, counted, worker->err) != 0) {
        worker->end = PHASES_FAILED;
    } else if (backend->keeps_leases && *counted != expected) {
        worker->end = PHASES_WRONG;
        (void)err_set(worker->err,
                      "%s: wrong answer: %" PRIu64 " leases are there %s, "
                      "where a correct store has %" PRIu64,
                      backend->name, *counted, when, expected);
    }
}

/* Reads some of the updated leases back: an update that forgot a field answers
   HIT like any other.  Not timed. */
static void check_updates(struct worker *worker)
{
    enum { SAMPLE = 100 };
    const struct backend *const backend = worker->backend;
    const uint64_t sample = worker->updated < SAMPLE ? worker->updated : SAMPLE;
    bool right = backend->keeps_leases;

    for (uint64_t k = 0; k < sample && right; k++) {
        const uint64_t number =
            permutation_at(&worker->updates, k * worker->updated / sample);
        const uint32_t address = generator_address(number);
        const enum outcome outcome = backend->find_by_address(
            worker->session, address, &worker->found, worker->err);

        generator_make(&worker->generator, number, 1, &worker->lease);
        if (outcome != OUTCOME_HIT)
            right = wrong_outcome(worker, "reading back", address, outcome,
                                  OUTCOME_HIT);
        else if (!lease_equal(&worker->lease, &worker->found))
            right = wrong_lease(worker, "reading back");
    }
}

static void preload(struct worker *worker, struct progress *progress)
{
    enum { GROUP = 1000 };
    const struct backend *const backend = worker->backend;
    struct lease *const lease = &worker->lease;

    for (uint64_t i = 0; i < worker->preload && !progress_stopped(progress);
         i++) {
        if (i % GROUP == 0 && backend->begin(worker->session, worker->err) != 0)
            goto failed;
        generator_make(&worker->generator, i, 0, lease);
        const enum outcome outcome =
            backend->create(worker->session, lease, worker->err);
        if (outcome != OUTCOME_HIT) {
            (void)wrong_outcome(worker, "preloading", lease->address, outcome,
                                OUTCOME_HIT);
            return;
        }
        if ((i % GROUP == GROUP - 1 || i + 1 == worker->preload) &&
            backend->commit(worker->session, worker->err) != 0)
            goto failed;
    }
    if (progress_stopped(progress))
        worker->end = PHASES_INTERRUPTED;
    return;
failed:
    worker->end = PHASES_FAILED;
}

static void init_worker(struct worker *worker,
                        const struct phases_config *config,
                        const struct backend *backend, struct session *session,
                        struct err *err)
{
    *worker = (struct worker){
        .backend = backend,
        .session = session,
        .preload = config->preload,
        .existing = config->preload + config->count,
        .hit_threshold = (uint64_t)(config->hit_ratio * 4294967296.0),
        .search_key = random_at(config->seed, SEQUENCE_SEARCH),
        .digest = random_at(config->seed, SEQUENCE_DIGEST),
        .end = PHASES_DONE,
        .err = err,
    };
    generator_init(&worker->generator, config->profile, config->seed);
    permutation_init(&worker->updates, worker->existing,
                     random_at(config->seed, SEQUENCE_UPDATE));
}

enum phases_end phases_run(const struct phases_config *config,
                           const struct backend *backend,
                           struct session *session, struct progress *progress,
                           struct phases_result *result, struct err *err)
{
    struct worker worker;
    uint64_t counted;

    *result = (struct phases_result){ .verified = backend->keeps_leases };
    for (int i = 0; i < PHASE_COUNT; i++)
        result->phases[i].name = phases[i].name;
    if (backend->reset(session, err) != 0)
        return PHASES_FAILED;
    init_worker(&worker, config, backend, session, err);
    preload(&worker, progress);
    for (int i = 0; i < PHASE_COUNT && worker.end == PHASES_DONE; i++) {
        run_phase(&worker, &phases[i], config->count, progress,
                  &result->phases[i]);
        if (i == PHASE_UPDATE) {
            worker.updated = result->phases[i].done;
            if (worker.end == PHASES_DONE)
                check_updates(&worker);
        }
        if (i == PHASE_CREATE && worker.end == PHASES_DONE)
            check_count(&worker, worker.existing, "after create", &counted);
    }
    if (worker.end == PHASES_DONE) {
        check_count(&worker, worker.preload, "after delete", &counted);
        result->left = counted - worker.preload;
    }
    result->digest = worker.digest;
    return worker.end;
}
