// SPDX-License-Identifier: ISC
// The time of day jumps by an hour at each look, forwards and back: preloaded,
// as of a machine whose clock is set while a program runs.  CLOCK_MONOTONIC
// goes on.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for syscall
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { HOUR_S = 3600 };

static atomic_uint looks;

static time_t jump(void)
{
    return atomic_fetch_add(&looks, 1) % 2 == 0 ? HOUR_S : -HOUR_S;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    const int status = (int)syscall(SYS_clock_gettime, id, now);

    if (status == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        now->tv_sec += jump();
    return status;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec exact;

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec exact;

    (void)clock_gettime(CLOCK_REALTIME, &exact);
    if (now != NULL)
        *now = exact.tv_sec;
    return exact.tv_sec;
}
