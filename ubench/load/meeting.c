/* SPDX-License-Identifier: ISC */
#include "load/meeting.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/thread.h"

/* How long a part that is asked to stop may take to notice, in ms. */
enum { TICK_MS = 100 };

struct meeting {
    int in;
    FILE *out;
    struct progress *progress;
    struct ticker *ticker;
    pthread_mutex_t lock; /* held by the one that reads */
    char line[64];
    size_t length;
    atomic_bool called_off;
};

static bool call_off(struct meeting *meeting)
{
    atomic_store(&meeting->called_off, true);
    atomic_store(&meeting->progress->stop, 1);
    return false;
}

/* With the lock: reads what there is of a line, waiting for wait_ms at most.
   True if the line is whole. */
static bool receive(struct meeting *meeting, int wait_ms)
{
    struct pollfd input = { .fd = meeting->in, .events = POLLIN };

    while (poll(&input, 1, wait_ms) > 0) {
        char *const to = &meeting->line[meeting->length];

        if (meeting->length + 1 == sizeof meeting->line ||
            read(meeting->in, to, 1) != 1)
            return call_off(meeting);
        if (*to == '\n') {
            *to = '\0';
            meeting->length = 0;
            return true;
        }
        meeting->length++;
    }
    return false;
}

/* Nothing is said to a part that has not asked, but that it is over. */
static void look(void *context)
{
    struct meeting *const meeting = context;

    if (pthread_mutex_trylock(&meeting->lock) != 0)
        return;
    if (receive(meeting, 0))
        (void)call_off(meeting);
    (void)pthread_mutex_unlock(&meeting->lock);
}

static void say(struct meeting *meeting, const char *word, int64_t value)
{
    (void)fprintf(meeting->out, "%s %" PRId64 "\n", word, value);
    if (fflush(meeting->out) != 0)
        (void)call_off(meeting);
}

/* Says a word and waits for the answer.  False if there is none. */
static bool ask(struct meeting *meeting, const char *word, int64_t value,
                int64_t *answer)
{
    const size_t length = strlen(word);
    bool answered = false;

    if (progress_stopped(meeting->progress))
        return false;
    (void)pthread_mutex_lock(&meeting->lock);
    say(meeting, word, value);
    while (!answered && !progress_stopped(meeting->progress))
        answered = receive(meeting, TICK_MS);
    if (answered && (strncmp(meeting->line, word, length) != 0 ||
                     meeting->line[length] != ' '))
        answered = call_off(meeting);
    if (answered)
        *answer = strtoll(meeting->line + length, NULL, 10);
    (void)pthread_mutex_unlock(&meeting->lock);
    return answered;
}

/* The shortest round trip says most: the answer was given within it. */
static bool compare_clocks(struct meeting *meeting, struct meeting_clock *clock)
{
    enum { TIMES = 5 };
    int64_t common_ns;

    clock->error_ns = UINT64_MAX;
    for (int i = 0; i < TIMES; i++) {
        const uint64_t asked_ns = clock_read_ns(CLOCK_REALTIME);

        if (!ask(meeting, "clock", 0, &common_ns))
            return false;
        const uint64_t half_ns = (clock_read_ns(CLOCK_REALTIME) - asked_ns) / 2;
        if (half_ns < clock->error_ns)
            *clock = (struct meeting_clock){ asked_ns + half_ns,
                                             (uint64_t)common_ns, half_ns };
    }
    return true;
}

struct meeting *meeting_open(int in, FILE *out, struct progress *progress,
                             struct meeting_clock *clock, struct err *err)
{
    struct meeting *const meeting = err_calloc(1, sizeof *meeting, err);

    if (meeting == NULL)
        return NULL;
    meeting->in = in;
    meeting->out = out;
    meeting->progress = progress;
    (void)pthread_mutex_init(&meeting->lock, NULL);
    if (!compare_clocks(meeting, clock))
        (void)meeting_refuse(err);
    else
        meeting->ticker =
            ticker_start(TICK_MS * (NS_PER_S / 1000), look, meeting, err);
    if (meeting->ticker != NULL)
        return meeting;
    meeting_close(meeting);
    return NULL;
}

void meeting_close(struct meeting *meeting)
{
    if (meeting == NULL)
        return;
    ticker_stop(meeting->ticker);
    (void)pthread_mutex_destroy(&meeting->lock);
    free(meeting);
}

bool meeting_wait(struct meeting *meeting, int64_t value, int64_t *sum)
{
    int64_t all = value;

    if (meeting != NULL && !ask(meeting, "meet", value, &all))
        return false;
    if (sum != NULL)
        *sum = all;
    return true;
}

void meeting_end(struct meeting *meeting)
{
    if (meeting != NULL)
        say(meeting, "result", 0);
}

int meeting_refuse(struct err *err)
{
    return err_set_class(err, ERR_CANCELED,
                         "--part: the run was called off: another part failed, "
                         "or scripts/agents.sh, which speaks to this one on "
                         "standard input, was ended");
}

bool meeting_called_off(struct meeting *meeting)
{
    return meeting != NULL && atomic_load(&meeting->called_off);
}
