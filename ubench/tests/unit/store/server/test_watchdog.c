/* SPDX-License-Identifier: ISC */
#include "store/server/watchdog.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/check.h"

/* A connection and the server at its other end, which says nothing. */
struct connection {
    struct watched watched;
    int server;
};

static void connect_to(struct connection *connection)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    *connection = (struct connection){ .watched = { .socket = ends[0] }, .server = ends[1] };
}

static void hang_up(struct connection *connection)
{
    (void)close(connection->watched.socket);
    (void)close(connection->server);
}

/* Whoever reads from it is told that there is nothing more to come. */
static bool is_shut(const struct connection *connection, int within_ms)
{
    struct pollfd end = { .fd = connection->watched.socket, .events = POLLIN };

    return poll(&end, 1, within_ms) == 1;
}

static void begin(struct watchdog *watchdog, uint64_t limit_s)
{
    struct err err = { .text = "" };

    *watchdog = (struct watchdog){ .ticker = NULL };
    if (watchdog_start(watchdog, limit_s, &err) != 0)
        fail_msg("%s", err.text);
}

/* Long enough for any machine. */
enum { A_MINUTE_MS = 60000, A_MOMENT_MS = 50 };

/* One waits for an answer all the time, one for many, one for none. */
TEST(only_silence_is_too_long)
{
    struct watchdog watchdog;
    struct connection silent;
    struct connection busy;
    struct connection idle;

    begin(&watchdog, 2);
    connect_to(&silent);
    connect_to(&busy);
    connect_to(&idle);
    watchdog_add(&watchdog, &silent.watched, silent.watched.socket);
    watchdog_add(&watchdog, &busy.watched, busy.watched.socket);
    watchdog_add(&watchdog, &idle.watched, idle.watched.socket);
    watchdog_toggle(&silent.watched);
    watchdog_toggle(&busy.watched);
    for (int ms = 0; ms < A_MINUTE_MS && !is_shut(&silent, A_MOMENT_MS); ms += A_MOMENT_MS) {
        watchdog_toggle(&busy.watched);
        watchdog_toggle(&busy.watched);
    }
    assert_true(is_shut(&silent, 0));
    assert_true(atomic_load(&silent.watched.timed_out));
    assert_false(is_shut(&busy, 0));
    assert_false(atomic_load(&busy.watched.timed_out));
    assert_false(is_shut(&idle, 0));
    assert_false(atomic_load(&watchdog.canceled));
    watchdog_remove(&watchdog, &silent.watched);
    watchdog_remove(&watchdog, &busy.watched);
    watchdog_remove(&watchdog, &idle.watched);
    watchdog_stop(&watchdog);
    hang_up(&silent);
    hang_up(&busy);
    hang_up(&idle);
}

TEST(a_limit_can_be_set_later)
{
    struct watchdog watchdog;
    struct connection silent;

    begin(&watchdog, 0);
    connect_to(&silent);
    watchdog_add(&watchdog, &silent.watched, silent.watched.socket);
    watchdog_toggle(&silent.watched);
    assert_false(is_shut(&silent, 300));
    atomic_store(&watchdog.limit_s, 1);
    assert_true(is_shut(&silent, A_MINUTE_MS));
    watchdog_remove(&watchdog, &silent.watched);
    watchdog_stop(&watchdog);
    hang_up(&silent);
}

TEST(cancel_is_for_all_until_it_is_forgotten)
{
    struct watchdog watchdog;
    struct connection there[2]; /* the second is not waiting */
    struct connection gone;
    struct connection late;
    struct connection after;

    begin(&watchdog, 0);
    connect_to(&there[0]);
    connect_to(&there[1]);
    connect_to(&gone);
    connect_to(&late);
    connect_to(&after);
    watchdog_add(&watchdog, &there[0].watched, there[0].watched.socket);
    watchdog_add(&watchdog, &gone.watched, gone.watched.socket);
    watchdog_add(&watchdog, &there[1].watched, there[1].watched.socket);
    watchdog_toggle(&there[0].watched);
    watchdog_remove(&watchdog, &gone.watched);
    watchdog_cancel(&watchdog);
    assert_true(atomic_load(&watchdog.canceled));
    assert_true(is_shut(&there[0], 0));
    assert_true(is_shut(&there[1], 0));
    assert_false(atomic_load(&there[0].watched.timed_out));
    assert_false(is_shut(&gone, 0));
    watchdog_add(&watchdog, &late.watched, late.watched.socket);
    assert_true(is_shut(&late, 0));
    atomic_store(&watchdog.canceled, false);
    watchdog_add(&watchdog, &after.watched, after.watched.socket);
    assert_false(is_shut(&after, 0));
    watchdog_remove(&watchdog, &gone.watched); /* not there: fine */
    watchdog_stop(&watchdog);
    hang_up(&there[0]);
    hang_up(&there[1]);
    hang_up(&gone);
    hang_up(&late);
    hang_up(&after);
}

TEST(nothing_to_stop)
{
    struct watchdog watchdog = { .ticker = NULL };

    watchdog_stop(&watchdog);
}
