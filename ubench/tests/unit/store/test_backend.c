/* SPDX-License-Identifier: ISC */
/* Members of struct backend that are required and missing. */
#include "store/backend.h"

#include "tests/lib/check.h"

/* The null store has every member that every store has. */
extern const struct backend null_backend;

TEST(null_misses_nothing)
{
    assert_null(backend_missing(&null_backend));
}

TEST(what_is_missing_is_named)
{
    struct backend backend = null_backend;

    backend.commit = NULL;
    assert_string_equal(backend_missing(&backend), "commit");
    backend.count = NULL;
    assert_string_equal(backend_missing(&backend), "count");
    backend.name = NULL;
    assert_string_equal(backend_missing(&backend), "name");
}

TEST(reservations_come_in_a_pair)
{
    struct backend backend = null_backend;

    backend.find_reservation = NULL;
    assert_string_equal(backend_missing(&backend), "find_reservation");
    backend.add_reservation = NULL;
    assert_null(backend_missing(&backend));
}

static int class_is_the_same(struct store *store, struct err *err)
{
    return 0;
}

TEST(a_server_has_more)
{
    static const char target[] = "ubench";
    struct backend backend = null_backend;

    backend.scope = OPT_SCOPE_SERVER;
    assert_string_equal(backend_missing(&backend), "default_target");
    backend.default_target = target;
    assert_string_equal(backend_missing(&backend), "check_class");
    backend.check_class = class_is_the_same;
    assert_string_equal(backend_missing(&backend), "ping");
    backend.ping = backend.commit;
    assert_string_equal(backend_missing(&backend), "cancel");
}

TEST(leases_have_a_durability)
{
    struct backend backend = null_backend;

    backend.keeps_leases = true;
    assert_string_equal(backend_missing(&backend), "sync_levels");
    backend.sync_levels = SYNC_BIT(SYNC_YES);
    assert_null(backend_missing(&backend));
}
