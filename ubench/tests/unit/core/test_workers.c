/* SPDX-License-Identifier: ISC */
#include "core/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/check.h"

enum { CREW_MAX = 64 };

struct crew {
    size_t count;
    atomic_uint calls[CREW_MAX];
    atomic_size_t arrived;
    atomic_size_t met; /* bodies that saw all others */
    atomic_size_t left;
};

static void sleep_ms(long ms)
{
    const struct timespec pause = { .tv_nsec = ms * 1000000L };

    (void)nanosleep(&pause, NULL);
}

static void count_call(void *context, size_t index)
{
    struct crew *const crew = context;

    atomic_fetch_add(&crew->calls[index], 1);
}

TEST(each_body_is_called_once)
{
    static const size_t counts[] = { 1, 2, 7, CREW_MAX };

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct crew crew = { .count = counts[i] };
        struct err err = { 0 };

        assert_int_equal(workers_run(counts[i], count_call, &crew, &err), 0);
        assert_string_equal(err.text, "");
        for (size_t k = 0; k < CREW_MAX; k++)
            assert_int_equal(atomic_load(&crew.calls[k]), k < counts[i]);
    }
}

/* Waits for all the others: bodies called one after the other would never see
   them. */
static void meet(void *context, size_t index)
{
    struct crew *const crew = context;

    (void)index;
    atomic_fetch_add(&crew->arrived, 1);
    for (int i = 0; i < 30000 && atomic_load(&crew->arrived) < crew->count; i++)
        sleep_ms(1);
    if (atomic_load(&crew->arrived) == crew->count)
        atomic_fetch_add(&crew->met, 1);
}

TEST(all_work_at_once)
{
    static const size_t counts[] = { 2, 3, CREW_MAX };

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct crew crew = { .count = counts[i] };
        struct err err = { 0 };

        assert_int_equal(workers_run(counts[i], meet, &crew, &err), 0);
        assert_int_equal(atomic_load(&crew.met), counts[i]);
    }
}

/* The first one is the slowest. */
static void leave_late(void *context, size_t index)
{
    struct crew *const crew = context;

    sleep_ms(index == 0 ? 30 : 1);
    atomic_fetch_add(&crew->left, 1);
}

TEST(nobody_is_left_behind)
{
    struct crew crew = { .count = 5 };
    struct err err = { 0 };

    assert_int_equal(workers_run(5, leave_late, &crew, &err), 0);
    assert_int_equal(atomic_load(&crew.left), 5);
}

static void note_thread(void *context, size_t index)
{
    pthread_t *const threads = context;

    threads[index] = pthread_self();
}

/* One worker works as before there were threads. */
TEST(a_single_one_has_no_thread)
{
    pthread_t threads[2];
    struct err err = { 0 };

    assert_int_equal(workers_run(1, note_thread, threads, &err), 0);
    assert_true(pthread_equal(threads[0], pthread_self()));
    assert_int_equal(workers_run(2, note_thread, threads, &err), 0);
    assert_false(pthread_equal(threads[0], pthread_self()));
    assert_false(pthread_equal(threads[1], pthread_self()));
}

enum { CHILD_RIGHT = 0, CHILD_NO_LIMIT = 77, CHILD_WRONG = 100 };

/* Runs as a user of its own with room for a few threads, but not for all; root has
   to become one, since nothing limits it. */
static int run_out_of_threads(void)
{
    enum { NOBODYS_ID = 64321, WANTED = 50 };
    static const char start[] = "cannot start thread ";
    static const char middle[] = " of 50: ";
    const bool root = getuid() == 0;
    const struct rlimit limit = { .rlim_cur = root ? 5 : 1, .rlim_max = root ? 5 : 1 };
    struct crew crew = { .count = WANTED };
    struct err err = { 0 };

    if ((root && setuid(NOBODYS_ID) != 0) || setrlimit(RLIMIT_NPROC, &limit) != 0)
        return CHILD_NO_LIMIT;
    if (workers_run(WANTED, count_call, &crew, &err) == 0)
        return CHILD_NO_LIMIT;
    for (size_t i = 0; i < WANTED; i++) {
        if (atomic_load(&crew.calls[i]) != 0)
            return CHILD_WRONG; /* all of them, or none */
    }
    return strncmp(err.text, start, sizeof start - 1) == 0 && strstr(err.text, middle) != NULL &&
                   strstr(err.text, strerror(EAGAIN)) != NULL
               ? CHILD_RIGHT
               : CHILD_WRONG;
}

TEST(nobody_begins_if_one_cannot)
{
    int status;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(run_out_of_threads());
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CHILD_NO_LIMIT) {
        print_message("skip: the number of threads cannot be limited here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), CHILD_RIGHT);
}
