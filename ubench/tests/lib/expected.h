/* SPDX-License-Identifier: ISC */
/*
 * Files of the tests: data, and what is expected.  They are found from the top
 * of the checkout, where the tests run.
 */
#ifndef UBENCH_TESTS_LIB_EXPECTED_H
#define UBENCH_TESTS_LIB_EXPECTED_H

#include <stdio.h>

/* Opens a file of ubench/tests by its name there; fails the test if it cannot.
 */
FILE *expected_open(const char *name, const char *mode);

/* Fails the test unless text is what stands in that file; with UBENCH_UPDATE in
   the environment it is written there instead. */
void expected_check(const char *name, const char *text);

#endif
