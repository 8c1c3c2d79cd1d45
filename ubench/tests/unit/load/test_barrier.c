/* SPDX-License-Identifier: ISC */
#include "load/barrier.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "tests/lib/check.h"

/* The other side, as scripts/agents: answers with these, in turn, after the
   clocks; NULL closes. */
struct script {
    const char *answers[4];
    FILE *from;
    FILE *to;
    char said[256];
    pthread_t thread;
    /* This side. */
    int in;
    FILE *out;
    struct progress *progress;
    struct barrier_clock clock;
    struct barrier *barrier;
};

static void *play(void *argument)
{
    struct script *const script = argument;
    const char *const *answer = script->answers;
    char line[64];

    while (fgets(line, sizeof line, script->from) != NULL) {
        const bool clock = strcmp(line, "clock 0\n") == 0;

        if (!clock)
            strncat(script->said, line, sizeof script->said - strlen(script->said) - 1);
        if (!clock && *answer == NULL)
            break;
        (void)fputs(clock ? "clock 1700000000000000000\n" : *answer++, script->to);
        (void)fflush(script->to);
    }
    (void)fclose(script->to);
    return NULL;
}

static void begin(struct script *script)
{
    int down[2];
    int up[2];
    struct err err = { 0 };

    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    script->in = down[0];
    script->to = fdopen(down[1], "w");
    script->from = fdopen(up[0], "r");
    script->out = fdopen(up[1], "w");
    script->progress = progress_new();
    assert_true(script->to != NULL && script->from != NULL && script->out != NULL &&
                script->progress != NULL);
    assert_int_equal(pthread_create(&script->thread, NULL, play, script), 0);
    script->barrier = barrier_open(script->in, script->out, script->progress, &script->clock, &err);
    if (script->barrier == NULL)
        fail_msg("%s", err.text);
}

static void end(struct script *script)
{
    barrier_close(script->barrier);
    (void)fclose(script->out);
    assert_int_equal(pthread_join(script->thread, NULL), 0);
    (void)fclose(script->from);
    (void)close(script->in);
    free(script->progress);
}

TEST(clocks_are_compared_and_values_added)
{
    struct script script = { .answers = { "meet 40\n", "meet -3\n" } };
    int64_t sum = 0;

    begin(&script);
    assert_true(script.clock.common_ns == UINT64_C(1700000000000000000));
    assert_true(script.clock.own_ns <= clock_read_ns(CLOCK_REALTIME));
    assert_true(barrier_wait(script.barrier, -2, &sum));
    assert_int_equal(sum, 40);
    assert_true(barrier_wait(script.barrier, 0, &sum));
    assert_int_equal(sum, -3);
    assert_false(barrier_is_canceled(script.barrier));
    end(&script);
    check_text("said", script.said, "meet -2\nmeet 0\n");
}

TEST(any_other_answer_calls_the_run_off)
{
    static const char *const answers[] = { "stop\n", "meeting 3\n", "\n", "clock 4\n", NULL };

    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        struct script script = { .answers = { answers[i] } };
        struct err err = { 0 };

        begin(&script);
        assert_false(barrier_wait(script.barrier, 0, NULL));
        assert_true(barrier_is_canceled(script.barrier));
        assert_true(progress_stopped(script.progress));
        assert_int_equal(barrier_refuse(&err), -1);
        assert_int_equal(err.kind, ERR_CANCELED);
        end(&script);
    }
}

/* It is noticed while the load is at work, too. */
TEST(the_end_of_the_input_stops_the_run)
{
    const struct timespec nap = { .tv_nsec = 1000000 };
    struct script script = { .answers = { NULL } };

    begin(&script);
    (void)fputs("meet 0\n", script.out);
    (void)fflush(script.out);
    while (!progress_stopped(script.progress)) /* or the test is not over */
        (void)nanosleep(&nap, NULL);
    assert_true(barrier_is_canceled(script.barrier));
    end(&script);
}

TEST(a_run_that_is_to_stop_does_not_wait)
{
    struct script script = { .answers = { "meet 1\n" } };

    begin(&script);
    atomic_store(&script.progress->stop, 1);
    assert_false(barrier_wait(script.barrier, 0, NULL));
    assert_false(barrier_is_canceled(script.barrier));
    end(&script);
    check_text("said", script.said, "");
}

TEST(the_whole_meets_nobody)
{
    int64_t sum = 0;

    assert_true(barrier_wait(NULL, 7, &sum));
    assert_int_equal(sum, 7);
    assert_false(barrier_is_canceled(NULL));
    barrier_close(NULL);
}
