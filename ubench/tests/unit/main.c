/* SPDX-License-Identifier: ISC */
/* The main of every unit test: runs what TEST lists in its program. */
#include "tests/lib/check.h"

int main(int argc, char **argv)
{
    const struct unit_test *listed[UNIT_TESTS_MAX];
    struct CMUnitTest tests[UNIT_TESTS_MAX] = { { .name = NULL } };
    const char *const slash = strrchr(argv[0], '/');
    const bool fixed = &unit_fixture != NULL;
    const size_t count = unit_tests_list(listed);

    (void)argc;
    for (size_t i = 0; i < count; i++)
        tests[i] = listed[i]->test;
    /* Those without a name are none. */
    return cmocka_run_group_tests_name(slash != NULL ? slash + 1 : argv[0],
                                       tests,
                                       fixed ? unit_fixture.set_up : NULL,
                                       fixed ? unit_fixture.tear_down : NULL);
}
