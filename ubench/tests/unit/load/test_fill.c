/* SPDX-License-Identifier: ISC */
#include "load/fill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

enum { POOL = 10000, SLOTS = POOL + 1000, LEVELS = 7, PROBE = 2, STEPS = 8 };

enum trick { TRICK_NONE, TRICK_LIE, TRICK_FAIL, TRICK_STOP, TRICK_OTHER };

/* The store: a slot for each address. */
struct session {
    bool there[SLOTS];
    struct lease leases[SLOTS];
    bool grouped; /* not timed: no tricks */
    enum trick trick;
    uint64_t at; /* at the question with this number, from 1 */
    uint64_t asked;
    struct progress *progress;
};

static bool due(struct session *session)
{
    if (session->grouped || session->trick == TRICK_NONE ||
        ++session->asked != session->at)
        return false;
    if (session->trick == TRICK_STOP)
        atomic_store(&session->progress->stop, 1);
    return session->trick != TRICK_STOP;
}

static enum outcome answer(struct session *session, bool right,
                           struct lease *found, struct err *err)
{
    if (!due(session))
        return right ? OUTCOME_HIT : OUTCOME_MISS;
    if (session->trick == TRICK_FAIL) {
        (void)err_set_class(err, ERR_LOST, "fake: gone");
        return OUTCOME_ERROR;
    }
    if (session->trick == TRICK_OTHER) {
        found->valid_s++;
        return right ? OUTCOME_HIT : OUTCOME_MISS;
    }
    return right ? OUTCOME_MISS : OUTCOME_HIT;
}

static size_t slot(struct lease_address address)
{
    return (address.low - UINT32_C(0x01000000)) % SLOTS;
}

static int fake_reset(struct session *session, struct err *err)
{
    memset(session->there, 0, sizeof session->there);
    return 0;
}

static int fake_count(struct session *session, uint64_t *count, struct err *err)
{
    *count = 0;
    for (size_t i = 0; i < SLOTS; i++)
        *count += session->there[i];
    return 0;
}

static enum outcome fake_create(struct session *session,
                                const struct lease *lease, struct err *err)
{
    const size_t i = slot(lease->address);
    struct lease unused;
    const enum outcome outcome =
        answer(session, !session->there[i], &unused, err);

    if (outcome == OUTCOME_HIT) {
        session->there[i] = true;
        session->leases[i] = *lease;
    }
    return outcome;
}

static enum outcome fake_find_by_address(struct session *session,
                                         struct lease_address address,
                                         enum lease_type type,
                                         struct lease *found, struct err *err)
{
    const size_t i = slot(address);

    *found = session->leases[i];
    return answer(session, session->there[i], found, err);
}

/* New clients only, whom nobody knows, neither by client-id nor by hwaddr. */
static enum outcome fake_find_client(struct session *session, const uint8_t *id,
                                     size_t length, struct lease *found,
                                     struct err *err)
{
    (void)id;
    (void)length;
    return answer(session, false, found, err);
}

static enum outcome fake_remove(struct session *session,
                                struct lease_address address, int64_t expire_s,
                                struct err *err)
{
    const size_t i = slot(address);
    const bool right =
        session->there[i] && lease_expire_s(&session->leases[i]) == expire_s;

    session->there[i] = session->there[i] && !right;
    return right ? OUTCOME_HIT : OUTCOME_MISS;
}

static int fake_begin(struct session *session, struct err *err)
{
    session->grouped = true;
    return 0;
}

static int fake_commit(struct session *session, struct err *err)
{
    session->grouped = false;
    return 0;
}

static const struct backend fake = {
    .name = "fake",
    .keeps_leases = true,
    .reset = fake_reset,
    .count = fake_count,
    .create = fake_create,
    .find_by_address = fake_find_by_address,
    .find_by_client_id = fake_find_client,
    .find_by_hwaddr = fake_find_client,
    .remove = fake_remove,
    .begin = fake_begin,
    .commit = fake_commit,
};

static enum load_end run_config(struct session *session,
                                const struct load_config *config,
                                struct load_result *result, struct err *err)
{
    struct progress *const progress = progress_new();

    assert_non_null(progress);
    session->progress = progress;
    const struct load_context context = { .backend = &fake,
                                          .sessions = &session,
                                          .progress = progress };
    const enum load_end end = workload_fill.run(config, &context, result, err);
    progress_free(progress);
    return end;
}

static enum load_end run(struct session *session, enum allocator_kind allocator,
                         struct load_result *result, struct err *err)
{
    const struct load_config config = {
        .count = 200,
        .seed = 1,
        .threads = 1,
        .batch = 1,
        .latency = true,
        .pool = POOL,
        .allocator = allocator,
    };

    return run_config(session, &config, result, err);
}

static struct session *new_session(enum trick trick, uint64_t at)
{
    struct session *const session = calloc(1, sizeof *session);

    assert_non_null(session);
    session->trick = trick;
    session->at = at;
    return session;
}

static double probes(const struct phase_result *phase)
{
    const struct step_result *const step = &phase->steps[PROBE];

    return (double)(step->hits + step->misses) / (double)phase->done;
}

static double predicted(const struct phase_result *phase)
{
    return phase->steps[PROBE].predicted / (double)phase->done;
}

/* A candidate is free with probability 1 - u: 1 / (1 - u) look-ups, geometric,
   so the mean of n varies by 1 / (1 - u) / sqrt(n); four times that. */
TEST(probes_follow_the_utilisation)
{
    static const double expected[LEVELS - 1] = { 1, 2, 4, 10, 20, 100 };

    for (int kind = ALLOCATOR_ITERATIVE; kind <= ALLOCATOR_RANDOM; kind++) {
        struct session *const session = new_session(TRICK_NONE, 0);
        struct load_result result;
        struct err err = { 0 };

        assert_int_equal(run(session, (enum allocator_kind)kind, &result, &err),
                         LOAD_DONE);
        assert_int_equal(result.phase_count, LEVELS);
        for (size_t i = 0; i < LEVELS - 1; i++) {
            const uint64_t done = result.phases[i].done;
            const double slack = 4 * expected[i] / (done >= 200 ? 14.1 : 7.07);

            assert_int_equal(done, i < LEVELS - 2 ? 200 : 50);
            assert_int_equal(result.phases[i].commits_due, done);
            if (probes(&result.phases[i]) < expected[i] - slack ||
                probes(&result.phases[i]) > expected[i] + slack)
                fail_msg("%s: %.2f look-ups, expected %.0f",
                         result.phases[i].name, probes(&result.phases[i]),
                         expected[i]);
            assert_true(predicted(&result.phases[i]) > 0.99 * expected[i]);
            assert_true(predicted(&result.phases[i]) <= expected[i]);
        }
        /* Refused after one look at each address, and nothing written. */
        assert_int_equal(result.phases[LEVELS - 1].done, 10);
        assert_int_equal(probes(&result.phases[LEVELS - 1]), POOL);
        assert_true(predicted(&result.phases[LEVELS - 1]) == (double)POOL);
        assert_int_equal(result.phases[LEVELS - 1].commits_due, 0);
        assert_int_equal(result.left, 0);
        load_result_release(&result);
        free(session);
    }
}

/* Pools so small that 1 / (1 - u) is far off, where clumps would show: one
   client of each of many seeds.  The standard deviation of a mean is at most
   that of the geometric distribution; four times that.  With a single free
   address it matters that random orders end: half as many again at most. */
TEST(small_pools_take_what_is_predicted)
{
    enum { SEEDS = 400, SMALL = 100 };
    static const double expected[LEVELS] = { 1,         101. / 51, 101. / 26,
                                             101. / 11, 101. / 6,  101. / 2,
                                             100 };
    struct session *const session = new_session(TRICK_NONE, 0);

    for (int kind = ALLOCATOR_ITERATIVE; kind <= ALLOCATOR_RANDOM; kind++) {
        double sums[LEVELS] = { 0 };

        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const struct load_config config = {
                .count = 1,
                .seed = seed,
                .threads = 1,
                .batch = 1,
                .pool = SMALL,
                .allocator = (enum allocator_kind)kind,
            };
            struct load_result result;
            struct err err = { 0 };

            assert_int_equal(run_config(session, &config, &result, &err),
                             LOAD_DONE);
            for (size_t i = 0; i < LEVELS; i++) {
                sums[i] += probes(&result.phases[i]);
                assert_true(fabs(predicted(&result.phases[i]) - expected[i]) <
                            1e-9);
            }
            load_result_release(&result);
        }
        for (size_t i = 0; i < LEVELS; i++) {
            const double mean = sums[i] / (double)SEEDS;
            const bool ends = kind == ALLOCATOR_RANDOM && i == LEVELS - 2;
            const double most = expected[i] * (ends ? 1.5 : 1);
            const double slack = 4 * expected[i] / sqrt(SEEDS);

            if (mean < expected[i] - slack || mean > most + slack)
                fail_msg("level %zu: %.2f look-ups, expected %.2f", i, mean,
                         expected[i]);
        }
    }
    free(session);
}

TEST(a_free_list_never_looks_twice)
{
    struct session *const session = new_session(TRICK_NONE, 0);
    struct load_result result;
    struct err err = { 0 };

    assert_int_equal(run(session, ALLOCATOR_FREE_LIST, &result, &err),
                     LOAD_DONE);
    for (size_t i = 0; i < LEVELS; i++) {
        assert_int_equal(probes(&result.phases[i]), i < LEVELS - 1 ? 1 : 0);
        assert_true(predicted(&result.phases[i]) == probes(&result.phases[i]));
    }
    load_result_release(&result);
    free(session);
}

/* A client's latency is that of its questions and nothing else. */
TEST(only_questions_are_timed)
{
    struct session *const session = new_session(TRICK_NONE, 0);
    struct load_result result;
    struct err err = { 0 };

    assert_int_equal(run(session, ALLOCATOR_RANDOM, &result, &err), LOAD_DONE);
    for (size_t i = 0; i < LEVELS; i++) {
        const struct phase_result *const phase = &result.phases[i];
        uint64_t questions_ns = 0;

        for (size_t s = 0; s < STEPS; s++)
            questions_ns += phase->steps[s].latency.sum_ns;
        assert_int_equal(phase->operations.count, phase->done);
        assert_int_equal(phase->operations.sum_ns, questions_ns);
        assert_true(questions_ns <= phase_elapsed_ns(phase));
    }
    load_result_release(&result);
    free(session);
}

/* A question of each step, and later ones. */
TEST(faults_are_noticed)
{
    static const struct {
        enum trick trick;
        enum load_end end;
        const char *says;
    } rows[] = {
        { TRICK_LIE, LOAD_WRONG, "wrong answer" },
        { TRICK_FAIL, LOAD_FAILED, "fake: gone" },
        { TRICK_STOP, LOAD_INTERRUPTED, "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t at = 1; at <= 200 * STEPS * 3;
             at += at <= STEPS ? 1 : 37) {
            struct session *const session = new_session(rows[i].trick, at);
            struct load_result result;
            struct err err = { 0 };

            assert_int_equal(run(session, ALLOCATOR_RANDOM, &result, &err),
                             rows[i].end);
            assert_non_null(strstr(err.text, rows[i].says));
            load_result_release(&result);
            free(session);
        }
    }
}

/* At 99 % nearly every look-up finds another's lease. */
TEST(another_lease_is_noticed)
{
    struct session *const session = new_session(TRICK_OTHER, 15000);
    struct load_result result;
    struct err err = { 0 };

    assert_int_equal(run(session, ALLOCATOR_RANDOM, &result, &err), LOAD_WRONG);
    assert_non_null(strstr(err.text, "a lease with another"));
    load_result_release(&result);
    free(session);
}
