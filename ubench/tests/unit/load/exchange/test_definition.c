/* SPDX-License-Identifier: ISC */
/* Files of exchanges: what is read of them, what is refused, and what is asked of the store. */
#include "load/exchange/definition.h"

#include <stdlib.h>
#include <unistd.h>

#include "load/exchange/mix_parse.h"
#include "tests/lib/store_trial.h"

#include "tests/lib/check.h"

#define PORTAL "exchange portal\n find_by_hwaddr hit\n"

/* Reads a text as a file of exchanges, by mix_parse.  The mix is the caller's to release. */
static int parse(const char *text, enum lease_family family, struct mix *mix, struct err *err)
{
    char word[] = "@/tmp/ubench-definition-XXXXXX";
    const int file = mkstemp(word + 1);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    (void)close(file);
    *err = (struct err){ 0 };
    const int status = mix_parse(word, family, mix, err);
    (void)unlink(word + 1);
    return status;
}

TEST(exchanges_of_a_file_are_read)
{
    struct mix mix;
    struct err err;

    assert_int_equal(parse("# none\n\n  exchange a1 new weight 3# three\r\n"
                           "\tfind_by_address miss\n"
                           "  create hit  make it  # named\n"
                           "exchange b-2 server\nreclaim hit\npurge_reclaimed hit\n"
                           "exchange c_3 any-time\nrenew hit",
                           LEASE_FAMILY_V4, &mix, &err),
                     0);
    assert_int_equal(mix.count, 3);
    const struct exchange *const first = &mix.kinds[0].exchange;
    assert_string_equal(first->name, "a1");
    assert_int_equal(first->party, PARTY_NEW);
    assert_int_equal(first->leases, 1);
    assert_int_equal(mix.kinds[0].weight, 3);
    assert_string_equal(first->steps[0].name, "find_by_address");
    assert_int_equal(first->steps[0].expected, OUTCOME_MISS);
    assert_string_equal(first->steps[1].name, "make it");
    assert_int_equal(first->steps[1].action, STEP_CREATE);
    assert_int_equal(first->steps[2].action, STEP_END);
    assert_int_equal(mix.kinds[1].exchange.party, PARTY_NONE);
    assert_int_equal(mix.kinds[1].exchange.leases, RECLAIM_LEASES + PURGE_LEASES);
    assert_int_equal(mix.kinds[2].exchange.party, PARTY_KNOWN);
    assert_true(mix.kinds[2].exchange.any_time);
    assert_true(mix.kinds[2].below == UINT64_C(1) << 32);
    mix_release(&mix);
}

/* What is printed of it is read as the same: names, steps, weight and number in digests. */
static void check_round(const struct exchange *exchange, enum lease_family family)
{
    char *const text = definition_text(exchange, 7);
    struct mix built_in;
    struct mix mix;
    struct err err;

    assert_non_null(text);
    if (parse(text, family, &mix, &err) != 0)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(mix_parse(exchange->name, family, &built_in, &err), 0);
    const struct exchange *const same = &mix.kinds[0].exchange;
    assert_int_equal(mix.kinds[0].weight, 7);
    assert_int_equal(mix.kinds[0].digest_number, built_in.kinds[0].digest_number);
    assert_int_equal(same->party, exchange->party);
    assert_int_equal(same->leases, exchange->leases);
    assert_int_equal(same->any_time, exchange->any_time);
    for (size_t i = 0; i <= STEPS_MAX; i++) {
        assert_int_equal(same->steps[i].action, exchange->steps[i].action);
        if (same->steps[i].action == STEP_END)
            break;
        check_text(exchange->name, same->steps[i].name, exchange->steps[i].name);
        assert_int_equal(same->steps[i].expected, exchange->steps[i].expected);
    }
    mix_release(&mix);
    free(text);
}

TEST(built_in_exchanges_are_printed_as_files)
{
    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        for (int family = LEASE_FAMILY_V4; family <= LEASE_FAMILY_V6; family++) {
            if ((e->families & 1u << family) != 0)
                check_round(e, (enum lease_family)family);
        }
    }
}

TEST(errors_of_a_file_name_line_and_word)
{
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        { "", " has no exchange: expected 'exchange NAME' and its steps" },
        { "# nothing\n", " has no exchange" },
        { "exchange", ":1: expected a name after 'exchange'" },
        { "exchange Portal", ":1: 'Portal' is not a name: expected a small letter" },
        { "exchange 1st", ":1: '1st' is not a name" },
        { "exchange a.b", ":1: 'a.b' is not a name" },
        { "exchange abcdefghijklmnopqrstuvwxyzabcdef", "is not a name" },
        { PORTAL "\n" PORTAL, ":4: 'portal' is the name of an exchange above" },
        { "exchange a weight", ":1: expected a number after 'weight'" },
        { "exchange a weight 0", ":1: weight: '0' is not a whole number in 1..1000000" },
        { "exchange a weight 2M", ":1: weight: '2M' is not" },
        { "exchange a weigh 2",
          ":1: 'weigh': expected weight N, new, known, server or any-time; did you mean weight?" },
        { "exchange a knownn", "; did you mean known?" },
        { "exchange a new server", ":1: 'server': the line already has 'new'" },
        { "exchange a new any-time", ":1: 'any-time' is for a client with a lease" },
        { "exchange a\n\n# b\n", ":1: 'a' has no steps" },
        { "exchange a\n" PORTAL, ":1: 'a' has no steps" },
        { "find_by_hwaddr hit", ":1: 'find_by_hwaddr': expected 'exchange NAME' before the first" },
        { "exchangee a", ":1: 'exchangee' is not an operation: expected find_by_client_id, "
                         "find_by_hwaddr, find_by_address, candidates, find_reservation, create, "
                         "renew, release, decline, remove, list_expired, reclaim, purge_reclaimed, "
                         "expire, or 'exchange NAME'; did you mean exchange?" },
        { PORTAL "find_by_hwadr hit", ":3: 'find_by_hwadr' is not an operation" },
        { PORTAL "find_by_hwadr hit", "; did you mean find_by_hwaddr?" },
        { PORTAL "find_by_duid hit", ":3: 'find_by_duid' is for IPv6, which needs --ipv6" },
        { PORTAL "renew", ":3: expected hit or miss after 'renew'" },
        { PORTAL "renew yes", ":3: 'yes': expected hit or miss after 'renew'" },
        { PORTAL "renew miss", ":3: 'miss': expected 'hit' after 'renew'" },
        { PORTAL "find_by_address miss",
          ":3: 'miss': a correct store answers 'hit', because the client has a lease here" },
        { "exchange a new\nfind_by_address hit",
          ":2: 'hit': a correct store answers 'miss', because the client has no lease here" },
        { "exchange a new\ncandidates hit", ":2: 'hit': expected 'miss' after 'candidates'" },
        { "exchange a new\nrenew hit",
          ":2: 'renew' needs a lease: write 'create' before it, or 'known' instead of 'new' in "
          "line 1" },
        { PORTAL "create hit",
          ":3: 'create' is for a client without a lease: write 'new' in line 1" },
        { "exchange a new\ncreate hit\ncandidates miss",
          ":3: 'candidates' is for a client without a lease: expected it before 'create'" },
        { "exchange a\nrelease hit\nfind_by_address hit",
          ":3: 'find_by_address': expected nothing after 'release', which ends the lease" },
        { PORTAL "reclaim hit",
          ":3: 'reclaim' is work of a server by itself: write 'server' in line 1" },
        { "exchange a server\nrenew hit",
          ":2: 'renew' needs a client: write 'new' or 'known' instead of 'server' in line 1" },
        { "exchange a server\n\nlist_expired hit\n", ":1: 'a' has list_expired without reclaim" },
        { PORTAL "find_by_hwaddr hit", ":3: 'find_by_hwaddr' is the name of a step above" },
        { PORTAL "renew hit 123456789 123456789 123456789 123456789 1",
          ":3: the name of a step has 40 bytes at most" },
        { PORTAL "renew hit a\xff", ":3: the name of a step" },
        { "exchange renew\nfind_by_hwaddr hit\nrenew hit",
          ":1: 'renew' is a built-in exchange with other steps: choose another name" },
        { "exchange dora\nfind_by_hwaddr hit", "'dora' is a built-in exchange with other steps" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct mix mix;
        struct err err;

        assert_int_equal(parse(rows[i].text, LEASE_FAMILY_V4, &mix, &err), -1);
        assert_null(mix.text);
        assert_int_equal(err.kind, ERR_USAGE);
        check(rows[i].text, strncmp(err.text, "--workload: /tmp/ubench-definition-", 35) == 0,
              err.text);
        check(rows[i].text, strstr(err.text, rows[i].says) != NULL, err.text);
    }
}

/* A text of so many lines that begin with this and have a number. */
static char *lines(const char *begin, const char *line, const char *end, int count)
{
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);

    assert_non_null(out);
    (void)fputs(begin, out);
    for (int i = 0; i < count; i++)
        (void)fprintf(out, "%s%d%s\n", line, i, end);
    (void)fclose(out);
    return text;
}

TEST(files_have_limits)
{
    static const struct {
        const char *begin;
        const char *line;
        const char *end;
        int most;
        const char *says;
    } rows[] = {
        { "", "exchange a", "\nrenew hit", MIX_MAX, "a file has 12 exchanges at most" },
        { "exchange a\n", "renew hit ", "", STEPS_MAX, "an exchange has 16 steps at most" },
        { PORTAL, "# 56789 123456789 123456789 123456789 123456789 123456789 12 ", "", 970,
          "expected a text of 65536 bytes at most" },
    };

    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        const bool above = i % 2 == 1;
        char *const text = lines(rows[i / 2].begin, rows[i / 2].line, rows[i / 2].end,
                                 rows[i / 2].most * (above ? 2 : 1));
        struct mix mix;
        struct err err;

        assert_int_equal(parse(text, LEASE_FAMILY_V4, &mix, &err), above ? -1 : 0);
        check(rows[i / 2].line, !above || strstr(err.text, rows[i / 2].says) != NULL, err.text);
        mix_release(&mix);
        free(text);
    }
}

TEST(files_that_cannot_be_read_are_refused)
{
    static const char *const rows[][2] = {
        { "@", "expected a file after '@'" },
        { "@/nowhere/x", "/nowhere/x: No such file or directory" },
        { "@/tmp", "/tmp: Is a directory" },
        { "@/dev/zero", "/dev/zero: expected a text of 65536 bytes at most" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct mix mix;
        struct err err = { 0 };

        assert_int_equal(mix_parse(rows[i][0], LEASE_FAMILY_V4, &mix, &err), -1);
        check(rows[i][0], strstr(err.text, rows[i][1]) != NULL, err.text);
    }
}

/* Letters as in test_exchanges.c. */
TEST(the_store_is_asked_what_a_file_says)
{
    static const struct {
        const char *text;
        enum lease_family family;
        uint64_t count;
        const char *questions;
    } rows[] = {
        { PORTAL "find_by_address hit", LEASE_FAMILY_V4, 2, "H+A+H+A+" },
        { "exchange a new\nfind_by_address miss", LEASE_FAMILY_V4, 2, "A-A-" },
        { "exchange a new\ncreate hit\nfind_by_address hit\nrenew hit\nfind_by_hwaddr hit\n"
          "renew hit again\nrelease hit",
          LEASE_FAMILY_V4, 2, "I+A+U+H+U+U+I+A+U+H+U+U+" },
        { "exchange a new\ncreate hit\nremove hit", LEASE_FAMILY_V6, 2, "I+D+I+D+" },
        { "exchange a\nrenew hit\nfind_by_duid hit\nrenew hit again\ndecline hit", LEASE_FAMILY_V6,
          2, "U+L+U+U+U+L+U+U+" },
        { "exchange a server\npurge_reclaimed hit\npurge_reclaimed hit again", LEASE_FAMILY_V4, 1,
          "P+P+" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config("renew", rows[i].family, rows[i].count);
        struct err err;

        check(rows[i].text, parse(rows[i].text, rows[i].family, &config.mix, &err) == 0, err.text);
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        check_text(rows[i].text, trial->err.text, "");
        check_text(rows[i].text, trial->table.record, rows[i].questions);
        trial_free(trial);
        mix_release(&config.mix);
    }
}
