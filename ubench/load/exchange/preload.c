/* SPDX-License-Identifier: ISC */
#include "load/exchange/preload.h"

#include "load/exchange/plan.h"

/* Makes lease number n of the preload. */
static void make_preloaded(const struct exchanges *all, uint64_t n,
                           struct lease *lease)
{
    if (n < all->reclaimed)
        exchange_make_reclaimed(all, n, lease);
    else if (n < all->reclaimed + all->expired)
        exchange_make_expired(all, n, lease);
    else
        generator_make(&all->generator, n, 0, lease);
}

/* One of what is put into the store, by its number. */
typedef enum load_end put_one(struct exchanges *all, uint64_t n,
                              struct err *err);

static enum load_end preload_one(struct exchanges *all, uint64_t n,
                                 struct err *err)
{
    struct exchange_worker *const worker = &all->workers[0];
    char text[LEASE_ADDRESS_TEXT_SIZE];

    make_preloaded(all, n, &worker->lease);
    const enum outcome outcome =
        all->backend->create(worker->session, &worker->lease, err);
    if (outcome == OUTCOME_HIT)
        return LOAD_DONE;
    if (outcome == OUTCOME_ERROR)
        return LOAD_FAILED;
    (void)err_set(
        err,
        "%s: wrong answer: preloading %s gave MISS where a correct "
        "store gives HIT",
        all->backend->name,
        lease_address_text(text, worker->lease.address, all->generator.type));
    return LOAD_WRONG;
}

/* Adds reservation number n, which is of some client. */
static enum load_end reserve_one(struct exchanges *all, uint64_t n,
                                 struct err *err)
{
    struct exchange_worker *const worker = &all->workers[0];
    struct lease *const lease = &worker->lease;
    const uint64_t number =
        all->reclaimed + all->expired + permutation_find(&all->reserved, n);

    generator_make(&all->generator, number, 0, lease);
    const struct reservation_key key = { RESERVATION_BY_HWADDR,
                                         lease->subnet_id, lease->hwaddr,
                                         lease->hwaddr_length };
    switch (all->backend->add_reservation(worker->session, &key, lease->address,
                                          err)) {
    case OUTCOME_HIT:
        return LOAD_DONE;
    case OUTCOME_ERROR:
        return LOAD_FAILED;
    case OUTCOME_MISS:
        break;
    }
    (void)err_set(err,
                  "%s: wrong answer: adding a reservation gave MISS where a "
                  "correct store gives HIT",
                  all->backend->name);
    return LOAD_WRONG;
}

static enum load_end put_all(struct exchanges *all, const char *name,
                             uint64_t count, put_one *put,
                             struct progress *progress, struct err *err)
{
    enum { GROUP = 1000 };
    const struct backend *const backend = all->backend;
    struct session *const session = all->workers[0].session;
    enum load_end end = LOAD_DONE;

    progress_begin(progress, name, count, 1);
    for (uint64_t n = 0; n < count && end == LOAD_DONE; n++) {
        progress_set_done(&progress->lanes[0], n);
        if (progress_stopped(progress))
            return LOAD_INTERRUPTED;
        if (n % GROUP == 0 && backend->begin(session, err) != 0)
            return LOAD_FAILED;
        end = put(all, n, err);
        if (end == LOAD_DONE && (n % GROUP == GROUP - 1 || n + 1 == count) &&
            backend->commit(session, err) != 0)
            return LOAD_FAILED;
    }
    atomic_store(&progress->phase, NULL);
    return end;
}

enum load_end exchange_reserve(struct exchanges *all, struct progress *progress,
                               struct err *err)
{
    const uint64_t count = all->config.reservations;

    return count == 0 ? LOAD_DONE
                      : put_all(all, "reservations", count, reserve_one,
                                progress, err);
}

enum load_end exchange_preload(struct exchanges *all, struct progress *progress,
                               struct err *err)
{
    const uint64_t count =
        all->reclaimed + all->expired + all->config.load.preload;

    return put_all(all, "preload", count, preload_one, progress, err);
}

int exchange_try_released(struct exchanges *all, struct err *err)
{
    const struct backend *const backend = all->backend;
    struct exchange_worker *const worker = &all->workers[0];
    struct session *const session = worker->session;
    struct lease *const lease = &worker->lease;
    const struct client client = { .state = CLIENT_RELEASED };

    if (exchange_plan_ending(&all->config, all->planned, STEP_RELEASE) == 0)
        return 0;
    client_make_lease(&client, &all->generator, lease);
    if (backend->begin(session, err) != 0)
        return -1;
    if (backend->create(session, lease, err) == OUTCOME_ERROR) {
        const struct err cause = *err;

        return cause.class != ERR_OTHER
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
