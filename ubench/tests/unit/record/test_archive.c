/* SPDX-License-Identifier: ISC */
#include "record/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/output.h"
#include "record/writer.h"
#include "tests/lib/check.h"
#include "tests/lib/sample_result.h"

/* A file that is gone after the test, and what was complained of. */
struct place {
    char file[64];
    char complaints[2048];
    struct archive archive;
};

static int make_place(void **state)
{
    struct place *const place = calloc(1, sizeof *place);

    if (place == NULL)
        return -1;
    *state = place;
    (void)snprintf(place->file, sizeof place->file, "/tmp/ubench-test-XXXXXX");
    const int file = mkstemp(place->file);
    return file < 0 ? -1 : close(file);
}

static int remove_place(void **state)
{
    struct place *const place = *state;

    archive_release(&place->archive);
    (void)unlink(place->file);
    free(place);
    return 0;
}

static void note(void *context, const char *file, size_t line, const char *text)
{
    struct place *const place = context;
    const size_t length = strlen(place->complaints);

    check_text("the file that is complained of", file, place->file);
    (void)snprintf(place->complaints + length,
                   sizeof place->complaints - length, "%zu: %s\n", line, text);
}

static void write_text(const struct place *place, const char *text)
{
    FILE *const file = fopen(place->file, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void read_place(struct place *place)
{
    const char *const file = place->file;
    struct err err = { 0 };

    archive_release(&place->archive);
    place->complaints[0] = '\0';
    if (archive_read(&place->archive, &file, 1, note, place, &err) != 0)
        fail_msg("%s", err.text);
}

#define HEAD(format)                                       \
    "{\"format\":\"" format "\",\"program\":\"x_ubench\"," \
    "\"version\":\"1\",\"store\":\"x\","
#define CLASS "\"durability\":{\"class\":\"bounded\",\"from\":\"y\"},"
#define PHASE                                  \
    "\"name\":\"renew\",\"incomplete\":false," \
    "\"operations\":40,\"elapsed_ns\":2000000000"
#define LINE(more)                                  \
    HEAD("ubench-result/1")                         \
    CLASS "\"parameters\":{\"count\":\"40\"}," more \
          "\"runs\":[{\"phases\":[{" PHASE "}]}]}"
#define LATENCY(buckets)                                             \
    HEAD("ubench-result/1")                                          \
    CLASS "\"parameters\":{},\"runs\":[{\"phases\":[{" PHASE         \
          ",\"latency\":{\"count\":3,\"sum_ns\":700,\"min_ns\":100," \
          "\"max_ns\":301,\"buckets\":" buckets "}}]}]}"

/* The least that a line must have: other members may be missing. */
TEST_WITH(reads_what_is_there, make_place, remove_place)
{
    struct place *const place = *state;

    write_text(place,
               LINE("\"labels\":{\"block\":\"2\",\"x\\\"buckets\\\"\":"
                    "\"[[1,2]]\",\"\\u001b[31m\":\"\\u001b[0m\"},") "\n");
    read_place(place);
    check_text("complaints", place->complaints, "");
    assert_int_equal(place->archive.count, 1);
    const struct record *const record = &place->archive.records[0];
    check_text("store", record->store, "x");
    check_text("from", record->durability_from, "y");
    check_text("node_loss", record->node_loss, "");
    assert_int_equal(record->durability, DURABILITY_BOUNDED);
    assert_true(record->durability_known);
    check_text("count", record_parameter(record, "count"), "40");
    check_text("none", record_parameter(record, "threads"), "");
    check_text("block", record_properties_find(&record->labels, "block"), "2");
    check_text("odd label",
               record_properties_find(&record->labels, "x\"buckets\""),
               "[[1,2]]");
    check_text("escaped", record_properties_find(&record->labels, "?[31m"),
               "?[0m");
    assert_int_equal(record->host.count, 0);
    assert_int_equal(record->run_count, 1);
    const struct record_phase *const phase =
        record_run_phase(&record->runs[0], "renew");
    assert_non_null(phase);
    assert_null(record_run_phase(&record->runs[0], "create"));
    assert_true(fabs(record_phase_rate(phase) - 20) < 1e-9);
    assert_int_equal(phase->latency.count, 0);
    check_number("hits", phase->hits, RECORD_UNKNOWN);
    check_number("usage", phase->usage.user_ns, RECORD_UNKNOWN);
}

/* Each broken line stands between two good ones. */
TEST_WITH(complains_and_goes_on, make_place, remove_place)
{
    static const struct {
        const char *line;
        const char *complaint;
    } cases[] = {
        { "", "the line is empty" },
        { " \t", "the line is empty" },
        { "count 17",
          "the line is not JSON: '[' or '{' expected near 'count'" },
        { "[]", "this is no result: it has no format" },
        { "{}", "this is no result: it has no format" },
        { "{\"format\":1}", "this is no result: it has no format" },
        { HEAD("ubench-result/2") "\"runs\":[]}",
          "the format is 'ubench-result/2', and ubench-result/1 is what can be "
          "read" },
        { HEAD("\\u001b[31m") "\"runs\":[]}",
          "the format is '?[31m', and ubench-result/1 is what can be read" },
        { "\x1b[31m", "the line is not JSON: '[' or '{' expected near '?'" },
        { HEAD("ubench-result/1") CLASS "\"runs\":[]}",
          "parameters is missing" },
        { HEAD("ubench-result/1") CLASS "\"parameters\":[],\"runs\":[]}",
          "parameters is not an object" },
        { HEAD("ubench-result/1") CLASS "\"parameters\":{\"count\":4}}",
          "parameters: count is not a text" },
        { HEAD("ubench-result/1") CLASS "\"parameters\":{},\"runs\":[]}",
          "runs are none" },
        { HEAD("ubench-result/1") CLASS "\"parameters\":{},\"runs\":[3]}",
          "run 1: phases is missing" },
        { HEAD("ubench-result/1") CLASS
          "\"parameters\":{},\"runs\":[{\"phases\":[3]}]}",
          "run 1: a phase is not an object" },
        { HEAD("ubench-result/1") CLASS
          "\"parameters\":{},\"runs\":[{\"phases\":[{\"name\":"
          "\"a\",\"operations\":-1,\"elapsed_ns\":1}]}]}",
          "run 1, a: operations is not a whole number" },
        { HEAD("ubench-result/1") CLASS
          "\"parameters\":{},\"runs\":[{\"phases\":[{\"name\":"
          "\"a\",\"operations\":1}]}]}",
          "run 1, a: elapsed_ns is missing" },
        { HEAD("ubench-result/1") "\"durability\":{\"class\":\"safe\"},"
                                  "\"parameters\":{},\"runs\":[]}",
          "durability: class is not one that is known" },
        { HEAD("ubench-result/1") "\"parameters\":{},\"runs\":[]}",
          "durability is missing" },
        { LATENCY("[[100,1],[x,2]]"), "the line is not JSON: "
                                      "invalid token near 'x'" },
        { LATENCY("7"), "run 1, renew: buckets is not an array" },
        { LATENCY("[1.5,2]"), "run 1, renew: buckets is not of [low, count]" },
        { LATENCY("[[100,1],300,2]"),
          "run 1, renew: buckets is not of [low, count]" },
        { LATENCY("[[100,1],[300]]"),
          "run 1, renew: buckets is not of [low, count]" },
        { LATENCY("[[100,1],[300,-2]]"),
          "run 1, renew: buckets is not of [low, count]" },
        { LATENCY("[[100,1][300,2]]"),
          "the line is not JSON: ']' expected near '['" },
        { LATENCY("[[100,18446744073709551615],[300,4]]"),
          "the line is not JSON: too big integer near '18446744073709551615'" },
    };

    struct place *const place = *state;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[4096];
        char wanted[512];

        (void)snprintf(text, sizeof text, "%s\n%s\n%s\n", LINE(""),
                       cases[i].line, LINE(" "));
        (void)snprintf(wanted, sizeof wanted, "2: %s\n", cases[i].complaint);
        write_text(place, text);
        read_place(place);
        check_text(cases[i].line, place->complaints, wanted);
        check_number(cases[i].line, place->archive.count, 2);
    }
}

TEST_WITH(sees_what_is_cut_short, make_place, remove_place)
{
    struct place *const place = *state;

    write_text(place, LINE("") "\n{\"format\":\"ubench-res");
    read_place(place);
    check_text("complaints", place->complaints,
               "2: the line is cut short: premature end of input near "
               "'\"ubench-res'\n");
    assert_int_equal(place->archive.count, 1);
    write_text(place, "");
    read_place(place);
    check_text("empty", place->complaints, "1: the line is empty\n");
    write_text(place, LINE(""));
    read_place(place);
    check_text("no newline at the end", place->complaints, "");
    assert_int_equal(place->archive.count, 1);
}

TEST_WITH(leaves_out_what_is_there_twice, make_place, remove_place)
{
    struct place *const place = *state;
    char wanted[256];

    write_text(place,
               LINE("") "\n" LINE(" ") "\n" LINE("") "\n{\"format\":"
                                                     "\"ubench-crash/1\"}\n");
    read_place(place);
    (void)snprintf(wanted, sizeof wanted, "3: the line is the same as %s:1\n",
                   place->file);
    check_text("complaints", place->complaints, wanted);
    assert_int_equal(place->archive.count, 2);
    assert_int_equal(place->archive.crash_count, 1);
    check_number("line", place->archive.crashes[0].line, 4);
}

#define WRONG_BUCKETS                                                     \
    "run 1, renew: the buckets of its 3 latencies are not those of that " \
    "count, "                                                             \
    "sum_ns, min_ns and max_ns"

TEST_WITH(reads_no_wrong_buckets, make_place, remove_place)
{
    static const struct {
        const char *line;
        const char *complaint; /* NULL: it is right */
    } cases[] = {
        { LATENCY("[[100,1],[300,2]]"), NULL },
        { LATENCY("[ [100, 1] , [300, 2] ]"), NULL },
        { LATENCY("[[100,1],[300,1]]"), WRONG_BUCKETS }, /* count */
        { LATENCY("[[101,1],[300,2]]"), WRONG_BUCKETS }, /* min */
        { LATENCY("[[100,1],[301,2]]"), WRONG_BUCKETS }, /* none begins there */
        { LATENCY("[]"), WRONG_BUCKETS },
        { LATENCY("[[100,1152921504606846976],[300,1152921504606846976],"
                  "[400,5]]"),
          WRONG_BUCKETS },
        { LATENCY("[[100,9223372036854775807]]"),
          "run 1, renew: count is 9223372036854775807, above "
          "1152921504606846976" },
        /* What follows from the buckets is not believed. */
        { LATENCY("[[100,1],[300,2]],\"p50_ns\":300,\"p95_ns\":200"), NULL },
        { LATENCY("[[100,1],[300,2]],\"mean_ns\":1,\"sd_ns\":9"), NULL },
    };

    struct place *const place = *state;
    struct histogram *const histogram = malloc(sizeof *histogram);

    assert_non_null(histogram);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bool right = cases[i].complaint == NULL;
        char wanted[256] = "";

        if (!right)
            (void)snprintf(wanted, sizeof wanted, "1: %s\n",
                           cases[i].complaint);
        write_text(place, cases[i].line);
        read_place(place);
        check_text(cases[i].line, place->complaints, wanted);
        check_number(cases[i].line, place->archive.count, right);
        if (!right)
            continue;
        const struct record_histogram *const from =
            &place->archive.records[0].runs[0].phases[0].latency;
        histogram_init(histogram);
        check_number(cases[i].line,
                     record_histogram_restore(from, histogram) == 0, 1);
        check_number(cases[i].line, histogram->count, 3);
        assert_true(isnan(from->p50_ns) && isnan(from->p95_ns));
        assert_true(fabs(from->mean_ns - histogram_mean(histogram)) < 1e-9);
        assert_true(fabs(from->sd_ns - histogram_sd(histogram)) < 1e-9);
    }
    free(histogram);
}

/* A phase, or whatever else there is in its place. */
#define OF_RUN(more)        \
    HEAD("ubench-result/1") \
    CLASS "\"parameters\":{},\"runs\":[{" more "}]}"
#define OF_PHASE(more) OF_RUN("\"phases\":[{\"name\":\"renew\"," more "}]")
#define OF_TRIAL(more)                                                    \
    OF_RUN("\"phases\":[{" PHASE "}],\"trials\":[{\"stage\":\"single\","  \
           "\"deadline_ns\":1,\"elapsed_ns\":9,\"late\":2,\"dropped\":1," \
           "\"failed\":0,\"unanswered\":0," more "}]")

/* Figures that contradict each other, or that nothing could have. */
TEST_WITH(believes_nothing_impossible, make_place, remove_place)
{
    static const struct {
        const char *line;
        const char *complaint;
    } cases[] = {
        { OF_PHASE("\"operations\":9223372036854775807,\"elapsed_ns\":1000"),
          "run 1, renew: operations is 9223372036854775807, above "
          "1152921504606846976" },
        { OF_PHASE("\"operations\":1000000,\"elapsed_ns\":1000"),
          "run 1, renew: operations is 1000000 in 1000 ns, which nothing can "
          "do" },
        { OF_PHASE("\"incomplete\":true,\"operations\":1,\"elapsed_ns\":0"),
          "run 1, renew: operations is 1 in 0 ns, which nothing can do" },
        { OF_PHASE("\"operations\":4,\"hits\":3,\"misses\":2,\"elapsed_ns\":9"),
          "run 1, renew: operations is 4, and hits + misses is 5" },
        { OF_PHASE(
              "\"operations\":4,\"elapsed_ns\":9,\"steps\":[{\"name\":\"x\","
              "\"count\":4,\"hits\":1,\"misses\":2}]"),
          "run 1, renew, x: count is 4, and hits + misses is 3" },
        { OF_TRIAL("\"offered\":5,\"answered\":3,\"merged\":0"),
          "trial 1: offered is 5, and answered + dropped + merged + failed + "
          "unanswered is 4" },
        { OF_TRIAL("\"offered\":2,\"answered\":1,\"merged\":0"),
          "trial 1: answered is 1, and late is 2" },
        { OF_RUN("\"phases\":[{" PHASE "}],\"trials\":[],\"storm\":{"
                 "\"clients\":4,\"served\":5,\"sent\":9}"),
          "storm: clients is 4, and served is 5" },
        { OF_RUN("\"phases\":[{" PHASE "}],\"reconnect\":{\"unknown\":3,"
                 "\"found_done\":2,\"repeated\":2}"),
          "run 1: unknown is 3, and found_done + repeated is 4" },
        { OF_RUN("\"phases\":[{" PHASE "}],\"trials\":[],\"closed_loop\":{"
                 "\"rate_per_s\":1e300}"),
          "run 1: rate_per_s is 1e+300, above "
          "1152921504606846976" },
    };
    struct place *const place = *state;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char wanted[256];

        (void)snprintf(wanted, sizeof wanted, "1: %s\n", cases[i].complaint);
        write_text(place, cases[i].line);
        read_place(place);
        check_text(cases[i].line, place->complaints, wanted);
        check_number(cases[i].line, place->archive.count, 0);
    }
}

/* It takes no more memory than the longest that is read; the next one is. */
TEST_WITH(leaves_out_what_is_too_long, make_place, remove_place)
{
    struct place *const place = *state;

    write_text(place, LINE("") "\n");
    FILE *const file = fopen(place->file, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, RECORD_LINE_MAX + 4096, SEEK_SET), 0);
    assert_true(fputs("\n" LINE(" ") "\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    read_place(place);
    check_text("complaints", place->complaints,
               "2: the line is longer than 64 MiB\n");
    assert_int_equal(place->archive.count, 2);
    check_number("line", place->archive.records[1].line, 3);
}

/* What a runner writes comes back as it was. */
TEST_WITH(reads_what_was_written, make_place, remove_place)
{
    struct place *const place = *state;
    struct sample_result *const result = sample_result_new(2);
    struct histogram *const histogram = malloc(sizeof *histogram);
    struct arena memory = { 0 };
    struct err err = { 0 };

    assert_non_null(result);
    assert_non_null(histogram);
    sample_result_add_latency(result);
    const struct record wrote = sample_result_record(result, &memory);
    assert_int_equal(
        output_append(record_write(&wrote), place->file, NULL, &err), 0);
    arena_release(&memory);
    read_place(place);
    check_text("complaints", place->complaints, "");
    assert_int_equal(place->archive.count, 1);
    const struct record *const record = &place->archive.records[0];
    assert_int_equal(record->run_count, 2);
    assert_int_equal(record->runs[1].phase_count, PHASE_COUNT);
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct phase_result *const from = &result->runs[1].phases[i];
        const struct record_phase *const read = &record->runs[1].phases[i];

        check_text("name", read->name, from->name);
        check_number(read->name, read->operations, from->done);
        check_number(read->name, read->elapsed_ns, phase_elapsed_ns(from));
        check_number(read->name, read->usage.disk_bytes, RECORD_UNKNOWN);
        check_number(read->name, read->usage.user_ns, from->usage.user_ns);
        histogram_init(histogram);
        assert_int_equal(record_histogram_restore(&read->latency, histogram),
                         0);
        assert_memory_equal(histogram, &from->operations, sizeof *histogram);
    }
    free(histogram);
    sample_result_free(result);
}

TEST_WITH(needs_its_files, make_place, remove_place)
{
    static const char *const files[] = { "/nowhere/at/all.jsonl" };
    struct place *const place = *state;
    struct err err = { 0 };

    assert_int_equal(archive_read(&place->archive, files, 1, note, place, &err),
                     -1);
    check_text("err", err.text,
               "/nowhere/at/all.jsonl: No such file or directory");
    assert_int_equal(place->archive.count, 0);
}
