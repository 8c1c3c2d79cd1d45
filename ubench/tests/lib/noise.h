/* SPDX-License-Identifier: ISC */
/*
 * Rates of real runs, to try statistics on: what a shared machine does to
 * them.  A virtual machine with two processors, kernel 6.18, ext4; the runners
 * had real-time priority while other jobs compiled and tested (load 10 to 20).
 * In blocks of twelve short runs in a row of the same command.  In operations
 * per second, of create, search, update and delete.
 */
#ifndef UBENCH_TESTS_LIB_NOISE_H
#define UBENCH_TESTS_LIB_NOISE_H

enum { NOISES = 3, NOISE_BLOCKS = 20, NOISE_RUNS = 12, NOISE_PHASES = 4 };

struct noise {
    const char *name;
    double rates[NOISE_BLOCKS][NOISE_RUNS][NOISE_PHASES];
};

/* Reads noise.txt. */
void noise_read(struct noise noises[NOISES]);

#endif
