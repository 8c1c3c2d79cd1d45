/* SPDX-License-Identifier: ISC */
#include "runner/monitor.h"

#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/thread.h"
#include "core/units.h"

enum { TICK_NS = 250000000, BAR_WIDTH = 30, BAR_MIN = 10 };
#define PLAIN_NS (10 * NS_PER_S)

struct monitor {
    pthread_t thread;
    struct progress *progress;
    enum progress_style style;
    const struct backend *backend;
    pthread_mutex_t lock; /* protects store and connecting */
    struct store *store;
    bool connecting;    /* opening cannot be canceled */
    bool connected;     /* for the caller: see monitor_has_connected */
    sigset_t signals;   /* that end a run; and SIGUSR2 */
    atomic_bool ending; /* set by monitor_stop, which sends SIGUSR2 */
    sigset_t before;    /* the caller's mask */
    int caught;         /* written by the thread, read after it has ended */
    bool shown;         /* a bar or dots are on the screen */
    uint64_t plain_ns;  /* time of the last line, or of the start */
};

static void clear_line(struct monitor *monitor)
{
    if (monitor->shown)
        (void)fputs(monitor->style == PROGRESS_BAR ? "\r\033[K" : "\n", stderr);
    monitor->shown = false;
}

/* Writes the progress of a phase: "run 1/3  create  23 %  6,540/s  69.1 s
   left".  The time left is at the mean rate so far. */
static void describe(struct progress *progress, const char *phase, double done, double planned,
                     char *text, size_t size)
{
    const double passed_ns = (double)(clock_now_ns() - atomic_load(&progress->started_ns));
    const double per_s = passed_ns > 0 ? done * (double)NS_PER_S / passed_ns : 0;
    const unsigned runs = atomic_load(&progress->runs);
    char run[32] = "";
    char rest[32] = "";

    if (runs > 1)
        (void)snprintf(run, sizeof run, "run %u/%u  ", atomic_load(&progress->run), runs);
    if (done > 0 && done < planned)
        (void)snprintf(rest, sizeof rest, "  %s left",
                       units_time(UNITS_TEXT, passed_ns * (planned - done) / done));
    (void)snprintf(text, size, "%s%s %3.0f %%  %s/s%s", run, phase, 100 * done / planned,
                   units_figure(UNITS_TEXT, per_s), rest);
}

/* Prints the text, truncated to the terminal's width since wrapped text would
   not be overwritten, and a bar if enough columns are left. */
static void show_bar(const char *text, double share)
{
    struct winsize terminal = { 0 };
    char bar[BAR_WIDTH + 1];

    (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &terminal);
    const int width = (terminal.ws_col > 0 ? terminal.ws_col : 80) - 1;
    const int left = width - (int)strlen(text) - 4; /* two blanks, brackets */
    const int size = left < BAR_WIDTH ? left : BAR_WIDTH;

    (void)fprintf(stderr, "\r%.*s", width, text);
    if (size >= BAR_MIN) {
        memset(bar, '.', BAR_WIDTH);
        memset(bar, '#', (size_t)(share * size));
        (void)fprintf(stderr, "  [%.*s]", size, bar);
    }
    (void)fputs("\033[K", stderr);
}

static void show(struct monitor *monitor)
{
    struct progress *const progress = monitor->progress;
    const char *const phase = atomic_load(&progress->phase);
    const uint64_t planned = atomic_load(&progress->planned);
    const uint64_t done = progress_done(progress);
    char text[128];

    if (monitor->style == PROGRESS_NONE)
        return;
    /* A phase may begin between these loads; the next tick shows it
       correctly. */
    if (phase == NULL || done > planned || planned == 0) {
        clear_line(monitor);
        return;
    }
    describe(progress, phase, (double)done, (double)planned, text, sizeof text);
    if (monitor->style == PROGRESS_BAR) {
        show_bar(text, (double)done / (double)planned);
        monitor->shown = true;
    } else if (monitor->style == PROGRESS_DOTS) {
        (void)fputc('.', stderr);
        monitor->shown = true;
    } else if (clock_now_ns() - monitor->plain_ns >= PLAIN_NS) {
        monitor->plain_ns = clock_now_ns();
        (void)fprintf(stderr, "%s\n", text);
    }
}

/* Cancels the store's operations.  During the first connect it exits: nothing
   has to be restored then, and no earlier run has to be reported. */
static void cancel(struct monitor *monitor)
{
    (void)atomic_fetch_or(&monitor->progress->stop, PROGRESS_HURRY);
    (void)pthread_mutex_lock(&monitor->lock);
    if (monitor->connecting && atomic_load(&monitor->progress->run) == 1)
        _exit(128 + monitor->caught);
    if (monitor->store != NULL && monitor->backend->cancel != NULL)
        monitor->backend->cancel(monitor->store);
    (void)pthread_mutex_unlock(&monitor->lock);
}

/* Waits for a signal or a tick.  Returns the signal, or 0.  Ignores a SIGUSR2
   that monitor_stop did not send. */
static int wait_tick(struct monitor *monitor)
{
    const struct timespec tick = { .tv_nsec = TICK_NS };
    const int caught = sigtimedwait(&monitor->signals, NULL, &tick);

    return caught > 0 && (caught != SIGUSR2 || atomic_load(&monitor->ending)) ? caught : 0;
}

static void *run(void *argument)
{
    struct monitor *const monitor = argument;
    int ticks_since = 0;

    for (;;) {
        int caught = wait_tick(monitor);

        if (caught == SIGUSR2)
            break;
        if (caught == SIGXCPU && monitor->caught != 0)
            caught = 0; /* the kernel repeats it after each second of processor time */
        if (caught != 0 && monitor->caught != 0)
            _exit(128 + caught); /* second signal: restore nothing */
        if (caught != 0) {
            monitor->caught = caught;
            atomic_store(&monitor->progress->stop, 1);
        } else if (monitor->caught != 0 && ++ticks_since >= 2) {
            cancel(monitor); /* still busy after half a second */
        }
        show(monitor);
    }
    clear_line(monitor);
    return NULL;
}

struct monitor *monitor_start(struct progress *progress, enum progress_style style,
                              const struct backend *backend, struct err *err)
{
    struct monitor *const monitor = err_calloc(1, sizeof *monitor, err);
    struct sigaction hangup;

    if (monitor == NULL)
        return NULL;
    monitor->progress = progress;
    monitor->style = style != PROGRESS_AUTO       ? style
                     : isatty(STDERR_FILENO) != 0 ? PROGRESS_BAR
                                                  : PROGRESS_NONE;
    monitor->plain_ns = clock_now_ns();
    monitor->backend = backend;
    (void)pthread_mutex_init(&monitor->lock, NULL);
    (void)sigemptyset(&monitor->signals);
    (void)sigaddset(&monitor->signals, SIGINT);
    (void)sigaddset(&monitor->signals, SIGTERM);
    (void)sigaddset(&monitor->signals, SIGQUIT);
    (void)sigaddset(&monitor->signals, SIGXCPU); /* at the soft limit of processor time */
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
        (void)sigaddset(&monitor->signals, SIGHUP); /* not under nohup */
    (void)sigaddset(&monitor->signals, SIGUSR2);
    (void)pthread_sigmask(SIG_BLOCK, &monitor->signals, &monitor->before);
    const int error = thread_start(&monitor->thread, run, monitor);
    if (error != 0) {
        (void)err_set(err, "cannot start a thread: %s", strerror(error));
        free(monitor);
        return NULL;
    }
    /* Gives the caller its own table of descriptors.  While threads share one,
       the kernel counts and locks at each read and write: 80 ns of the 900 of
       memfile's write(2), for a thread that only writes to stderr.  Not done
       for servers, where canceling an operation may have to shut its connection
       down. */
    if ((backend->scope & OPT_SCOPE_SERVER) == 0)
        (void)syscall(SYS_unshare, CLONE_FILES); /* failure only costs speed */
    return monitor;
}

void monitor_on_progress(void *monitor, enum open_stage stage, struct store *store)
{
    struct monitor *const me = monitor;

    (void)pthread_mutex_lock(&me->lock);
    me->store = stage == OPEN_WORKING ? store : NULL;
    me->connecting = stage == OPEN_CONNECTING;
    me->connected = stage == OPEN_WORKING || (stage == OPEN_FAILED && me->connected);
    (void)pthread_mutex_unlock(&me->lock);
}

bool monitor_has_connected(const struct monitor *monitor)
{
    return monitor->connected;
}

int monitor_stop(struct monitor *monitor)
{
    int late;

    atomic_store(&monitor->ending, true);
    (void)pthread_kill(monitor->thread, SIGUSR2);
    (void)pthread_join(monitor->thread, NULL);
    /* Another signal may have arrived with SIGUSR2. */
    const struct timespec at_once = { 0 };
    do {
        late = sigtimedwait(&monitor->signals, NULL, &at_once);
    } while (late == SIGUSR2);
    const int caught = monitor->caught != 0 ? monitor->caught : late > 0 ? late : 0;
    /* From here on a signal ends the program again, but a repeated SIGXCPU does not. */
    if (caught == SIGXCPU)
        (void)sigaddset(&monitor->before, SIGXCPU);
    (void)pthread_sigmask(SIG_SETMASK, &monitor->before, NULL);
    (void)pthread_mutex_destroy(&monitor->lock);
    free(monitor);
    return caught;
}
