/* SPDX-License-Identifier: ISC */
/*
 * What every store must do, tried through the contract alone.  Linked once per
 * store; each test runs for both families with each schema and, where there is
 * SQL, half of them with prepared statements and half without.
 *
 *     [CONFORMANCE_TESTS=PATTERN] conformance_sqlite [FILE-OR-DATABASE]
 *
 * PATTERN is one of cmocka's, '*(kea*' say: only tests with such names are run.
 * Stores in files use a folder of their own that is removed.  A server is taken
 * from UBENCH_<NAME>_HOST, _PORT, _USER, _PASSWORD and _DATABASE; without the
 * first all tests are skipped.
 */
#include "tests/conformance/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"

/* One variant's tests. */
static void name_tests(struct fixture *fixture, const struct unit_test *const *listed, size_t count,
                       char (*names)[TEXT_SIZE], struct CMUnitTest *units)
{
    for (size_t i = 0; i < count; i++) {
        units[i] = listed[i]->test;
        (void)snprintf(names[i], TEXT_SIZE, "%s (%s)", units[i].name, fixture->variant->name);
        units[i].name = names[i];
        units[i].teardown_func = fixture_end_test;
        units[i].initial_state = fixture;
    }
}

enum { SUITE_MAX = 64 };

int main(int argc, char **argv)
{
    struct suite suite;
    struct fixture fixtures[VARIANTS_MAX] = { { .suite = NULL } };
    const struct unit_test *listed[UNIT_TESTS_MAX];
    char names[VARIANTS_MAX * SUITE_MAX][TEXT_SIZE];
    struct CMUnitTest units[VARIANTS_MAX * SUITE_MAX];
    const size_t each = unit_tests_list(listed);
    size_t count = 0;

    assert_true(each <= SUITE_MAX);
    cmocka_set_test_filter(getenv("CONFORMANCE_TESTS"));
    suite_init(&suite, argc > 1 ? argv[1] : NULL);
    if (suite.skip != NULL)
        print_message("skip: %s: %s\n", the_backend.name, suite.skip);
    for (size_t v = 0; v < suite.variant_count; v++) {
        fixtures[v].suite = &suite;
        fixtures[v].variant = &suite.variants[v];
        name_tests(&fixtures[v], listed, each, names + count, units + count);
        count += each;
    }
    /* The macro cmocka_run_group_tests_name calls this, but for the size. */
    const int failed = _cmocka_run_group_tests(the_backend.name, units, count, NULL, NULL);
    suite_release(&suite);
    return failed;
}
