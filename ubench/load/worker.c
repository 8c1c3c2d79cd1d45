/* SPDX-License-Identifier: ISC */
#include "load/worker.h"

#include <stdarg.h>
#include <stdio.h>

bool worker_reopen(struct worker *worker)
{
    struct reconnect *const reconnect = worker->reconnect;

    if (reconnect == NULL)
        return false;
    const int status = reconnect_session(reconnect, worker->index, &worker->err);
    worker->session = reconnect->context->sessions[worker->index];
    return status == 0;
}

/* Returns HIT if the store is as it should be after the change. */
static enum outcome look(struct worker *worker, enum change change, const struct lease *lease)
{
    /* For a delete, the caller may know the address alone. */
    const struct lease like = { .address = lease->address, .type = (uint8_t)worker->type };
    struct lease found;
    const enum outcome outcome =
        worker->backend->find(worker->session, LOOKUP_ADDRESS, &like, &found, &worker->err);

    if (outcome == OUTCOME_ERROR)
        return outcome;
    return (change == CHANGE_DELETE ? outcome == OUTCOME_MISS
                                    : outcome == OUTCOME_HIT && lease_equal(lease, &found))
               ? OUTCOME_HIT
               : OUTCOME_MISS;
}

/* If only the connection was lost, the server may still do the first change meanwhile, so a
   MISS needs a second look. */
enum outcome worker_resolve(struct worker *worker, enum change change, const struct lease *lease,
                            int64_t expire_s)
{
    struct reconnect *const reconnect = worker->reconnect;
    enum outcome outcome = OUTCOME_ERROR;
    bool found_done = false;

    if (reconnect == NULL || !reconnect_in_doubt(reconnect, &worker->err))
        return OUTCOME_ERROR;
    while (outcome == OUTCOME_ERROR && worker_reopen(worker)) {
        outcome = look(worker, change, lease);
        found_done = outcome == OUTCOME_HIT;
        if (outcome == OUTCOME_MISS)
            outcome = worker_submit(worker, change, lease, expire_s);
        if (outcome == OUTCOME_MISS) {
            outcome = look(worker, change, lease);
            found_done = outcome == OUTCOME_HIT;
        }
    }
    if (outcome != OUTCOME_ERROR)
        reconnect_settle(reconnect, found_done);
    return outcome;
}

/* Returns HIT or MISS, or ERROR if a new connection does not help. */
static enum outcome catch_up(struct worker *worker)
{
    enum outcome outcome = OUTCOME_MISS;

    if (worker->backend->catch_up == NULL)
        return OUTCOME_MISS;
    do {
        outcome = worker->backend->catch_up(worker->session, &worker->err);
    } while (outcome == OUTCOME_ERROR && worker_reopen(worker));
    return outcome;
}

bool worker_was_behind(struct worker *worker, enum load_end *end)
{
    if (worker->caught_up)
        return false;
    const enum outcome outcome = catch_up(worker);
    if (outcome == OUTCOME_ERROR)
        *end = worker_failure(worker);
    worker->caught_up = true;
    return outcome == OUTCOME_HIT;
}

enum load_end worker_catch_up(struct worker *worker)
{
    return catch_up(worker) != OUTCOME_ERROR ? LOAD_DONE : worker_failure(worker);
}

enum load_end worker_failure(const struct worker *worker)
{
    return worker->err.text[0] != '\0' ? LOAD_FAILED : LOAD_INTERRUPTED;
}

enum load_end worker_wrong(struct worker *worker, const char *format, ...)
{
    const char *const what = worker->what;
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)err_set(&worker->err, "%s: wrong answer: %s%s%s %s", worker->backend->name,
                  what != NULL ? what : "", what != NULL ? ": " : "", worker->doing, text);
    return LOAD_WRONG;
}

enum load_end worker_wrong_outcome(struct worker *worker, struct lease_address address,
                                   enum outcome outcome, enum outcome expected)
{
    const char *const what = worker->what;
    char text[LEASE_ADDRESS_TEXT_SIZE];

    (void)lease_address_text(text, address, worker->type);
    if (outcome != OUTCOME_ERROR)
        return worker_wrong(worker, "%s returned %s; a correct store returns %s", text,
                            outcome == OUTCOME_HIT ? "HIT" : "MISS",
                            expected == OUTCOME_HIT ? "HIT" : "MISS");
    if (worker_failure(worker) == LOAD_FAILED)
        err_add(&worker->err, " (%s%s%s %s)", what != NULL ? what : "while",
                what != NULL ? ": " : " ", worker->doing, text);
    return worker_failure(worker);
}

enum load_end worker_wrong_lease(struct worker *worker, const struct lease *expected,
                                 const struct lease *found)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    return worker_wrong(worker, "%s returned a lease whose %s differs from the stored one",
                        lease_address_text(text, expected->address, worker->type),
                        lease_difference(expected, found));
}
