/* SPDX-License-Identifier: ISC */
/*
 * One worker's session, which may be replaced after a loss, and the sentences
 * about wrong answers.
 *
 * A search that was cut off is repeated over a new connection; a change that
 * was is in doubt, and resolved.  Where nothing is reconnected both end the
 * load.
 */
#ifndef UBENCH_LOAD_HANDLE_H
#define UBENCH_LOAD_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/crash/reconnect.h"
#include "load/load.h"

struct handle {
    const struct backend *backend;
    struct session *session;
    struct reconnect *reconnect; /* NULL: what is lost is lost */
    size_t worker;
    enum lease_type type; /* of all leases */
    /* For messages: "dora" and "discover address", or NULL and "creating". */
    const char *what;
    const char *step;
    struct err err; /* why an operation failed, or was wrong */
    bool caught_up; /* after a stale answer of a cluster's node; false again
                       when the caller goes on */
};

void handle_init(struct handle *handle, const struct load_context *context,
                 size_t worker, enum lease_type type);

/* After an error: opens the session anew if the error says that it was lost.
   True if what failed can be tried again; else see handle_end. */
bool handle_reopen(struct handle *handle);

/* Notes that the store has answered.  For the timed path. */
static inline void handle_acknowledge(struct handle *handle)
{
    if (handle->reconnect != NULL)
        reconnect_acknowledge(handle->reconnect, handle->worker);
}

/* The operations of the store, for the timed path.  ERROR: for good. */

static inline enum outcome handle_find_once(struct handle *handle,
                                            enum lookup by,
                                            const struct lease *lease,
                                            struct lease *found)
{
    const struct backend *const backend = handle->backend;
    struct session *const session = handle->session;
    struct err *const err = &handle->err;

    if (by == LOOKUP_ADDRESS)
        return backend->find_by_address(session, lease->address, handle->type,
                                        found, err);
    if (by == LOOKUP_HWADDR)
        return backend->find_by_hwaddr(session, lease->hwaddr,
                                       lease->hwaddr_length, found, err);
    if (handle->type == LEASE_TYPE_V4)
        return backend->find_by_client_id(session, lease->client_id,
                                          lease->client_id_length, found, err);
    return backend->find_by_duid(
        session, lease->client_id, lease->client_id_length, lease->iaid,
        handle->type,
        by == LOOKUP_IN_SUBNET ? lease->subnet_id : LEASE_SUBNET_ANY, found,
        err);
}

/* Looks for the lease that has what this one has. */
static inline enum outcome handle_find(struct handle *handle, enum lookup by,
                                       const struct lease *lease,
                                       struct lease *found)
{
    enum outcome outcome;

    do {
        outcome = handle_find_once(handle, by, lease, found);
    } while (outcome == OUTCOME_ERROR && handle_reopen(handle));
    return outcome;
}

static inline enum outcome handle_submit(struct handle *handle,
                                         enum change change,
                                         const struct lease *lease,
                                         int64_t expire_s)
{
    const struct backend *const backend = handle->backend;
    struct session *const session = handle->session;

    if (change == CHANGE_CREATE)
        return backend->create(session, lease, &handle->err);
    if (change == CHANGE_UPDATE)
        return backend->update(session, lease, expire_s, &handle->err);
    return backend->remove(session, lease->address, expire_s, &handle->err);
}

/* After a change that failed and may have been done all the same: looks the
   lease up over a new connection, and submits the change again unless it was
   done, so that it is done once. */
enum outcome handle_resolve(struct handle *handle, enum change change,
                            const struct lease *lease, int64_t expire_s);

/* Creates a lease, makes it what it is to be, or deletes the one that has its
   address.  expire_s is when it expired before; not of a create. */
static inline enum outcome handle_change(struct handle *handle,
                                         enum change change,
                                         const struct lease *lease,
                                         int64_t expire_s)
{
    const enum outcome outcome = handle_submit(handle, change, lease, expire_s);

    return outcome != OUTCOME_ERROR
               ? outcome
               : handle_resolve(handle, change, lease, expire_s);
}

/*
 * Where sessions are on several nodes, an operation may end otherwise than in a
 * correct store, and the client asks again.  Each is true if that is why the
 * operation came to this end.
 */

/* The node gave it up for a change that came first; nothing was changed. */
static inline bool handle_had_conflict(const struct handle *handle,
                                       enum load_end end)
{
    return end == LOAD_FAILED && handle->err.kind == ERR_CONFLICT;
}

/* The answer was wrong since the node did not have yet what others had
   acknowledged.  It has it now, so that the same cannot happen again.  *end
   becomes LOAD_FAILED if that cannot be found out. */
bool handle_was_stale(struct handle *handle, enum load_end *end);

/* Untimed: waits until the node has what all others have acknowledged. */
enum load_end handle_catch_up(struct handle *handle);

/* How the load ends after an error: LOAD_INTERRUPTED, and err is empty, if the
   run was asked to stop while it waited for the store; else LOAD_FAILED. */
enum load_end handle_end(const struct handle *handle);

/* Sets err and returns LOAD_FAILED. */
enum load_end handle_no_memory(struct handle *handle);

/* Each sets err and returns LOAD_WRONG. */
enum load_end handle_wrong(struct handle *handle, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum load_end handle_wrong_lease(struct handle *handle,
                                 const struct lease *expected,
                                 const struct lease *found);

/* An answer that is not the expected one: the same; or, if there was none, as
   handle_end, with what was asked, and of which lease, in err. */
enum load_end handle_wrong_outcome(struct handle *handle,
                                   struct lease_address address,
                                   enum outcome outcome, enum outcome expected);

/* LOAD_DONE if the answer is HIT.  For the timed path. */
static inline enum load_end handle_expect_hit(struct handle *handle,
                                              struct lease_address address,
                                              enum outcome outcome)
{
    return outcome == OUTCOME_HIT
               ? LOAD_DONE
               : handle_wrong_outcome(handle, address, outcome, OUTCOME_HIT);
}

/* Changes per transaction where nothing is timed. */
enum { HANDLE_GROUP = 1000 };

#endif
