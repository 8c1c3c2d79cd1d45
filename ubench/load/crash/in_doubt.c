/* SPDX-License-Identifier: ISC */
#include "load/crash/in_doubt.h"

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
enum outcome in_doubt_resolve(struct reconnect *reconnect, size_t worker,
                              const struct change *change, struct err *err)
{
    enum outcome outcome = OUTCOME_ERROR;
    bool found_done = false;

    if (reconnect == NULL || !reconnect_is_loss(err))
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
