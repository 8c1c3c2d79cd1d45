/* SPDX-License-Identifier: ISC */
#include "load/crash/reconnect.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/units.h"

enum { PAUSE_NS = 100000000 }; /* between two tries */

struct reconnect *reconnect_new(const struct backend *backend,
                                struct store *store, struct session **sessions,
                                struct progress *progress, uint64_t give_up_ns,
                                struct err *err)
{
    struct reconnect *const reconnect =
        aligned_alloc(_Alignof(struct reconnect), sizeof *reconnect);

    if (reconnect == NULL) {
        (void)err_set(err, "out of memory");
        return NULL;
    }
    memset(reconnect, 0, sizeof *reconnect);
    reconnect->backend = backend;
    reconnect->store = store;
    reconnect->sessions = sessions;
    reconnect->progress = progress;
    reconnect->give_up_ns = give_up_ns;
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

static uint64_t latest_acknowledgement(struct reconnect *reconnect)
{
    uint64_t latest_ns = 0;

    for (size_t i = 0; i < WORKERS_MAX; i++) {
        const uint64_t at_ns =
            atomic_load(&reconnect->workers[i].acknowledged_ns);

        if (at_ns > latest_ns)
            latest_ns = at_ns;
    }
    return latest_ns;
}

/* A connection is gone.  That belongs to the latest outage if it was opened
   before that and did not outlive it: no answer came to a question that was
   asked since, so after the acknowledgement before the latest one. */
static void note_lost(struct reconnect *reconnect,
                      const struct reconnect_worker *own)
{
    (void)pthread_mutex_lock(&reconnect->lock);
    if (!reconnect->away && (own->outages == reconnect->tally.outages ||
                             own->before_ns >= reconnect->ended_ns)) {
        reconnect->away = true;
        reconnect->tally.outages++;
    }
    (void)pthread_mutex_unlock(&reconnect->lock);
}

/* The first answer over a new connection; acknowledgements over older ones may
   have been noted until now, so that the outage's beginning is known now. */
static void note_back(struct reconnect *reconnect, uint64_t now_ns)
{
    struct outages *const tally = &reconnect->tally;

    (void)pthread_mutex_lock(&reconnect->lock);
    if (reconnect->away) {
        const uint64_t begun_ns = latest_acknowledgement(reconnect);
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
    own->before_ns =
        atomic_load_explicit(&own->acknowledged_ns, memory_order_relaxed);
    atomic_store_explicit(&own->acknowledged_ns, now_ns, memory_order_release);
}

static void count_up(struct reconnect *reconnect, uint64_t *counter)
{
    (void)pthread_mutex_lock(&reconnect->lock);
    ++*counter;
    (void)pthread_mutex_unlock(&reconnect->lock);
}

void reconnect_note_unknown(struct reconnect *reconnect)
{
    count_up(reconnect, &reconnect->tally.unknown);
}

void reconnect_note_outcome(struct reconnect *reconnect, bool found_done)
{
    count_up(reconnect, found_done ? &reconnect->tally.found_done
                                   : &reconnect->tally.repeated);
}

static void note_opened(struct reconnect *reconnect,
                        struct reconnect_worker *own)
{
    (void)pthread_mutex_lock(&reconnect->lock);
    reconnect->tally.connections++;
    own->outages = reconnect->tally.outages;
    (void)pthread_mutex_unlock(&reconnect->lock);
}

static int give_up(const struct reconnect *reconnect, struct err *err)
{
    const struct err cause = *err;

    return err_set_class(err, cause.kind,
                         "%.600s; not back after %s "
                         "(--reconnect)",
                         cause.text,
                         units_duration(UNITS_TEXT, reconnect->give_up_ns));
}

/* Sleeps until the next try.  False if that would be too late. */
static bool pause_before(uint64_t deadline_ns)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };

    if (clock_now_ns() + PAUSE_NS >= deadline_ns)
        return false;
    (void)nanosleep(&pause, NULL);
    return true;
}

int reconnect_session(struct reconnect *reconnect, size_t worker,
                      struct err *err)
{
    struct reconnect_worker *const own = &reconnect->workers[worker];
    struct session **const session = &reconnect->sessions[worker];

    if (!reconnect_is_loss(err))
        return -1;
    note_lost(reconnect, own);
    /* One that is lost again before it answered has no more time. */
    if (own->deadline_ns == 0)
        own->deadline_ns = clock_now_ns() + reconnect->give_up_ns;
    else if (clock_now_ns() >= own->deadline_ns)
        return give_up(reconnect, err);
    reconnect->backend->session_close(*session);
    *session = NULL;
    while (!progress_stopped(reconnect->progress)) {
        *session = reconnect->backend->session_open(reconnect->store, err);
        if (*session != NULL) {
            note_opened(reconnect, own);
            return 0;
        }
        /* A request to stop calls this off, too. */
        if (progress_stopped(reconnect->progress))
            break;
        if (!reconnect_is_loss(err))
            return -1;
        if (!pause_before(own->deadline_ns))
            return give_up(reconnect, err);
    }
    *err = (struct err){ 0 };
    return 1;
}

/* Changes in doubt */

static enum outcome submit(const struct backend *backend,
                           struct session *session, const struct change *change,
                           struct err *err)
{
    switch (change->kind) {
    case CHANGE_CREATE:
        return backend->create(session, change->lease, err);
    case CHANGE_UPDATE:
        return backend->update(session, change->lease, change->expire_s, err);
    case CHANGE_REMOVE:
        break;
    }
    return backend->remove(session, change->address, change->expire_s, err);
}

/* Is the store as it is after the change?  HIT if so. */
static enum outcome look(const struct backend *backend, struct session *session,
                         const struct change *change, struct err *err)
{
    struct lease found;
    const enum outcome outcome = backend->find_by_address(
        session, change->address, change->type, &found, err);

    if (outcome == OUTCOME_ERROR)
        return outcome;
    if (change->kind == CHANGE_REMOVE)
        return outcome == OUTCOME_MISS ? OUTCOME_HIT : OUTCOME_MISS;
    return outcome == OUTCOME_HIT && lease_equal(change->lease, &found)
               ? OUTCOME_HIT
               : OUTCOME_MISS;
}

/* What was submitted first may still be done in between, where the connection
   went and the server stayed, so that a MISS deserves another look. */
enum outcome reconnect_resolve(struct reconnect *reconnect, size_t worker,
                               const struct change *change, struct err *err)
{
    enum outcome outcome = OUTCOME_ERROR;
    bool found_done = false;

    if (!reconnect_is_loss(err))
        return OUTCOME_ERROR;
    reconnect_note_unknown(reconnect);
    while (outcome == OUTCOME_ERROR &&
           reconnect_session(reconnect, worker, err) == 0) {
        const struct backend *const backend = reconnect->backend;
        struct session *const session = reconnect->sessions[worker];

        outcome = look(backend, session, change, err);
        found_done = outcome == OUTCOME_HIT;
        if (outcome == OUTCOME_MISS)
            outcome = submit(backend, session, change, err);
        if (outcome == OUTCOME_MISS) {
            outcome = look(backend, session, change, err);
            found_done = outcome == OUTCOME_HIT;
        }
    }
    if (outcome != OUTCOME_ERROR)
        reconnect_note_outcome(reconnect, found_done);
    return outcome;
}
