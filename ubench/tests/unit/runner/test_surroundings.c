/* SPDX-License-Identifier: ISC */
/* Runs that changed leases faster than the disk can sync. */
#include "runner/runner.h"

#include "core/clock.h"
#include "tests/lib/check.h"

/* A sync takes a millisecond, a phase a second, and a fifth more is tolerated. */
static bool is_too_fast(uint64_t batch, uint64_t threads, uint64_t commits, bool together)
{
    static struct phase_result phases[2]; /* large */
    const struct runner_config config = { .load = { .batch = batch, .threads = threads } };
    const struct result result = { .config = &config,
                                   .baselines = { .fdatasync_min_ns = (double)NS_PER_S / 1000 } };
    const struct load_result run = { .phases = phases,
                                     .phase_count = COUNT_OF(phases),
                                     .together = together };
    struct surroundings surroundings = { .too_fast = false };

    for (size_t i = 0; i < COUNT_OF(phases); i++)
        phases[i] = (struct phase_result){ .commits_due = commits,
                                           .begun_ns = 1,
                                           .ended_ns = 1 + NS_PER_S };
    surroundings_note_run(&surroundings, &result, &run);
    return surroundings.too_fast;
}

TEST(changes_share_syncs_in_batches_and_threads)
{
    static const struct {
        uint64_t batch, threads, most;
    } rows[] = { { 1, 1, 1200 }, { 1, 4, 4800 }, { 3, 1, 3600 }, { 3, 4, 14400 } };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t most = rows[i].most;

        assert_false(is_too_fast(rows[i].batch, rows[i].threads, most - 10, false));
        assert_true(is_too_fast(rows[i].batch, rows[i].threads, most + 10, false));
    }
}

/* Phases that ran together have one time. */
TEST(changes_of_one_time_are_added_up)
{
    assert_false(is_too_fast(1, 1, 700, false));
    assert_true(is_too_fast(1, 1, 700, true));
    assert_false(is_too_fast(1, 1, 500, true));
}
