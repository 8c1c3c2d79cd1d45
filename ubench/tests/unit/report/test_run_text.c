/* SPDX-License-Identifier: ISC */
#include "report/run_text.h"

#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/lib/expected.h"
#include "tests/lib/sample_result.h"

enum { PAGE_SIZE = 8192 };

typedef void print_record(const struct record *record, FILE *out);

static void full_head(const struct record *record, FILE *out)
{
    run_text_print_head(record, RUN_TEXT_FULL, out);
}

static void full_figures(const struct record *record, FILE *out)
{
    run_text_print_figures(record, RUN_TEXT_FULL, out);
}

/* All that --verbose=yes prints. */
static void usual(const struct record *record, FILE *out)
{
    run_text_print_head(record, RUN_TEXT_USUAL, out);
    run_text_print_figures(record, RUN_TEXT_USUAL, out);
}

static void results(const struct record *record, FILE *out)
{
    run_text_print_head(record, RUN_TEXT_RESULTS, out);
    run_text_print_figures(record, RUN_TEXT_RESULTS, out);
}

/* No line is wider than a terminal of 80 columns. */
static void check_width(const char *page)
{
    for (const char *line = page; *line != '\0';
         line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 79)
            fail_msg("too wide: %.*s", (int)strcspn(line, "\n"), line);
}

/* Prints it as a record into a text. */
static void print_page(print_record *print, const struct sample_result *result,
                       char page[PAGE_SIZE])
{
    struct arena memory = { 0 };
    const struct record record = sample_result_record(result, &memory);
    FILE *const out = fmemopen(page, PAGE_SIZE, "w");

    assert_non_null(out);
    print(&record, out);
    assert_int_equal(fclose(out), 0);
    arena_release(&memory);
}

/* What is printed must be what is in run_text/NAME.txt. */
static void check_page(print_record *print, const struct sample_result *result,
                       const char *name)
{
    char page[PAGE_SIZE], file[128];

    print_page(print, result, page);
    check_width(page);
    (void)snprintf(file, sizeof file, "unit/report/run_text/%s.txt", name);
    expected_check(file, page);
}

static struct sample_result *new_sample(size_t runs)
{
    struct sample_result *const result = sample_result_new(runs);

    assert_non_null(result);
    return result;
}

TEST(provenance)
{
    struct sample_result *const result = new_sample(1);

    check_page(full_head, result, "provenance");
    sample_result_free(result);
}

TEST(provenance_folds_long_lines)
{
    static const char *const names[] = {
        "a_setting", "b_setting", "c_setting",
        "d_setting", "e_setting", "f_setting"
    };
    struct sample_result *const result = new_sample(1);

    for (size_t i = 0; i < COUNT_OF(names); i++)
        properties_add(&result->facts, names[i], "with its value");
    properties_add(&result->facts, "long", "%s",
                   "a value of so many words that not even a line of its own "
                   "has room for all of it");
    check_page(full_head, result, "provenance_folds_long_lines");
    sample_result_free(result);
}

/* 3.75 s is the mean of 1, 2, 4, 8 and 468750 that of the four rates; but
   four million operations in 15 s are 266666.67 a second. */
TEST(figures)
{
    struct sample_result *const result = new_sample(1);

    check_page(full_figures, result, "figures");
    sample_result_free(result);
}

/* The same for those who want no more than an answer, and with all that a
   reader needs who knows none of our words. */
TEST(results_alone)
{
    struct sample_result *const result = new_sample(3);

    sample_result_add_latency(result);
    check_page(results, result, "results_alone");
    sample_result_free(result);
}

TEST(the_usual_text)
{
    struct sample_result *const result = new_sample(1);

    sample_result_add_latency(result);
    properties_add(&result->host, "cpu", "Some CPU with a name of many words");
    properties_add(&result->host, "cores", "2");
    result->durability_from = "some_setting_of_a_long_name=1, another_one=OFF, "
                              "which is why it takes two lines";
    result->node_loss = "yes";
    result->warning = "the hypervisor took away 35.3 % of the CPU time; the "
                      "load was 1.20 before the run, on 2 cores; of others; "
                      "and theirs alone";
    check_page(usual, result, "the_usual_text");
    sample_result_free(result);
}

TEST(figures_of_a_cluster)
{
    struct sample_result *const result = new_sample(1);
    char page[PAGE_SIZE];

    print_page(usual, result, page);
    assert_null(strstr(page, "conflicts"));
    assert_null(strstr(page, "stale"));
    result->runs[0].phases[PHASE_UPDATE].conflicts = 1234;
    result->runs[0].phases[PHASE_SEARCH].stale = 7;
    print_page(usual, result, page);
    check_width(page);
    assert_non_null(strstr(page, "\n  conflicts           1,234   another came "
                                 "first: not done, not counted\n"));
    assert_non_null(strstr(page, "\n  stale                   7   the node was "
                                 "behind another: asked again\n"));
    sample_result_free(result);
}

TEST(figures_of_an_interrupted_run)
{
    struct sample_result *const result = new_sample(1);

    sample_result_interrupt(result);
    check_page(full_figures, result, "figures_of_an_interrupted_run");
    sample_result_free(result);
}

TEST(figures_of_a_store_that_keeps_nothing)
{
    struct sample_result *const result = new_sample(1);

    result->durability = DURABILITY_NONE;
    result->durability_from = "it stores nothing";
    result->runs[0].verified = false;
    result->facts = (struct properties){ 0 };
    properties_add(&result->facts, "null store", "it stores nothing");
    result->parameters = (struct properties){ 0 };
    properties_add(&result->parameters, "count", "1000000");
    properties_add(&result->parameters, "lease", "guide");
    properties_add(&result->parameters, "seed", "7");
    check_page(full_head, result, "figures_of_a_store_that_keeps_nothing");
    check_page(full_figures, result, "figures_of_a_store_that_keeps_nothing_2");
    sample_result_free(result);
}

/* The tool of 2012 divided whole microseconds and printed "inf oper/s". */
TEST(a_fast_phase_has_an_exact_rate)
{
    struct sample_result *const result = new_sample(1);
    char page[PAGE_SIZE];

    for (int i = 0; i < PHASE_COUNT; i++)
        result->runs[0].phases[i].done = 100;
    sample_result_time(result, 0, PHASE_CREATE, 1, 1700);
    sample_result_time(result, 0, PHASE_SEARCH, 3, 0);
    print_page(full_figures, result, page);
    assert_non_null(
        strstr(page, "create                  100    58,820,000\n"));
    assert_non_null(
        strstr(page, "create             0.000002      58823529.41\n"));
    assert_non_null(
        strstr(page, "search                  100             0\n"));
    assert_non_null(
        strstr(page, "search             0.000000             0.00\n"));
    assert_null(strstr(page, "inf"));
    assert_null(strstr(page, "nan"));
    sample_result_free(result);
}

TEST(provenance_of_threads_in_groups)
{
    struct sample_result *const result = new_sample(1);

    properties_add(&result->parameters, "threads", "4");
    properties_add(&result->parameters, "batch", "1000");
    result->baselines.clock_ns = 17.2;
    result->baselines.fdatasync_ns = 214000;
    result->baselines.round_trip_ns = 81000;
    check_page(full_head, result, "provenance_of_threads_in_groups");
    sample_result_free(result);
}

TEST(provenance_has_the_labels)
{
    struct sample_result *const result = new_sample(1);

    properties_add(&result->labels, "campaign", "a month");
    properties_add(&result->labels, "block", "3");
    check_page(full_head, result, "provenance_has_the_labels");
    sample_result_free(result);
}

/* Of the machine no more than bears on the figures, in an order of its own. */
TEST(provenance_names_the_machine)
{
    struct sample_result *const result = new_sample(1);

    properties_add(&result->host, "kernel", "6.1.0 x86_64");
    properties_add(&result->host, "governor", "none");
    properties_add(&result->host, "cpu", "Some CPU");
    properties_add(&result->host, "write_cache", "write back");
    check_page(full_head, result, "provenance_names_the_machine");
    sample_result_free(result);
}

/* 100,000 values: p99.99 has the 10 beyond it that it needs, but not more. */
TEST(figures_with_latency)
{
    struct sample_result *const result = new_sample(1);

    sample_result_add_latency(result);
    for (int k = 0; k < 20; k++)
        histogram_record(&result->runs[0].phases[PHASE_DELETE].commits,
                         12345678);
    check_page(full_figures, result, "figures_with_latency");
    sample_result_free(result);
}

/* One phase has no mean of the four: of churn, say. */
TEST(figures_of_one_phase)
{
    struct sample_result *const result = new_sample(1);
    struct load_result *const run = &result->runs[0];

    run->phase_count = 1;
    run->phases[0].name = "churn";
    check_page(full_figures, result, "figures_of_one_phase");
    sample_result_free(result);
}

/* A phase in which nothing was done, as that of a rare exchange may be, has no
   moments. */
TEST(moments_of_what_was_done)
{
    struct sample_result *const result = new_sample(1);
    char page[PAGE_SIZE];

    sample_result_add_latency(result);
    for (size_t k = 1; k < PHASE_COUNT; k++)
        histogram_init(&result->runs[0].phases[k].operations);
    print_page(full_figures, result, page);
    assert_non_null(strstr(page, "\ncreate            100 ns   116 ns  4.74 us"
                                 "   100 ns   200 ns\n"));
    assert_non_null(strstr(page, "\nsearch               n/a      n/a      n/a"
                                 "      n/a      n/a\n"));
    sample_result_free(result);
}

TEST(a_warning_stands_out)
{
    struct sample_result *const result = new_sample(1);
    char page[PAGE_SIZE];

    result->warning = "it is too fast";
    print_page(results, result, page);
    assert_non_null(strstr(page, "\nWARNING         it is too fast\n"));
    sample_result_free(result);
}

/* Runs of 15, 30, 45, 60, 75 and 90 s; the headline drops the first and the
   last. */
TEST(figures_of_repeats)
{
    struct sample_result *const result = new_sample(6);

    check_page(full_figures, result, "figures_of_repeats");
    sample_result_free(result);
}

/* Runs of 15, 30 and 45 s: what is left is the one in the middle, and it says
   nothing of how far the next one may be off. */
TEST(figures_of_three_repeats)
{
    struct sample_result *const result = new_sample(3);

    check_page(full_figures, result, "figures_of_three_repeats");
    sample_result_free(result);
}

/*
 * As ISC does it: nine runs, seven count.  By hand for create: the rates are
 * 1,000,000 / k; (1/2 + ... + 1/8) / 7 = 0.24540816; with 1/1 set to 1/2 and
 * 1/9 to 1/8 their standard deviation is 0.15131112, and t(.975, 6) / (7/9 * 3)
 * = 1.0486765 of it 0.1586764.  The median is 1/5, between the second and the
 * eighth in 1 - 2 * (1 + 9) / 2^9 = 96.1 % of all cases.
 */
TEST(figures_of_nine_repeats)
{
    static const char wanted[] =
        "runs            9 of 9 runs; each figure above is a mean of its own, "
        "without\n"
        "                its highest and lowest run: they need not add up\n"
        "per second             mean +-        95 %      median   its interval "
        "(96.1 %)\n"
        "create              245,400 +-     158,700     200,000   125,000 to "
        "500,000\n"
        "search              122,700 +-      79,340     100,000   62,500 to "
        "250,000\n"
        "update               61,350 +-      39,670      50,000   31,250 to "
        "125,000\n"
        "delete               30,680 +-      19,830      25,000   15,630 to "
        "62,500\n"
        "overall              65,440 +-      42,310      53,330   33,330 to "
        "133,300\n";
    struct sample_result *const result = new_sample(9);
    char page[PAGE_SIZE];

    print_page(full_figures, result, page);
    assert_non_null(
        strstr(page, "create             5.000000        245408.16\n"));
    assert_non_null(strstr(
        page, "average           18.750000        115035.08   the mean"));
    assert_non_null(
        strstr(page, "overall           75.000000         65442.18\n"));
    if (strstr(page, wanted) == NULL)
        fail_msg("wanted:\n%sgot:\n%s", wanted, page);
    sample_result_free(result);
}

TEST(figures_of_repeats_cut_short)
{
    struct sample_result *const result = new_sample(3);

    sample_result_interrupt(result);
    check_page(full_figures, result, "figures_of_repeats_cut_short");
    sample_result_free(result);
}
