/* SPDX-License-Identifier: ISC */
#include "core/units.h"

#include <math.h>

#include "tests/lib/check.h"

TEST(scans_counts)
{
    static const struct {
        const char *text;
        uint64_t count;
    } cases[] = {
        { "0", 0 },
        { "1", 1 },
        { "007", 7 },
        { "100k", 100000 },
        { "1M", 1000000 },
        { "0G", 0 },
        { "10K", 10000 },
        { "1e3", 1000 },
        { "25e0", 25 },
        { "0e99", 0 },
        { "1e3k", 1000000 },
        { "1e19", UINT64_C(10000000000000000000) },
        { "3G", UINT64_C(3000000000) },
        { "18446744073709551615", UINT64_MAX },
        { "18446744073709551k", UINT64_C(18446744073709551000) },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t count = 12345;

        check(cases[i].text, units_scan_count(cases[i].text, &count) == 0, "it is a count");
        check_number(cases[i].text, count, cases[i].count);
    }
}

TEST(refuses_other_counts)
{
    static const char *const cases[] = {
        "",
        " ",
        " 1",
        "1 ",
        "-1",
        "+1",
        "1.5",
        "1e",
        "e3",
        "1e-3",
        "1e+3",
        "1e20",
        "1e99999999999999999999",
        "0x10",
        "k",
        "1m",
        "1kk",
        "1k5",
        "abc",
        "18446744073709551616",
        "18446744073709552k",
        "99999999999999999999999999",
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t count = 12345;

        check(cases[i], units_scan_count(cases[i], &count) == -1, "refused");
        check_number(cases[i], count, 12345);
    }
}

TEST(scans_reals)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "0", 0 },       { "0.9", 0.9 }, { ".5", 0.5 },  { "1.", 1 },
        { "-1.5", -1.5 }, { "+2", 2 },    { "1e2", 100 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = -7;

        check(cases[i].text, units_scan_real(cases[i].text, &value) == 0, "it is a number");
        check(cases[i].text, fabs(value - cases[i].value) < 1e-12, "the value is right");
    }
}

TEST(refuses_other_reals)
{
    static const char *const cases[] = {
        "",    " ",     "nan", "inf", "1e999", "-1e999", "0x1p3",
        "1,5", "1.5.5", "abc", "1e",  "0.9 ",  " 0.9",   "--1",
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = -7;

        check(cases[i], units_scan_real(cases[i], &value) == -1, "refused");
        check(cases[i], value < -6.5, "the value is untouched");
    }
}

TEST(scans_rates)
{
    static const struct {
        const char *text;
        double rate; /* 0: refused */
    } cases[] = {
        { "0.5", 0.5 }, { "1", 1 },    { "1.5k", 1500 }, { "20k", 20000 },
        { "2M", 2e6 },  { ".1", 0.1 }, { "0", 0 },       { "0k", 0 },
        { "-1", 0 },    { "+1", 0 },   { "", 0 },        { "k", 0 },
        { "1e3", 0 },   { "1/s", 0 },  { "1 k", 0 },     { "nan", 0 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double rate = 0;
        const int status = units_scan_rate(cases[i].text, &rate);

        check(cases[i].text, (status == 0) == (cases[i].rate > 0), "accepted");
        check(cases[i].text, fabs(rate - cases[i].rate) < 1e-9, "the value");
    }
}

TEST(scans_and_writes_durations)
{
    static const struct {
        const char *text;
        uint64_t ns;
        const char *written;
    } cases[] = {
        { "0", 0, "0" },
        { "0.0", 0, "0" },
        { "0s", 0, "0" },
        { "1ns", 1, "1ns" },
        { "80ms", 80000000, "80ms" },
        { "0.5s", 500000000, "500ms" },
        { "2s", 2000000000, "2s" },
        { "90s", 90000000000, "90s" },
        { "60s", 60000000000, "1m" },
        { "10m", 600000000000, "10m" },
        { "1.5h", 5400000000000, "90m" },
        { "1000us", 1000000, "1ms" },
        { "1.0000005ms", 1000001, "1000001ns" },
    };
    char text[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t ns = 12345;

        check(cases[i].text, units_scan_duration(cases[i].text, &ns) == 0, "it is a time");
        check_number(cases[i].text, ns, cases[i].ns);
        check_text(cases[i].text, units_duration(text, ns), cases[i].written);
    }
}

TEST(refuses_other_durations)
{
    static const char *const cases[] = { "",     ".",     "1",    "s",    "1 s",   "-1s",   "1S",
                                         "1min", "1s1ms", "1e3s", "nans", "9999h", "1.5.5s" };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t ns = 12345;

        check(cases[i], units_scan_duration(cases[i], &ns) == -1, "refused");
        check_number(cases[i], ns, 12345);
    }
}

TEST(writes_counts)
{
    static const struct {
        uint64_t count;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 9, "9" },
        { 999, "999" },
        { 1000, "1,000" },
        { 123456, "123,456" },
        { 1234567, "1,234,567" },
        { UINT64_MAX, "18,446,744,073,709,551,615" },
    };
    char text[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_text(cases[i].text, units_count(text, cases[i].count), cases[i].text);
}

TEST(writes_times)
{
    static const struct {
        double time_ns;
        const char *text;
    } cases[] = {
        { 0, "0.00 ns" },       { 1.5, "1.50 ns" },   { 9.994, "9.99 ns" },
        { 9.996, "10.0 ns" },   { 17.23, "17.2 ns" }, { 99.94, "99.9 ns" },
        { 99.96, "100 ns" },    { 999.4, "999 ns" },  { 999.6, "1.00 us" },
        { 214000, "214 us" },   { 999499, "999 us" }, { 999600, "1.00 ms" },
        { 81.2e6, "81.2 ms" },  { 1e9, "1.00 s" },    { 39.9238e9, "39.9 s" },
        { 86400e9, "86400 s" },
    };
    char text[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_text(cases[i].text, units_time(text, cases[i].time_ns), cases[i].text);
}

TEST(writes_figures)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 0.4321, "0.432" },
        { 9.9994, "9.999" },
        { 9.9996, "10.00" },
        { 46.163, "46.16" },
        { 99.996, "100.0" },
        { 903.34, "903.3" },
        { 999.96, "1,000" },
        { 7025.96, "7,026" },
        { 9999.6, "10,000" },
        { 10804.05, "10,800" },
        { 547399.82, "547,400" },
        { 58823529.41, "58,820,000" },
        { 1e18, "1e+18" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[UNITS_TEXT_SIZE];

        check_text(cases[i].text, units_figure(text, cases[i].value), cases[i].text);
    }
}
