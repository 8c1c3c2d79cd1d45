/* SPDX-License-Identifier: ISC */
/*
 * The clock of all measurements: CLOCK_MONOTONIC, which no time daemon sets
 * back.  A reading takes about 17 ns where the kernel can answer from user
 * space.  Also the clock of a thread's processor time.
 */
#ifndef UBENCH_CORE_CLOCK_H
#define UBENCH_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_US UINT64_C(1000)

static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now = { 0 }; /* stays 0 if the clock's process has ended */

    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Returns nanoseconds since an arbitrary start; only differences are
   meaningful. */
static inline uint64_t clock_now_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* Returns the processor time that the calling thread has used, in nanoseconds.
   A system call of some 200 ns. */
static inline uint64_t clock_used_ns(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns after the calling thread has used ns more nanoseconds of processor
   time, plus about a microsecond.  It therefore takes longer when other threads
   compete for the processor, as real work does.  Between two readings of the
   clock the thread counts in user space, for about half a microsecond. */
static inline void busy_wait_ns(uint64_t ns)
{
    enum { TURNS = 300 };
    const uint64_t until_ns = clock_used_ns() + ns;

    while (clock_used_ns() < until_ns) {
        for (volatile unsigned turn = 0; turn < TURNS; turn++)
            continue;
    }
}

#endif
