/* SPDX-License-Identifier: ISC */
#include "store/sql/settings.h"

#include <stdio.h>

#include "tests/lib/check.h"

static void add(struct properties *settings, const char *name, const char *value)
{
    sql_changed_take(settings, (const char *const[]){ name, value });
}

TEST(tells_what_bears_on_speed)
{
    static const struct property told[] = {
        { "effective_io_concurrency", "20" },
        { "innodb_log_file_size", "268435456" },
        { "innodb_open_files", "4000" },
        { "max_connections", "50" },
        { "random_page_cost", "1.1" },
        { "innodb_flush_neighbors", "0" },
        { "wal_compression", "lz4" },
        { "optimizer_switch", "index_merge=on,mrr=off" },
        { "innodb_io_capacity", "2000" },
        { "skip_name_resolve", "ON" },
        { "sql_mode", "" },
    };
    struct properties settings = { 0 };
    struct properties facts = { 0 };

    for (size_t i = 0; i < COUNT_OF(told); i++)
        add(&settings, told[i].key, told[i].value);
    sql_changed_describe(&settings, &facts);
    assert_int_equal(facts.count, COUNT_OF(told));
    for (size_t i = 0; i < facts.count; i++) {
        assert_string_equal(facts.items[i].key, told[i].key);
        assert_string_equal(facts.items[i].value, told[i].value);
    }
}

TEST(leaves_out_whose_it_is)
{
    static const struct property secrets[] = {
        { "datadir", "data" },
        { "tmpdir", "data" },
        { "data_directory", "data" },
        { "unix_socket_directories", "run" },
        { "innodb_data_home_dir", "data" },
        { "slow_query_log_file", "venus-slow.log" },
        { "log_error", "venus.err" },
        { "log_destination", "syslog" },
        { "syslog_ident", "venus" },
        { "socket", "mysql.sock" },
        { "bind_address", "venus" },
        { "listen_addresses", "*" },
        { "report_host", "venus" },
        { "port", "5433" },
        { "extra_port", "3307" },
        { "cluster_name", "venus" },
        { "server_id", "17" },
        { "server_uuid", "8a94f357-aab4-11df-86ab-c80aa9429562" },
        { "ssl_cert_file", "server.crt" },
        { "tls_version", "TLSv1.3" },
        { "report_password", "secret" },
        { "wsrep_sst_auth", "root" },
        { "lc_messages", "de_CH.UTF-8" },
        { "timezone", "Europe" },
        { "log_timezone", "Europe" },
        { "default_time_zone", "CET" },
        { "archive_command", "true" },
        { "init_connect", "SET @a = 1" },
        { "search_path", "ernest" },
        { "some_extension.user", "ernest" },
        { "unheard_of", "1" },
        { "innodb_of_a_later_version", "1" },
        { "innodb_data_file_path", "ibdata1" },
        { "innodb_buffer_pool_filename", "pool" },
        { "shared_preload_libraries", "venus" },
        { "synchronous_standby_names", "venus" },
        { "venus.pool_size", "1" },
        { "max_size", "/srv/data" },
        { "max_size", "ernest@venus" },
        { "max_size", "C:\\data" },
        { "max_size", "192.0.2.1" },
        { "max_size", "2001:db8" },
        { "max_size", "two\nlines" },
    };

    for (size_t i = 0; i < COUNT_OF(secrets); i++) {
        struct properties settings = { 0 };

        add(&settings, secrets[i].key, secrets[i].value);
        if (settings.count != 0)
            fail_msg("%s=%s is told", secrets[i].key, secrets[i].value);
    }
}

TEST(repeats_nothing)
{
    struct properties settings = { 0 };
    struct properties facts = { 0 };

    properties_add(&facts, "MariaDB", "10.11");
    properties_add(&facts, "sync_binlog", "1");
    properties_add(&facts, "session Sort_Buffer_Size", "65536");
    add(&settings, "sync_binlog", "1");
    add(&settings, "sort_buffer_size", "131072");
    add(&settings, "join_buffer_size", "131072");
    sql_changed_describe(&settings, &facts);
    assert_int_equal(facts.count, 4);
    assert_string_equal(facts.items[3].key, "join_buffer_size");
}

TEST(cuts_a_long_value)
{
    struct properties settings = { 0 };
    struct properties facts = { 0 };
    char value[512];

    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    add(&settings, "sql_mode", value);
    sql_changed_describe(&settings, &facts);
    assert_string_equal(facts.items[0].value + 199, "x...");
}

/* Describes so many settings after so many other properties. */
static void describe(size_t changed, size_t before, struct properties *properties)
{
    struct properties settings = { 0 };
    char name[32];

    *properties = (struct properties){ 0 };
    for (size_t i = 0; i < before; i++) {
        (void)snprintf(name, sizeof name, "fact %zu", i);
        properties_add(properties, name, "1");
    }
    for (size_t i = 0; i < changed; i++) {
        (void)snprintf(name, sizeof name, "max_%zu", i);
        add(&settings, name, "1");
    }
    sql_changed_describe(&settings, properties);
}

TEST(never_has_too_many)
{
    static const struct {
        size_t changed, before, count;
        const char *more;
    } cases[] = {
        { 0, 10, 10, NULL },
        { 24, 10, 34, NULL },
        { 25, 10, 35, "1" },
        { 96, 10, 35, "72" },
        { 1000, 10, 35, "72" },
        { 24, PROPERTIES_MAX - 24, PROPERTIES_MAX - 3, "4" },
        { 24, PROPERTIES_MAX - 1, PROPERTIES_MAX, "24" },
        { 24, PROPERTIES_MAX, PROPERTIES_MAX, NULL },
        { 0, PROPERTIES_MAX, PROPERTIES_MAX, NULL },
    };
    struct properties facts;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        describe(cases[i].changed, cases[i].before, &facts);
        const char *const more = properties_find(&facts, "more changed settings");
        assert_int_equal(facts.count, cases[i].count);
        assert_int_equal(more != NULL, cases[i].more != NULL);
        if (more != NULL)
            assert_string_equal(more, cases[i].more);
    }
}
