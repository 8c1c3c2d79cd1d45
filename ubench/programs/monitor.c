/* SPDX-License-Identifier: ISC */
#include "programs/monitor.h"

#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/thread.h"
#include "core/units.h"

enum { TICK_NS = 250000000, BAR_WIDTH = 30, DOTS = 50 };

struct monitor {
    pthread_t thread;
    sem_t ready; /* the thread has a table of descriptors of its own */
    struct progress *progress;
    enum progress_style style;
    const struct backend *backend;
    pthread_mutex_t lock; /* for store */
    struct store *store;
    bool connecting;  /* it cannot be canceled */
    sigset_t signals; /* those that end a run and, from monitor_stop, SIGUSR2 */
    sigset_t before;  /* the caller's mask */
    int caught;       /* written by the thread, read after its end */
    const char *shown; /* the phase that is on the screen */
    uint64_t dots;     /* how many of its dots */
};

static void clear_line(struct monitor *monitor)
{
    if (monitor->shown != NULL)
        (void)fputs(monitor->style == PROGRESS_BAR ? "\r\033[K" : "\n", stderr);
    monitor->shown = NULL;
}

static void show_bar(const struct monitor *monitor, const char *phase,
                     uint64_t done, uint64_t planned)
{
    char bar[BAR_WIDTH + 1];
    char text[UNITS_TEXT_SIZE];
    const double share = planned > 0 ? (double)done / (double)planned : 0;
    const double time_s =
        (double)(clock_now_ns() - atomic_load(&monitor->progress->started_ns)) /
        (double)NS_PER_S;
    const double per_s = time_s > 0 ? (double)done / time_s : 0;

    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(share * BAR_WIDTH));
    bar[BAR_WIDTH] = '\0';
    (void)fputc('\r', stderr);
    if (atomic_load(&monitor->progress->runs) > 1)
        (void)fprintf(stderr,
                      "run %u of %u: ", atomic_load(&monitor->progress->run),
                      atomic_load(&monitor->progress->runs));
    (void)fprintf(stderr, "%-8s [%s] %3.0f %%  %12s oper/s", phase, bar,
                  100 * share, units_count(text, (uint64_t)per_s));
    if (per_s > 0)
        (void)fprintf(stderr, "  %.0f s left\033[K",
                      (double)(planned - done) / per_s);
}

static void show_dots(struct monitor *monitor, const char *phase, uint64_t done,
                      uint64_t planned)
{
    const uint64_t wanted = planned > 0 ? done * DOTS / planned : 0;

    if (monitor->shown == NULL)
        (void)fprintf(stderr, "%-8s ", phase);
    for (; monitor->dots < wanted; monitor->dots++)
        (void)fputc('.', stderr);
}

static void show(struct monitor *monitor)
{
    const char *const phase = atomic_load(&monitor->progress->phase);
    const uint64_t planned = atomic_load(&monitor->progress->planned);

    if (monitor->style == PROGRESS_NONE)
        return;
    const uint64_t done = progress_done(monitor->progress);
    if (phase != monitor->shown) {
        clear_line(monitor);
        monitor->dots = 0;
    }
    /* A phase may begin between the loads; the next tick puts it right. */
    if (phase != NULL && done <= planned) {
        if (monitor->style == PROGRESS_BAR)
            show_bar(monitor, phase, done, planned);
        else
            show_dots(monitor, phase, done, planned);
        monitor->shown = phase;
    }
    (void)fflush(stderr);
}

/* While it connects there is nothing to put back; there may be runs before it
   to report. */
static void cancel(struct monitor *monitor)
{
    (void)pthread_mutex_lock(&monitor->lock);
    if (monitor->connecting && atomic_load(&monitor->progress->run) == 1)
        _exit(128 + monitor->caught);
    if (monitor->store != NULL && monitor->backend->cancel != NULL)
        monitor->backend->cancel(monitor->store);
    (void)pthread_mutex_unlock(&monitor->lock);
}

/* Waits for a signal or a tick.  Returns the signal, or 0. */
static int wait_tick(const struct monitor *monitor)
{
    const struct timespec tick = { .tv_nsec = TICK_NS };
    const int caught = sigtimedwait(&monitor->signals, NULL, &tick);

    return caught > 0 ? caught : 0;
}

/*
 * Takes a descriptor table of its own.  While threads share one, the kernel
 * counts and locks at every read and write of each of them: 80 ns on the 900
 * of memfile's write(2), for a thread that only ever writes to stderr.  Not
 * where calling an operation off may mean to shut its connection down.
 */
static void unshare_descriptors(const struct backend *backend)
{
    if ((backend->scope & OPT_SCOPE_SERVER) == 0)
        (void)syscall(SYS_unshare, CLONE_FILES); /* a refusal costs speed */
}

static void *run(void *argument)
{
    struct monitor *const monitor = argument;
    int ticks_since = 0;

    unshare_descriptors(monitor->backend);
    (void)sem_post(&monitor->ready);
    for (;;) {
        const int caught = wait_tick(monitor);

        if (caught == SIGUSR2)
            break;
        if (caught != 0 && monitor->caught != 0)
            _exit(128 + caught); /* asked twice: leave everything as it is */
        if (caught != 0) {
            monitor->caught = caught;
            atomic_store(&monitor->progress->stop, 1);
        } else if (monitor->caught != 0 && ++ticks_since >= 2) {
            cancel(monitor); /* half a second, and still busy */
        }
        show(monitor);
    }
    clear_line(monitor);
    return NULL;
}

static enum progress_style choose_style(enum progress_style style)
{
    if (style != PROGRESS_AUTO)
        return style;
    return isatty(STDERR_FILENO) ? PROGRESS_BAR : PROGRESS_NONE;
}

/* nohup has asked for it. */
static bool hangup_is_ignored(void)
{
    struct sigaction action;

    return sigaction(SIGHUP, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

struct monitor *monitor_start(struct progress *progress,
                              enum progress_style style,
                              const struct backend *backend, struct err *err)
{
    struct monitor *const monitor = calloc(1, sizeof *monitor);

    if (monitor == NULL) {
        (void)err_set(err, "out of memory");
        return NULL;
    }
    monitor->progress = progress;
    monitor->style = choose_style(style);
    monitor->backend = backend;
    (void)pthread_mutex_init(&monitor->lock, NULL);
    (void)sem_init(&monitor->ready, 0, 0);
    (void)sigemptyset(&monitor->signals);
    (void)sigaddset(&monitor->signals, SIGINT);
    (void)sigaddset(&monitor->signals, SIGTERM);
    (void)sigaddset(&monitor->signals, SIGQUIT);
    if (!hangup_is_ignored())
        (void)sigaddset(&monitor->signals, SIGHUP);
    (void)sigaddset(&monitor->signals, SIGUSR2);
    (void)pthread_sigmask(SIG_BLOCK, &monitor->signals, &monitor->before);
    const int error = thread_start(&monitor->thread, run, monitor);
    if (error != 0) {
        (void)err_set(err, "cannot start a thread: %s", strerror(error));
        free(monitor);
        return NULL;
    }
    /* Else it might copy the descriptor of a store that is opened meanwhile,
       and the lock on its file would outlive its close. */
    while (sem_wait(&monitor->ready) != 0)
        continue; /* a signal came */
    return monitor;
}

void monitor_watch(struct monitor *monitor, struct store *store)
{
    (void)pthread_mutex_lock(&monitor->lock);
    monitor->store = store;
    monitor->connecting = false;
    (void)pthread_mutex_unlock(&monitor->lock);
}

void monitor_on_progress(void *monitor, enum open_stage stage,
                         struct store *store)
{
    struct monitor *const me = monitor;

    (void)pthread_mutex_lock(&me->lock);
    me->store = stage == OPEN_WORKING ? store : NULL;
    me->connecting = stage == OPEN_CONNECTING;
    (void)pthread_mutex_unlock(&me->lock);
}

int monitor_stop(struct monitor *monitor)
{
    (void)pthread_kill(monitor->thread, SIGUSR2);
    (void)pthread_join(monitor->thread, NULL);
    /* One may have come together with ours. */
    const struct timespec at_once = { 0 };
    const int late = sigtimedwait(&monitor->signals, NULL, &at_once);
    const int caught = monitor->caught != 0 ? monitor->caught
                       : late > 0           ? late
                                            : 0;
    /* From here on a signal ends the program, as it did before. */
    (void)pthread_sigmask(SIG_SETMASK, &monitor->before, NULL);
    (void)pthread_mutex_destroy(&monitor->lock);
    (void)sem_destroy(&monitor->ready);
    free(monitor);
    return caught;
}
