/* SPDX-License-Identifier: ISC */
#include "load/exchange/trips.h"

#include "load/exchange/steps.h"
#include "load/pool/pool_change.h"
#include "load/pool/pool_steps.h"

/* The questions of one round trip, each of a step. */
struct trip {
    struct question questions[STEPS_MAX];
    struct lease found[STEPS_MAX];
    /* The allocator's first candidate: whose it is, and its lease by address. */
    enum candidate candidate;
    const struct client *candidate_client;
    struct lease candidate_lease;
    struct client after; /* as the change leaves the client */
};

int exchange_trips_init(struct exchanges *all)
{
    struct engine *const engine = &all->engine;

    for (size_t i = 0; engine->config.trips != TRIPS_SERIES && i < engine->threads; i++) {
        all->states[i].trip = err_calloc(1, sizeof *all->states[i].trip, engine->err);
        if (all->states[i].trip == NULL)
            return -1;
    }
    return 0;
}

bool exchange_has_packets(const struct exchange *exchange)
{
    const struct step *step = exchange->steps;

    while (step->action == STEP_FIND_RESERVATION)
        step++;
    return exchange->party == PARTY_NONE || step->packet != PACKET_NONE;
}

/* How many steps, from this one on, share a round trip. */
static size_t trip_length(const struct step *step, enum trips trips)
{
    const bool call = trips == TRIPS_PROCEDURE;
    size_t length = 1;

    if (!call && step_kinds[step->action].changes)
        return 1;
    while (step[length].action != STEP_END && step[length].packet == PACKET_NONE &&
           (call || !step_kinds[step[length].action].changes))
        length++;
    return length;
}

/* Asking */

static void put_candidate(struct exchange_state *state, struct question *question)
{
    struct worker *const worker = state->worker;
    struct trip *const trip = state->trip;

    trip->candidate_client = &state->client;
    trip->candidate = exchanges_of(worker)->candidates(state, 0, &trip->candidate_client);
    trip->candidate_lease.address =
        generator_address(&worker->engine->generator, trip->candidate_client->number);
    trip->candidate_lease.type = worker->lease.type;
    question->by = LOOKUP_ADDRESS;
    question->lease = &trip->candidate_lease;
}

static void put_change(struct exchange_state *state, struct question *question)
{
    static const enum question_kind kinds[] = {
        [CHANGE_CREATE] = QUESTION_CREATE,
        [CHANGE_UPDATE] = QUESTION_UPDATE,
        [CHANGE_DELETE] = QUESTION_REMOVE,
    };

    question->kind = kinds[step_kinds[state->step->action].change];
    question->lease = step_make_change(state, &state->trip->after);
}

/* Turns the state's step into question i. */
static void put_question(struct exchange_state *state, size_t i)
{
    struct trip *const trip = state->trip;
    struct question *const question = &trip->questions[i];
    const struct step_kind *const kind = &step_kinds[state->step->action];

    *question = (struct question){
        .by = kind->by,
        .lease = &state->worker->lease,
        .found = &trip->found[i],
    };
    if (exchanges_of(state->worker)->pool != NULL)
        pool_put_question(state, question);
    else if (kind->changes)
        put_change(state, question);
    else if (state->step->action == STEP_CHECK_CANDIDATES)
        put_candidate(state, question);
}

/* Asks what the steps of a round trip ask, the first of which is the state's.  Returns 0, or -1
   with the worker's err. */
static int ask(struct exchange_state *state, size_t length)
{
    struct worker *const worker = state->worker;
    const struct step *const first = state->step;
    const bool call = worker->engine->config.trips == TRIPS_PROCEDURE;

    for (size_t i = 0; i < length; i++) {
        state->step = &first[i];
        put_question(state, i);
    }
    state->step = first;
    state->asked_ns = state->latency ? clock_now_ns() : 0;
    const int status =
        worker->backend->ask_together(worker->session, call ? first->packet : PACKET_NONE,
                                      state->trip->questions, length, &worker->err);
    state->took_ns = state->latency ? clock_now_ns() - state->asked_ns : 0;
    worker->tally->counts.round_trips++;
    return status;
}

/* Answers */

/* Checks the answer to the first candidate; the next ones depend on it, each in a round trip of its
   own. */
static enum load_end check_candidates(struct exchange_state *state, const struct question *question)
{
    const struct trip *const trip = state->trip;
    const bool taken = trip->candidate == CANDIDATE_TAKEN;
    enum load_end end =
        step_check_search(state, trip->candidate_client, question->lease, question->found,
                          question->outcome, taken ? OUTCOME_HIT : OUTCOME_MISS);

    if (end != LOAD_DONE || !taken)
        return end;
    state->shares_trip = false;
    end = exchanges_of(state->worker)->run[STEP_CHECK_CANDIDATES](state);
    state->worker->tally->counts.round_trips += state->answered - 1;
    return end;
}

static enum load_end check_answer(struct exchange_state *state, const struct question *question)
{
    if (exchanges_of(state->worker)->pool != NULL)
        return pool_check_answer(state, question);
    if (question->kind != QUESTION_FIND)
        return step_check_change(state, question->lease, &state->trip->after, question->outcome);
    if (state->step->action == STEP_CHECK_CANDIDATES)
        return check_candidates(state, question);
    return step_check_search(state, &state->client, question->lease, question->found,
                             question->outcome, state->step->expected);
}

/* Asks and checks what the steps of a round trip ask.  Its time is that of its first step. */
static enum load_end ask_and_check(struct exchange_state *state, size_t length)
{
    struct worker *const worker = state->worker;
    enum load_end end = LOAD_DONE;

    worker->doing = state->step->name;
    if (ask(state, length) != 0)
        return worker_wrong_outcome(worker, worker->lease.address, OUTCOME_ERROR, OUTCOME_HIT);
    for (size_t i = 0; i < length && end == LOAD_DONE && state->denial == DENIAL_NONE; i++) {
        worker->doing = state->step->name;
        state->answered = 0;
        state->shares_trip = i > 0;
        end = check_answer(state, &state->trip->questions[i]);
        state->step++;
        state->step_result++;
    }
    state->shares_trip = false;
    return end;
}

/* Performs the steps of a round trip. */
static enum load_end run_trip(struct exchange_state *state, size_t length)
{
    const enum load_end end = ask_and_check(state, length);

    if (exchanges_of(state->worker)->pool != NULL)
        pool_end_claim(state, end);
    return end;
}

/* Performs a step in a round trip, or several, of its own. */
static enum load_end run_step(struct exchange_state *state)
{
    struct worker *const worker = state->worker;

    worker->doing = state->step->name;
    state->answered = 0;
    const enum load_end end = exchanges_of(worker)->run[state->step->action](state);
    worker->tally->counts.round_trips += state->answered;
    state->step++;
    state->step_result++;
    return end;
}

enum load_end exchange_run_in_trips(struct exchange_state *state)
{
    const enum trips trips = state->worker->engine->config.trips;
    enum load_end end = LOAD_DONE;

    exchange_begin(state);
    while (state->step->action != STEP_END && end == LOAD_DONE && state->denial == DENIAL_NONE) {
        const size_t length = trip_length(state->step, trips);

        end = length == 1 && trips == TRIPS_PIPELINE ? run_step(state) : run_trip(state, length);
    }
    return end;
}
