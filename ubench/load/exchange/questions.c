/* SPDX-License-Identifier: ISC */
#include "load/exchange/questions.h"

#include <inttypes.h>

#include "core/clock.h"
#include "load/exchange/lookup.h"

static const char *verb(const struct exchange_worker *worker)
{
    return worker->step != NULL ? worker->step->name : "reading back";
}

static const char *exchange_name(const struct exchange_worker *worker)
{
    return worker->exchange != NULL ? worker->exchange->name : "after the run";
}

enum exchange_end exchange_failed(const struct exchange_worker *worker)
{
    return worker->err.text[0] != '\0' ? EXCHANGE_FAILED : EXCHANGE_STOPPED;
}

static enum exchange_end failed(struct exchange_worker *worker,
                                const struct lease *lease)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];
    const struct err cause = worker->err;

    if (cause.class == ERR_DEADLOCK)
        return EXCHANGE_DEADLOCK;
    if (exchange_failed(worker) == EXCHANGE_STOPPED)
        return EXCHANGE_STOPPED;
    (void)err_set_class(
        &worker->err, cause.class, "%s (%s: %s %s)", cause.text,
        exchange_name(worker), verb(worker),
        lease_address_text(text, lease->address, worker->all->generator.type));
    return EXCHANGE_FAILED;
}

static enum exchange_end wrong_outcome(struct exchange_worker *worker,
                                       const struct lease *lease,
                                       enum outcome expected)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    (void)err_set(
        &worker->err,
        "%s: wrong answer: %s: %s %s gave %s where a correct store gives %s",
        worker->all->backend->name, exchange_name(worker), verb(worker),
        lease_address_text(text, lease->address, worker->all->generator.type),
        expected == OUTCOME_HIT ? "MISS" : "HIT",
        expected == OUTCOME_HIT ? "HIT" : "MISS");
    return EXCHANGE_WRONG;
}

enum exchange_end exchange_wrong_lease(struct exchange_worker *worker,
                                       const struct lease *should,
                                       const struct lease *found)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    (void)err_set(
        &worker->err,
        "%s: wrong answer: %s: %s %s gave a lease with another %s than was "
        "stored",
        worker->all->backend->name, exchange_name(worker), verb(worker),
        lease_address_text(text, should->address, worker->all->generator.type),
        lease_difference(should, found));
    return EXCHANGE_WRONG;
}

enum exchange_end exchange_wrong_number(struct exchange_worker *worker,
                                        uint64_t found, uint64_t should)
{
    (void)err_set(&worker->err,
                  "%s: wrong answer: %s: %s gave %" PRIu64
                  " leases where a correct store gives %" PRIu64,
                  worker->all->backend->name, exchange_name(worker),
                  verb(worker), found, should);
    return EXCHANGE_WRONG;
}

enum exchange_end exchange_wrong_reservation(struct exchange_worker *worker)
{
    (void)err_set(
        &worker->err, "%s: wrong answer: %s: %s gave another client's address",
        worker->all->backend->name, exchange_name(worker), verb(worker));
    return EXCHANGE_WRONG;
}

void exchange_begin_question(struct exchange_worker *worker)
{
    if (worker->all->config.load.latency)
        worker->step_ns = clock_now_ns();
}

enum exchange_end exchange_end_question(struct exchange_worker *worker,
                                        const struct lease *lease,
                                        enum outcome outcome,
                                        enum outcome expected)
{
    struct step_result *const step = worker->step_result;

    if (outcome == OUTCOME_ERROR)
        return failed(worker, lease);
    if (outcome != expected && worker->all->backend->keeps_leases)
        return wrong_outcome(worker, lease, expected);
    if (worker->all->config.load.latency)
        histogram_record(&step->latency, clock_now_ns() - worker->step_ns);
    exchange_acknowledge(worker);
    if (expected == OUTCOME_HIT) {
        step->hits++;
        worker->hits++;
    } else {
        step->misses++;
        worker->misses++;
    }
    return EXCHANGE_DONE;
}

/* Losses.  A question that was cut off is asked again, over a new connection;
   a change that was is settled. */

void exchange_acknowledge(struct exchange_worker *worker)
{
    if (worker->all->config.reconnect != NULL)
        reconnect_acknowledge(worker->all->config.reconnect, worker->index);
}

bool exchange_reconnect(struct exchange_worker *worker)
{
    struct reconnect *const reconnect = worker->all->config.reconnect;

    if (reconnect == NULL)
        return false;
    const int status =
        reconnect_session(reconnect, worker->index, &worker->err);
    worker->session = reconnect->sessions[worker->index];
    return status == 0;
}

enum outcome exchange_settle(struct exchange_worker *worker,
                             const struct change *change)
{
    struct reconnect *const reconnect = worker->all->config.reconnect;
    const enum outcome outcome =
        settle_change(reconnect, worker->index, change, &worker->err);

    if (reconnect != NULL)
        worker->session = reconnect->sessions[worker->index];
    return outcome;
}

enum outcome exchange_ask(struct exchange_worker *worker,
                          enum step_action action, const struct lease *lease)
{
    static const enum lookup lookups[] = {
        [STEP_FIND_CLIENT_ID] = LOOKUP_CLIENT_ID,
        [STEP_FIND_HWADDR] = LOOKUP_HWADDR,
        [STEP_FIND_DUID] = LOOKUP_CLIENT_ID,
        [STEP_FIND_IN_SUBNET] = LOOKUP_IN_SUBNET,
        [STEP_FIND_ADDRESS] = LOOKUP_ADDRESS,
    };

    enum outcome outcome;

    do {
        outcome =
            lookup_lease(worker->all->backend, worker->session, lookups[action],
                         lease, &worker->found, &worker->err);
    } while (outcome == OUTCOME_ERROR && exchange_reconnect(worker));
    return outcome;
}

enum exchange_end exchange_read_back(struct exchange_worker *worker,
                                     const struct lease *should,
                                     enum outcome expected)
{
    const enum outcome outcome =
        exchange_ask(worker, STEP_FIND_ADDRESS, should);

    if (outcome == OUTCOME_ERROR)
        return failed(worker, should);
    exchange_acknowledge(worker);
    if (outcome != expected)
        return wrong_outcome(worker, should, expected);
    if (outcome == OUTCOME_HIT && !lease_equal(should, &worker->found))
        return exchange_wrong_lease(worker, should, &worker->found);
    return EXCHANGE_DONE;
}
