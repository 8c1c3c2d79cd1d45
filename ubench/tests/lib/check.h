/* SPDX-License-Identifier: ISC */
/*
 * What every test file starts with: cmocka, after the headers that it needs
 * but does not include, tests that list themselves, and checks that name the
 * row of the table that failed.
 */
#ifndef UBENCH_TESTS_LIB_CHECK_H
#define UBENCH_TESTS_LIB_CHECK_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * A unit test: TEST(adds) { ... }, or TEST_WITH(adds, set_up, tear_down), which
 * are called around it and share its state.  The linker lists the tests.
 */
struct unit_test {
    struct CMUnitTest test;
    const char *file;
    int line;
};
/* NOLINTBEGIN(bugprone-macro-parentheses): names */
#define TEST_WITH(name, set_up, tear_down)                                                  \
    static void name(void **state);                                                         \
    static const struct unit_test name##_test = { { #name, name, set_up, tear_down, NULL }, \
                                                  __FILE__,                                 \
                                                  __LINE__ };                               \
    static const struct unit_test *const name##_listed                                      \
        __attribute__((section("unit_tests"), used)) = &name##_test;                        \
    static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Puts all into listed, by file and line; returns how many there are. */
enum { UNIT_TESTS_MAX = 1000 };
size_t unit_tests_list(const struct unit_test *listed[static UNIT_TESTS_MAX]);

/* FIXTURE(set_up, tear_down) in a file: what is called before the first and after the
   last of its tests; either may be NULL. */
struct unit_fixture {
    int (*set_up)(void **state);
    int (*tear_down)(void **state);
    const char *file;
};
#define FIXTURE(set_up, tear_down)                                                   \
    static const struct unit_fixture file_fixture = { set_up, tear_down, __FILE__ }; \
    static const struct unit_fixture *const file_fixture_listed                      \
        __attribute__((section("unit_fixtures"), used)) = &file_fixture

/* Fails the test unless it is so; row says where in the test, what says what
   should have been so. */
static inline void check(const char *row, bool so, const char *what)
{
    if (!so)
        fail_msg("%s: not so: %s", row, what);
}

static inline void check_number(const char *row, uint64_t got, uint64_t wanted)
{
    if (got != wanted)
        fail_msg("%s: got %" PRIu64 ", wanted %" PRIu64, row, got, wanted);
}

static inline void check_text(const char *row, const char *got, const char *wanted)
{
    if (got == NULL || strcmp(got, wanted) != 0)
        fail_msg("%s:\n  got    %s\n  wanted %s", row, got != NULL ? got : "(null)", wanted);
}

#endif
