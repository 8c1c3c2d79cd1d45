/* SPDX-License-Identifier: ISC */
#include "load/handle.h"

#include <stdarg.h>
#include <stdio.h>

void handle_init(struct handle *handle, const struct load_context *context,
                 size_t worker, enum lease_type type)
{
    *handle = (struct handle){
        .backend = context->backend,
        .session = context->sessions[worker],
        .reconnect = context->reconnect,
        .worker = worker,
        .type = type,
    };
}

bool handle_reopen(struct handle *handle)
{
    struct reconnect *const reconnect = handle->reconnect;

    if (reconnect == NULL)
        return false;
    const int status =
        reconnect_session(reconnect, handle->worker, &handle->err);
    handle->session = reconnect->sessions[handle->worker];
    return status == 0;
}

/* Is the store as it is after the change?  HIT if so. */
static enum outcome look(struct handle *handle, enum change change,
                         const struct lease *lease)
{
    struct lease found;
    const enum outcome outcome = handle->backend->find_by_address(
        handle->session, lease->address, handle->type, &found, &handle->err);

    if (outcome == OUTCOME_ERROR)
        return outcome;
    return (change == CHANGE_DELETE
                ? outcome == OUTCOME_MISS
                : outcome == OUTCOME_HIT && lease_equal(lease, &found))
               ? OUTCOME_HIT
               : OUTCOME_MISS;
}

/* Where the connection went and the server stayed, the first change may still
   be done in between, so that a MISS deserves another look. */
enum outcome handle_resolve(struct handle *handle, enum change change,
                            const struct lease *lease, int64_t expire_s)
{
    struct reconnect *const reconnect = handle->reconnect;
    enum outcome outcome = OUTCOME_ERROR;
    bool found_done = false;

    if (reconnect == NULL || !reconnect_in_doubt(reconnect, &handle->err))
        return OUTCOME_ERROR;
    while (outcome == OUTCOME_ERROR && handle_reopen(handle)) {
        outcome = look(handle, change, lease);
        found_done = outcome == OUTCOME_HIT;
        if (outcome == OUTCOME_MISS)
            outcome = handle_submit(handle, change, lease, expire_s);
        if (outcome == OUTCOME_MISS) {
            outcome = look(handle, change, lease);
            found_done = outcome == OUTCOME_HIT;
        }
    }
    if (outcome != OUTCOME_ERROR)
        reconnect_settle(reconnect, found_done);
    return outcome;
}

/* HIT or MISS, or ERROR for good. */
static enum outcome catch_up(struct handle *handle)
{
    enum outcome outcome = OUTCOME_MISS;

    if (handle->backend->catch_up == NULL)
        return OUTCOME_MISS;
    do {
        outcome = handle->backend->catch_up(handle->session, &handle->err);
    } while (outcome == OUTCOME_ERROR && handle_reopen(handle));
    return outcome;
}

bool handle_was_stale(struct handle *handle, enum load_end *end)
{
    if (*end != LOAD_WRONG || handle->caught_up)
        return false;
    const enum outcome outcome = catch_up(handle);
    if (outcome == OUTCOME_ERROR)
        *end = handle_end(handle);
    handle->caught_up = true;
    return outcome == OUTCOME_HIT;
}

enum load_end handle_catch_up(struct handle *handle)
{
    return catch_up(handle) != OUTCOME_ERROR ? LOAD_DONE : handle_end(handle);
}

enum load_end handle_end(const struct handle *handle)
{
    return handle->err.text[0] != '\0' ? LOAD_FAILED : LOAD_INTERRUPTED;
}

static enum load_end failed(struct handle *handle, struct lease_address address)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];
    const struct err cause = handle->err;
    const char *const what = handle->what;

    if (handle_end(handle) == LOAD_FAILED)
        (void)err_set_class(&handle->err, cause.kind, "%s (%s%s%s %s)",
                            cause.text, what != NULL ? what : "while",
                            what != NULL ? ": " : " ", handle->step,
                            lease_address_text(text, address, handle->type));
    return handle_end(handle);
}

enum load_end handle_no_memory(struct handle *handle)
{
    (void)err_set(&handle->err, "out of memory");
    return LOAD_FAILED;
}

enum load_end handle_wrong(struct handle *handle, const char *format, ...)
{
    const char *const what = handle->what;
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)err_set(&handle->err, "%s: wrong answer: %s%s%s %s",
                  handle->backend->name, what != NULL ? what : "",
                  what != NULL ? ": " : "", handle->step, text);
    return LOAD_WRONG;
}

enum load_end handle_wrong_outcome(struct handle *handle,
                                   struct lease_address address,
                                   enum outcome outcome, enum outcome expected)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    if (outcome == OUTCOME_ERROR)
        return failed(handle, address);
    return handle_wrong(handle, "%s gave %s where a correct store gives %s",
                        lease_address_text(text, address, handle->type),
                        outcome == OUTCOME_HIT ? "HIT" : "MISS",
                        expected == OUTCOME_HIT ? "HIT" : "MISS");
}

enum load_end handle_wrong_lease(struct handle *handle,
                                 const struct lease *expected,
                                 const struct lease *found)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    return handle_wrong(
        handle, "%s gave a lease with another %s than was stored",
        lease_address_text(text, expected->address, handle->type),
        lease_difference(expected, found));
}
