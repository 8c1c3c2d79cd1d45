/* SPDX-License-Identifier: ISC */
#include "record/group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/check.h"

/* A file that is gone after the test, and what is in it. */
struct place {
    char name[64];
    FILE *file;
    int lines;
    struct archive archive;
    struct groups groups;
};

static int make_place(void **state)
{
    struct place *const place = calloc(1, sizeof *place);

    if (place == NULL)
        return -1;
    *state = place;
    (void)snprintf(place->name, sizeof place->name, "/tmp/ubench-test-XXXXXX");
    const int file = mkstemp(place->name);
    place->file = file >= 0 ? fdopen(file, "w") : NULL;
    return place->file != NULL ? 0 : -1;
}

static int remove_place(void **state)
{
    struct place *const place = *state;

    groups_release(&place->groups);
    archive_release(&place->archive);
    (void)unlink(place->name);
    free(place);
    return 0;
}

/* One run of 100 creates in that time; members go before the runs, each with a
   comma behind it. */
static void add_line(struct place *place, const char *store, const char *class,
                     const char *threads, double elapsed_s, const char *members)
{
    (void)fprintf(
        place->file,
        "{\"format\":\"ubench-result/1\",\"program\":\"p\",\"version\":\"1\","
        "\"store\":\"%s\",\"started_at\":\"2026-01-02T03:04:%02dZ\","
        "\"durability\":{\"class\":\"%s\",\"from\":\"x\"},"
        "\"parameters\":{\"threads\":\"%s\"},%s\"runs\":[{\"phases\":["
        "{\"name\":\"create\",\"operations\":100,\"elapsed_ns\":%.0f},"
        "{\"name\":\"search\",\"operations\":300,\"elapsed_ns\":%.0f}]}]}\n",
        store, place->lines++, class, threads, members, elapsed_s * 1e9,
        elapsed_s * 1e9);
}

static void complain(void *context, const char *file, size_t line,
                     const char *text)
{
    fail_msg("%s:%zu: %s", file, line, text);
}

static void gather(struct place *place)
{
    const char *const name = place->name;
    struct err err = { 0 };

    assert_int_equal(fclose(place->file), 0);
    if (archive_read(&place->archive, &name, 1, complain, NULL, &err) != 0)
        fail_msg("%s", err.text);
    groups_init(&place->groups, &place->archive);
}

static double rate_of(const struct record_run *run, const void *phase)
{
    const struct record_phase *const found =
        phase != NULL ? record_run_phase(run, phase) : NULL;

    if (phase == NULL)
        return record_run_rate(run);
    return found != NULL ? record_phase_rate(found) : (double)NAN;
}

TEST_WITH(runs_of_a_group_are_put_together, make_place, remove_place)
{
    struct place *const place = *state;

    /* 100, 50, 25, 20, 10 and 200 a second. */
    for (size_t i = 0; i < 6; i++) {
        static const double elapsed_s[] = { 1, 2, 4, 5, 10, 0.5 };

        add_line(place, "mysql", "bounded", "1", elapsed_s[i], "");
    }
    gather(place);
    assert_int_equal(place->groups.count, 1);
    const struct group *const group = &place->groups.items[0];
    struct arena memory = { 0 };
    const struct summary create =
        group_summary(&memory, group, rate_of, "create");

    assert_int_equal(group->class, DURABILITY_BOUNDED);
    assert_int_equal(group->run_count, 6);
    check_text("label", group->label, "mysql");
    check_text("differs", group->differs, "");
    check("group", group->is_default, "it stands for itself");
    assert_int_equal(create.count, 6);
    assert_true(create.median == 37.5);
    check("create", create.interval, "six runs have an interval");
    assert_true(create.low == 10 && create.high == 200);
    assert_true(create.values[0] == 100 && create.values[5] == 200);
    /* 400 in 2 s, and so on: twice a create's rate. */
    assert_true(group_summary(&memory, group, rate_of, NULL).median == 75);
    assert_int_equal(group_summary(&memory, group, rate_of, "renew").count, 0);
    arena_release(&memory);
}

TEST_WITH(few_runs_have_a_range, make_place, remove_place)
{
    struct place *const place = *state;
    struct arena memory = { 0 };

    add_line(place, "mysql", "bounded", "1", 2, "");
    add_line(place, "mysql", "bounded", "1", 1, "");
    gather(place);
    const struct summary create =
        group_summary(&memory, &place->groups.items[0], rate_of, "create");

    check("create", !create.interval, "two runs have no interval");
    assert_true(create.low == 50 && create.high == 100);
    arena_release(&memory);
}

TEST_WITH(incomplete_runs_do_not_count, make_place, remove_place)
{
    struct place *const place = *state;
    struct arena memory = { 0 };
    static const char cut_short[] =
        "{\"format\":\"ubench-result/1\",\"program\":\"p\",\"version\":\"1\","
        "\"store\":\"mysql\",\"durability\":{\"class\":\"bounded\",\"from\":"
        "\"x\"},\"parameters\":{\"threads\":\"1\"},\"runs\":[{\"incomplete\":"
        "true,\"phases\":[{\"name\":\"create\",\"operations\":100,"
        "\"elapsed_ns\":1000}]}]}\n";

    (void)fputs(cut_short, place->file);
    gather(place);
    assert_int_equal(place->groups.count, 1);
    const struct group *const group = &place->groups.items[0];

    assert_int_equal(group->run_count, 0);
    assert_int_equal(group->incomplete, 1);
    assert_int_equal(group_summary(&memory, group, rate_of, "create").count, 0);
    assert_int_equal(group_summary(&memory, group, rate_of, NULL).count, 0);
    arena_release(&memory);
}

TEST_WITH(the_default_has_most_in_common, make_place, remove_place)
{
    struct place *const place = *state;
    const struct group *found = NULL;

    add_line(place, "mysql", "bounded", "4", 1, "\"facts\":{\"a\":\"1\"},");
    add_line(place, "mysql", "bounded", "4", 1,
             "\"facts\":{\"a\":\"1\",\"b\":\"1\"},");
    add_line(place, "mysql", "bounded", "16", 1, "\"facts\":{\"a\":\"1\"},");
    add_line(place, "mysql", "bounded", "1", 1, "\"facts\":{\"a\":\"1\"},");
    add_line(place, "mysql", "power-safe", "9", 1, "\"facts\":{\"a\":\"1\"},");
    gather(place);
    assert_int_equal(place->groups.count, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct group *const group = &place->groups.items[i];

        if (group->class == DURABILITY_BOUNDED && group->is_default) {
            check("bounded", found == NULL, "only one is the default");
            found = group;
        }
    }
    assert_non_null(found);
    /* Two of four have 4 threads, and three have no b. */
    check_text("label", found->label, "mysql, threads=4");
    check_text("threads", key_value(&found->key, KEY_PARAMETER, "threads"),
               "4");
    assert_null(key_value(&found->key, KEY_FACT, "b"));
    assert_int_equal(place->groups.items[0].class, DURABILITY_POWER_SAFE);
    check("power-safe", place->groups.items[0].is_default,
          "alone, it is the default");
}

/* 8 threads were measured last, and each number as often. */
TEST_WITH(of_equals_the_least_is_the_default, make_place, remove_place)
{
    struct place *const place = *state;

    add_line(place, "mysql", "bounded", "16", 1, "");
    add_line(place, "mysql", "bounded", "1", 1, "");
    add_line(place, "mysql", "bounded", "8", 1, "");
    gather(place);
    assert_int_equal(place->groups.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct group *const group = &place->groups.items[i];

        check(group->label, group->is_default == (i == 0),
              "the first is the default");
    }
    check_text("label", place->groups.items[0].label, "mysql, threads=1");
}

TEST(alike_but_for_some_kinds)
{
    static const struct {
        const char *row;
        const char *threads;
        const char *members;
        unsigned kinds;
        bool alike;
    } cases[] = {
        { "another number of threads", "4", "\"facts\":{\"a\":\"1\"},", 0,
          false },
        { "one that does not matter", "4", "\"facts\":{\"a\":\"1\"},",
          KEY_PARAMETER, true },
        { "a setting as well", "4", "\"facts\":{\"a\":\"1\",\"b\":\"2\"},",
          KEY_PARAMETER, false },
        { "a setting alone", "1", "\"facts\":{\"a\":\"1\",\"b\":\"2\"},",
          KEY_FACT, true },
        { "the product's version", "1", "\"facts\":{\"a\":\"2\"},", KEY_HISTORY,
          true },
        { "the machine", "1",
          "\"facts\":{\"a\":\"1\"},\"host\":{\"cpu\":\"other\"},", KEY_HISTORY,
          true },
        { "version and threads", "4", "\"facts\":{\"a\":\"2\"},", KEY_HISTORY,
          false },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(make_place(state), 0);
        struct place *const place = *state;

        add_line(place, "mysql", "bounded", "1", 1, "\"facts\":{\"a\":\"1\"},");
        add_line(place, "mysql", "bounded", cases[i].threads, 1,
                 cases[i].members);
        gather(place);
        assert_int_equal(place->groups.count, 2);
        check(cases[i].row,
              key_alike(&place->groups.items[0].key,
                        &place->groups.items[1].key,
                        ~cases[i].kinds) == cases[i].alike,
              "it is as it should be");
        assert_int_equal(remove_place(state), 0);
    }
}
