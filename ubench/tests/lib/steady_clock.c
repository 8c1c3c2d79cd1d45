// SPDX-License-Identifier: ISC
// Each thread has a clock of its own, which goes on at each look by a step that depends on
// the number of the look alone: preloaded, so that latencies depend on what is done and not
// on the machine.  A thread's clock begins with the time.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for syscall
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, SHORTEST_NS = 40, STEPS = 1009, STEP_NS = 7 };

static _Thread_local uint64_t now_ns;
static _Thread_local uint64_t looks;

int clock_gettime(clockid_t id, struct timespec *now)
{
    if (id != CLOCK_MONOTONIC || now_ns == 0) {
        const int status = (int)syscall(SYS_clock_gettime, id, now);

        if (id == CLOCK_MONOTONIC)
            now_ns = (uint64_t)now->tv_sec * NS_PER_S + (uint64_t)now->tv_nsec;
        return status;
    }
    looks++;
    now_ns += SHORTEST_NS + looks * looks % STEPS * STEP_NS;
    now->tv_sec = (time_t)(now_ns / NS_PER_S);
    now->tv_nsec = (long)(now_ns % NS_PER_S);
    return 0;
}
