/* SPDX-License-Identifier: ISC */
/*
 * The one clock of every measurement: CLOCK_MONOTONIC, which no time daemon
 * sets back.  About 17 ns a call where the kernel can answer from user space.
 * And the clock of a thread, which counts the processor time that it used.
 */
#ifndef UBENCH_CORE_CLOCK_H
#define UBENCH_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_US UINT64_C(1000)

static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now = { 0 }; /* of a process that has ended */

    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Nanoseconds since an arbitrary start; only differences mean anything. */
static inline uint64_t clock_now_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* Processor time that the calling thread has used.  A system call of some
   200 ns. */
static inline uint64_t clock_used_ns(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns when the calling thread has used ns nanoseconds of processor time
   more, and about a microsecond besides: so it takes longer on a machine where
   others want the processor too, as work does.  Between two looks at the clock
   the thread counts in user space, for about half a microsecond. */
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
