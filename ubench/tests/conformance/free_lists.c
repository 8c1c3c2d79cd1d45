/* SPDX-License-Identifier: ISC */
/* Lists of free addresses in a store, from which servers that share it pick. */
#include "tests/conformance/fixture.h"

#include "tests/lib/check.h"

enum { POOL = 6, TAKEN = 2, FREE = POOL - TAKEN };

static void check_free(struct fixture *fixture, const char *what, uint64_t wanted)
{
    uint64_t free = 99;
    uint64_t leased = 99;

    const int status = the_backend.count_free(fixture->session, &free, &leased, &fixture->err);
    check_text(what, fixture->err.text, "");
    check(what, status == 0, "count_free");
    check_number(what, free, wanted);
    check_number(what, leased, 0);
}

/* Returns the number of the address that was picked; POOL: none. */
static uint64_t pick(struct fixture *fixture, const char *what)
{
    const struct lease_address first = fixture_lease(fixture, 0).address;
    struct lease_address picked = { .low = 0 };

    const enum outcome outcome =
        the_backend.pick_free(fixture->session, first, POOL, &picked, &fixture->err);
    check_text(what, fixture->err.text, "");
    check(what, outcome != OUTCOME_ERROR, "pick_free");
    if (outcome == OUTCOME_MISS)
        return POOL;
    check(what, picked.low - first.low < POOL, "an address of the pool");
    return picked.low - first.low;
}

/* The addresses 0 and 2 are taken before; the others are picked, each once, and then those of
   Kea's queue again. */
static void check_picks(struct fixture *fixture, const char *what, enum free_list list)
{
    static const uint64_t free[FREE] = { 1, 3, 4, 5 };

    for (size_t i = 0; i < FREE; i++)
        check_number(what, pick(fixture, what), free[i]);
    check_number(what, pick(fixture, what), list == FREE_LIST_SHARED_FLQ ? free[0] : POOL);
    check_free(fixture, what, FREE);
}

/* Updates a lease in the state, by the next transaction time, after which so many addresses are
   free. */
static void update(struct fixture *fixture, const char *what, struct lease *lease,
                   enum lease_state state, uint64_t free)
{
    const int64_t expire_s = lease_expire_s(lease);

    lease->state = (uint8_t)state;
    lease->cltt_s++;
    fixture_update(fixture, what, lease, expire_s, OUTCOME_HIT);
    fixture_find(fixture, what, lease);
    check_free(fixture, what, free);
}

/* The address of a lease returns when the lease is reclaimed or removed, and only then. */
static void check_ends(struct fixture *fixture, const char *what)
{
    struct lease lease = fixture_lease(fixture, 3);

    update(fixture, what, &lease, LEASE_STATE_DEFAULT, 0);
    update(fixture, what, &lease, LEASE_STATE_RELEASED, 0);
    update(fixture, what, &lease, LEASE_STATE_RECLAIMED, 1);
    update(fixture, what, &lease, LEASE_STATE_RECLAIMED, 1);
    fixture_update_stale(fixture, what, &lease, 5);
    check_free(fixture, what, 1);
    update(fixture, what, &lease, LEASE_STATE_DEFAULT, 0);
    fixture_remove_stale(fixture, what, lease.address, 5);
    check_free(fixture, what, 0);
    fixture_remove(fixture, what, lease.address, lease_expire_s(&lease), OUTCOME_HIT);
    check_free(fixture, what, 1);
    check_number(what, pick(fixture, what), 3);
    fixture_create(fixture, what, &lease, OUTCOME_HIT);
    check_free(fixture, what, 0);
}

static void check_list(struct fixture *fixture, const char *what, enum free_list list)
{
    const struct lease_address first = fixture_lease(fixture, 0).address;
    uint64_t left = FREE;

    fixture_begin(fixture);
    for (uint32_t i = 0; i < 2 * TAKEN; i += 2) {
        const struct lease lease = fixture_lease(fixture, i);

        fixture_create(fixture, what, &lease, OUTCOME_HIT);
    }
    fixture_commit(fixture);
    const int status = the_backend.make_free_list(fixture->session, first, POOL, &fixture->err);
    check(what, status == 0, "make_free_list");
    check_text(what, fixture->err.text, "");
    check_free(fixture, what, FREE);
    check_picks(fixture, what, list);
    for (uint32_t i = 0; i < POOL; i++) {
        const struct lease lease = fixture_lease(fixture, i);
        const bool free = i % 2 != 0 || i >= 2 * TAKEN;

        fixture_create(fixture, what, &lease, free ? OUTCOME_HIT : OUTCOME_MISS);
        fixture_find(fixture, what, &lease);
        fixture_create(fixture, what, &lease, OUTCOME_MISS);
        left -= free;
        check_free(fixture, what, left);
    }
    check_number(what, pick(fixture, what), POOL);
    fixture_count(fixture, what, POOL);
    check_ends(fixture, what);
}

TEST(free_lists_agree_with_the_leases)
{
    static const char *const names[] = { "none", "shared-flq", "skip-locked" };
    struct fixture *const fixture = *state;
    const struct variant *const variant = fixture->variant;
    struct variant listing = *variant;

    if (fixture->suite->skip != NULL)
        skip();
    if (variant->config.family != LEASE_FAMILY_V4 || variant->config.schema == SCHEMA_LEAN)
        return;
    fixture->variant = &listing;
    for (unsigned list = FREE_LIST_SHARED_FLQ; list <= FREE_LIST_SKIP_LOCKED; list++) {
        if ((the_backend.free_lists & FREE_LIST_BIT(list)) == 0)
            continue;
        listing.config.free_list = (enum free_list)list;
        fixture_open(fixture);
        check_list(fixture, names[list], (enum free_list)list);
        fixture_close(fixture);
    }
    fixture->variant = variant;
}
