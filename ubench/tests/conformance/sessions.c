/* SPDX-License-Identifier: ISC */
/* Groups of operations, and sessions that follow one another or work side by
   side. */
#include "tests/conformance/fixture.h"

#include <pthread.h>
#include <stdio.h>

#include "tests/lib/check.h"

TEST(groups_are_there_afterwards)
{
    enum { LEASES = 50 };
    struct fixture *const fixture = fixture_begin_test(state);

    fixture_begin(fixture);
    for (uint32_t i = 0; i < LEASES; i++) {
        const struct lease lease = fixture_lease(fixture, i);

        fixture_create(fixture, "in a group", &lease, OUTCOME_HIT);
        fixture_find(fixture, "its own group sees it", &lease);
    }
    const struct lease first = fixture_lease(fixture, 0);
    const struct lease second = fixture_lease(fixture, 1);
    struct lease changed = fixture_lease(fixture, 1000);
    changed.address = second.address;
    fixture_create(fixture, "a duplicate in a group", &first, OUTCOME_MISS);
    fixture_remove(fixture, "in a group", first.address, lease_expire_s(&first), OUTCOME_HIT);
    fixture_update(fixture, "in a group", &changed, lease_expire_s(&second), OUTCOME_HIT);
    fixture_update_stale(fixture, "a miss in a group", &changed, 5);
    fixture_commit(fixture);
    fixture_count(fixture, "all but one", LEASES - 1);
    fixture_find_none(fixture, "removed", &first);
    fixture_find_all(fixture, "updated", &changed);
    for (uint32_t i = 2; i < LEASES; i++) {
        const struct lease lease = fixture_lease(fixture, i);

        fixture_find_all(fixture, "after commit", &lease);
    }
    fixture_close(fixture);
}

TEST(groups_follow_one_another)
{
    struct fixture *const fixture = fixture_begin_test(state);

    for (uint32_t i = 0; i < 3; i++) {
        const struct lease lease = fixture_lease(fixture, i);
        const struct lease alone = fixture_lease(fixture, i + 10);

        fixture_begin(fixture);
        fixture_create(fixture, "in a group", &lease, OUTCOME_HIT);
        fixture_commit(fixture);
        fixture_begin(fixture);
        fixture_commit(fixture); /* with nothing in it */
        fixture_create(fixture, "between groups", &alone, OUTCOME_HIT);
    }
    fixture_count(fixture, "all", 6);
    fixture_close(fixture);
}

TEST(sessions_follow_one_another)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    the_backend.session_close(fixture->session);
    fixture->session = the_backend.session_open(fixture->store, &fixture->err);
    if (fixture->session == NULL)
        fail_msg("session_open: %s", fixture->err.text);
    fixture_count(fixture, "the second session", 1);
    fixture_find_all(fixture, "the second session", &lease);
    fixture_update(fixture, "the second session", &lease, lease_expire_s(&lease), OUTCOME_HIT);
    fixture_close(fixture);
}

/* One of several threads, with a session and leases of its own.  cmocka's
   checks are for the main thread; failure is "" or what went wrong. */
struct lane {
    pthread_t thread;
    struct session *session;
    enum lease_family family;
    uint32_t first; /* lease */
    char failure[TEXT_SIZE];
};

enum { LANES = 4, LANE_LEASES = 50 };

/* True if an operation has to be done once more: another one was in its way. */
static bool must_retry(enum outcome outcome, const struct err *err, int *tries)
{
    return outcome == OUTCOME_ERROR && (err->kind == ERR_BUSY || err->kind == ERR_DEADLOCK) &&
           ++*tries < 100;
}

static bool lane_hit(struct lane *lane, const char *verb, enum outcome outcome,
                     const struct err *err)
{
    if (outcome != OUTCOME_HIT && lane->failure[0] == '\0')
        (void)snprintf(lane->failure, sizeof lane->failure, "%s: %s (%.150s)", verb,
                       outcome == OUTCOME_MISS ? "MISS" : "ERROR", err->text);
    return outcome == OUTCOME_HIT;
}

/* Creates, finds and renews a lease; removes every second one. */
static bool lane_work(struct lane *lane, uint32_t i)
{
    const struct lease lease = ordinary_lease(lane->family, lane->first + i);
    struct lease renewed = lease;
    struct lease found;
    struct err err = { 0 };
    enum outcome outcome;
    int tries = 0;

    do
        outcome = the_backend.create(lane->session, &lease, &err);
    while (must_retry(outcome, &err, &tries));
    if (!lane_hit(lane, "create", outcome, &err))
        return false;
    outcome = the_backend.find(lane->session, LOOKUP_ADDRESS, &lease, &found, &err);
    if (!lane_hit(lane, "find", outcome, &err) ||
        !lane_hit(lane, "find gave another lease",
                  lease_equal(&lease, &found) ? OUTCOME_HIT : OUTCOME_MISS, &err))
        return false;
    renewed.cltt_s += 1800;
    do
        outcome = the_backend.update(lane->session, &renewed, lease_expire_s(&lease), &err);
    while (must_retry(outcome, &err, &tries));
    if (!lane_hit(lane, "update", outcome, &err))
        return false;
    if (i % 2 == 0)
        return true;
    do
        outcome = the_backend.remove(lane->session, lease.address, lease_expire_s(&renewed), &err);
    while (must_retry(outcome, &err, &tries));
    return lane_hit(lane, "remove", outcome, &err);
}

static void *run_lane(void *argument)
{
    struct lane *const lane = argument;

    for (uint32_t i = 0; i < LANE_LEASES && lane_work(lane, i); i++)
        ;
    return NULL;
}

/* In a store that is open and empty. */
static void work_side_by_side(struct fixture *fixture)
{
    struct lane lanes[LANES] = { { .session = NULL } };

    for (uint32_t i = 0; i < LANES; i++) {
        lanes[i].family = fixture->variant->config.family;
        lanes[i].first = i * 1000;
        lanes[i].session = the_backend.session_open(fixture->store, &fixture->err);
        if (lanes[i].session == NULL)
            fail_msg("session_open: %s", fixture->err.text);
    }
    for (size_t i = 0; i < LANES; i++)
        assert_int_equal(pthread_create(&lanes[i].thread, NULL, run_lane, &lanes[i]), 0);
    for (size_t i = 0; i < LANES; i++)
        assert_int_equal(pthread_join(lanes[i].thread, NULL), 0);
    for (size_t i = 0; i < LANES; i++) {
        the_backend.session_close(lanes[i].session);
        check_text("a thread", lanes[i].failure, "");
    }
    fixture_count(fixture, "half of them", LANES * LANE_LEASES / 2);
    for (uint32_t i = 0; i < LANES; i++) {
        struct lease lease = fixture_lease(fixture, i * 1000);

        lease.cltt_s += 1800;
        fixture_find_all(fixture, "the first of a thread", &lease);
    }
}

TEST(threads_work_side_by_side)
{
    struct fixture *const fixture = fixture_begin_test(state);

    work_side_by_side(fixture);
    fixture_close(fixture);
    if (!fixture->suite->file)
        return; /* a server's level is its administrator's */
    /* Where threads may share what makes their changes safe. */
    if (!fixture_open_at(fixture, SYNC_YES))
        return;
    work_side_by_side(fixture);
    fixture_close(fixture);
}
