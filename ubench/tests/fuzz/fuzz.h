/* SPDX-License-Identifier: ISC */
/*
 * What is fuzzed: each file fuzz_NAME.c has one function that takes any bytes.
 * `make fuzz` links it with libFuzzer, and `make test` with replay.c, which
 * runs it on the inputs in corpus/NAME/: seeds, and all that ever failed.
 */
#ifndef UBENCH_TESTS_FUZZ_FUZZ_H
#define UBENCH_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The name is libFuzzer's.  Returns 0; what is wrong ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file in memory, the same one each time, which then has these
   bytes. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A new folder in memory, for as long as the process runs; it is empty again
   after fuzz_empty. */
const char *fuzz_folder(void);
void fuzz_empty(const char *folder);

#endif
