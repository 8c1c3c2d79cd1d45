/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <stdlib.h>

#include "tests/check.h"
#include "tests/sample_result.h"

enum { PAGE_SIZE = 8192 };

/* Prints into a text of its own and compares it with what is wanted. */
static void check_page(void (*print)(const struct result *, FILE *),
                       const struct result *result, const char *wanted)
{
    char page[PAGE_SIZE];
    FILE *const out = fmemopen(page, sizeof page, "w");

    assert_non_null(out);
    print(result, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(page, wanted);
}

static struct result *new_sample(void)
{
    struct result *const result = malloc(sizeof *result);

    assert_non_null(result);
    sample_result_init(result);
    return result;
}

static void provenance(void **state)
{
    struct result *const result = new_sample();

    (void)state;
    check_page(
        tables_print_provenance, result,
        "sample_ubench 1.2.3 (abc), Sample 9.8.7, schema lean, 1 thread, "
        "1,000,000 typical leases, seed 7\n"
        "durability  bounded: sync=off (read back)\n"
        "settings    sync=off\n"
        "parameters  count=1000000, lease=typical, schema=lean, seed=7\n"
        "\n");
    free(result);
}

static void provenance_folds_long_lines(void **state)
{
    struct result *const result = new_sample();

    (void)state;
    for (int i = 0; i < 6; i++)
        facts_add(&result->facts, "a_setting", "with its value");
    check_page(
        tables_print_provenance, result,
        "sample_ubench 1.2.3 (abc), Sample 9.8.7, schema lean, 1 thread, "
        "1,000,000 typical leases, seed 7\n"
        "durability  bounded: sync=off (read back)\n"
        "settings    sync=off, a_setting=with its value, "
        "a_setting=with its value,\n"
        "            a_setting=with its value, a_setting=with its value,\n"
        "            a_setting=with its value, a_setting=with its value\n"
        "parameters  count=1000000, lease=typical, schema=lean, seed=7\n"
        "\n");
    free(result);
}

/* 3.75 s is the mean of 1, 2, 4, 8 and 468750 that of the four rates; but
   four million operations in 15 s are 266666.67 a second. */
static void figures(void **state)
{
    struct result *const result = new_sample();

    (void)state;
    check_page(
        tables_print_figures, result,
        "            operations      time [s]    rate [oper/s]\n"
        "create       1,000,000      1.000000       1000000.00\n"
        "search       1,000,000      2.000000        500000.00\n"
        "update       1,000,000      4.000000        250000.00\n"
        "delete       1,000,000      8.000000        125000.00\n"
        "average                     3.750000        468750.00"
        "    as in the 2012 guide: mean of the four\n"
        "overall      4,000,000     15.000000        266666.67"
        "    all operations / all time\n"
        "\n"
        "verified    1,000,000 created, 900,000 of 1,000,000 searches hit as "
        "they should, 0 left; digest 0123456789abcdef\n");
    free(result);
}

static void figures_of_an_interrupted_run(void **state)
{
    struct result *const result = new_sample();

    (void)state;
    sample_result_interrupt(result);
    check_page(
        tables_print_figures, result,
        "            operations      time [s]    rate [oper/s]\n"
        "create       1,000,000      1.000000       1000000.00\n"
        "search       1,000,000      2.000000        500000.00\n"
        "update         250,000      1.000000        250000.00    incomplete\n"
        "delete     not reached\n"
        "average and overall: n/a, the run is incomplete\n"
        "\n"
        "verified    1,000,000 created, 900,000 of 1,000,000 searches hit as "
        "they should, then it ended early; digest 0123456789abcdef\n");
    free(result);
}

static void figures_of_a_store_that_keeps_nothing(void **state)
{
    struct result *const result = new_sample();

    (void)state;
    result->durability = DURABILITY_NONE;
    (void)snprintf(result->durability_why, sizeof result->durability_why,
                   "it stores nothing");
    result->phases.verified = false;
    result->facts = (struct facts){ 0 };
    facts_add(&result->facts, "null store", "it stores nothing");
    result->parameters = (struct facts){ 0 };
    facts_add(&result->parameters, "lease", "guide");
    facts_add(&result->parameters, "seed", "7");
    check_page(tables_print_provenance, result,
               "sample_ubench 1.2.3 (abc), null store it stores nothing, 1 "
               "thread, 1,000,000 guide leases, seed 7\n"
               "durability  none: it stores nothing\n"
               "parameters  lease=guide, seed=7\n"
               "\n");
    check_page(tables_print_figures, result,
               "            operations      time [s]    rate [oper/s]\n"
               "create       1,000,000      1.000000       1000000.00\n"
               "search       1,000,000      2.000000        500000.00\n"
               "update       1,000,000      4.000000        250000.00\n"
               "delete       1,000,000      8.000000        125000.00\n"
               "average                     3.750000        468750.00"
               "    as in the 2012 guide: mean of the four\n"
               "overall      4,000,000     15.000000        266666.67"
               "    all operations / all time\n"
               "\n"
               "verified    nothing: this store keeps no leases; digest "
               "0123456789abcdef\n");
    free(result);
}

/* The tool of 2012 divided whole microseconds and printed "inf oper/s". */
static void a_fast_phase_has_an_exact_rate(void **state)
{
    struct result *const result = new_sample();
    char page[PAGE_SIZE];
    FILE *const out = fmemopen(page, sizeof page, "w");

    (void)state;
    assert_non_null(out);
    result->config.count = 100;
    result->phases.phases[PHASE_CREATE] =
        sample_phase("create", 100, 0, 1000, 1700);
    result->phases.phases[PHASE_SEARCH] =
        sample_phase("search", 100, 0, 3000, 0);
    tables_print_figures(result, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(
        page, "create             100      0.000002      58823529.41\n"));
    assert_non_null(strstr(
        page, "search             100      0.000000             0.00\n"));
    assert_null(strstr(page, "inf"));
    assert_null(strstr(page, "nan"));
    free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(provenance),
        cmocka_unit_test(provenance_folds_long_lines),
        cmocka_unit_test(figures),
        cmocka_unit_test(figures_of_an_interrupted_run),
        cmocka_unit_test(figures_of_a_store_that_keeps_nothing),
        cmocka_unit_test(a_fast_phase_has_an_exact_rate),
    };

    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
