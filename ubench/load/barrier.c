/* SPDX-License-Identifier: ISC */
#include "load/barrier.h"

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

struct barrier {
    int in;
    FILE *out;
    struct progress *progress;
    struct ticker *ticker;
    pthread_mutex_t lock; /* held by the one that reads */
    char line[64];
    size_t length;
    bool parts; /* it is of parts that meet; else of a run in turns ... */
    bool ended; /* ... which was told to end */
    atomic_bool canceled;
};

static bool cancel(struct barrier *barrier)
{
    atomic_store(&barrier->canceled, true);
    atomic_store(&barrier->progress->stop, PROGRESS_STOP);
    return false;
}

/* With the lock: reads what there is of a line, waiting for wait_ms at most.
   True if the line is whole, or too long to be one of ours. */
static bool receive(struct barrier *barrier, int wait_ms)
{
    struct pollfd input = { .fd = barrier->in, .events = POLLIN };

    while (poll(&input, 1, wait_ms) > 0) {
        char *const to = &barrier->line[barrier->length];

        if (read(barrier->in, to, 1) != 1)
            return cancel(barrier);
        if (*to == '\n' || barrier->length + 1 == sizeof barrier->line) {
            *to = '\0';
            barrier->length = 0;
            return true;
        }
        barrier->length++;
    }
    return false;
}

/* Nothing is said to a part that has not asked, but that it is over.  A run in
   turns is told the next thing while it works, or nobody is there any more. */
static void look(void *context)
{
    struct barrier *const barrier = context;
    struct pollfd input = { .fd = barrier->in, .events = POLLIN };

    if (pthread_mutex_trylock(&barrier->lock) != 0)
        return;
    if (barrier->parts ? receive(barrier, 0)
                       : !barrier->ended && poll(&input, 1, 0) > 0 &&
                             (input.revents & POLLHUP) != 0 && (input.revents & POLLIN) == 0)
        (void)cancel(barrier);
    (void)pthread_mutex_unlock(&barrier->lock);
}

void barrier_say(struct barrier *barrier, const char *line)
{
    if (fprintf(barrier->out, "%s\n", line) < 0 || fflush(barrier->out) != 0)
        (void)cancel(barrier);
}

/* Says a word and waits for the answer.  False if there is none. */
static bool ask(struct barrier *barrier, const char *word, int64_t value, int64_t *answer)
{
    const size_t length = strlen(word);
    char line[64];
    bool answered = false;

    if (progress_stopped(barrier->progress))
        return false;
    (void)pthread_mutex_lock(&barrier->lock);
    (void)snprintf(line, sizeof line, "%s %" PRId64, word, value);
    barrier_say(barrier, line);
    while (!answered && !progress_stopped(barrier->progress))
        answered = receive(barrier, TICK_MS);
    if (answered && (strncmp(barrier->line, word, length) != 0 || barrier->line[length] != ' '))
        answered = cancel(barrier);
    if (answered)
        *answer = strtoll(barrier->line + length, NULL, 10);
    (void)pthread_mutex_unlock(&barrier->lock);
    return answered;
}

/* The shortest round trip says most: the answer was given within it. */
static bool compare_clocks(struct barrier *barrier, struct barrier_clock *clock)
{
    enum { TIMES = 5 };
    int64_t common_ns;

    clock->error_ns = UINT64_MAX;
    for (int i = 0; i < TIMES; i++) {
        const uint64_t asked_ns = clock_read_ns(CLOCK_REALTIME);

        if (!ask(barrier, "clock", 0, &common_ns))
            return false;
        const uint64_t half_ns = (clock_read_ns(CLOCK_REALTIME) - asked_ns) / 2;
        if (half_ns < clock->error_ns)
            *clock = (struct barrier_clock){ asked_ns + half_ns, (uint64_t)common_ns, half_ns };
    }
    return true;
}

struct barrier *barrier_open(int in, FILE *out, struct progress *progress,
                             struct barrier_clock *clock, struct err *err)
{
    struct barrier *const barrier = err_calloc(1, sizeof *barrier, err);

    if (barrier == NULL)
        return NULL;
    barrier->in = in;
    barrier->out = out;
    barrier->progress = progress;
    (void)pthread_mutex_init(&barrier->lock, NULL);
    barrier->parts = clock != NULL;
    if (barrier->parts && !compare_clocks(barrier, clock))
        (void)barrier_refuse(err);
    else
        barrier->ticker = ticker_start(TICK_MS * (NS_PER_S / 1000), look, barrier, err);
    if (barrier->ticker != NULL)
        return barrier;
    barrier_close(barrier);
    return NULL;
}

void barrier_close(struct barrier *barrier)
{
    if (barrier == NULL)
        return;
    ticker_stop(barrier->ticker);
    (void)pthread_mutex_destroy(&barrier->lock);
    free(barrier);
}

bool barrier_wait(struct barrier *barrier, int64_t value, int64_t *sum)
{
    int64_t all = value;

    if (barrier != NULL && barrier->parts && !ask(barrier, "meet", value, &all))
        return false;
    if (sum != NULL)
        *sum = all;
    return true;
}

const char *barrier_listen(struct barrier *barrier, int wait_ms)
{
    (void)pthread_mutex_lock(&barrier->lock);
    const bool told = !progress_stopped(barrier->progress) && receive(barrier, wait_ms);
    barrier->ended = told && strcmp(barrier->line, "end") == 0;
    (void)pthread_mutex_unlock(&barrier->lock);
    return told ? barrier->line : NULL;
}

int barrier_refuse(struct err *err)
{
    return err_set_class(err, ERR_CANCELED, "canceled: another part failed, or agents ended");
}

bool barrier_is_canceled(struct barrier *barrier)
{
    return barrier != NULL && atomic_load(&barrier->canceled);
}
