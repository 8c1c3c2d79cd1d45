/* SPDX-License-Identifier: ISC */
/* The queue of a trial: who waits, and what becomes of who comes. */
#include "load/openloop/trial.h"

#include "tests/lib/check.h"

enum { ROOM = 3, NUMBERS = 10 };

static struct trial trial;

/* A story: digits come (their number), '-' takes one out.  After it, what
   became of each who came (t taken, x the oldest dropped, d dropped, m
   merged), who was taken out, in that order, and who waits. */
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
    { "full: drop oldest", QUEUE_DROP_OLDEST, "12345-6", "tttxxt", "3", "456" },
    { "dedup", QUEUE_DEDUP, "1121-1", "tmtmt", "1", "21" },
    { "dedup, full", QUEUE_DEDUP, "123415-4", "tttdmdt", "1", "234" },
    { "twice without dedup", QUEUE_DROP_NEWEST, "11-", "tt", "1", "1" },
    { "round and round", QUEUE_DROP_OLDEST, "12-3-4-5-6-7-8", "tttttttt", "123456", "78" },
};

static void append(char *text, char c)
{
    const size_t length = strlen(text);

    text[length] = c;
    text[length + 1] = '\0';
}

/* The one digit that comes now; '\0': nobody. */
static char digit;

static uint64_t due_ns(const struct arrival_source *source)
{
    (void)source;
    return digit != '\0' ? 5 : ARRIVALS_NEVER;
}

static bool take(struct arrival_source *source, struct arrival *arrival)
{
    (void)source;
    *arrival = (struct arrival){ .at_ns = 5, .number = (uint64_t)(digit - '0') };
    digit = '\0';
    return true;
}

static struct arrival_source digits = { .due_ns = due_ns, .take = take };

static void run_story(const char *story, char *fates, char *out)
{
    struct arrival gone;

    for (const char *c = story; *c != '\0'; c++) {
        const uint64_t offered = trial.offered;
        const uint64_t merged = trial.merged;
        const uint64_t dropped = trial.dropped;

        if (*c == '-') {
            if (trial_take(&trial, &gone))
                append(out, (char)('0' + gone.number));
            continue;
        }
        digit = *c;
        trial_admit(&trial, 4); /* it has not come yet */
        assert_int_equal(trial.offered, offered);
        trial_admit(&trial, 5);
        assert_int_equal(trial.offered, offered + 1);
        append(fates, trial.merged > merged               ? 'm'
                      : trial.dropped == dropped          ? 't'
                      : trial.policy == QUEUE_DROP_OLDEST ? 'x'
                                                          : 'd');
    }
}

TEST(stories_end_as_they_should)
{
    for (size_t i = 0; i < COUNT_OF(stories); i++) {
        struct err err = { 0 };
        char fates[32] = "";
        char out[32] = "";
        char waiting[32] = "";

        trial = (struct trial){
            .source = &digits,
            .queue_size = ROOM,
            .policy = stories[i].policy,
            .numbers = NUMBERS,
        };
        assert_int_equal(trial_begin(&trial, &err), 0);
        run_story(stories[i].story, fates, out);
        run_story("---", fates, waiting);
        check_text(stories[i].name, fates, stories[i].fates);
        check_text(stories[i].name, out, stories[i].out);
        check_text(stories[i].name, waiting, stories[i].waiting);
        check_number(stories[i].name, trial.length, 0);
        trial_release(&trial);
    }
}
