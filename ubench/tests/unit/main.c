/* SPDX-License-Identifier: ISC */
/*
 * All unit tests: a group for each file.  Arguments choose files by the beginning of their
 * paths, load/ or core/test_units, say.  Exit status 1 if one failed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"

/* The linker's names for the beginning and the end of the list. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
extern const struct unit_fixture *const __start_unit_fixtures[];
extern const struct unit_fixture *const __stop_unit_fixtures[];
/* NOLINTEND(bugprone-reserved-identifier) */

enum { FILE_TESTS_MAX = 64 };

/* The path of a file below unit/. */
static const char *path_of(const char *file)
{
    const char *const unit = strstr(file, "tests/unit/");

    return unit != NULL ? unit + strlen("tests/unit/") : file;
}

static bool is_chosen(const char *path, int count, char **prefixes)
{
    for (int i = 0; i < count; i++) {
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return count == 0;
}

/* Runs the tests of one file; returns how many failed. */
static int run_file(const struct unit_test **listed, size_t count)
{
    struct CMUnitTest tests[FILE_TESTS_MAX] = { { .name = NULL } };
    const struct unit_fixture *fixture = NULL;

    if (count > FILE_TESTS_MAX)
        abort();
    for (size_t i = 0; i < count; i++)
        tests[i] = listed[i]->test;
    for (const struct unit_fixture *const *f = __start_unit_fixtures; f < __stop_unit_fixtures;
         f++) {
        if (strcmp((*f)->file, listed[0]->file) == 0)
            fixture = *f;
    }
    /* Tests without a name are none. */
    return cmocka_run_group_tests_name(path_of(listed[0]->file), tests,
                                       fixture != NULL ? fixture->set_up : NULL,
                                       fixture != NULL ? fixture->tear_down : NULL);
}

int main(int argc, char **argv)
{
    const struct unit_test *listed[UNIT_TESTS_MAX];
    const size_t count = unit_tests_list(listed);
    int failed = 0;
    bool any = false;

    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count; end++) {
            if (strcmp(listed[end]->file, listed[i]->file) != 0)
                break;
        }
        if (!is_chosen(path_of(listed[i]->file), argc - 1, argv + 1))
            continue;
        any = true;
        failed += run_file(listed + i, end - i);
        (void)fflush(stdout);
    }
    if (!any)
        (void)fprintf(stderr, "no test file begins with %s\n", argv[1]);
    return failed != 0 || !any;
}
