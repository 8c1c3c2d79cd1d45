/* SPDX-License-Identifier: ISC */
/* The runners' table of options, and where each option applies. */
#include "runner/options.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"

static const struct backend backends[] = {
    { .name = "null", .scope = OPT_SCOPE_ALL },
    { .name = "memfile",
      .default_target = "dhcpd.leases",
      .scope = OPT_SCOPE_STORES | OPT_SCOPE_FILE,
      .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) },
    { .name = "sqlite",
      .default_target = "sqlite.db",
      .scope = OPT_SCOPE_STORES | OPT_SCOPE_FILE | OPT_SCOPE_SQL,
      .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_POWER_SAFE) },
    { .name = "pgsql",
      .default_target = "ubench",
      .scope = OPT_SCOPE_STORES | OPT_SCOPE_SERVER | OPT_SCOPE_SQL,
      .sync_levels = ~0u },
    { .name = "mysql",
      .default_target = "ubench",
      .scope = OPT_SCOPE_STORES | OPT_SCOPE_SERVER | OPT_SCOPE_SQL |
               OPT_SCOPE_ENGINE,
      .sync_levels = ~0u },
};

/* Fallbacks are parsed with each command line. */
TEST(every_runner_has_a_sound_table)
{
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        struct options options;

        options_select(&options, &backends[i]);
        for (const struct opt *a = options.rows; a->kind != OPT_KIND_END; a++) {
            check(a->name, a->help != NULL && a->help[0] != '\0', "has help");
            check(a->name, a->kind == OPT_KIND_FLAG || a->arg != NULL,
                  "names its argument");
            for (const struct opt *b = options.rows; b != a; b++)
                check(a->name,
                      strcmp(a->name, b->name) != 0 &&
                          (a->letter == 0 || a->letter != b->letter),
                      "has a name and a letter of its own");
        }
    }
}

/* Sets of kinds are or-ed together. */
TEST(each_kind_of_workload_is_a_bit_of_its_own)
{
    unsigned seen = 0;

    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        assert_int_equal(__builtin_popcount((*w)->kind), 1);
        assert_int_equal(seen & (*w)->kind, 0);
        seen |= (*w)->kind;
    }
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        struct options options;

        options_select(&options, &backends[i]);
        for (const struct opt *row = options.rows; row->kind != OPT_KIND_END;
             row++)
            check(row->name, (row->loads & ~seen) == 0, "kinds there are");
    }
}

/* The result of a command line: NULL, or the error. */
static const char *parse(const struct backend *backend, const char *line,
                         struct err *err)
{
    char text[256];
    char *words[32] = { NULL };
    char *rest = text;
    int count = 0;
    struct options options;
    struct runner_config config = { 0 };

    (void)snprintf(text, sizeof text, "x %s", line);
    while ((words[count] = strsep(&rest, " ")) != NULL)
        count++;
    options_select(&options, backend);
    return options_parse(&options, &config, count, words, err) == 0 ? NULL
                                                                    : err->text;
}

static const char *no_server(const struct opt_settings *settings)
{
    (void)settings;
    return NULL;
}

TEST(options_that_mean_nothing_are_refused)
{
    static const char *const verify[] = {
        "-n 5",        "-t 9",          "-H 0.1",
        "-w dora",     "-R 3",          "-S kea",
        "-6",          "-L guide",      "--seed 9",
        "--preload 5", "-b 3",          "--warmup 2",
        "--subnets 3", "--latency off", "-s yes",
        "-o a=5",      "-e x",          "--rate 5 -w dora",
        "--ledger y",  "-c no",         "--reconnect 1s",
    };
    static const char *const servers[] = {
        "-m x",
        "-P 77",
        "-u x",
        "-p x",
        "--connect-timeout 1",
        "--read-timeout 1",
        "--reconnect 1s",
    };
    struct backend either = backends[4];

    for (size_t i = 0; i < COUNT_OF(verify); i++) {
        char line[64];
        struct err err = { 0 };

        (void)snprintf(line, sizeof line, "--verify x %s", verify[i]);
        const char *const error = parse(&backends[4], line, &err);
        check(verify[i],
              error != NULL && err.kind == ERR_USAGE &&
                  strstr(error, "cannot be used with --verify") != NULL,
              "refused");
    }
    either.scope |= OPT_SCOPE_FILE;
    either.server = no_server;
    for (size_t i = 0; i < COUNT_OF(servers); i++) {
        struct err err = { 0 };

        check(servers[i], parse(&backends[4], servers[i], &err) == NULL,
              "taken for a server");
        const char *const error = parse(&either, servers[i], &err);
        check(servers[i],
              error != NULL &&
                  strstr(error, "is for a database server") != NULL,
              "refused for a file");
    }
}

TEST(parameters_are_what_applies)
{
    struct options options;
    struct runner_config config = { 0 };
    struct properties parameters = { 0 };
    struct err err = { 0 };
    char words[][16] = { "x",  "-w",     "renew",   "-m",  "h",
                         "-p", "secret", "--label", "a=b", "--json" };
    char *argv[COUNT_OF(words) + 1] = { NULL };

    for (size_t i = 0; i < COUNT_OF(words); i++)
        argv[i] = words[i];
    options_select(&options, &backends[4]);
    assert_int_equal(
        options_parse(&options, &config, COUNT_OF(words), argv, &err), 0);
    options_describe(&options, &config, &parameters);
    assert_string_equal(properties_find(&parameters, "host"), "h");
    assert_string_equal(properties_find(&parameters, "workload"), "renew");
    assert_string_equal(properties_find(&parameters, "schema"), "kea");
    assert_null(properties_find(&parameters, "password"));
    assert_null(properties_find(&parameters, "label"));
    assert_null(properties_find(&parameters, "json"));
    assert_null(properties_find(&parameters, "batch"));
    assert_null(properties_find(&parameters, "probes"));
    assert_null(properties_find(&parameters, "ipv6"));
    assert_null(properties_find(&parameters, "rate"));
}
