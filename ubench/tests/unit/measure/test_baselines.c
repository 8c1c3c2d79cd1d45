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

static void check_times(const char *row, const struct baselines_times *times)
{
    check(row, times->count >= 1 && times->count <= 100, "1 to 100 samples");
    check(row, times->min_ns > 0, "min > 0");
    check(row, times->min_ns <= times->median_ns, "min <= median");
}

TEST(times_syncs_and_leaves_nothing)
{
    const char *const folder = *state;
    struct baselines_sync baseline;
    struct err err = { 0 };

    if (baselines_fdatasync(folder, &baseline, &err) != 0)
        fail_msg("%s", err.text);
    check_times("append", &baseline.append);
    check_times("overwrite", &baseline.overwrite);
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
            struct baselines_sync baseline;
            struct err err;
            while (baselines_fdatasync(folder, &baseline, &err) == 0)
                continue;
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

TEST(says_where_it_cannot)
{
    static const struct {
        const char *folder;
        const char *wanted;
    } rows[] = {
        { "/nowhere/at/all",
          "baselines: /nowhere/at/all: cannot make a temporary "
          "file: No such file or directory (2)" },
        { "/dev/null", "baselines: /dev/null: cannot make a temporary file: "
                       "Not a directory (20)" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct baselines_sync baseline;
        struct err err = { 0 };
        check(rows[i].folder,
              baselines_fdatasync(rows[i].folder, &baseline, &err) == -1,
              "it fails");
        check_text(rows[i].folder, err.text, rows[i].wanted);
        check_number(rows[i].folder, baseline.append.count, 0);
    }
}

/* In a process of its own: the limit on the size of files is for good. */
static int hit_the_limit(const char *folder)
{
    const struct rlimit limit = { 1000, 1000 };
    struct baselines_sync baseline;
    struct err err = { 0 };
    char wanted[128];

    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        baselines_fdatasync(folder, &baseline, &err) != -1)
        return 1;
    (void)snprintf(wanted, sizeof wanted,
                   "baselines: %s: cannot write to a temporary file: "
                   "File too large (27)",
                   folder);
    return strcmp(err.text, wanted) == 0 && baseline.append.count == 0 ? 0 : 2;
}

TEST(says_what_went_wrong_on_the_way)
{
    int status;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(hit_the_limit(*state));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check_number("entries", count_entries(*state), 0);
}

TEST(flags_what_cannot_be)
{
    /* The best sync takes 100 us: 10,000 a second, and a fifth more. */
    static const struct baselines_sync slower_append = {
        .append = { 100, 130000, 150000 },
        .overwrite = { 100, 100000, 110000 },
    };
    static const struct baselines_sync slower_overwrite = {
        .append = { 1, 100000, 100000 },
        .overwrite = { 1, 100001, 100001 },
    };
    static const struct baselines_sync none = { .append = { 0 } };
    static const struct baselines_sync instant = {
        .append = { 100, 0, 0 },
        .overwrite = { 100, 0, 0 },
    };
    static const struct {
        const char *row;
        double changes_per_s;
        uint64_t sharing;
        const struct baselines_sync *baseline;
        bool wanted;
    } rows[] = {
        { "durable", 9000, 1, &slower_append, false },
        { "within the tolerance", 11999, 1, &slower_append, false },
        { "beyond it", 12001, 1, &slower_append, true },
        { "append is best", 12001, 1, &slower_overwrite, true },
        { "and within", 11999, 1, &slower_overwrite, false },
        { "8 share a sync", 95000, 8, &slower_append, false },
        { "but not more", 96100, 8, &slower_append, true },
        { "batches of 100", 1100000, 100, &slower_append, false },
        { "nothing measured", 1e9, 1, &none, false },
        { "no cost at all", 1e9, 1, &instant, false },
        { "no work at all", 0, 1, &slower_append, false },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(rows[i].row,
              baselines_too_fast(rows[i].changes_per_s, rows[i].sharing,
                                 rows[i].baseline) == rows[i].wanted,
              rows[i].wanted ? "too fast" : "possible");
}

FIXTURE(make_folder, remove_folder);
