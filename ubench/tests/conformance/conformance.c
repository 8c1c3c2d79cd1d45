/* SPDX-License-Identifier: ISC */
/*
 * What every store must do, tried through the contract alone.  Linked once per
 * store; each test runs for both families and schemas and, where there is SQL,
 * with prepared statements and without.
 *
 *     conformance_sqlite [FILE-OR-DATABASE]
 *
 * Stores in files use a folder of their own that is removed.  A server is taken
 * from UBENCH_<NAME>_HOST, _PORT, _USER, _PASSWORD and _DATABASE; without the
 * first all tests are skipped.
 */
#include "tests/conformance/fixture.h"

#include <assert.h>
#include <stdio.h>

#include "tests/conformance/conformance.h"
#include "tests/lib/check.h"

enum { TESTS_MAX = 64 }; /* of one variant */

static const struct conformance_test *const parts[] = {
    conformance_backend,      conformance_leases,   conformance_clients,
    conformance_expiry,       conformance_sessions, conformance_counters,
    conformance_reservations, conformance_opening,  conformance_random,
};

/* One variant's tests.  Returns how many they are. */
static size_t list_tests(struct fixture *fixture, char (*names)[TEXT_SIZE],
                         struct CMUnitTest *units)
{
    size_t count = 0;

    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        for (const struct conformance_test *t = parts[p]; t->name != NULL;
             t++, count++) {
            assert(count < TESTS_MAX);
            (void)snprintf(names[count], TEXT_SIZE, "%s (%s)", t->name,
                           fixture->variant->name);
            units[count] =
                (struct CMUnitTest){ .name = names[count],
                                     .test_func = t->run,
                                     .teardown_func = fixture_end_test,
                                     .initial_state = fixture };
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    struct suite suite;
    struct fixture fixtures[VARIANTS_MAX] = { { .suite = NULL } };
    char names[VARIANTS_MAX * TESTS_MAX][TEXT_SIZE];
    struct CMUnitTest units[VARIANTS_MAX * TESTS_MAX];
    size_t count = 0;

    suite_init(&suite, argc > 1 ? argv[1] : NULL);
    if (suite.skip != NULL)
        print_message("skip: %s: %s\n", the_backend.name, suite.skip);
    for (size_t v = 0; v < suite.variant_count; v++) {
        fixtures[v].suite = &suite;
        fixtures[v].variant = &suite.variants[v];
        count += list_tests(&fixtures[v], names + count, units + count);
    }
    /* What the macro cmocka_run_group_tests_name calls, but for the size. */
    const int failed =
        _cmocka_run_group_tests(the_backend.name, units, count, NULL, NULL);
    suite_release(&suite);
    return failed;
}
