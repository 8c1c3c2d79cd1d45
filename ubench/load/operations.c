/* SPDX-License-Identifier: ISC */
#include "load/operations.h"

#include <inttypes.h>
#include <string.h>

#include "load/crash/settle.h"

/* Each phase's draws and digests come from a sequence of its own. */
enum sequence { SEQUENCE_SEARCH = 1, SEQUENCE_UPDATE, SEQUENCE_DIGEST };

void worker_init(struct worker *worker, const struct phases_config *config,
                 const struct backend *backend, struct session *session)
{
    *worker = (struct worker){
        .backend = backend,
        .session = session,
        .preload = config->load.preload,
        .existing = config->load.preload + config->load.count,
        .hit_threshold = (uint64_t)(config->hit_ratio * 4294967296.0),
        .search_by = config->search_by,
        .search_key = random_at(config->load.seed, SEQUENCE_SEARCH),
        .step = config->load.threads,
        .reconnect = config->reconnect,
        .end = LOAD_DONE,
    };
    generator_init(&worker->generator, config->load.family,
                   config->load.profile, config->load.seed);
    worker->generator.subnets = config->load.subnets;
    permutation_init(&worker->updates, worker->existing,
                     random_at(config->load.seed, SEQUENCE_UPDATE));
}

int worker_use_ledger(struct worker *worker, struct ledger *ledger, size_t room,
                      struct err *err)
{
    return ledger_client_init(&worker->ledger, ledger, (uint16_t)worker->lane,
                              room, err);
}

void worker_release(struct worker *worker)
{
    ledger_client_release(&worker->ledger);
}

static void note_attempt(struct worker *worker, uint64_t number,
                         enum ledger_operation operation)
{
    if (worker->ledger.ledger != NULL)
        ledger_attempt(&worker->ledger, number, operation);
}

uint64_t worker_digest_base(const struct phases_config *config)
{
    return load_digest_base(&config->load, SEQUENCE_DIGEST);
}

bool worker_reconnect(struct worker *worker)
{
    if (worker->reconnect == NULL) {
        worker->end = LOAD_FAILED;
        return false;
    }
    const int status =
        reconnect_session(worker->reconnect, worker->lane, &worker->err);

    worker->session = worker->reconnect->sessions[worker->lane];
    if (status != 0)
        worker->end = status > 0 ? LOAD_INTERRUPTED : LOAD_FAILED;
    return status == 0;
}

/* A change failed: what is it now? */
static enum outcome settle(struct worker *worker, const struct change *change)
{
    const enum outcome outcome =
        settle_change(worker->reconnect, worker->lane, change, &worker->err);

    if (worker->reconnect != NULL)
        worker->session = worker->reconnect->sessions[worker->lane];
    if (outcome == OUTCOME_ERROR && worker->err.text[0] == '\0')
        worker->end = LOAD_INTERRUPTED;
    return outcome;
}

static bool failed(struct worker *worker, const char *verb,
                   struct lease_address address)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];
    const struct err cause = worker->err;

    if (worker->end == LOAD_INTERRUPTED)
        return false;
    worker->end = LOAD_FAILED;
    (void)err_set_class(
        &worker->err, cause.class, "%s (while %s %s)", cause.text, verb,
        lease_address_text(text, address, worker->generator.type));
    return false;
}

static bool wrong_outcome(struct worker *worker, const char *verb,
                          struct lease_address address, enum outcome outcome,
                          enum outcome expected)
{
    static const char *const names[] = {
        [OUTCOME_MISS] = "MISS", [OUTCOME_HIT] = "HIT"
    };
    char text[LEASE_ADDRESS_TEXT_SIZE];

    if (outcome == OUTCOME_ERROR)
        return failed(worker, verb, address);
    worker->end = LOAD_WRONG;
    (void)err_set(&worker->err,
                  "%s: wrong answer: %s %s gave %s where a correct store "
                  "gives %s",
                  worker->backend->name, verb,
                  lease_address_text(text, address, worker->generator.type),
                  names[outcome], names[expected]);
    return false;
}

static bool wrong_lease(struct worker *worker, const char *verb)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    worker->end = LOAD_WRONG;
    (void)err_set(
        &worker->err,
        "%s: wrong answer: %s %s gave a lease with another %s than "
        "was stored",
        worker->backend->name, verb,
        lease_address_text(text, worker->lease.address, worker->generator.type),
        lease_difference(&worker->lease, &worker->found));
    return false;
}

/* Adds one operation, and who the client is, to the digest. */
static void digest_add(struct worker *worker, enum phase_name phase,
                       enum outcome outcome, struct lease_address address,
                       const uint8_t *hwaddr)
{
    uint64_t words[2] = { phase == PHASE_SEARCH ? worker->search_by : 0, 0 };

    if (hwaddr != NULL)
        memcpy(words, hwaddr, sizeof words);
    const uint64_t what =
        (address.low << 8 | (uint64_t)phase << 4 | (uint64_t)outcome) ^
        address.high;
    worker->digest +=
        random_at(words[0] ^ (words[1] << 7 | words[1] >> 57), what);
}

static bool create(struct worker *worker, uint64_t number)
{
    struct lease *const lease = &worker->lease;

    generator_make(&worker->generator, number, 0, lease);
    note_attempt(worker, number, LEDGER_CREATE);
    enum outcome outcome =
        worker->backend->create(worker->session, lease, &worker->err);
    if (outcome == OUTCOME_ERROR)
        outcome = settle(
            worker, &(const struct change){ .kind = CHANGE_CREATE,
                                            .lease = lease,
                                            .address = lease->address,
                                            .type = worker->generator.type });
    if (outcome != OUTCOME_HIT)
        return wrong_outcome(worker, "creating", lease->address, outcome,
                             OUTCOME_HIT);
    worker->hits++;
    digest_add(worker, PHASE_CREATE, outcome, lease->address, lease->hwaddr);
    return true;
}

bool worker_create(struct worker *worker, uint64_t i)
{
    return create(worker, worker->preload + i);
}

/* Looks for a lease by its number, whether or not it is there. */
static enum outcome search(struct worker *worker, uint64_t number)
{
    struct lease *const found = &worker->found;

    if (worker->search_by == LOOKUP_ADDRESS)
        return worker->backend->find_by_address(
            worker->session, generator_address(&worker->generator, number),
            worker->generator.type, found, &worker->err);
    generator_make(&worker->generator, number, 0, &worker->lease);
    return lookup_lease(worker->backend, worker->session, worker->search_by,
                        &worker->lease, found, &worker->err);
}

bool worker_search(struct worker *worker, uint64_t i)
{
    const uint64_t draw = random_at(worker->search_key, i);
    const enum outcome expected =
        (draw >> 32) < worker->hit_threshold ? OUTCOME_HIT : OUTCOME_MISS;
    /* The leases above those that exist are nobody's: misses go there. */
    const uint64_t number = random_below((uint32_t)draw, worker->existing) +
                            (expected == OUTCOME_HIT ? 0 : worker->existing);
    const struct lease_address address =
        generator_address(&worker->generator, number);
    enum outcome outcome = search(worker, number);

    while (outcome == OUTCOME_ERROR && worker_reconnect(worker))
        outcome = search(worker, number);
    if (outcome != expected &&
        (outcome == OUTCOME_ERROR || worker->backend->keeps_leases))
        return wrong_outcome(worker, "searching", address, outcome, expected);
    if (expected == OUTCOME_MISS) {
        worker->misses++;
    } else if (!generator_matches(&worker->generator, number, 0,
                                  &worker->found) &&
               worker->backend->keeps_leases) {
        generator_make(&worker->generator, number, 0, &worker->lease);
        return wrong_lease(worker, "searching");
    } else {
        worker->hits++;
    }
    digest_add(worker, PHASE_SEARCH, expected, address, NULL);
    return true;
}

static bool update(struct worker *worker, uint64_t number)
{
    struct lease *const lease = &worker->lease;

    generator_make(&worker->generator, number, 1, lease);
    note_attempt(worker, number, LEDGER_UPDATE);
    const int64_t expire_s = generator_expire_s(&worker->generator, number, 0);
    enum outcome outcome =
        worker->backend->update(worker->session, lease, expire_s, &worker->err);
    if (outcome == OUTCOME_ERROR)
        outcome = settle(worker,
                         &(const struct change){ .kind = CHANGE_UPDATE,
                                                 .lease = lease,
                                                 .address = lease->address,
                                                 .type = worker->generator.type,
                                                 .expire_s = expire_s });
    if (outcome != OUTCOME_HIT)
        return wrong_outcome(worker, "updating", lease->address, outcome,
                             OUTCOME_HIT);
    worker->hits++;
    digest_add(worker, PHASE_UPDATE, outcome, lease->address, lease->hwaddr);
    return true;
}

bool worker_update(struct worker *worker, uint64_t i)
{
    return update(worker, permutation_at(&worker->updates, i));
}

static bool delete (struct worker *worker, uint64_t number, uint32_t version)
{
    const struct lease_address address =
        generator_address(&worker->generator, number);

    note_attempt(worker, number, LEDGER_DELETE);
    const int64_t expire_s =
        generator_expire_s(&worker->generator, number, version);
    enum outcome outcome = worker->backend->remove(worker->session, address,
                                                   expire_s, &worker->err);
    if (outcome == OUTCOME_ERROR)
        outcome = settle(worker,
                         &(const struct change){ .kind = CHANGE_REMOVE,
                                                 .address = address,
                                                 .type = worker->generator.type,
                                                 .expire_s = expire_s });
    if (outcome != OUTCOME_HIT)
        return wrong_outcome(worker, "deleting", address, outcome, OUTCOME_HIT);
    worker->hits++;
    digest_add(worker, PHASE_DELETE, outcome, address, NULL);
    return true;
}

bool worker_delete(struct worker *worker, uint64_t i)
{
    const uint64_t number = worker->preload + i;

    /* With a preload only some of the leases were updated. */
    return delete (worker, number,
                   worker->updated == worker->existing ||
                       permutation_find(&worker->updates, number) <
                           worker->updated);
}

bool worker_churn(struct worker *worker, uint64_t i)
{
    const uint64_t k = i / worker->step;
    const uint64_t oldest = k / 3 * worker->step + i % worker->step;
    /* Of this worker's leases, so that nobody else has deleted it. */
    const uint64_t half = worker->preload / worker->step / 2 * worker->step;

    switch (k % 3) {
    case 0:
        return create(worker, oldest + worker->preload);
    case 1:
        return update(worker, oldest + half);
    default:
        /* Those that were there from the beginning were not all updated. */
        return delete (worker, oldest, oldest >= half);
    }
}

void worker_check_count(struct worker *worker, uint64_t expected,
                        const char *when, uint64_t *counted)
{
    const struct backend *const backend = worker->backend;

    while (backend->count(worker->session, counted, &worker->err) != 0) {
        if (!worker_reconnect(worker))
            return;
    }
    if (backend->keeps_leases && *counted != expected) {
        worker->end = LOAD_WRONG;
        (void)err_set(&worker->err,
                      "%s: wrong answer: %" PRIu64 " leases are there %s, "
                      "where a correct store has %" PRIu64,
                      backend->name, *counted, when, expected);
    }
}

int worker_add_due(const struct worker *worker, struct lease_counts *due,
                   uint64_t first, uint64_t step, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        const struct lease_kind kind = {
            .subnet_id =
                generator_subnet_id(&worker->generator, first + k * step),
            .type = (uint8_t)worker->generator.type,
            .state = LEASE_STATE_DEFAULT,
        };

        if (lease_counts_add(due, &kind, 1) != 0)
            return -1;
    }
    return 0;
}

void worker_check_updates(struct worker *worker)
{
    enum { SAMPLE = 100 };
    const struct backend *const backend = worker->backend;
    const uint64_t sample = worker->updated < SAMPLE ? worker->updated : SAMPLE;
    bool right = backend->keeps_leases;

    for (uint64_t k = 0; k < sample && right; k++) {
        const uint64_t number =
            permutation_at(&worker->updates, k * worker->updated / sample);
        const struct lease_address address =
            generator_address(&worker->generator, number);
        enum outcome outcome;

        do {
            outcome = backend->find_by_address(worker->session, address,
                                               worker->generator.type,
                                               &worker->found, &worker->err);
        } while (outcome == OUTCOME_ERROR && worker_reconnect(worker));
        generator_make(&worker->generator, number, 1, &worker->lease);
        if (outcome != OUTCOME_HIT)
            right = wrong_outcome(worker, "reading back", address, outcome,
                                  OUTCOME_HIT);
        else if (!lease_equal(&worker->lease, &worker->found))
            right = wrong_lease(worker, "reading back");
    }
}

bool worker_preload(struct worker *worker, uint64_t i)
{
    generator_make(&worker->generator, i, 0, &worker->lease);
    note_attempt(worker, i, LEDGER_CREATE);
    const enum outcome outcome =
        worker->backend->create(worker->session, &worker->lease, &worker->err);

    return outcome == OUTCOME_HIT ||
           wrong_outcome(worker, "preloading", worker->lease.address, outcome,
                         OUTCOME_HIT);
}
