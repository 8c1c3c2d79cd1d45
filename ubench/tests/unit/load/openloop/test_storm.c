/* SPDX-License-Identifier: ISC */
#include "load/openloop/trial.h"

#include <math.h>

#include "core/clock.h"
#include "tests/lib/check.h"

static struct progress progress;
static struct trial trial;
static struct storm_outcome outcome;

static void predict_with(uint64_t clients, size_t servers, uint64_t service_ns, uint64_t queue,
                         enum queue_policy policy)
{
    struct err err = { 0 };
    struct storm storm;

    trial_release(&trial);
    trial = (struct trial){
        .queue_size = queue,
        .policy = policy,
        .numbers = clients,
        .duration_ns = STORM_LONGEST_NS,
        .deadline_ns = 2 * NS_PER_S,
        .drain_ns = 60 * NS_PER_S,
    };
    assert_int_equal(storm_init(&storm, clients, 0, 1, &err), 0);
    trial.source = &storm.source;
    assert_int_equal(trial_simulate(&trial, servers, service_ns, &progress, &err), LOAD_DONE);
    storm_judge(&storm);
    outcome = storm.outcome;
    storm_release(&storm);
}

static void predict(uint64_t clients, double per_s, uint64_t queue, enum queue_policy policy)
{
    predict_with(clients, 1, (uint64_t)(1e9 / per_s), queue, policy);
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* A queue for all: who is served when depends on the rate alone, and from a
   rate of a third of the clients on nobody asks twice. */
TEST(with_room_for_all_the_last_is_served_at_n_per_rate)
{
    static const struct {
        double per_s;
        uint64_t sent; /* about */
    } cases[] = {
        { 250, 28977 }, { 500, 21992 }, { 1000, 15976 }, { 2500, 10561 }, { 3400, 10000 }
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double last_s = 10000 / cases[i].per_s;

        predict(10000, cases[i].per_s, 1000000, QUEUE_DROP_NEWEST);
        assert_int_equal(outcome.served, 10000);
        if (fabs((double)outcome.sent / (double)cases[i].sent - 1) > 0.02)
            fail_msg("at %g: sent %" PRIu64, cases[i].per_s, outcome.sent);
        assert_int_equal(outcome.retransmitted, outcome.sent - 10000);
        if (cases[i].per_s <= 1000)
            continue; /* retransmissions come in between later */
        assert_true(fabs(seconds(outcome.served_100_ns) - last_s) < 0.05 * last_s);
        assert_true(fabs(seconds(outcome.served_50_ns) - last_s / 2) < 0.05 * last_s);
    }
    assert_int_equal(outcome.useless, 0);
}

/* A short queue drops most of them, and they come back later and later. */
TEST(a_short_queue_takes_longer)
{
    static const struct {
        double per_s;
        double last_s; /* about; 0: never */
    } cases[] = { { 250, 0 }, { 1000, 62 }, { 2500, 14 }, { 5000, 5 } };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        predict(10000, cases[i].per_s, 256, QUEUE_DROP_NEWEST);
        const double all_s = seconds(outcome.served_100_ns);
        if (cases[i].last_s <= 0)
            assert_true(outcome.served_100_ns == UINT64_MAX);
        else if (all_s < cases[i].last_s * 0.75 || all_s > cases[i].last_s * 1.3)
            fail_msg("at %g: the last after %g s", cases[i].per_s, all_s);
    }
    predict(10000, 250, 256, QUEUE_DROP_NEWEST);
    assert_true(fabs((double)outcome.served / 10000 - 0.65) < 0.04);
}

/* Who waits already is not put in twice: nobody is served for nothing, but
   who is asked for while being served. */
TEST(dedup_saves_work)
{
    predict(10000, 500, 1000000, QUEUE_DROP_NEWEST);
    const uint64_t without = outcome.useless;
    predict(10000, 500, 1000000, QUEUE_DEDUP);
    assert_int_equal(outcome.served, 10000);
    assert_true(without > 5000);
    assert_in_range(outcome.useless, 0, 20);
    assert_true(fabs(seconds(outcome.served_100_ns) - 20) < 0.1);
}

/* A server for each client, which takes longer than any client waits at first:
   all ask again, at 3 to 5 s, for nothing; at the second wait's end, from 11 s
   on, they have their answers. */
TEST(who_waits_for_a_slow_service_asks_again)
{
    predict_with(100, 100, 6 * NS_PER_S, 1000, QUEUE_DROP_NEWEST);
    assert_int_equal(outcome.served, 100);
    assert_int_equal(outcome.sent, 200);
    assert_int_equal(outcome.useless, 100);
}

TEST(every_client_is_counted_once)
{
    static const enum queue_policy policies[] = { QUEUE_DROP_NEWEST, QUEUE_DROP_OLDEST,
                                                  QUEUE_DEDUP };

    for (size_t i = 0; i < COUNT_OF(policies); i++) {
        predict(3000, 200, 100, policies[i]);
        assert_int_equal(trial.offered, outcome.sent);
        assert_int_equal(trial_answered(&trial), outcome.served + outcome.useless);
        assert_int_equal(trial.offered,
                         trial_answered(&trial) + trial.dropped + trial.merged + trial.unanswered);
        assert_in_range(outcome.sent, outcome.clients,
                        outcome.clients * (1 + STORM_RETRANSMISSIONS));
    }
}

/* Takes all requests and answers none: each client asks six times, at the
   times of the RFC. */
TEST(clients_ask_when_they_should)
{
    enum { CLIENTS = 200 };
    static const unsigned waits_s[STORM_RETRANSMISSIONS] = { 4, 8, 16, 32, 64 };
    uint64_t last_ns[CLIENTS] = { 0 };
    unsigned asked[CLIENTS] = { 0 };
    struct storm storm;
    struct arrival arrival;
    struct err err = { 0 };
    uint64_t before_ns = 0;

    assert_int_equal(storm_init(&storm, CLIENTS, NS_PER_S, 5, &err), 0);
    struct arrival_source *const source = &storm.source;
    while (source->due_ns(source) != ARRIVALS_NEVER) {
        assert_true(source->take(source, &arrival));
        assert_true(arrival.at_ns >= before_ns);
        before_ns = arrival.at_ns;
        unsigned *const times = &asked[arrival.number];
        if (*times == 0)
            assert_true(arrival.at_ns < NS_PER_S);
        else
            assert_true(
                fabs(seconds(arrival.at_ns - last_ns[arrival.number]) - waits_s[*times - 1]) <= 1);
        last_ns[arrival.number] = arrival.at_ns;
        (*times)++;
    }
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(asked[i], 1 + STORM_RETRANSMISSIONS);
    assert_true(before_ns <= STORM_LONGEST_NS + NS_PER_S);
    storm_release(&storm);
}

/* An answer at 4.5 s spares those retransmissions that were due later; one
   client has none. */
TEST(who_has_an_answer_is_quiet)
{
    enum { CLIENTS = 1000 };
    struct storm storm;
    struct arrival arrival;
    struct err err = { 0 };
    uint64_t late = 0;

    assert_int_equal(storm_init(&storm, CLIENTS, 0, 5, &err), 0);
    struct arrival_source *const source = &storm.source;
    for (uint64_t i = 0; i < CLIENTS; i++)
        assert_true(source->take(source, &arrival));
    for (uint64_t i = 1; i < CLIENTS; i++) {
        arrival.number = i;
        source->answered(source, &arrival, 4500000000);
    }
    while (source->due_ns(source) != ARRIVALS_NEVER) {
        const uint64_t due_ns = source->due_ns(source);
        const bool asks = source->take(source, &arrival);

        assert_int_equal(asks, due_ns < 4500000000 || arrival.number == 0);
        late += asks && arrival.number == 0;
    }
    assert_int_equal(late, STORM_RETRANSMISSIONS);
    storm_judge(&storm);
    outcome = storm.outcome;
    assert_int_equal(outcome.served, CLIENTS - 1);
    assert_in_range(outcome.retransmitted, 700, 800); /* (4.5 - 3) / 2 */
    assert_int_equal(outcome.served_50_ns, 4500000000);
    assert_int_equal(outcome.served_99_ns, 4500000000);
    assert_true(outcome.served_100_ns == UINT64_MAX);
    storm_release(&storm);
}

static int release(void **state)
{
    trial_release(&trial);
    return 0;
}

FIXTURE(NULL, release);
