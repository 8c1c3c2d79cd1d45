/* SPDX-License-Identifier: ISC */
#include "load/workloads.h"

#include <math.h>

#include "tests/lib/check.h"
#include "tests/lib/store_trial.h"

enum { POOL = 10000, LEVELS = 7, PROBE = 2, STEPS = 8 };

static struct store_trial *run_config(const struct load_config *config, const struct fault *fault)
{
    struct store_trial *const trial = trial_new(fault);

    (void)trial_run_on(trial, &workload_fill, config, 0);
    return trial;
}

static struct store_trial *run(enum allocator_kind allocator, uint64_t pool,
                               const struct fault *fault)
{
    const struct load_config config = {
        .count = 200,
        .seed = 1,
        .threads = 1,
        .batch = 1,
        .latency = true,
        .pool = { .size = pool, .allocator = allocator },
    };

    return run_config(&config, fault);
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
        struct store_trial *const trial = run((enum allocator_kind)kind, POOL, NULL);
        const struct phase_result *const phases = trial->result.phases;

        assert_int_equal(trial->end, LOAD_DONE);
        assert_int_equal(trial->result.phase_count, LEVELS);
        for (size_t i = 0; i < LEVELS - 1; i++) {
            const uint64_t done = phases[i].done;
            const double slack = 4 * expected[i] / (done >= 200 ? 14.1 : 7.07);

            assert_int_equal(done, i < LEVELS - 2 ? 200 : 50);
            assert_int_equal(phases[i].commits_due, done);
            if (probes(&phases[i]) < expected[i] - slack ||
                probes(&phases[i]) > expected[i] + slack)
                fail_msg("%s: %.2f look-ups, expected %.0f", phases[i].name, probes(&phases[i]),
                         expected[i]);
            assert_true(predicted(&phases[i]) > 0.99 * expected[i]);
            assert_true(predicted(&phases[i]) <= expected[i]);
        }
        /* Refused after one look at each address, and nothing written. */
        assert_int_equal(phases[LEVELS - 1].done, 10);
        assert_int_equal(probes(&phases[LEVELS - 1]), POOL);
        assert_true(predicted(&phases[LEVELS - 1]) == (double)POOL);
        assert_int_equal(phases[LEVELS - 1].commits_due, 0);
        assert_int_equal(trial->result.left, 0);
        trial_free(trial);
    }
}

/* Pools so small that 1 / (1 - u) is far off, where clumps would show: one
   client of each of many seeds.  The standard deviation of a mean is at most
   that of the geometric distribution; four times that.  With a single free
   address it matters that random orders end: half as many again at most. */
TEST(small_pools_take_what_is_predicted)
{
    enum { SEEDS = 400, SMALL = 100 };
    static const double expected[LEVELS] = { 1,        101. / 51, 101. / 26, 101. / 11,
                                             101. / 6, 101. / 2,  100 };

    for (int kind = ALLOCATOR_ITERATIVE; kind <= ALLOCATOR_RANDOM; kind++) {
        double sums[LEVELS] = { 0 };

        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const struct load_config config = {
                .count = 1,
                .seed = seed,
                .threads = 1,
                .batch = 1,
                .pool = { .size = SMALL, .allocator = (enum allocator_kind)kind },
            };
            struct store_trial *const trial = run_config(&config, NULL);
            const struct phase_result *const phases = trial->result.phases;

            assert_int_equal(trial->end, LOAD_DONE);
            for (size_t i = 0; i < LEVELS; i++) {
                sums[i] += probes(&phases[i]);
                assert_true(fabs(predicted(&phases[i]) - expected[i]) < 1e-9);
            }
            trial_free(trial);
        }
        for (size_t i = 0; i < LEVELS; i++) {
            const double mean = sums[i] / (double)SEEDS;
            const bool ends = kind == ALLOCATOR_RANDOM && i == LEVELS - 2;
            const double most = expected[i] * (ends ? 1.5 : 1);
            const double slack = 4 * expected[i] / sqrt(SEEDS);

            if (mean < expected[i] - slack || mean > most + slack)
                fail_msg("level %zu: %.2f look-ups, expected %.2f", i, mean, expected[i]);
        }
    }
}

TEST(a_free_lease_queue_never_looks_twice)
{
    struct store_trial *const trial = run(ALLOCATOR_FLQ, POOL, NULL);
    const struct phase_result *const phases = trial->result.phases;

    assert_int_equal(trial->end, LOAD_DONE);
    for (size_t i = 0; i < LEVELS; i++) {
        assert_int_equal(probes(&phases[i]), i < LEVELS - 1 ? 1 : 0);
        assert_true(predicted(&phases[i]) == probes(&phases[i]));
    }
    trial_free(trial);
}

/* A client's latency has that of its questions. */
TEST(questions_are_part_of_the_latency)
{
    struct store_trial *const trial = run(ALLOCATOR_RANDOM, POOL, NULL);

    assert_int_equal(trial->end, LOAD_DONE);
    for (size_t i = 0; i < LEVELS; i++) {
        const struct phase_result *const phase = &trial->result.phases[i];
        uint64_t questions_ns = 0;

        for (size_t s = 0; s < STEPS; s++)
            questions_ns += phase->steps[s].latency.sum_ns;
        assert_int_equal(phase->operations.count, phase->done);
        assert_true(questions_ns <= phase->operations.sum_ns);
        assert_true(phase->operations.sum_ns <= phase_elapsed_ns(phase));
    }
    trial_free(trial);
}

/* Several threads and servers fill the pool to the same levels. */
TEST(threads_share_the_pool)
{
    for (int kind = ALLOCATOR_ITERATIVE; kind <= ALLOCATOR_FLQ; kind++) {
        const struct load_config config = {
            .count = 100,
            .seed = 1,
            .threads = 4,
            .batch = 1,
            .pool = { .allocator = (enum allocator_kind)kind, .size = 2000, .servers = 2 },
        };
        struct store_trial *const trial = run_config(&config, NULL);

        if (trial->end != LOAD_DONE)
            fail_msg("%s", trial->err.text);
        for (size_t i = 0; i < LEVELS; i++) {
            const struct phase_result *const phase = &trial->result.phases[i];

            assert_int_equal(i < LEVELS - 1 ? phase->hits : phase->misses, phase->done);
            assert_int_equal(phase->allocation.offered, phase->hits + phase->allocation.lost);
            assert_true(predicted(phase) == 0);
        }
        assert_int_equal(trial->result.left, 0);
        trial_free(trial);
    }
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
        for (uint64_t at = 1; at <= UINT64_C(200) * STEPS * 3; at += at <= STEPS ? 1 : 211) {
            const struct fault fault = { ANY_LETTER, rows[i].trick, at, 0 };
            struct store_trial *const trial = run(ALLOCATOR_RANDOM, POOL / 5, &fault);

            assert_int_equal(trial->end, rows[i].end);
            assert_non_null(strstr(trial->err.text, rows[i].says));
            trial_free(trial);
        }
    }
}

/* At 99 % nearly every look-up finds another's lease. */
TEST(another_lease_is_noticed)
{
    const struct fault fault = { ANY_LETTER, TRICK_ALTER, 15000, 5 };
    struct store_trial *const trial = run(ALLOCATOR_RANDOM, POOL, &fault);

    assert_int_equal(trial->end, LOAD_WRONG);
    assert_non_null(strstr(trial->err.text, "a lease whose"));
    trial_free(trial);
}
