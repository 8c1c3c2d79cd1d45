/* SPDX-License-Identifier: ISC */
#include "store/sql/patience.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/check.h"

/* A connection and the server at its other end, which says nothing. */
struct connection {
    struct waiting waiting;
    int server;
};

static void connect_to(struct connection *connection)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    *connection = (struct connection){ .waiting = { .socket = ends[0] },
                                       .server = ends[1] };
}

static void hang_up(struct connection *connection)
{
    (void)close(connection->waiting.socket);
    (void)close(connection->server);
}

/* Whoever reads from it is told that there is nothing more to come. */
static bool is_shut(const struct connection *connection, int within_ms)
{
    struct pollfd end = { .fd = connection->waiting.socket, .events = POLLIN };

    return poll(&end, 1, within_ms) == 1;
}

static struct patience *begin(uint64_t limit_s)
{
    struct err err = { .text = "" };
    struct patience *const patience = patience_new(limit_s, &err);

    if (patience == NULL)
        fail_msg("%s", err.text);
    return patience;
}

/* Long enough for any machine. */
enum { A_MINUTE_MS = 60000, A_MOMENT_MS = 50 };

/* One waits for an answer all the time, one for many, one for none. */
static void only_silence_is_too_long(void **state)
{
    struct patience *const patience = begin(2);
    struct connection silent;
    struct connection busy;
    struct connection idle;

    (void)state;
    connect_to(&silent);
    connect_to(&busy);
    connect_to(&idle);
    patience_add(patience, &silent.waiting);
    patience_add(patience, &busy.waiting);
    patience_add(patience, &idle.waiting);
    patience_turn(&silent.waiting);
    patience_turn(&busy.waiting);
    for (int ms = 0; ms < A_MINUTE_MS && !is_shut(&silent, A_MOMENT_MS);
         ms += A_MOMENT_MS) {
        patience_turn(&busy.waiting);
        patience_turn(&busy.waiting);
    }
    assert_true(is_shut(&silent, 0));
    assert_true(atomic_load(&silent.waiting.timed_out));
    assert_false(is_shut(&busy, 0));
    assert_false(atomic_load(&busy.waiting.timed_out));
    assert_false(is_shut(&idle, 0));
    assert_false(patience_canceled(patience));
    patience_remove(patience, &silent.waiting);
    patience_remove(patience, &busy.waiting);
    patience_remove(patience, &idle.waiting);
    patience_free(patience);
    hang_up(&silent);
    hang_up(&busy);
    hang_up(&idle);
}

static void a_limit_can_be_set_later(void **state)
{
    struct patience *const patience = begin(0);
    struct connection silent;

    (void)state;
    connect_to(&silent);
    patience_add(patience, &silent.waiting);
    patience_turn(&silent.waiting);
    assert_false(is_shut(&silent, 300));
    patience_set_limit(patience, 1);
    assert_int_equal(patience_limit_s(patience), 1);
    assert_true(is_shut(&silent, A_MINUTE_MS));
    patience_remove(patience, &silent.waiting);
    patience_free(patience);
    hang_up(&silent);
}

static void cancel_is_for_all_until_it_is_forgotten(void **state)
{
    struct patience *const patience = begin(0);
    struct connection there[2]; /* the second is not waiting */
    struct connection gone;
    struct connection late;
    struct connection after;

    (void)state;
    connect_to(&there[0]);
    connect_to(&there[1]);
    connect_to(&gone);
    connect_to(&late);
    connect_to(&after);
    patience_add(patience, &there[0].waiting);
    patience_add(patience, &gone.waiting);
    patience_add(patience, &there[1].waiting);
    patience_turn(&there[0].waiting);
    patience_remove(patience, &gone.waiting);
    patience_cancel(patience);
    assert_true(patience_canceled(patience));
    assert_true(is_shut(&there[0], 0));
    assert_true(is_shut(&there[1], 0));
    assert_false(atomic_load(&there[0].waiting.timed_out));
    assert_false(is_shut(&gone, 0));
    patience_add(patience, &late.waiting);
    assert_true(is_shut(&late, 0));
    patience_forget(patience);
    assert_false(patience_canceled(patience));
    patience_add(patience, &after.waiting);
    assert_false(is_shut(&after, 0));
    patience_remove(patience, &gone.waiting); /* not there: fine */
    patience_free(patience);
    hang_up(&there[0]);
    hang_up(&there[1]);
    hang_up(&gone);
    hang_up(&late);
    hang_up(&after);
}

static void nothing_to_free(void **state)
{
    (void)state;
    patience_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_silence_is_too_long),
        cmocka_unit_test(a_limit_can_be_set_later),
        cmocka_unit_test(cancel_is_for_all_until_it_is_forgotten),
        cmocka_unit_test(nothing_to_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
