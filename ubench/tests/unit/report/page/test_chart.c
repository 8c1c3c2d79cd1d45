/* SPDX-License-Identifier: ISC */
#include "report/page/chart.h"

#include <math.h>

#include "tests/lib/check.h"

static void rates_have_three_digits_or_four(void **state)
{
    static const struct {
        double rate;
        const char *wanted;
    } cases[] = {
        { 0.69, "0.69" },    { 24.08, "24.1" },   { 999.4, "999" },
        { 999.5, "1,000" },  { 1000, "1,000" },   { 3120.4, "3,120" },
        { 9999.4, "9,999" }, { 9999.5, "10.0k" }, { 10050, "10.1k" },
        { 99949, "99.9k" },  { 99950, "100k" },   { 106020, "106k" },
        { 999499, "999k" },  { 999500, "1.00M" }, { 1066000, "1.07M" },
        { 15.1e6, "15.1M" }, { 312e6, "312M" },   { 999.4e6, "999M" },
        { 1e9, "1.00G" },    { 2.5e12, "2500G" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[CHART_TEXT];

        check_text(cases[i].wanted, chart_rate_text(text, cases[i].rate),
                   cases[i].wanted);
    }
}

static void ticks_have_units(void **state)
{
    static const struct {
        chart_write_value *write;
        double value;
        const char *wanted;
    } cases[] = {
        { chart_rate_tick, 0.1, "0.1" },
        { chart_rate_tick, 500, "500" },
        { chart_rate_tick, 2000, "2k" },
        { chart_rate_tick, 100000, "100k" },
        { chart_rate_tick, 1e6, "1M" },
        { chart_time_tick, 50, "50 ns" },
        { chart_time_tick, 1000, "1 \xc2\xb5s" },
        { chart_time_tick, 2e7, "20 ms" },
        { chart_time_tick, 1e9, "1 s" },
        { chart_time_tick, 1e13, "10000 s" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[CHART_TEXT];

        check_text(cases[i].wanted, cases[i].write(text, cases[i].value),
                   cases[i].wanted);
    }
}

/* Whatever there is to show lies on the axis, with two ticks at least. */
static void a_log_axis_holds_its_values(void **state)
{
    static const struct {
        const char *row;
        double low, high;
    } cases[] = {
        { "one value", 1234, 1234 },         { "close together", 1000, 1010 },
        { "a decade", 100, 1000 },           { "five decades", 17, 3.1e6 },
        { "below 1", 0.0031, 0.69 },         { "huge", 1e3, 1e12 },
        { "just above a step", 2.01, 2.02 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct chart_axis axis =
            chart_log_axis(cases[i].low, cases[i].high, chart_rate_tick);

        check(cases[i].row, axis.logarithmic, "it is logarithmic");
        check(cases[i].row,
              axis.low < cases[i].low && axis.high > cases[i].high,
              "it holds both");
        check(cases[i].row, axis.tick_count >= 2, "it has two ticks");
        check(cases[i].row, axis.tick_count <= CHART_TICKS, "not too many");
        for (size_t k = 0; k < axis.tick_count; k++)
            check(cases[i].row,
                  axis.ticks[k].at >= axis.low * 0.99 &&
                      axis.ticks[k].at <= axis.high * 1.01,
                  "ticks are on it");
    }
}

static void places_are_shares(void **state)
{
    const struct chart_axis log = { .logarithmic = true,
                                    .low = 1,
                                    .high = 100 };
    const struct chart_axis linear = { .low = 10, .high = 20 };

    (void)state;
    assert_true(fabs(chart_place(&log, 10) - 0.5) < 1e-9);
    assert_true(fabs(chart_place(&log, 100) - 1) < 1e-9);
    assert_true(fabs(chart_place(&linear, 12.5) - 0.25) < 1e-9);
}

static void ticks_beyond_the_room_are_dropped(void **state)
{
    struct chart_axis axis = { .low = 0, .high = 1 };

    (void)state;
    for (int i = 0; i < CHART_TICKS + 5; i++)
        chart_add_tick(&axis, i, "x");
    assert_int_equal(axis.tick_count, CHART_TICKS);
}

/* Without colours there are shapes and dashes. */
static void classes_and_stores_differ_without_colour(void **state)
{
    static const char *const stores[] = { "memfile", "sqlite", "mysql", "pgsql",
                                          "another" };

    (void)state;
    for (int class = 0; class < GROUP_CLASSES; class ++) {
        for (int other = 0; other < class; other++) {
            check(group_class_name(class),
                  strcmp(chart_ink(class), chart_ink(other)) != 0,
                  "its own ink");
            check(group_class_name(class),
                  strcmp(chart_dashes_svg(class), chart_dashes_svg(other)) != 0,
                  "its own dashes");
        }
    }
    for (size_t i = 0; i < COUNT_OF(stores); i++) {
        const struct group group = { .store = stores[i] };
        const struct group published = { .store = stores[i],
                                         .class = GROUP_PUBLISHED };

        check(stores[i], chart_shape(&group) != chart_shape(&published),
              "hollow if published");
        for (size_t k = 0; k < i; k++) {
            const struct group other = { .store = stores[k] };

            check(stores[i], chart_shape(&group) != chart_shape(&other),
                  "its own shape");
            check(stores[i],
                  strcmp(chart_shape_svg(stores[i]),
                         chart_shape_svg(stores[k])) != 0,
                  "the same in the legend");
        }
    }
}

static void lines_have_a_range(void **state)
{
    struct chart_point points[] = { { 1, 10, 5, 20 }, { 3, 0, 0, 0 } };
    struct chart_line line = { .points = points, .count = 1 };
    struct chart_lines lines = { .count = 0 };

    (void)state;
    chart_lines_add(&lines, &line);
    assert_int_equal(lines.count, 0); /* a point is no line */
    line.count = 2;
    for (int i = 0; i < CHART_LINES + 2; i++)
        chart_lines_add(&lines, &line);
    assert_int_equal(lines.count, CHART_LINES);
    assert_int_equal(lines.left_out, 2);
    assert_true(lines.x.low == 1 && lines.x.high == 3);
    assert_true(lines.y.low == 5 && lines.y.high == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_have_three_digits_or_four),
        cmocka_unit_test(ticks_have_units),
        cmocka_unit_test(a_log_axis_holds_its_values),
        cmocka_unit_test(places_are_shares),
        cmocka_unit_test(ticks_beyond_the_room_are_dropped),
        cmocka_unit_test(classes_and_stores_differ_without_colour),
        cmocka_unit_test(lines_have_a_range),
    };

    return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
