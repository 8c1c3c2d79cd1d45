/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/lib/sample_result.h"

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

static struct result *new_sample(size_t runs)
{
    struct result *const result = sample_result_new(runs);

    assert_non_null(result);
    return result;
}

static void provenance(void **state)
{
    struct result *const result = new_sample(1);

    (void)state;
    check_page(
        tables_print_provenance, result,
        "sample_ubench 1.2.3 (abc), Sample 9.8.7, schema lean, 1 thread, "
        "1,000,000 typical leases, seed 7\n"
        "durability  bounded: sync=off (read back)\n"
        "settings    sync=off\n"
        "parameters  count=1000000, lease=typical, schema=lean, seed=7\n"
        "\n");
    sample_result_free(result);
}

static void provenance_folds_long_lines(void **state)
{
    struct result *const result = new_sample(1);

    (void)state;
    for (int i = 0; i < 6; i++)
        properties_add(&result->facts, "a_setting", "with its value");
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
    sample_result_free(result);
}

/* 3.75 s is the mean of 1, 2, 4, 8 and 468750 that of the four rates; but
   four million operations in 15 s are 266666.67 a second. */
static void figures(void **state)
{
    struct result *const result = new_sample(1);

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
        "cost        per operation, client only: 1.000 us user, 0.500 "
        "us system, 1.000 + 0.000 context switches\n"
        "verified    1,000,000 created, 900,000 of 1,000,000 searches hit as "
        "they should, 0 left; digest 0123456789abcdef\n");
    sample_result_free(result);
}

static void figures_of_an_interrupted_run(void **state)
{
    struct result *const result = new_sample(1);

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
        "cost        per operation, client only: 1.778 us user, 0.889 "
        "us system, 1.778 + 0.000 context switches\n"
        "verified    1,000,000 created, 900,000 of 1,000,000 searches hit as "
        "they should, then it ended early; digest 0123456789abcdef\n");
    sample_result_free(result);
}

static void figures_of_a_store_that_keeps_nothing(void **state)
{
    struct result *const result = new_sample(1);

    (void)state;
    result->durability = DURABILITY_NONE;
    (void)snprintf(result->durability_why, sizeof result->durability_why,
                   "it stores nothing");
    result->runs[0].verified = false;
    result->facts = (struct properties){ 0 };
    properties_add(&result->facts, "null store", "it stores nothing");
    result->parameters = (struct properties){ 0 };
    properties_add(&result->parameters, "lease", "guide");
    properties_add(&result->parameters, "seed", "7");
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
               "cost        per operation, client only: 1.000 us user, 0.500 "
               "us system, 1.000 + 0.000 context switches\n"
               "verified    nothing: this store keeps no leases; digest "
               "0123456789abcdef\n");
    sample_result_free(result);
}

/* The tool of 2012 divided whole microseconds and printed "inf oper/s". */
static void a_fast_phase_has_an_exact_rate(void **state)
{
    struct result *const result = new_sample(1);
    char page[PAGE_SIZE];
    FILE *const out = fmemopen(page, sizeof page, "w");

    (void)state;
    assert_non_null(out);
    result->config.count = 100;
    for (int i = 0; i < PHASE_COUNT; i++)
        result->runs[0].phases[i].done = 100;
    sample_result_time(result, 0, PHASE_CREATE, 1, 1700);
    sample_result_time(result, 0, PHASE_SEARCH, 3, 0);
    tables_print_figures(result, out);
    assert_int_equal(fclose(out), 0);
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
    struct result *const result = new_sample(1);

    (void)state;
    result->config.threads = 4;
    result->config.batch = 1000;
    result->baselines.clock_ns = 17.2;
    result->baselines.fdatasync_ns = 214000;
    result->baselines.round_trip_ns = 81000;
    check_page(
        tables_print_provenance, result,
        "sample_ubench 1.2.3 (abc), Sample 9.8.7, schema lean, 4 threads, "
        "1,000,000 typical leases, seed 7\n"
        "durability  bounded: sync=off (read back)\n"
        "at risk     up to 4,000 leases at any moment: 4 threads of 1000 "
        "changes not yet committed\n"
        "settings    sync=off\n"
        "parameters  count=1000000, lease=typical, schema=lean, seed=7\n"
        "baselines   clock 17.2 ns, fdatasync 214 us, round trip 81.0 us\n"
        "\n");
    sample_result_free(result);
}

static void provenance_has_the_labels(void **state)
{
    struct result *const result = new_sample(1);

    (void)state;
    properties_add(&result->labels, "campaign", "a month");
    properties_add(&result->labels, "block", "3");
    check_page(
        tables_print_provenance, result,
        "sample_ubench 1.2.3 (abc), Sample 9.8.7, schema lean, 1 thread, "
        "1,000,000 typical leases, seed 7\n"
        "durability  bounded: sync=off (read back)\n"
        "settings    sync=off\n"
        "parameters  count=1000000, lease=typical, schema=lean, seed=7\n"
        "labels      campaign=a month, block=3\n"
        "\n");
    sample_result_free(result);
}

/* Of the machine no more than bears on the figures, in an order of its own. */
static void provenance_names_the_machine(void **state)
{
    struct result *const result = new_sample(1);

    (void)state;
    properties_add(&result->host, "kernel", "6.1.0 x86_64");
    properties_add(&result->host, "governor", "none");
    properties_add(&result->host, "cpu", "Some CPU");
    properties_add(&result->host, "write_cache", "write back");
    check_page(
        tables_print_provenance, result,
        "sample_ubench 1.2.3 (abc), Sample 9.8.7, schema lean, 1 thread, "
        "1,000,000 typical leases, seed 7\n"
        "durability  bounded: sync=off (read back)\n"
        "settings    sync=off\n"
        "parameters  count=1000000, lease=typical, schema=lean, seed=7\n"
        "host        cpu=Some CPU, kernel=6.1.0 x86_64, write_cache=write "
        "back\n"
        "\n");
    sample_result_free(result);
}

/* 100,000 values: p99.99 has the 10 beyond it that it needs, but not more. */
static void figures_with_latency(void **state)
{
    struct result *const result = new_sample(1);

    (void)state;
    sample_result_add_latency(result);
    for (int k = 0; k < 20; k++)
        histogram_record(&result->runs[0].phases[PHASE_DELETE].commits,
                         12345678);
    check_page(tables_print_figures, result,
               "            operations      time [s]    rate [oper/s]       "
               "p50       p95       p99     p99.9    p99.99       max  [us]\n"
               "create       1,000,000      1.000000       1000000.00     "
               "0.100     0.100     0.100     0.200     0.200      1500\n"
               "search       1,000,000      2.000000        500000.00     "
               "0.100     0.100     0.100     0.200     0.200      1500\n"
               "update       1,000,000      4.000000        250000.00     "
               "0.100     0.100     0.100     0.200     0.200      1500\n"
               "delete       1,000,000      8.000000        125000.00     "
               "0.100     0.100     0.100     0.200     0.200      1500\n"
               "  commit            20                                    "
               "12346       n/a       n/a       n/a       n/a     12346\n"
               "average                     3.750000        468750.00    as in "
               "the 2012 guide: mean of the four\n"
               "overall      4,000,000     15.000000        266666.67    all "
               "operations / all time\n"
               "\n"
               "latency     min/mean/sd [us]: create 0.100/0.116/4.743, search "
               "0.100/0.116/4.743, update 0.100/0.116/4.743, delete "
               "0.100/0.116/4.743\n"
               "cost        per operation, client only: 1.000 us user, 0.500 "
               "us system, 1.000 + 0.000 context switches\n"
               "verified    1,000,000 created, 900,000 of 1,000,000 searches "
               "hit as they should, 0 left; digest 0123456789abcdef\n");
    sample_result_free(result);
}

/* One phase has no mean of the four: of churn, say. */
static void figures_of_one_phase(void **state)
{
    struct result *const result = new_sample(1);
    struct load_result *const run = &result->runs[0];

    (void)state;
    run->phase_count = 1;
    run->phases[0].name = "churn";
    check_page(tables_print_figures, result,
               "            operations      time [s]    rate [oper/s]\n"
               "churn        1,000,000      1.000000       1000000.00\n"
               "overall      1,000,000      1.000000       1000000.00"
               "    all operations / all time\n"
               "\n"
               "cost        per operation, client only: 1.000 us user, 0.500 "
               "us system, 1.000 + 0.000 context switches\n"
               "verified    each answer of 1,000,000 operations was right, 0 "
               "left; digest 0123456789abcdef\n");
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
        struct result *const result = new_sample(1);
        char page[PAGE_SIZE];
        FILE *const out = fmemopen(page, sizeof page, "w");

        assert_non_null(out);
        sample_result_add_latency(result);
        for (size_t k = cases[i].phases; k < PHASE_COUNT; k++)
            histogram_init(&result->runs[0].phases[k].operations);
        tables_print_figures(result, out);
        assert_int_equal(fclose(out), 0);
        if (cases[i].line == NULL)
            assert_null(strstr(page, "min/mean/sd"));
        else
            assert_non_null(strstr(page, cases[i].line));
        sample_result_free(result);
    }
}

static void a_warning_stands_out(void **state)
{
    struct result *const result = new_sample(1);
    char page[PAGE_SIZE];
    FILE *const out = fmemopen(page, sizeof page, "w");

    (void)state;
    assert_non_null(out);
    (void)snprintf(result->warning, sizeof result->warning, "it is too fast");
    tables_print_figures(result, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(page, "\nWARNING     it is too fast\n"));
    sample_result_free(result);
}

/* Runs of 15, 30, 45, 60, 75 and 90 s; the headline drops the first and the
   last. */
static void figures_of_repeats(void **state)
{
    struct result *const result = new_sample(6);

    (void)state;
    check_page(tables_print_figures, result,
               "            operations      time [s]    rate [oper/s]\n"
               "create       1,000,000      3.500000        320833.33\n"
               "search       1,000,000      7.000000        160416.67\n"
               "update       1,000,000     14.000000         80208.33\n"
               "delete       1,000,000     28.000000         40104.17\n"
               "average                    13.125000        150390.62    as in "
               "the 2012 guide: mean of the four\n"
               "overall      4,000,000     52.500000         85555.56    all "
               "operations / all time\n"
               "\n"
               "6 of 6 runs; each figure above is a mean of its own, without "
               "its highest and lowest: they need not add up\n"
               "           mean [oper/s]      95 % (Yuen)  median [oper/s]  "
               "its exact interval\n"
               "create         320833.33 +-     272850.82        291666.67  "
               "166666.67 to 1000000.00 (96.9 %)\n"
               "search         160416.67 +-     136425.41        145833.33  "
               "83333.33 to 500000.00 (96.9 %)\n"
               "update          80208.33 +-      68212.71         72916.67  "
               "41666.67 to 250000.00 (96.9 %)\n"
               "delete          40104.17 +-      34106.35         36458.33  "
               "20833.33 to 125000.00 (96.9 %)\n"
               "overall         85555.56 +-      72760.22         77777.78  "
               "44444.44 to 266666.67 (96.9 %)\n"
               "\n"
               "[oper/s]          create          search          update       "
               "   delete         overall\n"
               "run 1         1000000.00       500000.00       250000.00       "
               "125000.00       266666.67\n"
               "run 2          500000.00       250000.00       125000.00       "
               " 62500.00       133333.33\n"
               "run 3          333333.33       166666.67        83333.33       "
               " 41666.67        88888.89\n"
               "run 4          250000.00       125000.00        62500.00       "
               " 31250.00        66666.67\n"
               "run 5          200000.00       100000.00        50000.00       "
               " 25000.00        53333.33\n"
               "run 6          166666.67        83333.33        41666.67       "
               " 20833.33        44444.44\n"
               "\n"
               "cost        per operation, client only: 1.000 us user, 0.500 "
               "us system, 1.000 + 0.000 context switches\n"
               "verified    1,000,000 created, 900,000 of 1,000,000 searches "
               "hit as they should, 0 left; digest 0123456789abcdef\n");
    sample_result_free(result);
}

/* Runs of 15, 30 and 45 s: what is left is the one in the middle, and it says
   nothing of how far the next one may be off. */
static void figures_of_three_repeats(void **state)
{
    struct result *const result = new_sample(3);

    (void)state;
    check_page(
        tables_print_figures, result,
        "            operations      time [s]    rate [oper/s]\n"
        "create       1,000,000      2.000000        500000.00\n"
        "search       1,000,000      4.000000        250000.00\n"
        "update       1,000,000      8.000000        125000.00\n"
        "delete       1,000,000     16.000000         62500.00\n"
        "average                     7.500000        234375.00    as in the "
        "2012 guide: mean of the four\n"
        "overall      4,000,000     30.000000        133333.33    all "
        "operations / all time\n"
        "\n"
        "3 of 3 runs; each figure above is a mean of its own, without its "
        "highest and lowest: they need not add up\n"
        "           mean [oper/s]      95 % (Yuen)  median [oper/s]  its exact "
        "interval\n"
        "create         500000.00 +-           n/a        500000.00  n/a\n"
        "search         250000.00 +-           n/a        250000.00  n/a\n"
        "update         125000.00 +-           n/a        125000.00  n/a\n"
        "delete          62500.00 +-           n/a         62500.00  n/a\n"
        "overall        133333.33 +-           n/a        133333.33  n/a\n"
        "\n"
        "[oper/s]          create          search          update          "
        "delete         overall\n"
        "run 1         1000000.00       500000.00       250000.00       "
        "125000.00       266666.67\n"
        "run 2          500000.00       250000.00       125000.00        "
        "62500.00       133333.33\n"
        "run 3          333333.33       166666.67        83333.33        "
        "41666.67        88888.89\n"
        "\n"
        "cost        per operation, client only: 1.000 us user, 0.500 "
        "us system, 1.000 + 0.000 context switches\n"
        "verified    1,000,000 created, 900,000 of 1,000,000 searches hit as "
        "they should, 0 left; digest 0123456789abcdef\n");
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
    struct result *const result = new_sample(9);
    char page[PAGE_SIZE];
    FILE *const out = fmemopen(page, sizeof page, "w");

    (void)state;
    assert_non_null(out);
    tables_print_figures(result, out);
    assert_int_equal(fclose(out), 0);
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
    struct result *const result = new_sample(3);

    (void)state;
    sample_result_interrupt(result);
    check_page(
        tables_print_figures, result,
        "            operations      time [s]    rate [oper/s]\n"
        "create       1,000,000      1.500000        750000.00\n"
        "search       1,000,000      3.000000        375000.00\n"
        "update       1,000,000      6.000000        187500.00\n"
        "delete       1,000,000     12.000000         93750.00\n"
        "average                     5.625000        351562.50    as in the "
        "2012 guide: mean of the four\n"
        "overall      4,000,000     22.500000        200000.00    all "
        "operations / all time\n"
        "\n"
        "2 of 3 runs\n"
        "           mean [oper/s]      95 % (Yuen)  median [oper/s]  its exact "
        "interval\n"
        "create         750000.00 +-           n/a        750000.00  n/a\n"
        "search         375000.00 +-           n/a        375000.00  n/a\n"
        "update         187500.00 +-           n/a        187500.00  n/a\n"
        "delete          93750.00 +-           n/a         93750.00  n/a\n"
        "overall        200000.00 +-           n/a        200000.00  n/a\n"
        "\n"
        "[oper/s]          create          search          update          "
        "delete         overall\n"
        "run 1         1000000.00       500000.00       250000.00       "
        "125000.00       266666.67\n"
        "run 2          500000.00       250000.00       125000.00        "
        "62500.00       133333.33\n"
        "incomplete: 2 of 3 runs\n"
        "\n"
        "cost        per operation, client only: 1.000 us user, 0.500 "
        "us system, 1.000 + 0.000 context switches\n"
        "verified    1,000,000 created, 900,000 of 1,000,000 searches hit as "
        "they should, 0 left; digest 0123456789abcdef\n");
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

    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
