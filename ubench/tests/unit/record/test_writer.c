/* SPDX-License-Identifier: ISC */
#include "record/output.h"
#include "record/writer.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/reader.h"
#include "tests/lib/check.h"
#include "tests/lib/expected.h"
#include "tests/lib/sample_result.h"

enum { PATH_SIZE = 64 };

/* A folder of its own for each test, and in it the file that is written. */
struct place {
    char folder[PATH_SIZE];
    char file[PATH_SIZE + 16];
    struct sample_result *result;
};

static int make_place(void **state)
{
    struct place *const place = calloc(1, sizeof *place);

    if (place == NULL)
        return -1;
    *state = place;
    (void)snprintf(place->folder, sizeof place->folder,
                   "/tmp/ubench-test-XXXXXX");
    if (mkdtemp(place->folder) == NULL)
        return -1;
    (void)snprintf(place->file, sizeof place->file, "%s/out.jsonl",
                   place->folder);
    place->result = sample_result_new(2);
    return place->result == NULL ? -1 : 0;
}

static int remove_place(void **state)
{
    struct place *const place = *state;

    (void)unlink(place->file);
    (void)rmdir(place->folder);
    sample_result_free(place->result);
    free(place);
    return 0;
}

/* The lines of the file, each parsed; what does not parse fails the test. */
static json_t *read_lines(const char *path)
{
    json_t *const lines = json_array();
    FILE *const file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    assert_non_null(file);
    while ((length = getline(&line, &size, file)) > 0) {
        json_error_t error;
        json_t *const value =
            json_loadb(line, (size_t)length, JSON_REJECT_DUPLICATES, &error);

        if (value == NULL)
            fail_msg("%s: %s", error.text, line);
        assert_int_equal(line[length - 1], '\n');
        assert_int_equal(json_array_append_new(lines, value), 0);
    }
    free(line);
    assert_int_equal(fclose(file), 0);
    return lines;
}

static int append_to(const struct place *place, const char *path,
                     struct err *err)
{
    struct arena memory = { 0 };
    const struct record record = sample_result_record(place->result, &memory);
    const int status = output_append(record_write(&record), path, NULL, err);

    arena_release(&memory);
    return status;
}

static void append(struct place *place)
{
    struct err err = { 0 };

    if (append_to(place, place->file, &err) != 0)
        fail_msg("%s", err.text);
}

/* Fails unless object has exactly these keys, in any order. */
static void check_keys(const json_t *object, const char *const *keys,
                       size_t count)
{
    assert_int_equal(json_object_size(object), count);
    for (size_t i = 0; i < count; i++)
        check(keys[i], json_object_get(object, keys[i]) != NULL, "it is there");
}

static void check_string(const json_t *object, const char *key,
                         const char *wanted)
{
    check_text(key, json_string_value(json_object_get(object, key)), wanted);
}

static void check_integer(const json_t *object, const char *key, int64_t wanted)
{
    const json_t *const value = json_object_get(object, key);

    check(key, json_is_integer(value), "it is an integer");
    check_number(key, (uint64_t)json_integer_value(value), (uint64_t)wanted);
}

static void check_boolean(const json_t *object, const char *key, bool wanted)
{
    const json_t *const value = json_object_get(object, key);

    check(key, json_is_boolean(value), "it is a boolean");
    check(key, json_is_true(value) == wanted, "it has the right value");
}

TEST_WITH(a_result_is_one_line, make_place, remove_place)
{
    static const char *const keys[] = {
        "format", "program", "version",    "store",      "started_at",
        "error",  "warning", "incomplete", "durability", "parameters",
        "labels", "facts",   "floors",     "host",       "runs",
    };
    struct place *const place = *state;

    properties_add(&place->result->labels, "block", "3");
    append(place);
    json_t *const lines = read_lines(place->file);
    assert_int_equal(json_array_size(lines), 1);
    const json_t *const result = json_array_get(lines, 0);
    check_keys(result, keys, COUNT_OF(keys));
    check_string(result, "format", "ubench-result/1");
    check_string(result, "program", "sample_ubench");
    check_string(result, "version", "1.2.3 (abc)");
    check_string(result, "store", "sample");
    check_string(result, "started_at", "2026-01-02T03:04:05Z");
    check_boolean(result, "incomplete", false);
    check_string(result, "error", "");
    check_string(result, "warning", "");
    const json_t *const durability = json_object_get(result, "durability");
    check_string(durability, "class", "bounded");
    check_string(durability, "from", "sync=off (read back)");
    check_string(json_object_get(result, "parameters"), "count", "1000000");
    check_string(json_object_get(result, "labels"), "block", "3");
    check_string(json_object_get(result, "facts"), "Sample", "9.8.7");
    assert_int_equal(json_array_size(json_object_get(result, "runs")), 2);
    json_decref(lines);
}

/* Run 1 of the file's last line. */
static const json_t *second_run(const json_t *lines)
{
    const json_t *const result =
        json_array_get(lines, json_array_size(lines) - 1);

    return json_array_get(json_object_get(result, "runs"), 1);
}

TEST_WITH(a_run_has_its_digest, make_place, remove_place)
{
    static const char *const keys[] = { "incomplete", "together",    "phases",
                                        "verified",   "leases_left", "digest" };
    struct place *const place = *state;

    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const run = second_run(lines);
    check_keys(run, keys, COUNT_OF(keys));
    check_boolean(run, "incomplete", false);
    check_boolean(run, "together", false);
    check_boolean(run, "verified", true);
    check_integer(run, "leases_left", 0);
    check_string(run, "digest", "0123456789abcdef");
    json_decref(lines);
}

TEST_WITH(phases_have_exact_figures, make_place, remove_place)
{
    static const char *const keys[] = {
        "name",   "incomplete", "operations", "hits",
        "misses", "begun_ns",   "elapsed_ns", "latency",
        "commit", "series",     "usage"
    };
    static const char *const names[] = { "create", "search", "update",
                                         "delete" };
    struct place *const place = *state;

    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const phases = json_object_get(second_run(lines), "phases");
    assert_int_equal(json_array_size(phases), PHASE_COUNT);
    for (size_t i = 0; i < PHASE_COUNT; i++) {
        const json_t *const phase = json_array_get(phases, i);
        const int64_t misses = i == PHASE_SEARCH ? SAMPLE_COUNT / 10 : 0;

        check_keys(phase, keys, COUNT_OF(keys));
        check_string(phase, "name", names[i]);
        check_integer(phase, "operations", SAMPLE_COUNT);
        check_integer(phase, "hits", SAMPLE_COUNT - misses);
        check_integer(phase, "misses", misses);
        check_integer(phase, "elapsed_ns", INT64_C(2000000000) << i);
        check_integer(phase, "begun_ns", INT64_C(10000000000) * (int64_t)i);
        check_boolean(phase, "incomplete", false);
        /* Nothing was recorded. */
        assert_true(json_is_null(json_object_get(phase, "latency")));
        assert_true(json_is_null(json_object_get(phase, "commit")));
    }
    json_decref(lines);
}

TEST_WITH(usage_is_told_as_far_as_known, make_place, remove_place)
{
    struct place *const place = *state;

    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const usage = json_object_get(
        json_array_get(json_object_get(second_run(lines), "phases"),
                       PHASE_UPDATE),
        "usage");
    check_integer(usage, "user_ns", 1000000000);
    check_integer(usage, "system_ns", 500000000);
    check_integer(usage, "voluntary_switches", SAMPLE_COUNT);
    check_integer(usage, "involuntary_switches", 0);
    check_integer(usage, "written_bytes", 4096);
    assert_true(json_is_null(json_object_get(usage, "disk_bytes")));
    check_integer(usage, "max_rss_bytes", 1 << 20);
    json_decref(lines);
}

/* The buckets are all that is needed to add runs up later. */
TEST_WITH(latency_is_exact_and_whole, make_place, remove_place)
{
    static const int64_t buckets[][2] = { { 100, 99000 },
                                          { 200, 990 },
                                          { 250, 9 } };
    struct place *const place = *state;

    sample_result_add_latency(place->result);
    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const latency = json_object_get(
        json_array_get(json_object_get(second_run(lines), "phases"), 0),
        "latency");
    check_integer(latency, "count", 100000);
    check_integer(latency, "min_ns", 100);
    check_integer(latency, "max_ns", 1500000);
    check_integer(latency, "sum_ns",
                  99000 * 100 + 990 * 200 + 9 * 250 + 1500000);
    const double p999 = json_number_value(json_object_get(latency, "p99.9_ns"));
    assert_true(p999 > 199.9 && p999 < 200.1);
    const json_t *const list = json_object_get(latency, "buckets");
    assert_int_equal(json_array_size(list), 4);
    for (size_t i = 0; i < COUNT_OF(buckets); i++) {
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(
                json_integer_value(json_array_get(json_array_get(list, i), k)),
                buckets[i][k]);
    }
    json_decref(lines);
}

TEST_WITH(baselines_are_numbers_or_null, make_place, remove_place)
{
    struct place *const place = *state;

    place->result->baselines.clock_ns = 17.5;
    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const floors =
        json_object_get(json_array_get(lines, 0), "floors");
    assert_true(json_real_value(json_object_get(floors, "clock_ns")) > 17.4);
    assert_true(json_is_null(json_object_get(floors, "fdatasync_ns")));
    assert_true(json_is_null(json_object_get(floors, "fdatasync_min_ns")));
    assert_true(json_is_null(json_object_get(floors, "round_trip_ns")));
    assert_true(json_is_null(json_object_get(floors, "harness_ns")));
    json_decref(lines);
}

TEST_WITH(an_interrupted_run_says_so, make_place, remove_place)
{
    static const bool incomplete[] = { false, false, true, true };
    static const int64_t done[] = { SAMPLE_COUNT, SAMPLE_COUNT,
                                    SAMPLE_COUNT / 4, 0 };
    struct place *const place = *state;

    sample_result_interrupt(place->result);
    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const result = json_array_get(lines, 0);
    const json_t *const runs = json_object_get(result, "runs");
    check_boolean(result, "incomplete", true);
    check_boolean(json_array_get(runs, 0), "incomplete", false);
    check_boolean(json_array_get(runs, 1), "incomplete", true);
    const json_t *const phases = json_object_get(second_run(lines), "phases");
    for (size_t i = 0; i < PHASE_COUNT; i++) {
        check_boolean(json_array_get(phases, i), "incomplete", incomplete[i]);
        check_integer(json_array_get(phases, i), "operations", done[i]);
    }
    /* Never reached: no time, and no cost that could be averaged. */
    const json_t *const last = json_array_get(phases, PHASE_DELETE);
    check_integer(last, "elapsed_ns", 0);
    assert_true(json_is_null(json_object_get(last, "begun_ns")));
    assert_true(json_is_null(json_object_get(last, "usage")));
    json_decref(lines);
}

TEST_WITH(a_failed_run_says_why, make_place, remove_place)
{
    struct place *const place = *state;

    place->result->end = LOAD_FAILED;
    place->result->error = "sample: \"quoted\", a \\ and caf\xc3\xa9";
    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const run = json_array_get(lines, 0);
    check_boolean(run, "incomplete", true);
    check_string(run, "error", "sample: \"quoted\", a \\ and caf\xc3\xa9");
    json_decref(lines);
}

TEST_WITH(runs_are_appended, make_place, remove_place)
{
    struct place *const place = *state;

    append(place);
    append(place);
    place->result->store = "another";
    append(place);
    json_t *const lines = read_lines(place->file);
    assert_int_equal(json_array_size(lines), 3);
    check_string(json_array_get(lines, 1), "store", "sample");
    check_string(json_array_get(lines, 2), "store", "another");
    json_decref(lines);
}

/* Whatever a runner wrote is read and written again as it was, byte for byte.
 */
TEST(what_was_read_is_written_again)
{
    FILE *const file =
        expected_open("../../results/reference-2026-11.jsonl", "re");
    char *text = NULL;
    size_t size = 0;
    ssize_t length;

    while ((length = getline(&text, &size, file)) > 0) {
        struct arena memory = { 0 };
        text[length - 1] = '\0';
        struct record_line line = { .file = "",
                                    .text = text,
                                    .length = (size_t)length - 1 };

        record_read(&line, &memory);
        assert_int_equal(line.kind, RECORD_LINE_RESULT);
        char *const again = record_write(line.record);
        assert_string_equal(again, text);
        free(again);
        arena_release(&memory);
    }
    free(text);
    assert_int_equal(fclose(file), 0);
}

/* One of several that append to the same file at once. */
struct writer {
    pthread_t thread;
    const struct place *place;
    bool failed;
};

enum { WRITERS = 4, LINES = 25 };

static void *write_lines(void *argument)
{
    struct writer *const writer = argument;
    const struct place *const place = writer->place;
    struct err err = { 0 };

    for (int i = 0; i < LINES; i++)
        writer->failed =
            append_to(place, place->file, &err) != 0 || writer->failed;
    return NULL;
}

/* Lines of about a hundred pages, which would be torn if they were written in
   pieces. */
TEST_WITH(lines_never_mix, make_place, remove_place)
{
    struct place *const place = *state;
    struct writer writers[WRITERS] = { { .failed = false } };

    for (int p = 0; p < PHASE_COUNT; p++) {
        for (uint64_t ns = 1; ns < UINT64_C(1) << 40; ns += 1 + ns / 100)
            histogram_record(&place->result->runs[0].phases[p].operations, ns);
    }
    for (size_t i = 0; i < WRITERS; i++) {
        writers[i].place = place;
        assert_int_equal(
            pthread_create(&writers[i].thread, NULL, write_lines, &writers[i]),
            0);
    }
    for (size_t i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
        assert_false(writers[i].failed);
    }
    json_t *const lines = read_lines(place->file);
    assert_int_equal(json_array_size(lines), WRITERS * LINES);
    json_decref(lines);
}

/* As the name of a file may be. */
TEST_WITH(what_is_not_utf8_becomes_question_marks, make_place, remove_place)
{
    struct place *const place = *state;

    place->result->error = "opening caf\xe9: no";
    properties_add(&place->result->parameters, "file", "caf\xe9");
    append(place);
    json_t *const lines = read_lines(place->file);
    const json_t *const run = json_array_get(lines, 0);
    check_string(run, "error", "opening caf?: no");
    check_string(json_object_get(run, "parameters"), "file", "caf?");
    json_decref(lines);
}

TEST_WITH(a_full_disk_is_noticed, make_place, remove_place)
{
    struct place *const place = *state;
    struct err err = { 0 };

    assert_int_equal(append_to(place, "/dev/full", &err), -1);
    assert_string_equal(err.text,
                        "--output: /dev/full: No space left on device");
}

TEST_WITH(the_path_is_checked_beforehand, make_place, remove_place)
{
    struct place *const place = *state;
    struct err err = { 0 };
    struct stat status;

    /* Nothing is left of the trial. */
    assert_int_equal(output_check(place->file, &err), 0);
    assert_int_equal(stat(place->file, &status), -1);
    append(place);
    assert_int_equal(stat(place->file, &status), 0);
    const off_t size = status.st_size;
    assert_int_equal(output_check(place->file, &err), 0);
    assert_int_equal(stat(place->file, &status), 0);
    assert_int_equal(status.st_size, size);
    assert_int_equal(output_check("/nowhere/x", &err), -1);
    assert_string_equal(err.text,
                        "--output: /nowhere/x: No such file or directory");
    assert_int_equal(output_check("/tmp", &err), -1);
    assert_string_equal(err.text, "--output: /tmp: Is a directory");
}
