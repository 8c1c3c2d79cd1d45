/* SPDX-License-Identifier: ISC */
/*
 * What every test file starts with: cmocka, after the headers that it needs
 * but does not include, and checks that name the row of the table that failed.
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

static inline void check_text(const char *row, const char *got,
                              const char *wanted)
{
    if (got == NULL || strcmp(got, wanted) != 0)
        fail_msg("%s:\n  got    %s\n  wanted %s", row,
                 got != NULL ? got : "(null)", wanted);
}

#endif
