/* SPDX-License-Identifier: ISC */
#include "load/fill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

static const struct level {
    const char *name;
    double utilisation; /* when it begins */
} levels[] = {
    { "empty", 0 },   { "50 %", 0.5 },  { "75 %", 0.75 }, { "90 %", 0.9 },
    { "95 %", 0.95 }, { "99 %", 0.99 }, { "full", 1 },
};

enum { LEVELS = sizeof levels / sizeof levels[0], FULL = LEVELS - 1 };

/* What a new client makes the server ask, as in the exchange dora. */
enum step_number {
    DISCOVER_CLIENT_ID,
    DISCOVER_HWADDR,
    PROBE,
    REQUEST_CLIENT_ID,
    REQUEST_HWADDR,
    REQUEST_ADDRESS,
    ALLOCATE_ADDRESS,
    ALLOCATE,
    STEPS,
};

static const struct step {
    const char *name;
    const char *operation;
} steps[STEPS] = {
    [DISCOVER_CLIENT_ID] = { "discover client-id", "find_by_client_id" },
    [DISCOVER_HWADDR] = { "discover hwaddr", "find_by_hwaddr" },
    [PROBE] = { "discover address", "find_by_address" },
    [REQUEST_CLIENT_ID] = { "request client-id", "find_by_client_id" },
    [REQUEST_HWADDR] = { "request hwaddr", "find_by_hwaddr" },
    [REQUEST_ADDRESS] = { "request address", "find_by_address" },
    [ALLOCATE_ADDRESS] = { "allocate address", "find_by_address" },
    [ALLOCATE] = { "allocate", "create" },
};

enum sequence { SEQUENCE_ALLOCATOR = 201, SEQUENCE_OTHERS, SEQUENCE_DIGEST };

struct fill {
    const struct fill_config *config;
    const struct backend *backend;
    struct session *session;
    struct progress *progress;
    struct load_result *result;
    struct err *err;
    struct generator generator;
    struct allocator allocator;
    uint32_t *others; /* the whole pool, in the order in which it is taken */
    uint64_t others_taken;
    uint64_t clients; /* new ones so far */
    /* The level that is being run, and the candidates of its clients, who were
       chosen before they came: those of one after those of another.  The last
       of each is free and becomes its own, unless the pool is full. */
    struct phase_result *phase;
    bool full;
    uint32_t *candidates;
    size_t candidate_count;
    size_t candidate_room;
    size_t *ends;          /* of each client's candidates, in all of them */
    size_t given;          /* clients who have an address now */
    uint64_t asked_ns;     /* what the store took for the client so far */
    struct histogram seen; /* the series' */
    struct lease lease;    /* of the client */
    struct lease found;
};

static enum load_end wrong(struct fill *fill, const char *verb,
                           uint64_t address, const char *what)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    (void)err_set(
        fill->err, "%s: wrong answer: %s: %s %s %s", fill->backend->name,
        fill->phase != NULL ? fill->phase->name : "filling", verb,
        lease_address_text(text, generator_address(&fill->generator, address),
                           fill->generator.type),
        what);
    return LOAD_WRONG;
}

/* Notes the answer to a step about an address, and compares it. */
static enum load_end answer(struct fill *fill, enum step_number number,
                            uint64_t address, uint64_t begun_ns,
                            enum outcome outcome, bool expected)
{
    struct step_result *const step = &fill->phase->steps[number];

    if (outcome == OUTCOME_ERROR)
        return LOAD_FAILED;
    if (fill->backend->keeps_leases && expected != (outcome == OUTCOME_HIT))
        return wrong(fill, step->name, address,
                     expected ? "gave MISS where a correct store gives HIT"
                              : "gave HIT where a correct store gives MISS");
    if (fill->config->load.latency) {
        const uint64_t took_ns = clock_now_ns() - begun_ns;

        histogram_record(&step->latency, took_ns);
        fill->asked_ns += took_ns;
    }
    if (expected)
        step->hits++;
    else
        step->misses++;
    return LOAD_DONE;
}

static uint64_t now_ns(const struct fill *fill)
{
    return fill->config->load.latency ? clock_now_ns() : 0;
}

/* The new client, who has no lease, by client-id and then by hwaddr. */
static enum load_end find_client(struct fill *fill, enum step_number by_id,
                                 enum step_number by_hwaddr, uint64_t client)
{
    const struct backend *const backend = fill->backend;
    const struct lease *const lease = &fill->lease;
    uint64_t begun_ns = now_ns(fill);
    enum outcome outcome = backend->find_by_client_id(
        fill->session, lease->client_id, lease->client_id_length, &fill->found,
        fill->err);
    enum load_end end = answer(fill, by_id, client, begun_ns, outcome, false);

    if (end != LOAD_DONE)
        return end;
    begun_ns = now_ns(fill);
    outcome =
        backend->find_by_hwaddr(fill->session, lease->hwaddr,
                                lease->hwaddr_length, &fill->found, fill->err);
    return answer(fill, by_hwaddr, client, begun_ns, outcome, false);
}

static enum load_end find_address(struct fill *fill, enum step_number number,
                                  uint64_t address, bool taken)
{
    const uint64_t begun_ns = now_ns(fill);
    const enum outcome outcome = fill->backend->find_by_address(
        fill->session, generator_address(&fill->generator, address),
        fill->generator.type, &fill->found, fill->err);
    const enum load_end end =
        answer(fill, number, address, begun_ns, outcome, taken);

    if (end == LOAD_DONE && taken && fill->backend->keeps_leases &&
        !generator_matches(&fill->generator, address, 0, &fill->found))
        return wrong(fill, steps[number].name, address,
                     "gave another lease than was stored");
    return end;
}

/* Looks the client's candidates up; all are taken but the last. */
static enum load_end probe(struct fill *fill, size_t first, size_t last)
{
    enum load_end end = LOAD_DONE;

    for (size_t i = first; i < last && end == LOAD_DONE; i++) {
        if (progress_stopped(fill->progress))
            return LOAD_INTERRUPTED;
        end = find_address(fill, PROBE, fill->candidates[i],
                           fill->full || i + 1 < last);
    }
    return end;
}

static enum load_end create(struct fill *fill, uint64_t address)
{
    const uint64_t begun_ns = now_ns(fill);
    const enum outcome outcome =
        fill->backend->create(fill->session, &fill->lease, fill->err);
    const enum load_end end =
        answer(fill, ALLOCATE, address, begun_ns, outcome, true);

    fill->given += end == LOAD_DONE;
    return end;
}

/* A new client.  If the pool is full, DISCOVER is not answered. */
static enum load_end serve(struct fill *fill)
{
    const uint64_t number = fill->phase->done;
    const size_t first = number > 0 ? fill->ends[number - 1] : 0;
    const size_t last = fill->ends[number];
    /* A client that is refused has a number beyond those of the pool. */
    const uint64_t client =
        fill->full ? fill->config->pool + number : fill->candidates[last - 1];
    enum load_end end;

    fill->asked_ns = 0;
    generator_make(&fill->generator, client, 0, &fill->lease);
    end = find_client(fill, DISCOVER_CLIENT_ID, DISCOVER_HWADDR, client);
    if (end == LOAD_DONE)
        end = probe(fill, first, last);
    if (end != LOAD_DONE || fill->full)
        return end;
    end = find_client(fill, REQUEST_CLIENT_ID, REQUEST_HWADDR, client);
    if (end == LOAD_DONE)
        end = find_address(fill, REQUEST_ADDRESS, client, false);
    if (end == LOAD_DONE)
        end = find_address(fill, ALLOCATE_ADDRESS, client, false);
    return end == LOAD_DONE ? create(fill, client) : end;
}

static void note_client(struct fill *fill)
{
    struct phase_result *const phase = fill->phase;

    phase->done++;
    fill->result->digest +=
        random_at(phase->steps[PROBE].hits, fill->clients++);
    if (!fill->config->load.latency)
        return;
    const uint64_t ended_ns = clock_now_ns();

    if (series_is_due(&phase->series, ended_ns))
        series_tick(&phase->series, &phase->operations, ended_ns);
    histogram_record(&phase->operations, fill->asked_ns);
}

static enum load_end serve_clients(struct fill *fill)
{
    struct phase_result *const phase = fill->phase;
    enum load_end end = LOAD_DONE;

    phase->begun_ns = clock_now_ns();
    if (fill->config->load.latency)
        series_begin(&phase->series, &fill->seen, phase->begun_ns);
    while (phase->done < phase->planned && end == LOAD_DONE) {
        if (progress_stopped(fill->progress))
            end = LOAD_INTERRUPTED;
        else
            end = serve(fill);
        if (end == LOAD_DONE)
            note_client(fill);
        progress_set_done(&fill->progress->lanes[0], phase->done);
    }
    phase->ended_ns = clock_now_ns();
    if (fill->config->load.latency)
        series_end(&phase->series, &phase->operations);
    return end;
}

/* What happens between the levels, in groups and untimed. */
static enum load_end run_unseen(struct fill *fill, const char *name,
                                uint64_t count,
                                enum load_end (*one)(struct fill *fill))
{
    enum { GROUP = 1000 };
    enum load_end end = LOAD_DONE;

    fill->phase = NULL;
    progress_begin(fill->progress, name, count, 1);
    for (uint64_t i = 0; i < count && end == LOAD_DONE; i++) {
        progress_set_done(&fill->progress->lanes[0], i);
        if (progress_stopped(fill->progress))
            return LOAD_INTERRUPTED;
        if (i % GROUP == 0 &&
            fill->backend->begin(fill->session, fill->err) != 0)
            return LOAD_FAILED;
        end = one(fill);
        if (end == LOAD_DONE && (i % GROUP == GROUP - 1 || i + 1 == count) &&
            fill->backend->commit(fill->session, fill->err) != 0)
            return LOAD_FAILED;
    }
    return end;
}

static enum load_end check_unseen(struct fill *fill, const char *verb,
                                  uint64_t address, enum outcome outcome)
{
    if (outcome == OUTCOME_ERROR)
        return LOAD_FAILED;
    if (outcome == OUTCOME_MISS && fill->backend->keeps_leases)
        return wrong(fill, verb, address,
                     "gave MISS where a correct store gives HIT");
    return LOAD_DONE;
}

static enum load_end take_one(struct fill *fill)
{
    const uint64_t address = fill->others[fill->others_taken];

    generator_make(&fill->generator, address, 0, &fill->lease);
    const enum outcome outcome =
        fill->backend->create(fill->session, &fill->lease, fill->err);
    fill->others_taken++;
    allocator_take(&fill->allocator, address);
    return check_unseen(fill, "create", address, outcome);
}

static enum load_end give_back_one(struct fill *fill)
{
    const uint64_t address = fill->candidates[fill->ends[--fill->given] - 1];

    allocator_give_back(&fill->allocator, address);
    return check_unseen(
        fill, "remove", address,
        fill->backend->remove(
            fill->session, generator_address(&fill->generator, address),
            generator_expire_s(&fill->generator, address, 0), fill->err));
}

/* Sets the stage: the pool is taken to the level's utilisation. */
static enum load_end set_stage(struct fill *fill, size_t level)
{
    const uint64_t due =
        (uint64_t)((double)fill->config->pool * levels[level].utilisation);
    const enum load_end end =
        run_unseen(fill, "removing", fill->given, give_back_one);

    if (end != LOAD_DONE)
        return end;
    return run_unseen(fill, "filling", due - fill->others_taken, take_one);
}

/* How many new clients come at a level. */
static uint64_t clients_due(const struct fill *fill, size_t level)
{
    const uint64_t count = fill->config->load.count;
    const uint64_t most = level < FULL ? fill->allocator.free / 2
                          : allocator_patience(&fill->allocator) == 0
                              ? count
                              : FILL_LOOKUPS / fill->config->pool;

    if (most == 0)
        return 1;
    return count < most ? count : most;
}

/* Returns 0, or -1 with err if there is no memory. */
static int add_candidate(struct fill *fill, uint64_t address)
{
    if (fill->candidate_count == fill->candidate_room) {
        const size_t room = 2 * fill->candidate_room + 1024;
        uint32_t *const more =
            realloc(fill->candidates, room * sizeof *fill->candidates);

        if (more == NULL)
            return err_set(fill->err, "out of memory");
        fill->candidates = more;
        fill->candidate_room = room;
    }
    fill->candidates[fill->candidate_count++] = (uint32_t)address;
    return 0;
}

/* Lets the allocator choose for a client, whose address is taken from now on.
   Whose search begins near the end of a random order may need more candidates
   than there are addresses, the next order being another one.  Returns 0, or -1
   with err. */
static int plan_client(struct fill *fill, size_t number)
{
    struct allocator *const allocator = &fill->allocator;
    uint64_t patience = allocator_patience(allocator);
    bool taken = true;

    while (taken && (!fill->full || patience-- > 0)) {
        const uint64_t candidate = allocator_candidate(allocator);

        if (add_candidate(fill, candidate) != 0)
            return -1;
        taken = allocator->taken[candidate];
        if (!taken)
            allocator_take(allocator, candidate);
    }
    assert(taken == fill->full);
    fill->ends[number] = fill->candidate_count;
    return 0;
}

/* Returns 0, or -1 with err. */
static int plan_clients(struct fill *fill, uint64_t count)
{
    free(fill->ends);
    fill->ends = calloc(count, sizeof *fill->ends);
    if (fill->ends == NULL)
        return err_set(fill->err, "out of memory");
    fill->full = fill->allocator.free == 0;
    fill->candidate_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (plan_client(fill, i) != 0)
            return -1;
    }
    return 0;
}

/* How many look-ups clients should take, if so many addresses are free.  Those
   divide the others of the pool, in the order of the allocator, into free + 1
   stretches, which are equally long on average; each client takes one and the
   free address behind it. */
static double predict(const struct fill *fill, uint64_t free, uint64_t clients)
{
    const double pool = (double)fill->config->pool;

    if (fill->config->allocator == ALLOCATOR_FREE_LIST)
        return free > 0 ? (double)clients : 0;
    return (double)clients *
           (free > 0 ? (pool + 1) / (double)(free + 1) : pool);
}

static enum load_end run_level(struct fill *fill, size_t level)
{
    struct phase_result *const phase = &fill->result->phases[level];
    const struct backend *const backend = fill->backend;
    struct usage before;
    struct usage after;
    enum load_end end = set_stage(fill, level);

    if (end != LOAD_DONE)
        return end;
    fill->phase = phase;
    phase->planned = clients_due(fill, level);
    const uint64_t free_before = fill->allocator.free;
    if (plan_clients(fill, phase->planned) != 0)
        return LOAD_FAILED;
    histogram_init(&fill->seen);
    progress_begin(fill->progress, phase->name, phase->planned, 1);
    const uint64_t syncs = load_syncs(backend, fill->session);
    usage_sample(&before);
    end = serve_clients(fill);
    usage_sample(&after);
    atomic_store(&fill->progress->phase, NULL);
    phase->usage = usage_difference(&before, &after);
    if (syncs != USAGE_UNKNOWN)
        phase->syncs = load_syncs(backend, fill->session) - syncs;
    phase->commits_due = phase->steps[ALLOCATE].hits;
    phase->hits = phase->commits_due;
    phase->steps[PROBE].predicted = predict(fill, free_before, phase->done);
    phase->misses = phase->done - phase->hits;
    return end;
}

/* The pool is that of one subnet. */
static enum load_end check_counters(const struct fill *fill, uint64_t taken)
{
    const struct lease_kind kind = {
        .subnet_id = generator_subnet_id(&fill->generator, 0),
        .type = (uint8_t)fill->generator.type,
    };
    struct lease_counts due = { .used = 0 };
    enum load_end end = LOAD_FAILED;

    if (lease_counts_add(&due, &kind, (int64_t)taken) == 0)
        end = load_check_counters(&fill->config->load, fill->backend,
                                  fill->session, &due, "after the last level",
                                  fill->err);
    else
        (void)err_set(fill->err, "out of memory");
    lease_counts_release(&due);
    return end;
}

/* Rows as many as were taken? */
static enum load_end check_count(struct fill *fill)
{
    const uint64_t taken = fill->config->pool - fill->allocator.free;
    uint64_t counted = 0;

    if (fill->backend->count(fill->session, &counted, fill->err) != 0)
        return LOAD_FAILED;
    if (!fill->backend->keeps_leases || counted == taken)
        return check_counters(fill, taken);
    (void)err_set(fill->err,
                  "%s: wrong answer: %llu leases after the last level, where a "
                  "correct store has %llu",
                  fill->backend->name, (unsigned long long)counted,
                  (unsigned long long)taken);
    return LOAD_WRONG;
}

/* In any order, each as likely: a permutation that only looks random leaves
   clumps, which the allocators would meet.  NULL if there is no memory. */
static uint32_t *shuffle(uint64_t pool, uint64_t key)
{
    uint32_t *const order = calloc(pool, sizeof *order);

    for (uint32_t i = 0; order != NULL && i < pool; i++) {
        const uint64_t at = random_below((uint32_t)random_at(key, i), i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

static int name_phases(struct load_result *result, struct err *err)
{
    if (load_result_init(result, LEVELS, err) != 0)
        return -1;
    for (size_t i = 0; i < LEVELS; i++) {
        struct phase_result *const phase = &result->phases[i];

        phase->name = levels[i].name;
        phase->steps = calloc(STEPS, sizeof *phase->steps);
        if (phase->steps == NULL)
            return err_set(err, "out of memory");
        phase->step_count = STEPS;
        for (size_t s = 0; s < STEPS; s++) {
            phase->steps[s].name = steps[s].name;
            phase->steps[s].operation = steps[s].operation;
            histogram_init(&phase->steps[s].latency);
        }
    }
    return 0;
}

enum load_end fill_run(const struct fill_config *config,
                       const struct backend *backend, struct session *session,
                       struct progress *progress, struct load_result *result,
                       struct err *err)
{
    const uint64_t seed = config->load.seed;
    struct fill *const fill = calloc(1, sizeof *fill);
    enum load_end end = LOAD_FAILED;

    assert(config->pool >= FILL_POOL_MIN && config->load.threads == 1);
    *result = (struct load_result){
        .verified = backend->keeps_leases,
        .digest = random_at(seed, SEQUENCE_DIGEST),
    };
    if (fill == NULL) {
        (void)err_set(err, "out of memory");
        return LOAD_FAILED;
    }
    *fill = (struct fill){ .config = config,
                           .backend = backend,
                           .session = session,
                           .progress = progress,
                           .result = result,
                           .err = err };
    generator_init(&fill->generator, config->load.family, config->load.profile,
                   seed);
    fill->others = shuffle(config->pool, random_at(seed, SEQUENCE_OTHERS));
    if (allocator_init(&fill->allocator, config->allocator, config->pool,
                       random_at(seed, SEQUENCE_ALLOCATOR)) != 0 ||
        fill->others == NULL)
        (void)err_set(err, "out of memory");
    else if (name_phases(result, err) == 0 && backend->reset(session, err) == 0)
        end = LOAD_DONE;
    for (size_t i = 0; i < LEVELS && end == LOAD_DONE; i++)
        end = run_level(fill, i);
    if (end == LOAD_DONE)
        end = check_count(fill);
    allocator_release(&fill->allocator);
    free(fill->others);
    free(fill->candidates);
    free(fill->ends);
    free(fill);
    return end;
}
