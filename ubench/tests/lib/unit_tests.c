/* SPDX-License-Identifier: ISC */
#include <assert.h>
#include <stdlib.h>

#include "tests/lib/check.h"

/* The linker's names for the beginning and the end of the list. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
extern const struct unit_test *const __start_unit_tests[];
extern const struct unit_test *const __stop_unit_tests[];
/* NOLINTEND(bugprone-reserved-identifier) */

static int by_place(const void *a, const void *b)
{
    const struct unit_test *const left = *(const struct unit_test *const *)a;
    const struct unit_test *const right = *(const struct unit_test *const *)b;
    const int order = strcmp(left->file, right->file);

    return order != 0 ? order : left->line - right->line;
}

size_t unit_tests_list(const struct unit_test *listed[static UNIT_TESTS_MAX])
{
    const size_t count = (size_t)(__stop_unit_tests - __start_unit_tests);

    assert(count <= UNIT_TESTS_MAX);
    memcpy(listed, __start_unit_tests, count * sizeof *listed);
    qsort(listed, count, sizeof *listed, by_place);
    return count;
}
