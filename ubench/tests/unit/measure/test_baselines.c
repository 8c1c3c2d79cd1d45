/* SPDX-License-Identifier: ISC */
#include "measure/baselines.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "tests/lib/check.h"

static int make_folder(void **state)
{
    static char folder[] = "/tmp/test_floors.XXXXXX";

    *state = mkdtemp(folder);
    return *state == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    return rmdir(*state);
}

static size_t count_entries(const char *folder)
{
    DIR *const dir = opendir(folder);
    size_t count = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        count++;
    assert_int_equal(closedir(dir), 0);
    return count - 2; /* "." and ".." */
}

TEST(a_clock_reading_takes_nanoseconds)
{
    const uint64_t begin_ns = clock_now_ns();
    const double cost_ns = baselines_clock_ns();
    const uint64_t elapsed_ns = clock_now_ns() - begin_ns;
    check("cost", cost_ns > 1 && cost_ns < 10000, "1 ns to 10 us");
    check("time", elapsed_ns < 10 * NS_PER_S, "far less than ten seconds");
}

TEST(times_syncs_and_leaves_nothing)
{
    const char *const folder = *state;
    double median_ns = 0;
    double min_ns = 0;

    baselines_fdatasync(folder, &median_ns, &min_ns);
    check("best", min_ns > 0, "min > 0");
    check("median", min_ns <= median_ns, "min <= median");
    check_number("entries", count_entries(folder), 0);
}

/* Kills it in the middle of its work, and early. */
TEST(leaves_nothing_when_killed)
{
    static const long after_ns[] = { 300000, 1000000, 3000000 };
    const char *const folder = *state;

    for (size_t i = 0; i < COUNT_OF(after_ns); i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            double ns;

            for (;;)
                baselines_fdatasync(folder, &ns, &ns);
            _exit(1);
        }
        const struct timespec pause = { .tv_nsec = after_ns[i] };
        int status;
        (void)nanosleep(&pause, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        check("child", WIFSIGNALED(status), "it was at work when killed");
        check_number("entries", count_entries(folder), 0);
    }
}

TEST(measures_nothing_where_it_cannot_write)
{
    static const char *const folders[] = { "/nowhere/at/all", "/dev/null" };

    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        double median_ns = 0;
        double min_ns = 0;

        baselines_fdatasync(folders[i], &median_ns, &min_ns);
        check(folders[i], median_ns + min_ns == 0, "nothing");
    }
}

/* In a process of its own: the limit on the size of files is for good. */
static int hit_the_limit(const char *folder, rlim_t size)
{
    const struct rlimit limit = { size, size };
    double median_ns = 0;
    double min_ns = 0;

    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    baselines_fdatasync(folder, &median_ns, &min_ns);
    return median_ns + min_ns == 0 ? 0 : 2;
}

TEST(measures_nothing_if_writing_fails)
{
    static const rlim_t sizes[] = { 0, 250, 1000 };

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const pid_t child = fork();
        int status;

        assert_true(child >= 0);
        if (child == 0)
            _exit(hit_the_limit(*state, sizes[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        check_number("entries", count_entries(*state), 0);
    }
}

TEST(flags_what_cannot_be)
{
    static const struct {
        const char *row;
        uint64_t changes; /* in a second */
        uint64_t sharing;
        double sync_ns; /* 100 us: 10,000 a second, and a fifth more */
        bool wanted;
    } rows[] = {
        { "durable", 9000, 1, 100000, false },
        { "within the tolerance", 11999, 1, 100000, false },
        { "beyond it", 12001, 1, 100000, true },
        { "8 share a sync", 95000, 8, 100000, false },
        { "but not more", 96100, 8, 100000, true },
        { "batches of 100", 1100000, 100, 100000, false },
        { "nothing measured", 1000000000, 1, 0, false },
        { "no work at all", 0, 1, 100000, false },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(rows[i].row,
              baselines_too_fast(rows[i].changes, NS_PER_S, rows[i].sharing, rows[i].sync_ns) ==
                  rows[i].wanted,
              rows[i].wanted ? "too fast" : "possible");
    check("no time", !baselines_too_fast(5, 0, 1, 100000), "possible");
}

FIXTURE(make_folder, remove_folder);
