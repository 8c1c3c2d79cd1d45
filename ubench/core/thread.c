/* SPDX-License-Identifier: ISC */
#include "core/thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"

enum { STACK_BYTES = 1 << 20 };

int thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);

    if (error != 0)
        return error;
    error = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (error == 0)
        error = pthread_create(thread, &attributes, run, argument);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

struct ticker {
    uint64_t period_ns;
    void (*tick)(void *context);
    void *context;
    pthread_t thread;
    pthread_cond_t wake;
    pthread_mutex_t lock; /* protects the members below */
    bool stop;
};

/* Sleeps for a period; the caller holds the lock.  Returns false if the ticker
   was stopped. */
static bool wait_period(struct ticker *ticker)
{
    const uint64_t until_ns = clock_now_ns() + ticker->period_ns;
    const struct timespec until = { .tv_sec = (time_t)(until_ns / NS_PER_S),
                                    .tv_nsec = (long)(until_ns % NS_PER_S) };
    int error = 0;

    while (!ticker->stop && error == 0)
        error = pthread_cond_timedwait(&ticker->wake, &ticker->lock, &until);
    return !ticker->stop;
}

static void *run_ticks(void *argument)
{
    struct ticker *const ticker = argument;

    (void)pthread_mutex_lock(&ticker->lock);
    while (wait_period(ticker)) {
        (void)pthread_mutex_unlock(&ticker->lock);
        ticker->tick(ticker->context);
        (void)pthread_mutex_lock(&ticker->lock);
    }
    (void)pthread_mutex_unlock(&ticker->lock);
    return NULL;
}

static void free_ticker(struct ticker *ticker)
{
    (void)pthread_cond_destroy(&ticker->wake);
    (void)pthread_mutex_destroy(&ticker->lock);
    free(ticker);
}

struct ticker *ticker_start(uint64_t period_ns, void (*tick)(void *context), void *context,
                            struct err *err)
{
    struct ticker *const ticker = err_calloc(1, sizeof *ticker, err);
    pthread_condattr_t monotonic;

    if (ticker == NULL)
        return NULL;
    ticker->period_ns = period_ns;
    ticker->tick = tick;
    ticker->context = context;
    (void)pthread_mutex_init(&ticker->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&ticker->wake, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    const int error = thread_start(&ticker->thread, run_ticks, ticker);
    if (error != 0) {
        (void)err_set(err, "cannot start a thread: %s", strerror(error));
        free_ticker(ticker);
        return NULL;
    }
    return ticker;
}

void ticker_stop(struct ticker *ticker)
{
    if (ticker == NULL)
        return;
    (void)pthread_mutex_lock(&ticker->lock);
    ticker->stop = true;
    (void)pthread_cond_signal(&ticker->wake);
    (void)pthread_mutex_unlock(&ticker->lock);
    (void)pthread_join(ticker->thread, NULL);
    free_ticker(ticker);
}
