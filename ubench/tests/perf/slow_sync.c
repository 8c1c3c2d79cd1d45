/* SPDX-License-Identifier: ISC */
/*
 * A disk whose syncs take longer, preloaded into a database server: fsync,
 * fdatasync, and writes to a file that was opened with O_SYNC or O_DSYNC return
 * UBENCH_SLOW_SYNC_US microseconds after they have done their work.  Servers
 * start with an empty environment, so the delay is compiled in.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for syscall
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef UBENCH_SLOW_SYNC_US
#define UBENCH_SLOW_SYNC_US 500
#endif

/* A sleeping processor wakes up late, so the last part of the delay is spent
   looking at the clock. */
enum { NS_PER_US = 1000, NS_PER_S = 1000000000, AWAKE_NS = 100 * NS_PER_US };

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

static void delay(void)
{
    const int64_t end_ns = now_ns() + (int64_t)UBENCH_SLOW_SYNC_US * NS_PER_US;
    const int64_t wake_ns = end_ns - AWAKE_NS;
    const struct timespec wake = { .tv_sec = wake_ns / NS_PER_S, .tv_nsec = wake_ns % NS_PER_S };

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    while (now_ns() < end_ns) {
    }
}

int fsync(int file)
{
    const int status = (int)syscall(SYS_fsync, file);

    delay();
    return status;
}

int fdatasync(int file)
{
    const int status = (int)syscall(SYS_fdatasync, file);

    delay();
    return status;
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off_t offset)
    __attribute__((alias("pwrite")));

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset)
{
    const ssize_t written = syscall(SYS_pwrite64, file, bytes, length, offset);
    const int flags = (int)syscall(SYS_fcntl, file, F_GETFL);

    if (flags >= 0 && (flags & O_DSYNC) != 0)
        delay();
    return written;
}
