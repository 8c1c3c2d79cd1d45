/* SPDX-License-Identifier: ISC */
#include "store/activity.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/check.h"

TEST(samples_are_unknown_until_they_are_taken)
{
    struct activity activity = { .samples = NULL };

    for (uint64_t at_ns = 0; at_ns < 1000; at_ns++) {
        struct activity_sample *const sample = activity_add(&activity, at_ns);

        assert_non_null(sample);
        for (size_t i = 0; i < ACTIVITY_FIGURES; i++)
            assert_true(sample->figures[i] == ACTIVITY_UNKNOWN);
        sample->figures[0] = at_ns;
    }
    assert_int_equal(activity.count, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        check_number("sample", activity.samples[i].figures[0], i);
    activity_release(&activity);
    assert_int_equal(activity.count, 0);
}

TEST(every_figure_has_a_name_of_its_own)
{
    for (size_t i = 0; i < ACTIVITY_FIGURES; i++) {
        assert_non_null(activity_names[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(activity_names[i], activity_names[k]);
    }
}

/* Samples at 0, 10, ... 90. */
TEST(a_load_has_the_samples_around_it)
{
    static const struct {
        uint64_t begun, ended;
        size_t first, count;
    } rows[] = {
        { 10, 30, 1, 3 }, { 15, 31, 1, 4 }, { 0, 90, 0, 10 }, { 0, 5, 0, 2 },   { 12, 13, 1, 2 },
        { 85, 99, 8, 2 }, { 95, 99, 9, 1 }, { 20, 20, 2, 1 }, { 21, 21, 2, 2 },
    };
    struct activity activity = { .samples = NULL };

    for (uint64_t at_ns = 0; at_ns < 100; at_ns += 10)
        assert_non_null(activity_add(&activity, at_ns));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t count;
        char row[32];

        (void)snprintf(row, sizeof row, "row %zu", i);
        const size_t first = activity_between(&activity, rows[i].begun, rows[i].ended, &count);
        check_number(row, first, rows[i].first);
        check_number(row, count, rows[i].count);
    }
    activity_release(&activity);
}

static void make_file(const char *folder, const char *name, size_t size)
{
    char path[256];
    char bytes[10000] = { 0 };

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    assert_int_equal(fsync(file), 0);
    assert_int_equal(close(file), 0);
}

TEST(sizes_of_files)
{
    static const char *const beside[] = { "-wal", "-none", NULL };
    char folder[] = "/tmp/ubench-activity-XXXXXX";
    char path[256];
    char command[300];

    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/db", folder);
    check("missing", activity_file_bytes(path, beside) == ACTIVITY_UNKNOWN, "unknown");
    check("missing", activity_folder_bytes(path) == ACTIVITY_UNKNOWN, "unknown");
    check_number("empty", activity_folder_bytes(folder), 0);
    make_file(folder, "db", 1000);
    make_file(folder, "db-wal", 300);
    check_number("alone", activity_file_bytes(path, NULL), 1000);
    check_number("with its log", activity_file_bytes(path, beside), 1300);
    const uint64_t two = activity_folder_bytes(folder);
    (void)snprintf(path, sizeof path, "%s/below", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    make_file(path, "file", sizeof(char[10000]));
    check("below", activity_folder_bytes(folder) >= two + 10000, "it is counted");
    /* Not followed: it would be counted twice, or for ever. */
    (void)snprintf(command, sizeof command, "%s/link", path);
    const uint64_t all = activity_folder_bytes(folder);
    assert_int_equal(symlink(folder, command), 0);
    check("link", activity_folder_bytes(folder) < all + 10000, "it is not followed");
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}
