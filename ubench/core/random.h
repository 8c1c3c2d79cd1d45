/* SPDX-License-Identifier: ISC */
/*
 * Random numbers that depend only on a key and a position, never on earlier
 * draws: the i-th draw is the same on every store and for any number of
 * threads.
 */
#ifndef UBENCH_CORE_RANDOM_H
#define UBENCH_CORE_RANDOM_H

#include <stdint.h>

/*
 * Applies the finaliser of splitmix64, a bijection of 64 bits.  Source: Steele,
 * Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 */
static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Returns the i-th of a sequence of independent 64-bit numbers; key selects the
   sequence. */
static inline uint64_t random_at(uint64_t key, uint64_t i)
{
    return random_mix(key + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/*
 * Maps 32 random bits onto 0..bound-1 (bound at most 2^32) without a
 * division.  The bias is below bound/2^32.  Source: Lemire, "Fast random
 * integer generation in an interval", ACM TOMACS 2019.
 */
static inline uint64_t random_below(uint32_t random_bits, uint64_t bound)
{
    return (random_bits * bound) >> 32;
}

/*
 * A bijection of 0..count-1 that looks random; see permutation_init.  It is
 * fast and takes no memory, but some keys map neighbours to neighbours too
 * often (17 of 100 if count is 1000, 3 from 100,000 on).  Use it to spread
 * work.  Where a figure depends on true randomness, shuffle.
 */
struct permutation {
    uint64_t count;
    uint64_t mask;    /* the smallest 2^bits - 1 that covers count - 1 */
    unsigned shift;   /* at least half of bits, so that x ^= x >> shift is its
                         own inverse */
    uint64_t factor;  /* odd */
    uint64_t inverse; /* factor * inverse = 1, modulo 2^64 */
    uint64_t offset;
};

/* Initialises the permutation of 0..count-1 for a key; count from 1 to 2^62. */
void permutation_init(struct permutation *permutation, uint64_t count, uint64_t key);

/* Returns the value that position i (below count) maps to. */
uint64_t permutation_at(const struct permutation *permutation, uint64_t i);

/* Returns the position that maps to value (below count). */
uint64_t permutation_find(const struct permutation *permutation, uint64_t value);

#endif
