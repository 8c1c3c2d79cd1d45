/* SPDX-License-Identifier: ISC */
#include "report/capacity.h"

#include <math.h>

#include "tests/lib/check.h"

#define S UINT64_C(1000000000)

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9 * fabs(b);
}

static void agrees_with_the_examples(void **state)
{
    /* 86,400 clients that renew each 12 hours; 20,000 within 8 hours. */
    const struct capacity day = { .interval_s = 43200 };
    const struct capacity shift = { .interval_s = 28800 };

    (void)state;
    assert_true(near(capacity_rate(&day, 86400), 2));
    assert_true(near(capacity_clients(&day, 2), 86400));
    assert_true(near(capacity_rate(&shift, 20000), 20000.0 / 8 / 60 / 60));
}

static const struct exchange *find(const char *name, enum lease_family family)
{
    struct mix mix = { 0 };
    struct err err = { 0 };

    assert_int_equal(mix_parse(name, family, &mix, &err), 0);
    return mix.parts[0].exchange;
}

/* Creates take 4 ms each, searches 1 ms, updates 3 ms. */
static void adds_up_the_steps(void **state)
{
    static const struct record_phase phases[] = {
        { .name = "create", .operations = 250, .elapsed_ns = S },
        { .name = "search", .operations = 1000, .elapsed_ns = S },
        { .name = "update", .operations = 1000, .elapsed_ns = 3 * S },
    };
    static const struct {
        const char *name;
        enum lease_family family;
        double rate;
    } cases[] = {
        { "renew", LEASE_FAMILY_V4, 1000.0 / (2 * 1 + 3) },
        { "renew", LEASE_FAMILY_V6, 1000.0 / (1 + 3) },
        { "dora", LEASE_FAMILY_V4, 1000.0 / (7 * 1 + 4) },
        { "sarr", LEASE_FAMILY_V6, 1000.0 / (4 * 1 + 4) },
        { "release", LEASE_FAMILY_V4, 1000.0 / (1 + 3) },
        { "release-delete", LEASE_FAMILY_V4, 0 }, /* there is no delete */
        { "purge", LEASE_FAMILY_V4, 0 },
    };
    const struct record_run run = { .phases = phases, .phase_count = 3 };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double rate =
            capacity_of_run(&run, find(cases[i].name, cases[i].family));

        check(cases[i].name, fabs(rate - cases[i].rate) < 1e-6,
              "the rate is that of its steps, one after the other");
    }
}

static void prefers_what_was_measured(void **state)
{
    static const struct record_phase phases[] = {
        { .name = "search", .operations = 1000, .elapsed_ns = S },
        { .name = "update", .operations = 1000, .elapsed_ns = S },
        { .name = "renew", .operations = 70, .elapsed_ns = S },
    };
    const struct record_run run = { .phases = phases, .phase_count = 3 };
    const struct record_run less = { .phases = phases, .phase_count = 1 };

    (void)state;
    assert_true(
        near(capacity_of_run(&run, find("renew", LEASE_FAMILY_V4)), 70));
    assert_true(capacity_of_run(&less, find("renew", LEASE_FAMILY_V4)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_examples),
        cmocka_unit_test(adds_up_the_steps),
        cmocka_unit_test(prefers_what_was_measured),
    };

    return cmocka_run_group_tests_name("capacity", tests, NULL, NULL);
}
