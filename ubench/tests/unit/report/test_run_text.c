/* SPDX-License-Identifier: ISC */
#include "report/run_text.h"

#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/lib/expected.h"
#include "tests/lib/sample_result.h"

enum { PAGE_SIZE = 8192 };

typedef void print_record(const struct record *record, FILE *out);

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
    (void)snprintf(file, sizeof file, "unit/report/run_text/%s.txt", name);
    expected_check(file, page);
}

static struct sample_result *new_sample(size_t runs)
{
    struct sample_result *const result = sample_result_new(runs);

    assert_non_null(result);
    return result;
}

static void provenance(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    check_page(run_text_print_provenance, result, "provenance");
    sample_result_free(result);
}

static void provenance_folds_long_lines(void **state)
{
    static const char *const names[] = {
        "a_setting", "b_setting", "c_setting",
        "d_setting", "e_setting", "f_setting"
    };
    struct sample_result *const result = new_sample(1);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        properties_add(&result->facts, names[i], "with its value");
    check_page(run_text_print_provenance, result,
               "provenance_folds_long_lines");
    sample_result_free(result);
}

/* 3.75 s is the mean of 1, 2, 4, 8 and 468750 that of the four rates; but
   four million operations in 15 s are 266666.67 a second. */
static void figures(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    check_page(run_text_print_figures, result, "figures");
    sample_result_free(result);
}

static void figures_of_an_interrupted_run(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    sample_result_interrupt(result);
    check_page(run_text_print_figures, result, "figures_of_an_interrupted_run");
    sample_result_free(result);
}

static void figures_of_a_store_that_keeps_nothing(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    result->durability = DURABILITY_NONE;
    result->durability_from = "it stores nothing";
    result->runs[0].verified = false;
    result->facts = (struct properties){ 0 };
    properties_add(&result->facts, "null store", "it stores nothing");
    result->parameters = (struct properties){ 0 };
    properties_add(&result->parameters, "count", "1000000");
    properties_add(&result->parameters, "lease", "guide");
    properties_add(&result->parameters, "seed", "7");
    check_page(run_text_print_provenance, result,
               "figures_of_a_store_that_keeps_nothing");
    check_page(run_text_print_figures, result,
               "figures_of_a_store_that_keeps_nothing_2");
    sample_result_free(result);
}

/* The tool of 2012 divided whole microseconds and printed "inf oper/s". */
static void a_fast_phase_has_an_exact_rate(void **state)
{
    struct sample_result *const result = new_sample(1);
    char page[PAGE_SIZE];

    (void)state;
    for (int i = 0; i < PHASE_COUNT; i++)
        result->runs[0].phases[i].done = 100;
    sample_result_time(result, 0, PHASE_CREATE, 1, 1700);
    sample_result_time(result, 0, PHASE_SEARCH, 3, 0);
    print_page(run_text_print_figures, result, page);
    assert_non_null(strstr(
        page, "create             100      0.000002      58823529.41\n"));
    assert_non_null(strstr(
        page, "search             100      0.000000             0.00\n"));
    assert_null(strstr(page, "inf"));
    assert_null(strstr(page, "nan"));
    sample_result_free(result);
}

static void provenance_of_threads_in_groups(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    properties_add(&result->parameters, "threads", "4");
    properties_add(&result->parameters, "batch", "1000");
    result->baselines.clock_ns = 17.2;
    result->baselines.fdatasync_ns = 214000;
    result->baselines.round_trip_ns = 81000;
    check_page(run_text_print_provenance, result,
               "provenance_of_threads_in_groups");
    sample_result_free(result);
}

static void provenance_has_the_labels(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    properties_add(&result->labels, "campaign", "a month");
    properties_add(&result->labels, "block", "3");
    check_page(run_text_print_provenance, result, "provenance_has_the_labels");
    sample_result_free(result);
}

/* Of the machine no more than bears on the figures, in an order of its own. */
static void provenance_names_the_machine(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    properties_add(&result->host, "kernel", "6.1.0 x86_64");
    properties_add(&result->host, "governor", "none");
    properties_add(&result->host, "cpu", "Some CPU");
    properties_add(&result->host, "write_cache", "write back");
    check_page(run_text_print_provenance, result,
               "provenance_names_the_machine");
    sample_result_free(result);
}

/* 100,000 values: p99.99 has the 10 beyond it that it needs, but not more. */
static void figures_with_latency(void **state)
{
    struct sample_result *const result = new_sample(1);

    (void)state;
    sample_result_add_latency(result);
    for (int k = 0; k < 20; k++)
        histogram_record(&result->runs[0].phases[PHASE_DELETE].commits,
                         12345678);
    check_page(run_text_print_figures, result, "figures_with_latency");
    sample_result_free(result);
}

/* One phase has no mean of the four: of churn, say. */
static void figures_of_one_phase(void **state)
{
    struct sample_result *const result = new_sample(1);
    struct load_result *const run = &result->runs[0];

    (void)state;
    run->phase_count = 1;
    run->phases[0].name = "churn";
    check_page(run_text_print_figures, result, "figures_of_one_phase");
    sample_result_free(result);
}

/* A phase in which nothing was done, as that of a rare exchange may be, has no
   moments; and where none has any, there is no line for them. */
static void moments_of_what_was_done(void **state)
{
    static const struct {
        size_t phases; /* that did something */
        const char *line;
    } cases[] = {
        { 0, NULL },
        { 1, "\nlatency     min/mean/sd [us]: create 0.100/0.116/4.743\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sample_result *const result = new_sample(1);
        char page[PAGE_SIZE];

        sample_result_add_latency(result);
        for (size_t k = cases[i].phases; k < PHASE_COUNT; k++)
            histogram_init(&result->runs[0].phases[k].operations);
        print_page(run_text_print_figures, result, page);
        if (cases[i].line == NULL)
            assert_null(strstr(page, "min/mean/sd"));
        else
            assert_non_null(strstr(page, cases[i].line));
        sample_result_free(result);
    }
}

static void a_warning_stands_out(void **state)
{
    struct sample_result *const result = new_sample(1);
    char page[PAGE_SIZE];

    (void)state;
    result->warning = "it is too fast";
    print_page(run_text_print_figures, result, page);
    assert_non_null(strstr(page, "\nWARNING     it is too fast\n"));
    sample_result_free(result);
}

/* Runs of 15, 30, 45, 60, 75 and 90 s; the headline drops the first and the
   last. */
static void figures_of_repeats(void **state)
{
    struct sample_result *const result = new_sample(6);

    (void)state;
    check_page(run_text_print_figures, result, "figures_of_repeats");
    sample_result_free(result);
}

/* Runs of 15, 30 and 45 s: what is left is the one in the middle, and it says
   nothing of how far the next one may be off. */
static void figures_of_three_repeats(void **state)
{
    struct sample_result *const result = new_sample(3);

    (void)state;
    check_page(run_text_print_figures, result, "figures_of_three_repeats");
    sample_result_free(result);
}

/*
 * As ISC does it: nine runs, seven count.  By hand for create: the rates are
 * 1,000,000 / k; (1/2 + ... + 1/8) / 7 = 0.24540816; with 1/1 set to 1/2 and
 * 1/9 to 1/8 their standard deviation is 0.15131112, and t(.975, 6) / (7/9 * 3)
 * = 1.0486765 of it 0.1586764.  The median is 1/5, between the second and the
 * eighth in 1 - 2 * (1 + 9) / 2^9 = 96.1 % of all cases.
 */
static void figures_of_nine_repeats(void **state)
{
    static const char wanted[] =
        "9 of 9 runs; each figure above is a mean of its own, without its "
        "highest and lowest: they need not add up\n"
        "           mean [oper/s]      95 % (Yuen)  median [oper/s]  its exact "
        "interval\n"
        "create         245408.16 +-     158676.41        200000.00  "
        "125000.00 to 500000.00 (96.1 %)\n"
        "search         122704.08 +-      79338.21        100000.00  "
        "62500.00 to 250000.00 (96.1 %)\n"
        "update          61352.04 +-      39669.10         50000.00  "
        "31250.00 to 125000.00 (96.1 %)\n"
        "delete          30676.02 +-      19834.55         25000.00  "
        "15625.00 to 62500.00 (96.1 %)\n"
        "overall         65442.18 +-      42313.71         53333.33  "
        "33333.33 to 133333.33 (96.1 %)\n";
    struct sample_result *const result = new_sample(9);
    char page[PAGE_SIZE];

    (void)state;
    print_page(run_text_print_figures, result, page);
    assert_non_null(strstr(
        page, "create       1,000,000      5.000000        245408.16\n"));
    assert_non_null(strstr(
        page, "average                    18.750000        115035.08    as"));
    assert_non_null(strstr(
        page, "overall      4,000,000     75.000000         65442.18    all"));
    if (strstr(page, wanted) == NULL)
        fail_msg("wanted:\n%sgot:\n%s", wanted, page);
    sample_result_free(result);
}

static void figures_of_repeats_cut_short(void **state)
{
    struct sample_result *const result = new_sample(3);

    (void)state;
    sample_result_interrupt(result);
    check_page(run_text_print_figures, result, "figures_of_repeats_cut_short");
    sample_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(provenance),
        cmocka_unit_test(provenance_folds_long_lines),
        cmocka_unit_test(provenance_of_threads_in_groups),
        cmocka_unit_test(provenance_has_the_labels),
        cmocka_unit_test(provenance_names_the_machine),
        cmocka_unit_test(figures),
        cmocka_unit_test(figures_of_an_interrupted_run),
        cmocka_unit_test(figures_of_a_store_that_keeps_nothing),
        cmocka_unit_test(a_fast_phase_has_an_exact_rate),
        cmocka_unit_test(figures_with_latency),
        cmocka_unit_test(figures_of_one_phase),
        cmocka_unit_test(moments_of_what_was_done),
        cmocka_unit_test(a_warning_stands_out),
        cmocka_unit_test(figures_of_repeats),
        cmocka_unit_test(figures_of_three_repeats),
        cmocka_unit_test(figures_of_nine_repeats),
        cmocka_unit_test(figures_of_repeats_cut_short),
    };

    return cmocka_run_group_tests_name("run_text", tests, NULL, NULL);
}
