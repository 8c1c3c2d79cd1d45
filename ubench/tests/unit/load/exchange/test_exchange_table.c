/* SPDX-License-Identifier: ISC */
/* The names of exchanges and mixes, and what is drawn of a mix. */
#include "load/exchange/mix_parse.h"
#include "load/exchange/steps.h"
#include "tests/lib/store_trial.h"

#include "tests/lib/check.h"

TEST(weights_are_kept)
{
    enum { DRAWS = 200000 };
    const struct load_config config =
        trial_config("renew=60,dora=30,reclaim=1000", LEASE_FAMILY_V4, DRAWS);
    /* A cycle is a hundred leases: 60 to 30 to 10. */
    static const double shares[] = { 0.6, 0.3, 0.1 };
    uint64_t counts[3] = { 0 };

    for (uint64_t i = 0; i < DRAWS; i++)
        counts[mix_draw(&config.mix, random_at(config.seed, EXCHANGE_SEQUENCE_MIX), i)]++;
    for (size_t p = 0; p < 3; p++)
        check("share",
              (double)counts[p] > (shares[p] - 0.005) * (double)DRAWS &&
                  (double)counts[p] < (shares[p] + 0.005) * (double)DRAWS,
              "within half a percent");
}

/* A full mix changes nothing behind its last exchange. */
TEST(a_full_mix_is_divided)
{
    static struct {
        struct mix mix;
        char behind[sizeof((struct mix *)0)->kinds[0]];
    } full; /* zeroed */
    const struct exchange *const exchange =
        exchange_find(exchange_table, "reclaim", strlen("reclaim"), LEASE_FAMILY_V4);

    for (size_t i = 0; i < MIX_MAX; i++)
        mix_add(&full.mix, exchange, i + 1, LEASE_FAMILY_V4);
    mix_divide(&full.mix);
    assert_true(full.mix.leases == (double)RECLAIM_LEASES);
    for (size_t i = 0; i < MIX_MAX; i++) {
        /* i + 1 of all, which are 1 + 2 + ... + MIX_MAX */
        const double share = (double)((i + 1) * (i + 2)) / (MIX_MAX * (MIX_MAX + 1));

        assert_in_range(full.mix.kinds[i].below, (uint64_t)(share * 4294967295.0),
                        (uint64_t)(share * 4294967297.0));
    }
    assert_null(full.mix.text);
    for (size_t i = 0; i < sizeof full.behind; i++)
        assert_int_equal(full.behind[i], 0);
}

TEST(bad_workloads_are_refused)
{
    static const struct {
        const char *text;
        enum lease_family family;
        const char *says;
    } rows[] = {
        { "", LEASE_FAMILY_V4, "'' is not one of" },
        { "doora", LEASE_FAMILY_V4, "'doora' is not one of phases, search, update, churn, fill, " },
        { "doora", LEASE_FAMILY_V4, ", dora, " },
        { "doora", LEASE_FAMILY_V6,
          "'doora' is not one of phases, search, update, churn, storm, " },
        { "doora", LEASE_FAMILY_V6, ", sarr, renew, " },
        { "sarr", LEASE_FAMILY_V4, "'sarr' is for IPv6 and needs --ipv6; for IPv4 it is dora" },
        { "dora", LEASE_FAMILY_V6, "'dora' is for IPv4; with --ipv6 it is sarr" },
        { "renew=9,init-reboot=1", LEASE_FAMILY_V6, "'init-reboot' is for IPv4 alone" },
        { "dora,", LEASE_FAMILY_V4, "'' is not one of" },
        { "dora=0", LEASE_FAMILY_V4, "'dora=0': the weight is not" },
        { "dora=", LEASE_FAMILY_V4, "'dora=': the weight is not" },
        { "dora=2M", LEASE_FAMILY_V4, "'dora=2M': the weight is not" },
        { "dora=1,renew=2,dora=3", LEASE_FAMILY_V4, "dora is given twice" },
        { "steady=3", LEASE_FAMILY_V4, "'steady' is a mix; use it alone" },
        { "storm,renew=1", LEASE_FAMILY_V4, "'storm' cannot be part of a mix; use it alone" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = { .family = rows[i].family };
        struct err err = { 0 };

        assert_null(workload_choose(&config, rows[i].text, &err));
        assert_int_equal(err.kind, ERR_USAGE);
        check(rows[i].text, strstr(err.text, rows[i].says) != NULL, err.text);
    }
}

TEST(mixes_have_exchanges_of_both_families)
{
    for (const struct named_mix *m = mix_table; m->name != NULL; m++) {
        (void)trial_config(m->name, LEASE_FAMILY_V4, 1);
        (void)trial_config(m->name, LEASE_FAMILY_V6, 1);
    }
}

/* The digest's number of each exchange of a table, found by its name. */
static void check_numbers(const struct exchange *table, enum lease_family family)
{
    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        struct mix mix = { 0 };
        struct mix same;
        struct err err = { 0 };

        if ((e->families & 1u << family) == 0)
            continue;
        assert_int_equal(mix_parse(e->name, family, &same, &err), 0);
        mix_add(&mix, exchange_find(table, e->name, strlen(e->name), family), 1, family);
        assert_int_equal(mix.kinds[0].digest_number, same.kinds[0].digest_number);
    }
}

TEST(digests_do_not_depend_on_the_place_in_the_table)
{
    struct exchange table[32] = { 0 };
    size_t count = 0;

    while (exchange_table[count].name != NULL)
        count++;
    assert_true(count + 2 <= COUNT_OF(table));
    table[0] = exchange_table[0];
    table[0].name = "added";
    for (size_t i = 0; i < count; i++)
        table[1 + i] = exchange_table[count - 1 - i];
    check_numbers(table, LEASE_FAMILY_V4);
    check_numbers(table, LEASE_FAMILY_V6);
}

/* Published results have the first ones. */
TEST(digests_number_exchanges_by_name_and_family)
{
    static const struct {
        const char *name;
        enum lease_family family;
        uint32_t number;
    } rows[] = {
        { "dora", LEASE_FAMILY_V4, 0 },
        { "dora-known", LEASE_FAMILY_V4, 1 },
        { "renew", LEASE_FAMILY_V4, 2 },
        { "init-reboot", LEASE_FAMILY_V4, 3 },
        { "sarr", LEASE_FAMILY_V6, 4 },
        { "renew", LEASE_FAMILY_V6, 5 },
        { "release", LEASE_FAMILY_V4, 6 },
        { "release", LEASE_FAMILY_V6, 6 },
        { "release-delete", LEASE_FAMILY_V4, 7 },
        { "decline", LEASE_FAMILY_V6, 8 },
        { "reclaim", LEASE_FAMILY_V4, 9 },
        { "purge", LEASE_FAMILY_V6, 10 },
        /* FNV-1a of "4 portal" and "6 portal", with the highest bit set. */
        { "portal", LEASE_FAMILY_V4, 0xd3cd6907 },
        { "portal", LEASE_FAMILY_V6, 0xdc82c239 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_number(rows[i].name, exchange_digest_number(rows[i].name, rows[i].family),
                     rows[i].number);
}
