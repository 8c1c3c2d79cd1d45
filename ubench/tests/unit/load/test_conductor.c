/* SPDX-License-Identifier: ISC */
#include "load/conductor.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/check.h"

/* A conductor at the other ends of two pipes. */
struct other {
    int in;
    int to;
    int from;
    FILE *out;
    struct progress *progress;
    struct conductor *conductor;
};

static void begin(struct other *other)
{
    int down[2];
    int up[2];
    struct err err = { 0 };

    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    other->in = down[0];
    other->to = down[1];
    other->from = up[0];
    other->out = fdopen(up[1], "w");
    other->progress = progress_new();
    assert_true(other->out != NULL && other->progress != NULL);
    other->conductor = conductor_open(other->in, other->out, other->progress, &err);
    if (other->conductor == NULL)
        fail_msg("%s", err.text);
}

static void say(struct other *other, const char *text)
{
    assert_int_equal(write(other->to, text, strlen(text)), (ssize_t)strlen(text));
}

static void hang_up(struct other *other)
{
    (void)close(other->to);
    other->to = -1;
}

static void end(struct other *other)
{
    conductor_close(other->conductor);
    (void)fclose(other->out);
    (void)close(other->from);
    (void)close(other->in);
    if (other->to >= 0)
        (void)close(other->to);
    free(other->progress);
}

/* Waits until it is told; a test that hangs failed. */
static const char *hear(struct other *other)
{
    const char *line = NULL;

    while (line == NULL && !progress_stopped(other->progress))
        line = conductor_listen(other->conductor, 100);
    return line;
}

TEST(lines_are_read_one_by_one_and_said)
{
    struct other other;
    char text[16] = "";

    begin(&other);
    assert_null(conductor_listen(other.conductor, 0));
    say(&other, "turn 5\ntu");
    check_text("first", hear(&other), "turn 5");
    assert_null(conductor_listen(other.conductor, 0));
    say(&other, "rn 6\n\n");
    check_text("second", hear(&other), "turn 6");
    check_text("empty", hear(&other), "");
    conductor_say(other.conductor, "ready");
    assert_int_equal(read(other.from, text, sizeof text - 1), 6);
    check_text("said", text, "ready\n");
    assert_false(conductor_is_gone(other.conductor));
    end(&other);
}

/* Which is no command, whatever follows. */
TEST(a_line_that_is_too_long_ends_early)
{
    struct other other;
    char text[101];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    begin(&other);
    say(&other, text);
    assert_int_equal(strlen(hear(&other)), 63);
    end(&other);
}

/* It is noticed while the load is at work, too, when nobody listens. */
TEST(the_end_of_the_input_stops_the_run)
{
    static const char *const said[] = { "", "turn 9\n", "en" };

    for (size_t i = 0; i < COUNT_OF(said); i++) {
        struct other other;

        begin(&other);
        say(&other, said[i]);
        hang_up(&other);
        if (said[i][0] == 't')
            check_text("line", hear(&other), "turn 9");
        if (said[i][0] == 'e')
            assert_null(hear(&other));
        while (!progress_stopped(other.progress))
            (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        assert_true(conductor_is_gone(other.conductor));
        assert_null(conductor_listen(other.conductor, 0));
        end(&other);
    }
}

TEST(after_end_the_input_may_end)
{
    struct other other;

    begin(&other);
    say(&other, "end\n");
    check_text("line", hear(&other), "end");
    hang_up(&other);
    (void)nanosleep(&(struct timespec){ .tv_nsec = 250000000 }, NULL); /* two looks */
    assert_false(conductor_is_gone(other.conductor));
    assert_false(progress_stopped(other.progress));
    end(&other);
}

TEST(a_run_that_is_to_stop_does_not_listen)
{
    struct other other;

    begin(&other);
    say(&other, "turn 5\n");
    atomic_store(&other.progress->stop, PROGRESS_STOP);
    assert_null(conductor_listen(other.conductor, 1000));
    assert_false(conductor_is_gone(other.conductor));
    end(&other);
}

/* What is said to a conductor that has closed its ear arrives nowhere. */
TEST(an_answer_that_cannot_be_said_stops_the_run)
{
    struct other other;

    begin(&other);
    (void)fclose(other.out);
    other.out = fopen("/dev/full", "w");
    assert_non_null(other.out);
    conductor_close(other.conductor);
    other.conductor = conductor_open(other.in, other.out, other.progress, &(struct err){ 0 });
    assert_non_null(other.conductor);
    conductor_say(other.conductor, "ready");
    assert_true(conductor_is_gone(other.conductor));
    assert_true(progress_stopped(other.progress));
    end(&other);
}

TEST(without_a_conductor)
{
    assert_false(conductor_is_gone(NULL));
    conductor_close(NULL);
}
