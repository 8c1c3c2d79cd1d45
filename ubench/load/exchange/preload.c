/* SPDX-License-Identifier: ISC */
#include "load/exchange/preload.h"

#include "load/exchange/plan.h"

static enum load_end preload_one(void *argument, uint64_t n)
{
    struct exchanges *const all = argument;
    struct exchange_worker *const worker = &all->workers[0];
    struct lease *const lease = &worker->lease;
    struct handle *const handle = &worker->handle;

    if (n < all->reclaimed)
        exchange_make_reclaimed(all, n, lease);
    else if (n < all->reclaimed + all->expired)
        exchange_make_expired(all, n, lease);
    else
        generator_make(&all->generator, n, 0, lease);
    handle->step = "preloading";
    const enum outcome outcome =
        handle->backend->create(handle->session, lease, &handle->err);
    return outcome == OUTCOME_HIT ? LOAD_DONE
                                  : handle_wrong_outcome(handle, lease->address,
                                                         outcome, OUTCOME_HIT);
}

/* Adds reservation number n, which is of some client. */
static enum load_end reserve_one(void *argument, uint64_t n)
{
    struct exchanges *const all = argument;
    struct exchange_worker *const worker = &all->workers[0];
    struct lease *const lease = &worker->lease;
    struct handle *const handle = &worker->handle;
    const uint64_t number =
        all->reclaimed + all->expired + permutation_find(&all->reserved, n);

    generator_make(&all->generator, number, 0, lease);
    const struct reservation_key key = { RESERVATION_BY_HWADDR,
                                         lease->subnet_id, lease->hwaddr,
                                         lease->hwaddr_length };
    handle->step = "reserving";
    const enum outcome outcome = handle->backend->add_reservation(
        handle->session, &key, lease->address, &handle->err);
    return outcome == OUTCOME_HIT ? LOAD_DONE
                                  : handle_wrong_outcome(handle, lease->address,
                                                         outcome, OUTCOME_HIT);
}

/* Looks whether the store takes what a release leaves behind, before it has
   been filled for that.  Returns 0, or -1. */
static int try_released(struct exchanges *all)
{
    struct exchange_worker *const worker = &all->workers[0];
    struct handle *const handle = &worker->handle;
    const struct backend *const backend = handle->backend;
    struct session *const session = handle->session;
    struct err *const err = &handle->err;
    struct lease *const lease = &worker->lease;
    const struct client client = { .state = CLIENT_RELEASED };

    if (exchange_plan_ending(&all->config, all->planned, STEP_RELEASE) == 0)
        return 0;
    client_make_lease(&client, &all->generator, lease);
    if (backend->begin(session, err) != 0)
        return -1;
    if (backend->create(session, lease, err) == OUTCOME_ERROR) {
        const struct err cause = *err;

        return cause.kind != ERR_OTHER
                   ? -1
                   : err_set(err,
                             "%s: no lease can be in state %d, as RELEASE with "
                             "affinity leaves it (tables of Kea 2.2 do not "
                             "know it; release-delete does without): %.400s",
                             backend->name, LEASE_STATE_RELEASED, cause.text);
    }
    if (backend->remove(session, lease->address, lease_expire_s(lease), err) ==
        OUTCOME_ERROR)
        return -1;
    return backend->commit(session, err);
}

enum load_end exchange_preload(struct exchanges *all, struct err *err)
{
    struct handle *const handle = &all->workers[0].handle;
    struct progress *const progress = all->context.progress;
    const uint64_t leases = all->reclaimed + all->expired + all->config.preload;
    enum load_end end = LOAD_FAILED;

    if (handle->backend->reset(handle->session, &handle->err) == 0 &&
        try_released(all) == 0)
        end = handle_in_groups(handle, progress, "reservations",
                               all->config.reservations, reserve_one, all);
    if (end == LOAD_DONE)
        end = handle_in_groups(handle, progress, "preload", leases, preload_one,
                               all);
    *err = handle->err;
    return end;
}
