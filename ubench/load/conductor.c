/* SPDX-License-Identifier: ISC */
#include "load/conductor.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/thread.h"

/* A run notices within this time that its conductor has exited. */
#define TICK_NS (NS_PER_S / 10)

struct conductor {
    int in;
    FILE *out;
    struct progress *progress;
    struct ticker *ticker;
    pthread_mutex_t lock; /* held by the thread that reads */
    char line[64];
    size_t length;
    bool ended; /* it has sent "end" */
    atomic_bool gone;
};

static void leave(struct conductor *conductor)
{
    atomic_store(&conductor->gone, true);
    atomic_store(&conductor->progress->stop, PROGRESS_STOP);
}

/* Reads what has arrived of a line, waiting for wait_ms at most; the lock is held.  Returns
   true if the line is complete, or too long to be a command. */
static bool receive(struct conductor *conductor, int wait_ms)
{
    struct pollfd input = { .fd = conductor->in, .events = POLLIN };

    while (poll(&input, 1, wait_ms) > 0) {
        char *const to = &conductor->line[conductor->length];

        if (read(conductor->in, to, 1) != 1) {
            leave(conductor);
            return false;
        }
        if (*to == '\n' || conductor->length + 1 == sizeof conductor->line) {
            *to = '\0';
            conductor->length = 0;
            return true;
        }
        conductor->length++;
    }
    return false;
}

/* A command may arrive while the run works; conductor_listen reads it later.  Only an end of
   the input with nothing before it means that the conductor has exited. */
static void look(void *context)
{
    struct conductor *const conductor = context;
    struct pollfd input = { .fd = conductor->in, .events = POLLIN };

    if (pthread_mutex_trylock(&conductor->lock) != 0)
        return;
    if (!conductor->ended && poll(&input, 1, 0) > 0 && (input.revents & POLLHUP) != 0 &&
        (input.revents & POLLIN) == 0)
        leave(conductor);
    (void)pthread_mutex_unlock(&conductor->lock);
}

struct conductor *conductor_open(int in, FILE *out, struct progress *progress, struct err *err)
{
    struct conductor *const conductor = err_calloc(1, sizeof *conductor, err);

    if (conductor == NULL)
        return NULL;
    conductor->in = in;
    conductor->out = out;
    conductor->progress = progress;
    (void)pthread_mutex_init(&conductor->lock, NULL);
    conductor->ticker = ticker_start(TICK_NS, look, conductor, err);
    if (conductor->ticker != NULL)
        return conductor;
    conductor_close(conductor);
    return NULL;
}

void conductor_close(struct conductor *conductor)
{
    if (conductor == NULL)
        return;
    ticker_stop(conductor->ticker);
    (void)pthread_mutex_destroy(&conductor->lock);
    free(conductor);
}

void conductor_say(struct conductor *conductor, const char *line)
{
    if (fprintf(conductor->out, "%s\n", line) < 0 || fflush(conductor->out) != 0)
        leave(conductor);
}

const char *conductor_listen(struct conductor *conductor, int wait_ms)
{
    (void)pthread_mutex_lock(&conductor->lock);
    const bool told = !progress_stopped(conductor->progress) && receive(conductor, wait_ms);
    conductor->ended = told && strcmp(conductor->line, "end") == 0;
    (void)pthread_mutex_unlock(&conductor->lock);
    return told ? conductor->line : NULL;
}

bool conductor_is_gone(struct conductor *conductor)
{
    return conductor != NULL && atomic_load(&conductor->gone);
}
