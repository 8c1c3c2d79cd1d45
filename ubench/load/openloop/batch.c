/* SPDX-License-Identifier: ISC */
#include "load/openloop/batch.h"

#include <stdlib.h>

static struct batch *batch_of(const struct worker *worker)
{
    return &exchange_state_of(worker)->batch;
}

/* Makes room for one exchange more.  Returns 0, or -1 with err if memory is short. */
static int reserve(struct batch *batch, struct err *err)
{
    if (batch->count < batch->capacity)
        return 0;
    const size_t capacity = batch->capacity > 0 ? 2 * batch->capacity : BATCH_FIRST;
    struct parked *const parked = realloc(batch->parked, capacity * sizeof *parked);
    if (parked == NULL)
        return err_set(err, "out of memory");
    batch->parked = parked;
    batch->capacity = capacity;
    return 0;
}

void batch_clear(struct worker *worker)
{
    struct batch *const batch = batch_of(worker);

    batch->count = batch->performed = batch->change_count = 0;
    batch->open = false;
}

/* Undoes what the worker has noted of the transaction's exchanges, which stay parked. */
static void take_back(struct worker *worker)
{
    struct exchange_state *const state = exchange_state_of(worker);
    struct batch *const batch = &state->batch;

    while (batch->change_count > 0)
        clients_take_back(&state->clients, &batch->changes[--batch->change_count]);
    while (batch->performed > 0)
        batch->parked[--batch->performed].tally->counts.hits--;
    state->next_new = batch->next_new;
    worker->digest = batch->digest;
    batch->open = false;
}

void batch_drop(struct worker *worker)
{
    if (batch_of(worker)->open)
        take_back(worker);
    batch_clear(worker);
}

static enum load_end begin(struct worker *worker)
{
    struct exchange_state *const state = exchange_state_of(worker);
    struct batch *const batch = &state->batch;
    const uint64_t before_ns = clock_now_ns();

    if (worker->backend->begin(worker->session, &worker->err) != 0)
        return LOAD_FAILED;
    batch->begin_ns = clock_now_ns() - before_ns;
    batch->next_new = state->next_new;
    batch->digest = worker->digest;
    batch->open = true;
    worker->given_up = false;
    return LOAD_DONE;
}

/* Performs the next of the parked exchanges.  worker->given_up says that the store gave the
   transaction up. */
static enum load_end perform_next(struct worker *worker)
{
    struct batch *const batch = batch_of(worker);
    struct parked *const parked = &batch->parked[batch->performed];
    const enum load_end end = worker->engine->phase->operation(worker, parked->number);

    parked->tally = worker->tally;
    batch->performed += end == LOAD_DONE && !worker->given_up;
    return end;
}

/* Performs all parked exchanges again, until the store does not give them up. */
static enum load_end repeat(struct worker *worker)
{
    const struct batch *const batch = batch_of(worker);
    enum load_end end = LOAD_DONE;

    do {
        take_back(worker);
        worker->err = (struct err){ 0 };
        if (progress_stopped(worker->progress))
            return LOAD_INTERRUPTED;
        end = begin(worker);
        while (end == LOAD_DONE && !worker->given_up && batch->performed < batch->count)
            end = perform_next(worker);
    } while (end == LOAD_DONE && worker->given_up);
    return end;
}

/* Drops the batch unless all is well.  Returns end. */
static enum load_end settle(struct worker *worker, enum load_end end)
{
    if (end != LOAD_DONE)
        batch_drop(worker);
    return end;
}

enum load_end batch_perform(struct worker *worker, uint64_t number, uint64_t begun_ns)
{
    struct batch *const batch = batch_of(worker);
    enum load_end end = reserve(batch, &worker->err) == 0 ? LOAD_DONE : LOAD_FAILED;

    if (end == LOAD_DONE && batch->count == 0) {
        batch->begun_ns = clock_now_ns();
        end = begin(worker);
    }
    if (end == LOAD_DONE) {
        batch->parked[batch->count++] = (struct parked){ .number = number, .begun_ns = begun_ns };
        end = perform_next(worker);
    }
    if (end == LOAD_DONE && worker->given_up)
        end = repeat(worker);
    return settle(worker, end);
}

bool batch_is_due(const struct worker *worker, uint64_t now_ns)
{
    const struct load_config *const config = &worker->engine->config;
    const struct batch *const batch = batch_of(worker);

    return batch->count >= config->batch ||
           (config->batch_ns > 0 && now_ns - batch->begun_ns >= config->batch_ns);
}

enum load_end batch_commit(struct worker *worker)
{
    struct phase_result *const counts = &worker->tallies[0].counts;
    enum load_end end = LOAD_DONE;
    uint64_t before_ns = clock_now_ns();

    while (end == LOAD_DONE && worker->backend->commit(worker->session, &worker->err) != 0) {
        const enum err_class why = worker->err.kind;

        counts->deadlocks += why == ERR_DEADLOCK;
        counts->conflicts += why == ERR_CONFLICT;
        end = why == ERR_DEADLOCK || why == ERR_CONFLICT ? repeat(worker) : LOAD_FAILED;
        before_ns = clock_now_ns();
    }
    if (end == LOAD_DONE) {
        histogram_record(&counts->commits, batch_of(worker)->begin_ns + clock_now_ns() - before_ns);
        worker_acknowledge(worker);
    }
    return settle(worker, end);
}

/* The closed loop */

/* Counts the exchanges of a committed batch, and the time since each began. */
static void answer_all(struct worker *worker)
{
    const struct batch *const batch = batch_of(worker);
    const uint64_t now_ns = clock_now_ns();

    worker->last_ns = now_ns;
    for (size_t i = 0; worker->engine->latency && i < batch->count; i++) {
        const struct parked *const parked = &batch->parked[i];

        worker->last_ns = tally_latency(parked->tally, now_ns, now_ns - parked->begun_ns);
    }
    worker->done += batch->count;
    batch_clear(worker);
}

/* Performs and commits a batch of at most that many exchanges. */
static enum load_end run_batch(struct worker *worker, uint64_t most)
{
    const struct batch *const batch = batch_of(worker);
    enum load_end end = LOAD_DONE;

    do {
        const uint64_t k = worker->done + batch->count;

        end = batch_perform(worker, worker_item(worker, k), worker->last_ns);
        worker->last_ns = clock_now_ns();
        progress_set_done(&worker->progress->workers[worker->index], k + 1);
    } while (end == LOAD_DONE && batch->count < most && !batch_is_due(worker, worker->last_ns) &&
             closed_loop_goes_on(worker));
    if (end == LOAD_DONE)
        end = batch_commit(worker);
    if (end == LOAD_DONE)
        answer_all(worker);
    return end;
}

void batch_loop(struct worker *worker)
{
    const uint64_t until = closed_loop_begin(worker);

    while (worker->end == LOAD_DONE && worker->done < until && closed_loop_goes_on(worker))
        worker->end = run_batch(worker, until - worker->done);
    if (worker->end == LOAD_DONE)
        closed_loop_end(worker, until);
}
