/* SPDX-License-Identifier: ISC */
#include "load/queueing/queue.h"

#include "tests/lib/check.h"

enum { ROOM = 3, NUMBERS = 10 };

/* A story: digits come (their number), '-' takes one out.  After it, what
   became of each who came (t taken, x the oldest dropped, d dropped, m
   merged), who was taken out or displaced, in that order, and who waits. */
static const struct {
    const char *name;
    enum queue_policy policy;
    const char *story;
    const char *fates;
    const char *out;
    const char *waiting;
} stories[] = {
    { "first in, first out", QUEUE_DROP_NEWEST, "12-3--", "ttt", "123", "" },
    { "nothing in it", QUEUE_DROP_NEWEST, "-1--2", "tt", "1", "2" },
    { "full: drop newest", QUEUE_DROP_NEWEST, "12345-6", "tttddt", "1", "236" },
    { "full: drop oldest", QUEUE_DROP_OLDEST, "12345-6", "tttxxt", "123",
      "456" },
    { "dedup", QUEUE_DEDUP, "1121-1", "tmtmt", "1", "21" },
    { "dedup, full", QUEUE_DEDUP, "123415-4", "tttdmdt", "1", "234" },
    { "twice without dedup", QUEUE_DROP_NEWEST, "11-", "tt", "1", "1" },
    { "round and round", QUEUE_DROP_OLDEST, "12-3-4-5-6-7-8", "tttttttt",
      "123456", "78" },
};

static void append(char *text, char c)
{
    const size_t length = strlen(text);

    text[length] = c;
    text[length + 1] = '\0';
}

static void run_story(struct queue *queue, const char *story, char *fates,
                      char *out)
{
    static const char letters[] = { [QUEUE_TAKEN] = 't',
                                    [QUEUE_DISPLACED] = 'x',
                                    [QUEUE_DROPPED] = 'd',
                                    [QUEUE_MERGED] = 'm' };
    struct arrival gone;

    for (const char *c = story; *c != '\0'; c++) {
        const struct arrival arrival = { .number = (uint64_t)(*c - '0') };

        if (*c == '-') {
            if (queue_pop(queue, &gone))
                append(out, (char)('0' + gone.number));
            continue;
        }
        const enum queue_fate fate = queue_push(queue, &arrival, &gone);
        append(fates, letters[fate]);
        if (fate == QUEUE_DISPLACED)
            append(out, (char)('0' + gone.number));
    }
}

TEST(stories_end_as_they_should)
{
    for (size_t i = 0; i < COUNT_OF(stories); i++) {
        struct queue queue;
        struct err err = { 0 };
        struct arrival arrival;
        char fates[32] = "";
        char out[32] = "";
        char waiting[32] = "";

        assert_int_equal(
            queue_init(&queue, ROOM, stories[i].policy, NUMBERS, &err), 0);
        run_story(&queue, stories[i].story, fates, out);
        while (queue_pop(&queue, &arrival))
            append(waiting, (char)('0' + arrival.number));
        check_text(stories[i].name, fates, stories[i].fates);
        check_text(stories[i].name, out, stories[i].out);
        check_text(stories[i].name, waiting, stories[i].waiting);
        queue_release(&queue);
    }
}

TEST(too_large_is_an_error)
{
    struct queue queue;
    struct err err = { 0 };

    assert_int_equal(
        queue_init(&queue, UINT64_MAX / 64, QUEUE_DROP_NEWEST, 0, &err), -1);
    check("error", strstr(err.text, "no memory for a queue of") != NULL,
          err.text);
    queue_release(&queue);
}
