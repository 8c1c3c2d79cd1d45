/* SPDX-License-Identifier: ISC */
/* The runners' table of options, and where each option applies. */
#include "runner/options/options.h"

#include <stdio.h>
#include <stdlib.h>
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
      .scope = OPT_SCOPE_STORES | OPT_SCOPE_SERVER | OPT_SCOPE_SQL | OPT_SCOPE_ENGINE,
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
            check(a->name, a->kind == OPT_KIND_FLAG || a->arg != NULL, "names its argument");
            for (const struct opt *b = options.rows; b != a; b++)
                check(a->name,
                      strcmp(a->name, b->name) != 0 && (a->letter == 0 || a->letter != b->letter),
                      "has a name and a letter of its own");
        }
    }
}

static const struct opt *seek(const struct opt *row, const char *name)
{
    while (row->kind != OPT_KIND_END && strcmp(row->name, name) != 0)
        row++;
    return row->kind != OPT_KIND_END ? row : NULL;
}

/* Workloads list options by name, and options that some loads take are in a list. */
TEST(workloads_and_options_know_each_other)
{
    struct options options;
    const struct opt *end = options.rows;

    options_select(&options, &backends[0]);
    while (end->kind != OPT_KIND_END)
        end++;
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        for (const char *const *name = (*w)->options; *name != NULL; name++)
            check(*name, seek(end->others, *name) != NULL, "is an option");
        check((*w)->length, workload_takes(*w, (*w)->length), "is taken");
        check((*w)->length, ((*w)->name == NULL) == ((*w)->help == NULL), "has a help or no name");
        check((*w)->length, ((*w)->option == NULL) == ((*w)->is_asked == NULL), "can be asked for");
        check((*w)->length, ((*w)->closed == NULL) != ((*w)->open == NULL), "is run in one way");
    }
    for (const struct opt *row = end->others; row->kind != OPT_KIND_END; row++) {
        bool taken = row->loads == 0;

        for (const struct workload *const *w = workload_list; *w != NULL; w++)
            taken = taken || options_is_taken(row, *w);
        check(row->name, taken, "means something for some load");
    }
}

/* The result of a command line: NULL, or the error. */
static const char *parse(const struct backend *backend, const char *line, struct err *err)
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
    return options_parse(&options, &config, count, words, err) == 0 ? NULL : err->text;
}

static const char *no_server(const struct opt_settings *settings)
{
    (void)settings;
    return NULL;
}

TEST(options_that_mean_nothing_are_refused)
{
    static const char *const verify[] = {
        "-n 5",        "-t 9",          "-H 0.1",         "-w dora",     "-R 3", "-S kea",
        "-6",          "-L guide",      "--seed 9",       "--preload 5", "-b 3", "--warmup 2",
        "--subnets 3", "--latency off", "-s yes",         "-o a=5",      "-e x", "--rate 5 -w dora",
        "--ledger y",  "-c no",         "--reconnect 1s",
    };
    static const char *const servers[] = {
        "-m x",           "-P 77", "-u x", "-p x", "--connect-timeout 1", "--read-timeout 1",
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

        check(servers[i], parse(&backends[4], servers[i], &err) == NULL, "taken for a server");
        const char *const error = parse(&either, servers[i], &err);
        check(servers[i], error != NULL && strstr(error, "is for a database server") != NULL,
              "refused for a file");
    }
}

TEST(parameters_are_what_applies)
{
    struct options options;
    struct runner_config config = { 0 };
    struct properties parameters = { 0 };
    struct err err = { 0 };
    char words[][16] = {
        "x", "-w", "renew", "-m", "h", "-p", "secret", "--label", "a=b", "--json"
    };
    char *argv[COUNT_OF(words) + 1] = { NULL };

    for (size_t i = 0; i < COUNT_OF(words); i++)
        argv[i] = words[i];
    options_select(&options, &backends[4]);
    assert_int_equal(options_parse(&options, &config, COUNT_OF(words), argv, &err), 0);
    options_describe(&options, &config, &parameters);
    assert_string_equal(properties_find(&parameters, "host"), "h");
    assert_string_equal(properties_find(&parameters, "workload"), "renew");
    assert_string_equal(properties_find(&parameters, "schema"), "kea");
    assert_null(properties_find(&parameters, "password"));
    assert_null(properties_find(&parameters, "label"));
    assert_null(properties_find(&parameters, "json"));
    assert_string_equal(properties_find(&parameters, "batch"), "1");
    assert_null(properties_find(&parameters, "pace"));
    assert_null(properties_find(&parameters, "probes"));
    assert_null(properties_find(&parameters, "ipv6"));
    assert_null(properties_find(&parameters, "rate"));
}

TEST(a_batch_has_a_number_a_time_or_both)
{
    static const struct {
        const char *typed, *recorded;
        uint64_t count, time_ns;
    } rows[] = {
        { "1", "1", 1, 0 },
        { "1k", "1000", 1000, 0 },
        { "5ms", "5ms", 1000000, 5000000 },
        { "16,5000us", "16,5ms", 16, 5000000 },
        { "1M,1s", "1000000,1s", 1000000, 1000000000 },
    };
    static const char *const wrong[] = { "0",     "-1",    "1.5",      "x",    "16,",
                                         ",5ms",  "16,5",  "5ms,16",   "2M",   "0ms",
                                         "16,2m", "1,5ms", "16,5ms,1", "500ns" };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct runner_config config = { .batch = rows[i].typed };
        struct err err = { 0 };

        check_number(rows[i].typed, (uint64_t)options_resolve_batch(&config, &err), 0);
        check_text(rows[i].typed, config.batch, rows[i].recorded);
        check_number(rows[i].typed, config.load.batch, rows[i].count);
        check_number(rows[i].typed, config.load.batch_ns, rows[i].time_ns);
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct runner_config config = { .batch = wrong[i] };
        struct err err = { 0 };

        check(wrong[i], options_resolve_batch(&config, &err) == -1, "refused");
        check(wrong[i], strstr(err.text, "--batch: ") == err.text && err.kind == ERR_USAGE,
              err.text);
    }
}

/* Whoever runs the tests may have some. */
static void unset_variables(void)
{
    static const char *const names[] = { "UBENCH_USER", "UBENCH_PASSWORD", "PGPORT",
                                         "MYSQL_TCP_PORT" };

    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(unsetenv(names[i]), 0);
}

/* Variables UBENCH_<STORE>..., as "_HOST=db 2_PORT=7", are set or, if not set, removed. */
static void export_variables(const char *store, const char *variables, bool set)
{
    char text[256];
    char *rest = text;
    char *word;

    (void)snprintf(text, sizeof text, "%s", variables);
    while ((word = strsep(&rest, " ")) != NULL) {
        char *const value = strchr(word, '=');
        char name[64];

        *value = '\0';
        (void)snprintf(name, sizeof name, "UBENCH_%s%s", store, word);
        assert_int_equal(set ? setenv(name, value + 1, 1) : unsetenv(name), 0);
    }
}

/* True if the exported user and password go to the servers of the options. */
static bool are_used(const struct backend *backend, const char *line)
{
    char text[256];
    char *words[32] = { NULL };
    char *rest = text;
    int count = 0;
    struct options options;
    struct runner_config config = { 0 };
    struct err err = { 0 };

    (void)snprintf(text, sizeof text, line[0] != '\0' ? "x %s" : "x%s", line);
    while ((words[count] = strsep(&rest, " ")) != NULL)
        count++;
    options_select(&options, backend);
    if (options_parse(&options, &config, count, words, &err) != 0)
        fail_msg("%s: %s", line, err.text);
    const bool used = config.store.password != NULL;
    check(line, used == (config.store.user != NULL), "user and password together");
    check(line, !used || strcmp(config.store.password, "secret") == 0, "the exported one");
    return used;
}

/* One server of a list that they are not for is enough to keep them back. */
TEST(exported_credentials_go_to_their_own_servers_alone)
{
    enum { PGSQL = 3, MYSQL = 4 };
    static const struct {
        int backend;
        bool used;
        const char *variables;
        const char *options;
    } rows[] = {
        { PGSQL, true, "_X=", "-m any:7" },
        { PGSQL, true, "_HOST=127.0.0.1 _PORT=3", "" },
        { PGSQL, false, "_HOST=127.0.0.1 _PORT=3", "-P 4" },
        { PGSQL, true, "_HOST=127.0.0.1 _PORT=3", "-m 127.0.0.1:3" },
        { PGSQL, true, "_HOST=127.0.0.1 _PORT=3", "-m localhost -P 3" },
        { PGSQL, false, "_HOST=127.0.0.1 _PORT=3", "-m 127.0.0.2:3" },
        { PGSQL, false, "_HOST=127.0.0.1 _PORT=3", "-m 127.0.0.1:3,127.0.0.2:52405" },
        { PGSQL, false, "_HOST=127.0.0.1 _PORT=3", "-m 127.0.0.2:52405,127.0.0.1:3" },
        { PGSQL, false, "_HOST=127.0.0.1 _PORT=3", "-m 127.0.0.1,127.0.0.1:4 -P 3" },
        { PGSQL, false, "_HOST=127.0.0.1 _PORT=3", "-m 127.0.0.1:3,/tmp" },
        { PGSQL, false, "_HOST=127.0.0.1 _PORT=3", "-m 127.0.0.1:3," },
        { PGSQL, true, "_HOST=::1 _PORT=3", "-m [::1]:3" },
        { PGSQL, true, "_HOST=a:3,b:4", "" },
        { PGSQL, true, "_HOST=a:3,b:4", "-m b:4,a:3" },
        { MYSQL, true, "_HOST=a _PORT=3 2_HOST=b 2_PORT=4", "-m a:3,b:4" },
        { MYSQL, true, "_HOST=a _PORT=3 2_HOST=b 2_PORT=4", "-m b:4" },
        { MYSQL, false, "_HOST=a _PORT=3 2_HOST=b 2_PORT=4", "-m a:3,b:4,c:4" },
        { MYSQL, false, "_HOST=a _PORT=3 2_HOST=b 2_PORT=4", "-m a:4" },
        { MYSQL, false, "_HOST=a _PORT=3 2_HOST=b 2_PORT=4", "-P 4" },
        { MYSQL, false, "_SOCKET=/run/x/my.sock", "-m a" },
        { MYSQL, true, "_SOCKET=/run/x/my.sock", "-m /run/x/my.sock -P 7" },
        { MYSQL, true, "_SOCKET=/run/x/my.sock", "-m /run/x" },
        { MYSQL, true, "_SOCKET=/run/x/my.sock", "-m /run/x/" },
        { MYSQL, false, "_SOCKET=/run/x/my.sock", "-m /run" },
        { MYSQL, false, "_SOCKET=/run/x/my.sock", "-m /" },
        { MYSQL, false, "_SOCKET=/run/x/my.sock", "-m /run/x/my" },
        { MYSQL, false, "_SOCKET=/run/x/my.sock", "-m /run/x/other.sock" },
        { MYSQL, false, "_SOCKET=/run/x/my.sock", "-m /run/x,/run" },
        { PGSQL, true, "_SOCKET=/run/x _PORT=3", "-m /run/x -P 3" },
        { PGSQL, true, "_SOCKET=/run/x _PORT=3", "-m /run/x/ -P 3" },
        { PGSQL, true, "_SOCKET=/run/x _PORT=3", "-m /run/x/.s.PGSQL.3" },
        { PGSQL, true, "_SOCKET=/run/x/.s.PGSQL.3", "-m /run/x -P 3" },
        { PGSQL, false, "_SOCKET=/run/x _PORT=3", "-m /run/x -P 4" },
        { PGSQL, false, "_SOCKET=/run/x _PORT=3", "-m /run/x/.s.PGSQL.4" },
        { PGSQL, false, "_SOCKET=/run/x _PORT=3", "-m /run -P 3" },
        { PGSQL, false, "_SOCKET=/run/x/.s.PGSQL.3", "-m /run -P 3" },
        { PGSQL, true, "_HOST=127.0.0.2 _PORT=5432", "-m 127.0.0.2" },
        { PGSQL, true, "_HOST=127.0.0.2", "-m 127.0.0.2:5432" },
        { PGSQL, true, "_HOST=127.0.0.2", "-P 5432" },
        { PGSQL, true, "_SOCKET=/run/x _PORT=5432", "-m /run/x" },
        { PGSQL, false, "_HOST=127.0.0.2 _PORT=3306", "-m 127.0.0.2" },
        { PGSQL, false, "_HOST=127.0.0.2", "-m 127.0.0.2:5433" },
        { MYSQL, true, "_HOST=a _PORT=3306", "-m a" },
        { MYSQL, true, "_HOST=a 2_HOST=b 2_PORT=3306", "-m b,a:3306" },
        { MYSQL, false, "_HOST=a _PORT=5432", "-m a" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *const store = rows[i].backend == MYSQL ? "MYSQL" : "PGSQL";
        char what[256];

        unset_variables();
        export_variables(store, "_HOST= _PORT= _SOCKET= _PLAIN_USER=", false);
        export_variables(store, "2_HOST= 2_PORT= 2_SOCKET=", false);
        (void)snprintf(what, sizeof what, "%s: %s, %s", store, rows[i].variables, rows[i].options);
        export_variables(store, "_USER=u _PASSWORD=secret", true);
        export_variables(store, rows[i].variables, true);
        check(what, are_used(&backends[rows[i].backend], rows[i].options) == rows[i].used,
              rows[i].used ? "used" : "kept back");
        export_variables(store, rows[i].variables, false);
        export_variables(store, "_USER= _PASSWORD=", false);
    }
}

TEST(the_customary_port_is_that_of_the_client_library)
{
    static const char *const names[] = { "PGPORT", "MYSQL_TCP_PORT" };
    static const char *const stores[] = { "PGSQL", "MYSQL" };

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct backend *const backend = &backends[3 + i];

        unset_variables();
        export_variables(stores[i], "_USER=u _PASSWORD=secret _HOST=h _PORT=7", true);
        check(names[i], !are_used(backend, "-m h"), "not given");
        assert_int_equal(setenv(names[i], "7", 1), 0);
        check(names[i], are_used(backend, "-m h"), "given");
        export_variables(stores[i], "_PORT=5432", true);
        check(names[i], !are_used(backend, "-m h"), "another port");
        export_variables(stores[i], "_USER= _PASSWORD= _HOST= _PORT=", false);
    }
    unset_variables();
}
