/* SPDX-License-Identifier: ISC */
#include "load/crash/reconnect.h"

#include <stdlib.h>

#include "core/clock.h"
#include "core/units.h"

enum { PAUSE_NS = 100000000 }; /* between two attempts */

struct reconnect *reconnect_new(const struct load_context *context, struct err *err)
{
    struct reconnect *const reconnect =
        aligned_alloc(_Alignof(struct reconnect), sizeof *reconnect);

    if (reconnect == NULL) {
        (void)err_set(err, "out of memory");
        return NULL;
    }
    *reconnect = (struct reconnect){ .context = context };
    (void)pthread_mutex_init(&reconnect->lock, NULL);
    return reconnect;
}

void reconnect_free(struct reconnect *reconnect)
{
    if (reconnect != NULL)
        (void)pthread_mutex_destroy(&reconnect->lock);
    free(reconnect);
}

void reconnect_begin(struct reconnect *reconnect)
{
    const uint64_t now_ns = clock_now_ns();

    for (size_t i = 0; i < WORKERS_MAX; i++) {
        struct reconnect_worker *const own = &reconnect->workers[i];

        atomic_store(&own->acknowledged_ns, now_ns);
        own->before_ns = 0;
    }
}

/* Records a lost connection.  It belongs to the latest outage if it was opened before that
   outage and did not outlive it: then no question that was asked since has been answered, so
   the acknowledgement before the latest one is older than the end of that outage. */
static void note_lost(struct reconnect *reconnect, const struct reconnect_worker *own)
{
    (void)pthread_mutex_lock(&reconnect->lock);
    if (!reconnect->away &&
        (own->outages == reconnect->tally.outages || own->before_ns >= reconnect->ended_ns)) {
        reconnect->away = true;
        reconnect->tally.outages++;
    }
    (void)pthread_mutex_unlock(&reconnect->lock);
}

/* Records the first answer over a new connection.  Acknowledgements over older ones may have
   been recorded until now, so the beginning of the outage is known only now. */
static void note_back(struct reconnect *reconnect, uint64_t now_ns)
{
    struct outages *const tally = &reconnect->tally;

    (void)pthread_mutex_lock(&reconnect->lock);
    if (reconnect->away) {
        uint64_t begun_ns = 0; /* the latest acknowledgement */

        for (size_t i = 0; i < WORKERS_MAX; i++) {
            const uint64_t at_ns = atomic_load(&reconnect->workers[i].acknowledged_ns);

            begun_ns = at_ns > begun_ns ? at_ns : begun_ns;
        }
        const uint64_t outage_ns = now_ns > begun_ns ? now_ns - begun_ns : 0;
        reconnect->away = false;
        reconnect->ended_ns = now_ns;
        tally->ended++;
        tally->outage_ns += outage_ns;
        if (outage_ns > tally->longest_ns)
            tally->longest_ns = outage_ns;
    }
    (void)pthread_mutex_unlock(&reconnect->lock);
}

void reconnect_acknowledge(struct reconnect *reconnect, size_t worker)
{
    struct reconnect_worker *const own = &reconnect->workers[worker];
    const uint64_t now_ns = clock_now_ns();

    if (own->deadline_ns != 0) {
        note_back(reconnect, now_ns);
        own->deadline_ns = 0;
    }
    own->before_ns = atomic_load_explicit(&own->acknowledged_ns, memory_order_relaxed);
    atomic_store_explicit(&own->acknowledged_ns, now_ns, memory_order_release);
}

static void count_up(struct reconnect *reconnect, uint64_t *counter)
{
    (void)pthread_mutex_lock(&reconnect->lock);
    ++*counter;
    (void)pthread_mutex_unlock(&reconnect->lock);
}

/* Returns true if the connection is lost, or as good as lost. */
static bool is_loss(const struct err *err)
{
    return err->kind == ERR_LOST || err->kind == ERR_TIMEOUT;
}

bool reconnect_in_doubt(struct reconnect *reconnect, const struct err *err)
{
    if (is_loss(err))
        count_up(reconnect, &reconnect->tally.unknown);
    return is_loss(err);
}

void reconnect_settle(struct reconnect *reconnect, bool found_done)
{
    count_up(reconnect, found_done ? &reconnect->tally.found_done : &reconnect->tally.repeated);
}

int reconnect_session(struct reconnect *reconnect, size_t worker, struct err *err)
{
    const struct load_context *const context = reconnect->context;
    struct reconnect_worker *const own = &reconnect->workers[worker];
    struct session **const session = &context->sessions[worker];

    if (!is_loss(err))
        return -1;
    note_lost(reconnect, own);
    context->backend->session_close(*session);
    *session = NULL;
    /* A connection that is lost again before it answered gets no more time. */
    if (own->deadline_ns == 0)
        own->deadline_ns = clock_now_ns() + context->reconnect_ns;
    while (!progress_stopped(context->progress)) {
        const struct err cause = *err;
        const uint64_t now_ns = clock_now_ns();

        if (now_ns >= own->deadline_ns)
            return err_set_class(err, cause.kind,
                                 "%.600s; the server did not come back within %s (--reconnect)",
                                 cause.text, units_duration(UNITS_TEXT, context->reconnect_ns));
        *session = context->backend->session_open(context->store, err);
        if (*session != NULL) {
            (void)pthread_mutex_lock(&reconnect->lock);
            reconnect->tally.connections++;
            own->outages = reconnect->tally.outages;
            (void)pthread_mutex_unlock(&reconnect->lock);
            return 0;
        }
        /* A request to stop also cancels the attempt. */
        if (!is_loss(err) && !progress_stopped(context->progress))
            return -1;
        (void)progress_sleep_until(context->progress, now_ns + PAUSE_NS);
    }
    *err = (struct err){ 0 };
    return 1;
}
