/* SPDX-License-Identifier: ISC */
#include "report/answer/answer.h"

#include <math.h>

#include "tests/lib/check.h"

#define S UINT64_C(1000000000)

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9 * fabs(b);
}

TEST(agrees_with_the_examples)
{
    /* 86,400 clients that renew each 12 hours; 20,000 within 8 hours. */
    const struct answer_site day = { .lease_time_s = 86400,
                                     .renew_at = 0.5,
                                     .restart_s = 300 };
    const struct answer_site shift = { .lease_time_s = 86400,
                                       .renew_at = 0.5,
                                       .restart_s = 28800 };

    assert_true(near(answer_need(&day, ANSWER_RENEWALS, 86400), 2));
    assert_true(near(answer_need(&day, ANSWER_RESTARTS, 600), 2));
    assert_true(near(answer_need(&shift, ANSWER_RESTARTS, 20000),
                     20000.0 / 8 / 60 / 60));
}

static const struct exchange *find(const char *name, enum lease_family family)
{
    struct mix mix = { 0 };
    struct err err = { 0 };

    assert_int_equal(mix_parse(name, family, &mix, &err), 0);
    return mix.kinds[0].exchange;
}

/* Creates take 4 ms each, searches 1 ms, updates 3 ms. */
TEST(adds_up_the_steps)
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

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double rate = rate_of_run(
            &run, find(cases[i].name, cases[i].family), RATE_ESTIMATED);

        check(cases[i].name,
              cases[i].rate > 0 ? fabs(rate - cases[i].rate) < 1e-6
                                : isnan(rate),
              "the rate is that of its steps, one after the other");
    }
}

/* A record of these runs, and what says how many leases there were. */
static struct record make_record(const struct record_property *parameters,
                                 const struct record_run *runs,
                                 size_t run_count)
{
    return (struct record){ .started_at = "2026-01-02T03:04:05Z",
                            .durability_known = true,
                            .durability = DURABILITY_BOUNDED,
                            .parameters = { 2, parameters },
                            .runs = runs,
                            .run_count = run_count };
}

TEST(prefers_what_was_measured)
{
    static const struct record_phase steps[] = {
        { .name = "search", .operations = 1000, .elapsed_ns = S },
        { .name = "update", .operations = 1000, .elapsed_ns = S },
    };
    static const struct record_phase slow[] = {
        { .name = "renew", .operations = 70, .elapsed_ns = S },
    };
    static const struct record_phase fast[] = {
        { .name = "renew", .operations = 700, .elapsed_ns = S },
    };
    static const struct record_property small[] = { { "preload", "1000" },
                                                    { "batch", "1" } };
    static const struct record_property large[] = { { "preload", "2000" },
                                                    { "batch", "1" } };
    static const struct record_property grouped[] = { { "preload", "9000" },
                                                      { "batch", "10" } };
    const struct record_run runs[] = {
        { .phases = steps, .phase_count = 2 },
        { .phases = fast, .phase_count = 1 },
        { .phases = slow, .phase_count = 1 },
    };
    const struct record records[] = { make_record(grouped, &runs[1], 1),
                                      make_record(small, &runs[1], 1),
                                      make_record(large, &runs[2], 1),
                                      make_record(large, &runs[0], 1) };
    static const char *const renew[] = { "renew" };
    struct arena memory = { 0 };
    const struct record *all[] = { &records[0], &records[1], &records[2],
                                   &records[3] };
    const struct record *phases[] = { &records[3] };

    /* The run with most leases in the store counts, but for the one that
       commits in groups, and the estimate does not. */
    const struct group group = group_of_records(&memory, all, 4);
    const struct rate rate = rate_of_group(&memory, &group, renew, 1);
    assert_int_equal(rate.kind, RATE_ALONE);
    assert_true(near(rate.per_s, 70));
    assert_int_equal(rate.leases, 2000);
    assert_int_equal(rate.runs, 1);
    const struct group rest = group_of_records(&memory, phases, 1);
    const struct rate sum = rate_of_group(&memory, &rest, renew, 1);
    assert_int_equal(sum.kind, RATE_ESTIMATED);
    assert_true(near(sum.per_s, 1000.0 / 3));
    assert_string_equal(sum.source, "2 searches + 1 update");
    arena_release(&memory);
}

/* The example of docs/scale.md, and what each limit makes of it. */
TEST(counts_the_shards)
{
    static const struct {
        const char *name;
        double clients;
        double renewals, restarts; /* per second; 0: not known */
        uint64_t leases;
        double count, by_rates;
        enum answer_demand limit;
        double preload;
    } cases[] = {
        /* Of results/dhcp-2026-11.jsonl: Kea's new leases per second. */
        { "memfile", 1e7, 18965.5, 18965.5, 37932, 27, 4, ANSWER_DEMANDS,
          284483 },
        { "pair", 1e7, 1541.5, 1541.5, 3084, 325, 44, ANSWER_DEMANDS, 23123 },
        { "pgsql", 1e7, 1137.5, 1137.5, 2276, 440, 59, ANSWER_DEMANDS, 17063 },
        { "mysql", 1e7, 957.5, 957.5, 1916, 522, 70, ANSWER_DEMANDS, 14363 },
        /* With so many measured, the rates are the limit. */
        { "large", 1e7, 1137.5, 1137.5, 17063, 59, 59, ANSWER_RESTARTS, 0 },
        { "one", 1e5, 1137.5, 1137.5, 17063, 1, 1, ANSWER_RESTARTS, 0 },
        { "renewals", 1e7, 2, 900, 1000000, 695, 695, ANSWER_RENEWALS, 0 },
        { "few leases", 1e7, 1e6, 9e5, 10000, 100, 1, ANSWER_DEMANDS, 1e6 },
        /* A table too small, but not by a whole server. */
        { "as many", 1e4, 900, 60, 600, 2, 2, ANSWER_RESTARTS, 0 },
        { "half", 1e7, 0, 900, 1000000, NAN, 0, ANSWER_DEMANDS, 0 },
        { "none", 1e7, 0, 0, 0, NAN, 0, ANSWER_DEMANDS, 0 },
    };
    const struct answer_site site = { .lease_time_s = 8 * 3600,
                                      .renew_at = 0.5,
                                      .restart_s = 300,
                                      .reserve = 2 };
    const struct record record = { .store = "pgsql" };
    const struct record *const records[] = { &record };
    const struct group group = { .record_count = 1, .records = records };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double rates[] = { cases[i].renewals, cases[i].restarts };
        struct answer_row row = { .group = &group };

        for (int k = 0; k < ANSWER_DEMANDS; k++)
            row.rates[k] = (struct rate){
                .kind = rates[k] > 0 ? RATE_ALONE : RATE_UNKNOWN,
                .per_s = rates[k],
                .leases = cases[i].leases,
            };
        const struct answer_shards shards =
            answer_shards(&site, &row, cases[i].clients);

        if (isnan(cases[i].count)) {
            check(cases[i].name, isnan(shards.count), "a rate is not known");
            continue;
        }
        check(cases[i].name, near(shards.count, cases[i].count), "count");
        check(cases[i].name, near(shards.by_rates, cases[i].by_rates),
              "by the rates");
        check(cases[i].name, shards.limit == cases[i].limit, "limit");
        check(cases[i].name, near(shards.preload + 1, cases[i].preload + 1),
              "what to measure");
    }
}
