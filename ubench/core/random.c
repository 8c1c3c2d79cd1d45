/* SPDX-License-Identifier: ISC */
#include "core/random.h"

/*
 * Each round consists of bijections of 2^bits numbers: add a constant, multiply
 * by an odd one, xor with a shift.  A result outside 0..count-1 is permuted
 * again ("cycle walking"), fewer than twice on average.  Source: Black and
 * Rogaway, "Ciphers with arbitrary finite domains", 2002.
 */
enum { ROUNDS = 2 };

void permutation_init(struct permutation *permutation, uint64_t count, uint64_t key)
{
    unsigned bits = 1;

    while (bits < 62 && (UINT64_C(1) << bits) < count)
        bits++;
    permutation->count = count;
    permutation->mask = (UINT64_C(1) << bits) - 1;
    permutation->shift = (bits + 1) / 2;
    permutation->factor = random_at(key, 0) | 1;
    permutation->offset = random_at(key, 1);
    /* Each step of Newton's iteration doubles the number of correct bits: 3, 6,
       12, 24, 48, 96. */
    permutation->inverse = permutation->factor;
    for (int i = 0; i < 5; i++)
        permutation->inverse *= 2 - permutation->factor * permutation->inverse;
}

uint64_t permutation_at(const struct permutation *permutation, uint64_t i)
{
    const uint64_t mask = permutation->mask;

    do {
        for (int round = 0; round < ROUNDS; round++) {
            i = ((i + permutation->offset) * permutation->factor) & mask;
            i ^= i >> permutation->shift;
        }
    } while (i >= permutation->count);
    return i;
}

uint64_t permutation_find(const struct permutation *permutation, uint64_t value)
{
    const uint64_t mask = permutation->mask;

    do {
        for (int round = 0; round < ROUNDS; round++) {
            value ^= value >> permutation->shift;
            value = (value * permutation->inverse - permutation->offset) & mask;
        }
    } while (value >= permutation->count);
    return value;
}
