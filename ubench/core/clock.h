/* SPDX-License-Identifier: ISC */
/*
 * The one clock of every measurement: CLOCK_MONOTONIC, which no time daemon
 * sets back.  About 17 ns a call where the kernel can answer from user space.
 */
#ifndef UBENCH_CORE_CLOCK_H
#define UBENCH_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_US UINT64_C(1000)

/* Nanoseconds since an arbitrary start; only differences mean anything. */
static inline uint64_t clock_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
