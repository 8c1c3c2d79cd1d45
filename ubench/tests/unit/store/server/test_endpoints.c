/* SPDX-License-Identifier: ISC */
#include "store/server/connection.h"

#include <string.h>

#include "tests/lib/check.h"

static const struct store_config config = { .target = "ubench", .port = 5433 };

static int init(struct endpoints *endpoints, const char *host, struct err *err)
{
    struct store_config asked = config;

    memset(endpoints, 0, sizeof *endpoints);
    asked.host = host;
    return endpoints_init(endpoints, &asked, err);
}

TEST(reads_hosts_and_ports)
{
    static const struct {
        const char *list;
        const char *host; /* of the last one */
        uint64_t port;
        size_t count;
        const char *at;
    } rows[] = {
        { "db", "db", 5433, 1, "" },
        { "db:17", "db", 17, 1, "" },
        { "a,b", "b", 5433, 2, " at b:5433" },
        { "a:1,b:65535", "b", 65535, 2, " at b:65535" },
        { "a,/run/my:sql/x.sock", "/run/my:sql/x.sock", 5433, 2, " at /run/my:sql/x.sock" },
        { "a,./run", "./run", 5433, 2, " at ./run" },
        { "a,::1", "::1", 5433, 2, " at [::1]:5433" },
        { "a,[::1]:7", "::1", 7, 2, " at [::1]:7" },
        { "[::1]", "::1", 5433, 1, "" },
    };
    struct endpoints endpoints;
    struct err err;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(init(&endpoints, rows[i].list, &err), 0);
        check_number(rows[i].list, endpoints.count, rows[i].count);
        const struct endpoint *const last = &endpoints.items[endpoints.count - 1];

        check_text(rows[i].list, last->config.host, rows[i].host);
        check_text(rows[i].list, last->config.target, "ubench");
        check_number(rows[i].list, last->config.port, rows[i].port);
        check_text(rows[i].list, last->at, rows[i].at);
    }
    assert_int_equal(init(&endpoints, NULL, &err), 0);
    assert_int_equal(endpoints.count, 1);
    assert_null(endpoints.items[0].config.host);
}

TEST(refuses_what_is_none)
{
    static const struct {
        const char *list;
        const char *says;
    } rows[] = {
        { "a,", "--host: 'a,' has a name that is empty or too long" },
        { "a,,b", "--host: 'a,,b' has a name that is empty or too long" },
        { "a:0", "--host: 'a:0' is not HOST:PORT" },
        { "b,a:65536", "--host: 'a:65536' is not HOST:PORT" },
        { "a:x,b", "--host: 'a:x' is not HOST:PORT" },
        { ":5", "--host: ':5' is not HOST:PORT" },
        { "[::1", "--host: '[::1' is not HOST:PORT" },
        { "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
          "--host: '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17' names more than 16 servers" },
    };
    struct endpoints endpoints;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = { 0 };

        assert_int_equal(init(&endpoints, rows[i].list, &err), -1);
        check_number(rows[i].list, err.kind, ERR_USAGE);
        check_text(rows[i].list, err.text, rows[i].says);
    }
}

/* Endpoints that are lost, or refuse a password, by the letters of their names. */
struct connection {
    struct sql_link link;
};

static int connect_to(struct connection *connection, uint64_t limit_s, struct err *err)
{
    const struct sql_link *const link = &connection->link;
    const char letter = link->endpoint->host[0];

    assert_int_equal(limit_s, 5);
    return letter == 'l'   ? err_set_class(err, ERR_LOST, "%s", link->endpoint->host)
           : letter == 'p' ? err_set(err, "%s", link->endpoint->host)
                           : 0;
}

static void close_it(struct connection *connection)
{
    (void)connection;
}

static const struct sql_client client = { .store = "test",
                                          .connect = connect_to,
                                          .close = close_it };

TEST(sessions_come_in_turn)
{
    struct endpoints endpoints = { .count = 0 };
    struct properties facts = { 0 };
    struct connection connection = { 0 };
    struct err err;

    assert_int_equal(init(&endpoints, "a,b:2,c", &err), 0);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(connection_open(&connection, &client, &endpoints, true, 5, &err), 0);
        assert_ptr_equal(connection.link.endpoint, &endpoints.items[i % 3]);
    }
    assert_int_equal(connection_open(&connection, &client, &endpoints, false, 5, &err), 0);
    assert_ptr_equal(connection.link.endpoint, &endpoints.items[0]);
    endpoints_describe(&endpoints, &facts);
    assert_string_equal(properties_find(&facts, "endpoints"),
                        "a:5433: sessions 3, b:2: sessions 2, "
                        "c:5433: sessions 2");
}

TEST(one_that_is_lost_is_passed_over)
{
    static const struct {
        const char *list;
        const char *to; /* the one that is connected to, or that says why not */
        int status;
    } rows[] = {
        { "a,lb", "a", 0 },    { "la,b,c", "b", 0 }, { "la,lb,c", "c", 0 },
        { "la,lb", "lb", -1 }, { "pa,b", "pa", -1 }, { "la,pb,c", "pb", -1 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct endpoints endpoints = { .count = 0 };
        struct connection connection = { 0 };
        struct err err;

        assert_int_equal(init(&endpoints, rows[i].list, &err), 0);
        assert_int_equal(connection_open(&connection, &client, &endpoints, false, 5, &err),
                         rows[i].status);
        check_text(rows[i].list, rows[i].status == 0 ? connection.link.endpoint->host : err.text,
                   rows[i].to);
    }
}
