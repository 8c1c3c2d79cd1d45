/* SPDX-License-Identifier: ISC */
/*
 * The thread beside the load.  Each test runs in a child process: signals are
 * sent to a whole process, and the second one ends it.
 */
#include "runner/monitor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "tests/lib/check.h"

struct store {
    _Atomic(uint64_t) canceled_ns; /* when it was told to call off */
};

static void fake_cancel(struct store *store)
{
    atomic_store(&store->canceled_ns, clock_now_ns());
}

static const struct backend fake = { .name = "fake", .cancel = fake_cancel };
static const struct backend patient = { .name = "patient" };

static void sleep_ms(long ms)
{
    const struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

    (void)nanosleep(&pause, NULL);
}

/* Fails the child, whose exit status the parent looks at. */
static void expect(bool so, int line)
{
    if (!so) {
        (void)fprintf(stderr, "test_monitor.c:%d: not so\n", line);
        _exit(100);
    }
}
#define EXPECT(so) expect((so), __LINE__)

static struct monitor *start(struct progress *progress, const struct backend *backend,
                             enum progress_style style)
{
    struct err err;
    struct monitor *const monitor = monitor_start(progress, style, backend, &err);

    EXPECT(monitor != NULL);
    return monitor;
}

/* Longer than any machine stands still. */
enum { PATIENCE_MS = 30000 };

static void wait_for_stop(struct progress *progress)
{
    for (int ms = 0; ms < PATIENCE_MS && !progress_stopped(progress); ms += 10)
        sleep_ms(10);
    EXPECT(progress_stopped(progress));
}

static void child_quiet(void)
{
    struct progress progress = { .phase = NULL };
    struct monitor *const monitor = start(&progress, &fake, PROGRESS_NONE);

    EXPECT(monitor_stop(monitor) == 0);
    EXPECT(!progress_stopped(&progress));
}

static void stop_by(int number)
{
    struct progress progress = { .phase = NULL };
    struct monitor *const monitor = start(&progress, &fake, PROGRESS_NONE);

    EXPECT(kill(getpid(), number) == 0);
    wait_for_stop(&progress);
    EXPECT(monitor_stop(monitor) == number);
}

static void child_interrupted(void)
{
    stop_by(SIGINT);
}

static void child_terminated(void)
{
    stop_by(SIGTERM);
    stop_by(SIGQUIT);
    stop_by(SIGXCPU);
}

/* Shells start background jobs with SIGINT ignored. */
static void child_interrupted_though_ignored(void)
{
    EXPECT(signal(SIGINT, SIG_IGN) != SIG_ERR);
    stop_by(SIGINT);
}

/* A SIGUSR2 of others, taken before the next signal comes, and one at the end.
 */
static void child_stray(void)
{
    struct progress progress = { .phase = NULL };
    struct monitor *const monitor = start(&progress, &fake, PROGRESS_NONE);
    sigset_t pending;

    EXPECT(kill(getpid(), SIGUSR2) == 0);
    do {
        sleep_ms(10);
        EXPECT(sigpending(&pending) == 0);
    } while (sigismember(&pending, SIGUSR2));
    EXPECT(kill(getpid(), SIGINT) == 0);
    wait_for_stop(&progress);
    EXPECT(kill(getpid(), SIGUSR2) == 0);
    EXPECT(monitor_stop(monitor) == SIGINT);
}

/* A load that does not end: its store is called off, but not at once. */
static void child_canceled(void)
{
    struct progress progress = { .phase = NULL };
    struct store store = { 0 };
    struct monitor *const monitor = start(&progress, &fake, PROGRESS_NONE);

    monitor_on_progress(monitor, OPEN_WORKING, &store);
    const uint64_t begun_ns = clock_now_ns();
    EXPECT(kill(getpid(), SIGINT) == 0);
    for (int ms = 0; ms < PATIENCE_MS && atomic_load(&store.canceled_ns) == 0; ms += 10)
        sleep_ms(10);
    EXPECT(progress_stopped(&progress));
    const uint64_t canceled_ns = atomic_load(&store.canceled_ns);
    EXPECT(canceled_ns != 0);
    EXPECT(canceled_ns - begun_ns >= 250 * UINT64_C(1000000));
    monitor_on_progress(monitor, OPEN_FAILED, NULL);
    EXPECT(monitor_stop(monitor) == SIGINT);
}

/* A store without cancel, and a signal before there is a store. */
static void child_nothing_to_cancel(void)
{
    struct progress progress = { .phase = NULL };
    struct store store = { 0 };
    struct monitor *const monitor = start(&progress, &patient, PROGRESS_NONE);

    EXPECT(kill(getpid(), SIGTERM) == 0);
    sleep_ms(700);
    monitor_on_progress(monitor, OPEN_WORKING, &store);
    sleep_ms(300);
    EXPECT(atomic_load(&store.canceled_ns) == 0);
    EXPECT(monitor_stop(monitor) == SIGTERM);
}

static void child_second_signal(void)
{
    struct progress progress = { .phase = NULL };

    (void)start(&progress, &fake, PROGRESS_NONE);
    EXPECT(kill(getpid(), SIGINT) == 0);
    wait_for_stop(&progress);
    EXPECT(kill(getpid(), SIGTERM) == 0);
    sleep_ms(PATIENCE_MS);
}

/* The kernel repeats the signal, also while the result is written. */
static void child_out_of_time(void)
{
    struct progress progress = { .phase = NULL };
    struct monitor *const monitor = start(&progress, &fake, PROGRESS_NONE);
    sigset_t pending;

    EXPECT(kill(getpid(), SIGXCPU) == 0);
    wait_for_stop(&progress);
    EXPECT(kill(getpid(), SIGXCPU) == 0);
    do {
        sleep_ms(10);
        EXPECT(sigpending(&pending) == 0);
    } while (sigismember(&pending, SIGXCPU));
    EXPECT(monitor_stop(monitor) == SIGXCPU);
    EXPECT(kill(getpid(), SIGXCPU) == 0);
}

static const struct {
    const char *name;
    void (*body)(void);
    int status;
} cases[] = {
    { "quiet", child_quiet, 0 },
    { "interrupted", child_interrupted, 0 },
    { "terminated", child_terminated, 0 },
    { "interrupted though ignored", child_interrupted_though_ignored, 0 },
    { "stray", child_stray, 0 },
    { "canceled", child_canceled, 0 },
    { "nothing to cancel", child_nothing_to_cancel, 0 },
    { "second signal", child_second_signal, 143 },
    { "out of time", child_out_of_time, 0 },
};

static int run_child(void (*body)(void))
{
    int status;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(signals_are_taken)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int status = run_child(cases[i].body);

        if (status != cases[i].status)
            fail_msg("%s: exit status %d, wanted %d", cases[i].name, status, cases[i].status);
    }
}

/* Until the screen shows it; NULL: as long as something would be shown within.
 */
static void wait_for_text(const char *text)
{
    char screen[4096];
    bool shown = false;

    if (text == NULL)
        sleep_ms(600);
    for (int ms = 0; text != NULL && ms < PATIENCE_MS && !shown; ms += 10) {
        const ssize_t size = pread(STDERR_FILENO, screen, sizeof screen - 1, 0);

        screen[size > 0 ? size : 0] = '\0';
        shown = strstr(screen, text) != NULL;
        sleep_ms(10);
    }
}

/* The texts that are shown, in this order; NULL: nothing at all. */
struct screen {
    enum progress_style style;
    const char *const *wanted;
    const char *create; /* the last of the first phase */
    const char *search; /* the last of the second */
};

static void show_two_phases(const struct screen *screen)
{
    struct progress progress = { .phase = NULL };
    struct monitor *const monitor = start(&progress, &fake, screen->style);

    progress_begin(&progress, NULL, 100, 2);
    progress_set_done(&progress.workers[0], 30);
    progress_set_done(&progress.workers[1], 20);
    atomic_store(&progress.phase, "create");
    wait_for_text(screen->create);
    atomic_store(&progress.runs, 3);
    atomic_store(&progress.run, 2);
    progress_begin(&progress, "search", 100, 2);
    progress_set_done(&progress.workers[0], 80);
    progress_set_done(&progress.workers[1], 30); /* more than was planned */
    wait_for_text(screen->search);
    atomic_store(&progress.phase, NULL);
    EXPECT(monitor_stop(monitor) == 0);
}

/* Starts the child and returns the file that it will have written. */
static FILE *start_screen(const struct screen *screen, pid_t *child)
{
    FILE *const file = tmpfile();

    assert_non_null(file);
    *child = fork();
    assert_true(*child >= 0);
    if (*child == 0) {
        (void)dup2(fileno(file), STDERR_FILENO);
        show_two_phases(screen);
        _exit(0);
    }
    return file;
}

static void check_screen(FILE *file, const char *const *wanted)
{
    char text[4096];

    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    if (wanted == NULL)
        assert_string_equal(text, "");
    const char *from = text;
    for (size_t i = 0; wanted != NULL && wanted[i] != NULL; i++) {
        const char *const place = strstr(from, wanted[i]);

        if (place == NULL)
            fail_msg("\"%s\" is missing from: %s", wanted[i], text);
        else
            from = place + strlen(wanted[i]);
    }
}

TEST(progress_is_shown)
{
    static const char *const bar[] = { "\rcreate  50 %  ",
                                       " s left  [###############",
                                       "]\033[K",
                                       "run 2/3  search 100 %  ",
                                       "/s  [####",
                                       "\r\033[K",
                                       NULL };
    static const struct screen screens[] = {
        { PROGRESS_BAR, bar, " s left", "search 100 %" },
        { PROGRESS_NONE, NULL, NULL, NULL },
        { PROGRESS_AUTO, NULL, NULL, NULL }, /* a file is no terminal */
    };
    FILE *files[COUNT_OF(screens)];
    pid_t children[COUNT_OF(screens)];

    for (size_t i = 0; i < COUNT_OF(screens); i++)
        files[i] = start_screen(&screens[i], &children[i]);
    for (size_t i = 0; i < COUNT_OF(screens); i++) {
        int status;

        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
        check_screen(files[i], screens[i].wanted);
    }
}
